"""Mentions of a person in a sentence: found by word boundaries, replaced or masked by their spans."""

import re

Span = tuple[int, int]
_ARTICLES = r"(?:\b(?:the|an?)\s+)*"


def mention_spans(text: str, noun: str) -> tuple[Span, ...]:
    """Every place where the sentence has this noun, without its article."""
    return tuple(mention.span() for mention in re.finditer(rf"\b{re.escape(noun)}\b", text, re.IGNORECASE))


def is_mentioned(text: str, noun: str) -> bool:
    """Whether the sentence has this noun as a word of its own."""
    return bool(noun) and bool(mention_spans(text, noun))


def with_name(text: str, noun: str, name: str) -> str:
    """The sentence with a name in the place of the first mention and of the articles before it."""
    pattern = rf"{_ARTICLES}\b{re.escape(noun)}\b"
    return re.sub(pattern, lambda _: name, text, count=1, flags=re.IGNORECASE)
