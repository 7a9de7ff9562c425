"""Texts in a version about a man and one about a woman, made by the rewriter."""

from equipoise.corpora.vocabulary import gendered_words
from equipoise.text.rewriting import Rewriter
from equipoise.text.sides import FEMALE, MALE

NOT_TURNED = "no gendered word to turn"
BOTH = "words of both genders, or of none that is listed"


def gendered_versions(text: str, rewriter: Rewriter) -> dict[str, str]:
    """The text about a man and about a woman; which one it is, its own gendered words tell."""
    rewritten = rewriter.rewrite(text)
    if rewritten.text == text:
        return {MALE: "", FEMALE: "", "dropped": NOT_TURNED}
    known = gendered_words()
    genders = {known[word] for word in _words(text) if word in known}
    if len(genders) != 1:
        return {MALE: "", FEMALE: "", "dropped": BOTH}
    versions = (text, rewritten.text) if genders == {MALE} else (rewritten.text, text)
    return {**dict(zip((MALE, FEMALE), versions, strict=True)), "dropped": ""}


def _words(text: str) -> list[str]:
    return [word.strip(".,;:!?\"'()").lower() for word in text.split()]
