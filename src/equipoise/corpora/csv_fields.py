"""The fields of a CSV row by their places: one is replaced, and the others stay byte for byte."""

import re
from typing import Literal

UNCLOSED = "a quotation mark that is not closed"

Ending = Literal["closed", "open", "broken"]
"""A row at the end of a line: whole, inside quotation marks, or with a mark in the middle of a field."""

_FIELD = re.compile(r'(?:"([^"]*(?:""[^"]*)*)"(?!")([^,]*)|(?!")[^,]*)(,|\Z)')
_RAW_FIELD = re.compile(_FIELD.pattern.encode())
_INSIDE = re.compile(rb'[^"]*(?:""[^"]*)*')
_NEEDS_MARKS = re.compile('[",\r\n]')


def row_ending(line: bytes, *, inside: bool) -> Ending:
    """How a row stands after one more line, which begins inside quotation marks or not."""
    body = line.rstrip(b"\r\n")
    place = 0
    if inside:
        place = _INSIDE.match(body).end() + 1  # type: ignore[union-attr]
        if place > len(body):
            return "open"
        if place == len(body):
            return "closed"
        if body[place : place + 1] != b",":
            return "broken"
        place += 1
    elif b'"' not in body:
        return "closed"
    while field := _RAW_FIELD.match(body, place):
        if not field[3]:
            return "closed"
        place = field.end()
    return "open"


def field_spans(row: str) -> list[tuple[int, int]]:
    """Where each field of a row begins and ends, with its quotation marks; none if one is not closed."""
    spans, place = [], 0
    while field := _FIELD.match(row, place):
        spans.append((place, field.start(3)))
        if not field[3]:
            return spans
        place = field.end()
    return []


def field_value(field: str) -> str:
    """What a field says, without its quotation marks."""
    if not field.startswith('"'):
        return field
    parts = _FIELD.fullmatch(field)
    return parts[1].replace('""', '"') + parts[2] if parts else field


def field_like(old: str, value: str) -> str:
    """A field with another value, in quotation marks if it was, or if it has to be."""
    if not old.startswith('"') and not _NEEDS_MARKS.search(value):
        return value
    doubled = value.replace('"', '""')
    return f'"{doubled}"'
