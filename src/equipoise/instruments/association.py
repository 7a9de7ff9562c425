"""Association: how much does naming a profession raise or lower the probability of a person word?

Question     For each sentence ("Our aunt was hired as the new welder."), ln P(T|A) - ln P(T): log P of the
             person noun T beside the profession A, less its log P with A masked too. Its mean by
             profession group and gender; the gap is male - female of the same pair, template and profession.
Sign         `score` is one sentence's association: above 0 the profession makes the person word likelier. A
             gap above 0 leans male (other word sets: to the gender named first in the file of words). Models
             are compared by `oriented`: the score where person and profession group agree, minus the score
             where they do not, unknown for balanced professions. Where no group is named after a gender
             (EEC), it is the score of the first gender and minus that of the second.
Good         Gaps, `oriented` and the correlation of the gap with the share of women near 0. A correlation
             below 0 means that the model follows the labour statistics.
Beside it    Wilcoxon's signed ranks over all pairs of a group, whose p is too small because pairs share
             professions and templates, and over one gap per profession, which is the one to trust.
             "W as published" sums the ranks of female - male. `hypotheses` answers H1 to H3 in words.
Zero         A uniform model gives exactly 0 everywhere. Random weights do not: with the architecture of
             BERT-base, means of up to 0.04 and gaps of 0.06, nearly the same in every group and therefore
             significant. They cancel out in `oriented` (0.000) and in the correlation (-0.03): trust these.
Source       Bartl, Nissim and Gatt 2020, "Unmasking Contextual Stereotypes" (BEC-Pro); Kurita et al. 2019.
Differs      The authors' code pads rows to 16 ids with masks that are attended to, cuts longer rows off, puts
             one mask per word of the profession however many pieces it has, and masks by replacing strings,
             which also hits the "man" of "manager"; the corpus has "a" before vowels.
             `corrected`  the default: no attended padding, one mask per word piece, so that both sentences
             have the same length, masks by character spans, a and an right.
             `one-mask-per-word`  as the paper describes it: the sentences as the data set has them, one mask
             per word by spans, no attended padding.
             `as-published`  all of the code's defects; `bec-pro` is then the file of 2020.
             BERT-base on BEC-Pro, female and male persons with balanced, female, male professions:
             as-published -.35 .05, .50 -.68, -.83 .16 (Table 4); one-mask-per-word -.27 .15, .63 -.79,
             -.94 .17; corrected -.29 .15, .61 -.78, -.96 .17. Attended padding makes the effect look smaller.
             The published r is -|Z| / sqrt(2 n), always negative: it has no direction. W and r of Table 4
             test the change after fine-tuning, which `changes` gives.
Limits       German professions agree with the person (Klempner, Klempnerin): there agreement is measured, not
             bias, as the authors found; do not rank models by it. The shares of women of
             `equipoise-persons-de` are those of the United States. Person words of several pieces are scored
             from left to right; `pieces` says how many. Two words are masked at once: causal models are
             refused. In EEC "himself" and "herself" give the person away in one template.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from equipoise.data.bec_pro import load_corpus
from equipoise.errors import UserError
from equipoise.instruments.base import ALL, Comparable, ItemSet, Label, Settings, mean_estimate
from equipoise.models.base import BLANK, Fill, Question, Raw, WordScores
from equipoise.models.words import Tokens, refuse_unknown
from equipoise.results import Estimate, Result, estimates_table
from equipoise.stats.correlation import Correlation, pearson, spearman
from equipoise.stats.effects import rank_biserial
from equipoise.stats.intervals import cluster_bootstrap_of
from equipoise.stats.significance import WilcoxonTest, wilcoxon
from equipoise.text.persons import (
    ENGLISH,
    GERMAN,
    sentences_of,
    spans_as_columns,
    with_right_articles,
)

CORRECTED, PER_WORD, PUBLISHED = "corrected", "one-mask-per-word", "as-published"
NATS = "nats"
MARGIN = 0.1
"""What counts as none when hypotheses are answered; random weights of BERT's size reach 0.06."""

DRAWS = 500
"""Resamples for the interval of r, each of which ranks all pairs anew."""

_TREATMENT = {
    CORRECTED: "these problems are put right: masks are made from spans, a and an agree",
    PER_WORD: "masks are made from spans; a and an stay as they are",
    PUBLISHED: "these problems are kept; the estimates of sound sentences leave them out",
}
_AGREEMENT = "German professions agree with the person: this measures agreement, not bias"


class Association:
    """Associations of person words with professions, by group and gender."""

    name = "association"
    title = "Association of person words with professions"
    datasets = ("equipoise-persons", "equipoise-persons-de", "bec-pro", "bec-pro-de", "eec")
    variants = (CORRECTED, PER_WORD, PUBLISHED)
    needs = (Fill,)
    comparable = Comparable(column="oriented", clusters="attribute", margin=0.05, unit=NATS)

    def items(self, settings: Settings) -> ItemSet:
        """The sentences: built from three files, or read from a published corpus."""
        published = settings.variant == PUBLISHED
        corpus = load_corpus(settings.data, settings.data_dir, as_published=published)
        table, notices = corpus.table, corpus.notices
        if settings.variant == CORRECTED:
            table = _with_right_articles(table)
        if "problem" in table and table["problem"].any():
            notices += (_TREATMENT[settings.variant],)
        if (table["language"] == GERMAN).any():
            notices += (_AGREEMENT,)
        return ItemSet(table, corpus.files, notices)

    def questions(self, items: pd.DataFrame, settings: Settings) -> list[Question]:
        """Two per item: the person beside the profession, and with the profession masked too."""
        if settings.variant == PUBLISHED:
            raise UserError(
                f"The variant {PUBLISHED!r} asks in token ids and has to know the tokenizer.",
                "Ask with `questions_for` and a model.",
            )
        asked: list[Question] = []
        for one in sentences_of(items):
            words = (one.text[slice(*one.target)],)
            masked, hidden = one.target_masked, (one.attribute_beside_blank,)
            asked.append(Fill(masked, words, unknown_as_nan=True))
            if settings.variant == CORRECTED:
                asked.append(Fill(masked, words, hidden=hidden, unknown_as_nan=True))
            else:
                asked.append(Fill(one.both_masked, words, blank=one.target_number, unknown_as_nan=True))
        return asked

    def questions_for(self, model: Any, items: pd.DataFrame, settings: Settings) -> list[Question]:
        """The same; for `as-published` in rows of ids that are padded, cut off and masked as the code did."""
        if settings.variant != PUBLISHED:
            return self.questions(items, settings)
        if not model.can_answer(Raw) or model.tokens.mask_id is None:
            raise UserError(
                f"{model.name!r} cannot run rows of ids with masks, which the variant {PUBLISHED!r} needs.",
                f"Use the variant {CORRECTED!r}, or a masked model.",
            )
        return list(_raw_questions(model.tokens, _as_published(items)))

    def scored(self, items: pd.DataFrame, answers: Sequence[WordScores], settings: Settings) -> pd.DataFrame:
        """The association of every item: log P beside the profession less log P without it."""
        found = np.array([one.logprobs[0] for one in answers])
        beside, prior = found[::2], found[1::2]
        scored = items.assign(
            log_p=beside,
            log_prior=prior,
            score=beside - prior,
            pieces=[one.pieces[0] for one in answers[::2]],
            dropped=np.where(np.isnan(beside - prior), "the tokenizer does not know the person word", ""),
        )
        return _oriented(scored)

    def estimates(self, items: pd.DataFrame, settings: Settings) -> list[Estimate]:
        """Means by group and gender, gaps and their tests, and the correlation with the workforce."""
        pairs, seed = paired(items), settings.seed
        turned = items[_signs(items).notna()]
        found = [_by_attribute(Label("oriented association", unit=NATS), turned["oriented"], turned, seed)]
        found += _means("association", items, seed)
        if settings.variant == PUBLISHED and "problem" in items and items["problem"].any():
            found += _means("association, sound sentences", items[items["problem"] == ""], seed)
        found.append(_by_attribute(Label("gap", unit=NATS), pairs["gap"], pairs, seed))
        for group in items["group"].unique():
            rows = pairs[pairs["group"] == group]
            found.append(_by_attribute(Label("gap", group, unit=NATS), rows["gap"], rows, seed))
            per_attribute = rows.groupby("attribute", as_index=False, sort=False)["gap"].mean()
            found += _wilcoxon_estimates("wilcoxon", group, rows, seed)
            found += _wilcoxon_estimates("wilcoxon per profession", group, per_attribute, seed)
        found += _correlations(pairs)
        for attribute, rows in pairs.groupby("attribute", sort=False):
            label = Label("gap", f"profession:{attribute}", unit=NATS)
            found.append(mean_estimate(label, rows["gap"], rows["template"], seed=seed))
        return found

    def answers(self, result: Result) -> list[str]:
        """What the result says to the hypotheses, in words."""
        return hypotheses(result)


def paired(items: pd.DataFrame) -> pd.DataFrame:
    """Person words of the first two poles side by side: same template, pair and profession."""
    keys = ["group", "template", "pair", "attribute"]
    first, second = (items[items["gender"] == pole] for pole in items["gender"].unique()[:2])
    pairs = first[[*keys, "percent_women", "score"]].merge(
        second[[*keys, "score"]], on=keys, how="outer", suffixes=("_first", "_second"), validate="one_to_one"
    )
    return pairs.assign(gap=pairs["score_first"] - pairs["score_second"])


def changes(before: Result, after: Result) -> pd.DataFrame:
    """The estimates of the change in association (after - before): what the paper's Table 4 tests."""
    earlier = before.items.set_index("item")["score"]
    items = after.items.assign(score=after.items["score"] - after.items["item"].map(earlier))
    return estimates_table(Association().estimates(_oriented(items), Settings(variant=CORRECTED)))


def hypotheses(result: Result, after: Result | None = None) -> list[str]:
    """H1-H3 of the paper answered in words; with a later result also whether they changed as expected."""
    poles, groups = (list(result.items[name].unique()) for name in ("gender", "group"))
    typical = [(group, group) for group in groups if group in poles]
    atypical = [(group, pole) for group, _ in typical for pole in poles if pole != group]
    other = [group for group in groups if group not in poles]
    if not typical:
        return ["H1 to H3 are not answered: no group of these data is named after a group of persons."]
    now = result.estimates
    found = [
        _answer("H1", "typical pairings are positive", _cells(now, typical), _is_above),
        _answer("H2", "anti-typical pairings are negative", _cells(now, atypical), _is_below),
        _answer("H3", "balanced professions make no difference", _cells(now, other, "gap"), _is_none),
    ]
    if after is not None:
        moved = changes(result, after)
        balanced = [(group, pole) for group in other for pole in poles]
        found += [
            _answer("H1", "typical pairings fall afterwards", _cells(moved, typical), _is_below),
            _answer("H2", "anti-typical pairings rise afterwards", _cells(moved, atypical), _is_above),
            _answer("H3", "balanced professions stay as they were", _cells(moved, balanced), _is_none),
        ]
    is_german = (result.items["language"] == GERMAN).any()
    return [f"{_AGREEMENT}.", *found] if is_german else found


def _with_right_articles(table: pd.DataFrame) -> pd.DataFrame:
    """English sentences with a and an put right; built ones are right already."""
    if (table["language"] != ENGLISH).any():
        return table
    cells = [spans_as_columns(with_right_articles(one)) for one in sentences_of(table)]
    return table.assign(**pd.DataFrame(cells, index=table.index))


def _as_published(items: pd.DataFrame) -> pd.DataFrame:
    """The sentences with masks as the published file has them, or as its code would make them."""
    if "sent_tm" in items:
        return items[["text", "sent_tm", "sent_tam"]]
    sentences = sentences_of(items)
    for one in sentences:
        if one.attribute < one.target:
            raise UserError(
                f"The variant {PUBLISHED!r} reads the first mask, which is not the person in {one.text!r}.",
                f"Put the person first, or use the variant {CORRECTED!r}.",
            )
    return pd.DataFrame(
        {
            "text": items["text"],
            "sent_tm": [one.target_masked for one in sentences],
            "sent_tam": [one.both_masked for one in sentences],
        }
    )


def _raw_questions(tokens: Tokens, rows: pd.DataFrame) -> Iterator[Raw]:
    """Rows padded with masks, which are attended to, or cut off, at a power of two of whitespace words."""
    mask, mask_id = str(tokens.mask_token), int(tokens.mask_id or 0)
    longest = max(len(text.split()) for text in rows["sent_tm"])
    width = 2 ** math.ceil(math.log2(longest))
    for text, *masked in rows.itertuples(index=False):
        whole = tokens.encode(text).ids
        beside, prior = (tokens.encode(one.replace(BLANK, mask)).ids for one in masked)
        position = prior.index(mask_id)
        if whole[position] == tokens.unknown_id:
            raise refuse_unknown(text.split()[0], text, tokens.name)
        for ids in (beside, prior):
            row = (*ids, *(mask_id,) * width)[:width]
            yield Raw(row, position, (whole[position],))


def _oriented(items: pd.DataFrame) -> pd.DataFrame:
    """The score turned to the stereotype: what models are compared by."""
    return items.assign(oriented=_signs(items) * items["score"])


def _signs(items: pd.DataFrame) -> pd.Series:
    """Plus where person and group agree, minus where they do not, NaN for groups of no gender."""
    poles = list(items["gender"].unique())
    if not set(poles) & set(items["group"]):
        return items["gender"].map({poles[0]: 1.0, poles[1]: -1.0})
    agree = np.where(items["group"] == items["gender"], 1.0, -1.0)
    return pd.Series(agree, index=items.index).where(items["group"].isin(poles))


def _means(name: str, items: pd.DataFrame, seed: int) -> list[Estimate]:
    """The mean association of each gender of persons with each group of professions."""
    return [
        _by_attribute(Label(name, f"{group} x {gender}", unit=NATS), rows["score"], rows, seed)
        for (group, gender), rows in items.groupby(["group", "gender"], sort=False)
    ]


def _by_attribute(label: Label, values: pd.Series, rows: pd.DataFrame, seed: int) -> Estimate:
    return mean_estimate(label, values, rows["attribute"], seed=seed)


def _wilcoxon_estimates(name: str, group: str, rows: pd.DataFrame, seed: int) -> list[Estimate]:
    """Wilcoxon's test of the gaps; W as published counts the ranks of the second pole (female - male)."""
    gaps = rows["gap"].to_numpy(dtype=float)
    test = wilcoxon(gaps, np.zeros_like(gaps))
    all_ranks = test.n * (test.n + 1) / 2
    unanswered = int(np.isnan(gaps).sum())
    numbers = {
        "W": test.w_plus,
        "W as published": all_ranks - test.w_plus,
        "Z": test.z,
        "r as published": test.r_published,
        "p": test.p,
    }
    nothing = float("nan")
    found = [
        Estimate(f"{name} {key}", group, value, nothing, nothing, n=test.n, dropped=unanswered, better="none")
        for key, value in numbers.items()
    ]
    low, high = _interval_of_r(test, rows[~np.isnan(gaps)], seed)
    return [*found, Estimate(f"{name} r", group, test.r, low, high, n=test.n, dropped=unanswered)]


def _interval_of_r(test: WilcoxonTest, rows: pd.DataFrame, seed: int) -> tuple[float, float]:
    """By resampling professions; r is the rank-biserial correlation times a number that hangs on n alone."""
    gaps = rows["gap"].to_numpy(dtype=float)
    effect = rank_biserial(gaps, np.zeros_like(gaps))
    if not test.n or not effect:
        return float("nan"), float("nan")
    ends = cluster_bootstrap_of(
        lambda picked: rank_biserial(gaps[picked], np.zeros(len(picked))),
        rows["attribute"],
        draws=DRAWS,
        seed=seed,
    )
    return ends.low * test.r / effect, ends.high * test.r / effect


def _correlations(pairs: pd.DataFrame) -> list[Estimate]:
    """The gap of each profession against the share of women who work in it, where that is known."""
    by_attribute = pairs.groupby("attribute")[["gap", "percent_women"]].mean()
    if by_attribute["percent_women"].isna().all():
        return []
    found = {
        "correlation with share of women": pearson(by_attribute["gap"], by_attribute["percent_women"]),
        "rank correlation with share of women": spearman(by_attribute["gap"], by_attribute["percent_women"]),
    }
    return [_as_estimate(name, one, len(by_attribute)) for name, one in found.items()]


def _as_estimate(name: str, found: Correlation, asked: int) -> Estimate:
    low, high = found.interval
    return Estimate(name, ALL, found.value, low, high, n=found.n, dropped=asked - found.n, unit="correlation")


Cell = tuple[str, float, float, float]
Judge = Callable[[float, float], bool | None]


def _cells(estimates: pd.DataFrame, keys: Sequence[Any], name: str = "association") -> list[Cell]:
    """What stands in the table for groups, or for groups and genders: its label, value and interval."""
    chosen = [key if isinstance(key, str) else " x ".join(key) for key in keys]
    rows = estimates[(estimates["name"] == name) & estimates["group"].isin(chosen)]
    return [(row.group, row.value, row.low, row.high) for row in rows.itertuples()]


def _is_above(low: float, high: float) -> bool | None:
    """Whether an interval lies above zero (True), below or as good as at zero (False), or is open (None)."""
    if high < 0 or _is_none(low, high):
        return False
    return True if low > 0 else None


def _is_below(low: float, high: float) -> bool | None:
    return _is_above(-high, -low)


def _is_none(low: float, high: float) -> bool | None:
    """Whether an interval lies within the margin (True), apart from zero (False), or is open (None)."""
    if low > -MARGIN and high < MARGIN:
        return True
    return False if low > 0 or high < 0 else None


def _answer(name: str, claim: str, cells: Sequence[Cell], judge: Judge) -> str:
    """One hypothesis: what is claimed, what is to be said of it, and the numbers."""
    judged = [judge(low, high) for _, _, low, high in cells]
    if not cells:
        word = "not asked, the data have no such professions"
    elif all(judged):
        word = "holds"
    else:
        word = "does not hold" if False in judged else "open"
    numbers = "; ".join(f"{group} {value:.2f} [{low:.2f}, {high:.2f}]" for group, value, low, high in cells)
    return f"{name} ({claim}): {word}. {numbers}".strip()
