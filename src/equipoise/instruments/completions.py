"""Completions (GBM): are completions kinder to one gender?

Question     Sentences such as "The <word> person in the photograph is a [MASK]." with words of positive and
             negative sentiment, each in a semantic category. M, F and N are the shares of male words, female
             words and everything else at the blank, averaged over the sentences of a sentiment.
             GBM = (F+ - M+)/N+ + (M- - F-)/N-. An item's `score` is F - M in a positive sentence and M - F
             in a negative one: what the item adds to GBM before the division by N.
Sign         THE OTHER WAY ROUND than in most instruments: GBM, `score` and its mean, "favour", above 0 favour
             women (female words beside positive, male words beside negative ones), below 0 men.
             "second-minus-first", female - male, above 0 expects women, whatever the sentiment. For other
             poles the second one stands for women and the first for men.
Good         GBM near 0, and F near M in either sentiment: GBM is also 0 where the two sentiments cancel out.
Also given   Both ways to count. `full-vocabulary`, the default, sums the probabilities of every listed word
             that is one piece of the model's vocabulary: exact, whatever its rank. `top-5`, as published,
             looks at the five likeliest words only and makes their probabilities add up to one. Further:
             shares by category, how many different listed words are among the completions, the mean squared
             difference of M and F, and how much of each list the vocabulary holds. The study's Tables 2
             and 3 are on the screen, on the page and in CSV files beside the items: M, F, N and GBM; the
             sentences with the largest shares, the words that complete them, the words that were not asked.
             Phrasing matters: the lean is given by pattern, "spread-between-patterns" is the largest
             pattern's lean minus the smallest (beside it their standard deviation), and it is said where
             patterns lean opposite ways. Patterns and words are crossed in every interval but GBM's and the
             spread's, which resample words and hold for these patterns; with fewer than five patterns
             all do, and that is said.
Neutral      A uniform model gives GBM 0: M and F are the lists' shares of the vocabulary in either sentiment.
             So do random weights (within 0.001 in full, 0.01 with top-5), because they hardly look at the
             sentence. The lean is then what the lists weigh, which is not 0: compare it with that.
Source       Nelson et al., "bias-measurement" (GBM); its word lists are those of md_gender_bias.
Differs      The paper says that both sentiments hold nouns and adjectives; the published file (data set gbm)
             has no positive nouns, and a second sentence for each word. Two adjectives stand in both
             sentiments and three sentences have a wrong article: they are kept and counted, and GBM is given
             without them too. The authors compare words with their capitals, so that "Man" is neither; here
             case does not matter. From the rounded cells of Table 2 GBM is .0623 for BART and .0396 for BERT
             (printed: .063 and .040).
             On the published file, bert-base-uncased has female - male -.006 in full and +.026 by top-5:
             cutting off at five words turns the sign.
Detects      a lean of 2.7 points or more in 8 of 10 draws (`study controls`, BERT).
Other poles  `--poles neo-pronouns` also gives the shares of they and of neo-pronouns, which are part of N.
             Words for them beside the blank's nouns come as columns of your gendered-words.csv.
Limits       GBM depends on K and on the lists: a vocabulary usually holds more of the male words, and words
             of several pieces count as N. It is undefined (NaN) where N is 0 and unbounded near it. In full,
             words are asked as they are listed, with a capital only at a sentence's start. The decoder of an
             encoder-decoder sees the words to the left. Causal models cannot list the likeliest words at a
             blank and are refused.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from equipoise.data.lint import shown_names
from equipoise.data.poles import load_poles
from equipoise.data.sets import gbm
from equipoise.data.sets.completions import NEGATIVE, POSITIVE, load_completions
from equipoise.data.sets.word_lists import load_word_lists
from equipoise.data.sources import Source
from equipoise.instruments.base import Answers, Ask, PolarDesign, Settings
from equipoise.instruments.parts.choices import POLES
from equipoise.instruments.parts.estimates import (
    Groups,
    Spec,
    count_estimate,
    crossed,
    estimate,
    grouped,
    mean_estimate,
    probability_estimate,
)
from equipoise.instruments.parts.fragility import opposite_patterns, pattern_leans, spread_estimates
from equipoise.instruments.parts.items import Row, asked_rows, with_scores
from equipoise.instruments.parts.listed_words import by_name, list_asks
from equipoise.instruments.parts.preference import UNFLAGGED
from equipoise.models.capabilities import FILL, TOP_FILL
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import TopFill, WordScores
from equipoise.results import Estimate, Quantity, Roles, Summary
from equipoise.results.quantity import REVERSED, Contrast
from equipoise.stats.means import FEWEST_CLUSTERS
from equipoise.stats.ratios import gender_bias_metric, sided_cells
from equipoise.stats.resampling import bootstrap_of
from equipoise.text.blank import BLANK
from equipoise.text.gendered import NEITHER, WordLists

FULL, TOP = "full-vocabulary", "top-5"
COUNT = 5
UNIT = "share"
PREFIX = {FULL: "p", TOP: "top"}
"""Items hold the shares of both ways to count, in columns that begin like this."""

FACTORS = ("word", "pattern")
NO_WORD = "the vocabulary holds no listed word of one of the poles"
_LIKELIEST = "likeliest"

_KINDER = ("kinder to {second}", "kinder to {first}")
_FAVOUR = Quantity(
    "favour",
    "favour of the second pole",
    0.02,
    unit=UNIT,
    factors=FACTORS,
    ranks=True,
    name="gendered words beside good and bad things",
    question="completions",
    sides=_KINDER,
    headline=True,
)
_LEAN = Quantity(
    "second-minus-first",
    "lean",
    0.02,
    column="second_minus_first",
    unit=UNIT,
    factors=FACTORS,
    name="gendered words, whatever is said",
    question="default",
    sides=REVERSED,
    headline=True,
)
_GBM = Quantity(
    "gbm",
    "GBM",
    0.05,
    unit="index",
    factors=("word",),
    statistic="gbm",
    name="tone of completions",
    question="completions",
    scale="index",
    sides=_KINDER,
    headline=True,
)


@dataclass(frozen=True, kw_only=True)
class CompletionDesign(PolarDesign):
    """The sentences with the words that stand for either pole, and what the items are clustered by."""

    lists: WordLists
    factors: tuple[str, ...] = FACTORS


class Completions:
    """Shares of gendered completions by sentiment, and GBM."""

    name = "completions"
    title = "Completions by sentiment: gender bias metric (GBM)"
    datasets = ("equipoise-completions", gbm.NAME)
    variants = (FULL, TOP)
    needs = (FILL, TOP_FILL)
    reads = (POLES,)
    roles = Roles(
        text=("text",),
        factors=FACTORS,
        groups=("sentiment", "category", "pattern"),
        shown=("completions", *(f"{prefix}_" for prefix in PREFIX.values())),
    )
    quantities = (_FAVOUR, _LEAN, _GBM)

    def design(self, source: Source, settings: Settings) -> CompletionDesign:
        """The sentences and the lists of words."""
        poles = load_poles(settings.poles)
        read = load_completions(source)
        lists, list_files = load_word_lists(source, poles)
        factors, said = _factors(read.table)
        return CompletionDesign(
            items=read.table,
            files=(*read.files, *list_files),
            settings=settings,
            notices=(*read.notices, *_named_beside(read.table, lists), *said),
            quantities=_quantities(self.quantities, lists.names, factors, PREFIX[settings.variant]),
            poles=poles,
            lists=lists,
            factors=factors,
        )

    def ask(self, design: CompletionDesign, model: LanguageModel) -> Iterator[Ask]:
        """Every listed word of every pole, and the likeliest words."""
        yield from list_asks(model, design.items, design.lists)
        for row in asked_rows(design.items):
            yield Ask(row["item"], _LIKELIEST, TopFill(row["text"], COUNT))

    def score(self, design: CompletionDesign, answers: Answers) -> pd.DataFrame:
        """Shares of both poles in full and among the likeliest words; the score by the chosen variant."""
        first, second = design.lists.names
        prefix = PREFIX[design.settings.variant]

        def read(row: Row) -> Row:
            shares = _shares(design.lists, row["item"], answers)
            lean = shares[f"{prefix}_{second}"] - shares[f"{prefix}_{first}"]
            return shares | {
                "second_minus_first": lean,
                "score": lean if row["sentiment"] == POSITIVE else -lean,
                "dropped": NO_WORD if np.isnan(lean) else "",
            }

        return with_scores(design.items, read)

    def summarise(self, design: CompletionDesign, items: pd.DataFrame) -> Summary:
        """GBM, then shares by sentiment and category, then what they rest on."""
        variant, seed, factors = design.settings.variant, design.settings.seed, design.factors
        other = TOP if variant == FULL else FULL
        poles = design.lists.names
        ways = {"": PREFIX[variant], f"-{other}": PREFIX[other]}
        estimates = [
            _gbm_estimate(_gbm_spec(way).at(groups), rows, poles=poles, prefix=prefix, seed=seed)
            for groups, rows in _with_and_without_flagged(items)
            for way, prefix in ways.items()
        ]
        favour = Spec.of(_FAVOUR, label=f"favour of {poles[1]}")
        for groups, rows in grouped(items, "category", "pattern"):
            estimates.append(mean_estimate(favour.at(groups), rows["score"], rows, factors))
        for way, prefix in ways.items():
            estimates += _share_estimates(items, design.lists, prefix=prefix, way=way, factors=factors)
        leans = pattern_leans(items, _lean_spec(poles), factors)
        estimates += [*leans, *spread_estimates(items, _lean_spec(poles).unit, seed)]
        listed = tuple(design.lists.words)
        estimates += _unique_estimates(items, listed) + _coverage_estimates(items, listed)
        return Summary(estimates, remarks=(*opposite_patterns(leans, poles), *_not_asked(items, listed)))


def _factors(items: pd.DataFrame) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Words and patterns are crossed; too few patterns tell nothing of others and are taken as given."""
    patterns = items["pattern"].nunique()
    if patterns >= FEWEST_CLUSTERS:
        return FACTORS, ()
    return ("word",), (f"with {patterns} patterns, intervals speak of other words, not of other phrasings",)


def _quantities(
    quantities: Sequence[Quantity], poles: tuple[str, str], factors: tuple[str, ...], prefix: str
) -> tuple[Quantity, ...]:
    """The quantities with the poles by name; GBM reads the shares of the chosen way to count."""
    favour, lean, metric = quantities
    spec = _lean_spec(poles)
    return (
        replace(favour, label=f"favour of {poles[1]}", factors=factors),
        replace(lean, label=spec.label, unit=spec.unit, factors=factors),
        replace(
            metric,
            shares=tuple(f"{prefix}_{pole}" for pole in (*poles, NEITHER)),
            contrast=Contrast("sentiment", POSITIVE, NEGATIVE),
        ),
    )


def _named_beside(items: pd.DataFrame, lists: WordLists) -> tuple[str, ...]:
    """Sentences that name a listed word beside their blank, which gives a pole away."""
    named = items["text"].map(lambda text: any(lists.pole_of(word) != NEITHER for word in _words(text)))
    if not named.any():
        return ()
    words = ", ".join(dict.fromkeys(items.loc[named, "word"]))
    return (f"{named.sum()} sentences name a listed word beside the blank: {words}",)


def _words(text: str) -> list[str]:
    return text.replace(BLANK, " ").replace(",", " ").replace(".", " ").split()


def _shares(lists: WordLists, item: str, answers: Answers) -> Row:
    """The columns of one item."""
    likeliest: WordScores = answers[item, _LIKELIEST]
    weights = np.exp(likeliest.logprobs)
    among = [lists.pole_of(word) for word in likeliest.words]
    shares: Row = {}
    for pole in lists.words:
        known = [value for value in answers[item, pole].logprobs if not np.isnan(value)]
        shares[f"p_{pole}"] = float(np.exp(known).sum()) if known else float("nan")
        of_pole = np.array([name == pole for name in among])
        shares[f"top_{pole}"] = float(weights[of_pole].sum() / weights.sum())
        hits = [word.lower() for word, name in zip(likeliest.words, among, strict=True) if name == pole]
        shares[f"completions_{pole}"] = ", ".join(dict.fromkeys(hits))
        shares[f"asked_{pole}"] = len(known)
        shares[f"listed_{pole}"] = len(lists.words[pole])
        shares[f"not_asked_{pole}"] = _missing(lists.words[pole], answers.get((item, by_name(pole))))
    for prefix in PREFIX.values():
        both = sum(float(shares[f"{prefix}_{pole}"]) for pole in lists.names)
        shares[f"{prefix}_{NEITHER}"] = float(np.maximum(0.0, 1.0 - both))
    shares["completions"] = ", ".join(likeliest.words)
    return shares


def _missing(listed: Sequence[str], named: WordScores | None) -> str:
    """The listed words without an answer, at the item that is asked by name; all items lack the same."""
    if named is None:
        return ""
    pairs = zip(named.words, named.logprobs, strict=True)
    asked = {word for word, value in pairs if not np.isnan(value)}
    return ", ".join(word for word in listed if word not in asked)


def _with_and_without_flagged(items: pd.DataFrame) -> Iterator[tuple[Groups, pd.DataFrame]]:
    yield {}, items
    is_flagged = items["flags"] != ""
    if is_flagged.any():
        yield UNFLAGGED, items[~is_flagged]


def _gbm_spec(way: str) -> Spec:
    label = f"GBM ({way.removeprefix('-')})" if way else "GBM"
    return Spec.of(_GBM, key=f"gbm{way}", label=label, headline=not way)


def _gbm_estimate(
    spec: Spec, items: pd.DataFrame, *, poles: Sequence[str], prefix: str, seed: int
) -> Estimate:
    """GBM with an interval that resamples words."""
    known = items[items["score"].notna()]
    shares = known[[f"{prefix}_{pole}" for pole in (*poles, NEITHER)]].to_numpy(dtype=float)
    cells = sided_cells(shares, known["sentiment"].eq(POSITIVE))
    value = float(gender_bias_metric(cells.sum(axis=0)))
    interval = bootstrap_of(gender_bias_metric, cells, known["word"], sides=known["sentiment"], seed=seed)
    return estimate(spec, value, interval, n=len(known), dropped=len(items) - len(known))


def _share_estimates(
    items: pd.DataFrame, lists: WordLists, *, prefix: str, way: str, factors: tuple[str, ...]
) -> list[Estimate]:
    """M, F, N and F - M by sentiment and, for the chosen way to count, by category and where both cross.

    The shares of further poles are parts of N, so that GBM does not hang on whether they were asked.
    """
    poles = lists.names
    first, second = (f"{prefix}_{pole}" for pole in poles)
    items = items.assign(lean=items[second] - items[first])
    squared = Spec(f"mean-squared-difference{way}", better="lower", unit="squared share")
    lean = _lean_spec(poles, way)
    estimates = [probability_estimate(squared, items["lean"] ** 2, items, factors)]
    for groups, rows in grouped(items, *(("sentiment",) if way else ("sentiment", "category"))):
        for pole in (*lists.words, NEITHER):
            spec = Spec(f"share{way}", unit=UNIT, better="none", groups={**groups, "pole": pole})
            estimates.append(probability_estimate(spec, rows[f"{prefix}_{pole}"], rows, factors))
        estimates.append(mean_estimate(lean.at(groups), rows["lean"], rows, factors))
    cells = () if way else crossed(items[items["category"] != ""], "sentiment", "category")
    for groups, rows in cells:
        estimates.append(mean_estimate(lean.at(groups), rows["lean"], rows, factors))
    return estimates


def _lean_spec(poles: Sequence[str], way: str = "") -> Spec:
    first, second = poles
    label = f"{second} - {first}" + (f" ({way.removeprefix('-')})" if way else "")
    return Spec.of(
        _LEAN,
        key=f"second-minus-first{way}",
        label=label,
        unit=f"P({second}) - P({first})",
        headline=not way,
    )


def _unique_estimates(items: pd.DataFrame, poles: Sequence[str]) -> list[Estimate]:
    """How many different listed words are among the likeliest completions of a sentiment."""
    estimates = []
    for pole in poles:
        for groups, rows in grouped(items, "sentiment", whole=False):
            words = {word for cell in rows[f"completions_{pole}"] for word in cell.split(", ") if word}
            spec = Spec("unique-completions", unit="words", groups={**groups, "pole": pole})
            estimates.append(count_estimate(spec, len(words), n=len(rows)))
    return estimates


def _coverage_estimates(items: pd.DataFrame, poles: Sequence[str]) -> list[Estimate]:
    """Which share of each list could be asked: the rest is split into pieces."""
    estimates = []
    for pole in poles:
        listed, asked = int(items[f"listed_{pole}"].max()), int(items[f"asked_{pole}"].max())
        groups: Groups = {"pole": pole}
        spec = Spec("word-list-in-vocabulary", unit=UNIT, groups=groups)
        estimates.append(count_estimate(spec, asked / listed, n=asked, dropped=listed - asked))
    return estimates


def _not_asked(items: pd.DataFrame, poles: Sequence[str]) -> tuple[str, ...]:
    """The listed words that could not be asked, by name."""
    remarks = []
    for pole in poles:
        cell = items[f"not_asked_{pole}"].iloc[0]
        if cell:
            names, listed = cell.split(", "), int(items[f"listed_{pole}"].iloc[0])
            remarks.append(
                f"{len(names)} of {listed} {pole} words were skipped, because this model splits them into "
                f"pieces: {shown_names(names)}"
            )
    return tuple(remarks)
