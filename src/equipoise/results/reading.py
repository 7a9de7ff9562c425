"""Reading: a number in plain words: how large it is, on which side, and how certain that is.

Size and certainty are two words. The size comes from the limits that the quantity declares, the certainty
from the interval: *certain* where the 95 % interval excludes neutral, *likely* where an 80 % interval would.
"""

from collections.abc import Iterable, Mapping
from math import exp, isfinite, isnan
from typing import Any, NamedTuple

from equipoise.results.estimate import Estimate, place_in_words
from equipoise.results.quantity import SCALES, Quantity
from equipoise.results.records import fixed, shown

NEGLIGIBLE, SMALL, CLEAR, STRONG = SIZES = ("negligible", "small", "clear", "strong")
CERTAIN, LIKELY, CANNOT_TELL = ("certain", "likely", "cannot tell")

SHARE_OF_80 = 0.654
"""Width of an 80 % interval over that of a 95 % one: 1.282 / 1.960. With few clusters it is narrower."""

MOST_TIMES = 100.0
"""A likelihood ratio beyond this is only called larger."""


class Measured(NamedTuple):
    """A value with its interval and its neutral value, in the units of its quantity."""

    value: float
    low: float
    high: float
    neutral: float = 0.0

    @classmethod
    def of(cls, row: Mapping[Any, Any], quantity: Quantity) -> "Measured":
        """The numbers of an estimate; a percentage is a share where the quantity is one."""
        by = 100 if row["unit"] == "%" and quantity.unit == "share" else 1
        return cls(*(float(row[name]) / by for name in ("value", "low", "high", "neutral")))


def size_of(distance: float, quantity: Quantity) -> str:
    """How large a distance from neutral is."""
    small, clear, strong = quantity.limits
    size = abs(distance)
    if size < small:
        return NEGLIGIBLE
    return STRONG if size >= strong else CLEAR if size >= clear else SMALL


def certainty_of(measured: Measured, quantity: Quantity) -> str:
    """How certain it is that a value is not neutral, or that it is negligible where it is that small."""
    value, low, high, neutral = measured
    if not all(map(isfinite, (value, low, high, neutral))):
        return CANNOT_TELL
    margin = quantity.margin
    # A mean size is never below 0: it differs from nothing only where it differs from a negligible one.
    least = margin if quantity.better == "lower" and not quantity.sides else 0.0
    is_negligible = abs(value - neutral) < margin
    for word, width in ((CERTAIN, 1.0), (LIKELY, SHARE_OF_80)):
        ends = value - width * (value - low) - neutral, value + width * (high - value) - neutral
        inside, outside = -margin < ends[0] <= ends[1] < margin, ends[0] > least or ends[1] < -least
        if inside if is_negligible else outside:
            return word
    return CANNOT_TELL


def side_of(measured: Measured, quantity: Quantity) -> str:
    """Which side a value is on, in words; nothing for a size or a tie."""
    if not quantity.sides or isnan(measured.value) or measured.value == measured.neutral:
        return ""
    return quantity.sides[0 if measured.value > measured.neutral else 1]


def amount(number: float, quantity: Quantity, *, unit: bool = True) -> str:
    """A number as people read it: points, percent or times; `unit` writes which of them it is."""
    how = SCALES[quantity.scale].shown
    if how == "times":
        times = exp(min(number, 20.0))
        text = f"more than {MOST_TIMES:g}" if times > MOST_TIMES else two_digits(times)
        return f"{text} times" if unit else text
    if how == "points" or (how == "percent" and quantity.scale == "half"):
        number *= 100
    text = two_digits(number)
    if not unit or how == "number":
        return text
    if how == "percent" or (how == "points of 100" and quantity.part != "bias"):
        return f"{text} %"
    return f"{text} {'point' if text == '1' else 'points'}"


def span(measured: Measured, quantity: Quantity) -> str:
    """An interval in words, such as 43 to 58; a distance is given on the side of its value."""
    low, high = (amount(end, quantity, unit=False) for end in distances(measured, quantity)[1:])
    return low if low == high else f"{low} to {high}"


def distances(measured: Measured, quantity: Quantity) -> tuple[float, float, float]:
    """Value and ends as they are shown: turned to the side of the value where there are sides.

    A share of pairs and what a model should know keep their own scale.
    """
    value, low, high, neutral = measured
    if not quantity.sides or SCALES[quantity.scale].shown == "percent" or quantity.part != "bias":
        return value, low, high
    if value >= neutral:
        return value - neutral, low - neutral, high - neutral
    return neutral - value, neutral - high, neutral - low


def told(measured: Measured, quantity: Quantity) -> str:
    """A value with its side in words: 53 points towards men; one that is practically 0 is on no side."""
    text, side = amount(distances(measured, quantity)[0], quantity), side_of(measured, quantity)
    return text if not side or text.startswith("practically") else f"{text} {side}"


def two_digits(number: float) -> str:
    """Two significant digits, as prose has them; integers keep all of theirs."""
    if abs(number) < 0.005:
        return "0" if number == 0 else "practically 0"
    if abs(number) >= 10:
        return fixed(number, 0)
    return f"{fixed(number, 1 if abs(number) >= 1 else 2)}".removesuffix(".0")


def likelier(number: float) -> str:
    """What a logarithm of a ratio says: 1.9 times likelier."""
    times = two_digits(exp(min(abs(number), 20.0)))
    return "as likely" if times == "1" else f"{times} times {'less likely' if number < 0 else 'likelier'}"


def readings(estimates: Iterable[Estimate], quantities: Iterable[Quantity] = ()) -> list[str]:
    """One sentence for each headline.

    Headlines by two things at once are cells of a table, which shows them better than as many sentences.
    """
    declared = {quantity.key: quantity for quantity in quantities}
    return [
        reading(estimate, declared.get(estimate.key))
        for estimate in estimates
        if estimate.headline and len(estimate.groups) < 2
    ]


def reading(estimate: Estimate, quantity: Quantity | None = None) -> str:
    """What one estimate says of the model, or why it says nothing."""
    label = estimate.label or estimate.key.replace("-", " ")
    name = quantity.plain_name if quantity else label
    name = sentence_start(name) + (f" ({place_in_words(estimate.by, estimate.level)})" if estimate.by else "")
    if isnan(estimate.value):
        return f"{name}: no value, because none of {estimate.dropped:,} items could be used."
    if quantity is None and estimate.void:
        return f"{name}: {shown(estimate.value)}, not meaningful because {estimate.void}."
    if quantity is None:
        interval = "" if isnan(estimate.low) else f" ({shown(estimate.low)} to {shown(estimate.high)})"
        return f"{name}: {shown(estimate.value)}{interval}."
    row = {name: getattr(estimate, name) for name in ("value", "low", "high", "neutral", "unit")}
    measured = Measured.of(row, quantity)
    value = amount(distances(measured, quantity)[0], quantity)
    if measured.low == measured.high == measured.neutral:
        return f"{name}: exactly neutral, both sides are treated alike."
    if estimate.void:
        return f"{name}: {value}, not meaningful because {estimate.void}."
    interval = "" if isnan(measured.low) else f" ({span(measured, quantity)})"
    if quantity.part != "bias":
        return f"{name}: {value}{interval}: {knows(measured, quantity)}."
    side = side_of(measured, quantity)
    size = size_of(measured.value - measured.neutral, quantity)
    return f"{name}: {value}{interval}{side and f' {side}'}: {size}, {certainty_of(measured, quantity)}."


YES, NO, UNSURE = "as it should", "less than it should", "cannot tell whether it is enough"


def knows(measured: Measured, quantity: Quantity) -> str:
    """Whether a model has what it should know: at least `enough`, and certainly."""
    enough = quantity.enough
    if enough is None or isnan(measured.value):
        return UNSURE
    if measured.value < enough:
        return NO if isnan(measured.high) or measured.high < enough else UNSURE
    return YES if isnan(measured.low) or measured.low >= enough else UNSURE


def sentence_start(name: str) -> str:
    """The name with a capital, as a sentence begins with it."""
    return name[:1].upper() + name[1:]
