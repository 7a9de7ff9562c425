"""Capitalised words: titles before names turn, titles of works, names of places, bands and firms stay."""

import re

from equipoise.text.rewriting.document import Document
from equipoise.text.rewriting.lexicon import Word
from equipoise.text.rewriting.names import load_names
from equipoise.text.rewriting.scanning import Hit

_RANKS = frozenset(["title", "noble rank", "kinship"])
_CLERICS = frozenset(
    "priest abbot prior monk steward hero heir god master prioress abbess nun priestess goddess mistress".split()
)
_SURNAMES = frozenset(
    "king queen prince duke earl baron count abbot prior monk priest steward lord lady master god knight "
    "marquis noble bachelor groom bride guy gal count countess emperor empress princess duchess baroness".split()
)
_PLACES = re.compile(
    r"(?:[A-Z][\w'’.-]*|of|the|and|de) (?:[\w'’.-]+ ){0,4}?"
    r"(?:Street|Road|Avenue|Square|Park|Hall|College|School|University|Hospital|Island|Islands|County|Theatre|Theater"
    r"|Stadium|Cup|Bridge|Station|Airport|Institute|Church|Chapel|Cathedral|Museum|Gallery|House|Award|Awards"
    r"|Prize|Medal|Trophy|Foundation|Centre|Center|Library|Hotel|Club|Lane|Gardens|Memorial|Barracks|Dock|Docks"
    r"|Wharf|Falls|Lake|River|Bay|Sound|Peninsula|Range|Parade|Highway|Arena|Conservatory|Academy|Handicap|Stakes)\b"
)
_PLACE_NEXT = re.compile(
    r"(?:['’]s?)? (?:Street|Road|Avenue|Square|Park|Hall|College|University|Hospital|Island|Islands|County|Theatre"
    r"|Theater|Stadium|Cup|Bridge|Station|Airport|Institute|Cross|Lane|Gardens|Head|Arms|Club|Records|Inc|Ltd"
    r"|Company|Corporation|Award|Awards|Medal|Prize|Trophy|Magazine|Journal|Press|Books|Bench|Counsel)\b"
)
_MEDIA = re.compile(
    r"\b(?:films?|movies?|songs?|singles?|albums?|novels?|books?|plays?|operas?|musicals?|poems?|band|group|duo|trio"
    r"|series|shows?|sitcom|episodes?|magazines?|newspapers?|comics?|stor(?:y|ies)|paintings?|sculptures?|games?"
    r"|tracks?|titled|entitled|called|comedy|drama|thriller|memoir|anthology|ballet|soap|EP|documentary|exhibition"
    r"|sequel|pilot|mini-?series|hit|ship|yacht|label|brand|website|blog|manga|anime|work)[,:]? $"
)
_HONOURS = re.compile(
    r" (?:Majesty|Majesties|Highness|Highnesses|Excellency|Ladyship|Lordship|Honou?r|Grace|Holiness|Eminence|Worship"
    r"|Royal|Imperial|Serene|Britannic|Reverence)\b"
)
_NEXT_CAPITAL = re.compile(r"(?:['’]s?)?[ -](?:&|[A-ZÀ-Þ][\w'’.]*)")
_NEXT_NAME = re.compile(r"\.? (?:[A-ZÀ-Þ]|(?:de|du|von|van|d['’]|al-|el-|O['’])[ ]?[A-ZÀ-Þ])")
_NEXT_OF = re.compile(r",? (?:of|dowager of|consort of) (?:the )?[A-ZÀ-Þ]")
_LINKED_RIGHT = re.compile(
    r"(?:['’]s)? (?:in|of|on|with|and|&|for|from|who|to|at|by|the|from) (?:the |a |an )?[A-Z]"
)
_PREVIOUS = re.compile(r"([\w'’.&-]+)([ -])$")
_LINKED_LEFT = re.compile(r"([A-Z][\w'’]*),? (?:(?:for|of|and|to|with|in|on|the|a|an|&|by) ){1,3}$")
_EDUCATION = re.compile(
    r"\b(?:School|College|Academy|Institute|Seminary|Home|High|Grammar|Institution|Orphanage|Lyceum|Gymnasium)"
    r" (?:for|of) (?:[A-Z][a-z]+ )?$"
)
_SCHOOL_NEXT = re.compile(
    r"['’]?s? (?:and [A-Z]\w+['’]?s? )?(?:\w+ ){0,3}?(?:School|High|Grammar|Secondary|College|Academy|Basketball"
    r"|Football|Soccer|Hockey|Tennis|Golf|Cricket|Rugby|Volleyball|National|Team|World|Championships?|Open|Singles|Doubles"
    r"|Tour|League|Finals?|Division|Olympics?|Premier|Super|Cup|Tournament|Marathon|Relay|Softball|Baseball|Swimming|"
    r"Athletics|European|Asian|African|Pacific|International|U-?\d+|Under|Draft|Big|NIT|Professional|Elite|Ashes)\b"
)
_OF_THE_YEAR = re.compile(
    r" of the (?:Year|Match|Month|Week|Century|Decade|Series|Tournament|Season|Moment|World)\b"
)
_FREE_BEFORE = frozenset(
    "the a an his her my our your their its this that these those former late crown dear future every each some any no "
    "dowager royal majesty highness and or but to for as if when while though by with from of in on vice deputy "
    "assistant board senior junior chief best supporting outstanding leading hrh hm sir saint lord lady mr mrs ms dr "
    "first then so because since after before both all many other ex co sitting acting queen king".split()
)
_FREE_AT_START = frozenset(
    "young old new grand first second third last one two three four five six seven eight nine ten holy poor little "
    "big great good lead most several few only even some black white dead married single".split()
)
_NATIONAL = re.compile(r"[A-Z]\w+(?:ish|ian|ean|ese|an|ic|ch|sh|ss|i)$")
_QUOTES = {'"': '"', "“": "”", "‘": "’", "'": "'", "*": "*", "_": "_", "«": "»", "``": "''"}
_LINKS = frozenset(
    "a an the of and or for in on to with at by from as but nor into onto upon is vs de la le du von van is & ".split()
)


def capital_reason(document: Document, hit: Hit) -> str | None:
    """Why a capitalised word is part of a name or the title of a work, or None if it is not."""
    word = hit.part.word
    assert word is not None
    if in_title_of_work(document, hit):
        return "title of a work"
    left, right = document.left(hit.start), document.right(hit.end)
    starts = document.begins_sentence(hit.start)
    if not starts and _MEDIA.search(left) and not _NEXT_NAME.match(right):
        return "title of a work"
    if word.kind == "pronoun":
        return None if starts or _HONOURS.match(right) else _pronoun_in_title(left, right)
    before = _word_before(document, hit, left) if not starts else ""
    if word.kind in _RANKS or word.text in _CLERICS:
        return _rank(word, before, starts=starts, right=right)
    return _common(word, before, starts=starts, context=(left, right))


def _word_before(document: Document, hit: Hit, left: str) -> str:
    """The word before, in lower case where its capital only says that a sentence begins."""
    previous = _PREVIOUS.search(left)
    if previous is None:
        return ""
    word = previous[1]
    begins = word.lower() in _FREE_AT_START and document.begins_sentence(hit.start - len(previous[0]))
    return word.lower() if begins else word


def title_reason(document: Document, hit: Hit) -> str | None:
    """Why a title before a name stays: it belongs to a place or to the title of a work."""
    if in_title_of_work(document, hit):
        return "title of a work"
    right = document.right(hit.end)
    place = _PLACE_NEXT.match(right) or (right[:1] == " " and _PLACES.match(right[1:]))
    return "place or institution" if place else None


def _pronoun_in_title(left: str, right: str) -> str | None:
    previous = _PREVIOUS.search(left)
    capital_before = previous is not None and previous[1][:1].isupper() and previous[1] != "I"
    if _NEXT_CAPITAL.match(right):
        return "title of a work" if capital_before or _LINKED_LEFT.search(left) else None
    return "title of a work" if capital_before and re.match(r"[^\w\s'’]", right) else None


def _rank(word: Word, before: str, *, starts: bool, right: str) -> str | None:
    """Titles and kin: King Henry turns, Stephen King and King Street stay."""
    if _PLACE_NEXT.match(right) or (right[:1] == " " and _PLACES.match(right[1:])):
        return "place or institution"
    free = not before or before.lower().strip(".") in _FREE_BEFORE or before.islower()
    capital_before = before[:1].isupper() and not free and not _NATIONAL.match(before)
    if re.match(r",? (?:Jr|Sr|I{2,3}|IV)\b", right):
        return "surname" if capital_before else None
    if re.match(r"(?:['’]s)?,? (?:&|and) (?:Co|Company|Partners|Associates)\b", right):
        return "name of a firm"
    if _NEXT_NAME.match(right):
        follows_name = word.text in _SURNAMES and load_names().is_known(before)
        return "surname or name" if capital_before and word.kind != "title" and follows_name else None
    if _NEXT_OF.match(right):
        return None
    if capital_before and word.kind != "title":
        return "surname or name"
    if word.text not in _SURNAMES or word.kind == "title":
        return None
    bare = (starts and re.match(r"(?:['’]s)? [a-z]", right)) or before in _NAME_POSITION
    return "surname or name" if bare else None


_NAME_POSITION = frozenset(
    "said by with that when if but from against because after while where then whom told asked says replied "
    "and for like".split()
)


def _common(word: Word, before: str, *, starts: bool, context: tuple[str, str]) -> str | None:
    """Other nouns: Beach Boys, Iron Man and Men in Black stay; Best Female and School for Girls turn."""
    left, right = context
    if word.text in ("male", "female", "actor", "actress", "actors", "actresses") or word.text.endswith(
        ("spokesman", "chairman", "chairwoman", "congressman", "congresswoman", "spokeswoman")
    ):
        return None
    if _OF_THE_YEAR.match(right) or _EDUCATION.search(left):
        return None
    if word.text in _SCHOOLED and _SCHOOL_NEXT.match(right):
        return None
    free = before.lower() in _FREE_BEFORE or before.islower()
    if before and not free and before[:1].isupper() and not _NATIONAL.match(before):
        return "name or title of a work"
    if _NEXT_CAPITAL.match(right) and word.kind != "role":
        return "name or title of a work"
    if starts:
        return None
    if _LINKED_LEFT.search(left) and not re.search(r"\b(?:[Tt]he|[Mm]y|an?|his|her|our) $", left):
        return "name or title of a work"
    return "name or title of a work" if _LINKED_RIGHT.match(right) and word.kind != "role" else None


_SCHOOLED = frozenset(["girls", "boys", "men", "women", "ladies", "gentlemen", "boy", "girl", "man", "woman"])


_NEXT_LOWER = re.compile(r"(?:['’]s)? ([a-z]+)")


def in_title_of_work(document: Document, hit: Hit) -> bool:
    """Whether quotation marks or italics around the word enclose words in title case."""
    text, start, end = document.text, hit.start, hit.end
    following = _NEXT_LOWER.match(document.right(end, 20))
    if following and following[1] not in _LINKS:
        return False
    window = text[max(0, start - REACH_OF_TITLE) : start]
    place = max(window.rfind(mark) for mark in ('"', "“", "‘", "*", "_", "«", ">", "``", " '"))
    if place < 0:
        return False
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


_OPENING = re.compile(r"""(?:<\w*[^<>]*|[\s"“‘'*_`])+$""")


def _is_title(content: str, hit: Hit, before: str) -> bool:
    words = re.findall(r"[^\W\d_][\w'’-]*", content)
    if not words or len(words) > 12 or re.search(r"[.!?;]\s", content):
        return False
    capital = all(word[0].isupper() or word.lower() in _LINKS for word in words)
    if not capital or not words[0][0].isupper():
        return False
    cued = _MEDIA.search(_OPENING.sub("", before) + " ") is not None
    kind = hit.part.word.kind if hit.part.word else ""
    if len(words) == 1:
        return cued
    speech = content.rstrip()[-1:] in ",!?" or re.search(r"[,:]\s*$", before) is not None
    if kind in _RANKS or hit.part.surface.lower() in _CLERICS:
        return cued or (len(words) > 2 and not speech)
    return cued or not speech or len(words) > 3
