"""Remarks: what a comparison leaves out, and what it sets side by side although it is not quite alike."""

from collections.abc import Iterator

import pandas as pd

from equipoise.results.comparison.pairing import FIRST, SECOND, Paired
from equipoise.results.estimate import by_of, level_of
from equipoise.results.numbers import fixed
from equipoise.results.quantity import Quantity
from equipoise.results.result import Result

LABEL = "label"
"""A choice that may differ for a reason: two classifiers may call one label differently."""


def remarks(paired: Paired) -> list[str]:
    """What a reader must know of two results beside their differences."""
    return [*_left_out(paired), *_unalike(paired)]


def void_of(paired: Paired, quantity: Quantity) -> str:
    """Why a bias means nothing in one of the results, or not in both: sizes belong to a kind of model."""
    kinds = paired.first.kind, paired.second.kind
    if (
        quantity.part == "bias"
        and kinds[0] != kinds[1]
        and quantity.kind != "share"
        and not quantity.statistic
    ):
        return f"sizes of a {kinds[0]} and a {kinds[1]} model are of different things"
    said = [
        f"{reason} ({result.model})"
        for result in (paired.first, paired.second)
        if quantity.part == "bias" and (reason := _void(result, quantity))
    ]
    return ", ".join(said)


def _void(result: Result, quantity: Quantity) -> str:
    table = result.estimates
    groups = {name: level for name, level in quantity.where.items() if name in set(table["by"])}
    of_part = (table["by"] == by_of(groups)) & (table["level"] == level_of(groups))
    reasons = table.loc[of_part & (table["void"] != ""), "void"]
    return str(reasons.iloc[0]) if len(reasons) else ""


def _left_out(paired: Paired) -> Iterator[str]:
    first, second = paired.first, paired.second
    shares = [result.sample["share"] for result in (first, second) if result.sample]
    if shares:
        yield f"{first.instrument}: compared on a sample of {fixed(100 * min(shares), 0)} % of the items."
    elif paired.unpaired:
        by_text = "item" not in paired.items
        shared = ", or the text of another item," if by_text else ""
        yield (
            f"{first.instrument}: {paired.unpaired:,} items of {first.model} or {second.model} have no "
            f"partner in the other result{shared} and were left out."
        )
    asked = {side: paired.items[f"dropped{side}"] == "" for side in (FIRST, SECOND)}
    neither = int((~asked[FIRST] & ~asked[SECOND]).sum())
    if neither:
        yield (
            f"{first.instrument}: {neither:,} of {len(paired.items):,} items could be asked of neither "
            f"{first.model} nor {second.model}."
        )
    for result, side, other in ((first, FIRST, SECOND), (second, SECOND, FIRST)):
        lacking = paired.items[asked[other] & ~asked[side]]
        if len(lacking):
            reason = lacking[f"dropped{side}"].iloc[0]
            yield (
                f"{first.instrument}: {len(lacking):,} of {len(paired.items):,} items were left out because "
                f"{result.model} could not be asked them, the first: "
                f"{_name_of_first(lacking, side)} ({reason})."
            )


def _name_of_first(lacking: pd.DataFrame, side: str) -> str:
    return str(lacking["item" if "item" in lacking else f"item{side}"].iloc[0])


def _unalike(paired: Paired) -> Iterator[str]:
    first, second = paired.first, paired.second
    if first.kind != second.kind:
        yield (
            f"{first.instrument}: {first.model} is {first.kind}, {second.model} {second.kind}: probabilities "
            "of the two are of different things, so only shares and choices are compared, and no sizes."
        )
    if first.precision != second.precision:
        yield (
            f"{first.instrument}: {first.model} was run in {first.precision} and {second.model} in "
            f"{second.precision}: rounding may be a part of the difference."
        )
    ours, theirs = (result.choices.get(LABEL, "by default") for result in (first, second))
    if ours != theirs:
        yield (
            f"{first.instrument}: the label is {ours} for {first.model} and {theirs} for {second.model}: "
            "the difference means something only if they stand for the same."
        )
