"""The first screen of a study: what it found, and a card for each number with every arm on one axis."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan
from typing import Any, NamedTuple

import pandas as pd

from equipoise.instruments import declared_quantities
from equipoise.report.measurements import slug
from equipoise.report.page.gauges import Axis, Slope, Tick, axis_of, in_how_many, point_of, ticks_of
from equipoise.report.page.screen import MOST_SENTENCES, Mark, Screen, limits_of
from equipoise.report.sections import Study
from equipoise.results import Quantity
from equipoise.results.quantity import KNOWLEDGE, QUESTIONS
from equipoise.results.reading import (
    CANNOT_TELL,
    NEGLIGIBLE,
    NO,
    YES,
    Measured,
    amount,
    certainty_of,
    knows,
    sentence_start,
    size_of,
    span,
    told,
)
from equipoise.results.records import shown

MOST_CARDS = 8
MOST_POINTS = 12
"""Of more arms than these a card shows the first ones; the charts below show all."""

NOTHING = float("nan")
_MARKS = {YES: ("✔", "yes"), NO: ("✘", "no")}


_REMOVED = Quantity(
    *("removed", "bias removed", 0.05),
    better="higher",
    scale="half",
    name="share of the bias that went",
    question="Did the bias fall?",
)
_PRICE = replace(
    _REMOVED, key="price", name="share of an ability that went", question="Did it cost anything?"
)


class Way(NamedTuple):
    """How a table holds a number: the columns it needs, and what they call arm, number and ends."""

    needs: frozenset[str]
    arm: str
    key: str = "{key}"
    value: str = "mean"
    ends: tuple[str, str] = ("low", "high")
    where: tuple[str, str] = ("by", "")
    quantity: Quantity | None = None


def _way(needs: str, arm: str, **more: Any) -> Way:
    return Way(frozenset(needs.split()), arm, **more)


_RANKED = {"key": "{quantity}", "value": "value", "where": ("group", "all")}
_GAINED = {"key": "removed", "value": "removed", "quantity": _REMOVED}
_PAID = {"key": "price", "quantity": _PRICE}
WAYS = (
    _way("step key by mean", "step {step}"),
    _way("size key by mean", "{size:,} sentences"),
    _way("arm instrument key by mean", "{arm}"),
    _way("side seed key value", "{side}, seed {seed}", value="value"),
    _way("instrument quantity group model rank", "{model}", **_RANKED),
    _way("test group value against", "{group}", key="{test}", value="value"),
    _way("instrument label removed", "{label}", **_GAINED),
    _way("instrument label loss", "{label}", value="loss", **_PAID),
    _way("method removed price", "{method}", ends=("removed_low", "removed_high"), **_GAINED),
    _way("method removed price", "{method}", value="price", ends=("price_low", "price_high"), **_PAID),
)
"""The first way whose columns a table has is read, and others with the same columns."""


class Number(NamedTuple):
    """One number of a study: what it is, and its value in every arm."""

    key: str
    label: str
    quantity: Quantity | None
    arms: Mapping[str, Measured]


def study_screen(study: Study) -> Screen:
    """The first screen of a study: its sentences, a card for each number, and what the arms still know."""
    headline, *others = study.sentences or (study.title,)
    numbers = list(_numbers(study))
    is_known = [one.quantity is not None and one.quantity.part != "bias" for one in numbers]
    cards = [one for one, known in zip(numbers, is_known, strict=True) if not known]
    marks = [mark for one, known in zip(numbers, is_known, strict=True) if known for mark in _marks(one)]
    return Screen(
        "",
        study.title,
        "",
        headline,
        tuple(others[:MOST_SENTENCES]),
        (),
        tuple(marks[:MOST_CARDS]),
        slopes=tuple(_slope(slug(study.name), one) for one in cards[:MOST_CARDS]),
    )


def _numbers(study: Study) -> Iterator[Number]:
    """Every number over all items that the tables of a study hold, in their order."""
    for table in study.tables.values():
        if {"random_mean", "random_lowest"} <= set(table.columns):
            yield from map(_beside_random, table.to_dict("records"))
        ways = [one for one in WAYS if one.needs <= set(table.columns)]
        for way in ways:
            if way.needs == ways[0].needs:
                yield from _read(table, way)


def _read(table: pd.DataFrame, way: Way) -> Iterator[Number]:
    """The numbers of a table that one way finds in it."""
    column, level = way.where
    rows = table if column not in table else table[table[column].fillna("").eq(level)]
    named = rows.assign(
        number=[way.key.format(**row) for row in rows.to_dict("records")],
        instrument=rows.get("instrument", pd.Series("", index=rows.index)) if way.quantity is None else "",
    )
    for (instrument, key), same in named.groupby(["instrument", "number"], sort=False):
        yield _number(str(instrument), str(key), same, way)


def _number(instrument: str, key: str, rows: pd.DataFrame, way: Way) -> Number:
    quantity = way.quantity or declared_quantities(instrument).get(key)
    unit = str(rows["unit"].iloc[0]) if "unit" in rows else ""
    label = str(rows["label"].iloc[0]) if "label" in rows else key
    arms = {
        way.arm.format(**row): _measured(
            [row.get(name, NOTHING) for name in (way.value, *way.ends)], quantity, unit
        )
        for row in rows[rows[way.value].notna()].to_dict("records")
    }
    return Number(f"{instrument}.{key}".strip("."), label, quantity, arms)


def _beside_random(row: Mapping[Any, Any]) -> Number:
    """A headline of a model beside the mean of the draws of random weights."""
    level = "" if pd.isna(row["level"]) else str(row["level"])
    quantity = None if level else declared_quantities(str(row["instrument"])).get(str(row["estimate"]))
    arms = {
        "the model": _measured([row[name] for name in ("model_value", "low", "high")], quantity),
        f"random weights, {row['draws']} draws": _measured([row["random_mean"], NOTHING, NOTHING], quantity),
    }
    label = ", ".join(filter(None, (str(row["estimate"]), level)))
    return Number(f"{row['instrument']}.{row['estimate']}", label, quantity, arms)


def _measured(numbers: Sequence[float], quantity: Quantity | None, unit: str = "") -> Measured:
    """A value with its ends, in the unit of its quantity."""
    by = 100 if quantity and unit == "%" and quantity.unit == "share" else 1
    value, low, high = (float(number) / by for number in numbers)
    return Measured(value, low, high, quantity.neutral if quantity else 0.0)


def _slope(anchor: str, number: Number) -> Slope:
    """A card: every arm on one axis, what the furthest and the nearest one are."""
    quantity = number.quantity
    arms = dict(list(number.arms.items())[:MOST_POINTS])
    if quantity is None:
        axis = _plain_axis(list(arms.values()))
        texts = {name: shown(one.value) for name, one in arms.items()}
        title, verdict, sentence = number.label, *_range(arms)
        ticks: tuple[Tick, ...] = ()
    else:
        axis = axis_of(list(arms.values()), quantity)
        texts = {name: told(one, quantity) for name, one in arms.items()}
        title = QUESTIONS.get(quantity.question, quantity.question) or sentence_start(quantity.plain_name)
        verdict, sentence = _found(arms, quantity)
        ticks = ticks_of(axis, quantity)
    return Slope(
        anchor,
        title,
        verdict,
        "same",
        "",
        "",
        limits_of(quantity) if quantity else "",
        sentence,
        axis.left,
        axis.right,
        axis.place(axis.neutral),
        ticks,
        tuple(point_of(axis, name, one, texts[name]) for name, one in arms.items()),
        sentence_start(quantity.plain_name if quantity else number.label),
        number.key,
    )


def _found(arms: Mapping[str, Measured], quantity: Quantity) -> tuple[str, str]:
    """In how many arms the bias was found; then the furthest and the nearest one with size and certainty."""
    leaning = sum(
        size_of(one.value - one.neutral, quantity) != NEGLIGIBLE
        and certainty_of(one, quantity) != CANNOT_TELL
        for one in arms.values()
    )
    ordered = sorted(arms.items(), key=lambda pair: -abs(pair[1].value - pair[1].neutral))
    ends = dict([ordered[0], ordered[-1]]) if len(ordered) > 1 else dict(ordered)
    words = ("Furthest from neutral", "Nearest") if len(ends) > 1 else ("Measured",)
    said = [
        f"{word}: {_told(name, one, quantity)}" for word, (name, one) in zip(words, ends.items(), strict=True)
    ]
    return in_how_many(leaning, len(arms)), " ".join(said)


def _told(name: str, one: Measured, quantity: Quantity) -> str:
    """One arm with its amount, side, interval, size and certainty."""
    interval = "" if isnan(one.low) else f" ({span(one, quantity)})"
    size = size_of(one.value - one.neutral, quantity)
    return f"{name}, {told(one, quantity)}{interval}: {size}, {certainty_of(one, quantity)}."


def _range(arms: Mapping[str, Measured]) -> tuple[str, str]:
    """From where to where a number without declared limits goes, and whose the ends are."""
    ordered = sorted(arms.items(), key=lambda pair: pair[1].value)
    (low, least), (high, most) = ordered[0], ordered[-1]
    if len(ordered) == 1:
        return shown(least.value), f"{low}: {shown(least.value)}{_between(least)}."
    verdict = f"{shown(least.value)} to {shown(most.value)}"
    return verdict, f"Lowest: {low}{_between(least)}. Highest: {high}{_between(most)}."


def _between(one: Measured) -> str:
    return "" if isnan(one.low) else f" ({shown(one.low)} to {shown(one.high)})"


def _plain_axis(measured: Sequence[Measured]) -> Axis:
    """Return an axis that covers all numbers and 0."""
    ends = [end for one in measured for end in one[:3] if not isnan(end)]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    high = high if high > low else low + 1.0
    return Axis(low, high, 0.0, shown(low), shown(high))


def _marks(number: Number) -> Iterator[Mark]:
    """What each arm still knows."""
    quantity = number.quantity
    assert quantity is not None
    name = sentence_start(KNOWLEDGE.get(quantity.question, "").rstrip("?") and quantity.plain_name)
    for arm, one in number.arms.items():
        word = knows(one, quantity)
        mark, state = _MARKS.get(word, ("?", "unsure"))
        yield Mark(mark, state, f"{arm}: {name or number.label} {amount(one.value, quantity)}: {word}.")
