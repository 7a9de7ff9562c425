"""The labour statistics: one year and one source, and every table of professions agrees with them."""

from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLES = ROOT / "src" / "equipoise" / "data" / "tables"
PUBLISHED = ROOT.parent / "shared" / "data" / "bec-pro" / "Professions US+DE.tsv"
NAMES = ["professions.csv", "person-professions.csv", "schema-professions.csv", "occupations.csv"]
FACTS = ["title", "percent_women", "year", "source"]


def read_table(name: str) -> pd.DataFrame:
    """A shipped table with every cell as text."""
    return pd.read_csv(TABLES / name, dtype=str, keep_default_na=False)


WORKFORCE = read_table("workforce.csv")
SHARES = pd.to_numeric(WORKFORCE.set_index("title")["percent_women"])


def test_one_row_per_title_of_one_year_and_one_source() -> None:
    assert list(WORKFORCE) == FACTS
    assert WORKFORCE["title"].is_unique
    assert WORKFORCE["title"].is_monotonic_increasing
    assert set(WORKFORCE["year"]) == {"2022"}
    assert set(WORKFORCE["source"]) == {"US Bureau of Labor Statistics: Current Population Survey Table 11"}
    assert SHARES.dropna().between(0, 100).all()
    assert WORKFORCE["percent_women"].str.fullmatch(r"(?:\d{1,2}\.\d)?").all()


def test_shares_read_from_the_published_table_by_hand() -> None:
    """A sample over the whole range, each copied from the table of the Bureau a second time."""
    by_hand = {
        **{"Crane and tower operators": 0.7, "Plumbers, pipefitters, and steamfitters": 1.1},
        **{"Electrical and electronics engineers": 8.1, "Taxi drivers": 13.0, "Barbers": 24.8},
        **{"Chief executives": 29.2, "Lawyers": 38.5, "Postal service mail carriers": 41.5},
        **{"Artists and related workers": 49.2, "Accountants and auditors": 58.8, "Flight attendants": 69.9},
        **{"Special education teachers": 84.2, "Registered nurses": 87.9, "Phlebotomists": 87.9},
        **{"Dental hygienists": 96.3, "Speech-language pathologists": 97.6},
    }
    assert SHARES[list(by_hand)].to_dict() == by_hand


def test_titles_with_a_base_below_50000_have_no_share() -> None:
    assert set(SHARES.index[SHARES.isna()]) == {
        *("Animal breeders", "Astronomers and physicists", "Bailiffs", "Economists", "Fire inspectors"),
        *("Conservation scientists and foresters", "Crossing guards and flaggers", "Surgeons"),
        *("Fish and game wardens", "Fishing and hunting workers", "Materials engineers", "Mathematicians"),
        "Geoscientists and hydrologists, except geographers",
        "Graders and sorters, agricultural products",
        "Models, demonstrators, and product promoters",
        "Railroad conductors and yardmasters",
        "Underground mining machine operators",
        "Word processors and typists",
    }


@pytest.mark.parametrize("name", NAMES)
def test_every_table_repeats_the_row_of_its_title(name: str) -> None:
    table = read_table(name)
    named = table[table["title"] != ""]
    assert len(named) >= 40
    assert (table.loc[table["title"] == "", "percent_women"] == "").all()
    facts = WORKFORCE.set_index("title").loc[named["title"]].reset_index()
    pd.testing.assert_frame_equal(named[FACTS].reset_index(drop=True), facts)


def test_a_profession_has_one_title_in_all_tables() -> None:
    every = pd.concat([read_table(name)[["profession", "title"]] for name in NAMES])
    assert every.groupby("profession")["title"].nunique().eq(1).all()
    assert every["profession"].duplicated().sum() >= 80


def test_every_title_is_used() -> None:
    used = {title for name in NAMES for title in read_table(name)["title"]} - {""}
    assert used == set(WORKFORCE["title"])


def test_shares_are_near_the_published_ones_of_2019() -> None:
    if not PUBLISHED.exists():
        pytest.skip("needs ../shared/data/bec-pro")
    published = pd.read_csv(PUBLISHED, sep="\t").set_index("original_professions")["percent_us"]
    both = SHARES.dropna().index.intersection(published.index)
    assert len(both) >= 30
    assert (SHARES[both] - published[both]).abs().max() < 9


def test_leaning_words_quote_the_same_share() -> None:
    """Where none is published the note says so and gives no number."""
    words = read_table("leaning-words.csv").query("group == 'profession'").set_index("word")["source"]
    titles = pd.concat([read_table(name)[["profession", "title"]] for name in NAMES]).drop_duplicates()
    shares = WORKFORCE.set_index("title")["percent_women"].reindex(titles["title"]).to_numpy()
    by_profession = pd.Series(shares, index=titles["profession"])
    quoted = words.str.extract(r"^(\d+\.\d) % women: ", expand=False).fillna("")
    assert quoted.to_dict() == by_profession.reindex(words.index).to_dict()
    assert words[quoted == ""].str.startswith("no share published for 2022; ").all()
