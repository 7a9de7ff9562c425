"""Templates crossed with the professions that go into them, checked line by line."""

import re
from collections.abc import Iterable
from typing import Any

import pandas as pd

from equipoise.data.poles import DEFAULT_POLES, Poles
from equipoise.data.reading import (
    LINE,
    TABLES,
    File,
    Shape,
    read_percentage,
    read_rows,
    row_error,
)
from equipoise.data.sets import ItemSet, gbef
from equipoise.data.sets.frames import language_of
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.text.blank import BLANK
from equipoise.text.languages.en.articles import fix_articles

SLOT = "<profession>"
TEMPLATES, PROFESSIONS = "templates.csv", "professions.csv"


def template_files(source: Source, poles: Poles) -> tuple[File, File]:
    """The templates and the professions: of a data set, or of a user, with the shipped professions.

    The shipped templates for other poles than pronouns (age, religion) stand in files of their own.
    """
    shipped = TABLES / f"templates-{poles.name}.csv"
    if source.name == "equipoise-templates" and poles.name != DEFAULT_POLES and shipped.exists():
        return shipped, TABLES / PROFESSIONS
    return source.file(TEMPLATES), source.beside_or_shipped(PROFESSIONS)


def load_templates(source: Source, poles: Poles, *, as_published: bool = False) -> ItemSet:
    """Every template with every profession that fits it, checked against the poles."""
    path, professions_path = template_files(source, poles)
    templates, professions, notices = _tables(source, path, professions_path, as_published=as_published)
    for row in templates.to_dict("records"):
        poles.check_form(row["form"], f"{path}, line {row[LINE]}")
        poles.check_gender(row["gender"], f"{path}, line {row[LINE]}")
    for row in professions.to_dict("records"):
        poles.check_gender(row["gender"], f"{professions_path}, line {row[LINE]}")
    sentences = build_sentences(templates, professions, path, verbatim=as_published)
    frames = dict(zip(templates["id"], templates["template"], strict=True))
    sentences = sentences.assign(
        frame=sentences["template"].map(frames),
        language=[language_of(source, given) for given in sentences["language"]],
    )
    is_fallback = not source.is_dataset and professions_path == TABLES / PROFESSIONS
    is_fallback = is_fallback or poles.name != DEFAULT_POLES
    notices += _notices(templates, professions.head(0) if is_fallback else professions, poles)
    return ItemSet(sentences, (path, professions_path, poles.path), notices)


def read_templates(path: File) -> pd.DataFrame:
    """A template file: category, form and template, each with one blank and at most one profession slot."""
    shape = Shape(
        required=("category", "form", "template"),
        optional=("kind", "gender", "dropped", "language"),
        named=True,
        filled=("category",),
        once={"template": {BLANK: "where the pronoun goes"}},
        unique=("id",),
    )
    table = read_rows(path, shape)
    for row in table.to_dict("records"):
        slots = row["template"].count(SLOT)
        if slots > 1:
            problem = f"{slots} slots in {row['template']!r} where at most one is expected"
            raise row_error(path, row, problem, f"Write {SLOT} once, where the profession goes.")
    return table


def read_professions(path: File) -> pd.DataFrame:
    """A profession file: profession and category; kind, gender and share of women are optional."""
    shape = Shape(
        required=("profession", "category"),
        optional=("kind", "gender", "percent_women", "title"),
        filled=("profession",),
        unique=("profession", "category", "kind"),
    )
    table = read_rows(path, shape)
    for row in table.to_dict("records"):
        read_percentage(row["percent_women"], f"{path}, line {row[LINE]}")
    return table


def build_sentences(
    templates: pd.DataFrame, professions: pd.DataFrame, source: File, *, verbatim: bool = False
) -> pd.DataFrame:
    """Every template with every profession of its category and kind.

    Articles are made to agree and sentences begin with a capital, unless they are wanted verbatim.
    """
    rows: list[dict[str, Any]] = []
    for template in templates.to_dict("records"):
        fitting = _fitting(template, professions)
        _check_fitting(template, fitting, source, verbatim)
        fillers = fitting.to_dict("records") if SLOT in template["template"] else []
        rows.extend(_sentence(template, one, verbatim) for one in fillers or [{}])
    table = pd.DataFrame(rows)
    table.insert(
        0, "item", table["template"] + (":" + table["profession"]).where(table["profession"] != "", "")
    )
    return table


def unused_professions(templates: pd.DataFrame, professions: pd.DataFrame) -> list[str]:
    """The professions of which no template asks: with a slot for them, or about them as they stand."""
    used: set[int] = set()
    for template in templates.to_dict("records"):
        used.update(_fitting(template, professions).index)
    return [name for place, name in professions["profession"].items() if place not in used]


def leaking_lines(templates: pd.DataFrame, words: Iterable[str]) -> dict[int, str]:
    """Find template lines that reveal a word outside their blank; return the line and the word."""
    pattern = re.compile(r"\b(?:" + "|".join(map(re.escape, words)) + r")\b", re.IGNORECASE)
    lines = zip(templates[LINE], templates["template"], strict=True)
    matches = ((line, pattern.search(text.replace(BLANK, " "))) for line, text in lines)
    return {int(line): match[0] for line, match in matches if match}


def _tables(
    source: Source, path: File, professions_path: File, *, as_published: bool
) -> tuple[pd.DataFrame, pd.DataFrame, tuple[str, ...]]:
    """Templates and professions, and what was done to them."""
    if source.name != gbef.NAME:
        return read_templates(path), read_professions(professions_path), ()
    professions = gbef.gbef_professions(professions_path, corrected=not as_published)
    templates = gbef.gbef_templates(path, professions, corrected=not as_published)
    if as_published:
        return templates, professions, ()
    changed = gbef.count_corrected(path, "template", templates)
    renamed = gbef.count_corrected(professions_path, "profession", professions)
    return templates, professions, (f"corrected: {changed} templates, {renamed} names of professions",)


def _notices(templates: pd.DataFrame, professions: pd.DataFrame, poles: Poles) -> tuple[str, ...]:
    """Dropped templates by reason, professions that no template takes, templates that give a pole away."""
    notices = []
    for reason, rows in templates[templates["dropped"] != ""].groupby("dropped", sort=False):
        notices.append(
            f"dropped, {len(rows)} of {len(templates)} templates: {reason}; {', '.join(rows['id'])}"
        )
    unused = unused_professions(templates, professions)
    if unused:
        notices.append(f"unused, for want of a template of their category: {', '.join(unused)}")
    words = {word for form in poles.forms for words in poles.pair_at(form).values() for word in words}
    leaks = leaking_lines(templates[templates["dropped"] == ""], sorted(words))
    if leaks:
        shown = ", ".join(f"line {line} ({word})" for line, word in leaks.items())
        notices.append(f"a word of the poles stands beside the blank in templates: {shown}")
    return tuple(notices)


def _fitting(template: dict[str, Any], professions: pd.DataFrame) -> pd.DataFrame:
    same = professions["category"].eq(template["category"])
    if template["kind"]:
        same &= professions["kind"].eq(template["kind"])
    return professions[same]


def _check_fitting(template: dict[str, Any], fitting: pd.DataFrame, source: File, verbatim: bool) -> None:
    """Refuse a slot without professions, and professions without a slot, except in lists kept as printed."""
    if template["dropped"]:
        return
    where, category = f"{source}, line {template[LINE]}", template["category"]
    if SLOT in template["template"]:
        if fitting.empty:
            raise UserError(
                f"{where}: there is no profession for the category {category!r}.",
                "Add professions of that category, or correct its name.",
            )
    elif not (fitting.empty or template["gender"] or verbatim):
        raise UserError(
            f"{where}: {template['template']!r} has no slot for the {len(fitting)} professions of "
            f"the category {category!r}.",
            f"Write {SLOT} where the profession goes, or give the template another category.",
        )


def _sentence(template: dict[str, Any], profession: dict[str, Any], verbatim: bool) -> dict[str, Any]:
    name = profession.get("profession", "")
    text = template["template"].replace(SLOT, name) if name else template["template"]
    share = profession.get("percent_women", "")
    return {
        "template": template["id"],
        "category": template["category"],
        "form": template["form"],
        "profession": name,
        "gender": profession.get("gender", "") or template["gender"],
        "percent_women": float(share) if share else float("nan"),
        "title": profession.get("title", ""),
        "text": text if verbatim else _as_written(text),
        "dropped": template["dropped"],
        "language": template.get("language", ""),
    }


def _as_written(text: str) -> str:
    fixed = fix_articles(text)
    return fixed if fixed.startswith(BLANK) else fixed[:1].upper() + fixed[1:]
