"""Which form a pronoun takes on the other side: "her" is "his" or "him", "his" is "her" or "hers".

The rules of `form_rules.csv` decide first, then a linear model over three words on either side.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from equipoise.errors import UserError
from equipoise.text.languages.word_sets import word_set
from equipoise.text.rewriting.find.tokens import END, WINDOW
from equipoise.text.rewriting.pronouns.form_model import (
    form_model,
)
from equipoise.text.rewriting.pronouns.rules import CLOSING, form_rules

UNSURE = 3.5
"""Margins below this (in nats) are worth a question to a judge."""
_FIXED = {"hers": "his", "him": "her"}
_OPTIONS = {"her": ("his", "him"), "his": ("her", "hers")}
_POSSESSIVES = frozenset(("his", "her", "their", "my", "your", "our", "its"))
_BEFORE_ANOTHER = frozenset(("or", "/", "and/or"))
_DISLIKED = word_set("objects of dislike")
"""Verbs whose object is a person even before "or her": can't stand her or her friends."""


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
    rule = form_rules(lowered).choice(before, after)
    return (rule.form, rule.margin, rule.name) if rule else None


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
