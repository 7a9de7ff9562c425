"""Names of persons: the matched name of the other sex, or an entity token."""

from collections.abc import Sequence

from equipoise.text.rewriting.account import Change
from equipoise.text.rewriting.casing import match_case
from equipoise.text.rewriting.document import Document
from equipoise.text.rewriting.names import bare, entities, find_names, load_names
from equipoise.text.rewriting.scanning import NAME, Hit

_ENDINGS = ("'s", "’s", "'S", "’S")


def names_in(document: Document, hits: Sequence[Hit]) -> dict[int, str]:
    """The first names of a document by their offset, as they are written without a possessive ending."""
    tokens, classes = document.words, load_names().classes
    candidates = [index for index, token in enumerate(tokens) if token in classes]
    first = set(find_names(tokens, candidates=candidates))
    waiting = iter(hit for hit in hits if hit.part.what == NAME)
    hit, names = next(waiting, None), {}
    for index in candidates:  # every hit is a candidate, and both are in the order of the text
        if hit is not None and tokens[index] == hit.part.surface:
            if index in first:
                names[hit.start] = without_ending(hit.part.surface)
            hit = next(waiting, None)
    return names


def without_ending(token: str) -> str:
    """The token without a possessive ending, in its own case."""
    return token[:-2] if token.endswith(_ENDINGS) else token


def name_change(start: int, name: str) -> Change | None:
    """The change of a first name into its partner, or None where it has none."""
    partner = load_names().partner(name.lower())
    if partner is None:
        return None
    return Change(start, start + len(name), name, match_case(name, partner), "name")


def anonymous_changes(document: Document, *, numbered: bool) -> list[Change]:
    """Every person's names as one token: E1, E2 in order of appearance, or "someone"."""
    tokens = document.tokens
    numbers = entities([token for token, _ in tokens])
    changes: list[Change] = []
    previous = -2
    for index in sorted(numbers):
        token, start = tokens[index]
        end = start + len(without_ending(token))
        if previous == index - 1 and numbers[previous] == numbers[index] and changes:
            first = changes.pop()
            start, label = first.start, first.new
        else:
            label = f"E{numbers[index]}" if numbered else _someone(document, start)
        changes.append(Change(start, end, document.text[start:end], label, "entity"))
        previous = index
    return changes


def _someone(document: Document, start: int) -> str:
    return "Someone" if document.begins_sentence(start) else "someone"


def gender_of(name: str) -> str | None:
    """The sex that a first name is given to, None if either."""
    gender = load_names().gender(bare(name))
    return gender if gender in ("male", "female") else None
