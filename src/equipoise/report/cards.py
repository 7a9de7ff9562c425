"""Cards: the docstring of an instrument's module as headings with their text."""

import re

from equipoise.instruments import INSTRUMENTS, instrument_card

_HEADING = re.compile(r"^([A-Z][A-Za-z ]{1,11}?)\s{2,}(?=\S)")


def card_of(instrument: str) -> list[tuple[str, str]]:
    """The card of an instrument as pairs of heading and text; none for an instrument of the user's own."""
    return card_parts(instrument_card(instrument)) if instrument in INSTRUMENTS else []


def card_parts(card: str) -> list[tuple[str, str]]:
    """A card as pairs of heading and text."""
    first, _, body = card.partition("\n")
    parts: list[list[str]] = [["Method", first.strip()]]
    for line in body.splitlines():
        heading = _HEADING.match(line)
        if heading:
            parts.append([heading[1], line[heading.end() :].strip()])
        elif line.strip():
            parts[-1][1] += " " + line.strip()
    return [(heading, text) for heading, text in parts]
