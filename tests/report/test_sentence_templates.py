"""Templates of sentences hold no banned phrase, and every quantity has a plain name."""

from pathlib import Path

import pytest

import equipoise
from equipoise.instruments import INSTRUMENTS, load_instrument
from equipoise.results.quantity import KNOWLEDGE, QUESTIONS
from tests.banned_phrases import held_by, texts_of

PACKAGE = Path(equipoise.__file__).parent
TEMPLATES = (
    "report/answers.py",
    "report/changes.py",
    "report/examples.py",
    "report/findings.py",
    "results/quantity.py",
    "results/reading.py",
)
ACRONYMS = ("APPD", "SLD", "ASLD", "GBM", "LPBS", "ICAT", "LMS", "|")


@pytest.mark.parametrize("name", TEMPLATES)
def test_no_sentence_is_written_in_the_old_style(name: str) -> None:
    texts = list(texts_of(PACKAGE / name))
    assert len(texts) > 3
    assert not [(text, held_by(text)) for text in texts if held_by(text)]


def test_a_banned_phrase_would_be_seen(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text('said = f"{name} cannot be\\n told from {other}"\n', encoding="utf-8")
    assert next(held_by(text) for text in texts_of(module) if held_by(text)) == ["cannot be told from"]


@pytest.mark.parametrize("name", INSTRUMENTS)
def test_every_quantity_declares_what_a_reader_needs(name: str) -> None:
    """The quantities of a design are checked when it is measured; these are the ones of the class."""
    for quantity in load_instrument(name).quantities:
        assert not quantity.undeclared(), quantity.key
        assert quantity.question in (*QUESTIONS, *KNOWLEDGE)
        assert not [word for word in ACRONYMS if word in quantity.name]
        small, clear, strong = quantity.limits
        assert 0 < small <= clear <= strong
