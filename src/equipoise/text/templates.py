"""Template sentences: templates crossed with the words that go into them, checked line by line."""

from pathlib import Path
from typing import Any

import pandas as pd

from equipoise.data.reading import LINE, read_table
from equipoise.errors import UserError
from equipoise.text.articles import fix_articles

BLANK = "[MASK]"
SLOT = "<profession>"


def read_templates(path: Path) -> pd.DataFrame:
    """A template file: category, slot and template, each with one blank and at most one profession slot."""
    table = read_table(path, ("category", "slot", "template"))
    for row in table.to_dict("records"):
        _check_template(row, path)
    table["kind"] = table.get("kind", pd.Series("", index=table.index)).astype(str)
    return table


def read_professions(path: Path) -> pd.DataFrame:
    """A profession file: profession and category; share of women and gender are optional."""
    table = read_table(path, ("profession", "category"))
    for row in table.to_dict("records"):
        if not row["profession"].strip():
            raise UserError(f"{path}, line {row[LINE]}: no profession.", "Name one or leave it out.")
    for optional in ("kind", "gender", "percent_women"):
        if optional not in table:
            table[optional] = ""
    return table


def build_sentences(templates: pd.DataFrame, professions: pd.DataFrame, source: Path) -> pd.DataFrame:
    """Every template with every profession of its category and kind, articles made to agree."""
    rows = []
    for template in templates.to_dict("records"):
        if SLOT not in template["template"]:
            rows.append(_sentence(template, {}))
            continue
        same = professions["category"].eq(template["category"])
        if template["kind"]:
            same &= professions["kind"].eq(template["kind"])
        if not same.any():
            raise UserError(
                f"{source}, line {template[LINE]}: there is no profession for the category "
                f"{template['category']!r}.",
                "Add professions of that category, or correct its name.",
            )
        rows.extend(_sentence(template, one) for one in professions[same].to_dict("records"))
    return pd.DataFrame(rows)


def _sentence(template: dict[str, Any], profession: dict[str, Any]) -> dict[str, Any]:
    name = profession.get("profession", "")
    text = fix_articles(template["template"].replace(SLOT, name)) if name else template["template"]
    share = profession.get("percent_women", "")
    return {
        "template": template.get("id") or f"line {template[LINE]}",
        "category": template["category"],
        "slot": template["slot"],
        "profession": name,
        "gender": profession.get("gender", ""),
        "percent_women": float(share) if share else float("nan"),
        "text": text[:1].upper() + text[1:] if not text.startswith(BLANK) else text,
    }


def _check_template(row: dict[str, Any], path: Path) -> None:
    blanks, slots = row["template"].count(BLANK), row["template"].count(SLOT)
    where = f"{path}, line {row[LINE]}"
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
