"""Skew beside stereotype over several models: the table behind the chart, and their rank correlation."""

from collections.abc import Sequence

import pandas as pd

from equipoise.errors import UserError
from equipoise.results import Result
from equipoise.stats.correlation import Correlation, spearman

INSTRUMENT = "stereotype-skew"
TYPE_2 = "type:2"
COLUMNS = (
    *("model", "data", "variant", "group", "n", "dropped"),
    *("skew", "skew_low", "skew_high", "stereotype", "stereotype_low", "stereotype_high"),
    *("absolute_skew", "absolute_skew_low", "absolute_skew_high"),
    *("absolute_stereotype", "absolute_stereotype_low", "absolute_stereotype_high"),
    *("ability", "ability_low", "ability_high", "is_meaningful"),
)
_QUANTITIES = {
    "skew": "skew",
    "stereotype": "stereotype",
    "absolute_skew": "mean |skew|",
    "absolute_stereotype": "mean |stereotype|",
    "ability": "ability",
}


def skew_stereotype_table(results: Sequence[Result], group: str = TYPE_2) -> pd.DataFrame:
    """One row per model of one group of sentences; results without that group give all their sentences."""
    if not results:
        raise UserError("No result was given.", f"Measure models with {INSTRUMENT} first.")
    others = {result.instrument for result in results} - {INSTRUMENT}
    if others:
        raise UserError(
            f"A result of {', '.join(sorted(others))} has no skew and stereotype.",
            f"Give results of {INSTRUMENT} only.",
        )
    table = pd.DataFrame([_row(result, group) for result in results], columns=list(COLUMNS))
    kinds = table[["data", "variant", "group"]].drop_duplicates()
    if len(kinds) > 1:
        named = "; ".join(", ".join(kind) for kind in kinds.itertuples(index=False))
        raise UserError(
            f"These results are of different quantities: {named}.",
            "Measure all models with the same data and variant.",
        )
    return table


def skew_rank_correlation(table: pd.DataFrame) -> Correlation:
    """Spearman's correlation of mean |skew| with mean |stereotype| over the models of a table."""
    return spearman(table["absolute_skew"], table["absolute_stereotype"])


def _row(result: Result, group: str) -> dict[str, object]:
    estimates = result.estimates.set_index(["group", "name"])
    group = group if (group, "skew") in estimates.index else "all"
    row: dict[str, object] = {
        "model": result.model,
        "data": result.provenance.get("data", {}).get("name", ""),
        "variant": result.provenance.get("instrument", {}).get("variant", ""),
        "group": group,
        "n": int(estimates.loc[(group, "skew"), "n"]),
        "dropped": int(estimates.loc[(group, "skew"), "dropped"]),
        "is_meaningful": bool(estimates.loc[(group, "meaningful"), "value"] == 1),
    }
    for column, name in _QUANTITIES.items():
        found = estimates.loc[(group, name)]
        row |= {column: found["value"], f"{column}_low": found["low"], f"{column}_high": found["high"]}
    return row
