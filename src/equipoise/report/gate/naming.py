"""Names: what a rule calls each estimate of a result."""

from collections.abc import Iterator
from typing import Any

from equipoise.report.gate.expressions import EstimateName
from equipoise.results import Result
from equipoise.results.estimate import CROSSED


def estimate_names(result: Result) -> Iterator[tuple[str, dict[str, Any]]]:
    """The name of every estimate in a rule, and its row."""
    for row in result.estimates.to_dict("records"):
        yield str(_name(result.instrument, row)).removesuffix(".value"), row


def _name(instrument: str, row: dict[str, Any]) -> EstimateName:
    groups = row["by"].split(CROSSED) if row["by"] else []
    # However a level with the mark in it is split: its parts are joined again when the row is looked up.
    levels = row["level"].split(CROSSED, max(len(groups) - 1, 0))
    return EstimateName(instrument, row["key"], tuple(zip(groups, levels, strict=False)))
