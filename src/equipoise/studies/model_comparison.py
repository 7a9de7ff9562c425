"""Which of several models leans least: a ranked table with intervals, and a test of each difference.

With the sentence-based evaluation this is Table 3 of the thesis that introduced it (ASLD by category and
model). The thesis prints bare numbers; here every number has an interval, and a difference between two models
is claimed only if a paired permutation test, corrected by Holm for all pairs and categories, supports it.
"""

from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import pandas as pd

from equipoise.errors import UserError
from equipoise.instruments.base import Label, Settings, mean_estimate
from equipoise.measuring import audit
from equipoise.models import load_model
from equipoise.models.base import LanguageModel
from equipoise.results import Result
from equipoise.stats.corrections import holm
from equipoise.stats.intervals import cluster_bootstrap
from equipoise.stats.significance import paired_permutation
from equipoise.studies.scores import by_group, item_distances, quantity_of

ALPHA = 0.05
RANKING_COLUMNS = (
    *("instrument", "quantity", "group", "rank", "model"),
    *("value", "low", "high", "n", "dropped", "unit"),
)
DIFFERENCE_COLUMNS = (
    *("instrument", "group", "first", "second", "difference", "low", "high"),
    *("p", "p_holm", "n", "unpaired", "verdict"),
)

ModelSource = LanguageModel | str | Path


@dataclass(frozen=True)
class ModelComparison:
    """Models ranked by distance from neutral in every group, and each difference (second minus first)."""

    ranking: pd.DataFrame
    differences: pd.DataFrame
    results: tuple[Result, ...]

    def matrix(self, instrument: str) -> pd.DataFrame:
        """The values as a table of groups by models, as papers print them."""
        rows = self.ranking[self.ranking["instrument"] == instrument]
        order = list(dict.fromkeys(result.model for result in self.results))
        table = rows.pivot(index="group", columns="model", values="value")
        return table.loc[rows["group"].unique(), [name for name in order if name in table]]


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
        model = source if isinstance(source, LanguageModel) else load_model(source)
        _refuse_twin(model.name, model.fingerprint, seen)
        results.extend(audit(model, instruments, settings))
    _refuse_one(len(seen))
    return compare_results(results)


def compare_results(results: Sequence[Result]) -> ModelComparison:
    """The same from results that were measured before."""
    by_instrument: dict[str, list[Result]] = {}
    for result in results:
        by_instrument.setdefault(result.instrument, []).append(result)
    ranking, differences = [], []
    for group in by_instrument.values():
        _check_group(group)
        ranking.append(_ranked(group))
        differences.append(_differences(group))
    return ModelComparison(
        pd.concat(ranking, ignore_index=True),
        _with_verdicts(pd.concat(differences, ignore_index=True)),
        tuple(results),
    )


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


def _check_group(group: Sequence[Result]) -> None:
    seen: dict[str, str] = {}
    for result in group:
        _refuse_twin(result.model, result.fingerprint, seen)
    kinds = {(one.provenance["instrument"]["variant"], one.provenance["data"]["name"]) for one in group}
    if len(kinds) > 1:
        named = ", ".join(f"{variant} on {data}" for variant, data in sorted(kinds))
        raise UserError(
            f"{group[0].instrument}: results of different quantities cannot be ranked: {named}.",
            "Measure all models with the same variant and data.",
        )


def _ranked(group: Sequence[Result]) -> pd.DataFrame:
    """Every model's mean distance from neutral in every group, the nearest first."""
    rows = []
    for result in group:
        label = Label(quantity_of(result.instrument), unit=result.provenance["comparable"]["unit"])
        for name, items in by_group(item_distances(result)).items():
            found = mean_estimate(label, items["distance"], items["cluster"])
            rows.append(
                {
                    **vars(found),
                    "instrument": result.instrument,
                    "quantity": found.name,
                    "group": name,
                    "model": result.model,
                }
            )
    table = pd.DataFrame(rows)
    table["rank"] = table.groupby("group")["value"].rank(method="min")
    order = {name: place for place, name in enumerate(table["group"].unique())}
    table = table.sort_values(
        ["group", "rank"], key=lambda one: one.map(order) if one.name == "group" else one
    )
    return table[list(RANKING_COLUMNS)].reset_index(drop=True)


def _differences(group: Sequence[Result]) -> pd.DataFrame:
    """Each two models on the items that both answered."""
    distances = [(result.model, item_distances(result)) for result in group]
    rows = []
    for (first, ours), (second, theirs) in combinations(distances, 2):
        pairs = ours.merge(theirs[["item", "distance"]], on="item", suffixes=("", "_second"))
        if pairs.empty:
            raise UserError(
                f"{group[0].instrument}: {first!r} and {second!r} have no item in common.",
                "Measure both models on the same data.",
            )
        pairs["difference"] = pairs["distance_second"] - pairs["distance"]
        names = {"instrument": group[0].instrument, "first": first, "second": second}
        unpaired = len(ours) + len(theirs) - 2 * len(pairs)
        for name, items in by_group(pairs).items():
            rows.append(names | {"group": name, "unpaired": unpaired} | _tested(items))
    return pd.DataFrame(rows)


def _tested(items: pd.DataFrame) -> dict[str, float | int]:
    low, high = cluster_bootstrap(items["difference"], items["cluster"])
    found = paired_permutation(items["difference"], items["cluster"])
    return {"difference": found.statistic, "low": low, "high": high, "p": found.p, "n": found.n}


def _with_verdicts(table: pd.DataFrame) -> pd.DataFrame:
    table["p_holm"] = holm(table["p"])
    told = table["p_holm"] < ALPHA
    table["verdict"] = "not told apart"
    table.loc[told & (table["difference"] < 0), "verdict"] = "second is lower"
    table.loc[told & (table["difference"] > 0), "verdict"] = "second is higher"
    return table[list(DIFFERENCE_COLUMNS)]
