"""No text that a person reads holds a phrase that readers stumbled over, or a sentence that runs on."""

import re
from pathlib import Path

import pytest
from banned_phrases import banned_in, texts_of

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
SOURCES = [
    path for room in ("src", "recipes", "examples", "benchmarks") for path in (ROOT / room).rglob("*.py")
]

LONGEST = 35
"""Words of a sentence: the guide asks for 25, and beyond this nobody follows."""


def prose(path: Path) -> str:
    """A document without its code, tables, links' addresses and markup."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    lines = [line for line in text.splitlines() if not line.startswith(("|", "#", "!["))]
    return re.sub(r"\]\([^)]*\)", "]", "\n".join(lines))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_no_document_holds_a_banned_phrase(path: Path) -> None:
    text = re.sub(r"`[^`]*`", "", path.read_text(encoding="utf-8"))  # names that moved are not prose
    assert banned_in(text) == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_sentences_can_be_followed(path: Path) -> None:
    pieces = re.split(r"(?<=[.!?:;])\s+|\n\s*(?:[-*>]|\d+\.)\s+|\n\s*\n", prose(path))
    long = [" ".join(piece.split()) for piece in pieces if len(piece.split()) > LONGEST]
    assert long == []


IN_DOCUMENTS = {
    r"pip install '?equipoise": "the package is on no index: install from the clone",
    r"\bmeans nothing (to|here)": "has no effect on",
    r"\b(as near|as far|as much) as may be\b": "as possible",
    r"\bfrom [01] on\b": "of 0 or more",
    r"\b(is|are) turned to\b": "point to",
    r"\bstands? (beside|behind|at hand)\b": "is next to, is shown with",
    r"\bNor (is|are|do|does|has|have)\b": "and ... not",
    r"\b[Hh]eld against\b": "compared with",
    r"\bsays? of\b": "says about",
    r"\bis another one\b": "differs",
}
"""Clipped or inverted phrases of older pages, with what to write instead."""


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_no_document_is_clipped(path: Path) -> None:
    text = " ".join(prose(path).split())
    assert [
        (found[0], better) for one, better in IN_DOCUMENTS.items() if (found := re.search(one, text))
    ] == []


def test_a_phrase_that_comes_back_would_be_noticed() -> None:
    assert banned_in("A sly\nmetric cannot be\ntalked into a success.")
    assert not banned_in("A killed run resumes.")


def test_no_message_holds_a_banned_phrase() -> None:
    held = {path.relative_to(ROOT).as_posix(): banned_in("\n".join(texts_of(path))) for path in SOURCES}
    assert {name: phrases for name, phrases in held.items() if phrases} == {}
