"""Groups of the user: planted effects come back, cells that are too small or empty are named."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import equipoise as eq
from equipoise.data.reading import own_table
from equipoise.errors import UserError
from equipoise.models.capabilities import CLASSIFY
from equipoise.models.protocol import AnsweringModel
from equipoise.models.questions import LabelScores

NAMES = own_table("names-by-origin.csv")
BORNE = {row["name"]: (row["gender"], row["origin"]) for row in NAMES.to_dict("records")}


class Judge(AnsweringModel):
    """A classifier that gives `good` the probability that a function of the first name and the text gives."""

    kind, name, fingerprint = "classifier", "judge", "judge"
    capabilities, labels = frozenset({CLASSIFY}), ("bad", "good")

    def __init__(self, share: Callable[[str, str, str], float]) -> None:
        self.share = share

    def answer(self, questions: Sequence[Any]) -> list[Any]:
        answers = []
        for question in questions:
            words = question.text.replace("'s", "").replace(",", "").replace(".", "").split()
            gender, origin = next((BORNE[word] for word in words if word in BORNE), ("", ""))
            good = self.share(gender, origin, question.text)
            answers.append(LabelScores(self.labels, (1 - good, good)))
        return answers


def planted(gender: str, origin: str, text: str) -> float:
    """Men have 10 points more, Arabic names 6, and Indian men 8 on top; long texts a little."""
    plus = 0.1 * (gender == "male") + 0.06 * (origin == "arabic")
    return 0.4 + plus + 0.08 * (gender == "male" and origin == "indian") + 0.0001 * len(text)


@pytest.mark.parametrize("instrument", ["name-sensitivity", "paired-documents"])
def test_gender_origin_and_what_both_do_together_come_back(instrument: str) -> None:
    variant = "label" if instrument == "paired-documents" else ""
    result = eq.measure(Judge(planted), instrument, by="gender,origin", variant=variant)
    near = pytest.approx
    # A man's plus, the mean over six origins; an origin's plus, the mean over both genders.
    gap = result.estimate("group-effect", gender="male")
    assert gap["value"] == near(0.1 + 0.08 / 6, abs=0.002)
    assert gap["low"] < gap["value"] < gap["high"]
    assert result.value("group-effect", origin="arabic") == near(0.06 - 0.04 / 5, abs=0.002)
    assert result.value("group-effect", origin="indian") == near(0.04 - 0.06 / 5, abs=0.002)
    assert result.value("group-interaction", gender="male", origin="indian") == near(0.08, abs=0.004)
    assert result.value("group-interaction", gender="male", origin="chinese") == near(-0.08 / 5, abs=0.004)
    cells = {
        (gender, origin): result.value("group-mean", gender=gender, origin=origin)
        for gender, origin in {tuple(pair) for pair in BORNE.values()}
    }
    assert cells["male", "iberian"] - cells["female", "iberian"] == near(0.1, abs=0.002)
    assert any(sentence.startswith("At gender male and origin indian") for sentence in result.sentences)
    assert any("not corrected for their number" in notice for notice in result.notices)


def test_a_document_has_names_of_every_origin_and_nothing_else_changes() -> None:
    items = eq.measure(Judge(planted), "paired-documents", by="origin", variant="label").items
    assert len(items) == 28 * 6
    one = items[items["document"] == "cv-1"].set_index("origin")
    for row in one.to_dict("records"):
        man, woman = row["names"].split()
        assert BORNE[man][1] == BORNE[woman][1]
        assert row["female"] == row["text"].replace("Anna", woman)
        assert row["male"].startswith(f"{man} Keller applied on Monday. He")
        assert row["name"].split()[0] in BORNE


def test_without_origins_documents_and_names_stay_as_they_are() -> None:
    plain = eq.measure(Judge(planted), "paired-documents", variant="label").items
    assert len(plain) == 28
    assert "origin" not in plain
    assert len(eq.measure(Judge(planted), "name-sensitivity").items) == 12 * 20


PAIRS = (
    own_table("pairs.csv")
    .query("category == 'occupation'")
    .head(24)[["id", "category", "stereotype", "counterpart"]]
    .assign(region=["north"] * 11 + ["south"] * 10 + ["east"] * 2 + [""], era=["old", "new"] * 12)
)


def test_columns_of_the_user_are_put_to_the_items_by_hand() -> None:
    result = eq.measure("random", "sbe", data=PAIRS, by="region", neutral_pairs=False)
    items = result.items[(result.items["part"] == "pair") & (result.items["variation"] == "original")]
    wanted = dict(zip(PAIRS["id"], PAIRS["region"], strict=True))
    assert items["region"].tolist() == [wanted[name] for name in items["item"]]
    means = items[items["region"] != ""].groupby("region")["score"].mean()
    for region, mean in means.items():
        assert result.value("group-mean", region=str(region)) == pytest.approx(mean)
    effect = means["south"] - (means["north"] + means["east"]) / 2
    assert result.value("group-effect", region="south") == pytest.approx(effect)
    assert "1 items have no region and are in none of its groups" in result.notices
    small = "1 of 3 cells of region are too small for an interval (fewer than 5 independent items): east"
    assert small in result.notices
    assert pd.isna(result.estimate("group-effect", region="east")["low"])


def test_empty_cells_have_no_value_and_are_named() -> None:
    table = PAIRS[(PAIRS["region"] != "") & ~((PAIRS["region"] == "south") & (PAIRS["era"] == "old"))]
    result = eq.measure("random", "sbe", data=table, by="region,era", neutral_pairs=False)
    assert pd.isna(result.value("group-mean", region="south", era="old"))
    assert pd.isna(result.value("group-interaction", region="north", era="old"))
    assert not pd.isna(result.value("group-mean", region="south", era="new"))
    assert any("1 of 6 cells of region x era are empty" in notice for notice in result.notices)


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("regoin", "called 'regoin'"),
        ("region,era,id", "does not name one or two columns"),
        ("region,", "does not name one or two columns"),
        ("category", "has 1 levels where 2 to 50 are expected"),
        ("gender", "no column to group by called 'gender'"),
    ],
)
def test_what_cannot_be_grouped_is_refused(by: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        eq.measure("random", "sbe", data=PAIRS, by=by, neutral_pairs=False)


def test_names_of_the_user_bring_their_columns(tmp_path: Path) -> None:
    (tmp_path / "name-templates.csv").write_text("template\n<name> left.\n<name> came.\n", "utf-8")
    places = ["land", "city"] * (len(BORNE) // 2)
    rows = [f"{name},{BORNE[name][0]},{place}" for name, place in zip(BORNE, places, strict=True)]
    (tmp_path / "names.csv").write_text("name,gender,place\n" + "\n".join(rows) + "\n", "utf-8")
    result = eq.measure(Judge(planted), "name-sensitivity", data=tmp_path, by="gender,place")
    cells = result.items.groupby(["gender", "place"])["score"].mean()
    apart = cells["male"] - cells["female"]
    found = result.value("group-interaction", gender="male", place="land")
    assert found == pytest.approx(apart["land"] - apart["city"])


def test_an_origin_without_names_of_one_gender_is_refused(tmp_path: Path) -> None:
    (tmp_path / "documents.csv").write_text("text\nAnna Hale sold her car.\n", "utf-8")
    names = "name,gender,origin\nAnn,female,here\nTom,male,here\nAda,female,there\n"
    (tmp_path / "names-by-origin.csv").write_text(names, "utf-8")
    with pytest.raises(UserError, match="no names of both genders for 'there'"):
        eq.measure(Judge(planted), "paired-documents", data=tmp_path, by="origin", variant="label")
