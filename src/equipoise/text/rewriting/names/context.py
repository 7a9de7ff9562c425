"""What the neighbours of a capitalised word say about it: a first name, a surname, something else.

A rule asks for the class of a name (plain, given, word, common word, surname, place or particle), never
for the name itself: a name and its partner, which share a class, are judged alike.
"""

from collections.abc import Mapping, Sequence

from equipoise.text.languages.word_sets import word_set
from equipoise.text.rewriting.names.neighbourhood import (
    ADJECTIVES,
    DATES,
    DETERMINERS,
    EPITHETS,
    FIRST_NAME_TITLES,
    INSTITUTIONS,
    KIN,
    LOCATIVES,
    MEETING,
    PARTICLES,
    PERSON_VERBS,
    PLACE_PREFIXES,
    PLACE_PREPOSITIONS,
    QUOTES,
    REGIONS,
    ROLES,
    SENTENCE_ENDS,
    SENTENCE_STARTERS,
    SPANISH_TITLES,
    SPEAKING,
    STREETS_BEFORE,
    SURNAME_TITLES,
    TIMES,
    UNREAD,
    Neighbourhood,
    is_capital,
)
from equipoise.text.rewriting.names.things import (
    AFTER_VERBS,
    AWARDS,
    CONNECTIVES,
    VERBS_TOO,
    is_award,
    is_cited,
    is_order,
)
from equipoise.text.rewriting.names.titles import (
    FAMILIES,
    FOLLOWING,
    OPENING,
    VERSUS,
    in_address,
    in_title,
    of_family,
)
from equipoise.text.rewriting.names.titles import (
    WORKS as WORK_CUES,
)

FIRST, LAST, OTHER, OPEN_FIRST, OPEN_OTHER, TITLE = range(6)
"""Surely a first name, a surname, neither; open, to be decided by the rest of the document; or the beginning
of a title, to which the names that follow it at once belong as well."""
HYPHENS = frozenset("-‐‑")
SCHEDULES = frozenset(["that", "between", "following", "for", "mid", "as", "is", "was", "be"])
"""Words that stand before a month as well as before a person."""
NO_NOUNS = PERSON_VERBS | SENTENCE_STARTERS | CONNECTIVES
"""Words after a name that is an adjective too (Christian) which say that it is a name."""
GREETINGS = frozenset(["dear", "hi", "hello", "hey"])
WORDS = frozenset(["word", "common"])
ADDRESS_ENDS = frozenset("?!")
SEASONS = frozenset(["April", "May", "June", "August", "Summer", "Autumn", "Easter"])
"""Before a noun these are not persons (May flowers)."""
MODALS = frozenset(["Will", "May"])
ASKING = word_set("names: asking")
"""Words that open a question about a person, with the name at once after them (Did Rich get rich?)."""
KNIGHTS = frozenset(["sir", "dame"])
DESCRIBING = frozenset(["who", "whose", "aged", "my", "his", "her", "our", "their"])
"""After a name and a comma these say that a person is described (Grace, who lived upstairs)."""
PARENTHETIC = word_set("names: parenthetic")
"""After a word that opens a sentence and a comma these say that it is a name (Frank, to be fair, left)."""
LONGEST_ASIDE = 9
"""Tokens after a name and its comma among which the second comma of an aside is looked for."""
FARTHEST_END = 30
"""Tokens after a name among which the end of its sentence is looked for."""
SHORT = 3
CONTRACTED = frozenset(["that", "there", "let", "i", "you", "ain", "can", "won", "don"])
STATE_OFFICES = word_set("names: state offices")
"""What a region has, and a person is not called by (the Virginia Attorney General)."""
LYING = word_set("names: lying")
TOWNS = word_set("names: towns")
"""What a place is said to be."""
WHEREABOUTS = frozenset(["in", "near"])
"""Before the name of a place these say that it is one, whoever else bears it (Florence lives in Florence)."""


def verdicts(tokens: Sequence[str], hits: Sequence[int], classes: Mapping[str, str]) -> dict[int, int]:
    """A verdict for each candidate, from left to right: a surname is known by the first name before it."""
    judged: dict[int, int] = {}
    for index in hits:
        kind = classes[tokens[index]]
        if kind == "plain" and is_plainly(tokens, index):
            judged[index] = OPEN_FIRST
        else:
            judged[index] = judge(Neighbourhood(tokens, index, kind), judged, classes)
    return judged


CUES_BEFORE = OPENING | PARTICLES | DETERMINERS | PLACE_PREPOSITIONS | VERSUS | {"of"}
CUES_AFTER = FOLLOWING | FAMILIES | PARTICLES | {"the", "et", "by"}
"""Words beside a plain name that some rule of `judge` asks for."""
NO_CUES = frozenset([*",.;:!?…—–", "--"])
NOT_PLAIN = ADJECTIVES | AWARDS | VERBS_TOO
NO_ENDS = SURNAME_TITLES | PLACE_PREFIXES | VERSUS
"""Words after which a full stop need not end a sentence."""


def is_plainly(tokens: Sequence[str], index: int) -> bool:
    """Whether no word beside a plain name says anything, which is so for most names.

    The verdict is that of `judge`, for names whose neighbours none of its rules asks for.
    """
    token = tokens[index]
    if index + 1 >= len(tokens) or token.isupper() or token in NOT_PLAIN:
        return False
    following = tokens[index + 1]
    if following not in NO_CUES and (
        not following.islower() or not following.isalpha() or following in CUES_AFTER
    ):
        return False
    if index == 0:
        return True
    previous = tokens[index - 1]
    if previous.islower():
        return previous.isalpha() and previous not in CUES_BEFORE
    before = tokens[index - 2] if index > 1 else ""
    if previous == ".":
        return before.islower() and before.isalpha() and before not in NO_ENDS
    if previous == ",":
        return before.islower() and token.lower() not in REGIONS
    if previous in QUOTES:
        return before != UNREAD and before.lower() not in WORK_CUES
    return previous in SENTENCE_ENDS


def judge(near: Neighbourhood, judged: Mapping[int, int], classes: Mapping[str, str]) -> int:
    """The verdict on one candidate."""
    if near.previous in HYPHENS and is_capital(near.at(near.index - 2)):
        return LAST if judged.get(near.index - 2) == LAST else OTHER
    if near.next in HYPHENS and is_capital(near.at(near.after + 1)):
        return OTHER
    if near.precedes_capital and near.institution_follows():
        return OTHER
    if of_institution(near) or shouted(near):
        return OTHER
    if near.next[:1].isdigit() and near.at(near.after + 1) == ":":  # John 3:16
        return OTHER
    family_first = near.at(near.after + 1) in HYPHENS and near.at(near.after + 2).islower()
    if family_first and near.precedes_capital:  # Kim Min-jun
        return OTHER
    if is_cited(near) or is_order(near) or is_award(near):
        return OTHER
    if in_title(near):
        return TITLE
    if of_family(near):
        return LAST
    if in_address(near, classes) or of_region(near, classes) or is_region(near):
        return OTHER
    if near.initial:
        return after_initial(near)
    if near.low in PARTICLES and (near.previous.islower() or is_capital(near.at(near.place - 1))):
        return LAST
    if is_capital(near.previous):
        verdict = after_capital(near, judged)
        if verdict is not None:
            return verdict
    return before_surname(near, classes) if near.surname_follows else alone(near, judged, classes)


def of_institution(near: Neighbourhood) -> bool:
    """The University of Regina, the Church of Martha."""
    if near.low != "of":
        return False
    before = near.at(near.place - 1)
    return is_capital(before) and before.lower() in INSTITUTIONS


def of_region(near: Neighbourhood, classes: Mapping[str, str]) -> bool:
    """Austin, Texas: not for plain names, whose neighbours in a list may be called like a region."""
    if near.next != "," or near.kind == "plain":
        return False
    region = near.at(near.after + 1)
    closed = near.at(near.after + 2) in {",", ".", ";", ")", "", "and"}
    return closed and region not in classes and region.lower() in REGIONS


def is_region(near: Neighbourhood) -> bool:
    """The region itself, whatever its class: of Arlington, Virginia; the Virginia Attorney General."""
    if near.token.lower() not in REGIONS or near.possessive:
        return False
    if near.next.lower() in STATE_OFFICES and is_capital(near.next):
        return True
    if near.previous != "," or near.next not in {",", ".", ";", ")", ""}:
        return False
    town = near.place - 1
    while is_capital(near.at(town - 1)):
        town -= 1
    return is_capital(near.at(town)) and near.at(town - 1) in PLACE_PREPOSITIONS


def lies_in_region(near: Neighbourhood) -> bool:
    """Alexandria is in Virginia; Savannah is a city in Georgia."""
    if near.next not in LYING:
        return False
    link, region = near.at(near.after + 1), near.at(near.after + 2)
    if link in DETERMINERS:
        return not TOWNS.isdisjoint(near.at(near.after + step) for step in (2, 3, 4))
    return link == "in" and is_capital(region) and region.lower() in REGIONS


def shouted(near: Neighbourhood) -> bool:
    """Capitals alone say little: a short word in them is an abbreviation, a word may be shouted."""
    if not near.token.isupper():
        return False
    written_alone = not near.next.isupper() and not near.previous.isupper()
    return written_alone if near.kind != "plain" else written_alone and len(near.token) <= SHORT


def after_initial(near: Neighbourhood) -> int:
    """J. Edgar Hoover, but John F. Kennedy and J. Taylor."""
    before = near.at(near.place - 1)
    if is_capital(before) and not near.starts_at(near.place) and before.lower() not in SENTENCE_STARTERS:
        return LAST
    return FIRST if near.surname_follows else LAST


def after_capital(near: Neighbourhood, judged: Mapping[int, int]) -> int | None:
    """Titles, parts of names and of places before the candidate; None where the capital means nothing."""
    low = near.low
    if is_contraction(low):
        return None
    if low in STREETS_BEFORE or judged.get(near.place) == TITLE:
        return TITLE
    opens = near.starts_at(near.place)
    if low in SENTENCE_STARTERS and low not in FIRST_NAME_TITLES:
        # in the middle of a sentence such a capital belongs to the title of a work
        return None if opens or near.previous.isupper() or low in GREETINGS else OTHER
    if low in SURNAME_TITLES:
        return FIRST if near.surname_follows or (low == "lady" and near.kind == "plain") else LAST
    if low == "saint" and (
        not near.surname_follows or near.at(near.place - 1).lower() in DETERMINERS | PLACE_PREPOSITIONS
    ):
        return OTHER
    if low in FIRST_NAME_TITLES:
        unsure = near.kind == "surname" or (near.kind == "given" and low in KNIGHTS)
        return OPEN_OTHER if unsure and not near.surname_follows else FIRST
    if low in PLACE_PREFIXES:
        return OTHER
    if judged.get(near.place) == FIRST:
        return FIRST if near.surname_follows and near.kind == "plain" else LAST
    if near.previous.isupper() and len(low) > 1 and not near.token.isupper() and near.surname_follows:
        return None  # the MP Frank Welsh
    if low in ROLES or (opens and low.endswith(("ly", "ing"))):
        return None
    return FIRST if near.surname_follows and near.kind == "plain" else LAST


def is_contraction(low: str) -> bool:
    """It's, I'm, don't, with either apostrophe: no name, whatever its capital says."""
    word, _, ending = low.replace("’", "'").partition("'")
    return bool(ending) and (word in SENTENCE_STARTERS or word in CONTRACTED or word.endswith("n"))


def before_surname(near: Neighbourhood, classes: Mapping[str, str]) -> int:
    """The candidate has a capitalised word after it: a whole name, unless it is a word, place or title."""
    if near.token in SPANISH_TITLES and classes.get(near.next) == "plain":
        return FIRST if is_capital(near.at(near.after + 1)) else OTHER
    if near.low == "the":
        return OTHER
    if near.kind == "plain":
        return FIRST
    if near.low in DETERMINERS or near.kind == "particle":
        return OTHER
    if near.kind in ("surname", "given"):
        return FIRST
    if near.kind == "place":
        return OTHER if near.low in LOCATIVES else FIRST
    if near.kind == "common" and (near.low in TIMES or near.previous[:1].isdigit()):
        return OTHER
    if near.kind == "common" and near.starts:
        # Will John come? May I?
        asks = near.next == "I" or classes.get(near.next) == "plain"
        if asks_whether(near, classes):
            return OTHER
        return OTHER if asks and not is_capital(near.at(near.after + 1)) else FIRST
    return FIRST


def asks_whether(near: Neighbourhood, classes: Mapping[str, str]) -> bool:
    """Whether Will or May opens a question about somebody: Will Joy Smith come?"""
    if near.token not in MODALS or near.next not in classes:
        return False
    rest = (near.at(near.after + step) for step in range(FARTHEST_END))
    return next((token for token in rest if token in {".", "!", "?", ""}), "") == "?"


def alone(near: Neighbourhood, judged: Mapping[int, int], classes: Mapping[str, str]) -> int:
    """The candidate stands by itself: its class, the words around it or the document decide."""
    if near.low in DETERMINERS:
        return OTHER
    before = near.at(near.place - 1)
    if near.next == "," and near.at(near.after + 1).lower() in REGIONS and near.low in PLACE_PREPOSITIONS:
        return OTHER
    if near.next == "the" and near.at(near.after + 1) in EPITHETS:
        return FIRST
    if near.token in ADJECTIVES and near.next.islower() and near.next not in NO_NOUNS:
        return OTHER
    if near.kind == "plain":
        return OPEN_FIRST
    if near.kind in WORDS and (is_counted(near) or (near.starts and near.next in AFTER_VERBS)):
        return OTHER
    if near.low in KIN or (near.previous == "," and before.lower() in KIN):
        return FIRST
    if near.kind == "given":  # a surname as well, yet seldom alone
        return OPEN_FIRST
    return ambiguous(near, in_list(near, judged, classes), classes)


def is_counted(near: Neighbourhood) -> bool:
    """In May, 5 June, April 1912, Bill 101: a date or a number, not a person."""
    number = near.next[:1].isdigit() or (near.next == "," and near.at(near.after + 1)[:1].isdigit())
    return number or near.previous[:1].isdigit() or (near.kind == "common" and near.low in DATES)


def in_list(near: Neighbourhood, judged: Mapping[int, int], classes: Mapping[str, str]) -> bool:
    """Whether a first name is coordinated with the candidate (Anna, Taylor and Tom)."""
    if near.low in CONNECTIVES and judged.get(near.place - 1) in (FIRST, OPEN_FIRST):
        return True
    other = near.after + 1
    return (
        near.next in {"and", "&"}
        and classes.get(near.at(other)) == "plain"
        and not is_capital(near.at(other + 1))
    )


def ambiguous(near: Neighbourhood, listed: bool, classes: Mapping[str, str]) -> int:
    """A word, place or surname that stands alone."""
    doubled = is_echoed(near)
    if near.kind == "surname":
        return OPEN_FIRST if listed or doubled else OPEN_OTHER
    acting = near.next.endswith("ed") and near.at(near.after + 1) in classes  # Chase chased Drew
    described = near.next == "," and near.at(near.after + 1) in DESCRIBING
    described = described or (near.kind == "word" and is_interrupted(near))
    person = listed or doubled or acting or described or near.next in PERSON_VERBS
    if near.kind == "place":
        if (near.low in WHEREABOUTS and not near.possessive) or lies_in_region(near):
            return OTHER
        if near.low in MEETING:
            return OPEN_FIRST
        return OPEN_FIRST if person and near.low not in PLACE_PREPOSITIONS else OPEN_OTHER
    if near.kind == "common":
        asked = near.low in ASKING and near.starts_at(near.place) and near.token not in SEASONS
        lone = near.previous.islower() or asked
        lone = lone and near.low not in CONNECTIVES and near.low not in SCHEDULES
        if near.previous == "," and is_addressed(near):
            return OPEN_FIRST
        if near.token in SEASONS and near.next[:1].islower() and near.next not in NO_NOUNS:
            return OTHER
        if near.starts:
            return OPEN_FIRST if near.next in SPEAKING or doubled or acting or described else OPEN_OTHER
        return OPEN_FIRST if person or lone else OPEN_OTHER
    spoken_to = near.previous in QUOTES and near.next == ","  # "Mark, wait!"
    if near.starts and not near.possessive and not person and not spoken_to:
        return OPEN_OTHER
    return OPEN_OTHER if beside_surname(near, classes) and not listed else OPEN_FIRST


def is_echoed(near: Neighbourhood) -> bool:
    """Will will, Rose rose, Chase chased."""
    word = near.token.lower()
    return near.next in (word, word + "d", word + "ed")


def is_interrupted(near: Neighbourhood) -> bool:
    """Whether an aside stands at once after the candidate: Frank, to be fair, was late."""
    if near.next != "," or near.at(near.after + 1) not in PARENTHETIC:
        return False
    return any(near.at(near.after + step) == "," for step in range(2, LONGEST_ASIDE))


def is_addressed(near: Neighbourhood) -> bool:
    """Will you come, Will? Call me, Art. But: we offer Drama, Art."""
    return near.next in ADDRESS_ENDS or (near.next in {".", ""} and near.at(near.place - 1).islower())


def beside_surname(near: Neighbourhood, classes: Mapping[str, str]) -> bool:
    """Laurel and Hardy: one word after `and` that is not a first name."""
    other = near.at(near.after + 1)
    alone_too = is_capital(other) and not is_capital(near.at(near.after + 2))
    return near.next in {"and", "&"} and alone_too and other not in classes
