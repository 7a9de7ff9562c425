"""Persons' names in a context: counted, or replaced by "someone"."""

import re
from collections.abc import Callable
from dataclasses import replace

from equipoise.corpora.contexts import Context
from equipoise.text.rewriting.names.entities import entities
from equipoise.text.sentences import Span

SOMEONE = "someone"
_TOKENS = re.compile(r"['’]s\b|[^\W_]+(?:-[^\W_]+)*|[^\w\s]|_")
_OPENING = " \t\n\"'“”‘’«»([—–-"
_ENDS = (".", "!", "?", "…")


def person_spans(text: str) -> list[Span]:
    """Where a text names persons: a first name with the names after it is one place."""
    tokens = list(_TOKENS.finditer(text))
    spans: list[Span] = []
    last_index = last_person = -1
    for index, person in sorted(entities([token[0] for token in tokens]).items()):
        start, end = tokens[index].span()
        if index == last_index + 1 and person == last_person:
            spans[-1] = Span(spans[-1].start, end)
        else:
            spans.append(Span(start, end))
        last_index, last_person = index, person
    return spans


def without_names(context: Context) -> Context:
    """The context with "someone" for every person named; its gendered and target words stay."""
    kept = [context.span, *context.others, *(target.span for target in context.targets)]
    replaced = [
        span
        for span in person_spans(context.text)
        if not any(span.start < end and span.end > start for start, end in kept)
    ]
    if not replaced:
        return context
    parts, at = [], 0
    for start, end in replaced:
        before = context.text[:start].rstrip(_OPENING)
        opens = not before or before.endswith(_ENDS)
        parts += [context.text[at:start], SOMEONE.capitalize() if opens else SOMEONE]
        at = end
    text = "".join([*parts, context.text[at:]])
    return _moved(context, text, lambda place: place + _shift(place, replaced))


def _shift(place: int, replaced: list[Span]) -> int:
    return sum(len(SOMEONE) - (end - start) for start, end in replaced if end <= place)


def _moved(context: Context, text: str, move: Callable[[int], int]) -> Context:
    def moved(span: Span) -> Span:
        return Span(move(span.start), move(span.start) + span.end - span.start)

    return replace(
        context,
        text=text,
        span=moved(context.span),
        targets=tuple(replace(target, span=moved(target.span)) for target in context.targets),
        others=tuple(map(moved, context.others)),
    )
