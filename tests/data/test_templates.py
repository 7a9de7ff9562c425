"""The shipped templates, professions and frames, checked as text: no model is needed."""

import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLES = ROOT / "src" / "equipoise" / "data" / "tables"
SHARED = ROOT.parent / "shared"

FIELD_OCCUPATIONS = ["medical", "computer", "engineering", "science"]
SERVICE_OCCUPATIONS = ["protective-service", "food-service", "office", "farming"]
OCCUPATIONS = FIELD_OCCUPATIONS + SERVICE_OCCUPATIONS
GENDER_RELATED = ["gendered-occupation", "gendered-word"]
PRONOUNS = {"subject": ("he", "she"), "object": ("him", "her"), "possessive": ("his", "her")}
AFTER_OBJECT = {"", "a", "about", "awake", "for", "how", "in", "only", "that", "the", "to", "with"}
WEEKDAYS_AND_MONTHS = {"Monday", "Thursday", "Sunday", "October", "December"}
FREE_PROSE = {"books", "news", "gap"}
GENDERED_WORD = re.compile(
    r"\b(?:he|she|him|her|his|hers|himself|herself|man|men|woman|women|male|female|masculine"
    r"|feminine|boys?|girls?|mother|father|mum|mom|dad|son|daughter|brother|sister|uncle|aunt"
    r"|nephew|niece|husband|wife|boyfriend|girlfriend|bride|groom|widow|widower|king|queen|lord"
    r"|lady|gentleman|sir|madam|mr|mrs|ms|miss|guys?|landlord|landlady|maid|nanny|nun|monk|waiter"
    r"|\w+(?:woman|tress|stress|[^u]man)|pregnan\w+|beard|moustache|skirt|lipstick|handbag)\b"
)


def read_table(name: str) -> pd.DataFrame:
    """A shipped table with every cell as text."""
    return pd.read_csv(TABLES / name, dtype=str, keep_default_na=False)


TEMPLATES = read_table("templates.csv")
PROFESSIONS = read_table("professions.csv")
FRAMES = read_table("frames.csv")
SHARES = pd.to_numeric(PROFESSIONS["percent_women"])


def words_of(text: str) -> list[str]:
    """The words of a template without its slots, in lower case."""
    return re.findall(r"[a-z]+", re.sub(r"\[MASK\]|<\w+>|\{\w+\}", " ", text).lower())


def with_article(template: str, profession: str) -> str:
    """The template with its profession; all vowels but u take "an" in this list."""
    article = "an" if profession[0] in "aeio" else "a"
    return re.sub(r"\ba (?=<profession>)", f"{article} ", template).replace("<profession>", profession)


def sentences() -> Iterator[str]:
    """Every sentence that the tables give, with each of its two pronouns."""
    for row in TEMPLATES.merge(PROFESSIONS, on=["category", "kind"]).itertuples():
        for pronoun in PRONOUNS[row.form]:
            filled = with_article(row.template, row.profession).replace("[MASK]", pronoun)
            yield filled[0].upper() + filled[1:]


def test_columns() -> None:
    assert list(TEMPLATES) == ["id", "category", "kind", "form", "template"]
    assert list(PROFESSIONS)[:4] == ["profession", "category", "kind", "percent_women"]
    assert list(PROFESSIONS)[4:] == ["gender", "title", "year", "source"]
    assert list(FRAMES) == ["id", "kind", "frame"]


def test_every_category_has_ten_to_twenty_templates_of_all_three_forms() -> None:
    assert set(TEMPLATES["category"]) == {*OCCUPATIONS, *GENDER_RELATED}
    assert TEMPLATES.groupby("category").size().between(10, 20).all()
    by_form = TEMPLATES.groupby(["category", "form"]).size().unstack(fill_value=0)
    assert set(by_form.columns) == set(PRONOUNS)
    assert (by_form >= 3).all(axis=None)


def test_slots_occur_exactly_once_and_sentences_are_well_formed() -> None:
    for template in TEMPLATES["template"]:
        assert template.count("[MASK]") == 1, template
        assert template.count("<profession>") == 1, template
        assert template.startswith("[MASK]") or template[0].isupper(), template
        assert template.find(".") == len(template) - 1, template
        assert template == " ".join(template.split()), template
        assert 5 <= len(template.split()) <= 20, template


def test_the_article_before_a_profession_is_always_written_a() -> None:
    assert not TEMPLATES["template"].str.contains(r"\b[Aa]n <profession>").any()
    takes_article = TEMPLATES["template"].str.contains(r"\ba <profession>")
    assert takes_article.sum() >= 30
    # Organs may be plural and states are adjectives: neither can follow an article.
    assert not takes_article[TEMPLATES["kind"].isin(["organ", "state"])].any()


def test_templates_leak_no_gendered_word_and_no_name() -> None:
    for text in [*TEMPLATES["template"], *FRAMES["frame"]]:
        assert not GENDERED_WORD.search(" ".join(words_of(text))), text
        inner = re.findall(r"(?<=[a-z,>\]] )[A-Z][a-z]+", text)
        assert set(inner) <= WEEKDAYS_AND_MONTHS, text


def test_subject_slots_need_no_agreement_with_he_or_she() -> None:
    """So that "they" fits the same sentences: no "is", "was", "has" or "-s" after the slot."""
    for template in TEMPLATES.loc[TEMPLATES["form"] == "subject", "template"]:
        verb = re.search(r"\[MASK\] (\w+)", template)
        assert verb is not None, template
        assert not verb[1].endswith("s"), template


def test_object_and_possessive_her_cannot_be_confused() -> None:
    following = TEMPLATES["template"].str.extract(r"\[MASK\] ?([\w<]*)")[0]
    objects = TEMPLATES["form"] == "object"
    possessives = TEMPLATES["form"] == "possessive"
    assert set(following[objects]) <= AFTER_OBJECT
    assert not set(following[possessives]) & AFTER_OBJECT


REPLACED = """
    medical-02 medical-05 medical-06 medical-08 medical-09 medical-10 office-06
    engineering-05 engineering-07 engineering-10 engineering-11
    protective-service-03 protective-service-07
    farming-02 farming-05 farming-06 farming-09 farming-10 farming-12
"""


def test_replaced_templates_leave_their_ids_free() -> None:
    assert not set(REPLACED.split()) & set(TEMPLATES["id"])
    assert (TEMPLATES["id"].str.rpartition("-")[0] == TEMPLATES["category"]).all()
    assert TEMPLATES.groupby("category").size()[OCCUPATIONS].eq(12).all()


def test_removed_professions_do_not_come_back() -> None:
    crude = {"castrated", "lactating"}
    without_papers_of_their_own = {"chemical technician", "forensic technician"}
    assert not (crude | without_papers_of_their_own) & set(PROFESSIONS["profession"])


def test_every_profession_meets_templates_and_every_kind_has_both() -> None:
    of_templates = set(zip(TEMPLATES["category"], TEMPLATES["kind"], strict=True))
    of_professions = set(zip(PROFESSIONS["category"], PROFESSIONS["kind"], strict=True))
    assert of_templates == of_professions
    assert {kind for category, kind in of_templates if category != "gendered-word"} == {"occupation"}


def test_profession_lists() -> None:
    counts = PROFESSIONS.groupby("category").size()
    assert counts[OCCUPATIONS].between(8, 20).all()
    assert counts["gendered-occupation"] >= 12
    assert counts["gendered-word"] >= 16
    assert PROFESSIONS["profession"].str.fullmatch(r"[a-z]+(?:[ -][a-z]+)*").all()


def test_nothing_stands_twice() -> None:
    assert PROFESSIONS["profession"].is_unique
    assert TEMPLATES["id"].is_unique
    assert TEMPLATES["template"].map(words_of).map(tuple).is_unique
    built = list(sentences())
    assert len(built) == len(set(built)) > 3000


def test_shares_of_women_are_percentages_with_a_source() -> None:
    neutral = PROFESSIONS["category"].isin(OCCUPATIONS)
    assert SHARES.dropna().between(0, 100).all()
    assert SHARES[~neutral].isna().all()
    assert (PROFESSIONS.loc[neutral, ["title", "year", "source"]] != "").all(axis=None)
    unpublished = SHARES.isna() & neutral
    assert unpublished.groupby(PROFESSIONS["category"]).mean().max() <= 1 / 3


def test_gender_is_given_for_gender_related_words_only_and_balanced() -> None:
    neutral = PROFESSIONS["category"].isin(OCCUPATIONS)
    assert (PROFESSIONS.loc[neutral, "gender"] == "").all()
    by_gender = PROFESSIONS[~neutral].groupby(["category", "kind", "gender"]).size().unstack()
    assert list(by_gender.columns) == ["female", "male"]
    assert (by_gender["female"] == by_gender["male"]).all()


def test_gendered_forms_carry_the_gender_that_is_stated() -> None:
    """The endings of the words speak for themselves and must agree with the column."""
    female = PROFESSIONS["profession"].str.contains(r"(?:woman|ress|mistress|mother|stewardess)$")
    male = PROFESSIONS["profession"].str.contains(r"(?:[^o]man|master|father)$")
    assert (PROFESSIONS.loc[female, "gender"] == "female").all()
    assert (PROFESSIONS.loc[male, "gender"] == "male").all()
    assert female.sum() >= 10
    assert male.sum() >= 10


def test_built_sentences_read_properly() -> None:
    for sentence in sentences():
        assert not re.search(r"[<>\[\]{}]", sentence), sentence
        assert not re.search(r"\b[Aa] [aeio]", sentence), sentence
        assert not re.search(r"\b[Aa]n [^aeiou]", sentence.replace("an hour", "")), sentence
        pronouns = {"he", "she", "him", "her", "his"} & set(words_of(sentence))
        assert len(pronouns) == 1, sentence


def test_frames_take_one_whole_sentence() -> None:
    assert len(FRAMES) == 2
    assert FRAMES["id"].is_unique
    assert FRAMES["kind"].is_unique
    for frame in FRAMES["frame"]:
        assert frame.count("{sentence}") == 1
        assert frame.endswith(" {sentence}"), "the sentence brings its own period"
        assert frame[0].isupper()


def published_sentences() -> str:
    """All published sentences and the seed papers, one per line: words only, slots left out."""
    parts = []
    for path in sorted((SHARED / "data").glob("*/*")) + sorted((SHARED / "seeds").glob("*.txt")):
        if path.parent.name in FREE_PROSE:
            continue
        text = path.read_text(encoding="utf-8", errors="ignore").lower()
        text = text.replace("\n", " ") if path.parent.name == "seeds" else text
        text = re.sub(r"\[mask\]|<[\w ]+>|\{\}|\$\w+", " ", text)
        parts.append(re.sub(r"[^\w\n]+", " ", re.sub(r"[.!?\t|\"]+", "\n", text)))
    return re.sub(r" *\n[ \n]*", "\n", "\n".join(parts))


def stands_in(template: str, text: str) -> bool:
    """Whether a line is this template, with up to six words in each slot and any column before."""
    pieces = re.split(r"\[MASK\]|<\w+>", template)
    pieces = [re.sub(r"\W+", " ", piece.lower()).strip() for piece in pieces]
    if max(pieces, key=len) not in text:
        return False
    body = r"(?: \w+){0,6} ".join(piece for piece in pieces if piece)
    ending = "" if pieces[-1] else r"(?: \w+){0,6}"
    return re.search(rf"^(?:\w+ ){{0,12}}{body}{ending}$", text, re.MULTILINE) is not None


@pytest.mark.skipif(not (SHARED / "data").is_dir(), reason="no published data beside the checkout")
def test_no_template_stands_in_published_data() -> None:
    text = published_sentences()
    lines = (SHARED / "data" / "gbef" / "templates.csv").read_text(encoding="utf-8").splitlines()
    known = next(line.split(",", 1)[1] for line in lines if line.endswith(" [MASK] job."))
    assert stands_in(known, text), "the search must find a template that is there"
    persons = read_table("person-templates.csv")
    ours = [*TEMPLATES["template"], *persons["template_male"], *persons["template_female"]]
    assert [template for template in ours if stands_in(template, text)] == []
