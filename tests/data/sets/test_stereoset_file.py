"""The file of StereoSet, line by line or as its authors nest it, and what a bad one is told."""

import json
from pathlib import Path

import pytest
from stereoset_lines import NEXT, item, item_file

from equipoise.data.sets.stereoset import read_stereoset
from equipoise.errors import UserError

LINES = [
    item("My aunt is BLANK.", ("gentle", "strict", "cupboard")),
]


def test_candidates_take_their_capitals_from_the_context(tmp_path: Path) -> None:
    row = json.loads(item("The Kenyan aunt was BLANK.", ("gentle", "strict", "cupboard")))
    lowered = {
        name: row[name].lower().capitalize() for name in ("stereotype", "anti-stereotype", "unrelated")
    }
    table = read_stereoset(item_file(tmp_path, [json.dumps(row | lowered)]))
    assert table["stereotype"].item() == "The Kenyan aunt was gentle."


def test_the_authors_own_file_is_read_too(tmp_path: Path) -> None:
    row = json.loads(LINES[0])
    sentences = [
        {"sentence": row[label], "gold_label": label}
        for label in ("anti-stereotype", "stereotype", "unrelated")
    ]
    nested = {"id": "abc", "target": "aunt", "bias_type": "gender", "context": row["context"]}
    path = tmp_path / "dev.json"
    content = {"version": "1.0", "data": {"intrasentence": [nested | {"sentences": sentences}]}}
    path.write_text(json.dumps(content), encoding="utf-8")
    table = read_stereoset(path)
    assert table["item"].item() == "item abc"
    assert table["stereotype_word"].item() == "gentle"
    path.write_text('{"data": [1]}', encoding="utf-8")
    with pytest.raises(UserError, match="does not have the shape"):
        read_stereoset(path)


def test_two_blanks_take_one_word(tmp_path: Path) -> None:
    """Both blanks are asked at once: a candidate with two words has no single one."""
    row = json.loads(item("A BLANK aunt is BLANK.", ("kind", "strict", "cupboard")))
    table = read_stereoset(item_file(tmp_path, [json.dumps(row)]))
    assert table["stereotype_word"].item() == "kind"
    assert table["stereotype"].item() == "A kind aunt is kind."
    row["stereotype"] = "A kind aunt is strict."
    with pytest.raises(UserError, match=r"the stereotype .* is not its context with the blank filled"):
        read_stereoset(item_file(tmp_path, [json.dumps(row)]))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{not json", "line 1: this is not valid JSON"),
        ("[1]", "line 1: .* is not a JSON object"),
        (json.dumps(json.loads(LINES[0]) | {"unrelated": ""}), "line 1: unrelated is missing"),
        (json.dumps(json.loads(LINES[0]) | {"type": "both"}), "the type 'both'"),
        (json.dumps(json.loads(LINES[0]) | {"context": "My aunt is old."}), "has no BLANK"),
        (json.dumps(json.loads(LINES[0]) | {"unrelated": "A cup."}), "not its context with the blank filled"),
        (json.dumps(NEXT), "holds no intrasentence items"),
    ],
)
def test_a_bad_line_is_told_where(line: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        read_stereoset(item_file(tmp_path, [line]))


def test_an_unknown_bias_type_is_told_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="gender"):
        read_stereoset(item_file(tmp_path, LINES), bias_type="gendre")
