"""Skew beside stereotype over models: the table, the rank correlation and the chart."""

import pandas as pd
import pytest

from equipoise.errors import UserError
from equipoise.instruments.stereotype_skew import skew_rank_correlation, skew_stereotype_table
from equipoise.results import Result


def result_of(
    name: str, skew: float, stereotype: float, *, group: str = "type:2", ability: float = 90
) -> Result:
    values = {
        "skew": -skew,
        "stereotype": stereotype,
        "mean |skew|": skew,
        "mean |stereotype|": stereotype,
        "ability": ability,
        "meaningful": float(ability >= 75),
    }
    estimates = pd.DataFrame(
        [
            {
                "name": key,
                "group": group,
                "value": value,
                "low": value - 1,
                "high": value + 1,
                "n": 10,
                "dropped": 2,
            }
            for key, value in values.items()
        ]
    )
    provenance = {
        "model": {"name": name},
        "instrument": {"variant": "corrected"},
        "data": {"name": "winobias"},
    }
    return Result("stereotype-skew", pd.DataFrame(), estimates, provenance)


def test_the_table_over_models_and_its_rank_correlation() -> None:
    # The formulas applied to the six published models that were not changed (see the replication tests).
    published = {
        "RoBERTa": (9.2, 32.8),
        "RoBERTa-large": (26.45, 19.05),
        "ALBERT-xxlarge": (23.55, 31.45),
        "DistilBERT": (61.15, 1.25),
        "BERT": (43.85, 17.25),
        "BERT-large": (45.6, 21.6),
    }
    results = [result_of(name, *values) for name, values in published.items()]
    table = skew_stereotype_table(results)
    assert table["model"].tolist() == list(published)
    assert table["skew"].tolist() == [-skew for skew, _ in published.values()]
    assert table.loc[0, ["absolute_skew_low", "absolute_skew_high"]].tolist() == pytest.approx([8.2, 10.2])
    assert table["is_meaningful"].all()
    found = skew_rank_correlation(table)
    # Rank differences 5, 3, 0, 2, 1, 5: 1 - 6 * 64 / (6 * 35).
    assert found.value == pytest.approx(1 - 64 / 35)
    assert found.n == 6


def test_the_table_refuses_what_cannot_be_compared() -> None:
    one = result_of("one", 1, 2)
    whole = result_of("two", 1, 2, group="all", ability=10)
    assert not skew_stereotype_table([whole])["is_meaningful"].iloc[0]
    with pytest.raises(UserError, match="different quantities"):
        skew_stereotype_table([one, whole])
    with pytest.raises(UserError, match="No result"):
        skew_stereotype_table([])
    with pytest.raises(UserError, match="A result of tbe"):
        skew_stereotype_table([Result("tbe", pd.DataFrame(), pd.DataFrame(), {})])


def test_the_chart_shows_every_model_with_its_intervals() -> None:
    pytest.importorskip("altair")
    from equipoise.report.skew_chart import skew_stereotype_chart

    table = skew_stereotype_table([result_of("one", 10, 20), result_of("two", 30, 5, ability=40)])
    drawn = skew_stereotype_chart(table).to_dict()
    (rows,) = [rows for rows in drawn["datasets"].values() if rows and "model" in rows[0]]
    assert [(row["model"], row["skew"], row["skew_low"], row["stereotype_high"]) for row in rows] == [
        ("one", -10, -11, 21),
        ("two", -30, -31, 6),
    ]
    assert rows[1]["reading"] == "ability below 75: not meaningful"
    marks = [layer["mark"]["type"] for layer in drawn["layer"]]
    assert sorted(marks) == ["point", "rule", "rule", "rule", "rule", "text"]
