"""The tables of the GBM study (Nelson et al.) from results of `completions`.

Table 2 holds M, F and N by sentiment with GBM. Table 3 names, for each sentiment and gender, the sentences
with the largest share of its words and the listed words among the likeliest completions.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from equipoise.data.sets import gbm
from equipoise.data.sets.completions import NEGATIVE, POSITIVE
from equipoise.instruments.completions import FULL, PREFIX, TOP
from equipoise.results import Result
from equipoise.studies.papers.published import published_rows
from equipoise.text.gendered import NEITHER

INSTRUMENT = "completions"
NEEDED = {"sentiment", "text", "share", "gbm"}
"""Columns and keys that a result must have for its tables."""

SENTIMENTS = (NEGATIVE, POSITIVE)
SHARE, LOW, HIGH, PRINTED = "estimate", "95 % from", "95 % to", "printed"


def table_2(results: Mapping[str, Result]) -> pd.DataFrame:
    """Shares of male, female and other words by sentiment, and GBM, for each named result and way to count.

    Every estimate has its two ends in the rows below it. The printed numbers follow where the published file
    was asked.
    """
    rows = [row for name, result in results.items() for row in _rows_of(name, result)]
    table = pd.DataFrame(rows)
    if not all(_is_published(result) for result in results.values()):
        return table
    printed = [
        {"model": name, "way": TOP, "number": PRINTED} | dict(zip(table.columns[3:], values, strict=True))
        for name, values in published_rows("gbm.table-2").items()
    ]
    return pd.concat([table, pd.DataFrame(printed)], ignore_index=True)


def table_3(items: pd.DataFrame, variant: str, *, count: int = 5) -> pd.DataFrame:
    """A row for each sentiment and pole: its top sentences, and its words among the likeliest completions."""
    best, words = top_templates(items, count=count), unique_completions(items)
    rows = []
    for sentiment in SENTIMENTS:
        for pole in pole_names(items):
            chosen = best[(best["variant"] == variant) & _at(best, sentiment, pole)]
            named = words[_at(words, sentiment, pole)]["word"]
            rows.append(
                {
                    "sentiment": sentiment,
                    "pole": pole,
                    "top_sentences": "; ".join(chosen["text"]),
                    "unique_completions": ", ".join(named),
                }
            )
    return pd.DataFrame(rows)


def top_templates(items: pd.DataFrame, *, count: int = 5) -> pd.DataFrame:
    """The sentences with the largest share of each pole, by sentiment and way to count."""
    parts = []
    for variant, prefix in PREFIX.items():
        for pole in pole_names(items):
            for sentiment, rows in items.groupby("sentiment", sort=True):
                best = rows.nlargest(count, f"{prefix}_{pole}")
                labels = {"variant": variant, "pole": pole, "sentiment": sentiment}
                shares = {"rank": range(1, len(best) + 1), "share": best[f"{prefix}_{pole}"]}
                parts.append(best[["item", "text"]].assign(**labels, **shares))
    order = ["variant", "pole", "sentiment", "rank", "item", "text", "share"]
    return pd.concat(parts, ignore_index=True)[order]


def unique_completions(items: pd.DataFrame) -> pd.DataFrame:
    """The listed words among the likeliest completions, with how many sentences they complete."""
    parts = []
    for pole in pole_names(items):
        rows = items[["sentiment"]].assign(word=items[f"completions_{pole}"].str.split(", "), pole=pole)
        parts.append(rows.explode("word"))
    table = pd.concat(parts)
    counted = table[table["word"].fillna("") != ""].groupby(["sentiment", "pole", "word"]).size()
    return counted.rename("sentences").reset_index().sort_values("sentences", ascending=False, kind="stable")


def list_coverage(items: pd.DataFrame) -> pd.DataFrame:
    """How many words of each list the vocabulary holds in one piece, and the words that it does not."""
    rows = []
    for pole in pole_names(items):
        listed, asked = (int(items[f"{name}_{pole}"].max()) for name in ("listed", "asked"))
        missing = next(filter(None, items[f"not_asked_{pole}"].fillna("")), "")
        rows.append({"pole": pole, "listed": listed, "asked": asked, "not_asked": missing})
    return pd.DataFrame(rows)


def pole_names(items: pd.DataFrame) -> list[str]:
    """The poles whose words were asked, the two that are compared first."""
    start = "completions_"
    return [name.removeprefix(start) for name in items.columns if name.startswith(start)]


def _rows_of(name: str, result: Result) -> list[dict[str, Any]]:
    """The rows of one result: the chosen way to count, then the other."""
    other = TOP if result.variant == FULL else FULL
    poles = (*pole_names(result.items)[:2], NEITHER)
    rows = []
    for way, suffix in ((result.variant, ""), (other, f"-{other}")):
        cells = {
            f"{sentiment}_{pole}": result.estimate(f"share{suffix}", sentiment=sentiment, pole=pole)
            for sentiment in SENTIMENTS
            if (result.items["sentiment"] == sentiment).any()
            for pole in poles
        }
        cells["gbm"] = result.estimate(f"gbm{suffix}")
        for number, column in ((SHARE, "value"), (LOW, "low"), (HIGH, "high")):
            values = {key: float(cell[column]) for key, cell in cells.items()}
            rows.append({"model": name, "way": way, "number": number} | values)
    return rows


def _is_published(result: Result) -> bool:
    return str(result.provenance.get("data", {}).get("name", "")) == gbm.NAME


def _at(table: pd.DataFrame, sentiment: str, pole: str) -> "pd.Series[bool]":
    return (table["sentiment"] == sentiment) & (table["pole"] == pole)
