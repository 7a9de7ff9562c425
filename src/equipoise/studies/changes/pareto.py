"""Which methods are worth a look: bias removed against price, the front, and who is beaten by whom."""

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
import pandas as pd

from equipoise.results.comparison.differences import BETTER, OTHER_SIDE, WORSE
from equipoise.results.records import fixed
from equipoise.stats.repeats import over_repeats

Tables: TypeAlias = tuple[pd.DataFrame, pd.DataFrame]
"""A gain and a price."""

COLUMNS = (
    *("method", "removed", "removed_low", "removed_high", "price", "price_low", "price_high"),
    *("dearest", "perplexity_other", "seeds", "removed_sd", "price_sd", "minutes", "library"),
    *("surely_lower", "surely_higher", "front", "dominated_by"),
)

NO_CHANGE = "no change at all"
"""What beats a method that surely lowers neither the average nor any of the instruments."""


def method_row(method: str, gain: pd.DataFrame, price: pd.DataFrame) -> dict[str, object]:
    """Summarise a method: the mean share of bias removed over all instruments, and its largest relative loss.

    The interval of a mean over instruments takes them as independent; that of the loss is its own row's.
    """
    removed = gain.dropna(subset=["removed"])
    reach = [(removed[end] - removed["removed"]).abs() for end in ("low", "high")]
    spread = [float(np.sqrt((one**2).sum())) / max(1, len(removed)) for one in reach]
    share = float(removed["removed"].mean()) if len(removed) else np.nan
    losses = price.dropna(subset=["loss"])
    dearest = losses.loc[losses["loss"].idxmax()] if len(losses) else pd.Series(dtype=object)
    other = losses.loc[losses["quantity"] == "likelihood-other", "loss"]
    return {
        "method": method,
        "removed": share,
        "removed_low": share - spread[0],
        "removed_high": share + spread[1],
        "price": float(np.maximum(0.0, dearest.get("loss", np.nan))),
        "price_low": float(dearest.get("low", np.nan)),
        "price_high": float(dearest.get("high", np.nan)),
        "dearest": str(dearest.get("label", "")),
        "perplexity_other": float(other.iloc[0]) if len(other) else np.nan,
        "surely_lower": _changed(gain, BETTER),
        "surely_higher": _changed(gain, WORSE, OTHER_SIDE),
    }


def _changed(gain: pd.DataFrame, *changes: str) -> str:
    """The numbers that surely changed that way, each item by item: an average can hide both ways."""
    chosen = gain[gain["change"].isin(changes)]
    return "; ".join(chosen["instrument"] + ", " + chosen["label"])


def side_by_side(details: Mapping[str, Tables]) -> pd.DataFrame:
    """A row for every number, with a column before and one after each method: value, share gone, interval."""
    columns: dict[str, dict[str, str]] = {}
    for method, (gain, price) in details.items():
        for share, table in (("removed", gain), ("lost", price.rename(columns={"loss": "lost"}))):
            for row in table.to_dict("records"):
                label = f"{row['instrument']}: {row['label']}"
                columns.setdefault("before", {})[label] = fixed(row["before"], 3)
                columns.setdefault(method, {})[label] = _cell(row, share)
    return pd.DataFrame(columns).rename_axis("number").reset_index()


def _cell(row: Mapping[Hashable, object], share: str) -> str:
    """The number after a change, and which share went, with the interval over items."""
    after = fixed(float(str(row["after"])), 3)
    part, low, high = (float(str(row[name])) for name in (share, "low", "high"))
    if np.isnan(part):
        return after
    interval = "" if np.isnan(low) else f" [{_percent(low)}, {_percent(high)}]"
    return f"{after} ({_percent(part)} {share}{interval})"


def over_trainings(method: str, singles: Sequence[Tables], together: Tables) -> dict[str, object]:
    """One method tuned with several seeds: the row of their means, wider by the noise of the seeds."""
    row = method_row(method, *together)
    each = [method_row(method, *tables) for tables in singles]
    removed, price = (over_repeats([float(str(one[name])) for one in each]) for name in ("removed", "price"))
    for name, repeats in (("removed", removed), ("price", price)):
        if repeats.n > 1:
            noise = (repeats.interval.high - repeats.interval.low) / 2
            for side, sign in (("low", -1), ("high", 1)):
                middle, end = float(str(row[name])), float(str(row[f"{name}_{side}"]))
                row[f"{name}_{side}"] = middle + sign * float(np.hypot(end - middle, noise))
    return row | {"seeds": len(each), "removed_sd": removed.sd, "price_sd": price.sd}


def with_front(table: pd.DataFrame) -> pd.DataFrame:
    """The table with its front: a method is dominated by one that removes no less and costs no more.

    A method whose average is not surely above 0 is not on the front, but it is only beaten by leaving the
    model alone if no single number surely fell either.
    """
    beaten = [_dominating(row, table) for row in table.to_dict("records")]
    known = table[["removed", "price"]].notna().all(axis=1) & (table["removed_low"] > 0)
    return table.assign(front=np.array([not by for by in beaten]) & known.to_numpy(), dominated_by=beaten)


def front_sentences(table: pd.DataFrame) -> list[str]:
    """The methods to choose from, those whose average is not sure, and the others with who beats them."""
    said = []
    front = table[table["front"]].sort_values("price")
    for row in front.to_dict("records"):
        said.append(
            f"{row['method']} removes {_percent(row['removed'])} and costs {_percent(row['price'])} "
            f"({row['dearest']}): no other method removes as much for less{_noise(row)}{_but(row)}."
        )
    others = table[~table["front"]].to_dict("records")
    said += [_unsure(row) for row in others if row["dominated_by"] in ("", NO_CHANGE)]
    for row in others:
        if row["dominated_by"] not in ("", NO_CHANGE):
            here = f"{_percent(row['removed'])} removed for {_percent(row['price'])} here"
            said.append(f"{row['method']} is dominated by {row['dominated_by']} ({here}){_but(row)}.")
    return said


def _unsure(row: Mapping[Hashable, object]) -> str:
    """Describe a method whose average may be 0: which instruments certainly fell, or that none did."""
    reach = f"{_percent(row['removed_low'])} to {_percent(row['removed_high'])}"
    average = f"{_percent(row['removed'])} removed, 95 % interval {reach}; it costs {_percent(row['price'])}"
    if row["surely_lower"]:
        lowered = f"{row['method']} surely lowers {row['surely_lower']}"
        return (
            f"{lowered}; that bias falls on average over the instruments is not sure ({average}){_but(row)}."
        )
    return f"{row['method']} does not surely remove any bias ({average}){_but(row)}."


def _but(row: Mapping[Hashable, object]) -> str:
    """Name what got worse, so that a good average does not hide it."""
    return f"; bias surely rose or changed sides in {row['surely_higher']}" if row["surely_higher"] else ""


def _dominating(row: dict[object, object], table: pd.DataFrame) -> str:
    """The best method that is nowhere worse than this one and somewhere better; none: an empty text."""
    if not float(str(row["removed_low"])) > 0:
        return "" if row["surely_lower"] else NO_CHANGE
    removes, costs = table["removed"] >= row["removed"], table["price"] <= row["price"]
    is_other = (table["removed"] != row["removed"]) | (table["price"] != row["price"])
    better = table[removes & costs & is_other]
    return "" if better.empty else str(better.sort_values("removed").iloc[-1]["method"])


def _noise(row: Mapping[Hashable, object]) -> str:
    count, sd = int(str(row.get("seeds", 1))), float(str(row.get("removed_sd", "nan")))
    return "" if np.isnan(sd) else f" (sd of the share removed over {count} seeds: {_percent(sd)})"


def _percent(share: object) -> str:
    number = float(str(share))
    return "an unknown share" if np.isnan(number) else f"{fixed(100 * number, 0)} %"
