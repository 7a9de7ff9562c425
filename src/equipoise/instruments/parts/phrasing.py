"""Phrasing: how far a lean hangs on the pattern that a sentence follows."""

from collections.abc import Sequence

import pandas as pd

from equipoise.instruments.parts.estimates import Spec, estimate, grouped, mean_estimate
from equipoise.results import Estimate
from equipoise.results.records import fixed
from equipoise.stats.ratios import deviation_of_means, level_cells, range_of_means
from equipoise.stats.resampling import bootstrap_of

LEAN = "second_minus_first"
"""The column that holds how far an item leans to the second pole."""


def pattern_leans(items: pd.DataFrame, spec: Spec, factors: Sequence[str]) -> list[Estimate]:
    """The mean lean of each pattern."""
    return [
        mean_estimate(spec.at(groups), rows[LEAN], rows, factors)
        for groups, rows in grouped(items, "pattern", whole=False)
    ]


def spread_estimates(items: pd.DataFrame, unit: str, seed: int) -> list[Estimate]:
    """How far patterns lie apart: the largest mean less the smallest, and their standard deviation.

    Words are resampled; chance alone puts both above 0.
    """
    known = items[items[LEAN].notna()]
    if known["pattern"].nunique() < 2:
        return []
    widest = Spec("spread-between-patterns", "largest - smallest lean of a pattern", unit, better="lower")
    deviation = Spec("deviation-between-patterns", "deviation of patterns' leans", unit, better="lower")
    cells = level_cells(known[LEAN], known["pattern"])
    return [
        estimate(
            spec,
            float(statistic(cells.sum(axis=0))),
            bootstrap_of(statistic, cells, known["word"], seed=seed),
            n=len(known),
            dropped=len(items) - len(known),
        )
        for spec, statistic in ((widest, range_of_means), (deviation, deviation_of_means))
    ]


def opposite_patterns(leans: Sequence[Estimate], poles: Sequence[str]) -> tuple[str, ...]:
    """A remark where patterns lean opposite ways, counting those whose interval lies apart from 0."""
    sides = {
        poles[1]: [lean for lean in leans if lean.low > 0],
        poles[0]: [lean for lean in leans if lean.high < 0],
    }
    if not all(sides.values()):
        return ()
    told = (
        f"to {pole} in " + ", ".join(f"{lean.level} ({fixed(lean.value, 3, sign=True)})" for lean in of_pole)
        for pole, of_pole in sides.items()
    )
    return (f"the lean depends on the phrasing: {'; '.join(told)}",)
