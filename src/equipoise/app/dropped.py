"""A CSV that was dropped on the page: what it holds, and what is wrong with it."""

import csv
import io
import re
from pathlib import Path
from typing import Any

from equipoise.data.csv_text import allow_long_cells
from equipoise.data.poles import DEFAULT_POLES, load_poles
from equipoise.data.sets.pairs import pair_findings, read_pairs
from equipoise.data.sets.templates import load_templates
from equipoise.data.sources import resolve
from equipoise.errors import UserError

PAIRS, TEMPLATES = "pairs", "templates"
INSTRUMENTS = {PAIRS: "sbe", TEMPLATES: "tbe"}
"""What measures each kind of file."""

SHOWN = 200
"""Findings that the page shows; all are counted."""


def write_dropped(name: str, text: str, folder: Path) -> Path:
    """Write what was dropped under a plain form of its name."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(name).name).strip(".-") or "data"
    path = folder / (plain if plain.endswith(".csv") else f"{plain}.csv")
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return path


def kind_of(text: str) -> str:
    """Whether a CSV holds templates or pairs, by its head."""
    allow_long_cells()
    columns = {column.strip().lower() for column in next(csv.reader(io.StringIO(text)), [])}
    if "template" in columns:
        return TEMPLATES
    if {"stereotype", "counterpart"} & columns or {"sent_more", "sent_less"} <= columns:
        return PAIRS
    raise UserError(
        f"The file has neither pairs nor templates: its columns are {', '.join(sorted(columns)) or 'none'}.",
        "Pairs have category, stereotype and counterpart; templates have category, form and template.",
    )


def look_at(path: Path) -> dict[str, Any]:
    """What the file holds, its rows, and the linter's findings."""
    kind = kind_of(path.read_text(encoding="utf-8"))
    if kind == PAIRS:
        table = read_pairs(path)
        findings = [finding._asdict() for finding in sorted(pair_findings(table))]
        rows = len(table)
    else:
        read = load_templates(resolve(path, (), reader="tbe"), load_poles(DEFAULT_POLES))
        findings = [{"line": 0, "id": "", "code": "note", "message": notice} for notice in read.notices]
        rows = len(read.table)
    counts = {"kind": kind, "instrument": INSTRUMENTS[kind], "rows": rows, "count": len(findings)}
    return counts | {"findings": findings[:SHOWN]}
