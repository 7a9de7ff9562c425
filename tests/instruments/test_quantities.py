"""What models are compared by is what is shown of one: a quantity of a key is the estimate of that key."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from scipy import stats

from equipoise.measuring import measure
from equipoise.models.loading import load_model
from equipoise.results import Result, load_results
from equipoise.results.comparison.differences import value_of

OPENINGS = ("Yes,", "So", "Then", "Now", "Well,", "Oh,")
JOBS = ("nurse", "clerk", "cook", "guard", "judge", "pilot")
TEMPLATES = pd.DataFrame(
    {
        "category": ["medical"] * 6 + ["gendered-occupation"] * 6,
        "form": "subject",
        "template": [f"{opening} [MASK] is a <profession>." for opening in OPENINGS] * 2,
    }
)
PAIRS = pd.DataFrame(
    {
        "sent_more": [f"The {job} lost her {thing}." for job in JOBS for thing in ("keys", "coat")],
        "sent_less": [f"The {job} lost his {thing}." for job in JOBS for thing in ("keys", "coat")],
        "anon_writer": [f"writer of {job}" for job in JOBS for _ in range(2)],
    }
)
DATA: dict[str, Any] = {"tbe": TEMPLATES, "lpbs": TEMPLATES, "crows-pairs": PAIRS, "aul": PAIRS}
NAMES = ("tbe", "sbe", "lpbs", "crows-pairs", "aul", "traits", "stereoset", "winogender")


def contexts(folder: Path) -> Path:
    """Two contexts for each occupation, which is their term."""
    words = {"stereotype": "gentle", "anti-stereotype": "strict", "unrelated": "purple"}
    lines = []
    for job, time in product(JOBS, ("is", "was")):
        context = f"Our {job} {time} BLANK."
        filled = {name: context.replace("BLANK", word) for name, word in words.items()}
        row = {"type": "intrasentence", "target": job, "bias_type": "gender", "context": context}
        lines.append(json.dumps(row | filled))
    path = folder / "contexts.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def schemas(folder: Path) -> Path:
    """A schema for each occupation, with either person meant."""
    told = "The $OCCUPATION wrote to the $PARTICIPANT because $NOM_PRONOUN"
    rows = ["occupation(0)\tother-participant(1)\tanswer\tsentence"]
    for job in JOBS:
        rows.append(f"{job}\tguest\t0\t{told} had closed the shop.")
        rows.append(f"{job}\tguest\t1\t{told} could come back later.")
    path = folder / "templates.tsv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    model, folder = load_model("random", cache=False), tmp_path_factory.mktemp("data")
    data = DATA | {"stereoset": contexts(folder), "winogender": schemas(folder)}
    return {name: measure(model, name, data=data.get(name, "")) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_a_quantity_is_the_estimate_of_its_key(name: str, results: dict[str, Result]) -> None:
    """Value and both ends, so that `measure` and `compare` rest on the same rows and clusters."""
    result, seen = results[name], 0
    shown = result.estimates[result.estimates["by"] == ""].set_index("key")
    for quantity in result.quantities:
        if quantity.key in shown.index:
            row, value = shown.loc[quantity.key], value_of(result.items, quantity)
            if row["unit"] == "%":  # a share keeps away from 0 and 100 and has Wilson's ends
                assert row["value"] == pytest.approx(100 * value.value)
            else:
                ends = (value.value, value.low, value.high)
                assert (row["value"], row["low"], row["high"]) == pytest.approx(ends, nan_ok=True)
            seen += 1
    assert seen >= 1


@pytest.mark.parametrize(
    ("name", "cluster"),
    [
        ("crows-pairs", "cluster"),
        ("aul", "cluster"),
        ("stereoset", "cluster"),
        ("winogender", "profession"),
    ],
)
def test_items_of_one_cluster_count_together(name: str, cluster: str, results: dict[str, Result]) -> None:
    """Six clusters of one size: the interval is that of a t test on their six means."""
    result = results[name]
    sizes = result.items.groupby(cluster).size()
    assert len(sizes) == 6
    assert sizes.nunique() == 1 < sizes.iloc[0]
    means = result.items.groupby(cluster)["score"].mean()
    row = result.estimate("mean-difference")
    expected = stats.t.interval(0.95, 5, means.mean(), stats.sem(means))
    assert (row["value"], row["low"], row["high"]) == pytest.approx((means.mean(), *expected))


def test_every_result_has_one_to_three_headlines(results: dict[str, Result]) -> None:
    for name, result in results.items():
        assert 1 <= len(result.headlines()) <= 3, name
        assert (result.headlines()["by"] == "").all()


def test_every_quantity_that_ranks_is_a_bias(results: dict[str, Result]) -> None:
    for result in results.values():
        ranking = [quantity for quantity in result.quantities if quantity.ranks]
        assert len(ranking) == 1
        assert ranking[0].part == "bias"


def test_the_same_items_in_a_saved_result(results: dict[str, Result], tmp_path: Path) -> None:
    for result in results.values():
        result.save(tmp_path)
    for loaded in load_results(tmp_path):
        original = results[loaded.instrument]
        pd.testing.assert_frame_equal(loaded.items, original.items, check_exact=True)
        assert loaded.quantities == original.quantities
