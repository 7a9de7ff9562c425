"""The shipped pairs: what they promise about their sentences, words, occupations and balance."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from pathlib import Path

import pandas as pd
import pytest

from equipoise.data.lint import lint_lengths, lint_pairs
from equipoise.data.sets.pairs import load_pairs, sampled_pairs
from equipoise.data.sources import resolve

CHECKOUT = Path(__file__).resolve().parents[2]
TABLES = CHECKOUT / "src" / "equipoise" / "data" / "tables"
SHARED = CHECKOUT.parent / "shared"

FEMALE_TO_MALE = {
    "she": {"he"},
    "her": {"his", "him"},
    "hers": {"his"},
    "herself": {"himself"},
    "woman": {"man"},
    "women": {"men"},
    "girl": {"boy"},
    "girls": {"boys"},
    "lady": {"gentleman"},
    "mother": {"father"},
    "mothers": {"fathers"},
    "daughter": {"son"},
    "daughters": {"sons"},
    "sister": {"brother"},
    "wife": {"husband"},
    "wives": {"husbands"},
    "aunt": {"uncle"},
    "grandmother": {"grandfather"},
    "princess": {"prince"},
    "female": {"male"},
}
FEMALE = set(FEMALE_TO_MALE)
MALE = set().union(*FEMALE_TO_MALE.values())
WORD = re.compile(r"[^\W_]+")
OTHER_GENDERED = """
    actor actress aunts bachelor boyfriend bride brothers dad daddy dude emperor empress females
    fiance fiancee fraternal girlfriend goddess granddaughter grandma grandpa grandson granny groom
    guy guys heiress hero heroes heroine host hostess housewife husbands king lad ladies landlady
    landlord lass lord macho maid maiden males mama masculine maternal feminine mistress mom mommy
    motherly mr mrs ms mum nanny nephew niece nun pa papa paternal princes queen seamstress sir
    sisters spinster steward stewardess uncles waiter waiters waitress widow widower witch wives
    wizard womanly manly girly ladylike girlish boyish
"""
# What no sentence may hold unswapped, whether or not some row swaps it.
GENDERED = FEMALE | MALE | set(WORD.findall(OTHER_GENDERED))


@cache
def table(name: str) -> pd.DataFrame:
    return pd.read_csv(TABLES / f"{name}.csv", keep_default_na=False)


def words(sentence: str) -> list[str]:
    return WORD.findall(sentence.lower())


def swaps(cell: str) -> list[tuple[str, str]]:
    return [(left, right) for left, right in (part.split(">") for part in cell.split(";"))]


def swapped_by_hand(sentence: str, pending: list[tuple[str, str]]) -> str:
    """Each listed word is replaced where it next stands, keeping its capital."""
    pending, built, end = list(pending), "", 0
    for match in WORD.finditer(sentence):
        if pending and match[0].lower() == pending[0][0]:
            replacement = pending.pop(0)[1]
            if match[0] == "I":
                replacement = replacement.capitalize() if match.start() == 0 else replacement
            elif match[0][0].isupper() or replacement == "i":
                replacement = replacement.capitalize()
            built += sentence[end : match.start()] + replacement
            end = match.end()
    assert not pending
    return built + sentence[end:]


def all_sentences() -> Iterator[tuple[str, str]]:
    for name, columns in (
        ("pairs", ("stereotype", "counterpart")),
        ("neutral-pairs", ("first", "second")),
    ):
        for column in columns:
            yield from zip(table(name)["id"], table(name)[column], strict=True)


@pytest.mark.parametrize("name", ["pairs", "neutral-pairs"])
def test_the_linter_finds_nothing(name: str) -> None:
    assert lint_pairs(table(name)) == []


def test_columns_counts_and_ids() -> None:
    pairs, neutral = table("pairs"), table("neutral-pairs")
    columns = ["id", "category", "stereotype", "counterpart", "swapped", "profession"]
    assert list(pairs.columns) == columns
    assert list(neutral.columns) == ["id", "category", "first", "second", "swapped"]
    counts = {"occupation": 100, "benevolent-sexism": 100, "hostile-sexism": 100}
    assert pairs["category"].value_counts().to_dict() == counts
    assert neutral["category"].tolist() == ["null"] * 100
    assert pairs["id"].is_unique
    assert pairs["id"].str.fullmatch(r"(?:occ|ben|hos)-\d{3}").all()
    prefix = {"occupation": "occ", "benevolent-sexism": "ben", "hostile-sexism": "hos"}
    assert (pairs["id"].str[:3] == pairs["category"].map(prefix)).all()
    replaced = {"nul-018", "nul-034", "nul-036", "nul-039", "nul-076"}
    assert set(neutral["id"]) == {f"nul-{n:03d}" for n in range(1, 106)} - replaced


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [("pairs", "stereotype", "counterpart"), ("neutral-pairs", "first", "second")],
)
def test_applying_the_swaps_to_one_sentence_gives_the_other(name: str, first: str, second: str) -> None:
    for row in table(name).to_dict("records"):
        assert swapped_by_hand(row[first], swaps(row["swapped"])) == row[second], row["id"]


def test_every_gendered_word_is_swapped_for_its_own_counterpart() -> None:
    for row in table("pairs").to_dict("records"):
        listed = swaps(row["swapped"])
        gendered = [word for word in words(row["stereotype"]) if word in GENDERED]
        assert gendered == [left for left, _ in listed], row["id"]
        for left, right in listed:
            assert right in FEMALE_TO_MALE.get(left, ()) or left in FEMALE_TO_MALE.get(right, ())


def test_no_compound_hides_a_gender() -> None:
    compound = re.compile(r".+(?:man|men|woman|women|girl|boy)s?$")
    harmless = {"woman", "women", "gentleman", "human"}
    for name, sentence in all_sentences():
        assert not [w for w in words(sentence) if compound.match(w) and w not in harmless], name


def test_the_null_has_no_gendered_word_and_one_to_three_changes() -> None:
    neutral = table("neutral-pairs")
    for row in neutral.to_dict("records"):
        assert not GENDERED & set(words(row["first"]) + words(row["second"])), row["id"]
    changes = neutral["swapped"].str.count(";") + 1
    assert set(changes) == {1, 2, 3}


def test_the_null_resembles_the_pairs_in_length_and_number_of_changes() -> None:
    pairs, neutral = table("pairs"), table("neutral-pairs")
    lengths = [column.map(words).map(len).mean() for column in (pairs["stereotype"], neutral["first"])]
    changes = [column.str.count(";").mean() + 1 for column in (pairs["swapped"], neutral["swapped"])]
    assert abs(lengths[0] - lengths[1]) < 2
    assert abs(changes[0] - changes[1]) < 0.2


def test_each_row_is_about_one_gender_and_each_category_about_both() -> None:
    pairs = table("pairs")
    sides = pairs["swapped"].map(lambda cell: {left in MALE for left, _ in swaps(cell)})
    assert (sides.map(len) == 1).all()
    share = sides.map(lambda side: side == {True}).groupby(pairs["category"]).mean()
    assert share.to_dict() == dict.fromkeys(("benevolent-sexism", "hostile-sexism", "occupation"), 0.5)


# Items that were replaced; their numbers stay free, so that one id never names two sentences.
REPLACED = """
    occ-018 occ-034 occ-058 occ-068 occ-089 occ-100
    ben-007 ben-009 ben-015 ben-036 ben-046 ben-049 ben-056 ben-060 ben-077 ben-091 ben-094 ben-099
    ben-019 ben-024 ben-025 ben-029 ben-032 ben-035 ben-040 ben-053 ben-062 ben-066 ben-069 ben-073 ben-080
    ben-084 ben-095 ben-096 ben-097 ben-100
    ben-002 ben-008 ben-014 ben-016 ben-020 ben-030 ben-034 ben-037 ben-045 ben-047 ben-051 ben-054 ben-057
    ben-064 ben-072 ben-076 ben-087 ben-090 ben-092 ben-119 ben-122 ben-124
    hos-007 hos-010 hos-012 hos-027 hos-042 hos-049 hos-052 hos-068 hos-070 hos-077 hos-082 hos-099
    hos-002 hos-011 hos-019 hos-038 hos-057 hos-059 hos-060 hos-062 hos-073 hos-074 hos-079 hos-080
    hos-022 hos-028 hos-030 hos-040 hos-043 hos-063 hos-064 hos-069 hos-092 hos-093 hos-096 hos-100 hos-106
    hos-107 hos-116 hos-119 hos-123
"""


def test_replaced_items_are_gone_and_their_ids_are_not_used_again() -> None:
    replaced, ids = REPLACED.split(), set(table("pairs")["id"])
    assert not ids & set(replaced)
    counts = Counter(item[:3] for item in replaced)
    for kind, count in counts.items():
        every = {f"{kind}-{n:03d}" for n in range(1, 101 + count)}
        assert every - set(replaced) == {item for item in ids if item.startswith(kind)}


def test_professions_are_many_named_in_the_sentence_and_on_the_side_of_their_stereotype() -> None:
    rows = table("pairs").query("category == 'occupation'")
    gender = table("occupations").set_index("profession")["gender"]
    assert rows["profession"].nunique() >= 70
    for row in rows.to_dict("records"):
        assert row["profession"] in row["stereotype"].lower(), row["id"]
        female = {left for left, _ in swaps(row["swapped"])} <= FEMALE
        assert female == (gender[row["profession"]] == "female"), row["id"]
    assert set(table("pairs").query("category != 'occupation'")["profession"]) == {""}


def test_the_gender_of_a_profession_is_that_of_its_workforce() -> None:
    professions = table("occupations")
    assert list(professions.columns) == [
        *("profession", "gender", "percent_women", "title", "year", "source")
    ]
    assert professions["profession"].is_unique
    assert len(professions) >= 80
    share = pd.to_numeric(professions["percent_women"])
    unpublished = professions.loc[share.isna(), "profession"]
    assert set(unpublished) == {"conductor", "miner", "model", "surgeon", "typist"}
    # A share near one half is not a ground for a stereotype.
    assert not share.between(42, 58).any()
    published = share.notna()
    assert ((share > 50) == (professions["gender"] == "female"))[published].all()


def test_no_two_sentences_share_a_frame() -> None:
    firsts = [*table("pairs")["stereotype"], *table("neutral-pairs")["first"]]
    split = [(words(sentence), Counter(words(sentence))) for sentence in firsts]
    for (one, bag), (other, other_bag) in combinations(split, 2):
        enough = 0.75 * min(len(one), len(other))
        if (bag & other_bag).total() > enough:
            assert longest_common_subsequence(one, other) <= enough, (one, other)


def longest_common_subsequence(one: list[str], other: list[str]) -> int:
    row = [0] * (len(other) + 1)
    for word in one:
        above = row[:]
        for column, other_word in enumerate(other, start=1):
            same = above[column - 1] + 1 if word == other_word else 0
            row[column] = max(same, above[column], row[column - 1])
    return row[-1]


def test_a_frame_with_one_word_changed_would_be_seen() -> None:
    one, other = words("The old cook lost her keys."), words("The old judge lost her keys.")
    assert longest_common_subsequence(one, other) == 5


def test_no_sentence_stands_in_the_public_data_sets() -> None:
    if not (SHARED / "data").exists():
        pytest.skip("the public data sets are not beside the checkout")
    ours = {normalised(piece) for _, text in all_sentences() for piece in pieces(text)}
    ours |= {normalised(sentence) for _, sentence in all_sentences()}
    ours = {piece for piece in ours if len(piece.split()) > 5}
    files = [path for path in (SHARED / "data").rglob("*") if "books" not in path.parts]
    files += (SHARED / "seeds").glob("*")
    for path in filter(Path.is_file, files):
        text = path.read_text(encoding="utf-8", errors="ignore")
        theirs = {normalised(piece) for piece in [*pieces(text), *text.splitlines()]}
        assert not ours & theirs, path.name


def pieces(text: str) -> list[str]:
    return re.split(r"[\n\t,;|\"]+", text)


def normalised(text: str) -> str:
    return re.sub(r"[^a-z ]+", "", text.lower()).strip()


@pytest.mark.parametrize("name", ["pairs", "neutral-pairs"])
def test_both_sentences_have_as_many_word_pieces_in_bert(name: str) -> None:
    vocabulary = SHARED / "models" / "bert-base-uncased" / "vocab.txt"
    if not vocabulary.exists():
        pytest.skip("the BERT vocabulary is not beside the checkout")
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.BertWordPieceTokenizer(str(vocabulary), lowercase=True)
    findings = lint_lengths(table(name), lambda sentence: len(tokenizer.encode(sentence).ids))
    assert len(findings) <= 0.05 * len(table(name))


def test_a_column_cluster_says_which_pairs_hang_together(tmp_path: Path) -> None:
    """It goes before the profession; a pair with neither stands alone."""
    path = tmp_path / "pairs.csv"
    path.write_text(
        "id,category,stereotype,counterpart,profession,cluster\n"
        "a,own:mined,He saw the old house.,She saw the old house.,cook,novel\n"
        "b,own:mined,He left the old house.,She left the old house.,cook,\n"
        "c,own:mined,He sold the old house.,She sold the old house.,,\n",
        encoding="utf-8",
    )
    table = load_pairs(resolve(path, (), reader="sbe")).table
    assert table.loc[table["part"] == "pair", "cluster"].tolist() == ["novel", "cook", "c"]


def test_a_sample_of_pairs_is_drawn_by_category_and_can_be_read_again() -> None:
    drawn = sampled_pairs(resolve("", ("equipoise-pairs",), reader="sbe"), 3)
    counts = drawn["category"].value_counts().to_dict()
    assert counts == dict.fromkeys(("occupation", "benevolent-sexism", "hostile-sexism", "neutral"), 3)
    again = load_pairs(resolve(drawn, ("equipoise-pairs",), reader="sbe")).table
    assert again["item"].tolist() == drawn["id"].tolist()
    assert (
        sampled_pairs(resolve("", ("equipoise-pairs",), reader="sbe"), 3, 1)["id"].tolist()
        != again["item"].tolist()
    )
