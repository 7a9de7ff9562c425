"""When "her" must be a possessive, by the words around it: her own, her mother, one of her many drafts."""

from collections.abc import Sequence

from equipoise.text.languages.word_sets import word_set
from equipoise.text.rewriting.find.tokens import END
from equipoise.text.rewriting.pronouns.double_objects import FIRST_WORDS, LINKS, no_noun_follows
from equipoise.text.rewriting.pronouns.object_rules import EARNING, GIVING, NUMBERS, PEOPLE

CLOSING = frozenset(".,;:!?)]}") | {END}
"""Tokens that close what goes before them."""
KIN = word_set("one person's kin")
HER_INITIALS = word_set("hers in capitals")
_DEGREES = word_set("degrees")
_DESCRIBING = _DEGREES | {"many", "only", "then", "former", "late", "numerous", "various"}
_OFTEN_DESCRIBING = frozenset(("better", "only", "later"))
"""Words that describe a noun of hers wherever one follows them, and else stand alone."""
_RETURNS = word_set("returns")
_DESCRIBED = _DESCRIBING | _OFTEN_DESCRIBING | _RETURNS | {"leave", "more"}
_TELLING = (
    EARNING
    | GIVING
    | {
        "tell",
        "tells",
        "told",
        "teach",
        "taught",
        "showed",
        "bring",
        "make",
        "made",
        "help",
        "helped",
        "helps",
    }
    | {"given", "left", "leaves", "paid", "pays", "cost", "costs", "allowed", "allows", "lent", "granted"}
)
"""Verbs after which "her only" or "her more" begins what she is told or given: left her only two dollars."""
_EACH_OF_HERS = word_set("each of hers")
_PUTTING = frozenset(("put", "puts", "putting", "give", "gave", "gives", "giving"))
_GOT, _GETTING = word_set("got by her"), frozenset(("get", "gets", "got", "getting", "gotten"))
"""What one gets for oneself: got her wish, gets her degree."""
_BEARING = frozenset(
    ("gave", "give", "gives", "given", "bore", "bear", "bought", "buy", "get", "got", "cost")
)
_GIVEN_BY_HERSELF, _GAVE = word_set("given by herself"), frozenset(("gave", "gives", "give"))
"""What a woman who is said to give it gives of her own: she gave her notice, but: he gave her notice."""
_GIVEN_TO, _JUST = frozenset(("a", "an", "the")), word_set("things just given")
_HOUSED = word_set("before a home of hers")
"""Verbs that have a home, and not the way there, for an object: made her home in Rome."""
_PARTING = frozenset(("sold", "sell", "sells", "keep", "kept", "spent", "donated", "want", "wanted", "lost"))
_ALL_IN = frozenset(("into", "in", "to", "for", "on", "during", "every", "at"))
_BEFORE_DESCRIBED = frozenset(("of", "by", "with", "in", "from", "about", "on", "under", "for", "at"))
"""Prepositions after which such a word opens a noun of hers: one of her many drafts."""
OWNING_AFTER = (
    frozenset(("The", "A", "An", "worth", "all", "every", "guard", "half", "home"))
    | _DESCRIBED
    | _GOT
    | _GIVEN_BY_HERSELF
    | NUMBERS
)
"""Words after "her" that a rule here asks for, apart from kin."""


def owning_rule(before: Sequence[str], after: Sequence[str]) -> str:
    """Why "her" must be a possessive here, or nothing."""
    following = after[0].lower()
    if following in ("own", "self"):
        return "own"
    if after[0] in KIN or after[0] in HER_INITIALS:
        return "kin" if after[0] in KIN else "own"
    if before[-1].lower() in ("among", "amongst", "during"):
        return "among"
    if after[0] in _DESCRIBED and _is_described(before, after):
        return "described"
    if after[0] in _GOT and before[-1].lower() in _GETTING:
        return "got"
    if after[0] in _GIVEN_BY_HERSELF and before[-1] in _GAVE and before[-2] in ("she", "She"):
        return "given by herself"
    if after[1] in _GIVEN_TO and before[-1] in _GAVE and after[0].islower() and not _is_just_given(after[0]):
        return "given to what is hers"
    if after[0] in NUMBERS and after[1] in PEOPLE and not _are_given(before, after):
        return "people"
    if after[0] == "all" and before[-1].lower() in _PUTTING and (after[1] in CLOSING or after[1] in _ALL_IN):
        return "all"
    if after[0] == "every" and after[1] in _EACH_OF_HERS:
        return "every"
    if after[0] == "half" and before[-1].lower() in _PARTING and (after[1] in CLOSING or after[1] in LINKS):
        return "half"
    if after[0] == "home" and before[-1].lower() in _HOUSED:
        return "home"
    if after[0] == "guard" and after[1] in ("down", "slip", "drop"):
        return "guard"
    if after[0] == "worth" and (after[1] in LINKS or after[1] in CLOSING):
        return "worth"
    if after[0] in ("The", "A", "An") and after[1][:1].isupper() and before[-1] != END:
        return "title"
    if following in ("and", "or", "&", "/") and is_shared(after):
        return "shared"
    joined = following in ("and", "&", "nor") and after[1].lower() in ("his", "their")
    shares = joined and after[2][:1].isalpha() and before[-1].lower() in (END, "both", "neither")
    return "shared" if shares else ""


def _is_just_given(word: str) -> bool:
    """Whether a word goes with what is given: gave her half the cake, but: gave her deputy the keys."""
    return no_noun_follows(word) or word in _JUST or word in NUMBERS or word in FIRST_WORDS


def _is_described(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether a word that may describe a noun of hers has one: one of her many drafts, her better half."""
    first, second = after[0], after[1]
    if first in _RETURNS:
        return before[-1] == "made" and (second in LINKS or second in CLOSING)
    if first == "leave":
        return second == "of"
    if no_noun_follows(second) or not second.islower():
        return False
    if first in ("more", "better", "only") and second not in KIN and before[-1].lower() in _TELLING:
        return False
    if first == "more":
        return not no_noun_follows(after[2])
    return first in _DEGREES or first in _OFTEN_DESCRIBING or before[-1] in _BEFORE_DESCRIBED


def _are_given(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether so many are had or bought: gave her two sons, but: gave her two sons a hug."""
    return before[-1].lower() in _BEARING and no_noun_follows(after[2]) and after[2] not in ("a", "an", "the")


def is_shared(after: Sequence[str]) -> bool:
    """Whether a possessor with a noun of its own follows: "her [and Sam's friendship]"."""
    for place in (1, 2):
        token = after[place].replace("’", "'")
        if token.endswith(("'s", "s'")):
            return after[place + 1][:1].isalnum()
        if not token[:1].isalpha():
            return False
    return False
