"""Nouns and titles: blocked senses first, then the sense in its place, then capitals, then the partner."""

import re

from equipoise.text.languages.word_sets import any_of, word_set
from equipoise.text.rewriting.find.document import Document
from equipoise.text.rewriting.find.lexicon import Lexicon, Word
from equipoise.text.rewriting.find.scanning import Hit
from equipoise.text.rewriting.find.tokens import match_case
from equipoise.text.rewriting.find.whole_sentences import MENTION_REASON, is_spoken_of
from equipoise.text.rewriting.nouns.capitals import capital_reason, title_reason
from equipoise.text.rewriting.nouns.decisions import Decision, Leave, Place, Replace
from equipoise.text.rewriting.nouns.senses import SENSE_RULES, VERBS, is_verb
from equipoise.text.rewriting.nouns.title_senses import TITLE_RULES

_OPEN_QUOTE = re.compile(r"(?:^|[\s(\[—])[‘'](?=\w|$)")
_APOSTROPHES = ("'", "’")
_NEARBY = 200
"""Characters on either side in which the partner of a word may say that it means one sex."""
_LONGEST_QUOTE = 1000
"""Characters before a word in which its quotation was opened."""
EITHER_SEX = "either sex"
_SINGULAR_ENDING = re.compile("(?<=ss)es$|(?<!s)s$")
_FOREIGN_TOO = word_set("also foreign")
_GERMAN = re.compile(r"\b" + any_of("before German her") + " $", re.IGNORECASE)

_RULES = TITLE_RULES | SENSE_RULES
_WITH_SENSES = VERBS | _RULES.keys()
"""Words whose sense must be looked at in its place."""


def noun(document: Document, hit: Hit, lexicon: Lexicon) -> Decision:
    """What a gendered noun or title becomes, or why it stays."""
    if is_spoken_of(document, hit):
        return Leave(MENTION_REASON)
    word, part = hit.part.word, hit.part
    assert word is not None
    left, right = document.left(hit.start), document.right(hit.end)
    blocks = lexicon.blocks.get(word.pair)
    blocked = blocks.reason(left, right) if blocks else None
    if blocked:
        return Leave(blocked)
    if part.surface.islower() and word.text not in _WITH_SENSES and not word.one_way:
        return _to_partner(word)
    if word.together and not _is_near_partner(document, hit):
        return Leave(EITHER_SEX)
    other = word.partner if word.one_way and word.partner not in lexicon.words else None
    if other and _is_beside(other, left, right):
        return Leave("beside its partner")
    decision = _sense(Place(word, part.surface, left, right, document))
    if isinstance(decision, Leave):
        return decision
    if part.surface[:1].isupper() and (len(part.surface) == 1 or not part.surface.isupper()):
        reason = title_reason(document, hit) if decision else capital_reason(document, hit)
        if reason:
            return Leave(reason)
    if decision:
        return decision
    return _to_partner(word)


def _sense(place: Place) -> Decision | None:
    """What the sense of the word in its place decides; None where nothing special holds."""
    rule = _RULES.get(place.word.text)
    decision = rule(place) if rule else None
    if decision is None and place.word.text in VERBS and is_verb(place):
        return Leave("verb")
    return decision


def _is_beside(partner: str, left: str, right: str) -> bool:
    """Whether a word stands with the one that it would become: the lion and the lioness."""
    joined = r"(?: (?:and|or|&) |/)(?:an? |the |his |her )?"
    after = re.match(rf"{joined}{partner}\b", right, re.IGNORECASE)
    return bool(after or re.search(rf"\b{partner}{joined}$", left, re.IGNORECASE))


def _is_near_partner(document: Document, hit: Hit) -> bool:
    """Whether the partner of a common noun in lower case, in either number, stands not far from it."""
    word, surface = hit.part.word, hit.part.surface
    if word is None or (not surface.islower() and not document.begins_sentence(hit.start)):
        return False
    begin, end = max(0, hit.start - _NEARBY), hit.end + _NEARBY
    single = _SINGULAR_ENDING.sub("", word.partner or "")
    around = document.plain[begin:end]
    if around.isascii() and single not in around.lower():
        return False
    partner = re.compile(rf"\b{single}(?:e?s)?\b", re.IGNORECASE)
    near = partner.finditer(document.plain, begin, end)
    return any(match[0].islower() or document.begins_sentence(match.start()) for match in near)


def _to_partner(word: Word) -> Decision:
    return Replace(word.partner, word.kind) if word.partner else Leave("no partner")


def is_foreign_neighbour(document: Document, hit: Hit, lexicon: Lexicon) -> bool:
    """Whether a word that other languages have too stands beside a word of theirs."""
    word = hit.part.word
    if word is not None and word.text == "her":  # komm her
        return _GERMAN.search(document.left(hit.start)) is not None
    if word is None or word.text not in _FOREIGN_TOO:
        return False
    before = re.search(r"([\w'’]+)\W$", document.left(hit.start))
    after = re.match(r"\W([\w'’]+)", document.right(hit.end))
    return any(near is not None and near[1].lower() in lexicon.foreign for near in (before, after))


def with_ending(document: Document, hit: Hit, new: str) -> tuple[int, str]:
    """Where the replaced span ends and the new word in the old one's case with the right possessive.

    Plurals in -s take a bare apostrophe, others 's: ladies' and gentlemen's.
    """
    part, end = hit.part, hit.end
    suffix = part.suffix
    written = part.turned if part.word and new == part.word.partner else match_case(part.surface, new)
    if not suffix and document.plain[end : end + 1] not in _APOSTROPHES:
        return end, written
    if suffix[1:] in ("s", "S"):
        plural = new.endswith("s") and not part.surface.lower().endswith("s") and _is_plural(part.surface)
        return end + len(suffix), written + (suffix[0] if plural else suffix)
    mark = document.plain[end : end + 1]
    if suffix or not part.surface.lower().endswith("s") or new.endswith("s"):
        return end + len(suffix), written + suffix
    if not re.match(r".(?=\s+\w)", document.right(end), re.DOTALL) or _closes_quote(document, hit.start):
        return end, written
    return end + 1, written + mark + ("S" if part.surface.isupper() else "s")


def _is_plural(surface: str) -> bool:
    return surface.lower().endswith(("men", "folk"))


def _closes_quote(document: Document, start: int) -> bool:
    """Whether a single quotation mark was opened before in the sentence and not closed."""
    begin, _ = document.sentence(start)
    before = document.plain[max(begin, start - _LONGEST_QUOTE) : start]
    opened = len(_OPEN_QUOTE.findall(before))
    closed = len(re.findall(r"[\w.,!?][’'](?=[\s.,;:!?)]|$)", before))
    return opened > closed
