"""Skew beside stereotype over several models: the table behind the chart, and their rank correlation."""

from collections.abc import Mapping, Sequence

import pandas as pd

from equipoise.errors import UserError
from equipoise.instruments.parts.skew_estimates import is_able
from equipoise.results import Result
from equipoise.stats.correlation import Correlation, spearman
from equipoise.studies.steps import Plan

INSTRUMENT = "stereotype-skew"
TYPE_2 = "2"
COLUMNS = (
    *("model", "data", "variant", "type", "n", "dropped"),
    *("skew", "skew_low", "skew_high", "stereotype", "stereotype_low", "stereotype_high"),
    *("absolute_skew", "absolute_skew_low", "absolute_skew_high"),
    *("absolute_stereotype", "absolute_stereotype_low", "absolute_stereotype_high"),
    *("ability", "ability_low", "ability_high", "is_meaningful"),
)
_QUANTITIES = {
    "skew": "skew",
    "stereotype": "stereotype",
    "absolute_skew": "mean-abs-skew",
    "absolute_stereotype": "mean-abs-stereotype",
    "ability": "ability",
}


def skew_stereotype_table(results: Sequence[Result], kind: str = TYPE_2) -> pd.DataFrame:
    """One row per model of one type of sentences; results of a single type give that one."""
    if not results:
        raise UserError("No result was given.", f"Measure models with {INSTRUMENT} first.")
    others = {result.instrument for result in results} - {INSTRUMENT}
    if others:
        raise UserError(
            f"A result of {', '.join(sorted(others))} has no skew and stereotype.",
            f"Give results of {INSTRUMENT} only.",
        )
    if len({(result.model, result.fingerprint) for result in results}) < len(results):
        raise UserError("One model was given twice.", "Give the result of every model once.")
    table = pd.DataFrame([_row(result, kind) for result in results], columns=list(COLUMNS))
    kinds = table[["data", "variant", "type"]].drop_duplicates()
    if len(kinds) > 1:
        named = "; ".join(", ".join(map(str, kind)) for kind in kinds.itertuples(index=False))
        raise UserError(
            f"These results are of different quantities: {named}.",
            "Measure all models with the same data and variant.",
        )
    return table


def skew_plan(table: pd.DataFrame) -> Plan:
    """What stands above the study on a page: the models and the sentences that they were asked."""
    kinds = {name: str(table[name].iloc[0]) for name in ("data", "variant", "type")}
    return Plan("skew", "Skew beside stereotype", {"models": table["model"].tolist(), **kinds}, ())


def skew_rank_correlation(table: pd.DataFrame) -> Correlation:
    """Spearman's correlation of mean |skew| with mean |stereotype| over models that resolve pronouns."""
    meaningful = table[table["is_meaningful"]]
    return spearman(meaningful["absolute_skew"], meaningful["absolute_stereotype"])


def _row(result: Result, kind: str) -> dict[str, object]:
    groups: Mapping[str, str] = {"type": kind} if "type" in set(result.estimates["by"]) else {}
    skew = result.estimate("skew", **groups)
    row: dict[str, object] = {
        "model": result.model,
        "data": result.provenance.get("data", {}).get("name", ""),
        "variant": result.variant,
        "type": groups.get("type", "the only one"),
        "n": int(skew["n"]),
        "dropped": int(skew["dropped"]),
        "is_meaningful": is_able(result.value("ability", **groups)),
    }
    for column, key in _QUANTITIES.items():
        chosen = result.estimate(key, **groups)
        row |= {column: chosen["value"], f"{column}_low": chosen["low"], f"{column}_high": chosen["high"]}
    return row
