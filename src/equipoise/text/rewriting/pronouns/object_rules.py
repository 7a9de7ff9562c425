"""When "her" is an object, by the words around it: brought her flowers, saw her last night."""

import re
from collections.abc import Sequence

from equipoise.text.languages.word_sets import word_set
from equipoise.text.rewriting.pronouns.double_objects import FIRST_WORDS, LINKS, is_given, no_noun_follows

NO_NOUNS_OF_HERS = word_set("never a noun of hers")
"""Words after "her" that no noun of hers can begin with."""
_RECALLING = re.compile(
    r"(?:remember|recall|recollect|mind|imagin|pictur|stop|stopp|prevent|excus|forgiv|envision)(?:e|ed|es|s|ing)?"
)
_ENDING = re.compile(r"(?:result|culminat|end)(?:ed|ing|s|e|es)?")
_TELLING = frozenset(("me", "us", "you", "them", "him", "her", "it", "that", "so"))
_SHOWING = re.compile(
    r"(?:show|film|captur|photograph|pictur|imagin|depict|spott?|notic|glimps)(?:e?[ds]?|ing|n)|caught|spied"
    r"|catch(?:es|ing)?"
)
_PICTURES = re.compile(
    r"(?:video|tape|photo|photograph|clip|picture|image|recording|portrait|film)s?|footage", re.IGNORECASE
)
_ING_NOUNS = re.compile(
    r"\w?(?:ring|king|wing)|(?:paint|wedd|build|draw|writ|cloth|train|feel|(?:up)?bring|understand|open)ing"
    r"|(?:mean|offer|engrav|record|long|cunn|str|lov|charm|amaz|stunn|(?:out)?stand|grow|remain|surviv)ing"
    r"|(?:earr|sibl|darl|even|morn|someth|everyth|noth)ing"
)
_TAKING = re.compile(
    r"(?:follow|walk|escort|accompan|call|invit|order|help)(?:ie|y|e)?(?:d|s|ing)?|(?:tak|driv|rid|bring)(?:es?|ing)?"
    r"|sen(?:t|ds?|ding)|took|taken|drove|driven|brought|sees?|saw|seen|seeing|led|leads?|carr(?:y|ied|ies)"
)
_DONE_TO = frozenset(("the", "a", "an", "his", "her", "their", "him", "them", "it"))
"""After a word that may be a noun in -ing these are what is done: shows her painting the fence."""
_STOOD_AT = word_set("stood at")
CALLING = re.compile(r"call(?:s|ed|ing)?")
_KEEPING = re.compile(r"keep(?:s|ing)?|kept")
_NAMING = re.compile(
    r"(?:(?:re-?)?elect|appoint|crown|nam|vot|nominat|declar|proclaim|install|mak)(?:e?[ds]|ing|e)?"
    r"|made|chos(?:e|en)|choos(?:e|es|ing)"
)
NAMED_SO = frozenset(("named", "elected", "appointed", "crowned", "dubbed", "declared", "voted"))
_OFFICES, _PARTS_OF_OFFICES = word_set("offices given"), word_set("parts of offices")
EARNING = frozenset(("earned", "earning", "garnered", "won", "brought", "netted", "gave", "granted"))
_AMOUNTS = frozenset(("several", "numerous", "some", "much", "more", "further", "another", "enough"))
_PRAISE = word_set("earned by fame")
GIVING = word_set("giving so much")
_SEIZING = re.compile(r"h[eo]ld(?:s|ing)?|t[ao]k(?:es?|en|ing)|took|kept|keep(?:s|ing)?")
_LEAVING = frozenset(("leave", "leaves", "leaving", "left", "keep", "keeps", "keeping", "kept"))
_LEFT_DOING = word_set("left doing")
_DATES, _SPANS = word_set("days and months"), word_set("spans of time")
_WITHOUT_NOUN = frozenset(
    (
        ("early", "on"),
        ("due", "to"),
        ("tooth", "and"),
        ("earlier", "this"),
        ("early", "in"),
        ("earlier", "that"),
        ("late", "again"),
        ("late", "twice"),
        ("early", "again"),
    )
)
TIMED = {
    **dict.fromkeys(("next", "early", "late"), _DATES),
    **dict.fromkeys(("earlier", "this", "each"), _DATES | _SPANS),
    "last": _DATES | {"night", "weekend"},
}
"""Times that nobody owns: her last week, but: saw her last night."""
_FINDING = re.compile(
    r"(?:pat|wip|rub|towel|shak|scar|bor|squeez|sprin)(?:e|es|s|ed|t?ted|t?ting|bed|bing|ing)?|drain(?:ed)?|found|finds?|finding|robbed|shot|shoots?|left|declar(?:e|es|ed|ing)|pronounc(?:e|es|ed|ing)|struck|dr[io]ven?"
    r"|gets?|got|getting|sets?|setting|made|makes?|making|ke(?:ep|eps|eping|pt)|consider(?:s|ed)?|th(?:ink|inks|ought)"
    r"|rend(?:er|ers|ered|ering)|call(?:s|ed|ing)?|drov?e|h[eo]lds?"
)
_RANKING = re.compile(
    r"puts?|putting|plac(?:e|es|ed|ing)|rank(?:s|ed|ing)?|rat(?:e|es|ed)|seed(?:s|ed)|ha[ds]|left|sees?|saw"
)
_LASTING = re.compile(r"takes?|took|taken|taking|costs?|costing")
# The next word, the rule, and what must stand before "her" for it to be an object.
OBJECT_BEFORE = {
    "home": ("taken home", _TAKING),
    "names": ("called names", CALLING),
    "company": ("kept company", _KEEPING),
    **dict.fromkeys(word_set("said of an object"), ("so", re.compile(r".*"))),
    **dict.fromkeys(("hostage", "captive", "prisoner"), ("held", _SEIZING)),
    **dict.fromkeys(("years", "months", "weeks", "days", "hours", "minutes", "ages"), ("lasting", _LASTING)),
    **dict.fromkeys(word_set("so in the end"), ("so", _FINDING)),
    **dict.fromkeys(word_set("places in a ranking"), ("ranked", _RANKING)),
}
_SEEING = re.compile(
    r"(?:watch|notic|observ|help)(?:e|es|ed|d|ing)?|sees?|saw|seen|seeing|hear(?:s|d|ing)?|feels?|felt"
    r"|lets?|letting|ma[dk]e|makes|making"
)
_OBJECTS = word_set("objects") - {"up", "over"}
_PARTICLES = frozenset(
    ("away", "out", "off", "down", "back", "again", "home", "around", "past", "up", "alone")
)
_ONLY_DOING, _SURELY_DOING = word_set("only doing"), word_set("surely doing")
_DOING = word_set("doing or a noun") | _ONLY_DOING
_DONE_BY_SOMETHING = word_set("done by something about her")
_THINGS_ABOUT = frozenset(("nothing", "something", "anything", "everything", "much", "little"))
_HEARD_AT = word_set("heard at")
_LISTENING = frozenset(
    (verb, "to") if verb[:3] == "lis" else (verb, "at")
    for verb in ("listen", "listens", "listened", "listening", "look", "looked", "looking")
)
_WATCHED = word_set("done by watching")
_PASSING = frozenset(("walked", "drove", "ran", "passed", "passing", "walking", "driving", "rode", "went"))
_CALLED = frozenset(("Mother", "Father", "Mum", "Mom", "Dad", "Mama", "Papa", "Mummy", "Daddy", "Granny"))
_PAID_SO = frozenset(("weekly", "monthly", "hourly", "daily", "annually"))
_WILL_DO = frozenset(("be", "have", "not", "never", "always", "take", "begin", "continue"))
_CONCERNING = frozenset(("for", "about", "with", "by", "from", "to", "around", "like", "on"))
"""Before "her will be" these say that her is no owner: a memorial for her will be held."""
_GOING_ON = frozenset(("for", "about", "to", "with", "all", "until", "while", "as", "away", "again"))
HAVING = frozenset(("have", "has", "had", "having", "get", "gets", "got", "getting"))
_DONE = re.compile(r"stuck|\w{2,}[^e]ed|shot|thrown|taken|beaten|driven|hanged|hung|sent|caught|brought|put")
_NOT_DONE = frozenset(("hundred", "kindred", "moped", "sacred", "naked", "wicked", "beloved"))
_ANYBODY = frozenset(
    ("nobody", "anybody", "everybody", "one", "anyone", "everyone", "nothing", "none", "all")
)
_BEFORE_A_COST = frozenset(("the", "a", "total", "at", "of"))
_REPORTING = re.compile(
    r"report(?:s|ed|ing)?|declar(?:e|es|ed)|found|f[ie]nds?|list(?:s|ed)?|presum(?:e|es|ed)"
)
_SOME = frozenset(("rest", "part", "half", "parts", "all", "inch"))
_DONE_BY_A_PART = word_set("done by a part")
_COSTING = frozenset(("cost", "costs", "costing"))
NUMBERS, _UNITS = word_set("numbers in words"), word_set("units given")
_PAYING = re.compile(
    r"g[ai]v(?:e|es|en|ing)|sen(?:t|ds?)|pa(?:id|ys?)|slip(?:s|ped)?|bets?|tip(?:s|ped)?|hand(?:s|ed)?|owe[ds]?"
    r"|lend|lent|loan(?:s|ed)?|w[io]ns?|earn(?:s|ed)?|offer(?:s|ed)?|charged?|fined?|took|takes?|taken|saved?|left"
)
_PROVIDING = re.compile(
    r"g[oe]t(?:s|ting)?|b(?:ought|uys?|uying)|br(?:ought|ings?|inging)|fetch(?:ed|es)?|hand(?:s|ed)|lent|ow(?:es|ed?)"
    r"|t(?:old|ells?|elling|aught|each|eaches)|ask(?:s|ed|ing)?|cost(?:s|ing)?|offer(?:s|ed|ing)?|promis(?:es|ed?)"
    r"|pour(?:s|ed|ing)?|bak(?:es|ed)|order(?:s|ed|ing)|book(?:s|ed)|award(?:s|ed)|grant(?:s|ed)|pass(?:es|ed)"
    r"|g[ai]v(?:e|es|en|ing)|sen(?:t|ds?|ding)|serv(?:es|ed|ing)"
)
PEOPLE = word_set("two of hers")
_LOVING = re.compile(
    r"lov(?:e|es|ed)|lik(?:e|es|ed)|kn[eo]ws?|known|suit(?:s|ed)?|pleas(?:e|es|ed)|serv(?:e|es|ed)"
)
_CONTRACTED = frozenset(
    ("it's", "isn't", "wasn't", "that's", "it’s", "that’s", "It's", "That's", "It’s", "That’s")
)
BEING = _CONTRACTED | {"but", "is", "was", "be", "been"}
_SUBJECTS = frozenset(("it", "that", "this", "not", "only", "really", "always", "still", "definitely"))
_ENDS = frozenset(".,;:!?)")
_JOINING = frozenset(("and", "or", "nor", "&"))
_QUOTES = frozenset(('"', "“", "”", "``", "''"))
ASKED_AFTER = (
    FIRST_WORDS
    | _OFFICES
    | _PARTS_OF_OFFICES
    | _DOING
    | _DONE_BY_SOMETHING
    | _HEARD_AT
    | _PAID_SO
    | _DATES
    | _QUOTES
    | {
        "!",
        "?",
        "(",
        "tooth",
        "will",
        *_CALLED,
        "such",
        "never",
        "while",
        "face",
        "early",
        "most",
        "due",
        "best",
        *NUMBERS,
        *_DONE_BY_A_PART,
    }
)
"""Words after "her" that a rule below asks for, apart from those of `OBJECT_BEFORE` and `TIMED`."""


def _is_seen_doing(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether someone is shown at something: "a video of her dancing", "filmed her leaving"."""
    if _ING_NOUNS.fullmatch(after[0]) and after[1] not in _DONE_TO and not _is_standing(after):
        return False
    if before[-1] == "by" and before[-2] in _PASSING:
        return True
    pictured = before[-1] == "of" and _PICTURES.fullmatch(before[-2])
    return bool(pictured or before[-1] == "past" or _SHOWING.fullmatch(before[-1]))


def _is_standing(after: Sequence[str]) -> bool:
    """Whether someone stands somewhere: shows her standing beside him, but: her standing in society."""
    return after[0] == "standing" and after[1] in _STOOD_AT


def _seen_doing(before: Sequence[str], after: Sequence[str]) -> str:
    """Why "her" is likely to be an object before a word in -ing, or nothing."""
    if after[0] == "missing" and _REPORTING.fullmatch(before[-1].lower()) and no_noun_follows(after[1]):
        return "so"
    if before[-1].lower() in _LEAVING and after[0] in _LEFT_DOING:
        return "left doing"
    if before[-1] in ("felt", "feel", "feels") and after[1] in ("him", "me", "them", "us", "it"):
        return "seen doing"
    if before[-1] in ("in", "with") and after[1] != "of" and _ENDING.fullmatch(before[-2].lower()):
        return "seen doing"
    if _RECALLING.fullmatch(before[-1].lower()) and (after[1] in _TELLING or after[1] in _DONE_TO):
        return "seen doing"
    return "seen doing" if _is_seen_doing(before, after) else ""


def object_rule(before: Sequence[str], after: Sequence[str]) -> str:
    """Why "her" is likely to be an object here, or nothing."""
    if after[0].endswith("ing"):
        return _seen_doing(before, after)
    if after[0] in ("!", "?") and before[-1] == ",":
        return "stands alone"
    if after[0].lower() in _JOINING and after[1].lower() == "her":
        return "beside what is hers" if _is_beside_own(after) else ""
    if after[0] in _QUOTES:  # called her "a friend", but: her "friend"
        return "no noun follows" if after[1] in ("a", "an", "the", "not") else ""
    if after[0] == "(":  # told her (Eva), but: her (second) husband
        named = after[1][:1].isupper() and not after[1].endswith(("'s", "’s"))
        return "named" if named and ")" in after[2:] else ""
    if after[0] in NO_NOUNS_OF_HERS or _goes_on_without_noun(before, after):
        return "no noun follows"
    if (
        before[-1] in BEING
        and after[0] in _ENDS
        and (before[-1] in _CONTRACTED or before[-2].lower() in _SUBJECTS)
    ):
        return "stands alone"
    if after[0] in _CALLED and CALLING.fullmatch(before[-1].lower()):
        return "named"
    if before[-1] in NAMED_SO and after[0][:1].isupper():
        return "named"
    if counted := _rule_of_amounts(before, after):
        return counted
    if after[0] == "best" and _LOVING.fullmatch(before[-1].lower()) and no_noun_follows(after[1]):
        return "no noun follows"
    if before[-1] == "but" and before[-2].lower() in _ANYBODY:
        return "nobody but" if after[0] == "left" or no_noun_follows(after[0]) else ""
    if before[-1] in _COSTING and before[-2].lower() not in _BEFORE_A_COST and after[1] not in _OBJECTS:
        return "cost"
    if is_given(before, after):
        return "given"
    if _is_named(before, after):
        return "named"
    if _is_seen_to_do(before, after):
        return "seen to do"
    if before[-1].lower() in HAVING and _is_done(after):
        return "done to"
    if (
        after[0] in _DONE_BY_SOMETHING
        and before[-1] in ("about", "in")
        and before[-2].lower() in _THINGS_ABOUT
    ):
        return "something about"
    if after[0] in _DONE_BY_A_PART and before[-1] == "of" and before[-2].lower() in _SOME:
        return "part of"
    rule, pattern = OBJECT_BEFORE.get(after[0], ("", None))
    return rule if pattern and no_noun_follows(after[1]) and pattern.fullmatch(before[-1].lower()) else ""


def _rule_of_amounts(before: Sequence[str], after: Sequence[str]) -> str:
    """How much or how many she gets: earned her a prize, paid her two pounds, bought her three tickets."""
    if before[-1] in EARNING and (after[0] in _AMOUNTS or not _PRAISE.isdisjoint(after[:2])):
        return "earned"
    if before[-1] in GIVING and after[0][:1].isdigit():
        return "given so much"
    if after[0] in NUMBERS and after[1] in _UNITS and _PAYING.fullmatch(before[-1].lower()):
        return "given so much"
    if after[0] in NUMBERS and _PROVIDING.fullmatch(before[-1].lower()) and _is_provided(after):
        return "given so many"
    return ""


def _is_beside_own(after: Sequence[str]) -> bool:
    """Whether something of hers comes second: her and her dog, but: her and her brother's house."""
    owned = after[2][:1].isalpha() and after[2] not in ("own", "only", "alone")
    return owned and not any(token.endswith(("'s", "’s", "s'", "s’")) for token in after[2:4])


def _is_provided(after: Sequence[str]) -> bool:
    """Whether so many things that are no people follow: got her two tickets, but: told her two sons."""
    return after[1].islower() and not no_noun_follows(after[1]) and PEOPLE.isdisjoint(after[1:3])


def _is_named(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether an office is given: made her president, elected her vice president."""
    if not _NAMING.fullmatch(before[-1].lower()):
        return False
    if after[0] in _PARTS_OF_OFFICES and after[1] in _OFFICES:
        return no_noun_follows(after[2])
    if after[0] == "head":
        return after[1] == "of"
    return after[0] in _OFFICES and no_noun_follows(after[1])


def _is_seen_to_do(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether a word that may be a noun is a verb: saw her leave the room, but: saw her leave of absence."""
    following = after[1].lower()
    if after[0] in _HEARD_AT and (before[-2].lower(), before[-1]) in _LISTENING:
        return following in _GOING_ON or following.endswith("ly")
    if after[0] not in _DOING or not _SEEING.fullmatch(before[-1].lower()):
        return False
    if after[0] in _ONLY_DOING or following in _OBJECTS or following in _PARTICLES:
        return True
    if following.endswith("ly"):
        return True
    surely = after[0] in _SURELY_DOING or before[-1].lower().startswith(("watch", "let"))
    if surely and following in _WATCHED:
        return True
    return surely and following != "of" and no_noun_follows(following)


def _is_done(after: Sequence[str]) -> bool:
    """Whether a participle follows that describes no noun: had her followed by."""
    done = _DONE.fullmatch(after[0]) and after[0] not in _NOT_DONE
    return bool(done) and no_noun_follows(after[1])


def _goes_on_without_noun(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether the sentence goes on without a noun of hers: her last night, her such as, her never again."""
    first, second = after[0], after[1]
    if first in _PAID_SO:
        return before[-1].lower() in ("paid", "pay", "pays", "paying") and no_noun_follows(second)
    if first == "will":
        return second in _WILL_DO and before[-1].lower() in _CONCERNING
    if first == "such":
        return second in ("as", "a", "an")
    if first == "while":
        return before[-1] != "worth"
    if first == "never":
        return not second.endswith("ing")
    if (first, second) in _WITHOUT_NOUN or tuple(after[:3]) == ("face", "to", "face"):
        return True
    if first == "most":
        return second in LINKS
    if first in _DATES:
        return no_noun_follows(second) and not second[:1].isdigit()
    return second in TIMED.get(first, ())
