"""Tables of a page: estimates with models side by side, papers' wide tables, and provenance."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from equipoise.report.figures.arms import with_texts
from equipoise.report.figures.dots import short_names
from equipoise.report.files import Table
from equipoise.report.measurements import MeasuredModel, Measurement, data_name, slug
from equipoise.results.estimate import place_in_words
from equipoise.results.records import fixed, shown

GOOD = {"lower": "lower", "higher": "higher", "none": "for orientation"}
_KEYS = ["key", "by", "level"]


def headline_table(measured: Measurement) -> Table:
    """The numbers that are read first, with the name that they have in the literature."""
    several = len(measured.results) > 1
    rows = [
        [
            *([label] if several else []),
            *_names(row, measured),
            row["value"],
            row["low"],
            row["high"],
            row["n"],
            row["dropped"],
            _good(row),
            row["unit"],
        ]
        for label, result in measured.results.items()
        for row in result.headlines().to_dict("records")
    ]
    columns = ["number", "in the papers", "value", "low", "high", "n", "dropped", "good", "unit"]
    head = ["model", *columns] if several else columns
    return Table(f"{measured.name}-headlines", "Measured here, under the names the papers use", head, rows)


def _names(row: "dict[Any, Any]", measured: Measurement) -> list[str]:
    """The plain name of an estimate with what it is of, then its name in the literature."""
    plain = next((one.name for one in measured.first.declared if one.key == row["key"] and one.name), "")
    where = f" ({place_in_words(row['by'], row['level'])})" if row["by"] else ""
    return [f"{plain or row['label']}{where}", str(row["label"])]


def estimates_table(measured: Measurement) -> Table:
    """Every estimate, with a column for each model: value and interval."""
    several = len(measured.results) > 1
    frames = [
        result.estimates.drop_duplicates(_KEYS)
        .set_index(_KEYS)[["label", "unit", "neutral", "better", "n"]]
        .assign(**{label: [_cell(row) for row in result.estimates.drop_duplicates(_KEYS).to_dict("records")]})
        for label, result in measured.results.items()
    ]
    whole = frames[0]
    for frame, label in zip(frames[1:], list(measured.results)[1:], strict=True):
        whole = whole.join(frame[[label]], how="outer", sort=False) if label not in whole else whole
    table = whole.reset_index()
    head = ["estimate", "by", "level", *([] if several else ["n"]), "good", "unit"]
    rows = [_estimate_row(row, list(measured.results), several) for row in table.to_dict("records")]
    return Table(
        f"{measured.name}-estimates",
        "Every estimate, with its 95 % interval",
        [*head, *measured.results],
        rows,
    )


def _estimate_row(row: "dict[Any, Any]", labels: Sequence[str], several: bool) -> list[Any]:
    is_known = isinstance(row["label"], str)
    names = [row["label"] if is_known else row["key"].replace("-", " "), row["by"], row["level"]]
    beside = [_good(row), row["unit"]] if is_known else ["", ""]
    counts = [] if several else [int(row["n"])]
    return [
        *names,
        *counts,
        *beside,
        *(row[label] if isinstance(row[label], str) else "" for label in labels),
    ]


def provenance_table(models: Sequence[MeasuredModel]) -> Table:
    """What was measured: the models by name, kind, precision and fingerprint."""
    rows = [[one.label, one.kind, one.precision, one.fingerprint] for one in models]
    return Table("models", "Models", ("model", "kind", "precision", "fingerprint"), rows)


def data_table(measured: Sequence[Measurement]) -> Table:
    """Which instrument asked which data, with what came of it."""
    several = len({label for one in measured for label in one.results}) > 1
    rows = [
        [
            one.instrument,
            data_name(result),
            result.variant,
            result.poles,
            *([label] if several else []),
            len(result.items),
            int((result.items["dropped"] != "").sum()),
            str(result.provenance.get("created", ""))[:16].replace("T", " "),
            str(result.provenance.get("versions", {}).get("equipoise", "")),
            ", ".join(f"{file} {digest[:12]}" for file, digest in result.data_hashes.items()),
        ]
        for one in measured
        for label, result in one.results.items()
    ]
    head = (
        "instrument",
        "data",
        "variant",
        "poles",
        *(["model"] if several else []),
        "items",
        "dropped",
        "measured (UTC)",
        "version",
        "files, SHA-256",
    )
    return Table("data", "Data", head, rows)


def _good(row: "dict[Any, Any]") -> str:
    return f"{row['neutral']:g}" if row["better"] == "neutral" else GOOD.get(str(row["better"]), "")


def _cell(row: "dict[Any, Any]") -> str:
    """Value and interval in one cell; a number that means nothing says so."""
    value, low, high = (float(row[name]) for name in ("value", "low", "high"))
    if pd.isna(value):
        return "-"
    interval = "" if pd.isna(low) else f" [{shown(low)}, {shown(high)}]"
    return f"{shown(value)}{interval}{' not meaningful' if row['void'] else ''}"


PUBLISHED = "published"
"""The column of a long table with what the paper prints for the same cell."""


def wide_table(
    name: str, title: str, rows: pd.DataFrame, *, down: str, across: str, places: int = 2
) -> Table:
    """A row for each level of `down` and a column for each level of `across`, in the order they come in."""
    columns, levels = (list(dict.fromkeys(rows[side])) for side in (across, down))
    cells = {(row[down], row[across]): _printed_cell(row, places) for row in rows.to_dict("records")}
    table = [[str(level), *(cells.get((level, column), "") for column in columns)] for level in levels]
    return Table(slug(name), title, [down, *short_names(list(map(str, columns)))], table)


def by_category(table: pd.DataFrame, key: str) -> pd.DataFrame:
    """One number of a study of arms by category, all items last, with `category` and `value`."""
    rows = with_texts(table)
    rows = rows[(rows["key"] == key) & rows["by"].isin(("", "category"))]
    rows = rows.assign(category=rows["level"].replace("", "all"), value=rows["mean"])
    return rows.sort_values("by", ascending=False, kind="stable")


def _printed_cell(row: "dict[Any, Any]", places: int) -> str:
    number, low, high, printed = (float(row.get(key, "nan")) for key in ("value", "low", "high", PUBLISHED))
    if number != number:
        return "-"
    interval = f" [{fixed(low, places)}, {fixed(high, places)}]" if low == low else ""
    return f"{fixed(number, places)}{interval}" + (
        f"; printed {fixed(printed, 2)}" if printed == printed else ""
    )
