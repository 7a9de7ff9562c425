"""The English indefinite article: "a" or "an" before a word, by sound rather than by letter.

Rules with short lists of exceptions, not a pronouncing dictionary. Where usage is divided ("a herb"
and "an herb"), or capitals may be a word or its letters ("a HUGE", "an HIV"), a sentence is left
as it is.
"""

import re
from typing import Literal

Article = Literal["a", "an"]

# Vowel letter, consonant sound: "a unique", "a European", "a one-off", "a user", "a ewe".
_CONSONANT_SOUND = re.compile(
    r"""eu | ewe | ouija
      | on(?:e|es|ce|eself|eness)(?![a-z])
      | uni(?:[bcfpqtvx]|l(?!l)|on|son|sex|axial|directional|modal) | unanim | unesco
      | u(?:biq|fo|gand|k|trecht|v)
      | us(?:[aeu]|ing(?![a-z])) | ut(?:e|il|o|ah) | ur[aeiou]
      | u(?![a-z])""",
    re.VERBOSE,
)
# Consonant letter, vowel sound: "an honest", "an hour", "an heir", "an hors d'oeuvre", "an Yves".
_VOWEL_SOUND = re.compile(r"honest|honou?r|hour|heir|hors(?![a-z])|y(?:tt|v|p[rs])")
_DIVIDED = re.compile(r"herb|histor|homage|hotel|habitual|hysteri")
# Letters whose name begins with a vowel sound: "an MRI", "an X-ray", "an FBI agent".
_VOWEL_NAMED = frozenset("AEFHILMNORSX")
_CAPITALS = re.compile(r"[A-Z](?![a-z'’])(?:[A-Z.]*[A-Z])?")
_PRONOUNCEABLE = re.compile(r"(?:[A-Z]|S[CHKLMNPTW]|F[LR])?[AEIOU]")
_SPOKEN_AS_WORDS = frozenset(("LAN", "RAM", "REM", "ROM", "SAT", "SIM", "SWAT"))
_NUMBER = re.compile(r"8\d*|1[18](?:(?:,\d{3})+|\d{2})?(?!\d)")
# A capital "A" counts as an article only where a sentence or a quotation begins: "vitamin A is".
_ARTICLE = re.compile(
    r"(?P<before>(?:^|[.!?:]\s+|[\"“‘(\[])\s*)?(?<![\w'’.-])(?P<article>an?|An?)"
    r"(?P<space>[ \t]+)(?P<quote>[\"“‘']?)(?=(?P<word>[^\W_][\w.'’-]*))"
)


def indefinite_article(word: str) -> Article:
    """The article that the sound of the word, or of the first word of a phrase, asks for."""
    return _article_of(word.strip().lstrip("\"“‘'(["))


def fix_articles(sentence: str) -> str:
    """The sentence with every "a" and "an" made to agree with the word that follows it."""
    return _ARTICLE.sub(_agreeing, sentence)


def _agreeing(match: re.Match[str]) -> str:
    given, word = match["article"], match["word"]
    is_article = given.islower() or match["before"] is not None
    if not is_article or _is_divided(word):
        return match[0]
    article: str = _article_of(word)
    article = article.capitalize() if given[0].isupper() else article
    return f"{match['before'] or ''}{article}{match['space']}{match['quote']}"


def _article_of(word: str) -> Article:
    if word[:1].isdigit():
        return "an" if _NUMBER.match(word) else "a"
    return _article_of_letters(word) if _is_spelled_out(word) else _article_of_sound(word)


def _article_of_letters(word: str) -> Article:
    return "an" if word[0] in _VOWEL_NAMED else "a"


def _article_of_sound(word: str) -> Article:
    lowered = word.lower()
    if _VOWEL_SOUND.match(lowered):
        return "an"
    has_vowel_letter = lowered[:1] in tuple("aeiouàáâäæèéêëìíîïòóôöøœùúûü")
    return "an" if has_vowel_letter and not _CONSONANT_SOUND.match(lowered) else "a"


def _is_spelled_out(word: str) -> bool:
    capitals = _CAPITALS.match(word)
    if not capitals or capitals[0] in _SPOKEN_AS_WORDS:
        return False
    return len(capitals[0]) < 4 or not _PRONOUNCEABLE.match(capitals[0])


def _is_divided(word: str) -> bool:
    capitals = _CAPITALS.match(word)
    if capitals and len(capitals[0]) > 1 and _PRONOUNCEABLE.match(capitals[0]):
        return _article_of_letters(word) != _article_of_sound(word)
    return _DIVIDED.match(word.lower()) is not None
