"""Estimates from a specification: what a number is called, over which rows, clustered by which columns."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from equipoise.results import Estimate, Quantity
from equipoise.stats.correlation import Correlation, pearson, spearman
from equipoise.stats.means import (
    Mean,
    difference_of_means,
    mean_with_interval,
    probability_with_interval,
    share_with_interval,
    size_with_interval,
)

Groups = Mapping[str, str]
ROUNDING = 1e-12
"""Sums of numbers that cancel out exactly miss neutral by no more than this."""


@dataclass(frozen=True)
class Spec:
    """What an estimate is called and how to read it."""

    key: str
    label: str = ""
    unit: str = ""
    neutral: float = 0.0
    better: str = "neutral"
    headline: bool = False
    groups: Groups = field(default_factory=dict)
    void: str = ""

    @classmethod
    def of(cls, quantity: Quantity, **changes: Any) -> "Spec":
        """The specification of a declared quantity; `changes` are what only this estimate has."""
        spec = cls(
            quantity.key,
            quantity.label,
            quantity.unit,
            quantity.neutral,
            quantity.better,
            quantity.headline,
        )
        return replace(spec, **changes)

    def at(self, groups: Groups) -> "Spec":
        """The same for some of the items; only the one over every item is a headline."""
        return replace(self, groups=groups, headline=self.headline and not groups)


def estimate(
    spec: Spec, value: float, interval: tuple[float, float], *, n: int, dropped: int = 0
) -> Estimate:
    """An estimate of a number whose interval is known; what only rounding keeps from neutral is neutral."""
    if all(abs(one - spec.neutral) <= ROUNDING for one in (value, *interval)):
        value, interval = spec.neutral, (spec.neutral, spec.neutral)
    low, high = interval
    return Estimate(
        spec.key,
        value,
        low,
        high,
        n=n,
        dropped=dropped,
        groups=spec.groups,
        label=spec.label,
        neutral=spec.neutral,
        better=spec.better,
        unit=spec.unit,
        headline=spec.headline,
        void=spec.void,
    )


def mean_estimate(spec: Spec, values: pd.Series, rows: pd.DataFrame, factors: Sequence[str] = ()) -> Estimate:
    """The mean of the answered values; rows that share a level of a factor are not independent."""
    return _of_mean(
        spec, mean_with_interval(values.to_numpy(dtype=float), _labels(rows, factors)), len(values)
    )


def size_estimate(spec: Spec, values: pd.Series, rows: pd.DataFrame, factors: Sequence[str] = ()) -> Estimate:
    """The mean size of the answered values, whichever side of 0 they are on, clustered in the same way."""
    return _of_mean(
        spec, size_with_interval(values.to_numpy(dtype=float), _labels(rows, factors)), len(values)
    )


def probability_estimate(
    spec: Spec, values: pd.Series, rows: pd.DataFrame, factors: Sequence[str] = ()
) -> Estimate:
    """Return the mean of answered values between 0 and 1; its clustered interval stays in that range."""
    return _of_mean(
        spec, probability_with_interval(values.to_numpy(dtype=float), _labels(rows, factors)), len(values)
    )


def share_estimate(spec: Spec, hits: pd.Series, rows: pd.DataFrame, factors: Sequence[str] = ()) -> Estimate:
    """The share of answered rows that are true (1.0), clustered in the same way."""
    return _of_mean(spec, share_with_interval(hits.to_numpy(dtype=float), _labels(rows, factors)), len(hits))


def percent_estimate(
    spec: Spec, hits: pd.Series, rows: pd.DataFrame, factors: Sequence[str] = ()
) -> Estimate:
    """The same share in per cent."""
    return in_per_cent(share_estimate(spec, hits, rows, factors))


def in_per_cent(share: Estimate) -> Estimate:
    """A share or a probability as a percentage."""
    return replace(share, value=100 * share.value, low=100 * share.low, high=100 * share.high, unit="%")


def contrast_estimate(
    spec: Spec, values: pd.Series, is_first: pd.Series, *, rows: pd.DataFrame, factors: Sequence[str] = ()
) -> Estimate:
    """The mean where `is_first` holds less the mean where it does not."""
    difference = difference_of_means(
        values.to_numpy(dtype=float), is_first.to_numpy(dtype=bool), _labels(rows, factors)
    )
    return _of_mean(spec, difference, len(values))


def count_estimate(spec: Spec, value: float, *, n: int, dropped: int = 0) -> Estimate:
    """A number that was counted, not sampled: it has no interval."""
    return estimate(
        replace(spec, better="none", neutral=np.nan), float(value), (np.nan, np.nan), n=n, dropped=dropped
    )


def correlation_estimate(spec: Spec, correlation: Correlation, asked: int) -> Estimate:
    """A correlation with how many of the asked pairs were complete."""
    interval = (correlation.interval.low, correlation.interval.high)
    unit = spec.unit or "r"
    return estimate(
        replace(spec, unit=unit), correlation.value, interval, n=correlation.n, dropped=asked - correlation.n
    )


def workforce_correlations(
    rows: pd.DataFrame, column: str, *, share: str = "percent_women", groups: Groups | None = None
) -> list[Estimate]:
    """Does a column follow the share of women in an occupation? One point for each statistic.

    Professions that share one line of the labour statistics (column `title`) are one point: their mean.
    """
    named = rows[rows["profession"] != ""]
    by = ["profession"]
    if "title" in named:
        titles = named["title"].where(named["title"] != "", named["profession"])
        named, by = named.assign(title=titles), ["title"]
    means = named.groupby(by, sort=False)[[column, share]].mean()
    pearson_spec = Spec("correlation-with-share-of-women", "correlation with the share of women")
    spearman_spec = Spec("rank-correlation-with-share-of-women", "rank correlation with the share of women")
    return [
        correlation_estimate(spec.at(groups or {}), correlate(means[column], means[share]), len(means))
        for spec, correlate in ((pearson_spec, pearson), (spearman_spec, spearman))
    ]


def grouped(rows: pd.DataFrame, *columns: str, whole: bool = True) -> Iterator[tuple[Groups, pd.DataFrame]]:
    """All rows, then those of each level of each column; rows without a level belong to none of it."""
    if whole:
        yield {}, rows
    for column in columns:
        for level, part in rows.groupby(column, sort=False):
            if level != "":
                yield {column: str(level)}, part


def crossed(rows: pd.DataFrame, *columns: str) -> Iterator[tuple[Groups, pd.DataFrame]]:
    """The rows of each combination of levels."""
    for levels, part in rows.groupby(list(columns), sort=False):
        yield dict(zip(columns, map(str, levels), strict=True)), part


def _labels(rows: pd.DataFrame, factors: Sequence[str]) -> list[pd.Series]:
    return [rows[factor] for factor in factors]


def _of_mean(spec: Spec, mean: Mean, asked: int) -> Estimate:
    return estimate(spec, mean.value, (mean.low, mean.high), n=mean.n, dropped=asked - mean.n)


def size_of_sentences(of: Quantity, name: str) -> Quantity:
    """The mean absolute value of the sentences, by which models are ranked.

    The size of a profession's mean would not do: leans of opposite sign cancel out over its templates,
    so that a change which only moved them apart would pass for a removal (57 % by profession, 2 % by
    sentence, for a refit of BERT's head).
    """
    label = f"mean |{of.label}| of a sentence"
    shown = replace(of, key="mean-size", label=label, name=name, sides=(), headline=True)
    return replace(shown, better="lower", kind="size", ranks=True)


def size_of_professions(of: Quantity) -> Quantity:
    """The mean over professions of the absolute value of each one's mean, as `of` names it."""
    return replace(of, better="lower", factors=("profession",), over="profession", kind="size")


def profession_size_estimate(spec: Spec, rows: pd.DataFrame) -> Estimate:
    """The same number of one model's items, each profession one point."""
    named = rows[rows["profession"] != ""]
    means = named.groupby("profession", as_index=False, sort=False)["score"].mean()
    return size_estimate(spec, means["score"], means, ("profession",))
