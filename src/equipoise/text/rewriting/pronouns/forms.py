"""Which form a pronoun takes on the other side: "her" is "his" or "him", "his" is "her" or "hers".

A few rules, then a linear model over three words on either side and their word classes. Weights and
classes are the tables `form_weights.csv` and `form_classes.csv`, made by `recipes/forms.py`.
"""

import csv
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from equipoise.errors import UserError
from equipoise.text.languages.word_sets import word_set
from equipoise.text.rewriting.find.tokens import END, WINDOW
from equipoise.text.rewriting.pronouns.double_objects import no_noun_follows
from equipoise.text.rewriting.pronouns.form_model import (
    JOINTS,
    MOST_TOKENS,
    SHAPE,
    Facts,
    Model,
    single_features,
)
from equipoise.text.rewriting.pronouns.object_rules import (
    ASKED_AFTER,
    BEING,
    CALLING,
    EARNING,
    GIVING,
    HAVING,
    NAMED_SO,
    NO_NOUNS_OF_HERS,
    OBJECT_BEFORE,
    TIMED,
    object_rule,
)
from equipoise.text.rewriting.pronouns.owning_rules import (
    CLOSING,
    HER_INITIALS,
    KIN,
    OWNING_AFTER,
    is_shared,
    owning_rule,
)

UNSURE = 3.5
"""Margins below this (in nats) are worth a question to a judge."""

RULE_MARGIN = 5.0
"""The margin of a rule: they erred once in 859 cases of novels, news and Wikipedia not learnt from."""

SOFT_MARGIN = 2.0
"""The margin of rules that may be mistaken: "showed her dancing", "brought her home"."""

TABLES = Path(__file__).parents[1] / "tables"
_FIXED = {"hers": "his", "him": "her"}
_OPTIONS = {"her": ("his", "him"), "his": ("her", "hers")}
_DASHES = frozenset(("-", "--", "---", "–", "—"))
_QUOTES = frozenset(('"', "“", "”", "``", "''"))
_POSSESSIVES = frozenset(("his", "her", "their", "my", "your", "our", "its"))
_BEFORE_ANOTHER = frozenset(("or", "/", "and/or"))
_NO_NOUNS = word_set("never a noun of his")
"""Words after "his" that no noun of his can begin with."""
_DISLIKED = word_set("objects of dislike")
"""Verbs whose object is a person even before "or her": can't stand her or her friends."""
_COLOURS, _DONE_BY_HIS = word_set("hers and colours"), word_set("done by what is his")
_SOMEBODY = word_set("somebody of his")
"""Who is somebody's, and not a part or a picture of something: a friend of his swims."""
_MODALS = frozenset(("will", "can", "might", "must", "never", "always", "also", "actually"))
_POINTING = frozenset(("that", "this", "those", "these"))
_ANYTHING = frozenset(("nothing", "something", "anything", "everything"))
_HOW_OFTEN = frozenset(("daily", "weekly", "monthly", "constantly", "regularly", "often", "everywhere"))
_DAYS = frozenset(("day", "morning", "night", "evening", "week", "weekend", "month", "year", "time"))
_UNOWNED, _LATIN = word_set("after his alone"), word_set("Latin after a")
_THAN = frozenset(("better", "worse", "more", "less"))
_STANDING_ALONE = frozenset(("mine", "yours", "hers", "ours", "theirs"))
# Persons are alike to the model, so that it may learn from "my" and "me", and reads either gender alike.
_ALIKE = {
    **dict.fromkeys(("he", "i", "we", "they"), "she"),
    **dict.fromkeys(("his", "him", "hers", "my", "me", "our", "us", "their", "them"), "her"),
    **dict.fromkeys(("himself", "myself", "ourselves", "themselves"), "herself"),
    **{"man": "woman", "men": "women", "mr": "mrs", "ms": "mrs", "miss": "mrs", "boy": "girl"},
    **{"father": "mother", "husband": "wife", "daughter": "son", "brother": "sister"},
}


class Choice(NamedTuple):
    """The form chosen, how sure of it (log odds in nats), and the rule that chose."""

    form: str
    margin: float
    rule: str


class Case(NamedTuple):
    """A text as it will read, the span of the pronoun in it, and its two forms, the rules' choice first."""

    text: str
    span: tuple[int, int]
    options: tuple[str, str]


Judge = Callable[[Sequence[Case]], Sequence[str]]
"""Answers every case with one of its options."""


class TokenFacts(dict[str, Facts]):
    """The facts of any token, worked out when it is first met."""

    def __init__(self, classes: Mapping[str, str]) -> None:
        super().__init__()
        self.classes = classes

    def __missing__(self, token: str) -> Facts:
        """Work out the facts of a token; the memory stays bounded."""
        if len(self) >= MOST_TOKENS:
            self.clear()
        word, shape = plain_word(token or END), _shape(token or END)
        ending = shape + word[-3:]
        alike = _ALIKE.get(word, word)
        self[token] = facts = Facts(alike, self._group(word, ending), ending, shape, alike[-3:])
        return facts

    def _group(self, word: str, ending: str) -> str:
        known = self.classes.get(word) or self.classes.get(word.rpartition("-")[2])
        if known:
            return known
        if word.endswith("'s"):
            return "'s"
        return ending[0] + ending[-2:] if ending[0] in "aA" else ending[0]


def plain_word(token: str) -> str:
    """A token in lower case with one kind of number, dash, quotation mark and apostrophe."""
    if token[0].isdigit():
        return "0"
    if token in _DASHES:
        return "—"
    return '"' if token in _QUOTES else token.lower().replace("’", "'")


def _shape(token: str) -> str:
    """A for a capital, a for another letter, 0 for a digit, else the mark itself."""
    first = token[0]
    if first.isalpha():
        return "A" if first.isupper() else "a"
    return "0" if first.isdigit() else first


def choose_form(word: str, before: Sequence[str], after: Sequence[str]) -> Choice:
    """The other-gender form of her, hers, him or his, given up to four tokens on either side."""
    lowered = word.lower()
    if lowered in _FIXED:
        return Choice(_FIXED[lowered], math.inf, "unambiguous")
    if lowered not in _OPTIONS:
        raise UserError(f"{word!r} was given where her, hers, him or his belongs.", "Pass one of these four.")
    form, margin, rule = choice_of(lowered, before, after)
    return Choice(form, margin, rule)


def choice_of(lowered: str, before: Sequence[str], after: Sequence[str]) -> tuple[str, float, str]:
    """Form, margin and rule for "her" or "his"."""
    before, after = in_context(before, after)
    if ruled := ruled_choice(lowered, before, after):
        return ruled
    attached, alone = _OPTIONS[lowered]
    score = form_model(lowered).score(before, after)
    return attached if score > 0 else alone, abs(score), "context"


def ruled_choice(lowered: str, before: Sequence[str], after: Sequence[str]) -> tuple[str, float, str] | None:
    """The same where a rule holds; the tokens are those that `in_context` leaves."""
    attached, alone = _OPTIONS[lowered]
    if _may_be_ruled(lowered, before[-1], after[0]):
        rule = owning_rule(before, after) if lowered == "her" else _alone_rule(before, after)
        if rule:
            margin = SOFT_MARGIN if rule == "kin" and CALLING.fullmatch(before[-1]) else RULE_MARGIN
            return alone if rule == "stands alone" else attached, margin, rule
        if lowered == "her" and (rule := object_rule(before, after)):
            return alone, SOFT_MARGIN, rule
    return None


def _written(*words: str) -> Iterator[str]:
    """Words in lower case, with a capital, and in capitals."""
    for word in words:
        yield from (word, word.capitalize(), word.upper())


_SHARED = frozenset([*_written(*_BEFORE_ANOTHER, "and", "nor"), "&", END])
_ASKED_AFTER = {
    "her": _SHARED.union(
        OWNING_AFTER, OBJECT_BEFORE, TIMED, ASKED_AFTER, NO_NOUNS_OF_HERS, KIN, HER_INITIALS
    ).union(_written("own", "self")),
    "his": _SHARED.union(
        CLOSING, _NO_NOUNS, _QUOTES, _THAN, _COLOURS, _DONE_BY_HIS, _UNOWNED, _HOW_OFTEN, ["every"]
    ).union(_written("own")),
}
"""Tokens after a pronoun that a rule asks for, and their endings."""
_ENDINGS_ASKED_AFTER = {"her": "ing", "his": "er"}
_ASKED_BEFORE = frozenset(_written("among", "amongst", "during")).union(
    ["["], NAMED_SO, EARNING, GIVING, HAVING, BEING
)
"""Tokens before a pronoun that a rule asks for."""


def _may_be_ruled(lowered: str, last: str, following: str) -> bool:
    """Whether any rule asks for the tokens beside the pronoun: most of the time none does."""
    if following in _ASKED_AFTER[lowered] or last in _ASKED_BEFORE:
        return True
    return following.endswith(_ENDINGS_ASKED_AFTER[lowered])


def in_context(before: Sequence[str], after: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """The tokens that the form hangs on: four a side, without brackets around and "or his" behind."""
    if len(before) < WINDOW or len(after) < WINDOW:
        before = (END, END, END, END, *before)[-WINDOW:]
        after = (*after, END, END, END, END)[:WINDOW]
    if before[-1] == "[" and after[0] == "]":
        before, after = (END, *before[:-1]), (*after[1:], END)
    if (
        after[0] in _BEFORE_ANOTHER
        and after[1].lower() in _POSSESSIVES
        and before[-1].lower() not in _DISLIKED
        and not (after[2].endswith(("'s", "’s")) and after[3] in CLOSING)
    ):
        after = (*after[2:], END, END)
    return before, after


def features(facts: Mapping[str, Facts], before: Sequence[str], after: Sequence[str]) -> tuple[str, ...]:
    """The features of the linear model: of each of six tokens alone, and of tokens together."""
    tokens = (*before[-3:], *after[:3])
    alone = (name for place, token in enumerate(tokens) for name in single_features(place, facts[token]))
    return (*alone, *joint_features(facts, before, after))


def joint_features(
    facts: Mapping[str, Facts], before: Sequence[str], after: Sequence[str]
) -> tuple[str, ...]:
    """What tokens say together."""
    known = [facts[token] for token in (*before[-3:], *after[:3])]
    return tuple(
        kind + "".join(known[place][fact] + ("" if fact == SHAPE else " ") for place, fact in reads)[:-1]
        for kind, reads in JOINTS.items()
    )


def _alone_rule(before: Sequence[str], after: Sequence[str]) -> str:
    """Why "his" must have, or cannot have, a noun of its own here, or nothing."""
    if after[0] in _COLOURS and after[1] in CLOSING and before[-1] in (";", ",", "and", "but"):
        paired = before[-2] in _COLOURS or any(token.lower() in _STANDING_ALONE for token in before[-3:])
        return "stands alone" if paired else ""
    if after[0] in _HOW_OFTEN:
        return "stands alone" if no_noun_follows(after[1]) else ""
    if after[0] == "every":
        return "stands alone" if after[1] in _DAYS and no_noun_follows(after[2]) else ""
    if after[0] in _UNOWNED:
        return "" if after[1] in _LATIN or after[1][:1].isdigit() else "stands alone"
    if after[0] in _DONE_BY_HIS and before[-1] == "of":
        does = after[0].endswith("s") or after[0] in _MODALS
        if before[-2].lower() in _SOMEBODY and (does or no_noun_follows(after[1])):
            return "stands alone"
        pointed = before[-3].lower() in _POINTING and (after[0] in _MODALS or no_noun_follows(after[1]))
        if pointed or (before[-2].lower() in _ANYTHING and after[0] not in _MODALS):
            return "stands alone"
    if after[0] == "or" and after[2].endswith(("'s", "’s")) and after[3] in CLOSING:
        return "stands alone"
    if after[0].lower() == "own":
        return "own"
    if after[0].lower() in ("and", "or", "&") and is_shared(after):
        return "shared"
    joined = after[0].lower() in ("and", "&", "nor")
    if joined and after[1].lower() in _POSSESSIVES and after[2][:1].isalpha():
        return "stands alone" if after[2].lower() == "alone" else "shared"
    if after[0].lower() in ("and", "or") and after[1].lower() in _STANDING_ALONE:
        return "stands alone"
    compared = after[0].endswith("er") or after[0] in _THAN
    if compared and after[1] == "than":
        return "stands alone"
    if after[0] == "said" and after[1] in KIN:  # his said wife
        return ""
    closed = after[0] in CLOSING | _NO_NOUNS or (after[0] in _QUOTES and after[1] in CLOSING)
    return "stands alone" if closed else ""


@cache
def _facts() -> TokenFacts:
    classes = read_classes(TABLES / "form_classes.csv")
    with (TABLES / "form_nouns.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):  # nouns that novels seldom or never use
            classes.update(dict.fromkeys(row["words"].split(), classes[row["like"]]))
    return TokenFacts(classes)


@cache
def form_model(word: str) -> Model:
    """The linear model of "her" or "his"."""
    with (TABLES / "form_weights.csv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        weights = {row["feature"]: int(row["weight"]) / 100 for row in rows if row["pronoun"] == word}
    return Model(_facts(), weights)


def read_classes(path: Path) -> dict[str, str]:
    """The class of every word in a table with a row per class."""
    with path.open(encoding="utf-8", newline="") as file:
        return {word: row["class"] for row in csv.DictReader(file) for word in row["words"].split()}
