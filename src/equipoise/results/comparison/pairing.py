"""Pairing two results of one instrument: which items both have, what is refused, and what is left out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import pandas as pd

from equipoise.errors import UserError
from equipoise.results.estimate import by_of, level_of
from equipoise.results.quantity import Quantity
from equipoise.results.records import fixed
from equipoise.results.result import Result

FIRST, SECOND = "_first", "_second"


@dataclass(frozen=True)
class Paired:
    """The items of two results side by side, and how many only one of them holds."""

    first: Result
    second: Result
    items: pd.DataFrame
    unpaired: int


def check_comparable(results: Sequence[Result], *, by_text: bool = False) -> None:
    """Refuse results of one model, of different variants or poles, or of other data (unless by text)."""
    for first, second in combinations(results, 2):
        if first.fingerprint == second.fingerprint:
            raise UserError(
                f"{first.model!r} and {second.model!r} are the same model: their weights, configuration "
                "and tokenizer are identical.",
                _advice(first, second),
            )
        if first.model == second.model:
            raise UserError(
                f"Two different models are called {first.model!r}.",
                "Measure them by folders that tell them apart, or wrap each with a name of its own.",
            )
        check_same_quantity(first, second)
        _check_same_sample(first, second)
        if not by_text:
            _check_same_data(first, second)


def check_same_quantity(first: Result, second: Result) -> None:
    """Refuse results of different variants or poles, or of different layers of a model."""
    if first.version != second.version:
        older, newer = sorted((first, second), key=lambda one: one.version)
        raise UserError(
            f"{first.instrument}: {older.model!r} was measured with version {older.version} "
            f"and {newer.model!r} with version {newer.version} of the instrument, which gives other numbers.",
            f"Measure {older.model!r} again; the changelog says what moved.",
        )
    if first.variant != second.variant:
        raise UserError(
            f"{first.instrument}: the variants {first.variant!r} and {second.variant!r} are different "
            "quantities.",
            "Measure both models with the same variant.",
        )
    _check_same_poles(first, second)
    for name in sorted({*first.fixed_choices, *second.fixed_choices}):
        ours, theirs = (result.choices.get(name, "by default") for result in (first, second))
        if ours != theirs:
            raise UserError(
                f"{first.instrument}: {name} {ours} and {name} {theirs} are different quantities.",
                f"Measure both with the same --{name}.",
            )


def pair(first: Result, second: Result, *, by_text: bool = False) -> Paired:
    """The items that both results hold, matched by their name, or by their text where that is wanted."""
    key = list(first.roles.text) if by_text else ["item"]
    tables = [_keyed(result, key) for result in (first, second)]
    items = tables[0].merge(tables[1], on=key, suffixes=(FIRST, SECOND), validate="one_to_one")
    if items.empty:
        raise UserError(
            f"{first.instrument}: {first.model!r} and {second.model!r} have no item in common.",
            "Measure both models on the same data.",
        )
    if not by_text:
        _check_same_text(first, second, items)
    lengths = len(first.items) + len(second.items)
    return Paired(first, second, items, lengths - 2 * len(items))


def _check_same_text(first: Result, second: Result, items: pd.DataFrame) -> None:
    """One name must stand for one text, which choices such as the length of a context may change."""
    for column in first.roles.text:
        sides = [f"{column}{side}" for side in (FIRST, SECOND)]
        if any(side not in items for side in sides):
            continue
        ours, theirs = (items[side] for side in sides)
        differ = items[(ours != theirs) & ~(ours.isna() & theirs.isna())]
        if len(differ):
            raise UserError(
                f"{first.instrument}: {len(differ):,} of {len(items):,} items are not the same text in both "
                f"results, the first: {differ['item'].iloc[0]}.",
                "Measure both with the same choices; --by-text pairs the items whose text is the same.",
            )


def _advice(first: Result, second: Result) -> str:
    """Suggest what comparing a model with itself was meant as: two corpora, or before and after."""
    if sorted(first.data_hashes.values()) != sorted(second.data_hashes.values()):
        return "Compare one model on different corpora with --corpora, or give results of two models."
    return "Nothing was changed between them; check which folder the changed model was saved to."


def _keyed(result: Result, key: list[str]) -> pd.DataFrame:
    """The items by their key; of several with one text the first is taken, the others stay unpaired."""
    return result.items.drop_duplicates(key)


def _check_same_poles(first: Result, second: Result) -> None:
    ours, theirs = (Path(result.poles).name for result in (first, second))
    if ours != theirs:
        raise UserError(
            f"{first.instrument}: the poles {ours!r} and {theirs!r} are different quantities.",
            "Measure both models with the same poles.",
        )


def _check_same_sample(first: Result, second: Result) -> None:
    """A sample is compared with the same items of another model: the same sample, or its whole run."""
    ours, theirs = (
        {name: result.sample.get(name) for name in ("share", "seed", "asked")} for result in (first, second)
    )
    if first.sample and second.sample and ours != theirs:
        shares = [f"{fixed(100 * result.sample['share'], 0)} %" for result in (first, second)]
        raise UserError(
            f"{first.instrument}: {first.model!r} and {second.model!r} are different samples, of "
            f"{' and '.join(shares)} of the items.",
            "Continue both runs, or stop both at the same share.",
        )


def _check_same_data(first: Result, second: Result) -> None:
    ours, theirs = (sorted(result.data_hashes.values()) for result in (first, second))
    if ours == theirs:
        return
    raise UserError(
        f"{first.instrument}: {first.model!r} and {second.model!r} were measured on different data: "
        f"{_what_differs(first, second)}.",
        "Measure both models on the same files; --by-text pairs the items whose text is the same.",
    )


def _what_differs(first: Result, second: Result) -> str:
    """The files that only one of them was measured on, or those of one name with other content."""
    ours, theirs = (
        [name for name, digest in one.data_hashes.items() if digest not in other.data_hashes.values()]
        for one, other in ((first, second), (second, first))
    )
    if sorted(ours) == sorted(theirs):
        return f"the content of {', '.join(ours) or 'the data'} differs"
    return f"the first on {', '.join(ours) or 'less'}, the second on {', '.join(theirs) or 'less'}"


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
