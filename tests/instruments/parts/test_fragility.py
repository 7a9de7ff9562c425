"""Fragility: a seeded sample of each category in its changed forms, and movements by hand."""

import numpy as np
import pandas as pd
import pytest

from equipoise.data.sets.frames import load_frames
from equipoise.instruments.parts.fragility import movement_estimates, originals, with_variations

FRAMES = load_frames()
FORMS = ("no-period", "lower-case", "frame-aside", "frame-report")


def items() -> pd.DataFrame:
    rows = [
        (f"{name}{number}", name, f"Job {number} asked [MASK].", "") for name in "ab" for number in range(10)
    ]
    rows += [("q", "a", "Did [MASK] ask?", ""), ("d", "b", "Job d asked [MASK].", "no profession")]
    table = pd.DataFrame(rows, columns=["item", "category", "text", "dropped"])
    return table.assign(language="en")


def test_a_sample_of_each_category_is_varied() -> None:
    table, said = with_variations(items(), ("text",), frames=FRAMES, quota=lambda count: count // 5, seed=0)
    assert said == ()
    changed = table[table["variation"] != "original"]
    assert changed.groupby(["category", "variation"]).size().to_dict() == {
        (name, form): 2 for name in "ab" for form in FORMS
    }
    assert len(originals(table)) == 22
    written = items().drop(columns="language")
    pd.testing.assert_frame_equal(originals(table)[written.columns.tolist()], written)
    for row in changed.itertuples():
        assert row.item == f"{row.of} / {row.variation}"
        text = items().set_index("item").loc[row.of, "text"]
        assert row.text.lower().rstrip(".").endswith(text.lower().rstrip("."))


def test_a_question_and_a_dropped_item_are_never_varied() -> None:
    table, _ = with_variations(items(), ("text",), frames=FRAMES, quota=lambda count: count, seed=0)
    changed = table[table["variation"] != "original"]
    assert set(changed["of"]) == {f"{name}{number}" for name in "ab" for number in range(10)}


def test_the_sample_follows_the_seed() -> None:
    one, same, other = (
        with_variations(items(), ("text",), frames=FRAMES, quota=lambda _: 3, seed=seed)[0]["item"].tolist()
        for seed in (1, 1, 2)
    )
    assert one == same != other


def test_sentences_of_an_unknown_language_get_no_frame() -> None:
    """An English frame in front of a Spanish sentence is not a harmless change."""
    mixed = items().head(10).assign(language=["es", "en-GB", "EN", "", "", "", "", "en", "en", "en"])
    table, said = with_variations(mixed, ("text",), frames=FRAMES, quota=lambda count: count, seed=0)
    framed = table[table["variation"].str.startswith("frame")]
    assert set(framed["of"]) == {"a1", "a2", "a7", "a8", "a9"}
    assert table["variation"].value_counts()["lower-case"] == 10
    assert [sentence.split(":")[0].split("in front of ")[1] for sentence in said] == [
        "1 sampled sentences in the language 'es'",
        "4 sampled sentences whose language is not stated",
    ]
    assert "frames.csv" in said[0]


def test_nothing_to_vary_is_said() -> None:
    questions = items().query("item == 'q'").reset_index(drop=True)
    table, said = with_variations(questions, ("text",), frames=FRAMES, quota=lambda count: count, seed=0)
    assert table["variation"].tolist() == ["original"]
    assert said == ("fragility was not measured: no sentence is a statement that ends in a period",)
    assert movement_estimates(table.assign(score=0.5), factors=(), unit="nats") == []


def test_both_sentences_of_a_pair_are_changed_alike() -> None:
    pair = pd.DataFrame(
        [("p", "a", "She left.", "He left.", "", "en")],
        columns=["item", "category", "stereotype", "counterpart", "dropped", "language"],
    )
    table, _ = with_variations(
        pair, ("stereotype", "counterpart"), frames=FRAMES, quota=lambda count: count, seed=0
    )
    lowered = table.query("variation == 'lower-case'").iloc[0]
    assert (lowered["stereotype"], lowered["counterpart"]) == ("she left.", "he left.")


def test_movements_by_hand() -> None:
    table = pd.DataFrame(
        {
            "item": ["a", "b", "a / x", "b / x", "a / y", "b / y"],
            "of": ["a", "b", "a", "b", "a", "b"],
            "variation": ["original", "original", "x", "x", "y", "y"],
            "score": [1.0, 2.0, 1.5, 1.0, 1.25, np.nan],
        }
    )
    estimates = {(one.key, one.level): one for one in movement_estimates(table, factors=("of",), unit="nats")}
    assert estimates["mean-movement", ""].value == pytest.approx((0.5 - 1.0 + 0.25) / 3)
    assert estimates["mean-abs-movement", ""].value == pytest.approx(1.75 / 3)
    assert estimates["mean-movement", "x"].value == pytest.approx(-0.25)
    assert estimates["mean-abs-movement", "x"].value == pytest.approx(0.75)
    assert estimates["mean-movement", "y"].value == pytest.approx(0.25)
    assert (estimates["mean-movement", ""].n, estimates["mean-movement", ""].dropped) == (3, 1)
    assert estimates["mean-abs-movement", ""].better == "lower"


def test_lower_case_is_left_out_where_the_model_does_not_see_capitals() -> None:
    rows = [("a", "original", "a", 0.25)]
    rows += [
        (f"a / {name}", name, "a", 0.25 + moved) for name, moved in (("lower-case", 0.0), ("no-period", 0.5))
    ]
    table = pd.DataFrame(rows, columns=["item", "variation", "of", "score"]).assign(category="c")
    named = {one.level for one in movement_estimates(table, factors=("category",), unit="")}
    assert named == {"", "no-period"}
    table.loc[1, "score"] = 0.3
    assert "lower-case" in {one.level for one in movement_estimates(table, factors=("category",), unit="")}
