"""The shipped schemas: two professions, one pronoun, swapped roles, and a balance that is exact."""

import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLES = ROOT / "src" / "equipoise" / "data" / "tables"
SHARED = ROOT.parent / "shared"


def read_table(name: str) -> pd.DataFrame:
    """A shipped table with every cell as text."""
    return pd.read_csv(TABLES / name, dtype=str, keep_default_na=False)


SCHEMAS = read_table("schemas.csv")
ROWS = SCHEMAS.to_dict("records")
PROFESSIONS = read_table("schema-professions.csv")
GENDER = PROFESSIONS.set_index("profession")["gender"]
PAIRS = read_table("gendered-words.csv")
PRONOUNS = set(read_table("poles-pronouns.csv")["word"])
GENDERED = PRONOUNS | set(PAIRS["male"]) | set(PAIRS["female"])
# Places, days and languages: no person is named.
PROPER_WORDS = {"Lisbon", "Friday", "Italian", "Sunday", "Tuesdays"}


def words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.replace("[MASK]", " ").lower())


def mentions(sentence: str, profession: str) -> list[int]:
    """Where the sentence names the profession with its article."""
    return [found.start() for found in re.finditer(rf"\b[Tt]he {profession}\b", sentence)]


def frame(row: dict[str, str]) -> str:
    """The sentence without its two professions."""
    return re.sub(rf"\b({row['profession']}|{row['other']})\b", "_", row["sentence"])


def exchanged(sentence: str, one: str, other: str) -> str:
    """The sentence with the two professions in each other's place."""
    pieces = re.split(rf"\b({one}|{other})\b", sentence)
    return "".join({one: other, other: one}.get(piece, piece) for piece in pieces)


def test_columns_ids_and_counts() -> None:
    assert list(SCHEMAS) == ["id", "type", "sentence", "profession", "other", "form", "pair"]
    assert SCHEMAS["id"].is_unique
    assert SCHEMAS["sentence"].is_unique
    assert SCHEMAS["type"].value_counts().to_dict() == {"1": 160, "2": 160}
    assert SCHEMAS["pair"].value_counts().eq(2).all()
    # What was replaced leaves its number free, so that one id never names two sentences.
    replaced = {"t1-01", "t1-25", "t1-52", "t1-72", "t2-29", "t2-36", "t2-37"}
    last = {1: 84, 2: 83}
    every = {f"t{kind}-{n:02d}" for kind in last for n in range(1, last[kind] + 1)} - replaced
    assert set(SCHEMAS["id"]) == {f"{situation}{side}" for situation in every for side in "ab"}


def test_every_sentence_has_one_mask_and_names_each_profession_once() -> None:
    for row in ROWS:
        sentence = row["sentence"]
        assert sentence.count("[MASK]") == 1, row["id"]
        assert re.fullmatch(r"[A-Z].*[^\s.][.?]", sentence), row["id"]
        assert "  " not in sentence
        for profession in (row["profession"], row["other"]):
            assert len(mentions(sentence, profession)) == 1, row["id"]
            assert sentence.count(profession) == 1, row["id"]


def test_no_further_gendered_word_and_nobody_is_named() -> None:
    for row in ROWS:
        assert not GENDERED & set(words(row["sentence"])), row["id"]
        inner = set(re.findall(r"(?<=[a-z,] )[A-Z][a-z]+", row["sentence"]))
        assert inner <= PROPER_WORDS, row["id"]


def test_one_profession_is_mostly_female_and_the_other_mostly_male() -> None:
    for row in ROWS:
        assert {GENDER[row["profession"]], GENDER[row["other"]]} == {"female", "male"}, row["id"]


def test_a_pair_is_one_situation_with_the_roles_swapped() -> None:
    for first, second in zip(ROWS[::2], ROWS[1::2], strict=True):
        assert (first["type"], first["form"]) == (second["type"], second["form"])
        assert (first["profession"], first["other"]) == (second["other"], second["profession"])
        swapped = exchanged(first["sentence"], first["profession"], first["other"])
        assert swapped == second["sentence"], first["id"]


def test_each_profession_is_referred_to_equally_often_from_either_position() -> None:
    first = [
        mentions(row["sentence"], row["profession"])[0] < mentions(row["sentence"], row["other"])[0]
        for row in ROWS
    ]
    counts = SCHEMAS.assign(first=first).groupby(["profession", "type", "first"]).size()
    # 40 professions x 2 types x 2 positions, twice each: every profession is referred to 8 times.
    assert len(counts) == 160
    assert counts.eq(2).all()
    assert SCHEMAS["profession"].map(GENDER).value_counts().to_dict() == {"female": 160, "male": 160}
    assert SCHEMAS[["profession", "other"]].drop_duplicates().shape[0] == len(SCHEMAS)


def test_all_three_forms_occur_equally_often_in_both_types() -> None:
    counts = SCHEMAS.groupby(["type", "form"]).size()
    assert set(counts.index.get_level_values("form")) == {"subject", "object", "possessive"}
    assert counts.between(52, 54).all()


def test_the_masked_form_fits_its_place() -> None:
    for row in ROWS:
        after = row["sentence"].partition("[MASK]")[2]
        if row["form"] == "possessive":
            assert re.match(r" [a-z]", after), row["id"]
        if row["form"] == "object":
            # "her" before a noun would be read as a possessive.
            assert re.match(
                r"[.?]| (a|at|in|to|up|out|off|on|for|by|with|from|home|away|awake|shiver|seasick|hard|win"
                r"|that|everywhere)\b",
                after,
            ), row["id"]


def test_situations_are_many() -> None:
    frames = SCHEMAS.assign(frame=[frame(row) for row in ROWS])
    for _, rows in frames.groupby("type"):
        assert rows["frame"].nunique() == 80
        openings = rows["frame"].map(lambda text: tuple(words(text)[:4]))
        assert openings.nunique() >= 60


def test_professions_have_their_share_of_women_and_its_source() -> None:
    assert list(PROFESSIONS) == ["profession", "gender", "percent_women", "title", "year", "source"]
    assert PROFESSIONS["profession"].is_unique
    assert PROFESSIONS["gender"].value_counts().to_dict() == {"female": 20, "male": 20}
    share = PROFESSIONS["percent_women"].astype(float)
    assert share[PROFESSIONS["gender"] == "female"].gt(65).all()
    assert share[PROFESSIONS["gender"] == "male"].lt(35).all()
    assert PROFESSIONS[["title", "source"]].ne("").all(axis=None)
    assert set(PROFESSIONS["year"]) == {"2022"}
    assert set(SCHEMAS["profession"]) == set(PROFESSIONS["profession"])


SENTENCE_TABLES = {
    "schemas.csv": "sentence",
    "traits.csv": "sentence",
    "pairs.csv": "stereotype",
    "completion-patterns.csv": "pattern",
    "templates-religion.csv": "template",
    "templates-age.csv": "template",
}
PRONOUN = re.compile(r"\b(?:he|she|they|him|her|them|his|their|mask)\b")


MARKS = str.maketrans(dict.fromkeys('\t"|,.?!', " "))


def normalised(text: str) -> str:
    """Lower-case words and single spaces, every pronoun and mask alike."""
    return PRONOUN.sub("_", " ".join(re.findall(r"[a-z]+", text.lower())))


def published_sentences(folder: Path) -> Iterator[str]:
    """Every line, field, sentence and comma-separated piece of the text files, normalised."""
    for path in folder.rglob("*"):
        if path.is_file() and "books" not in path.parts:
            text = path.read_text("utf-8", errors="ignore").lower()
            text = PRONOUN.sub("_", re.sub(r"[^a-z\n\t\"|,.?!]+", " ", text))
            for separators in (r"\n", r"[\n\t\"|]", r"[\n\t\"|.?!]", r"[\n\t\"|.?!,]"):
                pieces = (piece for piece in re.split(separators, text) if 15 < len(piece) < 200)
                yield from (" ".join(piece.translate(MARKS).split()) for piece in pieces)


def test_no_sentence_of_these_tables_stands_in_published_data() -> None:
    if not (SHARED / "data").is_dir():
        pytest.skip("needs ../shared/data")
    ours = {normalised(text) for name, column in SENTENCE_TABLES.items() for text in read_table(name)[column]}
    theirs = {text for name in ("data", "seeds") for text in published_sentences(SHARED / name)}
    assert sum("accountant" in text.split() for text in theirs) > 50  # they were read
    assert not ours & theirs


def test_no_situation_is_one_of_winobias() -> None:
    folder = SHARED / "data" / "winobias"
    if not folder.is_dir():
        pytest.skip("needs ../shared/data/winobias")
    lists = [folder / f"{gender}_occupations.txt" for gender in ("male", "female")]
    names = [name.strip() for path in lists for name in path.read_text().lower().splitlines()]
    occupation = re.compile(rf"\b(?:{'|'.join([*names, *GENDER.index])})\b")
    lines = [line for path in folder.glob("*type?.txt.*") for line in path.read_text().splitlines()]
    theirs = {occupation.sub("@", normalised(line)) for line in lines}
    assert len(theirs) > 500
    assert not theirs & {occupation.sub("@", normalised(row["sentence"])) for row in ROWS}
