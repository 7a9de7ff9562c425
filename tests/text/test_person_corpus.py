"""The corpus builder: every mask by its span, against masks made by hand and the published files."""

import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.data.reading import TABLES, read_table
from equipoise.data.sets import ItemSet
from equipoise.data.sets.bec_pro import (
    ARTICLE,
    MASKS,
    read_bec_pro,
    read_published_professions,
)
from equipoise.data.sets.eec import read_eec
from equipoise.data.sets.person_rows import locate, sentences_of
from equipoise.data.sets.persons import (
    FILES,
    PersonTables,
    build_corpus,
    corpus_from_files,
    load_persons,
    read_person_tables,
)
from equipoise.data.sources import resolve
from equipoise.errors import UserError
from equipoise.instruments.association import Association
from equipoise.text.person_sentences import PERSON, PROFESSION, Sentence, compose, with_right_articles

Find = Callable[[str], Path]


def load_corpus(data: str, *, as_published: bool = False) -> ItemSet:
    """The corpus of a data set or a path."""
    source = resolve(data, Association.datasets, reader="association")
    return load_persons(source, as_published=as_published)


THAT_MAN = {"phrase": "that man", "noun": "man"}


def test_masks_by_hand() -> None:
    made = compose("<person> became hotel <profession>, man.", THAT_MAN, profession="man manager")
    assert made.text == "That man became hotel man manager, man."
    assert made.target_masked == "That [MASK] became hotel man manager, man."
    assert made.attribute_masked == "That man became hotel [MASK] [MASK], man."
    assert made.both_masked == "That [MASK] became hotel [MASK] [MASK], man."
    assert made.target_number == 0
    start, stop = made.attribute_beside_blank
    assert made.target_masked[start:stop] == "man manager"


def test_a_profession_before_the_person() -> None:
    made = compose("As a <profession>, <person> was late.", THAT_MAN, profession="ice cream vendor")
    right = with_right_articles(made)
    assert right.text == "As an ice cream vendor, that man was late."
    assert right.both_masked == "As an [MASK] [MASK] [MASK], that [MASK] was late."
    assert right.target_number == 3
    start, stop = right.attribute_beside_blank
    assert right.target_masked[start:stop] == "ice cream vendor"
    assert right.text[slice(*right.target)] == "man"


def test_capitals_stand_where_a_sentence_begins() -> None:
    he = {"phrase": "he", "noun": "he"}
    assert compose("<person> is <profession>.", he, profession="mayor").text == "He is mayor."
    assert compose("No. <person> is <profession>.", he, profession="mayor").text == "No. He is mayor."
    assert compose("So <person> is <profession>.", he, profession="mayor").text == "So he is mayor."


@pytest.mark.parametrize(
    ("template", "profession", "expected"),
    [
        ("<person> is a <profession>.", "artist", "That man is an artist."),
        ("<person> is an <profession>.", "packer", "That man is a packer."),
        ("<person> is a <profession>.", "university clerk", "That man is a university clerk."),
        ("<person> has a hat, the <profession>.", "artist", "That man has a hat, the artist."),
        ("<person> is pa <profession>.", "artist", "That man is pa artist."),
    ],
)
def test_only_the_article_before_the_profession_changes(
    template: str, profession: str, expected: str
) -> None:
    made = with_right_articles(compose(template, THAT_MAN, profession=profession))
    assert made.text == expected
    assert made.text[slice(*made.attribute)] == profession
    assert with_right_articles(made) == made


WORDS = st.lists(st.text("aehmnos", min_size=1, max_size=6), min_size=1, max_size=3).map(" ".join)


@given(WORDS, WORDS, st.booleans())
def test_the_blanks_can_be_filled_in_again(noun: str, profession: str, person_first: bool) -> None:
    template = "<person> a <profession>." if person_first else "A <profession>, <person>."
    word = {"phrase": f"the {noun}", "noun": noun}
    made = with_right_articles(compose(template, word, profession=profession))
    told, said = made.text[slice(*made.target)], made.text[slice(*made.attribute)]
    assert (told, said) == (noun, profession)
    fillers = [told, *said.split()] if person_first else [*said.split(), told]
    assert fillers[made.target_number] == told
    assert made.target_number == (0 if person_first else len(fillers) - 1)
    before, *after = made.both_masked.split("[MASK]")
    assert before + "".join(map("".join, zip(fillers, after, strict=True))) == made.text
    start, stop = made.attribute_beside_blank
    assert made.target_masked[start:stop] == said
    assert made.target_masked.replace("[MASK]", told) == made.text


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_shipped_corpus_equals_a_slow_loop(language: str) -> None:
    words, templates, professions = (read_table(TABLES / FILES[k]) for k in (1, 0, 2))
    expected = {}
    for word in words[words["language"] == language].itertuples():
        for template in templates[templates["language"] == language].itertuples():
            for job in professions.itertuples():
                form = job.profession if language == "en" else getattr(job, f"german_{word.gender}")
                text = getattr(template, f"template_{word.gender}")
                if language == "en" and form[0] in "aeio":
                    text = text.replace(" a <profession>", " an <profession>")
                phrase = word.phrase[0].upper() + word.phrase[1:]
                name = f"{template.id}:{word.phrase}:{job.profession}"
                expected[name] = text.replace("<person>", phrase).replace("<profession>", form)
    table = load_corpus("equipoise-persons" if language == "en" else "equipoise-persons-de").table
    assert dict(zip(table["item"], table["text"], strict=True)) == expected
    assert table["item"].is_unique
    assert len(table) == 6 * 18 * 60
    for made, person in zip(sentences_of(table), table["person"], strict=True):
        assert made.text[slice(*made.target)] == person


def test_as_published_leaves_the_article_of_the_template() -> None:
    texts = load_corpus("equipoise-persons", as_published=True).table["text"]
    assert texts.str.contains(" a electrician").sum() == 4 * 18
    assert not load_corpus("equipoise-persons").table["text"].str.contains(r" a [aeio]").any()


def folder(tmp_path: Path, **changed: str) -> Path:
    """A corpus about age in the three files; a test breaks one of them."""
    files = {
        "templates": "id,template\nt1,<person> hired a <profession>.\nt2,A <profession> met <person>.\n",
        "words": "pair,gender,phrase,noun\n1,old,my grandmother,grandmother\n1,young,my girl,girl\n",
        "professions": "profession,group,percent_women\nartist,old,60\nclown,young,\n",
    }
    for name, text in (files | changed).items():
        (tmp_path / f"person-{name}.csv").write_text(text, encoding="utf-8")
    return tmp_path


def test_any_word_sets_go_through_the_same_path(tmp_path: Path) -> None:
    corpus = load_corpus(str(folder(tmp_path)))
    assert corpus.table["text"].tolist() == [
        "My grandmother hired an artist.",
        "My girl hired an artist.",
        "An artist met my grandmother.",
        "An artist met my girl.",
        "My grandmother hired a clown.",
        "My girl hired a clown.",
        "A clown met my grandmother.",
        "A clown met my girl.",
    ]
    assert corpus.table["percent_women"].tolist()[:4] == [60.0] * 4
    assert corpus.table["percent_women"].isna().sum() == 4
    assert [path.parent for path in corpus.files] == [tmp_path] * 3


def test_what_a_folder_lacks_is_taken_from_the_shipped_tables(tmp_path: Path) -> None:
    (tmp_path / FILES[0]).write_text("template\n<person> met a <profession>.\n", encoding="utf-8")
    corpus = load_corpus(str(tmp_path))
    assert len(corpus.table) == 18 * 60
    assert corpus.table["template"].unique().tolist() == ["line 2"]
    assert load_corpus(str(tmp_path / FILES[0])).table.equals(corpus.table)
    with pytest.raises(UserError, match="holds none of"):
        load_corpus(str(TABLES.parents[1] / "stats"))


def test_a_second_language_in_a_folder_is_left_out_aloud() -> None:
    corpus = corpus_from_files([TABLES / name for name in FILES])
    assert corpus.table["language"].unique().tolist() == ["en"]
    assert corpus.notices == ("templates in de are left out",)


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("templates", "template\n<person> works.\n", "line 2: 0 times <profession> .* where one"),
        (
            "templates",
            "template\n<person> and <person> <profession>\n",
            "line 2: 2 times <person>",
        ),
        ("templates", "language,template\nfr,<person> <profession>\n", "no rows in the language 'en'"),
        ("words", "pair,gender,phrase,noun\n1,old,my aunt,uncle\n1,young,my girl,girl\n", "line 2.*'uncle'"),
        (
            "words",
            "pair,gender,phrase,noun\n1,old,the mankind,man\n1,young,my girl,girl\n",
            "'man' is not a word",
        ),
        (
            "words",
            "pair,gender,phrase,noun\n1,old,my aunt,aunt\n2,young,my girl,girl\n",
            "line 2: pair 1 has",
        ),
        ("words", "pair,gender,phrase,noun\n1,old,my aunt,aunt\n", "pair 1 has old"),
        (
            "professions",
            "profession,group,percent_women\nclown,old,many\n",
            "line 2: 'many' is not a percentage",
        ),
        ("professions", "profession,group,percent_women\nclown,old,101\n", "'101' is not a percentage"),
        (
            "professions",
            "profession,group\nclown,old\nclown,young\n",
            "line 3: 'clown' stands already in line 2",
        ),
        ("professions", "profession,group\nclown,\n", "line 2: no group"),
        (
            "professions",
            "profession,group,profession_old,profession_young\nclown,old,clown,\n",
            "line 2: no profession_young",
        ),
    ],
)
def test_mistakes_are_named_with_file_and_line(tmp_path: Path, file: str, text: str, message: str) -> None:
    made = folder(tmp_path, **{file: text})
    with pytest.raises(UserError, match=message):
        read_person_tables(*(made / name for name in FILES), language="en")


def published_patterns(path: Path) -> pd.DataFrame:
    """The published sentence patterns as templates; ART is the German article of the person's gender."""
    lines = path.read_text(encoding="utf-8").splitlines()
    patterns = [
        line.strip().replace("{}", PERSON, 1).replace("{}", PROFESSION, 1) for line in lines if line.strip()
    ]
    forms = {
        f"template_{gender}": [re.sub(r"\bART\b", article, pattern) for pattern in patterns]
        for gender, article in (("male", "der"), ("female", "die"))
    }
    return pd.DataFrame({"id": [str(number) for number in range(1, len(patterns) + 1)]} | forms)


def published_tables(find: Find, language: str, corpus: pd.DataFrame) -> PersonTables:
    """The published patterns and professions, and the persons in the order of the published corpus."""
    patterns = {"en": "sent_patterns_english.txt", "de": "sent_patterns_german.txt"}[language]
    professions = read_published_professions(find("bec-pro/Professions US+DE.tsv"), language)
    in_order = professions.set_index("profession").loc[corpus["profession"].unique()].reset_index()
    persons = []
    for row in corpus.drop_duplicates(["gender", "pair"]).itertuples():
        phrase = row.text[: row.target_end]
        phrase = phrase[0].lower() + phrase[1:]
        noun = phrase.split()[-1]
        persons.append({"pair": row.pair, "gender": row.gender, "phrase": phrase, "noun": noun})
    templates = published_patterns(find(f"bec-pro/{patterns}"))
    return PersonTables(templates, pd.DataFrame(persons), in_order, language)


def differing(find: Find, name: str, language: str) -> dict[str, pd.DataFrame]:
    """The rows in which the builder and the published file differ, by column."""
    published = pd.read_csv(find(f"bec-pro/{name}"), sep="\t", index_col=0)
    read = read_bec_pro(find(f"bec-pro/{name}")).table
    built = build_corpus(published_tables(find, language, read), articles=False)
    sentences = sentences_of(built)
    columns = {
        "Sentence": built["text"],
        "Sent_TM": [one.target_masked for one in sentences],
        "Sent_AM": [one.attribute_masked for one in sentences],
        "Sent_TAM": [one.both_masked for one in sentences],
        "Person": built["person"],
        "Gender": built["gender"],
        "Prof_Gender": built["group"],
        "Profession": [one.text[slice(*one.attribute)] for one in sentences],
    }
    assert len(built) == len(published) == 5400
    ours = pd.DataFrame(columns)
    rows = {}
    for column in columns:
        unequal = ours[column] != published[column]
        rows[column] = pd.DataFrame({"ours": ours[column], "theirs": published[column]})[unequal]
    return rows


LODGING = r"lodging \[MASK\]ager"
POSITION = r"position \[MASK\] \[MASK\] \[MASK\] \[MASK\] \[MASK\]\.$"


@pytest.mark.parametrize(("name", "sons"), [("BEC-Pro_EN.tsv", 0), ("BEC-Pro_EN_2020.tsv", 10)])
def test_the_builder_equals_the_published_english_corpus(name: str, sons: int, shared_data: Find) -> None:
    """Row by row but for the words that the file masks wrongly: man in manager, son in mason, "of" twice."""
    rows = differing(shared_data, name, "en")
    for column in ("Sentence", "Person", "Gender", "Prof_Gender", "Profession"):
        assert rows[column].empty, column
    theirs = {column: rows[column]["theirs"] for column in ("Sent_TM", "Sent_AM", "Sent_TAM")}
    broken_son = r"(?:ma|salesper)\[MASK\]"
    assert theirs["Sent_TM"].str.contains(LODGING).sum() == 5
    assert theirs["Sent_TM"].str.contains(broken_son).sum() == sons
    assert len(theirs["Sent_TM"]) == 5 + sons
    assert theirs["Sent_AM"].str.contains(POSITION).sum() == len(theirs["Sent_AM"]) == 18
    assert theirs["Sent_TAM"].str.contains(r"\[MASK\] \[MASK\]ager").sum() == 5
    assert theirs["Sent_TAM"].str.contains(POSITION).sum() == 18
    assert theirs["Sent_TAM"].str.contains(broken_son).sum() == sons
    assert len(theirs["Sent_TAM"]) == 23 + sons


def test_the_builder_equals_the_published_german_corpus(shared_data: Find) -> None:
    """Row by row but for the five sentences in which "Er" is masked inside "Ernährungsberater"."""
    rows = differing(shared_data, "BEC-Pro_DE.tsv", "de")
    for column in ("Sentence", "Person", "Gender", "Prof_Gender", "Profession", "Sent_AM"):
        assert rows[column].empty, column
    for column in ("Sent_TM", "Sent_TAM"):
        assert len(rows[column]) == 5
        assert rows[column]["theirs"].str.contains(r"\[MASK\]nährungsberater").all()
        assert not rows[column]["ours"].str.contains(r"\]n").any()


def test_with_articles_the_builder_differs_in_378_sentences(shared_data: Find) -> None:
    read = read_bec_pro(shared_data("bec-pro/BEC-Pro_EN.tsv")).table
    tables = published_tables(shared_data, "en", read)
    plain, right = (build_corpus(tables, articles=articles)["text"] for articles in (False, True))
    changed = right[plain != right]
    assert len(changed) == 378
    assert (changed.str.replace(" an ", " a ", n=1, regex=False) == plain[plain != right]).all()


def test_reading_bec_pro_finds_spans_partners_and_problems(shared_data: Find) -> None:
    professions = shared_data("bec-pro/Professions US+DE.tsv")
    corpus = read_bec_pro(shared_data("bec-pro/BEC-Pro_EN.tsv"), professions)
    table = corpus.table
    assert table["item"].is_unique
    assert table["problem"].value_counts().to_dict() == {"": 4999, ARTICLE: 378, MASKS: 23}
    partners = table[table["profession"] == "judge"].groupby("pair")["person"].unique().map(sorted)
    assert ["aunt", "uncle"] in partners.tolist()
    assert ["husband", "wife"] in partners.tolist()
    assert table.groupby(["template", "pair", "profession"]).size().eq(2).all()
    assert table.loc[table["profession"] == "judge", "percent_women"].eq(52.5).all()
    assert len(corpus.notices) == 2
    german = read_bec_pro(shared_data("bec-pro/BEC-Pro_DE.tsv"), professions).table
    assert german.loc[german["profession"] == "judge", "percent_women"].eq(65.22).all()
    wives = german[german["item"].str.contains("meine frau")]
    assert set(german.loc[german["pair"].isin(wives["pair"]), "person"]) == {"Ehemann", "Frau"}


def test_without_the_professions_the_share_is_unknown_and_that_is_said(shared_data: Find) -> None:
    corpus = read_bec_pro(shared_data("bec-pro/BEC-Pro_EN.tsv"))
    assert corpus.table["percent_women"].isna().all()
    assert "share of women is not known" in corpus.notices[-1]


def test_reading_eec_never_masks_inside_a_word(shared_data: Find) -> None:
    corpus = read_eec(shared_data("eec/Equity-Evaluation-Corpus.csv"))
    table = corpus.table
    assert len(table) == 7 * 20 * 20
    assert table["item"].is_unique
    assert table.groupby(["template", "pair", "profession"]).size().eq(2).all()
    for made in sentences_of(table):
        assert not re.search(r"\w\[MASK\]|\[MASK\]\w", made.both_masked), made
        assert made.both_masked.count("[MASK]") == 2
        assert with_right_articles(made) == made
    partners = table.groupby("pair")["person"].unique().map(lambda both: sorted(map(str.lower, both)))
    assert ["her", "him"] in partners.tolist()
    assert ["boy", "girl"] in partners.tolist()
    assert [int(re.findall(r": (\d+) ", notice)[0]) for notice in corpus.notices] == [5760, 80]
    assert len(table) + 5760 + 80 == len(read_table(shared_data("eec/Equity-Evaluation-Corpus.csv")))


def test_a_published_corpus_is_known_by_its_columns(shared_data: Find) -> None:
    by_path = load_corpus(str(shared_data("bec-pro/BEC-Pro_EN.tsv")))
    assert by_path.table["percent_women"].notna().all()
    assert load_corpus(str(shared_data("eec/Equity-Evaluation-Corpus.csv"))).table["group"].nunique() == 4


def test_a_sentence_that_leaves_its_template_is_refused() -> None:
    row = {"Sentence": "He was a cook.", "Template": "<person> is a <profession>.", "Person": "He", "line": 7}
    with pytest.raises(UserError, match=r"line 7: 'He was a cook\.' does not follow"):
        locate(row, "cook", Path("corpus.tsv"))
    made, phrase = locate(row | {"Sentence": "He is a cook."}, "cook", Path("corpus.tsv"))
    assert made == Sentence("He is a cook.", (0, 2), (8, 12))
    assert phrase == "he"
