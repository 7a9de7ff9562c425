"""A linter for sentence pairs: what is wrong with a pair before any model has seen it.

A minimal pair should differ in the words under test and in nothing else; a stray comma, a capital
or a broken article moves a likelihood as surely as a stereotype does (Blodgett et al. 2021 found
such faults in much of the published pair data). A finding names a row; it never drops one.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import pandas as pd

from equipoise.errors import UserError
from equipoise.text.languages.en.articles import fix_articles

CODES = {
    "empty": "one of the two sentences is missing",
    "duplicate": "a sentence of the pair already stands in an earlier row",
    "no-difference": "the two sentences have the same words",
    "non-minimal": "words were added or removed, or too many were replaced",
    "swap-list": "the replaced words are not the ones the column `swapped` lists",
    "article": "'a' or 'an' does not agree with the next word",
    "casing": "no capital at the start, or capitals differ between the two sentences",
    "punctuation": "punctuation differs between the two sentences",
    "spacing": "a space is doubled, missing, or stands before punctuation or at an end",
    "length": "a sentence is shorter or longer than wanted",
    "token-count": "the two sentences have different numbers of tokens",
    "unknown-token": "the tokenizer cannot spell something, so that the pair would be dropped",
}
COLUMNS = (("stereotype", "counterpart"), ("first", "second"))
SHORTEST, LONGEST = 6, 25
"""Words of a sentence."""

_WORD = re.compile(r"[^\W_]+")
_SPACING = re.compile(r"\s{2,}|^\s|\s$|[^\S ]|\s[,.;:!?](?!\w)|[,;!?][^\W\d_]")


class Finding(NamedTuple):
    """One fault of one row: its line in the file (the header is line 1), id, code and wording."""

    line: int
    id: str
    code: str
    message: str


class _Pair(NamedTuple):
    line: int
    id: str
    first: str
    second: str
    swapped: str | None

    @property
    def sentences(self) -> tuple[str, str]:
        return self.first, self.second

    @property
    def changed(self) -> list[tuple[str, str]]:
        words = zip(_WORD.findall(self.first), _WORD.findall(self.second), strict=False)
        return [(one, other) for one, other in words if one.lower() != other.lower()]

    @property
    def has_equal_word_counts(self) -> bool:
        return len(_WORD.findall(self.first)) == len(_WORD.findall(self.second))

    def finding(self, code: str, message: str) -> Finding:
        return Finding(self.line, self.id, code, message)


Rows: TypeAlias = Iterable[tuple[str, str, str]] | pd.DataFrame


def lint_pairs(
    rows: Rows, *, most_changed: int = 4, shortest: int = SHORTEST, longest: int = LONGEST
) -> list[Finding]:
    """Every fault of every pair, by line; a table needs the columns of one entry of `COLUMNS`."""
    pairs = list(_pairs(rows))
    findings = list(_duplicates(pairs))
    for pair in pairs:
        if not all(sentence.strip() for sentence in pair.sentences):
            findings.append(pair.finding("empty", CODES["empty"]))
            continue
        findings.extend(_edit_findings(pair, most_changed))
        for check in (_articles, _casing, _punctuation, _spacing):
            findings.extend(check(pair))
        findings.extend(_length(pair, shortest, longest))
    # A fault that both sentences share is one finding.
    return sorted(dict.fromkeys(findings), key=lambda finding: finding.line)


def lint_lengths(rows: Rows, count_tokens: Callable[[str], int]) -> list[Finding]:
    """The pairs whose sentences differ in tokens: a summed likelihood favours the shorter one."""
    findings = []
    for pair in _pairs(rows):
        one, other = count_tokens(pair.first), count_tokens(pair.second)
        if one != other:
            findings.append(pair.finding("token-count", f"{one} tokens against {other}"))
    return findings


def lint_spelling(rows: Rows, unknown_parts: Callable[[str], Sequence[str]]) -> list[Finding]:
    """The pairs that hold something a tokenizer cannot spell."""
    findings = []
    for pair in _pairs(rows):
        unknown = dict.fromkeys(part for text in (pair.first, pair.second) for part in unknown_parts(text))
        if unknown:
            findings.append(pair.finding("unknown-token", f"{', '.join(unknown)} cannot be spelt"))
    return findings


def parse_swaps(swapped: str) -> list[tuple[str, str]]:
    """The replacements of a cell such as "his>her;he>she", in order and in lower case."""
    parts = [part.partition(">") for part in swapped.lower().split(";") if part.strip()]
    return [(one.strip(), other.strip()) for one, _, other in parts]


def _pairs(rows: Rows) -> Iterator[_Pair]:
    if not isinstance(rows, pd.DataFrame):
        for line, (name, first, second) in enumerate(rows, start=2):
            yield _Pair(line, name, first, second, None)
        return
    first, second = _sentence_columns(rows)
    for line, row in enumerate(rows.to_dict("records"), start=2):
        cells = {str(name): "" if pd.isna(value) else str(value) for name, value in row.items()}
        yield _Pair(line, cells.get("id", ""), cells[first], cells[second], cells.get("swapped"))


def _sentence_columns(table: pd.DataFrame) -> tuple[str, str]:
    for first, second in COLUMNS:
        if first in table.columns and second in table.columns:
            return first, second
    columns = ", ".join(map(str, table.columns)) or "none"
    wanted = " or ".join(" and ".join(names) for names in COLUMNS)
    raise UserError(f"A pair table needs two sentence columns; found {columns}.", f"Name them {wanted}.")


def _duplicates(pairs: list[_Pair]) -> Iterator[Finding]:
    seen: dict[str, _Pair] = {}
    for pair in pairs:
        keys = [" ".join(_WORD.findall(sentence.lower())) for sentence in pair.sentences]
        earlier = next((seen[key] for key in keys if key in seen), None)
        if earlier:
            where = f"also in line {earlier.line} ({earlier.id})"
            yield pair.finding("duplicate", f"{CODES['duplicate']}: {where}")
        seen.update({key: pair for key in keys if key and key not in seen})


def _edit_findings(pair: _Pair, most_changed: int) -> Iterator[Finding]:
    if not pair.has_equal_word_counts:
        one, other = (len(_WORD.findall(sentence)) for sentence in pair.sentences)
        yield pair.finding("non-minimal", f"{one} words against {other}")
        return
    if not pair.changed:
        yield pair.finding("no-difference", CODES["no-difference"])
    if len(pair.changed) > most_changed:
        message = f"{len(pair.changed)} words replaced, at most {most_changed} wanted"
        yield pair.finding("non-minimal", message)
    changed = [(one.lower(), other.lower()) for one, other in pair.changed]
    if pair.swapped is not None and changed != parse_swaps(pair.swapped):
        spelled = ";".join(f"{one}>{other}" for one, other in changed)
        yield pair.finding("swap-list", f"replaced {spelled!r}, listed {pair.swapped!r}")


def _articles(pair: _Pair) -> Iterator[Finding]:
    for sentence in pair.sentences:
        given, fixed = sentence.split(), fix_articles(sentence).split()
        for place, (one, other) in enumerate(zip(given, fixed, strict=True)):
            if one != other:
                message = f"{one!r} before {given[place + 1]!r} should be {other!r}"
                yield pair.finding("article", message)


def _casing(pair: _Pair) -> Iterator[Finding]:
    for sentence in pair.sentences:
        opening = _WORD.search(sentence)
        if opening and opening[0][0].islower():
            yield pair.finding("casing", f"starts in lower case: {opening[0]!r}")
    if not pair.has_equal_word_counts:
        return
    for one, other in zip(_WORD.findall(pair.first), _WORD.findall(pair.second), strict=True):
        # "I" is a capital by spelling, not by place: I > we is not a fault.
        if "I" not in (one, other) and _capitals(one) != _capitals(other):
            yield pair.finding("casing", f"capitals differ: {one!r} and {other!r}")


def _capitals(word: str) -> tuple[bool, bool]:
    return word[0].isupper(), len(word) > 1 and word.isupper()


def _punctuation(pair: _Pair) -> Iterator[Finding]:
    one, other = (["".join(gap.split()) for gap in _WORD.split(sentence)] for sentence in pair.sentences)
    if one[-1] != other[-1]:
        yield pair.finding("punctuation", f"ends in {one[-1]!r} and in {other[-1]!r}")
    elif len(one) == len(other) and one != other:
        mark, other_mark = next(marks for marks in zip(one, other, strict=True) if len(set(marks)) > 1)
        yield pair.finding("punctuation", f"{mark!r} in one, {other_mark!r} in the other")


def _spacing(pair: _Pair) -> Iterator[Finding]:
    for sentence in pair.sentences:
        fault = _SPACING.search(sentence)
        if fault:
            around = sentence[max(fault.start() - 10, 0) : fault.end() + 10]
            yield pair.finding("spacing", f"spacing in {around!r}")
            return


def _length(pair: _Pair, shortest: int, longest: int) -> Iterator[Finding]:
    for count in sorted({len(sentence.split()) for sentence in pair.sentences}):
        if not shortest <= count <= longest:
            yield pair.finding("length", f"{count} words, {shortest} to {longest} wanted")


_SHOWN = 8


def flag_notices(items: pd.DataFrame, meanings: Mapping[str, str]) -> tuple[str, ...]:
    """A sentence for each kind of fault that the linter found, with the number of items and their names."""
    notices = []
    for flag, meaning in meanings.items():
        names = items.loc[[flag in flags.split(", ") for flags in items["flags"]], "item"].tolist()
        if names:
            listed = shown_names(names)
            notices.append(f"linter, {flag} ({meaning}): {len(names)} of {len(items)} items, {listed}")
    return tuple(notices)


def shown_names(names: list[str]) -> str:
    """The first few names, and how many more there are."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
