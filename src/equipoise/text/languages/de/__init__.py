"""German: what in a sentence agrees with the gender of a noun, and so gives away which pronoun follows."""

import re

AGREEING = re.compile(
    r"\b(?:er|sie|es|ihn|ihm|sein\w*|ihr\w*"  # pronouns and possessives
    r"|de[rmns]|die|das|dieser?|dieses|jener?|jenes|jede[rs]?|welche[rs]?)\b"
    r"|\b\w{3,}in\b",  # die Ärztin
    re.IGNORECASE,
)
_ARTICLE_OF_A_PHRASE = re.compile(
    r"\b(?:in|an|auf|bei|mit|nach|seit|von|vor|zu|aus|unter|über|für|durch|gegen|ohne|um)\s+"
    r"(?:der|dem|den|die|das|einer|einem|einen|eine|ein)\b",
    re.IGNORECASE,
)
_NOUN_AFTER_ARTICLE = re.compile(r"\b(?:der|die|das|den|dem|diese[rsnm]?)\s+(?=[A-ZÄÖÜ])")
_NO_NOUNS = {"darin", "worin", "hierin", "sodann", "termin", "ruin", "benzin", "medizin", "magazin", "berlin"}


def agreement_leaks(text: str) -> list[str]:
    """Words outside the noun phrase itself that agree with its gender, such as `ihre` or `, der`.

    The article of another noun ("die Familie", "in der Kita") agrees with that noun and is not a leak.
    """
    rest = _NOUN_AFTER_ARTICLE.sub("", _ARTICLE_OF_A_PHRASE.sub("", text))
    words = [match[0] for match in AGREEING.finditer(rest)]
    return [word for word in words if not (word.lower().endswith("in") and _is_no_person(word))]


def _is_no_person(word: str) -> bool:
    """Only capitalised words in -in are nouns for women."""
    return not word[0].isupper() or word.lower().endswith(tuple(_NO_NOUNS))
