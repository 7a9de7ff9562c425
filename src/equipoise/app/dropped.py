"""A CSV that was dropped on the page: what it holds, and what is wrong with it."""

import csv
import io
import re
from pathlib import Path
from typing import Any

from equipoise.corpora.reading import ReadSettings, open_corpus
from equipoise.corpora.survey import SurveySettings, survey_corpus
from equipoise.data.csv_text import allow_long_cells
from equipoise.data.poles import DEFAULT_POLES, load_poles
from equipoise.data.sets.pairs import pair_findings, read_pairs
from equipoise.data.sets.templates import load_templates
from equipoise.data.sources import resolve
from equipoise.errors import UserError
from equipoise.instruments import load_instrument
from equipoise.instruments.base import Settings
from equipoise.report.corpus_findings import say_corpus
from equipoise.results.records import to_records

PAIRS, TEMPLATES, DOCUMENTS, CORPUS = "pairs", "templates", "documents", "corpus"
CORPUS_ENDINGS = (".txt", ".tsv", ".jsonl")
INSTRUMENTS = {PAIRS: "sbe", TEMPLATES: "tbe", DOCUMENTS: "paired-documents"}
"""What measures each kind of file."""

SHOWN = 200
"""Findings that the page shows; all are counted."""


def write_dropped(name: str, text: str, folder: Path) -> Path:
    """Write what was dropped under a plain form of its name."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(name).name).strip(".-") or "data"
    path = folder / (plain if plain.endswith((".csv", *CORPUS_ENDINGS)) else f"{plain}.csv")
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return path


def kind_of(text: str) -> str:
    """Whether a CSV holds templates, pairs, documents with a question or a corpus, by its head."""
    allow_long_cells()
    columns = {column.strip().lower() for column in next(csv.reader(io.StringIO(text)), [])}
    if "template" in columns:
        return TEMPLATES
    if {"stereotype", "counterpart"} & columns or {"sent_more", "sent_less"} <= columns:
        return PAIRS
    if {"text", "question"} <= columns:
        return DOCUMENTS
    if "text" in columns:
        return CORPUS
    raise UserError(
        f"The file has neither pairs nor templates nor text: its columns are "
        f"{', '.join(sorted(columns)) or 'none'}.",
        "Pairs have category, stereotype and counterpart; templates have category, form and template; "
        "documents have text and question; a corpus has text.",
    )


def look_at(path: Path, tables: Path) -> dict[str, Any]:
    """What the file holds, its rows, and the linter's findings; the tables of a corpus are kept."""
    kind = CORPUS if path.suffix in CORPUS_ENDINGS else kind_of(path.read_text(encoding="utf-8"))
    if kind == CORPUS:
        return _survey(path, tables)
    if kind == PAIRS:
        table = read_pairs(path)
        findings = [finding._asdict() for finding in sorted(pair_findings(table))]
        rows = len(table)
    elif kind == DOCUMENTS:
        source = resolve(path, (), reader=INSTRUMENTS[kind])
        items = load_instrument(INSTRUMENTS[kind]).design(source, Settings()).items
        left_out = items[items["dropped"] != ""]
        findings = [
            {"line": 0, "id": row["item"], "code": "left out", "message": row["dropped"]}
            for row in left_out.to_dict("records")
        ]
        rows = len(items)
    else:
        read = load_templates(resolve(path, (), reader="tbe"), load_poles(DEFAULT_POLES))
        findings = [{"line": 0, "id": "", "code": "note", "message": notice} for notice in read.notices]
        rows = len(read.table)
    counts = {"kind": kind, "instrument": INSTRUMENTS[kind], "rows": rows, "count": len(findings)}
    return counts | {"findings": findings[:SHOWN]}


def _survey(path: Path, tables: Path) -> dict[str, Any]:
    """What a corpus says about women and men, without a model."""
    survey = survey_corpus(open_corpus(path, ReadSettings()), tables, settings=SurveySettings())
    findings = say_corpus(survey.mentions, survey.cooccurrence)
    mentions = survey.mentions[survey.mentions["by"] == "all"]
    return {
        "kind": CORPUS,
        "rows": survey.documents,
        "words": survey.words,
        "headline": findings.headline,
        "sentences": findings.sentences,
        "mentions": to_records(mentions),
        "notices": survey.notices,
    }
