"""What is known of a chunk wherever it stands, worked out once: its candidates and what they turn into."""

from collections.abc import Sequence

from equipoise.text.articles import indefinite_article
from equipoise.text.rewriting.casing import match_case
from equipoise.text.rewriting.edges import Verdicts, stands_anywhere, stands_by_edges
from equipoise.text.rewriting.forms import RULINGS, form_model
from equipoise.text.rewriting.scanning import ALONE, FORM, IN_FULL, NAME, NOUN, WORD, Hit, Part
from equipoise.text.rewriting.title_edges import is_plain_title

TITLE, MARKED, NAMED = NOUN + 1, NOUN + 2, NOUN + 3
"""The quick way of Mr, Mrs, Ms and Miss, the mark of what may leave a whole sentence as it is, and the quick
way of first names, which only the compiled core goes."""

FORMS = {"her": ("him", "his"), "his": ("hers", "her")}
"""The forms of a pronoun, first the one that has no noun with it."""

_POSSESSIVE = frozenset(["'s", "’s"])
_PLURALS = ("men", "folk", "s")


class Plan:
    """The candidates of a chunk, and what it reads once they are turned."""

    __slots__ = (
        "changes_article",
        "edges",
        "form_of",
        "is_free",
        "is_male",
        "leaning",
        "parts",
        "rulings",
        "turned",
        "way",
    )

    def __init__(self, chunk: str, parts: tuple[Part, ...]) -> None:
        part = parts[0]
        self.parts = parts
        self.is_male = part.is_male
        self.way = _way(chunk, parts)
        self.edges: Verdicts = stands_by_edges(chunk, part) if self.way in (ALONE, FORM) else ()
        self.is_free = stands_anywhere(self.edges) if self.edges else self._is_free_noun()
        self.form_of = part.surface.lower() if self.way == FORM else ""
        if self.way == FORM:
            self.leaning, self.rulings = form_model(self.form_of).leaning, RULINGS[self.form_of]
        before, after = chunk[: part.start], chunk[part.end + len(part.suffix) :]
        first, second = self._forms()
        self.turned = before + first + after, before + second + after
        self.changes_article = self.way == NOUN and indefinite_article(first) != indefinite_article(
            part.surface + part.suffix
        )

    def _is_free_noun(self) -> bool:
        """Whether a noun is turned whatever stands around it."""
        part = self.parts[0]
        is_verb = part.may_be_verb and not part.suffix
        return self.way == NOUN and part.blocks is None and not is_verb

    def _forms(self) -> tuple[str, str]:
        part = self.parts[0]
        if self.way == FORM:
            first, second = FORMS[self.form_of]
            return match_case(part.surface, first), match_case(part.surface, second)
        if self.way == ALONE:
            return part.fixed or "", part.fixed or ""
        return part.turned + part.suffix, part.turned + "."


Place = tuple[int, int, int, Plan | None]
"""A chunk of a text: its number, its start, how far it moved by what was turned before it, and its plan."""


def hits_of(places: Sequence[Place]) -> list[Hit]:
    """The candidates at some places."""
    return [
        Hit(start + part.start, start + part.end, part, chunk)
        for chunk, start, _, plan in places
        if plan is not None
        for part in plan.parts
    ]


def _way(chunk: str, parts: tuple[Part, ...]) -> int:
    part = parts[0]
    if any(one.what > NAME for one in parts):
        return MARKED
    if len(parts) > 1 or part.maybe_name or part.what != WORD:
        return IN_FULL
    if is_plain_title(chunk, part):
        return TITLE
    if part.way != NOUN:
        return part.way
    apostrophe = chunk[part.end : part.end + 1] in ("'", "’")
    owns = part.suffix in _POSSESSIVE and not part.surface.endswith(_PLURALS)
    return NOUN if owns or not apostrophe else IN_FULL
