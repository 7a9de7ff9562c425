"""Stereotype and Skew, table by table: F1 scores, skew and stereotype of models, and what the paper prints.

`skew_stereotype_table` has one row per model and variant with every number and interval. `table_1` and
`table_2` set it in the form of the paper's tables, a printed row below each measured one that has one, and
`histogram_table` holds what Figure 3 shows.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from equipoise.errors import UserError
from equipoise.instruments.parts.skew_quantities import is_able
from equipoise.results import Result
from equipoise.results.records import fixed, with_interval
from equipoise.stats.correlation import Correlation, spearman
from equipoise.studies.papers.published import note_on, published_rows, row_of_skew
from equipoise.studies.steps import Plan

INSTRUMENT = "stereotype-skew"
TYPES = ("1", "2")
TYPE_2 = "2"
PRIOR = "prior-normalised"
"""How the names of variants begin that divide by the prior (-O in the paper)."""

MEASURED, PRINTED = "measured", "printed"
ONLY_ONE = "the only one"
F1_KEYS = ("f1-first-pro", "f1-first-anti", "f1-second-pro", "f1-second-anti")
ABILITIES = ("ability-f1-first", "ability-f1-second")
_QUANTITIES = {
    **{key.replace("-", "_"): key for key in F1_KEYS},
    "skew": "skew",
    "stereotype": "stereotype",
    "absolute_skew": "mean-abs-skew",
    "absolute_stereotype": "mean-abs-stereotype",
    "ability": "ability",
}
COLUMNS = (
    *("model", "data", "variant", "type", "n", "dropped"),
    *(f"{column}{end}" for column in _QUANTITIES for end in ("", "_low", "_high")),
    "is_meaningful",
)


def skew_stereotype_table(results: Sequence[Result], kind: str = TYPE_2) -> pd.DataFrame:
    """One row per model and variant of one type of sentences; results of a single type give that one."""
    _check(results)
    table = pd.DataFrame([_row(result, kind) for result in results], columns=list(COLUMNS))
    table = table.assign(label=labels_of(results))
    kinds = table[["data", "type"]].drop_duplicates()
    if len(kinds) > 1:
        named = "; ".join(", ".join(map(str, kind)) for kind in kinds.itertuples(index=False))
        raise UserError(
            f"These results are of different quantities: {named}.", "Measure all models with the same data."
        )
    return table


def labels_of(results: Sequence[Result]) -> list[str]:
    """A name for every row: the model, with the variant where one model has several or variants differ."""
    names = [Path(result.model).name for result in results]
    alike = len({result.variant for result in results}) < 2
    if len(set(names)) < len({result.fingerprint for result in results}):
        names = [result.model for result in results]
    return names if alike else [f"{name}, {one.variant}" for name, one in zip(names, results, strict=True)]


def table_2(results: Sequence[Result], kind: str = TYPE_2) -> pd.DataFrame:
    """The paper's Table 2: four F1 scores, stereotype and skew with their intervals, printed rows below."""
    _check(results)
    first, second = _poles(results[0])
    names = [f"F1 {pole} {labels}" for pole in (first, second) for labels in ("pro", "anti")]
    names += ["stereotype", "skew"]
    keys = (*F1_KEYS, "mean-abs-stereotype", "mean-abs-skew")
    rows: list[dict[str, Any]] = []
    for result in results:
        groups = _groups(result, kind)
        cells = {name: _cell(result, key, groups) for name, key in zip(names, keys, strict=True)}
        n = str(int(result.estimate("skew", **groups)["n"]))
        able = is_able(result.value("ability", **groups))
        note = "" if able else "not meaningful: ability below 75"
        rows.append({**_named(result), **cells, "n": n, "note": note})
        rows += _printed(result, names, "skew.table-2", kind)
    return pd.DataFrame(rows)


def table_1(results: Sequence[Result]) -> pd.DataFrame:
    """The paper's Table 1: F1 on Alice and Bob for both types of sentences, printed rows below."""
    _check(results)
    first, second = _poles(results[0])
    names = [f"type {kind} F1 {pole}" for kind in TYPES for pole in (first, second)]
    rows: list[dict[str, Any]] = []
    for result in results:
        known = {str(level) for level in result.estimates.loc[result.estimates["by"] == "type", "level"]}
        cells = []
        for kind in TYPES:
            there = kind in known or not known
            cells += [_cell(result, key, _groups(result, kind)) if there else "-" for key in ABILITIES]
        row = {**_named(result), **dict(zip(names, cells, strict=True))}
        rows += [row, *_printed(result, names, "skew.table-1")]
    return pd.DataFrame(rows)


def histogram_table(results: Sequence[Result], kind: str = TYPE_2) -> pd.DataFrame:
    """The share of sentences by |P(he) - P(she)|, in steps of a tenth: once for each model.

    It is that of the probabilities as the model gives them, which variants with a prior share.
    """
    first = {result.fingerprint: result for result in reversed(results)}
    once = [result for result in results if result is first[result.fingerprint]]
    rows = []
    for result in once:
        groups = _groups(result, kind)
        for row in _histogram_rows(result, groups):
            start, _, end = row.pop("difference").partition("-")
            rows.append({"model": result.model, "from": float(start), "to": float(end), **row})
    return pd.DataFrame(rows, columns=["model", "from", "to", "share", "low", "high", "n"])


def skew_plan(table: pd.DataFrame) -> Plan:
    """What stands above the study on a page: the models and the sentences that they were asked."""
    kinds = {name: str(table[name].iloc[0]) for name in ("data", "type")}
    told = {"models": table["model"].tolist(), "variants": table["variant"].tolist(), **kinds}
    return Plan("skew", "Stereotype and skew", told, ())


def skew_rank_correlation(table: pd.DataFrame) -> Correlation:
    """Spearman's correlation of mean |skew| with mean |stereotype| over models that resolve pronouns."""
    meaningful = table[table["is_meaningful"]]
    return spearman(meaningful["absolute_skew"], meaningful["absolute_stereotype"])


def _check(results: Sequence[Result]) -> None:
    if not results:
        raise UserError("No result was given.", f"Measure models with {INSTRUMENT} first.")
    others = {result.instrument for result in results} - {INSTRUMENT}
    if others:
        raise UserError(
            f"A result of {', '.join(sorted(others))} has no skew and stereotype.",
            f"Give results of {INSTRUMENT} only.",
        )
    if len({(result.model, result.fingerprint, result.variant) for result in results}) < len(results):
        raise UserError(
            "One model was given twice with the same variant.",
            "Give the result of every model and variant once.",
        )


def _groups(result: Result, kind: str) -> Mapping[str, str]:
    return {"type": kind} if "type" in set(result.estimates["by"]) else {}


def _poles(result: Result) -> tuple[str, str]:
    """The two poles by the labels of their F1 scores, such as "F1 male pro"."""
    labels = result.estimates.drop_duplicates("key").set_index("key")["label"]
    first, second = (str(labels.get(key, "")).split() for key in ("f1-first-pro", "f1-second-pro"))
    return (first[1] if len(first) > 2 else "first", second[1] if len(second) > 2 else "second")


def _named(result: Result) -> dict[str, str]:
    return {"model": Path(result.model).name, "variant": result.variant, "source": MEASURED}


def _cell(result: Result, key: str, groups: Mapping[str, str]) -> str:
    """A number with its interval, as a table of a paper has it."""
    row = result.estimate(key, **groups)
    return with_interval(row["value"], row["low"], row["high"], places=1)


def _printed(
    result: Result, names: Sequence[str], table: str, kind: str = TYPE_2
) -> Iterator[dict[str, Any]]:
    """The paper's row for this model and variant on WinoBias, if it has one."""
    printed, row = (
        published_rows(table),
        row_of_skew(result.model, has_prior=result.variant.startswith(PRIOR)),
    )
    if row not in printed or not is_winobias(result) or kind != TYPE_2:
        return
    cells = {name: fixed(number, 1) for name, number in zip(names, printed[row], strict=True)}
    note = {"note": note_on(row)} if table == "skew.table-2" else {}
    yield {"model": row, "variant": "", "source": PRINTED, **cells, **note}


def is_winobias(result: Result) -> bool:
    """Whether the sentences are those of WinoBias, named as the data set or as a path to its files."""
    return any("_stereotyped_type" in name for name in result.data_hashes)


def _histogram_rows(result: Result, groups: Mapping[str, str]) -> Iterable[dict[str, Any]]:
    table = result.estimates[result.estimates["key"] == "histogram"]
    by = " x ".join(sorted([*groups, "difference"]))
    for row in table[table["by"] == by].to_dict("records"):
        levels = dict(zip(sorted([*groups, "difference"]), str(row["level"]).split(" x "), strict=True))
        if all(levels[name] == level for name, level in groups.items()):
            told = {name: row[name] for name in ("low", "high", "n")}
            yield {"difference": levels["difference"], "share": row["value"], **told}


def _row(result: Result, kind: str) -> dict[str, object]:
    groups = _groups(result, kind)
    skew = result.estimate("skew", **groups)
    row: dict[str, object] = {
        "model": result.model,
        "data": result.provenance.get("data", {}).get("name", ""),
        "variant": result.variant,
        "type": groups.get("type", ONLY_ONE),
        "n": int(skew["n"]),
        "dropped": int(skew["dropped"]),
        "is_meaningful": is_able(result.value("ability", **groups)),
    }
    for column, key in _QUANTITIES.items():
        chosen = result.estimate(key, **groups)
        row |= {column: chosen["value"], f"{column}_low": chosen["low"], f"{column}_high": chosen["high"]}
    return row
