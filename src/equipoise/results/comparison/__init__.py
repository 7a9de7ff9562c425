"""Comparing models: the same items paired, and in words what the difference allows one to say."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import combinations
from math import nan
from numbers import Real
from typing import Any, NamedTuple

import pandas as pd

from equipoise.errors import UserError, unknown_name
from equipoise.results.comparison.differences import (
    Difference,
    change_of,
    corrected_word,
    difference_of,
    sentence,
)
from equipoise.results.comparison.pairing import Paired, check_comparable, pair, remarks, void_of
from equipoise.results.estimate import NOT_MEANINGFUL, heading
from equipoise.results.quantity import Quantity
from equipoise.results.result import Result, as_results
from equipoise.stats.significance import holm

COLUMNS = (
    *("instrument", "quantity", "label", "part", "first", "second"),
    *("first_value", "second_value", "difference", "low", "high", "p_holm", "p_equivalence"),
    *("margin", "detectable", "n", "unpaired", "better", "verdict", "change", "void"),
)

SHOWN = ("instrument", "label", "first_value", "second_value", "difference", "low", "high", "n", "verdict")
"""The columns that a notebook shows of a comparison."""

Margins = Mapping[str, float] | float | None
"""The largest difference that would not matter: for everything, or by instrument; else each has its own."""


@dataclass(frozen=True, repr=False)
class Comparison:
    """Paired differences (second minus first) with a verdict in words for each pair of models.

    A row is one quantity of one instrument: its bias, or (`part`) the guard or ability that must not fall.
    """

    table: pd.DataFrame
    alone: tuple[str, ...] = ()
    """The instruments that only one of the models was measured with."""

    notes: tuple[str, ...] = ()
    """What else a reader should know, such as items that were left out."""

    is_apart: bool = False
    """Whether one model was asked about different texts: nothing is lost or kept between those."""

    def sentences(self) -> list[str]:
        """Each bias in words, and whether the model still knows what it should."""
        said = []
        for _, rows in self.table.groupby(["instrument", "first", "second"], sort=False):
            records = rows.to_dict("records")
            kept = [row for row in records if row["part"] != "bias" and not self.is_apart]
            said += [
                sentence(row, kept, is_apart=self.is_apart)
                for row in records
                if row["part"] == "bias" or self.is_apart
            ]
        said += [f"{name}: not compared, because only one result of it was given." for name in self.alone]
        return [*said, *self.notes]

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """What a notebook shows: the sentences, and the numbers behind them."""
        said = "".join(f"<li>{escape(sentence)}</li>" for sentence in self.sentences())
        shown = self.table[list(SHOWN)].rename(columns=heading)
        return f"<ul>{said}</ul>{shown.to_html(index=False)}"


def compare(*results: Result | Sequence[Result], margin: Margins = None, by_text: bool = False) -> Comparison:
    """Compare two or more results of the same instruments, item by item.

    Results on files with different content are refused; `by_text` pairs the items whose text is the same.
    """
    flat = [result for given in results for result in as_results(given, "compare")]
    by_instrument: dict[str, list[Result]] = {}
    for result in flat:
        by_instrument.setdefault(result.instrument, []).append(result)
    several = {name: group for name, group in by_instrument.items() if len(group) > 1}
    if not several:
        raise UserError(
            f"There is nothing to compare: {len(flat)} result(s) of {', '.join(by_instrument) or 'nothing'}.",
            "Give at least two results of the same instrument, from different models.",
        )
    check_margins(margin, by_instrument)
    pairs = [both for group in several.values() for both in _pairs(group, by_text)]
    alone = tuple(name for name in by_instrument if name not in several)
    return compare_pairs(pairs, margin, alone=alone)


def compare_pairs(
    pairs: Sequence[Paired], margin: Margins = None, *, alone: tuple[str, ...] = ()
) -> Comparison:
    """Every quantity of every pair of results, with p values corrected over all of them."""
    differences = [
        Compared(
            *(both.first.instrument, both.first.model, both.second.model, both.unpaired, difference),
            void_of(both, quantity),
        )
        for both in pairs
        for quantity in both.first.quantities
        if (difference := difference_of(both, quantity, margin_of(margin, both.first.instrument, quantity)))
    ]
    notes = tuple(remark for both in pairs for remark in remarks(both))
    return Comparison(table_of(differences), alone, notes)


class Compared(NamedTuple):
    """A difference with the names of what was compared, and how many items stayed without a partner."""

    instrument: str
    first: str
    second: str
    unpaired: int
    difference: Difference
    void: str = ""
    """Why the quantity means nothing in one of them; empty where it does."""

    @property
    def p(self) -> float:
        """What is corrected for: a difference that means nothing does not count as a test."""
        return nan if self.void else self.difference.verdict.p_difference


def table_of(differences: Sequence[Compared]) -> pd.DataFrame:
    """The differences as a table, with p values corrected over all of them."""
    corrected = holm([compared.p for compared in differences])
    rows = [_row(compared, float(p)) for compared, p in zip(differences, corrected, strict=True)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _pairs(group: Sequence[Result], by_text: bool) -> list[Paired]:
    check_comparable(group, by_text=by_text)
    return [pair(first, second, by_text=by_text) for first, second in combinations(group, 2)]


def _row(compared: Compared, p_corrected: float) -> dict[str, object]:
    difference = compared.difference
    quantity, verdict = difference.quantity, difference.verdict
    word = NOT_MEANINGFUL if compared.void else corrected_word(difference, p_corrected)
    return {
        "instrument": compared.instrument,
        "quantity": quantity.key,
        "label": quantity.label,
        "part": quantity.part,
        "first": compared.first,
        "second": compared.second,
        "first_value": difference.first.value,
        "second_value": difference.second.value,
        "difference": verdict.difference,
        "low": verdict.interval.low,
        "high": verdict.interval.high,
        "p_holm": p_corrected,
        "p_equivalence": verdict.p_equivalence,
        "margin": difference.margin,
        "detectable": verdict.detectable,
        "n": verdict.n,
        "unpaired": compared.unpaired,
        "better": quantity.better,
        "verdict": word,
        "change": change_of(difference, word),
        "void": compared.void,
    }


def margin_of(margin: Margins, instrument: str, quantity: Quantity) -> float | None:
    """The user's margin for a bias; what is in another unit keeps its own: guard, ability, F1 scores."""
    if quantity.part != "bias" or quantity.statistic:
        return None
    return margin.get(instrument) if isinstance(margin, Mapping) else margin


def check_margins(margin: Margins, instruments: Mapping[str, object]) -> None:
    """Refuse a margin that is not a number, or one for an instrument that is not there."""
    numbers: Iterable[Any] = margin.values() if isinstance(margin, Mapping) else [margin or 0.0]
    for number in numbers:
        if not isinstance(number, Real):
            raise UserError(f"The margin is {number!r}.", "Give a number, or one for each instrument.")
    for name in margin if isinstance(margin, Mapping) else ():
        if name not in instruments:
            raise unknown_name("instrument among these results", name, instruments)
