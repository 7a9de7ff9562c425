"""Effect sizes of association tests with intervals over words, and p from a permutation test."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from equipoise.data.sets.association_tests import TARGETS
from equipoise.instruments.base import Settings
from equipoise.instruments.parts.estimates import (
    Groups,
    Spec,
    contrast_estimate,
    count_estimate,
    estimate,
    grouped,
)
from equipoise.instruments.parts.vector_choice import ALL
from equipoise.results import Estimate, Quantity, Summary
from equipoise.results.numbers import fixed
from equipoise.results.quantity import STEREOTYPED, Contrast
from equipoise.stats.association import MEASURES, effect_size, effect_size_draws, interval_of_draws
from equipoise.stats.clusters import cluster_codes
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
