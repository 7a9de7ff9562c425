"""Samples: a run that stops early holds a fair sample of its items, and says what the whole run would give.

Items are asked in blocks. A block takes the same share of every instrument and, within it, of every part and
class that its quantities tell apart. Which items these are is drawn once, with the seed, whatever the model.
Items that are read together, such as the persons beside one occupation in one template, stay together.

The interval of an estimate says what it would be with other templates and occupations; it does not shrink to
nothing. Where the whole run will end is another question. `whole_run` answers it: the items of a sample are
drawn at random from those of the run, so they are independent, and the interval is shorter by the share that
was asked (Cochran 1977, 2.6).
"""

import time
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan, sqrt
from typing import Any

import numpy as np
import pandas as pd

from equipoise.errors import UserError
from equipoise.instruments.base import Design, Instrument
from equipoise.results import Estimate, Quantity, Roles

BLOCKS = (0.05, 0.08, 0.12, 0.16, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""The share of the items that has been asked after each block."""

QUICK, QUICK_SECONDS = 0.12, 45.0
"""A quick run ends at this share, or after this time if that comes first."""

LEAST = 20
"""Items of every class that the first block holds: of fewer there would be no interval."""

MOST_LOOKS_FACTOR = 1.15
"""Runs that stop by precision look at their intervals after every block and stop when one is short by chance.

The interval is widened by this factor before it is held against the limit (benchmarks/sample_coverage.py).
"""


@dataclass
class Stop:
    """When a run may end before everything was asked: quick, after some minutes, or when it is exact enough.

    `until` is half the width of the interval for the whole run that every headline must have reached: 0.05 is
    5 points. A run that Ctrl-C stopped is marked as `interrupted`.
    """

    quick: bool = False
    minutes: float | None = None
    until: float | None = None
    started: float = field(default=0.0, init=False)
    interrupted: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.started = time.monotonic()
        for name, value in (("minutes", self.minutes), ("until", self.until)):
            if value is not None and not value > 0:
                raise UserError(f"--{name} is {value!r}.", "Give a number above 0.")

    @property
    def most_blocks(self) -> int:
        """How many blocks the run asks at most."""
        return BLOCKS.index(QUICK) + 1 if self.quick else len(BLOCKS)

    def is_time(self, block: int) -> bool:
        """Whether the run ends after this block, by the clock: another one would take too long."""
        spent, share = time.monotonic() - self.started, BLOCKS[block]
        ahead = spent * (BLOCKS[min(block + 1, len(BLOCKS) - 1)] - share) / share
        limits = [60 * self.minutes] if self.minutes is not None else []
        limits += [QUICK_SECONDS] if self.quick else []
        return (self.quick and share >= QUICK) or any(spent + ahead > limit for limit in limits)

    def is_exact(self, results: Iterable[Mapping[str, Any]]) -> bool:
        """Whether the intervals for the whole run are short enough, by the samples of all instruments."""
        if self.until is None:
            return False
        rows = [row for sample in results for row in sample["whole"]]
        widths = [(row["high"] - row["low"]) / 2 / (100 if row["percent"] else 1) for row in rows]
        return bool(widths) and MOST_LOOKS_FACTOR * max(widths) <= self.until


def blocks_of(instrument: Instrument[Any], design: Design, quantities: Sequence[Quantity]) -> pd.Series:
    """The block in which each item is asked, by its name; what is scored jointly is asked at once."""
    items, seed = design.items, design.settings.seed
    if getattr(instrument, "scored_jointly", False):
        return pd.Series(0, index=items["item"])
    units = units_of(items, instrument.roles)
    first = items[~units.duplicated()]
    strata = _joined(first, [name for one in quantities for name in one.where if name != "variation"])
    classes = _joined(first, [one.contrast.column for one in quantities if one.contrast])
    places = pd.Series(0.0, index=units[first.index])
    for stratum in strata.unique():
        rows = strata == stratum
        smallest = int(classes[rows].value_counts().min())
        for one in classes[rows].unique():
            names = units[first.index[rows & (classes == one)]]
            rng = np.random.default_rng([seed, zlib.crc32(f"{stratum} {one}".encode())])
            order = (rng.permutation(len(names)) + 0.5) / len(names)
            places[names.to_numpy()] = np.where(order < LEAST / smallest, 0.0, order)
    block = np.searchsorted(BLOCKS, places[units].to_numpy(), side="right")
    return pd.Series(np.minimum(block, len(BLOCKS) - 1), index=items["item"])


def units_of(items: pd.DataFrame, roles: Roles) -> pd.Series:
    """What each item is drawn with: the cell of its crossed factors, or itself and its changed forms."""
    original = items["item"]
    if "of" in items:
        original = items["of"].where(items["of"].astype(str) != "", original)
    if len(roles.factors) < 2 or not set(roles.factors) <= set(items):
        return original
    cells = items.set_index("item")[list(roles.factors)].astype(str)
    cells = cells.reindex(original.to_numpy())
    pairs = zip(cells.to_numpy(), original, strict=True)
    names = [" | ".join(levels) if any(levels) else name for levels, name in pairs]
    return pd.Series(names, index=items.index)


def whole_run(
    instrument: Instrument[Any],
    design: Design,
    items: pd.DataFrame,
    whole: pd.DataFrame,
    quantities: Sequence[Quantity],
) -> list[dict[str, Any]]:
    """For every headline of a sample, between which ends its value on all the items of the whole lies."""
    roles = instrument.roles
    units = units_of(items, roles).to_numpy()
    independent = {name: "all" for name in roles.factors[1:] if name in items}
    independent |= {name: units for name in roles.factors[:1] if name in items}
    estimates = instrument.summarise(design, items.assign(**independent)).estimates
    declared = {one.key: one for one in reversed(quantities)}
    rows = []
    for estimate in estimates:
        quantity = declared.get(estimate.key)
        if not estimate.headline or quantity is None or quantity.over or isnan(estimate.low):
            continue
        left = sqrt(1 - _share(items, whole, {**quantity.where, **estimate.groups}))
        value = estimate.value
        ends = value - left * (value - estimate.low), value + left * (estimate.high - value)
        rows.append(
            {
                "key": estimate.key,
                "by": estimate.by,
                "level": estimate.level,
                "low": ends[0],
                "high": ends[1],
                "percent": quantity.scale in ("F1", "percent"),
            }
        )
    return rows


def _share(items: pd.DataFrame, whole: pd.DataFrame, where: Mapping[str, str]) -> float:
    """The share of the items behind an estimate that was asked."""
    counts = []
    for table in (items, whole):
        there = [table[name].astype(str) == level for name, level in where.items() if name in whole]
        counts.append(int(np.logical_and.reduce(there).sum()) if there else len(table))
    return counts[0] / counts[1] if counts[1] else len(items) / len(whole)


def without_partial(estimates: Iterable[Estimate], quantities: Sequence[Quantity]) -> list[Estimate]:
    """The estimates; a size per occupation is not meaningful where only some of its sentences were asked."""
    partial = {one.key for one in quantities if one.over}
    return [
        replace(one, void="a sample holds only some sentences of each occupation")
        if one.key in partial
        else one
        for one in estimates
    ]


def _joined(rows: pd.DataFrame, names: Iterable[str]) -> pd.Series:
    """The levels of some columns as one text."""
    there = [name for name in dict.fromkeys(names) if name in rows]
    joined = pd.Series("", index=rows.index)
    for name in there:
        joined = joined + "|" + rows[name].fillna("").astype(str)
    return joined
