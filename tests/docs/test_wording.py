"""No text that a person reads holds a phrase that readers stumbled over, or a sentence that runs on."""

import ast
import re
from pathlib import Path

import pytest
from banned_phrases import held_by

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    *(path for path in sorted((ROOT / "docs").glob("*.md")) if path.name != "papers.md"),
]
SOURCES = sorted((ROOT / "src" / "equipoise").rglob("*.py"))

BANNED = {
    r"authors' mistakes": "known errors in the papers",
    r"\bmend(s|ed|ing)?\b": "corrects",
    r"talked into": "does not report a failed change as a success",
    r"in the same breath": "it also says",
    r"[Ll]oading cannot lie": "broken checkpoints are refused",
    r"tells the time left": "a progress bar shows the time left",
    r"holds a difference to be": "considers a difference negligible",
    r"\bimmaterial\b": "negligible",
    r"\btells? of (ten|a dozen)": "says little more than",
    r"say a sex": "gender-neutral",
    r"[Oo]n screen stands": "is printed",
    r"stands? at the head of": "the docstring says",
    r"[Ww]rite over what is there": "overwrite existing files",
    r"write over it": "overwrite it",
    r"the front, who is dominated": "with the Pareto front",
    r"is no JSON": "is not valid JSON",
    r"goes on when the (same )?command is given": "resumes when you run the same command again",
    r"the same command goes on": "run the same command again to resume",
    r"goes on after a kill": "a killed run resumes",
    r"not one piece of the vocabulary": "this model splits them into pieces",
    r"beside (professions|occupations) it": "occupations lean towards",
    r"it cannot be told from": "no difference found",
    r"[Hh]ow much of this is chance": "how much is chance",
    r"what is not meaningful needs nothing": "",
    r"[Ww]here a C compiler": "if a C compiler is available",
    r"[Ll]ist what is known by name": "list the available instruments",
    r"confident x 1": "confident answers only",
    r"of which part of the items": "which items it covers",
    r"do not know anything of": "",
    r"\bin the box\b": "built-in",
    r"\bsaid in words\b": "said",
}
"""Phrases as patterns, with what to write instead."""

LONGEST = 40
"""Words of a sentence: the guide asks for 25, and beyond this nobody follows."""


def prose(path: Path) -> str:
    """A document without its code, tables, links' addresses and markup."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    lines = [line for line in text.splitlines() if not line.startswith(("|", "#", "!["))]
    return re.sub(r"\]\([^)]*\)", "]", "\n".join(lines))


def banned_in(text: str) -> list[str]:
    joined = " ".join(text.split())
    return [f"{found[0]!r}: {better}" for one, better in BANNED.items() if (found := re.search(one, joined))]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_no_document_holds_a_banned_phrase(path: Path) -> None:
    text = re.sub(r"`[^`]*`", "", path.read_text(encoding="utf-8"))  # names that moved are no prose
    assert banned_in(text) + held_by(text) == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_sentences_can_be_followed(path: Path) -> None:
    pieces = re.split(r"(?<=[.!?:;])\s+|\n\s*(?:[-*>]|\d+\.)\s+|\n\s*\n", prose(path))
    long = [" ".join(piece.split()) for piece in pieces if len(piece.split()) > LONGEST]
    assert long == []


def test_a_phrase_that_comes_back_would_be_noticed() -> None:
    assert banned_in("A sly\nmetric cannot be\ntalked into a success.")
    assert not banned_in("A killed run resumes.")


def texts_of(path: Path) -> str:
    """Every text of a module: messages, help, docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return "\n".join(text for text in nodes if isinstance(text, str))


def test_no_message_holds_a_banned_phrase() -> None:
    held = {path.relative_to(ROOT).as_posix(): banned_in(texts_of(path)) for path in SOURCES}
    assert {name: phrases for name, phrases in held.items() if phrases} == {}
