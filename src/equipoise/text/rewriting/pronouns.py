"""Pronouns by form: he and she, him and her, his and her or hers; coordinated ones stay together."""

import re

from equipoise.text.rewriting.decisions import Decision, Leave, Replace
from equipoise.text.rewriting.document import Document
from equipoise.text.rewriting.forms import choose_form
from equipoise.text.rewriting.owning_rules import END
from equipoise.text.rewriting.scanning import Hit, Surroundings

FIXED = {"he": "she", "she": "he", "him": "her", "hers": "his", "himself": "herself", "herself": "himself"}
"""Pronouns that have one partner whatever the context."""

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
    """Whether the pronoun stands beside its partner: he or she, his/her, s/he, (s)he, his and hers."""
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


def pronoun(document: Document, hit: Hit, around: Surroundings, *, turn_coordinated: bool) -> Decision:
    """What a pronoun becomes; the margin says how sure the choice of form is."""
    if not turn_coordinated and is_coordinated(document, hit):
        return Leave("coordinated")
    word = hit.part.word.text if hit.part.word else ""
    if document.plain[hit.end : hit.end + 1] == "-" and _COMPOUND.match(document.right(hit.end)):
        return Leave("compound")
    if hit.part.surface.isupper() and len(word) > 1 and _ARTICLE.search(document.left(hit.start, 10)):
        return Leave("abbreviation")
    if word in FIXED:
        return Replace(FIXED[word], "pronoun")
    before, after = around.of(document.chunks, hit)
    if word == "her" and after[-1] == END and not any(token[:1].isalnum() for token in after):
        return Replace("him", "pronoun: end of the text")
    choice = choose_form(word, before, after)
    return Replace(choice.form, "pronoun: " + choice.rule, choice.margin)
