"""Every quantity declares a plain name, a question and limits of size."""

import pytest

from equipoise.instruments import INSTRUMENTS, load_instrument
from equipoise.results.quantity import KNOWLEDGE, QUESTIONS

ACRONYMS = ("APPD", "SLD", "ASLD", "GBM", "LPBS", "ICAT", "LMS", "|")


@pytest.mark.parametrize("name", INSTRUMENTS)
def test_every_quantity_declares_what_a_reader_needs(name: str) -> None:
    """The quantities of a design are checked when it is measured; these are the ones of the class."""
    for quantity in load_instrument(name).quantities:
        assert not quantity.undeclared(), quantity.key
        assert quantity.question in (*QUESTIONS, *KNOWLEDGE)
        assert not [word for word in ACRONYMS if word in quantity.name]
        small, clear, strong = quantity.limits
        assert 0 < small <= clear <= strong
