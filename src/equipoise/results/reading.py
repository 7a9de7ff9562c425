"""Reading: a headline in plain words: the number, its interval, which way is good, and what it means."""

from collections.abc import Iterable
from math import isnan

from equipoise.results.estimate import Estimate
from equipoise.results.numbers import shown
from equipoise.results.quantity import Quantity


def readings(estimates: Iterable[Estimate], quantities: Iterable[Quantity] = ()) -> list[str]:
    """One sentence for each headline; `quantities` say which sizes are immaterial.

    Headlines by two things at once are cells of a table, which shows them better than as many sentences.
    """
    margins = {quantity.key: quantity.margin for quantity in quantities if quantity.part == "bias"}
    headlines = (estimate for estimate in estimates if estimate.headline and len(estimate.groups) < 2)
    return [reading(estimate, margins.get(estimate.key, 0.0)) for estimate in headlines]


def reading(estimate: Estimate, margin: float = 0.0) -> str:
    """What one estimate says of the model, or why it says nothing; below the margin it hardly matters."""
    name = f"{estimate.label or estimate.key.replace('-', ' ')}"
    name += f" ({estimate.by} {estimate.level})" if estimate.by else ""
    if isnan(estimate.value):
        return f"{sentence_start(name)} has no value: none of {estimate.dropped:,} items could be used."
    value = f"{sentence_start(name)} = {shown(estimate.value)}"
    if estimate.void:
        return f"{value}, which is not meaningful because {estimate.void}."
    if isnan(estimate.low):
        return f"{value} ({_good(estimate)}): too few items or clusters to tell how sure that is."
    interval = f"95 % interval {shown(estimate.low)} to {shown(estimate.high)}"
    if isnan(estimate.neutral) and not estimate.above:
        return f"{value} ({interval}; {_good(estimate)})."
    return f"{value} ({interval}; {_good(estimate)}): {_meaning(estimate)}{_size(estimate, margin)}."


def _good(estimate: Estimate) -> str:
    if estimate.better == "neutral":
        return f"{estimate.neutral:g} is neutral"
    return {"lower": "lower is better", "higher": "higher is better"}.get(estimate.better, "no way is better")


def _meaning(estimate: Estimate) -> str:
    neutral = f"{estimate.neutral:g}"
    if estimate.low == estimate.high == estimate.neutral:
        return f"it is exactly {neutral}: a tie, both sides are treated alike"
    if estimate.above and estimate.above == estimate.below:
        return estimate.above
    if estimate.low > estimate.neutral:
        return estimate.above or f"it lies above {neutral}"
    if estimate.high < estimate.neutral:
        return estimate.below or f"it lies below {neutral}"
    return f"it cannot be told from {neutral} with {estimate.n:,} items"


def _size(estimate: Estimate, margin: float) -> str:
    """Where the number differs from neutral for sure, but by less than its author holds to be material."""
    ends = estimate.low - estimate.neutral, estimate.high - estimate.neutral
    is_told = ends[0] > 0 or ends[1] < 0
    if not is_told or max(map(abs, ends)) >= margin:
        return ""
    is_size = bool(estimate.above) and estimate.above == estimate.below
    return (
        f"; less than {margin:g} hardly matters"
        if is_size
        else f", by less than {margin:g}, which hardly matters"
    )


def sentence_start(name: str) -> str:
    """The name with a capital, as a sentence begins with it."""
    return name[:1].upper() + name[1:]
