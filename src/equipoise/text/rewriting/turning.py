"""A text turned without an account, for long corpora: the same words change, chunk by chunk.

Most pronouns are decided by the chunks beside them, whose classes are learned once. What needs more of
the text is put to the rules that write the account, one word at a time.
"""

from collections.abc import Iterator, Sequence
from itertools import compress
from typing import NamedTuple

from equipoise.text.articles import indefinite_article
from equipoise.text.rewriting.account import Change, Tally
from equipoise.text.rewriting.casing import match_case
from equipoise.text.rewriting.document import Document, dots_titles
from equipoise.text.rewriting.drafts import Draft
from equipoise.text.rewriting.edges import Heads, Tails, Verdicts, stands_by_edges
from equipoise.text.rewriting.forms import END, WINDOW, choice_of, form_model, is_ruled
from equipoise.text.rewriting.inverting import Policy, Tables, turn_in_full, turn_quickly
from equipoise.text.rewriting.people import names_in
from equipoise.text.rewriting.quick import is_plain_noun
from equipoise.text.rewriting.scanning import (
    ALONE,
    EDGE,
    FORM,
    IN_FULL,
    MOST_CHUNKS,
    NAME,
    NOUN,
    WIDER,
    WORD,
    Hit,
    Part,
    Scanner,
    up_to_end,
)
from equipoise.text.rewriting.title_edges import (
    MOST_PLACE_WORDS,
    PLAIN,
    SMALL,
    AfterTitles,
    BeforeTitles,
    in_place_name,
    is_plain_title,
)

TITLE = NOUN + 1
"""The quick way of Mr, Mrs, Ms and Miss, beside those that the scanner knows."""

LEFT_TOKENS = 3
"""Tokens before a pronoun that its form hangs on."""

_OPTIONS = {"her": ("him", "his"), "his": ("hers", "her")}
"""The forms of a pronoun, first the one that has no noun with it."""

_ARTICLE_ENDS = frozenset("anA")


class Turned(NamedTuple):
    """A turned text, how many changes were made, and the words of both sides before and after."""

    text: str
    changes: int = 0
    tally: Tally = Tally()


class Plan:
    """What is known of a chunk wherever it stands: its candidates, and what it reads once they are turned."""

    __slots__ = (
        "changes_article",
        "edges",
        "form_of",
        "has_names",
        "is_male",
        "is_marked",
        "parts",
        "turned",
        "way",
    )

    def __init__(self, chunk: str, parts: tuple[Part, ...]) -> None:
        part = parts[0]
        self.parts = parts
        self.is_male = part.is_male
        self.is_marked = any(one.what > NAME for one in parts)
        self.has_names = any(one.what == NAME or one.maybe_name for one in parts)
        self.way = self._way(chunk)
        self.changes_article = self.way == NOUN and indefinite_article(part.turned) != indefinite_article(
            part.surface
        )
        self.edges: Verdicts = stands_by_edges(chunk, part) if self.way in (ALONE, FORM) else ()
        self.form_of = part.surface.lower() if self.way == FORM else ""
        before, after = chunk[: part.start], chunk[part.end + len(part.suffix) :]
        forms = self._forms()
        self.turned = before + forms[0] + after, before + forms[1] + after

    def _way(self, chunk: str) -> int:
        part = self.parts[0]
        if len(self.parts) > 1 or self.has_names or part.what != WORD:
            return IN_FULL
        return TITLE if is_plain_title(chunk, part) else part.way

    def _forms(self) -> tuple[str, str]:
        part = self.parts[0]
        if self.way == FORM:
            first, second = _OPTIONS[self.form_of]
            return match_case(part.surface, first), match_case(part.surface, second)
        if self.way == ALONE:
            return part.fixed or "", part.fixed or ""
        return part.turned, part.turned + "."


class Turner(dict[str, Plan | None]):
    """Turns texts; what it learns of chunks is kept, up to a bound."""

    def __init__(self, scanner: Scanner, tables: Tables, policy: Policy) -> None:
        super().__init__()
        self.scanner, self.tables, self.policy = scanner, tables, policy
        self.tails, self.heads = Tails(), Heads()
        self.before_titles, self.after_titles = BeforeTitles(), AfterTitles(tables.lexicon)
        self._dotted = ("", False)
        self.scores = {word: form_model(word).score for word in _OPTIONS}

    def __missing__(self, chunk: str) -> Plan | None:
        """Look a chunk up when it is first met."""
        parts = self.scanner[chunk]
        if len(self) >= MOST_CHUNKS:
            self.clear()
        self[chunk] = plan = Plan(chunk, parts) if parts else None
        return plan

    def turn(self, text: str) -> Turned | None:
        """The text turned, or None where whole sentences or markup may stay and the account must be asked."""
        if "<" in text or "`" in text or EDGE in text:
            return None
        chunks = text.split(" ")
        plans = list(map(self.__getitem__, chunks))
        places = list(compress(range(len(chunks)), plans))
        if not places:
            return Turned(text)
        chosen = [plans[place] for place in places]
        if any(plan.is_marked for plan in chosen if plan):
            return None
        turned, others, men, women = chunks.copy(), [], 0, 0
        for place, plan, form in self._chosen(text, chunks, places, chosen):
            if form < 0:
                others.append(place)
            else:
                turned[place] = plan.turned[form]
                if plan.is_male:
                    men += 1
                else:
                    women += 1
        if not others:
            return Turned(" ".join(turned), men + women, Tally(men, women, women, men))
        draft = Draft(Document(text, chunks))
        draft.male_turned, draft.female_turned = men, women
        self._turn_others(draft, plans, others, turned)
        return Turned(" ".join(turned), men + women + len(draft.changes), draft.tally)

    def _chosen(
        self, text: str, chunks: list[str], places: list[int], chosen: Sequence[Plan | None]
    ) -> Iterator[tuple[int, Plan, int]]:
        """Every candidate with the form it takes, or -1 where the full rules must be asked."""
        padded = [EDGE, *chunks, EDGE]
        tails, heads, form = self.tails, self.heads, self._form
        offset = known = 0
        for place, plan in zip(places, chosen, strict=True):
            assert plan is not None
            way = plan.way
            if way == ALONE:
                yield place, plan, plan.edges[tails[padded[place]]][heads[padded[place + 2]]] - 1
            elif way == FORM:
                stands = plan.edges[tails[padded[place]]][heads[padded[place + 2]]]
                yield place, plan, form(plan, padded, place + 1) if stands else -1
            elif way == NOUN:
                if place > known:
                    offset += len(" ".join(chunks[known:place])) + 1
                    known = place
                part = plan.parts[0]
                begin, end = offset + part.start, offset + part.end
                article = plan.changes_article and padded[place][-1:] in _ARTICLE_ENDS
                stands = not article and is_plain_noun(text, begin, end, part)
                yield place, plan, stands - 1
            else:
                yield place, plan, self._title(text, padded, place) if way == TITLE else -1

    def _title(self, text: str, padded: list[str], place: int) -> int:
        """0 where a title before a name is turned, 1 where it gets a full stop, -1 where more is asked."""
        before = self.before_titles[padded[place]]
        if before == SMALL:
            before = self.before_titles[padded[place - 1]]
        if before != PLAIN or not self.after_titles[padded[place + 2]]:
            return -1
        title = padded[place + 1]
        if title[-1] == ".":
            return 0
        if in_place_name(padded[place + 2 : place + 2 + MOST_PLACE_WORDS]):
            return -1
        return int(title == "Miss" and self._dots_titles(text))

    def _dots_titles(self, text: str) -> bool:
        """Whether a text writes titles with a full stop, looked up once per text."""
        if self._dotted[0] is not text:
            self._dotted = text, dots_titles(text)
        return self._dotted[1]

    def _form(self, plan: Plan, padded: list[str], place: int) -> int:
        """1 where a noun goes with the pronoun, 0 where none does, -1 where more must be asked."""
        around, (part,) = self.tables.around, plan.parts
        before, after = part.inside_before, part.inside_after
        left = place - 1
        while len(before) < LEFT_TOKENS and left >= 0:
            before = around[padded[left]] + before
            left -= 1
        right, last = place + 1, len(padded)
        while len(after) < WINDOW and right < last:
            after += around[padded[right]]
            right += 1
        if right - left > WIDER:
            return -1
        if END in before:
            before = tuple(up_to_end(before[::-1])[::-1])
        if END in after:
            after = tuple(up_to_end(after))
            if after[-1] == END and not after[0][:1].isalnum():
                return -1
        if is_ruled(before[-1], after[0]):
            form, _, _ = choice_of(plan.form_of, before, after[:WINDOW])
            return int(form == _OPTIONS[plan.form_of][1])
        return int(self.scores[plan.form_of](before, after) > 0)

    def _turn_others(
        self, draft: Draft, plans: Sequence[Plan | None], places: Sequence[int], turned: list[str]
    ) -> None:
        """Put the words that need more of the text to the full rules."""
        chunks = draft.document.chunks
        hits = list(_hits(chunks, plans, places))
        names = names_in(draft.document, hits) if any(hit[2].what == NAME for hit in hits) else {}
        turn = self.policy.coordinated == "turn"
        for hit in hits:
            known = len(draft.changes)
            if not turn_quickly(draft, hit, self.tables.around, marked=False):
                turn_in_full(draft, hit, self.tables, names, turn_coordinated=turn)
            for change in draft.changes[known:]:
                if change.start < hit.start:  # an article, which ends the chunk before
                    turned[hit.chunk - 1] = _with_end(turned[hit.chunk - 1], 0, change)
                else:
                    rest = len(chunks[hit.chunk]) - (change.end - hit.start + hit.part.start)
                    turned[hit.chunk] = _with_end(turned[hit.chunk], rest, change)


def _hits(chunks: Sequence[str], plans: Sequence[Plan | None], places: Sequence[int]) -> Iterator[Hit]:
    """The candidates of some chunks, in order."""
    previous = offset = 0
    for place in places:
        if place > previous:
            offset += len(" ".join(chunks[previous:place])) + 1
            previous = place
        plan = plans[place]
        for part in plan.parts if plan else ():
            yield Hit(offset + part.start, offset + part.end, part, place)


def _with_end(chunk: str, rest: int, change: Change) -> str:
    """The chunk with a change made so many characters before its end, which stays as it is."""
    end = len(chunk) - rest
    return chunk[: end - len(change.old)] + change.new + chunk[end:]
