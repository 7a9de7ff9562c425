"""One text turned to the other side: every candidate is replaced or left with a reason."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from equipoise.text.rewriting.account import Change
from equipoise.text.rewriting.drafts import Draft
from equipoise.text.rewriting.find.document import Document
from equipoise.text.rewriting.find.first_names import load_names, without_ending
from equipoise.text.rewriting.find.lexicon import Lexicon, load_lexicon
from equipoise.text.rewriting.find.scanning import NAME, NEITHER, PROTECTED, WORD, Hit
from equipoise.text.rewriting.find.tokens import Surroundings, match_case
from equipoise.text.rewriting.find.whole_sentences import Whole, sentences_left_whole
from equipoise.text.rewriting.names.finding import names_in
from equipoise.text.rewriting.names.staying import follows_lord, name_reason
from equipoise.text.rewriting.nouns.decisions import Leave
from equipoise.text.rewriting.nouns.turning import is_foreign_neighbour, noun, with_ending
from equipoise.text.rewriting.pronouns.turning import PLAINLY, form_of, reason_to_leave
from equipoise.text.rewriting.strangers import leave_strangers


class Tables(NamedTuple):
    """What the rules look up: the lexicon, and the tokens around a place."""

    lexicon: Lexicon
    around: Surroundings
    names: bool = True


class Policy(NamedTuple):
    """What is left open by the mode: coordinated pairs, definitional sentences, entity tokens.

    `swaps` are pronouns of neither sex (xe) with what they become, in lower case.
    """

    coordinated: str = "keep"
    definitional: str = "keep"
    entities: str = "numbered"
    swaps: tuple[tuple[str, str], ...] = ()


def invert(document: Document, hits: Sequence[Hit], tables: Tables, policy: Policy) -> Draft:
    """The draft in which every gendered word and first name outside the sentences left whole is turned."""
    draft, lexicon = Draft(document), tables.lexicon
    kinds = {hit[2].what for hit in hits}
    marked = bool(kinds) and max(kinds) > NAME
    if marked:
        keep = policy.definitional == "keep"
        whole = sentences_left_whole(document, hits, lexicon, keep_definitional=keep)
    names = names_in(document, hits) if NAME in kinds else {}
    plain = document.plain
    turn = policy.coordinated == "turn"
    for hit in hits:
        part = hit.part
        if marked:
            if part.what == NEITHER and _is_swapped(draft, hit, policy):
                continue
            if _stays(draft, hit, tables, names, whole):
                continue
        if part.what == NAME:
            _turn_name(draft, hit, names)
        elif part.turned and part.is_pronoun and PLAINLY.match(plain, hit[0]):
            start, old = hit[0], part.written
            draft.turn(
                _make(Change, (start, start + len(old), old, part.turned, "pronoun", None, False)), part.side
            )
        elif part.is_pronoun:
            _turn_pronoun(draft, hit, tables.around, turn_coordinated=turn)
        else:
            _turn_noun(draft, hit, lexicon)
    if tables.names and draft.changes:
        leave_strangers(draft)
    return draft


def _is_swapped(draft: Draft, hit: Hit, policy: Policy) -> bool:
    """Exchange a pronoun of neither sex where the user says for what."""
    new = dict(policy.swaps).get(hit.part.surface.lower())
    if new is None:
        return False
    old = hit.part.surface
    draft.turn(Change(hit.start, hit.end, old, match_case(old, new), "pronoun: own list"), None)
    return True


def _stays(
    draft: Draft,
    hit: Hit,
    tables: Tables,
    names: dict[int, str],
    whole: Whole,
) -> bool:
    """Whether a candidate stays for what is around it, whatever it is; its reason is noted."""
    document, part = draft.document, hit.part
    if part.what > NAME:
        if part.what in (PROTECTED, NEITHER):
            draft.leave(hit, "protected" if part.what == PROTECTED else "neo-pronoun")
        return True
    if reason := whole.reason(document, hit.start):
        if part.what == WORD or hit.start in names:
            draft.leave(hit, reason)
        return True
    if part.what != NAME and is_foreign_neighbour(document, hit, tables.lexicon):
        draft.leave(hit, "other language")
        return True
    return False


_POSSESSIVES = ("'s", "’s")
_make = tuple.__new__


def _turn_name(draft: Draft, hit: Hit, names: dict[int, str]) -> None:
    document = draft.document
    start, end, part, _ = hit
    if start not in names:
        alone = part.surface.endswith(_POSSESSIVES) or not document.plain[end + 1 : end + 2].isupper()
        if alone or not follows_lord(document.left(start, 5)):
            return
        names[start] = without_ending(part.surface)
    reason = name_reason(document, hit)
    if reason:
        draft.leave(hit, reason)
        return
    change = name_change(start, names[start])
    if change is None:
        draft.leave(hit, "name without a partner" if part.side else "name of either sex")
        return
    draft.add_article(change)
    draft.turn(with_possessive(document, change), part.side)


def _turn_pronoun(draft: Draft, hit: Hit, around: Surroundings, *, turn_coordinated: bool) -> None:
    document = draft.document
    start, end, part, _ = hit
    reason = reason_to_leave(document, hit, turn_coordinated=turn_coordinated)
    if reason:
        draft.leave(hit, reason)
        return
    new, margin, rule = part.turned, None, "pronoun"
    if not new:
        form, margin, why = form_of(document, hit, around)
        if form in ("his", "her") and draft.skipped and _is_of_animal(draft, hit):
            draft.leave(hit, "animal")
            return
        form = form[1:] if part.surface == "er" else form  # told 'er, took 'er hat
        new, rule = match_case(part.surface, form) + part.suffix, "pronoun: " + why
    old = part.surface + part.suffix
    draft.turn(_make(Change, (start, end + len(part.suffix), old, new, rule, margin, False)), part.side)


_ANIMALS = frozenset(["either sex", "thing or animal"])
"""Why animals stay."""


def _is_of_animal(draft: Draft, hit: Hit) -> bool:
    """Whether a pronoun is that of an animal that stays, with nobody turned between: the cow and her calf."""
    skip, document = draft.skipped[-1], draft.document
    if skip.reason not in _ANIMALS or skip.start < document.sentence(hit.start)[0]:
        return False
    if draft.changes and draft.changes[-1].start > skip.start:
        return False
    word = load_lexicon().words.get(skip.word.lower())
    common = skip.word.islower() or document.begins_sentence(skip.start)
    return common and word is not None and word.side == hit.part.side


def _turn_noun(draft: Draft, hit: Hit, lexicon: Lexicon) -> None:
    document, part = draft.document, hit.part
    word = part.word
    assert word is not None
    decision = noun(document, hit, lexicon)
    if isinstance(decision, Leave):
        draft.leave(hit, decision.reason)
        return
    end, new = with_ending(document, hit, decision.new)
    if decision.new in TITLES_WITH_DOT or word.text in TITLES_WITH_DOT:
        end, new = _with_dot(document, word.text, end, new)
    change = Change(hit.start, end, document.text[hit.start : end], new, decision.rule, decision.margin)
    draft.add_article(change)
    draft.turn(change, word.side)


TITLES_WITH_DOT = frozenset(["mr", "mrs", "ms", "mme", "mlle"])


def _with_dot(document: Document, old: str, end: int, new: str) -> tuple[int, str]:
    """Write a title with a full stop if the rest of the text does; Miss never has one."""
    lowered = new.lower()
    dotted = document.plain[end : end + 1] == "."
    if lowered in TITLES_WITH_DOT and old not in TITLES_WITH_DOT and not dotted and document.dots_titles:
        return end, new + "."
    if lowered not in TITLES_WITH_DOT and dotted:
        return end + 1, new
    return end, new


def name_change(start: int, name: str) -> Change | None:
    """The change of a first name into its partner, or None where it has none."""
    partner = partner_of(name)
    return Change(start, start + len(name), name, partner, "name") if partner else None


_BARE_POSSESSIVE = re.compile(r"['’](?=\s+\w)")


def with_possessive(document: Document, change: Change) -> Change:
    """A name that ends in s may be possessive by an apostrophe alone; its partner then needs an s: Mary's."""
    mark = _BARE_POSSESSIVE.match(document.plain, change.end)
    if mark is None or change.old[-1] not in "sS" or change.new[-1] in "sS":
        return change
    ending = mark[0] + ("S" if change.old.isupper() else "s")
    return change._replace(end=mark.end(), old=change.old + mark[0], new=change.new + ending)


@lru_cache(maxsize=20_000)
def partner_of(name: str) -> str | None:
    """The matched name of the other sex in the case of the name given, or None where it has none."""
    partner = load_names().partner(name.lower())
    return match_case(name, partner) if partner else None
