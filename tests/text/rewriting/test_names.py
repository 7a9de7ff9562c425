"""First names in context, their partners, and the persons of a text."""

import csv
import math
import re
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.text.rewriting import rewrite
from equipoise.text.rewriting.find.first_names import TABLE, load_names
from equipoise.text.rewriting.find.tokens import words_with_offsets
from equipoise.text.rewriting.names.context import OPEN_FIRST, is_plainly, judge
from equipoise.text.rewriting.names.entities import entities
from equipoise.text.rewriting.names.finding import find_names
from equipoise.text.rewriting.names.neighbourhood import Neighbourhood

TOKEN = re.compile(r"``|''|\w+(?:[-'’*]\w+)*\.(?=\w\.)|\w+(?:[-'’*]\w+)*|[^\w\s]")

SENTENCES = (Path(__file__).parent / "marked_names.txt").read_text(encoding="utf-8").splitlines()
"""Own sentences with every first name in square brackets."""


def read_marks(line: str) -> tuple[list[str], list[int]]:
    """The tokens of a marked sentence and the indexes of those in square brackets."""
    tokens: list[str] = []
    marked = []
    for piece in re.split(r"(\[\w+\])", line):
        if piece.startswith("["):
            marked.append(len(tokens))
            piece = piece[1:-1]
        tokens += TOKEN.findall(piece)
    return tokens, marked


@pytest.mark.parametrize("line", SENTENCES)
def test_context_tells_first_names(line: str) -> None:
    tokens, marked = read_marks(line)
    assert [tokens[index] for index in find_names(tokens)] == [tokens[index] for index in marked]
    assert find_names(tokens) == marked


def test_there_are_many_traps() -> None:
    assert len(SENTENCES) >= 120


@pytest.mark.parametrize(
    ("before", "bare", "is_name"),
    [
        ("", "Later Douglas smiled.", True),
        ("[Peter] Douglas slept.", "Later Douglas smiled.", False),
        ("Mrs Douglas slept.", "Later Douglas smiled.", False),
        ("[Douglas] Brown slept.", "Later Douglas smiled.", True),
        ("", "Later Mitchell smiled.", False),
        ("[Mitchell] Brown slept.", "Later Mitchell smiled.", True),
        ("Her cousin [Mitchell] slept.", "Later Mitchell smiled.", True),
        ("", "Rose bowed again.", False),
        ("[Rose] Brown slept.", "Rose bowed again.", True),
        ("", "They left with Savannah.", False),
        ("[Savannah] Brown slept.", "They left with Savannah.", True),
    ],
)
def test_a_sure_mention_elsewhere_decides_a_bare_one(before: str, bare: str, is_name: bool) -> None:
    first, marked = read_marks(before)
    second = TOKEN.findall(bare)
    bare_name = next(token for token in second if token in {"Douglas", "Mitchell", "Rose", "Savannah"})
    expected = [*marked, len(first) + second.index(bare_name)] if is_name else marked
    assert find_names(first + second) == expected


def test_a_possessive_may_be_a_token_of_its_own() -> None:
    assert find_names(["Anna", "'s", "Hollywood", "film"]) == [0]
    assert find_names(["Anna", "’s", "Hollywood", "film"]) == [0]


def test_candidates_can_be_given() -> None:
    tokens = TOKEN.findall("Mr Taylor met Anna and Tom.")
    given = [index for index, token in enumerate(tokens) if token in load_names().classes]
    assert find_names(tokens, candidates=given) == find_names(tokens) == [3, 5]
    assert find_names([]) == []


@pytest.fixture(scope="module")
def rows() -> dict[str, dict[str, str]]:
    """The table as it is on disk."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {row["name"]: row for row in csv.DictReader(file)}


def size(row: dict[str, str]) -> float:
    return math.log(max(int(row["male_per_100k"]), int(row["female_per_100k"]), 1))


def bearers(row: dict[str, str]) -> int:
    return int(row["male_per_100k"]) + int(row["female_per_100k"])


def test_partners_are_of_the_other_sex_and_of_one_origin() -> None:
    book = load_names()
    paired = [entry for entry in book.names.values() if entry.partner]
    assert len(paired) > 12_000
    for entry in paired:
        assert {entry.gender, book.names[entry.partner].gender} == {"male", "female"}
    same = [entry for entry in paired if book.names[entry.partner].origin == entry.origin]
    assert len(same) / len(paired) > 0.99


def test_most_partners_turn_back(rows: dict[str, dict[str, str]]) -> None:
    """Rare women's names are many more than men's, so that some share a partner."""
    borne: Counter[bool] = Counter()
    for name, row in rows.items():
        if row["partner"]:
            borne[rows.get(row["partner"], {}).get("partner") == name] += bearers(row)
    assert borne[True] / borne.total() > 0.9


def test_partners_are_about_as_frequent(rows: dict[str, dict[str, str]]) -> None:
    near: Counter[bool] = Counter()
    for name, row in rows.items():
        other = rows.get(row["partner"])
        if other and other["partner"] == name:
            near[abs(size(row) - size(other)) <= math.log(3.5)] += bearers(row)
    # Names are matched by rank, the most frequent first, where one sex has many more names of an origin.
    assert near[True] / near.total() > 0.9


def test_the_most_frequent_names_have_partners(rows: dict[str, dict[str, str]]) -> None:
    """Of the bearers of a name of one sex, nearly all have a partner to change with."""
    book = load_names()
    borne: Counter[bool] = Counter()
    for name, row in rows.items():
        if book.gender(name) != "both":
            borne[bool(row["partner"])] += int(row["male_per_100k"]) + int(row["female_per_100k"])
    assert borne[True] / borne.total() > 0.95


def test_the_book_answers_in_the_case_asked() -> None:
    book = load_names()
    partner = book.partner("mary")
    assert partner is not None
    assert book.partner("Mary") == partner.title()
    assert book.partner("MARY") == partner.upper()
    assert book.partner("Xyzzy") is None
    assert (book.gender("John"), book.gender("Anna"), book.gender("Casey"), book.gender("Xyzzy")) == (
        "male",
        "female",
        "both",
        None,
    )
    assert book.partner("Leslie") is book.partner("Jordan") is None
    assert book.is_known("LESLIE")


@pytest.mark.parametrize(
    "word",
    ["in", "so", "my", "an", "see", "long", "king", "miss", "he", "she", "many", "lady", "queen", "january"],
)
def test_census_entries_that_are_words_are_left_out(word: str) -> None:
    assert not load_names().is_known(word)


def test_frequencies_are_those_of_the_census(rows: dict[str, dict[str, str]]) -> None:
    """The first rows of the Bureau's lists: James 3.318 %, John 3.271 %, Mary 2.629 %, Patricia 1.073 %."""
    shares = [(rows["james"], 3318, 10), (rows["john"], 3271, 12), (rows["mary"], 9, 2629)]
    for row, men, women in [*shares, (rows["patricia"], 4, 1073)]:
        assert (int(row["male_per_100k"]), int(row["female_per_100k"])) == (men, women)


def test_reading_the_table_is_quick() -> None:
    times = []
    for _ in range(5):
        load_names.cache_clear()
        start = time.process_time()
        load_names()
        times.append(time.process_time() - start)
    assert min(times) < 0.05


def test_the_image_of_a_sentence_is_judged_alike() -> None:
    """Names changed for their partners are found again in the same places."""
    book = load_names()
    for line in SENTENCES:
        tokens, _ = read_marks(line)
        names = find_names(tokens)
        image = list(tokens)
        for index in names:
            bare, mark, ending = tokens[index].partition("’" if "’" in tokens[index] else "'")
            image[index] = (book.partner(bare) or bare) + mark + ending
        assert find_names(image) == names, line


def test_entities_follow_persons_through_a_text() -> None:
    text = "John F. Kennedy met Anna Maria de la Cruz . Kennedy liked Anna 's dog . "
    text += "John Smith and Anna left . Tom slept . Tom Brown saw Smith ."
    tokens = text.split()
    numbers = entities(tokens)
    people: dict[int, list[str]] = {}
    for index, number in numbers.items():
        people.setdefault(number, []).append(tokens[index])
    assert people == {
        1: ["John", "F.", "Kennedy", "Kennedy"],
        2: ["Anna", "Maria", "de", "la", "Cruz", "Anna", "Anna"],
        3: ["John", "Smith", "Smith"],
        4: ["Tom", "Tom", "Brown"],
    }


def test_entities_split_initials_and_stop_at_possessives() -> None:
    tokens = ["John", "F", ".", "Kennedy", "saw", "Anna's", "Paris", "flat", "and", "Mr", "Brown", "."]
    assert entities(tokens) == {0: 1, 1: 1, 2: 1, 3: 1, 5: 2}
    assert entities(["Nobody", "came", "."]) == {}


PIECES = [
    "Anna",
    "ANNA",
    "Will",
    "Taylor's",
    "Virginia",
    "Don",
    "J",
    "F.",
    ".",
    ",",
    "'s",
    "-",
    "``",
    "(",
    "de",
]
PIECES += [
    "Mr",
    "St",
    "the",
    "of",
    "in",
    "May",
    "II",
    "I",
    "and",
    "University",
    "said",
    "5",
    "’",
    "Smith",
    "é",
]


@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_any_order_of_tokens_is_read(tokens: list[str]) -> None:
    names = find_names(tokens)
    assert names == sorted(set(names))
    assert all(tokens[index] in load_names().classes for index in names)
    numbers = entities(tokens)
    assert set(names) <= set(numbers)
    assert set(numbers.values()) == set(range(1, len(set(numbers.values())) + 1))


TITLES = {"Mr", "Mrs", "Ms", "Miss", "Dr", "Lord", "Lady", "Sir", "Queen", "King", "Prince", "Princess"}


def annotated(path: Path) -> list[tuple[list[str], list[int], str, int]]:
    """Text tokens with their offsets, and one person of GAP with its offset, two persons a text."""
    with path.open(encoding="utf-8", newline="") as file:
        texts = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    persons = []
    for row in texts:
        matches = list(TOKEN.finditer(row["Text"]))
        tokens, offsets = [match.group() for match in matches], [match.start() for match in matches]
        persons += [(tokens, offsets, row[key], int(row[f"{key}-offset"])) for key in "AB"]
    return persons


def test_persons_that_gap_names_in_full(shared_data: Callable[[str], Path]) -> None:
    """GAP marks persons: the first of several words is a first name, the last a surname."""
    book = load_names()
    first: Counter[bool] = Counter()
    last: Counter[bool] = Counter()
    for tokens, offsets, person, offset in annotated(shared_data("gap/gap-test.tsv")):
        words = person.split()
        if len(words) < 2 or words[0].rstrip(".") in TITLES:
            continue
        places = {offsets[index] for index in find_names(tokens)}
        if book.is_known(words[0]):
            first[offset in places] += 1
        if book.is_known(words[-1]):
            last[offset + person.rindex(words[-1]) in places] += 1
    assert first.total() > 1000
    assert last.total() > 200
    assert first[True] / first.total() >= 0.96
    assert last[True] / last.total() <= 0.08


def test_single_names_after_a_title_in_gap_stay(shared_data: Callable[[str], Path]) -> None:
    book = load_names()
    after_title: Counter[bool] = Counter()
    for tokens, _, _, _ in annotated(shared_data("gap/gap-test.tsv"))[::2]:
        names = set(find_names(tokens))
        for index, token in enumerate(tokens[2:-1], start=2):
            titled = tokens[index - 1] in {"Mr", "Mrs", "Ms"} or tokens[index - 2] in {"Mr", "Mrs", "Ms"}
            adjacent = tokens[index - 1] in {"Mr", "Mrs", "Ms", "."}
            if titled and adjacent and book.is_known(token) and not tokens[index + 1][:1].isupper():
                after_title[index in names] += 1
    assert after_title.total() >= 3
    assert after_title[True] == 0


@pytest.mark.parametrize(
    ("text", "anonymous"),
    [
        ("Mr. Smith met Dr. Jones.", "Mr. E1 met Dr. E2."),
        ("Then Poirot said that Poirot was late.", "Then E1 said that E1 was late."),
        ("Barack Obama met Priya Patel; Obama smiled.", "E1 met E2; E1 smiled."),
        ("Anna lives in Paris, near Baker Street.", "E1 lives in Paris, near Baker Street."),
        ("On Monday the Church was closed.", "On Monday the Church was closed."),
    ],
)
def test_surnames_and_titled_names_are_anonymous(text: str, anonymous: str) -> None:
    assert rewrite(text, "anonymise").text == anonymous


def test_what_may_be_a_name_is_counted() -> None:
    left = rewrite("He thanked Zorblax. Anna left.", "anonymise")
    assert left.text == "He thanked Zorblax. E1 left."
    assert [(skip.word, skip.reason) for skip in left.skipped] == [("Zorblax", "may be a name")]


def test_most_names_of_wikipedia_are_anonymous(shared_data: Callable[[str], Path]) -> None:
    """The last word of each labelled person in the part of GAP that no rule was written for."""
    path = shared_data("gap/gap-validation.tsv")
    covered = total = 0
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            changes = rewrite(row["Text"], "anonymise").changes
            for side in "AB":
                end = int(row[f"{side}-offset"]) + len(row[side])
                total += 1
                covered += any(change.start < end <= change.end for change in changes)
    assert covered / total > 0.89


def test_the_short_way_for_plain_names_says_what_all_rules_say() -> None:
    classes = load_names().classes
    folder = Path(__file__).parent
    lines = [*(folder / "marked_names.txt").read_text("utf-8").translate({91: "", 93: ""}).splitlines()]
    cases = (folder / "cases.csv").read_text("utf-8").splitlines()
    lines += [row["text"] for row in csv.DictReader(cases)]
    taken = 0
    for line in lines:
        tokens = [token for token, _ in words_with_offsets(line)]
        for index, token in enumerate(tokens):
            if classes.get(token) == "plain" and is_plainly(tokens, index):
                taken += 1
                assert judge(Neighbourhood(tokens, index, "plain"), {}, classes) == OPEN_FIRST, line
    assert taken > 50
