"""The male and the female version of a text about one person."""

from typing import NamedTuple

from equipoise.corpora.vocabulary import gendered_words
from equipoise.text.rewriting import Rewriter
from equipoise.text.sides import FEMALE, MALE

SIDES = (MALE, FEMALE)
NOT_TURNED = "no gendered word to turn"
BOTH = "words of both genders, or of none that is listed"


class Versions(NamedTuple):
    """Both versions, the side that was written, the first names in it, or why there are none."""

    texts: dict[str, str]
    written: str = ""
    names: tuple[str, ...] = ()
    dropped: str = ""


def versions_of(text: str, rewriter: Rewriter) -> Versions:
    """The text about a man and about a woman; its own gendered words tell which one was written."""
    rewritten = rewriter.rewrite(text)
    none = dict.fromkeys(SIDES, "")
    if rewritten.text == text:
        return Versions(none, dropped=NOT_TURNED)
    known = gendered_words()
    genders = {known[word] for word in _words(text) if word in known}
    if len(genders) != 1:
        return Versions(none, dropped=BOTH)
    (written,) = genders
    other = FEMALE if written == MALE else MALE
    names = tuple(dict.fromkeys(change.old for change in rewritten.changes if change.rule == "name"))
    return Versions({written: text, other: rewritten.text}, written, names)


def _words(text: str) -> list[str]:
    return [word.strip(".,;:!?\"'()").lower() for word in text.split()]
