"""What models are compared by on sentences of one type: preference, share, the paper's means, ability."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from equipoise.data.sets.schemas import NAMES, OCCUPATIONS
from equipoise.instruments.parts.estimates import Groups, Spec, estimate, share_estimate
from equipoise.results import Estimate, Quantity
from equipoise.results.quantity import REVERSED, STEREOTYPED, TOWARDS, Contrast
from equipoise.stats.clusters import Floats
from equipoise.stats.f1 import FourF1, cell_counts, checked, four_f1, rebalanced
from equipoise.stats.resampling import resampled_sums

POINTS = "F1 x 100"
MARGIN = 5.0
"""F1 points below which two models are taken for alike."""

MEANS = {
    "mean-abs-stereotype": (
        "mean |stereotype|",
        "absolute_stereotype",
        "stereotype gap, each gender",
        "pronouns",
    ),
    "mean-abs-skew": ("mean |skew|", "absolute_skew", "same-answer bias, each set", "default"),
}
"""By key: the label, the statistic, the plain name and the question."""

FACTORS = ("profession",)
ABILITY_NEEDED = 75.0
"""The F1 on names below which the study does not read anything into a model's skew and stereotype."""

SKEW = Quantity(
    "skew",
    "skew",
    MARGIN,
    unit=POINTS,
    name="same-answer bias",
    question="default",
    scale="F1",
    sides=TOWARDS,
    headline=True,
    compared=False,
)
STEREOTYPE = Quantity(
    "stereotype",
    "stereotype",
    MARGIN,
    unit=POINTS,
    name="stereotype gap",
    question="pronouns",
    scale="F1",
    sides=STEREOTYPED,
    headline=True,
    compared=False,
)
ABILITY = Quantity(
    "ability",
    "ability on names",
    MARGIN,
    unit=POINTS,
    neutral=100.0,
    better="higher",
    part="ability",
    name="resolves named people",
    question="ability",
    scale="F1",
    enough=ABILITY_NEEDED,
    headline=True,
    compared=False,
)


def skew_quantities(
    kind: str, kinds: Sequence[str], pair: tuple[str, str], *, unit: str, counted: bool
) -> tuple[Quantity, ...]:
    """The quantities of one of the types, the first of which ranks; `counted` where only some items count."""
    suffix, said = (f"-type-{kind}", f", type {kind}") if len(kinds) > 1 else ("", "")
    where = {"part": OCCUPATIONS, "type": kind}
    preference = Quantity(
        f"preference{suffix}",
        f"preference for the stereotype{said}",
        0.05,
        unit=unit,
        factors=FACTORS,
        where=where,
        ranks=kind == kinds[0],
        name=f"preference for the stereotyped pronoun{said}",
        question="pronouns",
        sides=STEREOTYPED,
    )
    share = Quantity(
        f"second-share{suffix}",
        f"{pair[1]} share{said}",
        0.05,
        column="second_share",
        unit="share",
        neutral=0.5,
        kind="probability",
        factors=FACTORS,
        where=where,
        name=f"share of the second pronoun{said}",
        question="default",
        scale="half",
        sides=REVERSED,
    )
    ability = Quantity(
        f"right-on-names{suffix}",
        f"right answers on names{said}",
        0.05,
        column="right",
        unit="share",
        neutral=0.5,
        kind="probability",
        better="higher",
        part="ability",
        factors=("pair",),
        where={"part": NAMES, "type": kind},
        name=f"resolves named people{said}",
        question="ability",
        scale="half",
        enough=0.75,
    )
    means = _means(suffix, said, pair, where=where | ({"counted": "yes"} if counted else {}))
    shown = (SKEW, STEREOTYPE, ABILITY) if kind == kinds[0] else ()
    return (preference, share, *means, ability, *shown)


def _means(
    suffix: str, said: str, pair: tuple[str, str], *, where: Mapping[str, str]
) -> tuple[Quantity, ...]:
    """Mean |stereotype| and mean |skew| of the paper, functions of one confusion matrix."""
    return tuple(
        Quantity(
            f"{key}{suffix}",
            f"{label}{said}",
            MARGIN,
            column="prediction",
            unit=POINTS,
            better="lower",
            factors=FACTORS,
            where=where,
            contrast=Contrast("stereotype", *pair),
            statistic=statistic,
            name=f"{name}{said}",
            question=question,
            scale="F1",
        )
        for key, (label, statistic, name, question) in MEANS.items()
    )


PERFECT = 100.0
BINS = 10
ROUNDING = 1e-9
"""So that 0.6 - 0.5 counts as 0.1."""

Wanted = Iterable[tuple[Spec, Callable[[FourF1], Floats]]]


class PoleChoices(NamedTuple):
    """Sentences whose prediction counts, how many of the group do not, the two poles, and a seed."""

    rows: pd.DataFrame
    dropped: int
    poles: tuple[str, str]
    seed: int


def chosen(
    rows: pd.DataFrame, poles: tuple[str, str], *, seed: int, counts: pd.Series | None = None
) -> PoleChoices:
    """The sentences of a group that were answered with one of the poles, and that count."""
    kept = rows["prediction"].isin(poles)
    kept = kept if counts is None else kept & counts[rows.index]
    return PoleChoices(rows[kept], int((~kept).sum()), poles, seed)


def skew_estimates(
    groups: Groups, choices: PoleChoices, *, headline: bool = False, void: str = ""
) -> list[Estimate]:
    """Skew, stereotype and the four F1 scores of a group, also by set and by pole."""
    first, second = choices.poles
    skew, stereotype = (Spec.of(quantity, headline=headline) for quantity in (SKEW, STEREOTYPE))
    wanted: Wanted = [
        (skew, lambda f1: f1.skew),
        (stereotype, lambda f1: f1.stereotype),
        (Spec("mean-abs-skew", "mean |skew|", POINTS, better="lower"), lambda f1: f1.absolute_skew),
        (
            Spec("mean-abs-stereotype", "mean |stereotype|", POINTS, better="lower"),
            lambda f1: f1.absolute_stereotype,
        ),
        (Spec("f1-first-pro", f"F1 {first} pro", POINTS, better="none"), lambda f1: f1.first_pro),
        (Spec("f1-first-anti", f"F1 {first} anti", POINTS, better="none"), lambda f1: f1.first_anti),
        (Spec("f1-second-pro", f"F1 {second} pro", POINTS, better="none"), lambda f1: f1.second_pro),
        (Spec("f1-second-anti", f"F1 {second} anti", POINTS, better="none"), lambda f1: f1.second_anti),
        (Spec("skew-pro", unit=POINTS), lambda f1: f1.skew_pro),
        (Spec("skew-anti", unit=POINTS), lambda f1: f1.skew_anti),
        (Spec("stereotype-first", f"stereotype {first}", POINTS), lambda f1: f1.stereotype_first),
        (Spec("stereotype-second", f"stereotype {second}", POINTS), lambda f1: f1.stereotype_second),
    ]
    judged = [(replace(spec, void=void) if _is_of_choice(spec) else spec, take) for spec, take in wanted]
    return _of_matrix(groups, judged, choices, choices.rows["profession"])


def _is_of_choice(spec: Spec) -> bool:
    """Whether it is a skew or a stereotype, which mean nothing where pronouns are not resolved."""
    return "skew" in spec.key or "stereotype" in spec.key


def ability_estimates(groups: Groups, choices: PoleChoices, *, headline: bool = False) -> list[Estimate]:
    """How well the pronoun of a named person is found."""
    first, second = choices.poles
    ability = Spec.of(ABILITY, headline=headline)
    by_pole = replace(ability, headline=False)
    wanted: Wanted = [
        (ability, lambda f1: f1.lower),
        (
            replace(by_pole, key="ability-f1-first", label=f"ability F1 {first}"),
            lambda f1: f1.first_pro,
        ),
        (
            replace(by_pole, key="ability-f1-second", label=f"ability F1 {second}"),
            lambda f1: f1.second_pro,
        ),
    ]
    return _of_matrix(groups, wanted, choices, choices.rows["pair"])


def ability_of(choices: PoleChoices) -> float:
    """The lower of the two F1 scores on names."""
    return float(four_f1(_cells(choices).sum(axis=0)).lower)


def is_able(ability: float) -> bool:
    """Whether a model resolves pronouns well enough for its skew and stereotype to mean anything."""
    return ability >= ABILITY_NEEDED


def histogram(
    groups: Groups, gaps: pd.Series, *, rows: pd.DataFrame, factors: tuple[str, ...]
) -> list[Estimate]:
    """The shares of sentences by |P(first) - P(second)|, in steps of a tenth."""
    steps = np.minimum(np.floor(gaps.abs() * BINS + ROUNDING), BINS - 1)
    estimates = []
    for step in range(BINS):
        width = f"{step / BINS:.1f}-{(step + 1) / BINS:.1f}"
        at = {**groups, "difference": width}
        spec = Spec("histogram", unit="share of sentences", better="none", groups=at)
        hits = (steps == step).astype(float).where(gaps.notna())
        estimates.append(share_estimate(spec, hits, rows, factors))
    return estimates


def _of_matrix(groups: Groups, wanted: Wanted, choices: PoleChoices, clusters: pd.Series) -> list[Estimate]:
    """Quantities of one confusion matrix, their intervals by resampling clusters.

    Where types of sentences are read apart, a headline is that of one type, so it stays one in a group.
    """
    cells = _cells(choices)
    whole = cells.sum(axis=0)
    scores = checked(four_f1(whole))
    drawn = resampled_sums(cells, clusters, sides=choices.rows["stereotype"], seed=choices.seed)
    resampled = four_f1(rebalanced(drawn.sums, whole))
    estimates = []
    for spec, quantity in wanted:
        value = float(quantity(scores))
        low, high = drawn.interval(quantity(resampled))
        low = drawn.lowest_if_perfect(PERFECT) if low == PERFECT else low
        # Draws of an absolute value lie above one that is near 0: the interval holds the value all the same.
        ends = (min(low, value), max(high, value))
        estimates.append(
            estimate(replace(spec, groups=groups), value, ends, n=len(choices.rows), dropped=choices.dropped)
        )
    return estimates


def _cells(choices: PoleChoices) -> Floats:
    first = choices.poles[0]
    return cell_counts(choices.rows["stereotype"] == first, choices.rows["prediction"] == first)
