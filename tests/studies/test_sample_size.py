"""The sample-size study in its two designs, with and without replacement: their spread, and the figure."""

import re

import numpy as np
import pandas as pd
import pytest
from made_results import made_result

from equipoise.errors import UserError
from equipoise.results import Quantity, Result
from equipoise.studies.sample_size import BOOTSTRAP, BOOTSTRAP_DRAWS, PUBLISHED, sample_size

DISTANCE = Quantity("mean-sld", "mean SLD", 0.25, unit="nats", where={"variation": "original"})


def result_of(count: int = 30) -> Result:
    rng = np.random.default_rng(2)
    rows = [
        {
            "item": f"{category}{number}",
            "category": category,
            "variation": "original",
            "score": rng.normal(shift, 1),
        }
        for category, shift in (("occupation", 3.0), ("hostile-sexism", 0.0))
        for number in range(count)
    ]
    rows.append({"item": "x", "category": "occupation", "variation": "no-period", "score": 1e6})
    return made_result(pd.DataFrame(rows), DISTANCE, instrument="sbe", model="m")


def of_design(table: pd.DataFrame, design: str) -> pd.DataFrame:
    return table[table["design"] == design]


def test_the_whole_set_without_replacement_has_no_spread_and_the_true_mean() -> None:
    result = result_of()
    study = sample_size(result, (10, 30), draws=4)
    kept = result.items.query("variation == 'original'")
    expected = kept.assign(score=kept["score"].abs()).groupby("category")["score"].mean()
    table = of_design(study.table, PUBLISHED)
    whole = table[table["size"] == 30].set_index("category")
    for category, value in expected.items():
        assert whole.loc[category, "mean"] == pytest.approx(value)
        assert whole.loc[category, "sd"] == pytest.approx(0.0, abs=1e-12)
    assert whole.loc["all", "mean"] == pytest.approx(expected.mean())
    assert (table.query("size == 10")["sd"] > 0).all()
    assert (study.quantity, study.unit) == ("asld", "nats")


def test_the_whole_set_with_replacement_still_spreads() -> None:
    """A hundred of a hundred pairs drawn without replacement look perfect; other pairs would not be."""
    result = result_of(count=100)
    table = of_design(sample_size(result, (100,)).table, BOOTSTRAP).set_index("category")
    values = result.items.query("variation == 'original' and category == 'occupation'")["score"].abs()
    expected = values.std(ddof=0) / np.sqrt(100)
    assert table.loc["occupation", "sd"] == pytest.approx(expected, rel=0.2)
    assert table.loc["occupation", "mean"] == pytest.approx(values.mean(), abs=3 * expected)
    assert table.loc["occupation", "draws"] == BOOTSTRAP_DRAWS


def test_the_table_summarises_the_draws() -> None:
    study = sample_size(result_of(), (5, 10), draws=6, seed=1)
    assert len(study.samples) == 3 * 2 * (6 + BOOTSTRAP_DRAWS)
    assert study.table["design"].unique().tolist() == [PUBLISHED, BOOTSTRAP]
    for row in study.table.to_dict("records"):
        samples = of_design(study.samples, row["design"])
        drawn = samples.query("category == @row['category'] and size == @row['size']")["value"].tolist()
        assert row["mean"] == pytest.approx(sum(drawn) / len(drawn))
        assert row["sd"] == pytest.approx(float(np.std(drawn, ddof=1)))
        count = 6 if row["design"] == PUBLISHED else BOOTSTRAP_DRAWS
        assert (row["lowest"], row["highest"], row["draws"]) == (min(drawn), max(drawn), count)


def test_smaller_samples_spread_more() -> None:
    """Over many draws the spread is sd / sqrt(size), shrunk because the set is finite."""
    result = result_of(count=100)
    study = sample_size(result, (10, 40), draws=2000)
    values = result.items.query("variation == 'original' and category == 'occupation'")["score"].abs()
    for size in (10, 40):
        expected = values.std(ddof=1) / np.sqrt(size) * np.sqrt(1 - size / 100)
        drawn = of_design(study.table, PUBLISHED).query("category == 'occupation' and size == @size")
        assert drawn["sd"].iloc[0] == pytest.approx(expected, rel=0.08)


def test_draws_are_seeded() -> None:
    one, same, other = (
        sample_size(result_of(), (10,), seed=seed).table["mean"].tolist() for seed in (1, 1, 2)
    )
    assert one == same != other


def test_a_seed_below_zero_is_refused() -> None:
    with pytest.raises(UserError, match="seed is -1"):
        sample_size(result_of(), (10,), seed=-1)


@pytest.mark.parametrize(
    ("sizes", "draws", "said"),
    [
        ((10, 40), 5, "has 30 answered items; 40 cannot be drawn"),
        ((), 5, "missing"),
        ((0,), 5, "sample sizes are 0"),
        ((10,), 1, "no spread"),
    ],
)
def test_what_cannot_be_drawn_is_said(sizes: tuple[int, ...], draws: int, said: str) -> None:
    with pytest.raises(UserError, match=said):
        sample_size(result_of(), sizes, draws=draws)


def test_the_advice_fits_every_category() -> None:
    result = result_of()
    categories = result.items["category"].unique()
    for place, name in enumerate(categories):
        rows = result.items.index[result.items["category"] == name]
        result.items.loc[rows[: place + 1], "score"] = np.nan
    with pytest.raises(UserError) as caught:
        sample_size(result, (40,))
    (largest,) = map(int, re.findall(r"up to (\d+)", caught.value.hint))
    assert largest == 30 - len(categories)
    assert len(sample_size(result, (largest,)).table)
    result.items["score"] = np.nan
    with pytest.raises(UserError, match="no item was answered"):
        sample_size(result, (5,))


def test_dropped_items_are_counted_and_not_drawn() -> None:
    result = result_of()
    result.items.loc[0, "score"] = np.nan
    study = sample_size(result, (29,), draws=3)
    for design in (PUBLISHED, BOOTSTRAP):
        row = of_design(study.table, design).set_index("category").loc["occupation"]
        assert (row["n_available"], row["n_dropped"]) == (29, 1)
    assert study.samples["value"].notna().all()
