"""Template sentences: templates crossed with the words that go into them, checked line by line."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from equipoise.data.catalogue import fetch_file, is_dataset
from equipoise.data.reading import LINE, TABLES, read_table
from equipoise.errors import UserError
from equipoise.text.articles import fix_articles

BLANK = "[MASK]"
SLOT = "<profession>"


def template_files(data: str, data_dir: Path | None) -> tuple[Path, Path]:
    """The template and the profession file: of a data set, or of a user, with the shipped professions."""
    if is_dataset(data):
        first, second = (fetch_file(data, name, data_dir) for name in ("templates.csv", "professions.csv"))
        return first, second
    templates = Path(data) / "templates.csv" if Path(data).is_dir() else Path(data)
    beside = templates.with_name("professions.csv")
    return templates, beside if beside.exists() else TABLES / "professions.csv"


def read_templates(path: Path) -> pd.DataFrame:
    """A template file: category, slot and template, each with one blank and at most one profession slot."""
    table = with_columns(
        read_table(path, ("category", "slot", "template")), ("id", "kind", "gender", "dropped")
    )
    for row in table.to_dict("records"):
        _check_template(row, path)
    unnamed = table["id"].str.strip().eq("")
    table.loc[unnamed, "id"] = "line " + table.loc[unnamed, LINE].astype(str)
    refuse_repeats(table, ("id",), path)
    return table


def read_professions(path: Path) -> pd.DataFrame:
    """A profession file: profession and category; kind, gender and share of women are optional."""
    table = with_columns(read_table(path, ("profession", "category")), ("kind", "gender", "percent_women"))
    for row in table.to_dict("records"):
        _check_profession(row, path)
    refuse_repeats(table, ("profession", "category", "kind"), path)
    return table


def build_sentences(
    templates: pd.DataFrame, professions: pd.DataFrame, source: Path, *, verbatim: bool = False
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
    """The professions that no template takes."""
    slotted = templates[templates["template"].str.contains(SLOT, regex=False)].to_dict("records")
    used: set[int] = set()
    for template in slotted:
        used.update(_fitting(template, professions).index)
    return [name for place, name in professions["profession"].items() if place not in used]


def leaking_lines(templates: pd.DataFrame, words: Iterable[str]) -> dict[int, str]:
    """Lines of templates that give one of the words away outside their blank, with the word found."""
    pattern = re.compile(r"\b(?:" + "|".join(map(re.escape, words)) + r")\b", re.IGNORECASE)
    found = zip(templates[LINE], templates["template"], strict=True)
    matches = ((line, pattern.search(text.replace(BLANK, " "))) for line, text in found)
    return {int(line): match[0] for line, match in matches if match}


def with_columns(table: pd.DataFrame, optional: Iterable[str]) -> pd.DataFrame:
    """The table with the optional columns that it lacks, empty."""
    return table.assign(**{name: "" for name in optional if name not in table})


def refuse_repeats(table: pd.DataFrame, columns: Iterable[str], path: Path) -> None:
    """Two rows of one name would be one item: the second is refused with its line."""
    seen: dict[tuple[str, ...], int] = {}
    for row in table.to_dict("records"):
        key = tuple(str(row[name]).strip() for name in columns)
        if key in seen:
            name = ", ".join(filter(None, key))
            raise UserError(
                f"{path}, line {row[LINE]}: {name!r} stands already in line {seen[key]}.",
                "Leave one of them out, or name them differently.",
            )
        seen[key] = row[LINE]


def _fitting(template: dict[str, Any], professions: pd.DataFrame) -> pd.DataFrame:
    same = professions["category"].eq(template["category"])
    if template["kind"]:
        same &= professions["kind"].eq(template["kind"])
    return professions[same]


def _check_fitting(template: dict[str, Any], fitting: pd.DataFrame, source: Path, verbatim: bool) -> None:
    """A slot needs professions, and professions need a slot, unless a list is wanted as it is printed."""
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
        "slot": template["slot"],
        "profession": name,
        "gender": profession.get("gender", "") or template["gender"],
        "percent_women": float(share) if share else float("nan"),
        "text": text if verbatim else _as_written(text),
        "dropped": template["dropped"],
    }


def _as_written(text: str) -> str:
    fixed = fix_articles(text)
    return fixed if fixed.startswith(BLANK) else fixed[:1].upper() + fixed[1:]


def _check_template(row: dict[str, Any], path: Path) -> None:
    blanks, slots = row["template"].count(BLANK), row["template"].count(SLOT)
    where = f"{path}, line {row[LINE]}"
    if not row["category"].strip():
        raise UserError(f"{where}: no category.", "Name the category of the template.")
    if blanks != 1:
        raise UserError(
            f"{where}: {blanks} blanks in {row['template']!r} where one is expected.",
            f"Write {BLANK} once, where the pronoun goes.",
        )
    if slots > 1:
        raise UserError(
            f"{where}: {slots} slots in {row['template']!r} where at most one is expected.",
            f"Write {SLOT} once, where the profession goes.",
        )


def _check_profession(row: dict[str, Any], path: Path) -> None:
    where = f"{path}, line {row[LINE]}"
    if not row["profession"].strip():
        raise UserError(f"{where}: no profession.", "Name one or leave the line out.")
    share = row["percent_women"].strip()
    try:
        is_share = not share or 0 <= float(share) <= 100
    except ValueError:
        is_share = False
    if not is_share:
        raise UserError(
            f"{where}: {share!r} is no share of women.",
            "Give a number from 0 to 100, or leave it empty.",
        )
