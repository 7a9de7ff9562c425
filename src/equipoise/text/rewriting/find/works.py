"""Titles of works, headlines, places and institutions: words whose capitals say that they name a thing."""

import re

from equipoise.text.languages.word_sets import any_of, word_set
from equipoise.text.rewriting.find.document import Document
from equipoise.text.rewriting.find.scanning import Hit

COURTESY = frozenset(["mr", "mrs", "ms", "miss"])
NEXT_NAME = re.compile(r" (?:[A-ZÀ-Þ]|(?:de|du|von|van|d['’]|al-|el-|O['’])[ ]?[A-ZÀ-Þ])")
CLERICS = word_set("offices before names")
RANKS = frozenset(["title", "noble rank", "kinship"])
_MEDIA = re.compile(r"\b" + any_of("before a work") + r"[,:]? $")
_MEDIA_ENDS = frozenset(word[-2:] for word in word_set("before a work"))
_QUOTES = {'"': '"', "“": "”", "‘": "’", "'": "'", "*": "*", "_": "_", "«": "»", "``": "''"}
SMALL_WORDS = word_set("small words in titles")
_HEADLINE_VERBS = re.compile(r"[A-Z]\S* (?:.* )?" + any_of("headline verbs") + r"\b")
_SHORTEST_HEADLINE = 5


def is_in_headline(text: str, place: int) -> bool:
    """Whether a whole line is in title case and says what happened: Local Woman Wins Lottery Again."""
    first = max(0, place - LONGEST_HEADLINE - 1)
    begin, end = text.rfind("\n", first, place) + 1, text.find("\n", place, place + LONGEST_HEADLINE + 1)
    line = text[begin or first : end if end >= 0 else place + LONGEST_HEADLINE + 1]
    if len(line) > LONGEST_HEADLINE or line.rstrip()[-1:] == "." or not _HEADLINE_VERBS.match(line):
        return False
    words = re.findall(r"[^\W\d_][\w'’-]*", line)
    titled = all(word[0].isupper() or word.lower() in SMALL_WORDS for word in words)
    return titled and len(words) >= _SHORTEST_HEADLINE


LONGEST_HEADLINE = 120
_WORK_NEXT = re.compile(
    r"(?:['’]s)?(?: (?:[A-Z][\w'’-]*|and|of|the|in|for|a|to|with))*? (?:is|was) an?"
    r" (?:[12]\d{3} )?(?:[\w-]+ ){0,4}?"
    r"(?:film|novel|novella|album|song|musical|opera|sitcom|miniseries|series|movie|ballet|poem|painting|play|tale|story|fable)\b"
)
_ONLY_CAPITALS = re.compile(r"(?:^|[.!?]\s+|\n)[\"“]?(?:(?:[A-Z][\w'’-]*|and|of|the|in|for|a|to|with) )*$")


def is_described_work(document: Document, hit: Hit, right: str) -> bool:
    """Whether a sentence begins with words in title case and then says that they are a work."""
    if (" is a" not in right and " was a" not in right) or not _WORK_NEXT.match(right):
        return False
    return _ONLY_CAPITALS.search(document.left(hit.start)) is not None


def follows_media(left: str) -> bool:
    """Whether a word for a kind of work (novel, film) comes before."""
    return left[-1:] == " " and left.rstrip(",: ")[-2:] in _MEDIA_ENDS and _MEDIA.search(left) is not None


_NEXT_LOWER = re.compile(r"(?:['’]s)? ([a-z]+)")


def in_title_of_work(document: Document, hit: Hit) -> bool:
    """Whether quotation marks or italics around the word enclose words in title case."""
    text, start, end = document.text, hit.start, hit.end
    following = _NEXT_LOWER.match(document.right(end, 20))
    if following and following[1] not in SMALL_WORDS:
        return False
    window = text[max(0, start - REACH_OF_TITLE) : start]
    if not _OPENS.search(window):
        return False
    place = max(map(window.rfind, ('"', "“", "‘", "*", "_", "«", ">", "``", " '")))
    opening = window[place]
    inside_before = window[place + 1 :].lstrip("'`")
    if opening == ">" and not re.search(r"<(?:i|em|cite)\b[^<>]*$", window[:place], re.IGNORECASE):
        return False
    closing = "<" if opening == ">" else _QUOTES.get(opening, "'")
    rest = text[end : end + REACH_OF_TITLE]
    stop = _closing(rest, closing)
    if stop < 0:
        return False
    return _is_title(inside_before + text[start:end] + rest[:stop], hit, window[:place])


REACH_OF_TITLE = 70


def _closing(rest: str, mark: str) -> int:
    if mark in ("'", "’"):
        match = re.search(r"['’](?!\w)", rest)
        return match.start() if match else -1
    return rest.find(mark)


_OPENS = re.compile(r"""["“‘*_«>]|``|[ ]'""")
_READING = re.compile(
    r"\b(?:reads?|reading|watch(?:ed|ing)|wrote|s[au]ng|singing|recorded|directed|performed|released"
    r"|published) $"
)
_OPENING = re.compile(r"""(?:<\w*[^<>]*|[\s"“‘'*_`])+$""")


def _is_title(content: str, hit: Hit, before: str) -> bool:
    words = re.findall(r"[^\W\d_][\w'’-]*", content)
    if not words or len(words) > 12 or re.search(r"[.!?;]\s", content):
        return False
    capital = all(word[0].isupper() or word.lower() in SMALL_WORDS for word in words)
    if not capital or not words[0][0].isupper():
        return False
    cue = _OPENING.sub("", before) + " "
    cued = _MEDIA.search(cue) is not None or _READING.search(cue) is not None
    kind = hit.part.word.kind if hit.part.word else ""
    if len(words) == 1:
        return cued
    if not kind:
        return cued and len(words) > 1
    speech = content.rstrip()[-1:] in ",!?" or re.search(r"[,:]\s*$", before) is not None
    if kind in RANKS or hit.part.surface.lower() in CLERICS:
        return cued or (len(words) > 2 and not speech)
    return cued or not speech or len(words) > 3


def work_reason(document: Document, hit: Hit) -> str | None:
    """Why a capitalised word belongs to the title of a work; "" in a headline, where capitals say nothing."""
    word = hit.part.word
    assert word is not None
    if in_title_of_work(document, hit):
        return "title of a work"
    if is_in_headline(document.plain, hit.start):
        return ""
    left, right = document.left(hit.start), document.right(hit.end)
    if is_described_work(document, hit, right):
        return "title of a work"
    if document.begins_sentence(hit.start) or not follows_media(left):
        return None
    named = NEXT_NAME.match(right[1:] if word.text in COURTESY and right[:1] == "." else right)
    return None if named else "title of a work"


_DOTTED = r"(?:St|Mt|Ft|Dr|Mrs?|Ms|[A-Z])\."
"""Words with a full stop that ends no sentence."""
_PLACES = re.compile(
    rf"(?:{_DOTTED}|[A-Z][\w'’-]*|of|the|and|de) (?:(?:{_DOTTED}|[A-Z][\w'’-]*|of|the|and|for|de|&) ){{0,4}}?"
    + any_of("parts of places")
    + r"\b"
)
_AND_TITLE = re.compile(r"\.?,? (?:and|&|or) (?:Mrs?|Ms|Miss|Dr|Sir|Lady|Lord|Dame)\b")
"""Mr and Mrs Hill are two persons, and no place."""
_PLACE_NEXT = re.compile(r"(?:['’]s?)? " + any_of("right after a title in a place") + r"\b")
_INN = re.compile(r"(?:['’]s)?(?: of)? [A-Z]\w+ (?:pub|inn|tavern|public house|hotel)\b")


def names_place(right: str) -> bool:
    """Whether what follows a word makes it part of the name of a place or an institution."""
    if right.startswith((" of the Manor", " of the manor")):
        return False
    return bool(_PLACE_NEXT.match(right) or _INN.match(right)) or names_place_by_person(right)


def names_place_by_person(right: str) -> bool:
    """The same after Mr or Miss: Miss Porter's School is one, but Miss Lane is a person."""
    if _AND_TITLE.match(right):
        return False
    return right[:1] == " " and _PLACES.match(right[1:]) is not None
