"""Ranking models: the means, the ranks, the tests and the correction, each worked out another way."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from equipoise.studies.model_comparison import compare_models, compare_results

from equipoise.errors import UserError
from equipoise.instruments.base import Settings
from equipoise.models.table import TableModel
from equipoise.results import Result

COMPARABLE = {
    "column": "score",
    "clusters": "cluster",
    "margin": 0.25,
    "unit": "nats",
    "neutral": 0.0,
    "where": {"form": "original"},
}


def result_of(model: str, shift: float, seed: int = 0, **different: str) -> Result:
    rng = np.random.default_rng(7)
    base = rng.normal(0, 1, 40)
    noise = np.random.default_rng(seed).normal(0, 0.1, 40)
    items = pd.DataFrame(
        {
            "item": [f"i{number}" for number in range(40)],
            "category": ["occupation"] * 20 + ["hostile-sexism"] * 20,
            "cluster": [f"i{number}" for number in range(40)],
            "form": "original",
            "score": base + np.sign(base) * shift + noise,
        }
    )
    provenance = {
        "comparable": COMPARABLE,
        "model": {"name": model, "fingerprint": different.get("fingerprint", model)},
        "instrument": {"variant": different.get("variant", "original")},
        "data": {"name": "equipoise-pairs"},
    }
    return Result("sbe", items, pd.DataFrame(), provenance)


THREE = (result_of("a", 2.0, 1), result_of("b", 0.0, 2), result_of("c", 2.01, 3))


def test_values_and_ranks() -> None:
    found = compare_results(THREE)
    ranking = found.ranking.set_index(["group", "model"])
    for result in THREE:
        mean = result.items["score"].abs().mean()
        assert ranking.loc[("all", result.model), "value"] == pytest.approx(mean)
        row = ranking.loc[("all", result.model)]
        assert row["low"] < mean < row["high"]
        assert (row["n"], row["dropped"]) == (40, 0)
    assert ranking.loc[("all", "b"), "rank"] == 1
    assert found.ranking.query("group == 'all'")["model"].iloc[0] == "b"
    matrix = found.matrix("sbe")
    assert list(matrix.columns) == ["a", "b", "c"]
    assert list(matrix.index) == ["all", "category:occupation", "category:hostile-sexism"]


def test_each_difference_is_tested_and_corrected() -> None:
    found = compare_results(THREE).differences
    assert len(found) == 3 * 3
    values = {result.model: result.items["score"].abs() for result in THREE}
    for first, second in combinations("abc", 2):
        row = found.query("first == @first and second == @second and group == 'all'").iloc[0]
        assert row["difference"] == pytest.approx((values[second] - values[first]).mean())
        assert row["low"] < row["difference"] < row["high"]
    verdicts = found.query("group == 'all'").set_index(["first", "second"])["verdict"]
    assert verdicts["a", "b"] == "second is lower"
    assert verdicts["b", "c"] == "second is higher"
    assert verdicts["a", "c"] == "not told apart"
    ordered = found.sort_values("p")
    by_hand = np.minimum(1, np.maximum.accumulate(ordered["p"].to_numpy() * np.arange(9, 0, -1)))
    assert ordered["p_holm"].to_numpy() == pytest.approx(by_hand)


def test_models_are_measured_and_changed_forms_left_out(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(
        "category,stereotype,counterpart\n"
        "occupation,The nurse lost her keys,The nurse lost his keys\n"
        "occupation,The pilot lost his keys,The pilot lost her keys\n"
        "neutral,We ate on Monday,We ate on Tuesday\n",
        encoding="utf-8",
    )
    texts = (
        "The nurse lost her keys",
        "The nurse lost his keys",
        "The pilot lost his keys",
        "The pilot lost her keys",
    )
    null = {"We ate on Monday": (-1.0,) * 4, "We ate on Tuesday": (-1.0,) * 4}

    def model(name: str, totals: tuple[float, ...]) -> TableModel:
        scores = {text: (total, 0.0, 0.0, 0.0, 0.0) for text, total in zip(texts, totals, strict=True)}
        return TableModel(scores=scores | null, name=name)

    settings = {"sbe": Settings(data=str(path))}
    far, near = model("far", (-1.0, -4.0, -1.0, -3.0)), model("near", (-1.0, -1.5, -1.0, -0.5))
    found = compare_models([far, near], settings=settings)
    values = found.ranking.query("group == 'all'").set_index("model")["value"]
    assert values["far"] == pytest.approx(2.5)
    assert values["near"] == pytest.approx(0.5)
    assert found.differences.query("group == 'all'")["difference"].iloc[0] == pytest.approx(-2.0)
    with pytest.raises(UserError, match="the same model"):
        compare_models([far, model("twin", (-1.0, -4.0, -1.0, -3.0))], settings=settings)
    with pytest.raises(UserError, match="at least two"):
        compare_models([far], settings=settings)


def test_results_that_cannot_be_ranked_together_are_refused() -> None:
    with pytest.raises(UserError, match="the same model"):
        compare_results([result_of("a", 1.0), result_of("b", 1.0, fingerprint="a")])
    with pytest.raises(UserError, match="Two different models are called 'a'"):
        compare_results([result_of("a", 1.0), result_of("a", 1.0, fingerprint="z")])
    with pytest.raises(UserError, match="different quantities"):
        compare_results([result_of("a", 1.0), result_of("b", 1.0, variant="within-word-l2r")])


def test_items_that_only_one_model_has_are_counted() -> None:
    one, other = result_of("a", 1.0, 1), result_of("b", 1.0, 2)
    other.items = other.items.iloc[:-3]
    found = compare_results([one, other]).differences
    assert set(found["unpaired"]) == {3}
    assert found.query("group == 'all'")["n"].iloc[0] == 37
