"""Skew beside stereotype over models: the table, the rank correlation and the chart."""

import pandas as pd
import pytest

from equipoise.errors import UserError
from equipoise.results import Estimate, Result
from equipoise.results.estimate import estimates_table
from equipoise.studies.skew import skew_rank_correlation, skew_stereotype_table


def result_of(
    name: str,
    skew: float,
    stereotype: float,
    *,
    kinds: tuple[str, ...] = ("2",),
    ability: float = 90,
    data: str = "winobias",
) -> Result:
    """The estimates of one model: for each type of sentences, or (without types) over every item."""
    values = {
        "skew": -skew,
        "stereotype": stereotype,
        "mean-abs-skew": skew,
        "mean-abs-stereotype": stereotype,
        "ability": ability,
    }
    estimates = [
        Estimate(
            key,
            value + 10 * (kind == "1"),
            value - 1,
            value + 1,
            n=10,
            dropped=2,
            groups={"type": kind} if kind else {},
        )
        for kind in kinds
        for key, value in values.items()
    ]
    provenance = {"model": {"name": name}, "instrument": {"variant": "corrected"}, "data": {"name": data}}
    return Result("stereotype-skew", pd.DataFrame(), estimates_table(estimates), provenance)


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
    related = skew_rank_correlation(table)
    # Rank differences 5, 3, 0, 2, 1, 5: 1 - 6 * 64 / (6 * 35).
    assert related.value == pytest.approx(1 - 64 / 35)
    assert related.n == 6


def test_the_types_of_sentences_are_never_mixed() -> None:
    both = result_of("one", 20, 5, kinds=("1", "2"))
    of_type = {kind: skew_stereotype_table([both], kind).iloc[0] for kind in ("1", "2")}
    assert {kind: row["absolute_skew"] for kind, row in of_type.items()} == {"1": 30, "2": 20}
    assert {row["n"] for row in of_type.values()} == {10}
    assert skew_stereotype_table([both])["type"].tolist() == ["2"]
    assert skew_stereotype_table([both])["dropped"].tolist() == [2]


def test_the_table_refuses_what_cannot_be_compared() -> None:
    one = result_of("one", 1, 2)
    whole = result_of("two", 1, 2, kinds=("",), ability=10)
    row = skew_stereotype_table([whole]).iloc[0]
    assert (row["type"], bool(row["is_meaningful"])) == ("the only one", False)
    with pytest.raises(UserError, match="different quantities"):
        skew_stereotype_table([one, whole])
    with pytest.raises(
        UserError, match=r"different quantities: winobias, corrected, 2; mine\.csv, corrected, 2"
    ):
        skew_stereotype_table([one, result_of("two", 1, 2, data="mine.csv")])
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
