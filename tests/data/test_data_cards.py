"""The cards of our own data: every table has one, and every change that the tests know of is recorded."""

import csv
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "src" / "equipoise" / "data"
CARDS = (ROOT / "docs" / "data-cards.md").read_text(encoding="utf-8")
NUMBERED = ("pairs.csv", "traits.csv", "templates.csv")
LANGUAGE = {"poles-pronouns.csv", "poles-neo-pronouns.csv"}
"""Pronouns are language, not data, and need no card."""


def ids(name: str) -> set[str]:
    with (DATA / "tables" / name).open(encoding="utf-8", newline="") as file:
        return {row["id"] for row in csv.DictReader(file)}


def test_every_table_and_every_own_set_has_a_card() -> None:
    for path in (DATA / "tables").rglob("*.csv"):
        name = path.relative_to(DATA / "tables").as_posix()
        assert f"`{name}`" in CARDS or name in LANGUAGE, name
    with (DATA / "catalogue.csv").open(encoding="utf-8", newline="") as file:
        own = [row for row in csv.DictReader(file) if row["citation"] == "Equipoise"]
    assert len({row["dataset"] for row in own}) == 22
    for row in own:
        assert row["dataset"] in CARDS
        folder = DATA.parent / row["folder"] if row["folder"] else DATA / "tables"
        assert (folder / row["file"]).exists()


def test_cards_say_who_wrote_the_data_and_who_has_not_checked_them() -> None:
    assert "The project's authors" in CARDS
    assert "No native annotators have checked our sentences" in CARDS


def test_a_replaced_item_is_gone_and_its_id_is_never_used_again() -> None:
    """`replaced_items.csv` keeps every id that a reading of the data retired, with its successor."""
    with (Path(__file__).parent / "replaced_items.csv").open(encoding="utf-8", newline="") as file:
        replaced = [row for row in csv.DictReader(file) if row["file"] in NUMBERED]
    retired = {(row["file"], row["old"]) for row in replaced}
    known = {name: ids(name) for name in NUMBERED}
    counted = Counter(row["file"] for row in replaced)
    assert counted == {"pairs.csv": 99, "traits.csv": 36, "templates.csv": 19}
    for row in replaced:
        assert row["old"] not in known[row["file"]], row["old"]
        assert row["new"] in known[row["file"]] or (row["file"], row["new"]) in retired, row["new"]


def rows(name: str) -> list[dict[str, str]]:
    with (DATA / "tables" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_reminders_hold_no_profession_and_no_first_name() -> None:
    """They are trained on: a profession beside a pronoun would teach what is measured afterwards."""
    tables = ("professions.csv", "occupations.csv", "person-professions.csv", "schema-professions.csv")
    words = {
        row["profession"].lower()
        for name in tables
        for row in rows(name)
        if row.get("kind", "occupation") == "occupation"
    }
    words |= {row["noun"] for row in rows("corpora/person-nouns.csv") if row["kind"] == "occupation"}
    words |= {row["word"].lower() for row in rows("association-sets.csv") if row["set"].endswith("names")}
    assert {"nurse", "midwife", "surgeon", "james"} <= words
    sentences = [row["sentence"].lower() for row in [*rows("reminders.csv"), *rows("reminders-50.csv")]]
    held = {word for word in words for text in sentences if re.search(rf"\b{re.escape(word)}\b", text)}
    assert held == set()


def test_fifty_reminding_sentences_for_each_word_of_the_thesis() -> None:
    fifty, shipped = rows("reminders-50.csv"), rows("reminders.csv")
    for word, stem in (("pregnancy", "pregnan"), ("breastfeeding", "breastfe")):
        own = [row for row in fifty if row["category"] == word]
        assert len({row["sentence"] for row in own}) == 50
        assert [row for row in shipped if row["category"] == word] == own[:20]
        for row in own[20:]:
            assert stem in row["sentence"].lower(), row["sentence"]
            assert re.search(r"\b(she|her)\b", row["sentence"].lower()), row["sentence"]
