"""What WEAT, SEAT and C-SEAT share: how near two sets of targets are to two of attributes.

Effect sizes have intervals over words, and p from a permutation test."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from equipoise.data.sets.association_tests import (
    ATTRIBUTES,
    OWN,
    PUBLISHED,
    TARGETS,
    load_association_tests,
)
from equipoise.data.sources import Source
from equipoise.instruments.base import ALL, Answers, Ask, Design, Settings
from equipoise.instruments.parts.choices import CHOSEN_LAYER, MEASURE, POOLING
from equipoise.instruments.parts.embedding import Stimulus, asked_vectors, vectors_by_layer
from equipoise.instruments.parts.estimates import (
    Groups,
    Spec,
    contrast_estimate,
    count_estimate,
    estimate,
    grouped,
)
from equipoise.models.capabilities import EMBED
from equipoise.models.protocol import LanguageModel
from equipoise.results import Estimate, Quantity, Roles, Summary
from equipoise.results.quantity import STEREOTYPED, Contrast
from equipoise.results.records import fixed
from equipoise.stats.association import (
    MEASURES,
    effect_size,
    effect_size_draws,
    interval_of_draws,
    nearness,
    whitening_of,
)
from equipoise.stats.clusters import Floats, cluster_codes
from equipoise.stats.permutation import PermutationTest, two_sample_permutation

KEY, UNIT = "effect-size", "d"
FACTORS = ("cluster",)
LAYER = "layer_"
"""What a column with the association at a layer begins with."""

PERMUTATIONS = 100_000
MARGIN = 0.2
"""Below this Cohen calls an effect small."""

_LABEL = "effect size"
OVERALL = Quantity(
    KEY,
    f"{_LABEL}, mean of the tests",
    MARGIN,
    column="standardised",
    unit=UNIT,
    factors=FACTORS,
    contrast=Contrast("side", *TARGETS),
    ranks=True,
    name="stereotyped association of words",
    question="traits",
    scale="effect",
    sides=STEREOTYPED,
    headline=True,
)
_EFFECT = Spec.of(OVERALL, label=_LABEL)


def quantity_of(test: str) -> Quantity:
    """What models are compared by in one test."""
    return replace(OVERALL, label=f"{_LABEL}, {test}", where={"test": test}, ranks=False)


def summarised(
    items: pd.DataFrame, attributes: Mapping[str, tuple[str, ...]], settings: Settings, *, ddof: int
) -> Summary:
    """The effect size of all tests and of each, its p, by measure and by layer; and a sentence a test."""
    estimates, sentences = _overall(items, ddof), []
    for groups, rows in grouped(items[items["dropped"] == ""], "test", whole=False):
        whole = items[items["test"] == groups["test"]]
        effect = _effect(_EFFECT.at(groups), whole, "score", ddof=ddof, seed=settings.seed)
        test = _permuted(rows, settings.seed)
        estimates += [effect, *_of_test(groups, whole, test, settings.vectors.measure)]
        estimates += [
            _effect(_EFFECT.at({**groups, "measure": measure}), whole, measure, ddof=ddof, seed=settings.seed)
            for measure in MEASURES
        ]
        sentences.append(_sentence(effect, test, rows, attributes[groups["test"]]))
    if settings.vectors.layer == ALL:
        estimates += _by_layer(items, ddof, settings.seed)
    return Summary(estimates, remarks=_missing(items), sentences=tuple(sentences))


def _overall(items: pd.DataFrame, ddof: int) -> list[Estimate]:
    """The mean of the tests' effect sizes, with and without their signs."""
    is_first = items["side"] == TARGETS[0]
    mean = contrast_estimate(
        replace(_EFFECT, label=OVERALL.label), items["standardised"], is_first, rows=items, factors=FACTORS
    )
    sizes = [
        effect_size(*_sides(rows, "score"), ddof=ddof)
        for _, rows in grouped(items[items["dropped"] == ""], "test", whole=False)
    ]
    absolute = Spec(f"mean-absolute-{KEY}", f"{_LABEL} without its sign, mean of the tests", UNIT)
    return [mean, count_estimate(absolute, float(np.nanmean(np.abs(sizes))), n=len(sizes))]


def _of_test(groups: Groups, rows: pd.DataFrame, test: PermutationTest, measure: str) -> list[Estimate]:
    """The difference in units of the measure, and how often a permutation gives one as large."""
    difference = Spec("difference", "difference of mean associations", measure, groups=groups)
    how = f"{'all' if test.exact else 'random'} {test.assignments:,} permutations"
    p = Spec("p", f"p, one-sided ({how})", "p", better="none", neutral=np.nan, groups=groups)
    is_first = rows["side"] == TARGETS[0]
    return [
        contrast_estimate(difference, rows["score"], is_first, rows=rows, factors=FACTORS),
        estimate(p, test.p, test.interval, n=test.n),
    ]


def _effect(spec: Spec, rows: pd.DataFrame, column: str, *, ddof: int, seed: int) -> Estimate:
    """The effect size of some rows by a column, with an interval over the words of each side."""
    known = rows[rows[column].notna()]
    values, is_first = _sides(known, column)
    if not 0 < is_first.sum() < len(is_first):
        return estimate(spec, np.nan, (np.nan, np.nan), n=len(known), dropped=len(rows) - len(known))
    codes = cluster_codes(known["cluster"], len(known))
    draws = effect_size_draws(values, is_first, codes, ddof=ddof, seed=seed)
    fewest = min(len(np.unique(codes[is_first])), len(np.unique(codes[~is_first])))
    return estimate(
        spec,
        effect_size(values, is_first, ddof=ddof),
        interval_of_draws(draws, fewest),
        n=len(known),
        dropped=len(rows) - len(known),
    )


def _by_layer(items: pd.DataFrame, ddof: int, seed: int) -> list[Estimate]:
    """The effect size of every test at every layer."""
    return [
        _effect(
            _EFFECT.at({**groups, "layer": column.removeprefix(LAYER)}), rows, column, ddof=ddof, seed=seed
        )
        for groups, rows in grouped(items, "test", whole=False)
        for column in items
        if column.startswith(LAYER)
    ]


def _permuted(rows: pd.DataFrame, seed: int) -> PermutationTest:
    """Return p by permuting whole words: the sentences of one word stay together."""
    means = rows.groupby(["side", "cluster"], sort=False)["score"].mean()
    first, second = (means.loc[side].to_numpy() if side in means.index else np.empty(0) for side in TARGETS)
    return two_sample_permutation(first, second, alternative="greater", draws=PERMUTATIONS, seed=seed)


def _sides(rows: pd.DataFrame, column: str) -> tuple[np.ndarray, np.ndarray]:
    return rows[column].to_numpy(dtype=float), (rows["side"] == TARGETS[0]).to_numpy()


def _sentence(effect: Estimate, test: PermutationTest, rows: pd.DataFrame, sets: tuple[str, ...]) -> str:
    """What a test says in words."""
    first, second = (rows.loc[rows["side"] == side, "set"].iloc[0] for side in TARGETS)
    if not effect.low <= 0 <= effect.high and not np.isnan(effect.low):
        nearer = sets if effect.value > 0 else sets[::-1]
        claim = f"nearer to {nearer[0]} are {first}, nearer to {nearer[1]} are {second}"
    else:
        claim = (
            f"no difference is certain between {first} and {second} in how near {sets[0]} and {sets[1]} are"
        )
    return f"{effect.groups['test']}: {claim} (d = {fixed(effect.value, 2)}, p = {test.p:.2g})."


def _missing(items: pd.DataFrame) -> tuple[str, ...]:
    """Every reason for which targets were left out, with the words."""
    left = items[items["dropped"] != ""]
    return tuple(
        f"{len(rows)} targets left out, {reason}: {', '.join(rows['cluster'].unique()[:10])}"
        for reason, rows in left.groupby("dropped", sort=False)
    )


FEWEST_WORDS = 2
NO_VECTOR = "the model has no vector for it"
NO_WORD = "the word that the sentence is about is not known"


class VariantRule(NamedTuple):
    """How a variant works: its standard deviation, whether a word's sentences count as one, its pooling."""

    ddof: int
    by_word: bool
    pooling: str = ""


@dataclass(frozen=True, kw_only=True)
class AssociationDesign(Design):
    """The targets as items, the attributes, and the texts or words that are asked of both."""

    attributes: pd.DataFrame
    stimuli: Mapping[str, Stimulus]


class AssociationInstrument:
    """Nearness of two sets of targets to two sets of attributes; subclasses say what is embedded."""

    name: str
    title: str
    rules: Mapping[str, VariantRule]
    sentences = False
    of_word = False
    datasets = (OWN, PUBLISHED)
    needs = (EMBED,)
    reads = (CHOSEN_LAYER, POOLING, MEASURE)
    scored_jointly = True
    roles = Roles(text=("text",), factors=FACTORS, groups=("test",))
    quantities = (OVERALL,)

    def design(self, source: Source, settings: Settings) -> AssociationDesign:
        """The words or sentences of every test."""
        read = load_association_tests(source, sentences=self.sentences)
        table = read.table.assign(
            item=[" | ".join(cells) for cells in read.table[["test", "set", "text"]].to_numpy()],
            dropped=[NO_WORD if self.of_word and not word else "" for word in read.table["word"]],
        )
        targets = table[table["role"].isin(TARGETS)].rename(columns={"role": "side"}).reset_index(drop=True)
        tests = list(targets["test"].unique())
        return AssociationDesign(
            items=targets,
            files=read.files,
            settings=settings,
            notices=read.notices,
            quantities=(OVERALL, *(quantity_of(name) for name in tests if len(tests) > 1)),
            attributes=table[table["role"].isin(ATTRIBUTES)].reset_index(drop=True),
            stimuli=self._stimuli(table),
        )

    def ask(self, design: AssociationDesign, model: LanguageModel) -> Iterator[Ask]:
        """The vector of every target and attribute."""
        rule = self.rules[design.settings.variant]
        yield from asked_vectors(
            design.stimuli.values(), model, design.settings.vectors, pooling=rule.pooling
        )

    def score(self, design: AssociationDesign, answers: Answers) -> pd.DataFrame:
        """How much nearer every target is to the first attributes than to the second, by every measure."""
        targets, attributes = design.items, design.attributes
        names = [*targets["item"], *attributes["item"]]
        layers = vectors_by_layer(answers, names)
        top, chosen = list(layers)[-1], design.settings.vectors.measure
        columns = {measure: _associations(design, layers[top], measure) for measure in MEASURES}
        if len(layers) > 1:
            columns |= {
                f"{LAYER}{layer}": _associations(design, vectors, chosen) for layer, vectors in layers.items()
            }
        unknown = np.isnan(layers[top][: len(targets)]).any(axis=1)
        reasons = targets["dropped"].where((targets["dropped"] != "") | ~unknown, [NO_VECTOR] * len(targets))
        small = _too_small(design, layers[top])
        reasons = reasons.where((reasons != "") | ~targets["test"].isin(small), targets["test"].map(small))
        items = targets.assign(score=columns[chosen], **columns, dropped=reasons)
        items.loc[items["dropped"] != "", ["score", *columns]] = np.nan
        return items.assign(standardised=_standardised(items, self.rules[design.settings.variant].ddof))

    def summarise(self, design: AssociationDesign, items: pd.DataFrame) -> Summary:
        """Effect sizes with their p over all tests, of each, by measure and by layer."""
        rule = self.rules[design.settings.variant]
        units = items if rule.by_word else items.assign(cluster=items["item"])
        sets = design.attributes.groupby("test")["set"].unique().map(tuple).to_dict()
        return summarised(units, sets, design.settings, ddof=rule.ddof)

    def _stimuli(self, table: pd.DataFrame) -> dict[str, Stimulus]:
        """What is embedded for each row: its text, or the word in it."""
        stimuli = {}
        for row in table[table["dropped"] == ""].to_dict("records"):
            start = row["text"].find(row["word"])
            span = (start, start + len(row["word"])) if self.of_word else None
            stimuli[row["item"]] = Stimulus(row["item"], row["text"], span)
        return stimuli


def _associations(design: AssociationDesign, vectors: Floats, measure: str) -> Floats:
    """Return, for every target, its mean similarity to the first attributes minus that to the second."""
    targets, attributes = vectors[: len(design.items)], vectors[len(design.items) :]
    known = vectors[~np.isnan(vectors).any(axis=1)]
    whitening = whitening_of(np.unique(known, axis=0)) if measure == "mahalanobis" and len(known) else None
    associations = np.full(len(targets), np.nan)
    for test in design.items["test"].unique():
        of_test = (design.items["test"] == test).to_numpy()
        sides = [
            _known(attributes[((design.attributes["test"] == test) & (design.attributes["role"] == role))])
            for role in ATTRIBUTES
        ]
        if min(map(len, sides)):
            first, second = (
                nearness(targets[of_test], side, measure, whitening=whitening).mean(axis=1) for side in sides
            )
            associations[of_test] = first - second
    return associations


def _known(vectors: Floats) -> Floats:
    known: Floats = vectors[~np.isnan(vectors).any(axis=1)]
    return known


def _too_small(design: AssociationDesign, vectors: Floats) -> dict[str, str]:
    """The tests that lack words on a side, with the reason and the words."""
    every = pd.concat([design.items.rename(columns={"side": "role"}), design.attributes], ignore_index=True)
    unknown = pd.Series(np.isnan(vectors).any(axis=1))
    small = {}
    for (test, _, name), rows in every.groupby(["test", "role", "set"], sort=False):
        words = rows.loc[~unknown[rows.index], "cluster"].nunique()
        if words < FEWEST_WORDS:
            missing = ", ".join(rows.loc[unknown[rows.index], "cluster"].unique()[:5])
            small[str(test)] = f"of the set {name!r} the model has {words} words; it lacks {missing}"
    return small


def _standardised(items: pd.DataFrame, ddof: int) -> pd.Series:
    """Associations in deviations of their test: the two sides' means are then an effect size apart."""
    spread = items.groupby("test")["score"].transform(lambda scores: scores.std(ddof=ddof))
    return items["score"] / spread.where(spread > 0)
