"""One model on several corpora, or on the groups of one: unpaired differences with verdicts."""

import numpy as np
import pandas as pd
import pytest
from made_results import made_result
from scipy import stats

from equipoise.errors import UserError
from equipoise.results import Quantity, Result
from equipoise.results.comparison.apart import compare_corpora, compare_groups
from equipoise.results.comparison.differences import difference_between
from equipoise.results.quantity import Contrast

MEAN = Quantity("mean", "mean lean", 0.05, factors=("document",))
ABLE = Quantity("able", "ability", 0.05, column="own", better="higher", part="ability")
SHARED = {"words.csv": "c" * 64}


def items(mean: float, n: int = 60, seed: int = 0, **columns: object) -> pd.DataFrame:
    score = np.random.default_rng(seed).normal(mean, 0.2, n)
    return pd.DataFrame(
        {"document": [f"d{place}" for place in range(n)], "score": score, "own": score, **columns}
    )


def corpus(name: str, mean: float, seed: int = 0, **changes: object) -> Result:
    files = {name: name[0] * 64, **SHARED}
    return made_result(items(mean, seed=seed), MEAN, ABLE, **{"files": files, **changes})


def test_corpora_are_compared_unpaired_as_by_welch() -> None:
    first, second = corpus("left.csv", 0.1), corpus("right.csv", 0.5, seed=1)
    made = compare_corpora([first, second])
    row = made.table.iloc[0]
    welch = stats.ttest_ind(second.items["score"], first.items["score"], equal_var=False)
    interval = welch.confidence_interval()
    assert (row["first"], row["second"], row["verdict"]) == ("left.csv", "right.csv", "higher")
    assert [row["low"], row["high"]] == pytest.approx([interval.low, interval.high], abs=2e-3)
    said = made.sentences()
    assert said[0].startswith("x, mean lean: right.csv (")
    assert said[1].startswith("x, ability: right.csv (")
    assert not any("the model lost" in sentence for sentence in said)


def test_corpora_of_two_models_or_the_same_data_are_refused() -> None:
    one = corpus("left.csv", 0.1)
    with pytest.raises(UserError, match="different models"):
        compare_corpora([one, corpus("right.csv", 0.1, model="b")])
    with pytest.raises(UserError, match="the same data"):
        compare_corpora([one, corpus("left.csv", 0.2)])
    with pytest.raises(UserError, match="nothing to compare"):
        compare_corpora([one])
    same = compare_corpora([one, corpus("left.csv", 0.2, files={"left.csv": "z" * 64, **SHARED})])
    assert same.table["first"].iloc[0] == "left.csv (1)"


def test_groups_are_compared_and_small_ones_named() -> None:
    parts = [items(0.1, place="A"), items(0.5, seed=1, place="B"), items(9.0, n=3, place="Tiny")]
    result = made_result(pd.concat(parts, ignore_index=True), MEAN)
    made = compare_groups([result], "place")
    assert made.table[["first", "second", "verdict"]].to_numpy().tolist() == [["A", "B", "higher"]]
    assert made.sentences()[-1] == "x: too few items to compare: Tiny (3)."
    with pytest.raises(UserError, match="no group among the items called 'plaice'") as refusal:
        compare_groups([result], "plaice")
    assert "place" in refusal.value.hint
    with pytest.raises(UserError, match="has 1 group"):
        compare_groups([made_result(items(0.1, place="A"), MEAN)], "place")


def test_a_contrast_without_one_of_its_sides_has_no_difference() -> None:
    contrast = Quantity("gap", "gap", 0.05, contrast=Contrast("gender", "male", "female"))
    men = items(0.1, gender="male")
    assert difference_between(men, items(0.2, gender="male"), contrast) is None
    both = pd.concat([men, items(0.3, seed=2, gender="female")], ignore_index=True)
    gap = difference_between(both, both.assign(score=both["score"] * 2), contrast)
    assert gap is not None
    assert gap.verdict.difference == pytest.approx(gap.first.value)
