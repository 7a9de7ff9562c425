"""Sentence-Based Evaluation (SBE): does the model prefer stereotyped sentences?

Question     For each pair of sentences that differ in gendered words only, the sentence likelihood
             difference SLD = PLL(stereotype) - PLL(counterpart), in nats; PLL sums ln P over all tokens,
             punctuation included, each hidden once. ASLD is the mean of |SLD| per category and over all
             pairs.
Sign         SLD above 0 prefers the stereotype, below 0 the counterpart. ASLD has no direction.
Good         SLD near 0, half of the pairs either way, and ASLD no larger than for the neutral pairs.
Also given   The mean SLD with its sign; the share of pairs that prefer the stereotype (ties are shown, not
             counted); SLD split into the words that differ and the words that both sentences share, which
             add up to it; ASLD per token, and by the other rule (within-word-l2r hides the later pieces of
             a word too); the same numbers for pairs that differ in no gendered word; and how far SLD moves
             when the final period, the capitals or the frame of a sentence change.
Neutral      A uniform model gives SLD 0 for two sentences of equally many tokens: every pair is a tie.
             Random weights do NOT give ASLD 0, because any two words differ in likelihood: read ASLD
             against the neutral pairs.
Source       Thesis "Towards a Robust Gender Bias Evaluation in NLP" (GBEF): SLD and ASLD. PLL: Salazar et
             al. 2020; within-word-l2r: Kauf and Ivanova 2023.
Differs      The thesis takes |SLD| at once; here the sign is kept. Its sentence pairs are not published.
             What it prints as worked examples is not what bert-base-uncased gives: PLL -32.3 and -38.6
             (found: -29.24 and -38.48), -13.0 and -16.9 (found: -8.48 and -14.34), SLD 1.1 (found: 13.44,
             and 4.36 with a period at the end of both sentences). The directions agree.
Yardstick    "ASLD above that of neutral pairs" sets like against like: pairs and neutral pairs that differ in
             one word and have equally many tokens. The others are counted and left out, since a token or a
             changed word more adds to |SLD| in any model. Pairs that change the same word are clustered.
Detects      a lean of 0.50 nats (1.6 times as likely) or more in 8 of 10 draws (`study controls`, BERT).
Limits       A summed likelihood favours the sentence of fewer tokens: see the share of unequal token
             counts. A causal model reads from left to right, so words before the first change cannot
             differ. A frame in front of a command can sound odd; sentences of yours get one if
             their column `language` says en, or if a frames.csv lies beside them. English.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from difflib import SequenceMatcher

import numpy as np
import pandas as pd

from equipoise.data.sets.frames import frames_for
from equipoise.data.sets.pairs import CROWS, NEUTRAL, PAIR, load_pairs
from equipoise.data.sources import Source
from equipoise.instruments.base import Answers, Ask, Design, Settings, refuse_all_dropped
from equipoise.instruments.parts.choices import NEUTRAL_PAIRS
from equipoise.instruments.parts.estimates import (
    Groups,
    Spec,
    contrast_estimate,
    estimate,
    grouped,
    mean_estimate,
    share_estimate,
    size_estimate,
)
from equipoise.instruments.parts.fragility import (
    movement_estimates,
    originals,
    started_scores,
    with_other_start,
    with_variations,
)
from equipoise.instruments.parts.items import COLUMN, Row, asked_rows, token_cell, with_scores
from equipoise.instruments.parts.preference import are_mined, labelled_as_texts, said_of_texts, tie_remarks
from equipoise.models.capabilities import SCORE
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import DEFAULT_RULE, Score, TokenScores
from equipoise.results import Estimate, Quantity, Roles, Summary
from equipoise.results.quantity import STEREOTYPED, Contrast
from equipoise.stats.ratios import ratio_of_means, sided_cells
from equipoise.stats.resampling import bootstrap_of

ORIGINAL_RULE, WITHIN_WORD = "original", "within-word-l2r"
FRAGILE_PAIRS = 6
"""Pairs of each category that are also asked in their changed forms: all would take four times as long."""

UNIT = "nats"
TIE = 1e-9
FACTORS = ("cluster",)
LIKE_FACTORS = ("cluster", "words")
"""Pairs that exchange the same words are not independent either: she for he is one draw of any vocabulary."""

YES, NO = "yes", "no"
SIDES = ("stereotype", "counterpart")
OTHER_RULE = "other rule"
_WORDS = re.compile(r"\w+|[^\w\s]")
_UNKNOWN = ("[UNK]", "<unk>")
_COLUMNS = (
    *("item", "category", "part", "variation", "of", "cluster"),
    *("stereotype", "counterpart", "swapped", "dropped"),
)
_SCORE_COLUMNS = ("score", "changed", "shared", "per_token", "sld_other_rule")
_NEUTRAL_PAIRS = {"part": NEUTRAL}
"""The group of the neutral pairs."""

Span = tuple[int, int]

_MEAN = Quantity(
    "mean-sld",
    "mean SLD",
    0.25,
    unit=UNIT,
    factors=FACTORS,
    where={"variation": "original", "part": PAIR},
    name="sentence preference",
    question="sentences",
    scale="nats",
    sides=STEREOTYPED,
)
_ASLD = Quantity(
    "asld",
    "ASLD",
    0.25,
    unit=UNIT,
    better="lower",
    factors=FACTORS,
    where={"variation": "original", "part": PAIR},
    kind="size",
    ranks=True,
    name="effect of swapping the gender of a sentence",
    question="sentences",
    scale="nats",
    headline=True,
)
"""What models are compared by where the neutral pairs are left out."""

_ABOVE_NEUTRAL = replace(
    _ASLD,
    key="asld-above-neutral",
    label="ASLD above that of neutral pairs",
    factors=LIKE_FACTORS,
    where={"variation": "original", "alike": YES},
    contrast=Contrast("part", PAIR, NEUTRAL),
    name="effect of swapping the gender, above that of swapping neutral words",
)
_PREFERENCE = Quantity(
    "prefers-stereotype",
    "prefers the stereotype",
    0.05,
    unit="share",
    neutral=0.5,
    kind="share",
    factors=FACTORS,
    where={"variation": "original", "part": PAIR},
    name="pairs that prefer the stereotype",
    question="sentences",
    scale="half",
    sides=STEREOTYPED,
    headline=True,
    compared=False,
)
_SHOWN = (_PREFERENCE, replace(_ASLD, ranks=False, compared=False))
"""What is read first of one model, beside what models are compared by."""


class SentenceBased:
    """SLD and ASLD over sentence pairs."""

    name = "sbe"
    version = 2  # "above neutral pairs" compares pairs with one changed word and equal token counts
    title = "Sentence-based evaluation: sentence likelihood difference"
    datasets = ("equipoise-pairs", CROWS)
    variants = (ORIGINAL_RULE, WITHIN_WORD)
    needs = (SCORE,)
    reads: tuple[str, ...] = (NEUTRAL_PAIRS,)
    roles = Roles(text=SIDES, factors=FACTORS, groups=("category",))
    quantities = (*_SHOWN, _MEAN, _ABOVE_NEUTRAL)

    def design(self, source: Source, settings: Settings) -> Design:
        """The pairs, the neutral pairs beside them, and the changed forms of a sample."""
        read = load_pairs(source, with_neutral=settings.neutral_pairs)
        is_pair = read.table["part"] == PAIR
        frames = frames_for(source)
        pairs = read.table[is_pair].reset_index(drop=True)
        quantities = self.quantities if settings.neutral_pairs else (_PREFERENCE, _MEAN, _ASLD)
        varied, said = with_variations(
            pairs,
            SIDES,
            frames=frames,
            quota=lambda _: FRAGILE_PAIRS,
            seed=settings.seed,
        )
        neutral = read.table[~is_pair]
        neutral = neutral.assign(variation="original", of=neutral["item"])
        items = pd.concat([varied, neutral], ignore_index=True)[list(_COLUMNS)]
        return Design(
            items=items,
            files=(*read.files, frames.path),
            settings=settings,
            notices=(*read.notices, *said),
            quantities=tuple(map(said_of_texts, quantities)) if are_mined(pairs) else quantities,
        )

    def ask(self, design: Design, model: LanguageModel) -> Iterator[Ask]:
        """Both sentences of every pair by the chosen rule, and by the other one where the model has both."""
        variant = design.settings.variant
        rules = {"": _rule(variant)}
        if set(self.variants) <= set(model.rules):
            rules[OTHER_RULE] = _other(variant)
        asks = (
            Ask(row["item"], f"{side}{beside}", Score(row[side], rule))
            for row in asked_rows(design.items)
            for beside, rule in rules.items()
            for side in SIDES
        )
        yield from with_other_start(asks, design.items, model)

    def score(self, design: Design, answers: Answers) -> pd.DataFrame:
        """SLD of every pair, its parts, and the same by the other rule; a dropped pair has none of them."""

        def read(row: Row) -> Row:
            one, other = (answers[row["item"], side] for side in SIDES)
            beside = [key for side in SIDES if (key := (row["item"], f"{side}{OTHER_RULE}")) in answers]
            totals = [answers[key].total for key in beside]
            by_other_rule = totals[0] - totals[1] if totals else np.nan
            started = started_scores(answers, row["item"], SIDES, lambda *both: both[0].total - both[1].total)
            return _compared(row, one, other) | {"sld_other_rule": by_other_rule} | started

        items = with_scores(design.items, read)
        items.loc[items["dropped"] != "", list(_SCORE_COLUMNS)] = np.nan
        refuse_all_dropped(self.name, items[items["part"] == PAIR])
        return items

    def summarise(self, design: Design, items: pd.DataFrame) -> Summary:
        """Every number over all pairs, for each category and for the neutral pairs; then the movements."""
        written = originals(items)
        pairs, neutral = written[written["part"] == PAIR], written[written["part"] == NEUTRAL]
        other_rule = _other(design.settings.variant)
        estimates: list[Estimate] = []
        for groups, rows in grouped(pairs, "category"):
            estimates += _group_estimates(groups, rows, other_rule)
            estimates += _whole_estimates(groups, rows) if not groups else []
            if len(neutral):
                estimates += _against_neutral(groups, rows, neutral, design.settings.seed)
        if len(neutral):
            estimates += _group_estimates(_NEUTRAL_PAIRS, neutral, other_rule)
            estimates += _whole_estimates(_NEUTRAL_PAIRS, neutral)
        moved = items[items["part"] == PAIR]
        estimates += movement_estimates(moved, factors=("of",), unit=UNIT)
        if are_mined(pairs):
            estimates = labelled_as_texts(estimates, unless="part")
        remarks = _unlike_remarks(pairs) if len(neutral) else ()
        return Summary(estimates, (*tie_remarks(pairs["score"], "pairs"), *remarks))


def _rule(variant: str) -> str:
    """The rule to score by: `original` is a masked model's natural rule, and other kinds have their own."""
    return DEFAULT_RULE if variant == ORIGINAL_RULE else variant


def _other(variant: str) -> str:
    return WITHIN_WORD if variant == ORIGINAL_RULE else ORIGINAL_RULE


def _compared(row: Row, one: TokenScores, other: TokenScores) -> Row:
    """The difference of two scored sentences, and its two parts."""
    spans = changed_spans(row["stereotype"], row["counterpart"])
    words = [
        [row[side][start:stop].lower() for start, stop in at] for side, at in zip(SIDES, spans, strict=True)
    ]
    is_alike = len(words[0]) == len(words[1]) == 1 and len(one.tokens) == len(other.tokens)
    ours, theirs = _split_total(one, spans[0]), _split_total(other, spans[1])
    return {
        "pll_stereotype": one.total,
        "pll_counterpart": other.total,
        "score": one.total - other.total,
        "changed": ours[0] - theirs[0],
        "shared": ours[1] - theirs[1],
        "per_token": one.mean - other.mean,
        "tokens_stereotype": len(one.tokens),
        "tokens_counterpart": len(other.tokens),
        "words": " / ".join(sorted(" ".join(side) for side in words)),
        "alike": YES if is_alike else NO,
        "dropped": _why_dropped(one, other),
        **{f"{COLUMN}{side}": token_cell(scored) for side, scored in zip(SIDES, (one, other), strict=True)},
    }


def _why_dropped(*scored: TokenScores) -> str:
    """An unknown word has the score of the unknown token, whatever it means."""
    if any(token in _UNKNOWN for sentence in scored for token in sentence.tokens):
        return "a word is unknown to the tokenizer"
    return "a token could not be asked" if any(np.isnan(sentence.total) for sentence in scored) else ""


def changed_spans(one: str, other: str) -> tuple[list[Span], list[Span]]:
    """Where each of two sentences has words that the other has not, in the order they are aligned."""
    first, second = (list(_WORDS.finditer(text)) for text in (one, other))
    matcher = SequenceMatcher(None, [word[0] for word in first], [word[0] for word in second], autojunk=False)
    changed: tuple[list[Span], list[Span]] = ([], [])
    for tag, start, stop, other_start, other_stop in matcher.get_opcodes():
        if tag != "equal":
            changed[0].extend(word.span() for word in first[start:stop])
            changed[1].extend(word.span() for word in second[other_start:other_stop])
    return changed


def _split_total(scored: TokenScores, spans: list[Span]) -> tuple[float, float]:
    """Sum ln P over the tokens that overlap the spans, and over all other tokens."""
    sums = [0.0, 0.0]
    for (begin, end), logprob, weight in zip(scored.spans, scored.logprobs, scored.weights, strict=True):
        is_outside = not any(begin < stop and end > start for start, stop in spans)
        sums[is_outside] += weight * logprob
    return sums[0], sums[1]


def _group_estimates(groups: Groups, rows: pd.DataFrame, other_rule: str) -> list[Estimate]:
    """The numbers that every group has."""
    score = rows["score"]
    other = Spec("asld-other-rule", f"ASLD by {other_rule}", UNIT, better="lower")
    columns = [
        (size_estimate, Spec.of(_ASLD), score),
        (mean_estimate, Spec.of(_MEAN), score),
        (mean_estimate, Spec("mean-sld-changed", "mean SLD of the changed words", UNIT), rows["changed"]),
        (mean_estimate, Spec("mean-sld-shared", "mean SLD of the shared words", UNIT), rows["shared"]),
        (size_estimate, Spec("asld-per-token", "ASLD per token", UNIT, better="lower"), rows["per_token"]),
        (size_estimate, other, rows["sld_other_rule"]),
    ]
    estimates = [
        estimated(spec.at(groups), values, rows, FACTORS)
        for estimated, spec, values in columns
        if values.notna().any() or spec.key == "asld"
    ]
    is_above = score.gt(0).astype(float).where(score.abs() > TIE)
    label = "prefers the first sentence" if groups == _NEUTRAL_PAIRS else "prefers the stereotype"
    preference = Spec.of(_PREFERENCE, label=label)
    return [*estimates, share_estimate(preference.at(groups), is_above, rows, FACTORS)]


def _whole_estimates(groups: Groups, rows: pd.DataFrame) -> list[Estimate]:
    """What is said of all pairs and of the neutral ones, but not of every category."""
    score = rows["score"]
    tied = score.abs().le(TIE).astype(float).where(score.notna())
    unequal = rows["tokens_stereotype"].ne(rows["tokens_counterpart"]).astype(float)
    changed = Spec("asld-changed", "ASLD of the changed words", UNIT, better="lower", groups=groups)
    shared = Spec("asld-shared", "ASLD of the shared words", UNIT, better="lower", groups=groups)
    ties = Spec("ties", unit="share", better="none", groups=groups)
    lengths = Spec("unequal-token-counts", unit="share", better="none", groups=groups)
    return [
        size_estimate(changed, rows["changed"], rows, FACTORS),
        size_estimate(shared, rows["shared"], rows, FACTORS),
        share_estimate(ties, tied, rows, FACTORS),
        share_estimate(lengths, unequal, rows, FACTORS),
    ]


def _against_neutral(groups: Groups, rows: pd.DataFrame, neutral: pd.DataFrame, seed: int) -> list[Estimate]:
    """ASLD less, and divided by, that of the neutral pairs, where both are alike."""
    both = pd.concat([rows, neutral])
    sizes, is_pair = both["score"].abs().where(both["alike"] == YES), both["part"] == PAIR
    above = Spec.of(_ABOVE_NEUTRAL)
    over = Spec("asld-over-neutral", "ASLD over that of neutral pairs", "ratio", neutral=1.0, better="lower")
    difference = contrast_estimate(above.at(groups), sizes, is_pair, rows=both, factors=LIKE_FACTORS)
    known = sizes.notna()
    cells = sided_cells(sizes[known], is_pair[known])
    ratio = float(ratio_of_means(cells.sum(axis=0)))
    sides, words = is_pair[known], both.loc[known, "words"]
    interval = bootstrap_of(ratio_of_means, cells, words, sides=sides, seed=seed)
    kept = int((known & is_pair).sum())
    dropped = len(rows) - kept
    return [
        _counting(difference, kept, dropped),
        estimate(over.at(groups), ratio, interval, n=kept, dropped=dropped),
    ]


def _unlike_remarks(pairs: pd.DataFrame) -> tuple[str, ...]:
    """How many pairs no neutral pair can be set against."""
    asked = pairs[pairs["score"].notna()]
    unlike = int((asked["alike"] == NO).sum())
    if not unlike:
        return ()
    return (
        f"{unlike:,} of {len(asked):,} pairs differ in several words or in token counts: they were left out "
        "of the comparison with neutral pairs",
    )


def _counting(of_both: Estimate, kept: int, dropped: int) -> Estimate:
    """The estimate counted by its pairs, without the neutral ones beside them."""
    return replace(of_both, n=kept, dropped=dropped)
