"""What an instrument is: its items, how it asks, how it reads the answers, how it summarises."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pandas as pd

from equipoise.data.catalogue import is_dataset
from equipoise.data.poles import DEFAULT_POLES
from equipoise.errors import UserError, unknown_name
from equipoise.models.base import Question
from equipoise.results import Estimate
from equipoise.stats.intervals import cluster_bootstrap, wilson

ALL = "all"
"""The group of an estimate that rests on every item."""


@dataclass(frozen=True)
class Settings:
    """What a user may choose: data set or file, variant, poles, seed, and where published data lie."""

    data: str = ""
    variant: str = ""
    poles: str = DEFAULT_POLES
    data_dir: Path | None = None
    seed: int = 0

    def completed(self, instrument: "Instrument") -> "Settings":
        """The same with the instrument's defaults where nothing was chosen; unknown names are refused."""
        variant = self.variant or instrument.variants[0]
        if variant not in instrument.variants:
            raise unknown_name(f"variant of {instrument.name}", variant, instrument.variants)
        data = self.data or instrument.datasets[0]
        if not is_dataset(data) and not Path(data).exists():
            raise unknown_name(f"data set or file for {instrument.name}", data, instrument.datasets)
        if is_dataset(data) and data not in instrument.datasets:
            raise UserError(
                f"{instrument.name} does not read the data set {data!r}.",
                f"It reads {', '.join(instrument.datasets)}, or a file of yours.",
            )
        return replace(self, data=data, variant=variant)

    @property
    def file(self) -> Path | None:
        """The user's own file or folder, if that is what was chosen."""
        return None if is_dataset(self.data) else Path(self.data)


@dataclass(frozen=True)
class ItemSet:
    """The items of a run as a table with a unique column `item`, and the files they came from."""

    table: pd.DataFrame
    files: tuple[Path, ...]
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Comparable:
    """How two results of an instrument are compared: which item column, against which margin.

    `clusters` names the columns whose items are not independent; `margin` is the largest difference in the
    mean that the instrument's author holds to be immaterial; the user can name another.
    """

    column: str = "score"
    clusters: str = ""
    margin: float = 0.05
    unit: str = ""
    neutral: float = 0.0
    where: dict[str, str] = field(default_factory=dict)


class Instrument(Protocol):
    """A published method; the docstring of its module is its card."""

    name: str
    title: str
    datasets: tuple[str, ...]
    variants: tuple[str, ...]
    needs: tuple[type[Any], ...]
    comparable: Comparable

    def items(self, settings: Settings) -> ItemSet:
        """Read or build the items."""

    def questions(self, items: pd.DataFrame, settings: Settings) -> list[Question]:
        """What to ask of the model, in an order that `scored` can follow."""

    def scored(self, items: pd.DataFrame, answers: Sequence[Any], settings: Settings) -> pd.DataFrame:
        """The items with their signed `score` and why any was `dropped`."""

    def estimates(self, items: pd.DataFrame, settings: Settings) -> list[Estimate]:
        """The numbers that a reader is meant to see."""


@dataclass(frozen=True)
class Label:
    """What an estimate is called and how to read it."""

    name: str
    group: str = ALL
    neutral: float = 0.0
    better: str = "neutral"
    unit: str = ""


def mean_estimate(
    label: Label, values: pd.Series, clusters: Iterable[Any] | None = None, *, seed: int = 0
) -> Estimate:
    """The mean of the answered values with a cluster-bootstrap interval; NaN items are counted as dropped."""
    numbers = values.to_numpy(dtype=float)
    kept = ~np.isnan(numbers)
    labels = None if clusters is None else list(clusters)
    low, high = cluster_bootstrap(numbers, labels, seed=seed)
    value = float(numbers[kept].mean()) if kept.any() else float("nan")
    return _estimate(label, value, low, high, kept=int(kept.sum()), asked=len(numbers))


def share_estimate(label: Label, hits: pd.Series) -> Estimate:
    """The share of answered items that are true (1.0), with Wilson's interval; NaN items are dropped."""
    numbers = hits.to_numpy(dtype=float)
    kept = numbers[~np.isnan(numbers)]
    low, high = wilson(round(float(kept.sum())), len(kept))
    value = float(kept.mean()) if len(kept) else float("nan")
    return _estimate(label, value, low, high, kept=len(kept), asked=len(numbers))


def _estimate(label: Label, value: float, low: float, high: float, *, kept: int, asked: int) -> Estimate:
    return Estimate(
        label.name,
        label.group,
        value,
        low,
        high,
        n=kept,
        dropped=asked - kept,
        neutral=label.neutral,
        better=label.better,
        unit=label.unit,
    )
