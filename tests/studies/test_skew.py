"""Skew beside stereotype over models: the table, the rank correlation and the chart."""

import pandas as pd
import pytest

from equipoise.errors import UserError
from equipoise.results import Estimate, Result
from equipoise.results.estimate import estimates_table
from equipoise.studies.papers.skew import skew_rank_correlation, skew_stereotype_table, table_1, table_2


def result_of(
    name: str,
    skew: float,
    stereotype: float,
    *,
    kinds: tuple[str, ...] = ("2",),
    ability: float = 90,
    data: str = "winobias",
    variant: str = "corrected",
) -> Result:
    """The estimates of one model: for each type of sentences, or (without types) over every item."""
    scores = {"f1-first-pro": 60.0, "f1-first-anti": 50.0, "f1-second-pro": 40.0, "f1-second-anti": 30.0}
    values = scores | {
        "skew": -skew,
        "stereotype": stereotype,
        "mean-abs-skew": skew,
        "mean-abs-stereotype": stereotype,
        "ability": ability,
        "ability-f1-first": ability,
        "ability-f1-second": ability + 1,
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
    provenance = {
        "model": {"name": name},
        "instrument": {"variant": variant},
        "data": {"name": data, "files": {"pro_stereotyped_type2.txt.test": "0"}},
    }
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
    with pytest.raises(UserError, match=r"different quantities: winobias, 2; mine\.csv, 2"):
        skew_stereotype_table([one, result_of("two", 1, 2, data="mine.csv")])
    with pytest.raises(UserError, match="No result"):
        skew_stereotype_table([])
    with pytest.raises(UserError, match="A result of tbe"):
        skew_stereotype_table([Result("tbe", pd.DataFrame(), pd.DataFrame(), {})])


def test_a_model_and_its_variant_stand_in_two_rows_with_the_printed_ones_below() -> None:
    results = [
        result_of("models/bert-base-uncased", 43.8, 17.3, kinds=("1", "2"), variant="as-published"),
        result_of("models/bert-base-uncased", 41.6, 16.4, kinds=("1", "2"), variant="prior-normalised"),
        result_of("mine", 1, 2, kinds=("1", "2"), ability=40, variant="as-published"),
    ]
    second = table_2(results)
    assert list(second.columns) == [
        *("model", "variant", "source", "F1 first pro", "F1 first anti", "F1 second pro", "F1 second anti"),
        *("stereotype", "skew", "n", "note"),
    ]
    assert second["model"].tolist() == ["bert-base-uncased", "BERT", "bert-base-uncased", "BERT-O", "mine"]
    assert second.loc[0, ["F1 first pro", "stereotype", "skew", "n"]].tolist() == [
        *("60.0 [59.0, 61.0]", "17.3 [16.3, 18.3]", "43.8 [42.8, 44.8]", "10"),
    ]
    # The printed rows of BERT and BERT-O, copied from the paper.
    assert second.loc[1, "F1 first pro":"skew"].tolist() == ["69.3", "58.0", "31.4", "8.2", "17.3", "43.8"]
    assert second.loc[3, "F1 first pro":"skew"].tolist() == ["68.4", "58.1", "32.9", "10.5", "16.4", "41.6"]
    assert second["note"].tolist() == ["", "", "", "", "not meaningful: ability below 75"]
    first = table_1(results)
    assert list(first.columns)[3:] == [
        f"type {kind} F1 {pole}" for kind in "12" for pole in ("first", "second")
    ]
    assert first.iloc[1, 3:].tolist() == ["58.8", "62.4", "95.3", "95.5"]
    assert first.iloc[0, 3:].tolist() == [
        *("100.0 [89.0, 91.0]", "101.0 [90.0, 92.0]", "90.0 [89.0, 91.0]", "91.0 [90.0, 92.0]"),
    ]
    table = skew_stereotype_table(results)
    assert table["label"].tolist() == [
        *("bert-base-uncased, as-published", "bert-base-uncased, prior-normalised"),
        "mine, as-published",
    ]
    with pytest.raises(UserError, match="twice with the same variant"):
        skew_stereotype_table([results[0], results[0]])


def test_nothing_printed_stands_beside_other_sentences_or_models() -> None:
    own = result_of("bert-base-uncased", 1, 2)
    own.provenance["data"]["files"] = {"schemas.csv": "0"}
    for result in (own, result_of("my-model", 1, 2)):
        assert table_2([result])["source"].tolist() == ["measured"]
        assert table_1([result])["source"].tolist() == ["measured"]
