"""Capitalised words: titles before names turn, titles of works, names of places, bands and firms stay."""

import re

from equipoise.text.rewriting.document import Document
from equipoise.text.rewriting.lexicon import Word, load_lexicon
from equipoise.text.rewriting.named_things import thing_reason
from equipoise.text.rewriting.names import load_names
from equipoise.text.rewriting.scanning import Hit
from equipoise.text.rewriting.word_sets import any_of, word_set

_BEFORE_SURNAMES = word_set("before a surname only")
_SHIPS = word_set("ships")
_COURTESY = frozenset(["mr", "mrs", "ms", "miss"])
_RANKS = frozenset(["title", "noble rank", "kinship"])
_CLERICS = word_set("offices before names")
_SURNAMES = word_set("also surnames")
_DOTTED = r"(?:St|Mt|Ft|Dr|Mrs?|Ms|[A-Z])\."
"""Words with a full stop that ends no sentence."""
_PLACES = re.compile(
    rf"(?:{_DOTTED}|[A-Z][\w'’-]*|of|the|and|de) (?:(?:{_DOTTED}|[A-Z][\w'’-]*|of|the|and|for|de|&) ){{0,4}}?"
    + any_of("parts of places")
    + r"\b"
)
_PLACE_NEXT = re.compile(r"(?:['’]s?)? " + any_of("right after a title in a place") + r"\b")
_INN = re.compile(r"(?:['’]s)?(?: of)? [A-Z]\w+ (?:pub|inn|tavern|public house|hotel)\b")
_MEDIA = re.compile(r"\b" + any_of("before a work") + r"[,:]? $")
_MEDIA_ENDS = frozenset(word[-2:] for word in word_set("before a work"))
_HONOURS = re.compile(" " + any_of("honours") + r"\b")
_NEXT_CAPITAL = re.compile(r"(?:['’]s?)?[ -](?:&|[A-ZÀ-Þ][\w'’.]*)")
_NEXT_NAME = re.compile(r" (?:[A-ZÀ-Þ]|(?:de|du|von|van|d['’]|al-|el-|O['’])[ ]?[A-ZÀ-Þ])")
_NEXT_OF = re.compile(r",? (?:of|dowager of|consort of) (?:the )?[A-ZÀ-Þ]")
_LINKED_RIGHT = re.compile(
    r"(?:['’]s)? (?:in|of|on|with|and|&|for|from|who|to|at|by|the) (?:the |a |an )?[A-Z]"
)
_PREVIOUS = re.compile(r"([\w'’.&-]+)([ -])$")
_LINKED_LEFT = re.compile(r"([A-Z][\w'’]*),? (?:(?:for|of|and|to|with|in|on|the|a|an|&|by) ){1,3}$")
_EDUCATION = re.compile(r"\b" + any_of("schools") + " (?:for|of) (?:[A-Z][a-z]+ )?$")
_SCHOOL_NEXT = re.compile(
    r"['’]?s? (?:and [A-Z]\w+['’]?s? )?(?:\w+ ){0,3}?(?:" + any_of("schools and sports") + r"|U-?\d+)\b"
)
_OF_THE_YEAR = re.compile(
    r" of the (?:Year|Match|Month|Week|Century|Decade|Series|Tournament|Season|Moment|World)\b"
)
_FREE_BEFORE = word_set("before a title")
_FREE_AT_START = word_set("before a title at a start")
_NATIONAL = word_set("nationalities")
_QUOTES = {'"': '"', "“": "”", "‘": "’", "'": "'", "*": "*", "_": "_", "«": "»", "``": "''"}
SMALL_WORDS = word_set("small words in titles")


def capital_reason(document: Document, hit: Hit) -> str | None:
    """Why a capitalised word is part of a name or the title of a work, or None if it is not."""
    word = hit.part.word
    assert word is not None
    if in_title_of_work(document, hit):
        return "title of a work"
    if _is_in_headline(document.plain, hit.start):
        return None
    left, right = document.left(hit.start), document.right(hit.end)
    starts = document.begins_sentence(hit.start)
    if _is_described_work(document, hit, right):
        return "title of a work"
    named = _NEXT_NAME.match(right[1:] if word.text in _COURTESY and right[:1] == "." else right)
    if not starts and not named and _follows_media(left):
        return "title of a work"
    if word.kind == "pronoun":
        return None if starts or _HONOURS.match(right) else _pronoun_in_title(left, right)
    before = _word_before(document, hit, left) if not starts else ""
    if word.kind == "kinship" and word.text.endswith("s") and _is_joined(left, right):
        return "title of a work"
    if word.kind in _RANKS or word.text in _CLERICS:
        royal = before == "The" and left.endswith(("HM The ", "HRH The "))
        return _rank(word, "the" if royal else before, starts=starts, right=right)
    return _common(word, before, starts=starts, context=(left, right))


_HEADLINE_VERBS = re.compile(r"[A-Z]\S* (?:.* )?" + any_of("headline verbs") + r"\b")
_SHORTEST_HEADLINE = 5


def _is_in_headline(text: str, place: int) -> bool:
    """Whether a whole line is in title case and says what happened: Local Woman Wins Lottery Again."""
    first = max(0, place - LONGEST_HEADLINE - 1)
    begin, end = text.rfind("\n", first, place) + 1, text.find("\n", place, place + LONGEST_HEADLINE + 1)
    line = text[begin or first : end if end >= 0 else place + LONGEST_HEADLINE + 1]
    if len(line) > LONGEST_HEADLINE or not _HEADLINE_VERBS.match(line):
        return False
    words = re.findall(r"[^\W\d_][\w'’-]*", line)
    titled = all(word[0].isupper() or word.lower() in SMALL_WORDS for word in words)
    return titled and len(words) >= _SHORTEST_HEADLINE and not line.rstrip().endswith(".")


LONGEST_HEADLINE = 120
_WORK_NEXT = re.compile(
    r"(?:['’]s)?(?: (?:[A-Z][\w'’-]*|and|of|the|in|for|a|to|with))*? (?:is|was) an?"
    r" (?:[12]\d{3} )?(?:[\w-]+ ){0,4}?"
    r"(?:film|novel|novella|album|song|musical|opera|sitcom|miniseries|series|movie|ballet|poem|painting|play|tale|story|fable)\b"
)
_ONLY_CAPITALS = re.compile(r"(?:^|[.!?]\s+|\n)[\"“]?(?:(?:[A-Z][\w'’-]*|and|of|the|in|for|a|to|with) )*$")


def _is_described_work(document: Document, hit: Hit, right: str) -> bool:
    """Whether a sentence begins with words in title case and then says that they are a work."""
    if not _WORK_NEXT.match(right):
        return False
    return _ONLY_CAPITALS.search(document.left(hit.start)) is not None


def _follows_media(left: str) -> bool:
    """Whether a word for a kind of work stands before."""
    return left[-1:] == " " and left.rstrip(",: ")[-2:] in _MEDIA_ENDS and _MEDIA.search(left) is not None


def names_place(right: str) -> bool:
    """Whether what follows a word makes it part of the name of a place or an institution."""
    if right.startswith((" of the Manor", " of the manor")):
        return False
    return bool(_PLACE_NEXT.match(right) or _INN.match(right)) or names_place_by_person(right)


def names_place_by_person(right: str) -> bool:
    """The same after Mr or Miss: Miss Porter's School is one, but Miss Lane is a person."""
    return right[:1] == " " and _PLACES.match(right[1:]) is not None


def _word_before(document: Document, hit: Hit, left: str) -> str:
    """The word before, in lower case where its capital only says that a sentence begins."""
    previous = _PREVIOUS.search(left, left.rfind(" ", 0, -1) + 1)
    if previous is None:
        return ""
    word = previous[1]
    begins = word.lower() in _FREE_AT_START and document.begins_sentence(hit.start - len(previous[0]))
    return word.lower() if begins else word


def title_reason(document: Document, hit: Hit) -> str | None:
    """Why a title before a name stays: it belongs to a place or to the title of a work."""
    if in_title_of_work(document, hit):
        return "title of a work"
    return "place or institution" if names_place(document.right(hit.end)) else None


def follows_lord(left: str) -> bool:
    """Whether Lord or Lady stands before: only a first name with a surname after it is one then."""
    return left.endswith(("Lord ", "Lady "))


_COUPLE = re.compile(r"(?:^|[^\w ] ?|(?<=[a-z]) )([A-Z][a-z]+) & ([A-Z][a-z]+)(?! [A-Z]|['’]|\w)")
_NAMESAKES = word_set("pairs with an ampersand")


def _is_couple(around: str) -> bool:
    """Whether two first names are joined by an ampersand and nothing makes them a firm: Lisa & Tom."""
    couple = _COUPLE.search(around)
    if couple is None or f"{couple[1]} & {couple[2]}" in _NAMESAKES:
        return False
    kinds = load_names().classes
    return kinds.get(couple[1]) == kinds.get(couple[2]) == "plain"


_CAPITAL_NEXT = re.compile(r" [A-Z]")
_NAMED_NEXT = re.compile(r"(?:['’]s)? [A-Z]")
_PERSON_NEXT = re.compile(r" [A-Z]\w+(?: (?:and|was|is|had|who|has)\b|[,.;])")


def name_reason(document: Document, hit: Hit) -> str | None:
    """Why a first name stays: it belongs to a place, an institution or the title of a work."""
    left, right = document.left(hit.start), document.right(hit.end)
    if follows_lord(left) and not _CAPITAL_NEXT.match(right):
        return "surname after a title"
    joined = right.startswith(" & ") or left.endswith(" & ")
    if joined and not _is_couple(left[-20:] + document.plain[hit.start : hit.end + 20]):
        return "name of a firm or a work"
    if _follows_blocked(document, hit, left):
        return "set phrase with a title"
    if _may_be_aboard(left) and _ABOARD.search(left):
        return "name of a ship"
    before = _WORD_BEFORE.search(left, left.rfind(" ", 0, -1) + 1) if left[-1:] == " " else None
    if _FIRM.match(document.plain, hit.start) or (
        before and _FIRM.match(document.plain, hit.start - len(before[0]))
    ):
        return "name of a firm or a thing"
    if thing := thing_reason(document, hit):
        return thing
    if _NAMED_NEXT.match(right):
        beyond = right[2:] if right[:1] in "'’" else right
        if beyond is right and _PLACE_OR_SURNAME.match(right) and not _WHERE.search(left):
            return "title of a work" if in_title_of_work(document, hit) else None
        if _PLACE_NEXT.match(beyond) or _is_in_place(beyond[1:]) or _is_in_place("A" + beyond):
            return "place or institution"
        if _follows_media(left) and not _PERSON_NEXT.match(right):
            return "title of a work"
    return "title of a work" if in_title_of_work(document, hit) else None


_AND_ANOTHER = re.compile(r" and ([A-Z][a-z]+) ")


def _is_in_place(text: str) -> bool:
    """Whether a place is named, and not two persons of whom one is called Green or Hill."""
    place = _PLACES.match(text)
    another = _AND_ANOTHER.search(place[0]) if place else None
    return place is not None and not (another and load_names().is_known(another[1]))


_PLACE_OR_SURNAME = re.compile(
    " " + any_of("places or surnames") + r"\b(?! [A-Z&]| (?:in|near|at) [A-Z]|, [A-Z]\w+[.,;])"
)
_WHERE = re.compile(
    r"\b"
    + any_of("before a place")
    + r" (?:[A-Z]\w+ )?$|\b(?:Lady|Queen|King|Prince|Princess|Saint|St\.?) $",
    re.I,
)
_FIRM = re.compile(any_of("things named after persons") + r"\b(?! (?:himself|herself|was born|said)\b)")
_WORD_BEFORE = re.compile(r"[A-Z][a-z]+(?:['’]s)? $")
_ABOARD = re.compile(r"\b" + any_of("ships") + r"(?: [A-Z]\w+)? $")
_TITLE_BEFORE = re.compile(r"\b([A-Z][a-z]+) $")
_ENDS_OF_SHIPS = tuple(_SHIPS)


def _may_be_aboard(left: str) -> bool:
    """Whether one of the last two words before a name ends as a ship's prefix does."""
    return any(word.endswith(_ENDS_OF_SHIPS) for word in left[:-1].rsplit(" ", 2)[-2:])


def _follows_blocked(document: Document, hit: Hit, left: str) -> bool:
    """Whether title and name together are a set phrase (Uncle Sam, Mother Teresa), which stays whole."""
    before = _TITLE_BEFORE.search(left, left.rfind(" ", 0, -1) + 1) if left[-1:] == " " else None
    title = load_lexicon().words.get(before[1].lower()) if before else None
    blocks = load_lexicon().blocks.get(title.pair) if title else None
    if before is None or blocks is None:
        return False
    return blocks.reason(left[: before.start()], document.right(hit.start - 1)) is not None


_AND_CAPITAL = re.compile(r" and [A-ZÀ-Þ][a-z]")
_CAPITAL_AND = re.compile(r"\b[A-ZÀ-Þ][a-z]+s and $")


def _is_joined(left: str, right: str) -> bool:
    """Whether `and` stands between the word and another with a capital: Sons and Lovers."""
    return bool(_AND_CAPITAL.match(right) or _CAPITAL_AND.search(left))


def _pronoun_in_title(left: str, right: str) -> str | None:
    previous = _PREVIOUS.search(left)
    capital_before = previous is not None and previous[1][:1].isupper() and previous[1] != "I"
    if _NEXT_CAPITAL.match(right):
        return "title of a work" if capital_before or _LINKED_LEFT.search(left) else None
    return "title of a work" if capital_before and re.match(r"[^\w\s'’]", right) else None


_YOUNGER = re.compile(r",? (?:Jr|Sr|I{2,3}|IV)\b")
_FIRM_NEXT = re.compile(r"(?:['’]s)?,? (?:&|and) (?:Co|Company|Partners|Associates)\b")


def _rank(word: Word, before: str, *, starts: bool, right: str) -> str | None:
    """Titles and kin: King Henry turns, Stephen King and King Street stay."""
    if names_place_by_person(right) if word.text in _COURTESY else names_place(right):
        return "place or institution"
    if before == "The" and not starts and re.match(r"(?:['’]s)? (?:and|of) (?:the|her|his|[A-Z])", right):
        return "title of a work"
    if before.lower() == "the" and re.match(r"['’]s [A-Z][a-z]+ [A-Z]", right):
        return "title of a work"
    if before in _SHIPS:
        return "name of a ship"
    if before.strip(".") in _BEFORE_SURNAMES and word.text in _SURNAMES and not _NEXT_NAME.match(right):
        return "surname or name"
    free = not before or before.lower().strip(".") in _FREE_BEFORE or before.islower()
    capital_before = before[:1].isupper() and not free and before not in _NATIONAL
    if _YOUNGER.match(right):
        return "surname" if capital_before else None
    if _FIRM_NEXT.match(right):
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
    if re.match(rf" (?:or|and) {word.partner}\b", right):
        return None
    if re.match(r" (?:consort|regent|regnant|dowager|mother)\b", right):
        return None
    if re.match(r" and (?:Parliament|[Cc]ountry|Council|Court)\b", right):
        return None
    bare = (starts and re.match(r"(?:['’]s)? [a-z]", right)) or before in _NAME_POSITION
    return "surname or name" if bare else None


_NAME_POSITION = word_set("before a surname")


def _common(word: Word, before: str, *, starts: bool, context: tuple[str, str]) -> str | None:
    """Other nouns: Beach Boys, Iron Man and Men in Black stay; Best Female and School for Girls turn."""
    left, right = context
    if word.text in ("male", "female", "actor", "actress", "actors", "actresses") or word.text.endswith(
        ("spokesman", "chairman", "chairwoman", "congressman", "congresswoman", "spokeswoman")
    ):
        return None
    if word.text in _SURNAMES_TOO and not _DETERMINED.search(left):
        return "surname or name"
    if _OF_THE_YEAR.match(right) or _EDUCATION.search(left):
        return None
    if word.text in _SCHOOLED and _SCHOOL_NEXT.match(right):
        return None
    free = before.lower() in _FREE_BEFORE or before.islower()
    if before and not free and before[:1].isupper() and before not in _NATIONAL:
        return "name or title of a work"
    if _NEXT_CAPITAL.match(right) and word.kind != "role":
        return "name or title of a work"
    if starts:
        return None
    if _LINKED_LEFT.search(left) and not re.search(r"\b(?:[Tt]he|[Mm]y|an?|his|her|our) $", left):
        return "name or title of a work"
    return "name or title of a work" if _LINKED_RIGHT.match(right) and word.kind != "role" else None


_SURNAMES_TOO = word_set("surnames too")
_DETERMINED = re.compile(
    r"\b(?:[Tt]he|[Aa]n?|[Tt]his|[Hh]is|[Hh]er|[Tt]heir|[Oo]ur|[Mm]y|[Yy]our)(?: [a-z]+)? $"
)
_SCHOOLED = frozenset(["girls", "boys", "men", "women", "ladies", "gentlemen", "boy", "girl", "man", "woman"])


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
_READING_WORD = (
    "(?:reads?|reading|watch(?:ed|ing)|wrote|s[au]ng|singing|recorded|directed|performed|released|published)"
)
_READING = re.compile(rf"\b{_READING_WORD} $")
CUES_OF_WORKS = re.compile(rf"(?:{any_of('before a work')}|{_READING_WORD})(?![^\W_])")
"""A word without which no first name in quotation marks is the title of a work."""
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
    if kind in _RANKS or hit.part.surface.lower() in _CLERICS:
        return cued or (len(words) > 2 and not speech)
    return cued or not speech or len(words) > 3
