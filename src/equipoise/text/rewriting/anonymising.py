"""Names as tokens: E1, E2 in the order in which persons appear, or "someone"."""

from equipoise.text.rewriting.account import Change
from equipoise.text.rewriting.find.document import Document
from equipoise.text.rewriting.find.first_names import without_ending
from equipoise.text.rewriting.names.entities import entities


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
