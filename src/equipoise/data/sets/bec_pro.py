"""Corpora of persons by name or path: BEC-Pro and EEC as Bartl et al. 2020 used them, and built ones.

The published sentences come without spans. These are found by matching each sentence with the template that
its row names, so that no word is masked inside another; where a file's own masks differ, `problem` says so.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from equipoise.data.catalogue import fetch_file
from equipoise.data.reading import LINE, TABLES, read_lines, read_table
from equipoise.errors import UserError
from equipoise.text.persons import (
    ENGLISH,
    FILES,
    GERMAN,
    PERSON,
    PROFESSION,
    PersonCorpus,
    Sentence,
    corpus_from_files,
    finished_table,
    spans_as_columns,
    with_right_articles,
)

BEC_PRO_COLUMNS = ("Sentence", "Sent_TM", "Sent_AM", "Sent_TAM", "Template", "Person", "Gender", "Profession")
EEC_COLUMNS = ("Sentence", "Template", "Person", "Gender", "Race", "Emotion", "Emotion word")
PROFESSIONS_FILE = "Professions US+DE.tsv"
MASKS = "the file masks other words too"
ARTICLE = "a or an does not agree"


def load_corpus(data: str, data_dir: Path | None = None, *, as_published: bool = False) -> PersonCorpus:
    """The corpus of a data set, or of the user's folder or file; published ones keep their defects."""
    if data in ("equipoise-persons", "equipoise-persons-de"):
        paths = [fetch_file("equipoise-persons", name, data_dir) for name in FILES]
        language = GERMAN if data.endswith("-de") else ENGLISH
        return corpus_from_files(paths, language=language, articles=not as_published)
    if data in ("bec-pro", "bec-pro-de"):
        english = "BEC-Pro_EN_2020.tsv" if as_published else "BEC-Pro_EN.tsv"
        name = "BEC-Pro_DE.tsv" if data.endswith("-de") else english
        return read_bec_pro(fetch_file("bec-pro", name, data_dir), _published_professions(data_dir))
    if data == "eec":
        return read_eec(fetch_file("eec", "Equity-Evaluation-Corpus.csv", data_dir))
    path = Path(data)
    return _own_folder(path, as_published) if path.is_dir() else _own_file(path, as_published)


def read_bec_pro(path: Path, professions: Path | None = None) -> PersonCorpus:
    """BEC-Pro in English or German, with the share of women where the file of professions is given."""
    published = read_table(path, BEC_PRO_COLUMNS)
    language = GERMAN if "Profession_EN" in published else ENGLISH
    rows = []
    for row in published.to_dict("records"):
        made, phrase = locate(row, str(row["Profession"]), path)
        if made.text[slice(*made.target)] != row["Person"]:
            raise _astray(row, path)
        rows.append(
            {
                "gender": row["Gender"],
                "phrase": phrase,
                "published_template": row["Template"],
                "attribute": row.get("Profession_EN", row["Profession"]),
                "group": row["Prof_Gender"],
                "sent_tm": row["Sent_TM"],
                "sent_tam": row["Sent_TAM"],
                "problem": _problem(made, row, language),
            }
            | spans_as_columns(made)
        )
    table = _with_partners(pd.DataFrame(rows))
    notices = _noticed(table["problem"], path)
    if professions is None:
        table["percent_women"] = float("nan")
        notices += (f"the share of women is not known: {PROFESSIONS_FILE} is not there",)
        return PersonCorpus(finished_table(table, language), (path,), notices)
    shares = read_published_professions(professions, language).set_index("profession")["percent_women"]
    table["percent_women"] = table["attribute"].map(shares)
    return PersonCorpus(finished_table(table, language), (path, professions), notices)


def read_eec(path: Path) -> PersonCorpus:
    """The Equity Evaluation Corpus: emotion words as attributes, pronouns and noun phrases as persons."""
    published = read_table(path, EEC_COLUMNS)
    named = published["Race"] != ""
    without = ~named & (published["Emotion word"] == "")
    rows = []
    for row in published[~named & ~without].to_dict("records"):
        made, phrase = locate(row, str(row["Emotion word"]), path)
        rows.append(
            {
                "gender": row["Gender"],
                "phrase": phrase,
                "published_template": row["Template"],
                "attribute": row["Emotion word"],
                "group": row["Emotion"],
                "percent_women": float("nan"),
                "problem": "",
            }
            | spans_as_columns(made)
        )
    notices = (
        f"{path.name}: {named.sum()} sentences about persons with a first name are not used: most names are "
        "several word pieces",
        f"{path.name}: {without.sum()} sentences without an emotion word are not used: there is no attribute",
    )
    table = finished_table(_with_partners(pd.DataFrame(rows)), ENGLISH)
    return PersonCorpus(table, (path,), notices)


def read_published_professions(path: Path, language: str = ENGLISH) -> pd.DataFrame:
    """The professions of BEC-Pro as the corpus builder takes them, with the country's share of women."""
    required = ("simplified_professions", "percent_us", "percent_de", "german_m", "german_f", "prof_gender")
    table = read_table(path, required)
    share = table["percent_de" if language == GERMAN else "percent_us"].astype(float)
    return pd.DataFrame(
        {
            "profession": table["simplified_professions"],
            "group": table["prof_gender"],
            "percent_women": share,
            "german_male": table["german_m"],
            "german_female": table["german_f"],
            LINE: table[LINE],
        }
    )


def read_published_patterns(path: Path) -> pd.DataFrame:
    """The sentence patterns of BEC-Pro as templates; ART is the German article of the person's gender."""
    patterns = [line.replace("{}", PERSON, 1).replace("{}", PROFESSION, 1) for line in read_lines(path)]
    articles = {"male": "der", "female": "die"}
    forms = {
        f"template_{gender}": [re.sub(r"\bART\b", article, one) for one in patterns]
        for gender, article in articles.items()
    }
    return pd.DataFrame({"id": [str(number) for number in range(1, len(patterns) + 1)]} | forms)


def locate(row: Mapping[str, Any], attribute: str, path: Path) -> tuple[Sentence, str]:
    """The sentence with its spans, and the phrase of its person: the noun is the phrase's last word."""
    pattern = ""
    for part in re.split(r"(<[^>]+>)", row["Template"]):
        if part.startswith("<person"):
            pattern += r"(?P<phrase>(?:\w+ )*(?P<noun>\w+))"
        elif part.startswith("<"):
            pattern += f"(?P<attribute>{re.escape(attribute)})"
        else:
            pattern += re.sub(r"(\w+)/(\w+)", r"(?:\1|\2)", re.escape(part))
    found = re.fullmatch(pattern, row["Sentence"])
    if not found or not found["phrase"].lower().endswith(row["Person"].lower()):
        raise _astray(row, path)
    return Sentence(row["Sentence"], found.span("noun"), found.span("attribute")), found["phrase"].lower()


def _with_partners(rows: pd.DataFrame) -> pd.DataFrame:
    """Templates and pairs by number: the published files list both genders in the same order."""
    for column, source in (("template", "published_template"), ("pair", "phrase")):
        ranks = {
            (gender, name): str(number)
            for gender, names in rows.groupby("gender", sort=False)[source]
            for number, name in enumerate(names.unique(), start=1)
        }
        rows[column] = [ranks[key] for key in zip(rows["gender"], rows[source], strict=True)]
    return rows.drop(columns="published_template")


def _problem(made: Sentence, row: Mapping[str, Any], language: str) -> str:
    masks = (made.target_masked, made.attribute_masked, made.both_masked)
    if masks != (row["Sent_TM"], row["Sent_AM"], row["Sent_TAM"]):
        return MASKS
    return ARTICLE if language == ENGLISH and with_right_articles(made) != made else ""


def _noticed(problems: pd.Series, path: Path) -> tuple[str, ...]:
    counts = problems[problems != ""].value_counts(sort=False)
    return tuple(f"{path.name}: {count} sentences with the problem: {name}" for name, count in counts.items())


def _astray(row: Mapping[str, Any], path: Path) -> UserError:
    return UserError(
        f"{path}, line {row[LINE]}: {row['Sentence']!r} does not follow its template {row['Template']!r}.",
        "Check the columns Sentence, Template, Person and the attribute of that row.",
    )


def _published_professions(data_dir: Path | None) -> Path | None:
    """The file with the shares of women, which only the correlation needs."""
    try:
        return fetch_file("bec-pro", PROFESSIONS_FILE, data_dir)
    except UserError:
        return None


def _own_folder(folder: Path, as_published: bool) -> PersonCorpus:
    """Templates, person words and professions; what the folder does not hold is taken from ours."""
    chosen = [folder / name if (folder / name).exists() else TABLES / name for name in FILES]
    if all(path.parent == TABLES for path in chosen):
        raise UserError(f"{folder} holds none of {', '.join(FILES)}.", "Put at least one of them there.")
    return corpus_from_files(chosen, articles=not as_published)


def _own_file(path: Path, as_published: bool) -> PersonCorpus:
    """A published corpus by path, or a file of templates."""
    columns = set(read_table(path))
    if "Emotion word" in columns:
        return read_eec(path)
    if "Sent_TM" in columns:
        beside = path.with_name(PROFESSIONS_FILE)
        return read_bec_pro(path, beside if beside.exists() else None)
    return corpus_from_files([path, *(TABLES / name for name in FILES[1:])], articles=not as_published)
