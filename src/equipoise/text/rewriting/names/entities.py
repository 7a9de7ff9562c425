"""Persons by number: a first name with the names after it, and who is meant by a name alone."""

from collections.abc import Sequence

from equipoise.text.rewriting.find.first_names import POSSESSIVES, bare
from equipoise.text.rewriting.names.finding import find_names
from equipoise.text.rewriting.names.neighbourhood import INITIAL, NUMERALS, PARTICLES, is_capital
from equipoise.text.rewriting.names.surnames import surnames_in


def entities(tokens: Sequence[str], *, surnames: bool = False) -> dict[int, int]:
    """The tokens that name persons, by index, with the person's number, counted from 1 as they appear.

    A person is a first name with the names, initials and surname after it, or with `surnames` a surname that
    `surnames_in` finds. A first name alone belongs to the last person mentioned by it, a surname alone to the
    last person who bears it.
    """
    starts = set(find_names(tokens))
    lone = surnames_in(tokens, starts).sure if surnames else frozenset()
    people = _People()
    numbers: dict[int, int] = {}
    index = 0
    while index < len(tokens):
        named = index in starts or index in lone
        end = _end_of_person(tokens, index) if named else index + 1
        parts = [
            bare(tokens[index]),
            *(bare(token) for token in tokens[index + 1 : end] if _is_name_part(token)),
        ]
        number = people.number_of(parts) if index in starts else people.bearer(tokens[index])
        if not number and index in lone:
            number = people.bearer(tokens[end - 1]) or people.number_by_surname(parts[-1])
        if number:
            numbers.update(dict.fromkeys(range(index, end), number))
        index = end
    return numbers


class _People:
    """The persons met so far."""

    def __init__(self) -> None:
        self.by_first: dict[str, int] = {}
        self.by_full: dict[tuple[str, str], int] = {}
        self.by_last: dict[str, int] = {}
        self.surname: dict[int, str] = {}
        self.count = 0

    def number_of(self, parts: Sequence[str]) -> int:
        """The number of the person called by these names, a new one for a new person."""
        first, last = parts[0], parts[-1] if len(parts) > 1 else ""
        number = self.by_full.get((first, last)) if last else self.by_first.get(first)
        if number is None and self.by_first.get(first) not in self.surname:
            # mentioned before by the first name alone
            number = self.by_first.get(first)
        if number is None:
            self.count += 1
            number = self.count
        self.by_first[first] = number
        if last:
            self.surname[number] = last
            self.by_full[first, last] = self.by_last[last] = number
        return number

    def number_by_surname(self, last: str) -> int:
        """A new person of whom the text gives the surname only."""
        self.count += 1
        self.by_last[last] = self.count
        self.surname[self.count] = last
        return self.count

    def bearer(self, token: str) -> int | None:
        """The last person met who bears the surname."""
        return self.by_last.get(bare(token)) if is_capital(token) else None


def _is_name_part(token: str) -> bool:
    return is_capital(token) and len(token.rstrip(".")) > 1 and token not in NUMERALS


def _end_of_person(tokens: Sequence[str], start: int) -> int:
    """Where the capitalised words, initials and particles after a first name end."""
    end = start + 1
    while end < len(tokens) and not tokens[end - 1].endswith(POSSESSIVES):
        token, following = tokens[end], tokens[end + 1] if end + 1 < len(tokens) else ""
        dot = token == "." and INITIAL.match(tokens[end - 1]) and is_capital(following)
        hyphen = token == "-" and is_capital(following) and is_capital(tokens[end - 1])
        capital = is_capital(token) and (token != "I" or following in {"", ".", ","})
        particle = token in PARTICLES and (is_capital(following) or following in PARTICLES)
        if not (dot or capital or particle or hyphen):
            break
        end += 1
    return end
