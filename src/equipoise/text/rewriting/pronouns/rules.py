"""The rules for the form of a pronoun: rows of `form_rules.csv`, read from top to bottom.

A row names the tokens around "her" or "his" and the form it takes: `third`, `second` and `first` are
the tokens before it, `next`, `after`, `beyond` and `last` those after it. A row without a form leaves the
choice to the linear model. A cell lists what a token may be:

    word            the word itself                     *ing       a word that ends so
    {set}           a word of `word_sets.csv`           /regex/    a word that matches as a whole
    <closed>        a mark, function word or adverb     <end>      a mark that closes, or the end
    <capital> <lower> <letter> <digit>                  how the token begins

"~" before a list compares it in lower case, "!" turns it round; "&&" and "||" join lists. `also` asks what
no single token says: `given`, `shared` or `beside her own`.
"""

import csv
import re
from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import NamedTuple

from equipoise.text.languages.word_sets import word_set
from equipoise.text.rewriting.find.lexicon import TABLES
from equipoise.text.rewriting.find.tokens import END
from equipoise.text.rewriting.pronouns.double_objects import FIRST_WORDS, is_given, no_noun_follows

Tokens = Sequence[str]
Test = Callable[[str], object]

CLOSING = frozenset(".,;:!?)]}") | {END}
"""Tokens that close what goes before them."""
MOST_PAIRS = 100_000
_BEFORE, _AFTER = ("third", "second", "first"), ("next", "after", "beyond", "last")
_ALTERNATIVE = re.compile(r"\{[^{}]+\}|\S+")
_CLASSES: dict[str, Test] = {
    "<closed>": no_noun_follows,
    "<end>": CLOSING.__contains__,
    "<capital>": lambda token: token[:1].isupper(),
    "<lower>": str.islower,
    "<letter>": lambda token: token[:1].isalpha(),
    "<digit>": lambda token: token[:1].isdigit(),
}


class FormRule(NamedTuple):
    """A row: the form it chooses ("" for none), its margin and name, and what each token must be."""

    number: int
    form: str
    margin: float
    name: str
    before: tuple[tuple[int, Test], ...]
    after: tuple[tuple[int, Test], ...]
    also: Callable[[Tokens, Tokens], bool] | None

    def holds(self, before: Tokens, after: Tokens) -> bool:
        """Whether the tokens on both sides match the row."""
        for place, test in self.after:
            if not test(after[place]):
                return False
        for place, test in self.before:
            if not test(before[place]):
                return False
        return self.also is None or self.also(before, after)


class FormRules:
    """The rules of one pronoun, found by the words beside it that they ask for."""

    def __init__(self, rows: Sequence[dict[str, str]]) -> None:
        self._by_next: dict[str, list[FormRule]] = {}
        self._by_first: dict[str, list[FormRule]] = {}
        self._by_ending: dict[str, list[FormRule]] = {}
        self._asked: dict[tuple[str, str], tuple[FormRule, ...]] = {}
        for number, row in enumerate(rows):
            self._add(row, _rule(number, row))

    def _add(self, row: dict[str, str], rule: FormRule) -> None:
        asked = _words_asked(row["next"])
        index = self._by_next
        if asked is None:
            asked, index = _words_asked(row["first"]), self._by_first
        if asked is None:
            raise ValueError(f"form_rules.csv: no word beside the pronoun is named by {row}")
        for word in asked:
            place = self._by_ending if word[:1] == "*" and len(word) > 1 else index
            place.setdefault(word.lstrip("*") if place is self._by_ending else word, []).append(rule)

    def choice(self, before: Tokens, after: Tokens) -> FormRule | None:
        """The first rule that holds, if it chooses a form."""
        first, following = before[-1], after[0]
        rules = self._asked.get((first, following))
        if rules is None:
            rules = self._look_up(first, following)
        for rule in rules:
            if rule.holds(before, after):
                return rule if rule.form else None
        return None

    def _look_up(self, first: str, following: str) -> tuple[FormRule, ...]:
        """The rules that ask for either word; the memory stays bounded."""
        if len(self._asked) >= MOST_PAIRS:
            self._asked.clear()
        rules = {*self._by_next.get(following, ()), *self._by_first.get(first, ())}
        for ending, others in self._by_ending.items():
            if following.endswith(ending):
                rules.update(others)
        self._asked[first, following] = asked = tuple(sorted(rules, key=lambda rule: rule.number))
        return asked


@cache
def form_rules(pronoun: str) -> FormRules:
    """The rules of "her" or "his"."""
    with (TABLES / "form_rules.csv").open(encoding="utf-8", newline="") as file:
        return FormRules([row for row in csv.DictReader(file) if row["pronoun"] == pronoun])


def _rule(number: int, row: dict[str, str]) -> FormRule:
    before = tuple((place - 3, _cell(row[name])) for place, name in enumerate(_BEFORE) if row[name])
    after = tuple((place, _cell(row[name])) for place, name in enumerate(_AFTER) if row[name])
    also = _ALSO[row["also"]] if row["also"] else None
    return FormRule(number, row["form"], float(row["margin"]), row["rule"], before, after, also)


def _cell(cell: str) -> Test:
    """Whether a token is what a cell lists."""
    ways = [[_list(part) for part in way.split(" && ")] for way in cell.split(" || ")]
    if len(ways) == 1 and len(ways[0]) == 1:
        return ways[0][0]
    return lambda token: any(all(test(token) for test in tests) for tests in ways)


def _list(part: str) -> Test:
    negated, lowered, alternatives = _marks(part)
    words = frozenset(word for one in alternatives for word in _words(one))
    tests = [test for one in alternatives if (test := _test(one))]

    def holds(token: str) -> bool:
        token = token.lower() if lowered else token
        return (token in words or any(test(token) for test in tests)) != negated

    return holds if tests or lowered or negated else words.__contains__


def _marks(part: str) -> tuple[bool, bool, list[str]]:
    """Whether a list is turned round, whether it is in lower case, and its alternatives."""
    negated = len(part) > 1 and part[0] == "!" and part[1] != " "
    part = part[negated:]
    lowered = len(part) > 1 and part[0] == "~"
    return negated, lowered, _ALTERNATIVE.findall(part[lowered:])


def _words(alternative: str) -> Collection[str]:
    """The words that an alternative names."""
    if alternative == "{objects given}":
        return FIRST_WORDS
    if alternative[0] == "{":
        return word_set(alternative[1:-1])
    return () if _test(alternative) else (alternative,)


def _test(alternative: str) -> Test | None:
    """The test of an alternative that is not a word."""
    if alternative in _CLASSES:
        return _CLASSES[alternative]
    if len(alternative) < 2:
        return None
    if alternative[0] == "*":
        return re.compile(".*" + re.escape(alternative[1:]), re.DOTALL).fullmatch
    return re.compile(alternative[1:-1]).fullmatch if alternative[0] == alternative[-1] == "/" else None


def _words_asked(cell: str) -> set[str] | None:
    """The words and endings without which a cell never holds; None where they cannot be listed."""
    asked: set[str] = set()
    for way in cell.split(" || "):
        lists = [words for part in way.split(" && ") if (words := _listed(part)) is not None]
        if not lists:
            return None
        asked |= min(lists, key=len)
    return asked


def _listed(part: str) -> set[str] | None:
    negated, lowered, alternatives = _marks(part)
    if negated or not alternatives:
        return None
    words: set[str] = set()
    for one in alternatives:
        if one == "<end>":
            words |= CLOSING
        elif one[0] == "*" and len(one) > 1:
            words.add(one)
        elif _test(one):
            return None
        else:
            words |= {form for word in _words(one) for form in _written(word, lowered=lowered)}
    return words


def _written(word: str, *, lowered: bool) -> tuple[str, ...]:
    return (word, word.capitalize(), word.upper()) if lowered else (word,)


def is_shared(before: Tokens, after: Tokens) -> bool:
    """Whether a possessor with a noun of its own follows: "her [and Sam's friendship]"."""
    for place in (1, 2):
        token = after[place].replace("’", "'")
        if token.endswith(("'s", "s'")):
            return after[place + 1][:1].isalnum()
        if not token[:1].isalpha():
            return False
    return False


def _is_beside_own(before: Tokens, after: Tokens) -> bool:
    """Whether something of hers comes second: her and her dog, but: her and her brother's house."""
    owned = after[2][:1].isalpha() and after[2] not in ("own", "only", "alone")
    return owned and not any(token.endswith(("'s", "’s", "s'", "s’")) for token in after[2:4])


_ALSO: dict[str, Callable[[Tokens, Tokens], bool]] = {
    "given": is_given,
    "shared": is_shared,
    "beside her own": _is_beside_own,
}
