"""Scores of a confusion matrix compared: against a slow bootstrap, and what must or cannot differ."""

import numpy as np
import pandas as pd
import pytest
from designs import designed
from numpy.random import default_rng

from equipoise.instruments.parts.skew_quantities import skew_quantities
from equipoise.measuring import measure
from equipoise.models.table import TableModel
from equipoise.results.comparison import compare
from equipoise.results.comparison.differences import matrices_apart, paired_matrices, value_of

STEREOTYPE, SKEW = skew_quantities("2", ["2"], ("male", "female"), unit="", counted=False)[2:4]
PROFESSIONS = 12


def rows(seed: int = 0) -> pd.DataFrame:
    """Sentences of twelve professions; the first model follows the stereotype, the second guesses."""
    rng = default_rng(seed)
    profession = np.repeat(np.arange(PROFESSIONS), 10)
    truth = np.where(profession < PROFESSIONS // 2, "male", "female")
    follows = rng.random(len(truth)) < 0.9
    wrong = np.where(truth == "male", "female", "male")
    return pd.DataFrame(
        {
            "profession": profession.astype(str),
            "stereotype": truth,
            "prediction_first": np.where(follows, truth, wrong),
            "prediction_second": rng.choice(["male", "female"], len(truth)),
        }
    )


def f1(truth: pd.Series, choice: pd.Series, pole: str) -> float:
    hits = ((truth == pole) & (choice == pole)).sum()
    return float(200 * hits / ((truth == pole).sum() + (choice == pole).sum()))


def stereotype_of(table: pd.DataFrame, column: str) -> float:
    """Mean |stereotype| the long way: the anti set is the same sentences with the labels exchanged."""
    anti = table["stereotype"].map({"male": "female", "female": "male"})
    gaps = [
        abs(f1(table["stereotype"], table[column], pole) - f1(anti, table[column], pole))
        for pole in ("male", "female")
    ]
    return sum(gaps) / 2


COLUMNS = ["prediction_first", "prediction_second"]


def test_values_and_interval_are_those_of_a_slow_bootstrap_over_professions() -> None:
    table = rows()
    made = paired_matrices(table, COLUMNS, STEREOTYPE, margin=5)
    assert made is not None
    first, second, verdict = made
    assert first.value == pytest.approx(stereotype_of(table, COLUMNS[0]))
    assert second.value == pytest.approx(stereotype_of(table, COLUMNS[1]))
    assert verdict.difference == pytest.approx(second.value - first.value)
    # Six professions of either stereotype are drawn, so that the balance of labels is that of the data.
    rng, by = default_rng(1), dict(list(table.groupby("profession")))
    slow = []
    for _ in range(400):
        drawn = [str(one) for half in (0, 6) for one in rng.integers(6, size=6) + half]
        sample = pd.concat([by[one] for one in drawn])
        slow.append(stereotype_of(sample, COLUMNS[1]) - stereotype_of(sample, COLUMNS[0]))
    low, high = np.quantile(slow, [0.025, 0.975])
    assert (verdict.interval.low, verdict.interval.high) == pytest.approx((low, high), abs=6)
    assert verdict.word == "lower"
    assert verdict.p_difference < 0.01


def test_the_same_choices_are_equivalent_and_have_no_difference() -> None:
    table = rows().assign(prediction_second=lambda one: one["prediction_first"])
    made = paired_matrices(table, COLUMNS, SKEW, margin=5)
    assert made is not None
    assert made[2].word == "equivalent"
    assert (made[2].difference, *made[2].interval) == (0, 0, 0)
    assert made[2].p_difference == 1


def test_few_professions_give_no_interval() -> None:
    table = rows().query("profession in ['0', '1', '10', '11']")
    made = paired_matrices(table, COLUMNS, SKEW, margin=5)
    assert made is not None
    assert made[2].word == "not enough items"
    assert np.isnan(made[2].interval.low)
    assert np.isnan(made[2].p_difference)


def test_sides_that_have_nothing_in_common() -> None:
    one, other = (
        rows(seed)[["profession", "stereotype", column]].rename(columns={column: "prediction"})
        for seed, column in enumerate(COLUMNS)
    )
    made = matrices_apart(one, other, STEREOTYPE, margin=5)
    assert made is not None
    assert made[2].word == "lower"
    assert made[2].difference == pytest.approx(
        stereotype_of(other, "prediction") - stereotype_of(one, "prediction")
    )


def test_two_results_are_compared_by_the_means_of_the_paper() -> None:
    """Names are resolved by both; of occupations one model expects men, the other follows the stereotype."""
    design = designed("stereotype-skew")
    always = TableModel(
        words={**dict.fromkeys(("he", "him", "his"), 0.3), **dict.fromkeys(("she", "her"), 0.1)}
    )
    follows = TableModel(
        {
            row["text"]: {
                **dict.fromkeys(("he", "him", "his"), 0.3 if row["stereotype"] == "male" else 0.1),
                **dict.fromkeys(("she", "her"), 0.1 if row["stereotype"] == "male" else 0.3),
            }
            for row in design.items.to_dict("records")
        }
    )
    results = [
        measure(model, "stereotype-skew").renamed(name) for name, model in (("a", always), ("b", follows))
    ]
    results[0].provenance["model"]["fingerprint"] = "other"
    for result in results:
        result.estimates["void"] = ""
    table = compare(*results).table.set_index("quantity")
    for key in ("mean-abs-skew", "mean-abs-stereotype"):
        row = table.loc[f"{key}-type-2"]
        sides = [result.value(key, type="2") for result in results]
        assert [row["first_value"], row["second_value"]] == pytest.approx(sides)
        assert [row["first_value"], row["second_value"]] == pytest.approx(
            [
                value_of(
                    result.items,
                    next(one for one in result.quantities if one.key == f"{key}-type-2"),
                ).value
                for result in results
            ]
        )
    assert table.loc["mean-abs-skew-type-2", ["verdict", "change"]].tolist() == ["lower", "better"]
    assert table.loc["mean-abs-stereotype-type-2", ["verdict", "change"]].tolist() == ["higher", "worse"]
