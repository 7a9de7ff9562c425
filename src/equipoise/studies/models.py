"""Which of several models leans least: a ranked table with intervals, and a test of each difference.

Models are ranked by the quantity that each instrument declares for it, which grows with bias rather than
with noise, and stand beside what they must keep knowing (guard, ability). Differences come from the one
comparison: paired by item, clustered as `measure` clusters, corrected by Holm for all pairs of models.
Models without a difference between them share a rank: only one that is surely better ranks higher.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from itertools import combinations
from math import isnan, nan

import pandas as pd

from equipoise.errors import UserError
from equipoise.instruments.base import Settings
from equipoise.instruments.parts.gest_population import profile, published_population, standing
from equipoise.measuring import ModelSource, as_model, audit
from equipoise.results import Quantity, Result
from equipoise.results.comparison import Comparison, compare_pairs
from equipoise.results.comparison.differences import ALPHA, difference_of, value_of
from equipoise.results.comparison.pairing import Paired, check_comparable, pair
from equipoise.results.records import fixed
from equipoise.results.result import rows_of
from equipoise.stats.correlation import spearman
from equipoise.stats.significance import holm
from equipoise.studies.papers.published import published
from equipoise.studies.steps import Plan

FEWEST_MODELS = 3
"""Two models are ranked alike or not: a correlation says nothing."""

COLUMNS = ("first", "second", "correlation", "low", "high", "models")


def rank_matrix(ranking: pd.DataFrame) -> pd.DataFrame:
    """The rank of every model (rows) by every instrument (columns), over all items; shared models only."""
    whole = ranking[ranking["group"] == "all"]
    return whole.pivot_table(index="model", columns="instrument", values="rank", sort=False).dropna()


def rank_agreement(ranking: pd.DataFrame) -> pd.DataFrame:
    """Spearman's correlation of the ranks that each two instruments give; none below three shared models."""
    ranks = rank_matrix(ranking)
    rows = []
    for first, second in combinations(ranks.columns if len(ranks) >= FEWEST_MODELS else (), 2):
        related = spearman(ranks[first], ranks[second])
        rows.append((first, second, related.value, *related.interval, related.n))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def concordance(agreement: pd.DataFrame) -> float:
    """Kendall's W from the mean rank correlation r of m instruments: (r (m - 1) + 1) / m; 1 is agreement."""
    count = len({*agreement["first"], *agreement["second"]})
    return float((agreement["correlation"].mean() * (count - 1) + 1) / count) if count else float("nan")


GROUP = "category"
"""The column by which models are also ranked, where the items have it."""

RANKING_COLUMNS = (
    *("instrument", "quantity", "group", "rank", "model"),
    *("value", "low", "high", "n", "unit", "kept"),
)
MATRIX_COLUMNS = (
    *("instrument", "key", "label", "by", "group", "model"),
    *("value", "low", "high", "n", "published", "unit"),
)
WHOLE = "all"


@dataclass(frozen=True)
class ModelComparison:
    """Models ranked in every group, and each difference (second minus first) with its verdict."""

    ranking: pd.DataFrame
    comparison: Comparison
    results: tuple[Result, ...]

    @property
    def differences(self) -> pd.DataFrame:
        """Each difference as a row."""
        return self.comparison.table

    @property
    def matrices(self) -> pd.DataFrame:
        """Every headline of every model, by category and over all items, beside the published value."""
        return _matrix_table(self.results, headlines=True)

    def matrix(self, instrument: str, key: str) -> pd.DataFrame:
        """One estimate as a table of groups by models, as papers print it."""
        rows = _matrix_table(self.results, headlines=False)
        rows = rows[(rows["instrument"] == instrument) & (rows["key"] == key)]
        table = rows.pivot(index="group", columns="model", values="value")
        return table.loc[list(dict.fromkeys(rows["group"])), list(dict.fromkeys(rows["model"]))]


def compare_models(
    models: Iterable[ModelSource],
    instruments: Sequence[str] = ("sbe",),
    *,
    settings: Mapping[str, Settings] | None = None,
) -> ModelComparison:
    """Measure every model with every instrument and compare them all; one model is in memory at a time."""
    if isinstance(models, Sized):
        _refuse_one(len(models))
    seen: dict[str, str] = {}
    results: list[Result] = []
    for source in models:
        model = as_model(source)
        _refuse_twin(model.name, model.fingerprint, seen)
        results.extend(audit(model, instruments, settings))
    _refuse_one(len(seen))
    return compare_results(results)


def standings(results: Sequence[Result]) -> list[str]:
    """Where each model stands among the published ones, for GEST."""
    return [
        f"{result.model}: {place.sentence()}"
        for result in results
        if result.instrument == "gest" and (place := standing(profile(result.items), published_population()))
    ]


def compare_results(results: Sequence[Result]) -> ModelComparison:
    """The same from results that were measured before."""
    ranking = rank_results(results)
    pairs = [paired for group in _by_instrument(results) for paired in _pairs(group)]
    return ModelComparison(ranking, compare_pairs(pairs), tuple(results))


def _matrix_table(results: Sequence[Result], *, headlines: bool) -> pd.DataFrame:
    """A row for each estimate, group and model; all items come last, as papers print them."""
    rows = [row for result in results for row in _matrix_rows(result, headlines)]
    return pd.DataFrame(rows, columns=list(MATRIX_COLUMNS))


def _matrix_rows(result: Result, headlines: bool) -> Iterator[dict[str, object]]:
    estimates = result.estimates[result.estimates["by"].isin((GROUP, ""))]
    if headlines:
        estimates = estimates[estimates["key"].isin(estimates.loc[estimates["headline"], "key"])]
    for row in estimates.sort_values("by", ascending=False, kind="stable").to_dict("records"):
        group = str(row["level"]) or WHOLE
        printed = published(f"{result.instrument}.{row['key']}", group, result.model)
        named = {"instrument": result.instrument, "group": group, "model": result.model}
        yield {**row, **named, "published": printed}


def ranking_plan(study: ModelComparison) -> Plan:
    """What stands above the study on a page: the models and the instruments that it ranks by."""
    prints = {result.model: result.fingerprint for result in study.results}
    instruments = list(dict.fromkeys(result.instrument for result in study.results))
    settings = {"models": prints, "instruments": instruments}
    return Plan("models", f"Models ranked by {', '.join(instruments)}", settings, ())


def rank_results(results: Sequence[Result], *, by_group: bool = True) -> pd.DataFrame:
    """The models of each instrument ranked, in every group too, nearest to what is good first."""
    groups = _by_instrument(results)
    for group in groups:
        check_comparable(group)
    return pd.concat([_ranked(group, by_group) for group in groups], ignore_index=True)


def _by_instrument(results: Sequence[Result]) -> list[list[Result]]:
    by_instrument: dict[str, list[Result]] = {}
    for result in results:
        by_instrument.setdefault(result.instrument, []).append(result)
    return list(by_instrument.values())


def _pairs(group: Sequence[Result]) -> Iterator[Paired]:
    for first, second in combinations(group, 2):
        yield pair(first, second)


def _ranked(group: Sequence[Result], by_group: bool) -> pd.DataFrame:
    """Every model's value over all items, and in every group, the nearest to what is good first."""
    shared = _on_shared_items(group)
    tables = []
    for quantity in _ranking_quantities(shared[0]):
        for level in ("", *(_levels(shared[0], quantity) if by_group else ())):
            rows = pd.DataFrame([_ranked_row(result, quantity, level) for result in shared])
            rows["rank"] = _ranks(shared, rows["distance"].tolist(), quantity, level)
            tables.append(rows.sort_values(["rank", "distance"], kind="stable"))
    return pd.concat(tables)[list(RANKING_COLUMNS)].reset_index(drop=True)


def _ranks(results: Sequence[Result], distances: list[float], quantity: Quantity, level: str) -> list[float]:
    """One more than the number of models that are surely nearer to what is good, by all pairs' tests."""
    turned = [_turned(result, quantity, level) for result in results]
    pairs = list(combinations(range(len(results)), 2))
    differences = [difference_of(pair(turned[one], turned[other]), quantity) for one, other in pairs]
    p_values = [nan if difference is None else difference.verdict.p_difference for difference in differences]
    sure = holm(p_values) < ALPHA
    ahead = [0] * len(results)
    for (one, other), is_sure in zip(pairs, sure, strict=True):
        if is_sure and distances[one] != distances[other]:
            ahead[one if distances[one] > distances[other] else other] += 1
    return [
        float("nan") if isnan(distance) else 1.0 + place
        for distance, place in zip(distances, ahead, strict=True)
    ]


def _turned(result: Result, quantity: Quantity, level: str) -> Result:
    """The items of a level, turned so that a signed number above neutral is its distance from it."""
    items = _of_level(result.items, quantity, level)
    below = value_of(items, quantity).value < quantity.neutral
    if quantity.kind == "size" or quantity.statistic or quantity.better != "neutral" or not below:
        return replace(result, items=items)
    column = quantity.column
    return replace(result, items=items.assign(**{column: 2 * quantity.neutral - items[column]}))


def _on_shared_items(group: Sequence[Result]) -> list[Result]:
    """The results on the items that every model could be asked: a rank on other items would be luck."""
    asked = (result.items["item"][result.items["dropped"] == ""] for result in group)
    shared = set.intersection(*map(set, asked))
    return [replace(result, items=result.items[result.items["item"].isin(shared)]) for result in group]


def _ranking_quantities(result: Result) -> list[Quantity]:
    quantities = [quantity for quantity in result.quantities if quantity.ranks]
    return quantities or [quantity for quantity in result.quantities if quantity.part == "bias"][:1]


def _ranked_row(result: Result, quantity: Quantity, level: str) -> dict[str, object]:
    items = _of_level(result.items, quantity, level)
    mean = value_of(items, quantity)
    return {
        "instrument": result.instrument,
        "quantity": quantity.label,
        "group": level or WHOLE,
        "model": result.model,
        "value": mean.value,
        "low": mean.low,
        "high": mean.high,
        "n": mean.n if quantity.contrast is None else _count_first(items, quantity),
        "unit": quantity.unit,
        "kept": _kept(result),
        "distance": _distance(mean.value, quantity),
    }


def _count_first(items: pd.DataFrame, quantity: Quantity) -> int:
    """Count the items on the first side of a contrast; the other side is only the yardstick."""
    assert quantity.contrast is not None
    rows = rows_of(items, quantity)
    is_first = rows[quantity.contrast.column].astype(str) == quantity.contrast.first
    return int((is_first & rows[quantity.column].notna()).sum())


def _distance(value: float, quantity: Quantity) -> float:
    """How far a model is from what is good; a size below neutral is as good as neutral, and no better."""
    above = value - quantity.neutral
    return max(above, 0.0) if quantity.better == "lower" else abs(above)


def _kept(result: Result) -> str:
    """What the model must keep knowing, in one cell."""
    beside = [quantity for quantity in result.quantities if quantity.part != "bias"]
    shown = ((quantity.label, value_of(result.items, quantity)) for quantity in beside)
    return ", ".join(f"{label} {fixed(mean.value, 2)}" for label, mean in shown if mean.n)


def _levels(result: Result, quantity: Quantity) -> list[str]:
    """Return the categories to split the quantity by, if there is more than one."""
    if GROUP not in result.items:
        return []
    rows = result.items
    for column, value in quantity.where.items():
        rows = rows[rows[column].fillna("").astype(str) == value]
    if quantity.contrast is not None and quantity.contrast.column in rows:
        rows = rows[rows[quantity.contrast.column] == quantity.contrast.first]
    levels = [str(level) for level in rows[GROUP].unique() if level]
    return levels if len(levels) > 1 else []


def _of_level(items: pd.DataFrame, quantity: Quantity, level: str) -> pd.DataFrame:
    """The items of a category, with those that a contrast sets them against."""
    if not level:
        return items
    kept = items[GROUP] == level
    if quantity.contrast is not None and quantity.contrast.column != GROUP:
        kept |= items[quantity.contrast.column].astype(str) == quantity.contrast.second
    return items[kept]


def _refuse_one(count: int) -> None:
    if count < 2:
        raise UserError(f"{count} model was named where at least two are compared.", "Name two or more.")


def _refuse_twin(name: str, fingerprint: str, seen: dict[str, str]) -> None:
    if fingerprint in seen:
        raise UserError(
            f"{seen[fingerprint]!r} and {name!r} are the same model: their weights, configuration and "
            "tokenizer are identical.",
            "Name each model once.",
        )
    if name in seen.values():
        raise UserError(
            f"Two different models are called {name!r}.", "Name them by folders that tell them apart."
        )
    seen[fingerprint] = name
