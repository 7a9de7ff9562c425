"""Comparisons: paired by item, refused for equal models, and said in words."""

import numpy as np
import pandas as pd
import pytest
from equipoise.comparison import compare

from equipoise.errors import UserError
from equipoise.results import Result, estimates_table

N = 60


def result(scores: np.ndarray, name: str, variant: str = "v", **changes: object) -> Result:
    items = pd.DataFrame(
        {
            "item": [f"i{number}" for number in range(len(scores))],
            "group": [f"g{number % 20}" for number in range(len(scores))],
            "score": scores,
            "dropped": "",
        }
    )
    provenance = {
        "instrument": {"name": "x", "title": "x", "variant": variant},
        "model": {"name": name, "fingerprint": str(changes.get("fingerprint", name))},
        "comparable": {
            "column": "score",
            "clusters": "group",
            "margin": 0.05,
            "unit": "",
            "neutral": 0.0,
            "where": {},
        },
    }
    return Result("x", items, estimates_table([]), provenance)


def scores(shift: float, noise: float = 0.01) -> np.ndarray:
    rng = np.random.default_rng(3)
    base = rng.normal(0.3, 0.1, N)
    return base + shift + rng.normal(0, noise, N)


def verdicts(shift: float, noise: float = 0.01) -> list[str]:
    base = np.random.default_rng(3).normal(0.3, 0.1, N)
    return compare(result(base, "a"), result(scores(shift, noise), "b")).table["verdict"].tolist()


def test_lower_and_higher() -> None:
    assert verdicts(-0.2) == ["lower", "lower"]
    assert verdicts(+0.2) == ["higher", "higher"]


def test_equivalent_within_the_margin() -> None:
    assert verdicts(0.0, noise=0.02) == ["equivalent", "equivalent"]


def test_not_enough_items_is_not_equivalence() -> None:
    comparison = compare(
        result(np.zeros(N), "a"), result(np.random.default_rng(0).normal(0, 1, N), "b"), margin=0.05
    )
    row = comparison.table.iloc[0]
    assert row["verdict"] == "not enough items"
    assert row["detectable"] > 0.05
    assert "not enough items" in comparison.sentences()[0]


def test_a_model_that_leans_the_other_way_is_not_less_biased() -> None:
    base = np.full(N, 0.3) + np.random.default_rng(1).normal(0, 0.01, N)
    other = -base + np.random.default_rng(2).normal(0, 0.01, N)
    flipped = compare(result(base, "a"), result(other, "b")).table.set_index("quantity")
    assert flipped.loc["score", "verdict"] == "lower"
    assert flipped.loc["distance from neutral", "verdict"] == "equivalent"


def test_items_are_paired_by_name_not_by_order() -> None:
    base = result(scores(0.0), "a")
    other = result(scores(0.0), "b")
    other.items = other.items.sample(frac=1, random_state=0)
    assert compare(base, other).table["difference"].abs().max() < 1e-12


def test_items_that_only_one_result_holds_are_counted() -> None:
    base, other = result(scores(0.0), "a"), result(scores(0.1), "b")
    other.items = other.items.iloc[:-7]
    row = compare(base, other).table.iloc[0]
    assert (row["n"], row["unpaired"]) == (N - 7, 7)


def test_the_same_fingerprint_is_refused() -> None:
    """A 'mitigated' model that was never saved scores exactly as before: peers report it as a finding."""
    with pytest.raises(UserError, match="same model"):
        compare(result(scores(0), "a", fingerprint="f"), result(scores(0), "b", fingerprint="f"))


def test_different_variants_are_refused() -> None:
    with pytest.raises(UserError, match="different quantities"):
        compare(result(scores(0), "a"), result(scores(0), "b", variant="w"))


def test_one_result_is_nothing_to_compare() -> None:
    with pytest.raises(UserError, match="nothing to compare"):
        compare(result(scores(0), "a"))


def test_no_common_item() -> None:
    base, other = result(scores(0), "a"), result(scores(0), "b")
    other.items["item"] = "z" + other.items["item"]
    with pytest.raises(UserError, match="no item in common"):
        compare(base, other)


def test_three_models_give_three_pairs_and_corrected_p_values() -> None:
    three = compare(result(scores(0), "a"), result(scores(0.2), "b"), result(scores(0.4), "c"))
    pairs = three.table[["first", "second"]].drop_duplicates()
    assert len(pairs) == 3
    two = compare(result(scores(0), "a"), result(scores(0.2), "b"))
    assert three.table["p_holm"].iloc[0] >= two.table["p_holm"].iloc[0]
    assert len(str(three).splitlines()) == len(three.table)
