"""Names as tokens: E1, E2 in the order in which persons appear, or "someone"."""

from equipoise.text.rewriting.account import Change, Skip
from equipoise.text.rewriting.find.document import Document
from equipoise.text.rewriting.find.first_names import without_ending
from equipoise.text.rewriting.names.entities import entities
from equipoise.text.rewriting.names.surnames import surnames_in

MAYBE = "may be a name"


def anonymous_changes(document: Document, *, numbered: bool) -> tuple[list[Change], list[Skip]]:
    """Every person's names as one token, E1 and E2 in order or "someone", and what may be a name left."""
    tokens = document.tokens
    words = [token for token, _ in tokens]
    numbers = entities(words, surnames=True)
    doubtful = surnames_in(words, numbers).doubtful - numbers.keys()
    left = [
        Skip(tokens[index][1], tokens[index][1] + len(words[index]), words[index], MAYBE)
        for index in sorted(doubtful)
    ]
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
    return changes, left


def _someone(document: Document, start: int) -> str:
    return "Someone" if document.begins_sentence(start) else "someone"
