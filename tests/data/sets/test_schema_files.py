"""Files of schemas: sentences with their professions, copies with names, and what a bad file is told."""

import re
from pathlib import Path

import pandas as pd
import pytest

from equipoise.data.poles import Poles, load_poles
from equipoise.data.reading import TABLES, GivenTable
from equipoise.data.sets import ItemSet
from equipoise.data.sets.schemas import NAMES, OCCUPATIONS, load_schemas, names_of
from equipoise.data.sources import Source
from equipoise.errors import UserError

SCHEMAS = """id,type,sentence,profession,other,form,pair
a,1,The pilot wrote to the nurse because [MASK] was kind.,nurse,pilot,subject,1
b,1,The nurse wrote to the pilot because [MASK] was kind.,pilot,nurse,subject,1
c,2,The pilot met the nurse and drove [MASK] home.,nurse,pilot,object,2
"""
PROFESSIONS = "profession,gender,percent_women,title\nnurse,female,88,Nurses\npilot,male,9,Pilots\n"


def folder_of(folder: Path, schemas: str = SCHEMAS, professions: str = PROFESSIONS) -> Path:
    (folder / "schemas.csv").write_text(schemas, encoding="utf-8")
    (folder / "schema-professions.csv").write_text(professions, encoding="utf-8")
    return folder


def read(path: Path, *, as_published: bool = False) -> ItemSet:
    return load_schemas(Source(str(path), path), load_poles(), as_published=as_published)


def poles_at(folder: Path, *rows: str) -> Poles:
    path = folder / "poles.csv"
    path.write_text("\n".join(["pole,form,word", *rows]), encoding="utf-8")
    return load_poles(path)


def test_a_row_becomes_an_item_with_what_is_known_of_its_profession(tmp_path: Path) -> None:
    items = read(folder_of(tmp_path))
    row = items.table.set_index("item").loc["c"]
    assert row.to_dict() == {
        "type": "2",
        "split": "",
        "pair": "2",
        "text": "The pilot met the nurse and drove [MASK] home.",
        "form": "object",
        "stereotype": "female",
        "published_words": "",
        "flags": "",
        "dropped": "",
        "profession": "nurse",
        "other": "pilot",
        "percent_women": 88.0,
        "title": "Nurses",
        "part": OCCUPATIONS,
        "referent": "nurse",
        "rival": "pilot",
    }
    assert [path.name for path in items.files] == [
        *("schemas.csv", "schema-professions.csv", "poles-pronouns.csv")
    ]
    assert items.notices == ()


def test_copies_have_a_right_answer_and_those_of_a_pair_are_kept_once(tmp_path: Path) -> None:
    table = read(folder_of(tmp_path)).table
    copies = table[table["part"] == NAMES].set_index("item")
    assert copies["text"].to_dict() == {
        "a:Bob": "Alice wrote to Bob because [MASK] was kind.",
        "c:Bob": "Alice met Bob and drove [MASK] home.",
        "a:Alice": "Bob wrote to Alice because [MASK] was kind.",
        "c:Alice": "Bob met Alice and drove [MASK] home.",
    }
    assert copies["stereotype"].to_dict() == {
        item: "male" if item.endswith("Bob") else "female" for item in copies.index
    }
    assert table["item"].is_unique


def test_as_published_both_types_stay_and_the_end_is_set_apart(tmp_path: Path) -> None:
    table = read(folder_of(tmp_path), as_published=True).table.set_index("item")
    assert set(table["type"]) == {"1", "2"}
    assert {"a", "c", "c:Bob", "c:Alice"} < set(table.index)
    assert table.loc["c", "text"] == "The pilot met the nurse and drove [MASK] home . \n"
    assert table.loc["c:Bob", "text"] == "Alice met Bob and drove [MASK] home . \n"


def test_names_follow_the_poles_whichever_is_first(tmp_path: Path) -> None:
    assert names_of(load_poles()) == ("Bob", "Alice")
    women_first = ("female,subject,she", "male,subject,he")
    assert names_of(poles_at(tmp_path, *women_first)) == ("Alice", "Bob")
    assert names_of(poles_at(tmp_path, "neutral,subject,they", "male,subject,he")) == ("Alice", "Bob")
    # A name of the poles' own stands before the default of the other pole.
    assert names_of(poles_at(tmp_path, *women_first, "female,name,Mia")) == ("Mia", "Bob")
    assert names_of(poles_at(tmp_path, *women_first, "female,name,Mia", "male,name,Max")) == ("Mia", "Max")


def test_a_table_in_memory_takes_the_shipped_professions() -> None:
    frame = pd.DataFrame(
        {
            **{"id": ["x"], "type": [2], "profession": ["nurse"], "other": ["welder"], "form": ["object"]},
            **{"sentence": ["The welder met the nurse and drove [MASK] home."], "pair": [1]},
        }
    )
    items = load_schemas(Source("table", GivenTable(frame)), load_poles())
    row = items.table.set_index("item").loc["x"]
    shipped = pd.read_csv(TABLES / "schema-professions.csv").set_index("profession").loc["nurse"]
    assert (row["type"], row["pair"], row["stereotype"]) == ("2", "1", shipped["gender"])
    assert (row["percent_women"], row["title"]) == (shipped["percent_women"], shipped["title"])


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("because [MASK] was", "because [MASK] or [MASK] was", "line 2: 2 blanks"),
        ("nurse,pilot,subject,1", "nurse,pilot,dual,1", "line 2: the form 'dual' does not exist"),
        (
            "nurse,pilot,subject,1",
            "nurse,baker,subject,1",
            "line 2: 'baker' is not in the file of professions",
        ),
        ("wrote to the nurse because", "wrote to the nurses because", "'nurse' is not in the sentence"),
        ("b,1,", "a,1,", "line 3: 'a' stands already in line 2"),
        ("profession,other,form", "profession,others,form", "other"),
    ],
)
def test_broken_files_are_refused_with_their_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(UserError, match=re.escape(said)) as caught:
        read(folder_of(tmp_path, SCHEMAS.replace(old, new, 1)))
    assert caught.value.message.startswith(str(tmp_path / "schemas.csv"))
    assert caught.value.hint


def test_a_pole_without_a_word_of_the_form_is_refused(tmp_path: Path) -> None:
    """Its probability would be that of no word at all."""
    poles = poles_at(tmp_path, "male,subject,he", "male,object,him", "female,subject,she")
    folder = folder_of(tmp_path)
    with pytest.raises(UserError, match=r"line 4: the pole 'female' of .* has no word of the form 'object'"):
        load_schemas(Source(str(folder), folder), poles)


@pytest.mark.parametrize(
    ("professions", "said"),
    [
        (PROFESSIONS.replace("88", "many"), "line 2: 'many' is not a percentage"),
        (
            PROFESSIONS.replace("female", "women"),
            "line 2: the gender 'women' is not one of the first two poles",
        ),
    ],
)
def test_broken_professions_are_refused(tmp_path: Path, professions: str, said: str) -> None:
    with pytest.raises(UserError, match=re.escape(said)):
        read(folder_of(tmp_path, professions=professions))


def test_a_folder_with_neither_kind_of_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"holds neither schemas\.csv nor files of WinoBias"):
        read(tmp_path)


def test_a_repeated_sentence_is_flagged(tmp_path: Path) -> None:
    again = SCHEMAS + "g,1,The pilot wrote to the nurse because [MASK] was kind.,nurse,pilot,subject,1\n"
    items = read(folder_of(tmp_path, again))
    assert items.table.set_index("item")["flags"][["a", "g"]].tolist() == ["", "duplicate"]
    assert any("duplicate" in notice and notice.endswith("g") for notice in items.notices)
