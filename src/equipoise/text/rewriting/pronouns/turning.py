"""Pronouns by form: he and she, him and her, his and her or hers; coordinated ones stay together."""

import re

from equipoise.text.languages.word_sets import any_of
from equipoise.text.rewriting.find.document import Document
from equipoise.text.rewriting.find.scanning import Hit
from equipoise.text.rewriting.find.tokens import END, Surroundings
from equipoise.text.rewriting.find.whole_sentences import MENTION_REASON, is_spoken_of
from equipoise.text.rewriting.find.works import work_reason
from equipoise.text.rewriting.pronouns.forms import choice_of

_PARTNERS = {
    "he": "she",
    "she": "he",
    "him": "her|herself",
    "his": "hers?",
    "her": "hi[sm]|himself",
    "hers": "his",
    "himself": "her|herself",
    "herself": "him|himself",
}
_JOINED_RIGHT = {
    word: re.compile(
        rf"(?:['’]s)?\)?(?: ?/ ?|,? \(?(?:or|and/or) | \(and |-and-)\(?(?:{other})\b", re.IGNORECASE
    )
    for word, other in _PARTNERS.items()
}
_JOINED_LEFT = {
    word: re.compile(
        rf"(?:(?<!\w)(?:{other})(?:['’]s)?\)?(?: ?/ ?|,? \(?(?:or|and/or) | \(and |-and-)\(?"
        r"|(?<!\w)\(?s[/)])$",
        re.IGNORECASE,
    )
    for word, other in _PARTNERS.items()
}
_HIS_AND_HERS = re.compile(r"\bhis(?:[- ]and[- ]| ?& ?|[-/])hers\b", re.IGNORECASE)
_COMPOUND = re.compile(r"-(?:\d|man\b|men\b|haw\b|hee\b|she\b)", re.IGNORECASE)
_ARTICLE = re.compile(r"\b(?:[Tt]he|[Aa]n?) $")
_TWO_OBJECTS = re.compile(r"\bh(?:er|im), or (?:his|her) (?!own\b|or\b)\w", re.IGNORECASE)
"""Not one of a pair, for the second has a noun: Did you see her, or his brother?"""
_TO_FIRST = len("her, or ")
_MAY_JOIN = frozenset(["o", "/", "a", "(", ",", "-", ")"])


def is_coordinated(document: Document, hit: Hit) -> bool:
    """Whether the pronoun is coordinated with its partner: he or she, his/her, s/he, (s)he, his and hers."""
    word = hit.part.word.text if hit.part.word else ""
    plain, start, end = document.plain, hit.start, hit.end
    after = plain[end + 1 : end + 2] if plain[end : end + 1] == " " else plain[end : end + 1]
    if after in _MAY_JOIN and _JOINED_RIGHT[word].match(document.right(end, 20)):
        return after != "," or _TWO_OBJECTS.match(plain, start) is None
    before = plain[start - 2 : start]
    if (before in ("r ", "/ ", "d ") or before[-1:] in ("/", "(", ")", "-")) and _JOINED_LEFT[word].search(
        document.left(start, 20)
    ):
        return start < _TO_FIRST or _TWO_OBJECTS.match(plain, start - _TO_FIRST) is None
    if word not in ("his", "hers"):
        return False
    around = document.plain[max(0, start - 9) : end + 9]
    return _HIS_AND_HERS.search(around) is not None


PLAINLY = re.compile(
    r"""(?:(?<![-/()])(?<!/[ ])(?<![ (/][oO][rR][ ])(?<![(][aA][nN][dD][ ])[a-z]
      |(?:\A|(?<=\A["“])|(?<=[.!?;:][ ])|(?<=[ ]["“‘]))[HS](?=[a-z]+[ ][a-z]))
    (?!ers)[a-z]+(?=[.;!?]|,?[ ](?![/(&]|(?:or|and/or|and[ ]hers)\b))""",
    re.VERBOSE,
)
"""A pronoun beside which nothing says that it is one of a pair, spoken of, or part of a title."""


def reason_to_leave(document: Document, hit: Hit, *, turn_coordinated: bool) -> str | None:
    """Why a pronoun stays, or None where it is turned."""
    part = hit.part
    if PLAINLY.match(document.plain, hit.start):
        return None
    if is_spoken_of(document, hit):
        return MENTION_REASON
    if (
        not part.surface.islower()
        and not part.surface.isupper()
        and not _opens_plainly(document.plain, hit.start, hit.end)
    ):
        reason = _capital_reason(document, hit)
        if reason:
            return reason
    if not turn_coordinated and is_coordinated(document, hit):
        return "coordinated"
    if document.plain[hit.end : hit.end + 1] == "-" and _COMPOUND.match(document.right(hit.end)):
        return "compound"
    if part.surface.isupper() and len(part.surface) > 1 and _ARTICLE.search(document.left(hit.start, 10)):
        return "abbreviation"
    return None


_SENTENCE_BREAKS = frozenset([". ", "! ", "? ", "; ", ": ", ' "', " “", " ‘", "“", '"', ""])


def _opens_plainly(plain: str, start: int, end: int) -> bool:
    """Whether a capitalised word stands at the start of a sentence and before a word in lower case."""
    before = plain[start - 2 : start] if start > 1 else plain[:start]
    return before in _SENTENCE_BREAKS and plain[end + 1 : end + 2].islower()


def form_of(document: Document, hit: Hit, around: Surroundings) -> tuple[str, float | None, str]:
    """What "her" or "his" becomes, how sure the choice is, and the rule that chose."""
    word = hit.part.word.text if hit.part.word else ""
    before, after = around.of(document.chunks, hit.chunk, (hit.part.inside_before, hit.part.inside_after))
    if word == "her" and after[-1] == END and not any(token[:1].isalnum() for token in after):
        return "him", None, "end of the text"
    return choice_of(word, before, after)


_HONOURS = re.compile(" " + any_of("honours") + r"\b")
_NEXT_CAPITAL = re.compile(r"(?:['’]s?)?[ -](?:&|[A-ZÀ-Þ][\w'’.]*)")
_PREVIOUS = re.compile(r"([\w'’.&-]+)([ -])$")
_LINKED_LEFT = re.compile(r"([A-Z][\w'’]*),? (?:(?:for|of|and|to|with|in|on|the|a|an|&|by) ){1,3}$")


def _capital_reason(document: Document, hit: Hit) -> str | None:
    """Why a capitalised pronoun is part of a name or the title of a work, or None if it is not."""
    reason = work_reason(document, hit)
    if reason is not None:
        return reason or None
    right = document.right(hit.end)
    if document.begins_sentence(hit.start) or _HONOURS.match(right):
        return None
    return _pronoun_in_title(document.left(hit.start), right)


def _pronoun_in_title(left: str, right: str) -> str | None:
    previous = _PREVIOUS.search(left)
    capital_before = previous is not None and previous[1][:1].isupper() and previous[1] != "I"
    if _NEXT_CAPITAL.match(right):
        return "title of a work" if capital_before or _LINKED_LEFT.search(left) else None
    return "title of a work" if capital_before and re.match(r"[^\w\s'’]", right) else None
