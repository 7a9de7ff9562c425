"""A text turned without an account, for long corpora: the same words change, chunk by chunk.

Most pronouns are decided by the chunks beside them, whose classes are learned once. What needs more of
the text is put to the rules that write the account, one word at a time.
"""

from collections.abc import Iterator, Sequence
from itertools import compress
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from equipoise.text.rewriting.account import Tally
from equipoise.text.rewriting.compiled import ARTICLE_ENDS, compiled_core
from equipoise.text.rewriting.document import Document, dots_titles
from equipoise.text.rewriting.drafts import Draft
from equipoise.text.rewriting.edges import Heads, Tails, is_odd_after, is_odd_before
from equipoise.text.rewriting.forms import (
    ASK,
    RULED_BEFORE,
    UNRULED,
    WINDOW,
    choice_of,
    form_model,
)
from equipoise.text.rewriting.inverting import Policy, Tables, turn_in_full, turn_quickly
from equipoise.text.rewriting.nouns import is_foreign_neighbour
from equipoise.text.rewriting.owning_rules import END
from equipoise.text.rewriting.people import names_in
from equipoise.text.rewriting.plans import FORMS, MARKED, TITLE, Place, Plan, hits_of
from equipoise.text.rewriting.quick import is_common_noun
from equipoise.text.rewriting.scanning import (
    ALONE,
    EDGE,
    FORM,
    IN_FULL,
    MOST_CHUNKS,
    NAME,
    NOUN,
    WIDER,
    Hit,
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
)

if TYPE_CHECKING:
    from equipoise.text.rewriting._core import Core

LEFT_TOKENS = 3
"""Tokens before a pronoun that its form hangs on."""

_make = tuple.__new__


class Turned(NamedTuple):
    """A turned text, how many changes were made, and the words of both sides before and after."""

    text: str
    changes: int = 0
    tally: Tally = Tally()


class Turner(dict[str, Plan | None]):
    """Turns texts; what it learns of chunks is kept, up to a bound."""

    def __init__(self, scanner: Scanner, tables: Tables, policy: Policy, *, compiled: bool = True) -> None:
        """Compiled where it can be, unless that is not wanted."""
        super().__init__()
        self.scanner, self.tables, self.policy = scanner, tables, policy
        self.tails, self.heads = Tails(), Heads()
        self.odd_before: set[str] = set()
        self.odd_after = {EDGE}
        self.before_titles, self.after_titles = BeforeTitles(), AfterTitles(tables.lexicon)
        self._dotted = ("", False)
        self.scores = {word: form_model(word).score for word in FORMS}
        self.core = compiled_core(scanner, tables, policy) if compiled else None

    def __missing__(self, chunk: str) -> Plan | None:
        """Look a chunk up when it is first met."""
        parts = self.scanner.parts(chunk)
        if is_odd_before(chunk):
            self.odd_before.add(chunk)
        if is_odd_after(chunk):
            self.odd_after.add(chunk)
        self[chunk] = plan = Plan(chunk, parts) if parts else None
        return plan

    def turn(self, text: str) -> Turned | None:
        """The text turned, or None where whole sentences or markup may stay and the account must be asked."""
        return self._turn_here(text) if self.core is None else self._turn_in(self.core, text)

    def _turn_in(self, core: "Core", text: str) -> Turned | None:
        """The same by the compiled core."""
        done = core.turn(text)
        if done is None:
            return None
        turned, counts, others, names = done
        if not others:
            men, women, neither = counts
            return _make(Turned, (turned, men + women + neither, _make(Tally, (men, women, women, men))))
        return self._finish(text, turned, counts, others, names)

    def _turn_here(self, text: str) -> Turned | None:
        """The same without it."""
        if "<" in text or "`" in text or EDGE in text:
            return None
        if len(self) >= MOST_CHUNKS:
            self._forget()
        chunks = text.split(" ")
        plans = itemgetter(*chunks, "")(self)  # quicker than one look-up at a time; always several
        places = list(compress(range(len(chunks)), plans))
        if not places:
            return Turned(text)
        turned = chunks.copy()
        chunks.append(EDGE)  # beyond either end: the chunk after the last is also number -1
        counts = self._turn_plainly(text, chunks, plans, places, turned)
        if counts is None:
            return None
        men, women, others = counts
        if not others:
            tally = _make(Tally, (men, women, women, men))
            return _make(Turned, (" ".join(turned), men + women, tally))
        moved = list(_moved(chunks, turned, others))
        return self._finish(text, " ".join(turned), (men, women, 0), moved)

    def _forget(self) -> None:
        """Begin to learn anew, between two texts."""
        self.clear()
        self.odd_before, self.odd_after = set(), {EDGE}

    def _turn_plainly(
        self,
        text: str,
        chunks: list[str],
        plans: Sequence[Plan | None],
        places: Sequence[int],
        turned: list[str],
    ) -> tuple[int, int, list[tuple[int, Plan]]] | None:
        """Turn what its neighbours decide: men and women turned, and the places for the full rules."""
        odd_before, odd_after = self.odd_before, self.odd_after
        others: list[tuple[int, Plan]] = []
        men = offset = known = 0
        for place in places:
            plan = plans[place]
            assert plan is not None
            way = plan.way
            if way <= FORM and way != IN_FULL:
                stands = plan.is_free and chunks[place - 1] not in odd_before
                if not stands or chunks[place + 1] in odd_after:
                    stands = plan.edges[self.tails[chunks[place - 1]]][self.heads[chunks[place + 1]]]
                form = (0 if way == ALONE else self._form(plan, chunks, place)) if stands else -1
            elif way == NOUN:
                form = -1 if plan.changes_article and chunks[place - 1][-1:] in ARTICLE_ENDS else 0
                if form == 0 and not plan.is_free:
                    if place > known:
                        offset += len(" ".join(chunks[known:place])) + 1
                        known = place
                    part = plan.parts[0]
                    form = is_common_noun(text, offset + part.start, offset + part.end, part) - 1
            elif way == TITLE:
                form = self._title(text, chunks, place)
            elif way == MARKED:
                return None
            else:
                form = -1
            if form < 0:
                others.append((place, plan))
            else:
                turned[place] = plan.turned[form]
                if plan.is_male:
                    men += 1
        return men, len(places) - len(others) - men, others

    def _title(self, text: str, chunks: list[str], place: int) -> int:
        """0 where a title before a name is turned, 1 where it gets a full stop, -1 where more is asked."""
        before = self.before_titles[chunks[place - 1]]
        if before == SMALL:
            before = self.before_titles[chunks[place - 2]]
        if before != PLAIN or not self.after_titles[chunks[place + 1]]:
            return -1
        title = chunks[place]
        if title[-1] == ".":
            return 0
        if in_place_name(" ".join(["", *chunks[place + 1 : place + 1 + MOST_PLACE_WORDS]])):
            return -1
        return int(title == "Miss" and self._dots_titles(text))

    def _dots_titles(self, text: str) -> bool:
        """Whether a text writes titles with a full stop, looked up once per text."""
        if self._dotted[0] is not text:
            self._dotted = text, dots_titles(text)
        return self._dotted[1]

    def _form(self, plan: Plan, chunks: list[str], place: int) -> int:
        """1 where a noun goes with the pronoun, 0 where none does, -1 where more must be asked."""
        around, part = self.tables.around, plan.parts[0]
        last, first, second = chunks[place - 1], chunks[place + 1], ""
        if part.inside_before or not last.isalpha():  # else the chunk is its only token
            before = part.inside_before or around[last]
            last = before[-1] if before else "["  # which asks for more
        if part.inside_after:
            first, second = part.inside_after[0], first
            if len(part.inside_after) > 1:
                second = part.inside_after[1]
        elif first.isalpha():
            second = chunks[place + 2]
        else:
            after = around[first]
            if len(after) < 2:
                return self._form_in_full(plan, chunks, place)
            first, second = after[:2]
        if last in RULED_BEFORE:
            return self._form_in_full(plan, chunks, place)
        ruling = plan.rulings(first)
        if ruling == UNRULED:
            if not second.isalpha():
                second = (around[second] or _NOTHING)[0]
            ruling = _leaning(plan, last, first, second)
        return ruling if ruling < ASK else self._form_in_full(plan, chunks, place)

    def _form_in_full(self, plan: Plan, chunks: list[str], place: int) -> int:
        """The same with every token that the form may hang on."""
        around, part = self.tables.around, plan.parts[0]
        before, after = part.inside_before, part.inside_after
        left = place - 1
        while len(before) < LEFT_TOKENS and left >= -1:
            before = around[chunks[left]] + before
            left -= 1
        right, last = place + 1, len(chunks)
        while len(after) < WINDOW and right < last:
            after += around[chunks[right]]
            right += 1
        if right - left > WIDER:
            return -1
        if END in before:
            before = tuple(up_to_end(before[::-1])[::-1])
        if END in after:
            after = tuple(up_to_end(after))[:WINDOW]
            ends = after[-1] == END and not any(token[0].isalnum() for token in after)
            if ends and plan.form_of == "her":
                return 0
        if plan.rulings(after[0]) != UNRULED or before[-1] in RULED_BEFORE:
            form, _, _ = choice_of(plan.form_of, before, after[:WINDOW])
            return int(form == FORMS[plan.form_of][1])
        return int(self.scores[plan.form_of](before, after) > 0)

    def _finish(
        self,
        text: str,
        turned: str,
        counts: tuple[int, int, int],
        others: Sequence[Place],
        names_done: Sequence[Place] = (),
    ) -> Turned:
        """Put the words that need more of the text to the full rules."""
        document = Document(text)
        draft = Draft(document)
        draft.male_turned, draft.female_turned, _ = counts
        hits = hits_of(others)
        kinds = {hit[2].what for hit in hits}
        names = names_in(document, hits, hits_of(names_done)) if NAME in kinds else {}
        marked = max(kinds) > NAME
        shifts = {chunk: shift for chunk, _, shift, _ in others}
        pieces: list[str] = []
        place = known = 0
        for hit in hits:
            self._turn_hit(draft, hit, names, marked=marked)
            shift = shifts[hit.chunk]
            for change in draft.changes[known:]:
                pieces += (turned[place : change.start + shift], change.new)
                place = change.end + shift
            known = len(draft.changes)
        pieces.append(turned[place:])
        return Turned("".join(pieces), sum(counts) + known, draft.tally)

    def _turn_hit(self, draft: Draft, hit: Hit, names: dict[int, str], *, marked: bool) -> None:
        """As `invert` does where no sentence is left whole."""
        if turn_quickly(draft, hit, self.tables.around, marked=marked) or hit.part.what > NAME:
            return
        if (
            marked
            and hit.part.what != NAME
            and is_foreign_neighbour(draft.document, hit, self.tables.lexicon)
        ):
            return
        turn = self.policy.coordinated == "turn"
        turn_in_full(draft, hit, self.tables, names, turn_coordinated=turn)


_NOTHING = (END,)


def _leaning(plan: Plan, last: str, first: str, second: str) -> int:
    """The form that the nearest tokens settle, or ASK: at an end, between marks, and where they do not."""
    if second == END or not (first[0].isalnum() or second[0].isalnum()):
        return ASK
    return plan.leaning(last, first, second)


def _moved(chunks: list[str], turned: list[str], places: Sequence[tuple[int, Plan]]) -> Iterator[Place]:
    """Chunks by their number, with where they begin before and after what was turned."""
    previous = old = new = 0
    for place, plan in places:
        if place > previous:
            old += len(" ".join(chunks[previous:place])) + 1
            new += len(" ".join(turned[previous:place])) + 1
            previous = place
        yield place, old, new - old, plan
