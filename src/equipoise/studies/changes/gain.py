"""Gain and price of a change: how much bias was removed, what ability was lost, and what that means."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from equipoise.instruments import declared_quantities
from equipoise.results import Quantity, Result
from equipoise.results.comparison import Comparison
from equipoise.results.comparison.differences import BETTER, OTHER_SIDE, UNKNOWN, WORSE
from equipoise.results.reading import Measured, sentence_start
from equipoise.results.reading import told as in_words
from equipoise.results.records import fixed, shown, told
from equipoise.stats.correlation import Slope, slope_of

GAIN_COLUMNS = ("instrument", "quantity", "label", "before", "after", "removed", "low", "high", "n", "change")
PRICE_COLUMNS = ("instrument", "quantity", "label", "before", "after", "loss", "low", "high", "n", "change")
BROKEN = 0.02
"""A loss from which on the model counts as broken, if it is also sure: two per cent."""

FLATTENED = 0.2
"""A share of the guard's lean whose loss tells that pronouns were flattened everywhere."""

Row = Mapping[Any, Any]


def gain_table(comparison: Comparison, results: Sequence[Result]) -> pd.DataFrame:
    """Of each quantity that models are ranked by, which share of its distance from neutral went."""
    neutral = {
        (result.instrument, quantity.key): quantity.neutral
        for result in results
        for quantity in result.quantities
        if quantity.ranks
    }
    rows = [
        _gain(row, neutral[row["instrument"], row["quantity"]])
        for row in comparison.table.to_dict("records")
        if (row["instrument"], row["quantity"]) in neutral
    ]
    return pd.DataFrame(rows, columns=list(GAIN_COLUMNS))


def price_table(comparison: Comparison) -> pd.DataFrame:
    """Return the lost share of everything that must not fall; for a log P, the rise in perplexity."""
    rows = [_price(row) for row in comparison.table.to_dict("records") if row["part"] != "bias"]
    return pd.DataFrame(rows, columns=list(PRICE_COLUMNS))


def leanings_table(before: Result, after: Result) -> pd.DataFrame:
    """The lean of every profession and definitional word of tbe in both models: the points of a scatter."""
    both = [_leans(result).rename(side) for result, side in ((before, "before"), (after, "after"))]
    return pd.concat(both, axis=1).reset_index()


def slopes(leanings: pd.DataFrame) -> dict[str, Slope]:
    """How much of its lean each part keeps: the slope of after on before."""
    return {str(part): slope_of(rows["before"], rows["after"]) for part, rows in leanings.groupby("part")}


def verdict_sentences(gain: pd.DataFrame, price: pd.DataFrame, leanings: pd.DataFrame | None) -> list[str]:
    """Whether bias fell, whether the model broke, and whether pronouns were merely flattened."""
    said = [_headline(gain, price), *(_gain_sentence(row) for row in gain.to_dict("records"))]
    said.append(_price_sentence(price))
    if leanings is not None:
        said.append(_flattening_sentence(price, slopes(leanings)))
    return [sentence for sentence in said if sentence]


def lost(price: pd.DataFrame) -> pd.DataFrame:
    """The rows of a price that surely fell, and by more than a trifle."""
    return price[(price["change"] == WORSE) & (price["loss"] > BROKEN)]


def _gain(row: Row, neutral: float) -> dict[str, Any]:
    was = row["first_value"] - neutral
    low, high = sorted(_share_removed(was, row[end]) for end in ("low", "high"))
    may_be_neutral = (was + row["low"]) * (was + row["high"]) <= 0
    return _named(row) | {
        "removed": _share_removed(was, row["second_value"] - row["first_value"]),
        "low": low,
        "high": high if np.isnan(high) or not may_be_neutral else 1.0,
        "n": row["n"],
        "change": row["change"],
    }


def _share_removed(was: float, difference: float) -> float:
    """Which share of a distance from neutral is gone; what goes beyond neutral is a distance again."""
    return float(1 - abs(was + difference) / (abs(was) or np.nan))


def _price(row: Row) -> dict[str, Any]:
    falls = {name: -row[name] for name in ("difference", "low", "high")}
    if row["quantity"].startswith("likelihood"):
        loss = {name: np.expm1(value) for name, value in falls.items()}
    else:
        # What was hardly there before has nothing to lose: a share of it would mean nothing.
        size = abs(row["first_value"]) if abs(row["first_value"]) > row["margin"] else np.nan
        loss = {name: value / size for name, value in falls.items()}
    return _named(row) | {
        "loss": loss["difference"],
        "low": loss["high"],
        "high": loss["low"],
        "n": row["n"],
        "change": row["change"],
    }


def _named(row: Row) -> dict[str, Any]:
    named = {name: row[name] for name in ("instrument", "quantity", "label")}
    return named | {"before": row["first_value"], "after": row["second_value"]}


def _leans(result: Result) -> pd.Series:
    items = result.items
    written = items[(items["variation"] == "original") & (items["dropped"] == "")]
    named = written.assign(
        profession=written["profession"].where(written["profession"] != "", written["category"])
    )
    means: pd.Series = named.groupby(["part", "category", "profession"], sort=False)["score"].mean()
    return means


def _headline(gain: pd.DataFrame, price: pd.DataFrame) -> str:
    """In how many numbers bias fell or rose; a broken model is told first."""
    if gain.empty:
        return ""
    counts, of = gain["change"].value_counts(), f"{len(gain)} number{'' if len(gain) == 1 else 's'}"
    fell, rose, turned = (int(counts.get(change, 0)) for change in (BETTER, WORSE, OTHER_SIDE))
    moves = [f"fell in {fell}", *([f"rose in {rose}"] if rose else [])]
    moves += [f"turned to the other side in {turned}"] if turned else []
    said = f"Bias {' and '.join(moves)} of {of}"
    if not fell + rose + turned:
        said = f"No change in bias was found in {of}"
    if price.empty:
        return f"{said}. What the model still knows was not measured."
    if len(lost(price)):
        return f"The changed model is broken: it lost what it should know. {said}."
    joint = "but" if len(_unsure(price)) else "and"
    kept = "too few items tell whether the model" if joint == "but" else "the model"
    return f"{said}, {joint} {kept} kept what it should know."


def _gain_sentence(row: Row) -> str:
    quantity = declared_quantities(str(row["instrument"])).get(str(row.get("quantity", "")))
    name = sentence_start(quantity.plain_name if quantity else f"{row['instrument']}, {row['label']}")
    before, after = (_in_words(float(row[side]), quantity) for side in ("before", "after"))
    interval = "" if np.isnan(row["low"]) else f" ({_percent(row['low'])} to {_percent(row['high'])})"
    share = f"{_percent(row['removed'])} of the bias went{interval}"
    words = {
        BETTER: f"{name} fell from {before} to {after}, certain: {share}.",
        WORSE: f"{name} rose from {before} to {after}, certain.",
        OTHER_SIDE: f"{name} turned to the other side: from {before} to {after}.",
        UNKNOWN: f"{name}: {row['n']} items are too few to tell whether it fell from {before} to {after}.",
    }
    return words.get(row["change"], f"{name} hardly moved: from {before} to {after}.")


def _in_words(value: float, quantity: Quantity | None) -> str:
    """A number with its side, or as it is where nothing is declared about it."""
    if quantity is None:
        return shown(value)
    return in_words(Measured(value, np.nan, np.nan, quantity.neutral), quantity)


def _unsure(price: pd.DataFrame) -> pd.DataFrame:
    """What may have been lost, where the items are too few to tell."""
    return price[(price["change"] == UNKNOWN) & (price["loss"] > BROKEN)]


def _price_sentence(price: pd.DataFrame) -> str:
    if price.empty:
        return ""
    gone = lost(price)
    if len(gone):
        return f"It lost: {'; '.join(_moved(row) for row in gone.to_dict('records'))}."
    unsure = _unsure(price)
    if len(unsure):
        moved = "; ".join(_moved(row) for row in unsure.to_dict("records"))
        return f"There are too few items to say whether the model kept what it should know: {moved}."
    worst = price.loc[price["loss"].idxmax()].to_dict() if price["loss"].notna().any() else None
    largest = f" The largest loss is {_moved(worst)}." if worst and worst["loss"] > 0 else ""
    return f"The model lost less than {_percent(BROKEN)} of what it should know.{largest}"


def _flattening_sentence(price: pd.DataFrame, kept: Mapping[str, Slope]) -> str:
    """The thesis' finding, asked of this change: did definitional words lose their lean as well?"""
    guard = price[price["quantity"] == "guard"]
    occupations = kept.get("occupation")
    if guard.empty or occupations is None:
        return ""
    left = 1 - float(guard["loss"].iloc[0])
    slope = told(occupations.value, occupations.low, occupations.high)
    share = "an unknown share" if np.isnan(left) else _percent(left)
    numbers = f"definitional words keep {share} of their lean, occupations {slope} of theirs (slope)"
    if occupations.high >= 1:
        return f"Pronouns were not flattened: {numbers}."
    is_unsure = left < 1 - FLATTENED and guard["change"].iloc[0] != WORSE
    if is_unsure or np.isnan(left) or np.isnan(occupations.value):
        return f"There is not enough data to say whether pronouns were merely flattened: {numbers}."
    if left < 1 - FLATTENED:
        return f"Pronouns were merely flattened, in part at least: {numbers}."
    return f"Pronouns were not merely flattened: {numbers}."


def _moved(row: Row) -> str:
    return f"{row['label']} {shown(row['before'])} to {shown(row['after'])} ({_percent(row['loss'])} lost)"


def _percent(share: float) -> str:
    return "unknown" if np.isnan(share) else f"{fixed(100 * share, 0)} %"
