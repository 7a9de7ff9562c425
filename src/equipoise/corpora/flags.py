"""Sentences that a reader should look at, marked by a lexicon and rules, each with its evidence.

- `generic-pronoun`: he or she for an indefinite person (see `generic_pronouns`);
- `occupation`: a definite person known by what they do, and a pronoun that tells the gender ("the nurse lost
  her keys"); no fault in one sentence, but many of them are what a model learns from;
- `generalisation`: a statement about women or men as a kind ("women always complain", see `kinds`);
- `benevolent` and `hostile`: phrases of benevolent and hostile sexism (Glick and Fiske 1996), from a list of
  our own, and statements about a kind with a flattering or a disparaging word near them. A quotation or a
  denial holds the phrase too, so a mark is a place to read, not a verdict.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from equipoise.corpora.documents import Document
from equipoise.corpora.generic_pronouns import (
    BOTH,
    PRONOUNS,
    generic_pronoun,
    is_occupation,
    tells_gender,
)
from equipoise.corpora.tokens import cased_tokens, tokens
from equipoise.data.reading import own_table
from equipoise.text.rewriting.find.first_names import load_names
from equipoise.text.rewriting.pronouns.forms import choose_form
from equipoise.text.sentences import Span, sentence_spans

SLOT = "{women}"
WOMEN = ("women", "girls", "ladies", "females", "wives", "mothers")
"""What may stand in a phrase's slot: women as a kind."""

NEAREST = 12
"""Words behind a person among which a pronoun may still mean them."""

OWN = frozenset(("his", "her", "himself", "herself"))
SUBJECTS = frozenset(("he", "she"))
LINKS = frozenset(("and", "because", "before", "after", "until", "as", "since", "("))
SPEAKERS = frozenset(("i", "me", "my", "we", "us", "our", "you"))
OTHERS = (
    SPEAKERS
    | frozenset(
        (
            "'s",
            "that",
            "if",
            "whether",
            "when",
            "while",
            "says",
            "said",
            "told",
            "asked",
            "they",
            "them",
            "by",
        )
    )
    | frozenset('";:“”.!?')
)
"""What between a person and a pronoun brings somebody else in, or another clause."""

DEFINITE = frozenset(("the", "this", "that", "our", "my", "your", "their"))
FLAG_COLUMNS = ("rule", "document", "file", "line", "start", "end", "evidence", "sentence")


class Flag(NamedTuple):
    """Where a sentence stands in a text, the rule it was marked by and the words that gave the reason."""

    rule: str
    span: Span
    evidence: str


def flags_in(text: str) -> list[Flag]:
    """Every marked sentence of a text, once for each rule it falls under."""
    return [
        Flag(rule, span, evidence)
        for span in sentence_spans(text)
        for rule, evidence in flags_of(text[span.start : span.end])
    ]


def flagged_rows(document: Document, flags: Iterable[Flag]) -> list[tuple[object, ...]]:
    """The marked sentences of a document as rows of `FLAG_COLUMNS`."""
    return [
        (flag.rule, document.id, *document.where, *flag.span, flag.evidence, document.text[slice(*flag.span)])
        for flag in flags
    ]


def flags_of(sentence: str) -> list[tuple[str, str]]:
    """The rules a sentence falls under, each with the words that gave the reason."""
    words = tokens(sentence)
    flags = []
    if not PRONOUNS.isdisjoint(words):
        generic = generic_pronoun(sentence)
        if generic:
            person = " ".join(words[generic.start : generic.end])
            flags.append(("generic-pronoun", f"{person} ... {words[generic.pronoun]}"))
        else:
            named = _occupation(words, sentence)
            if named:
                flags.append(("occupation", named))
    return flags + _sexism(words)


def _occupation(words: Sequence[str], sentence: str) -> str:
    """A definite person and a pronoun behind that can hardly mean anybody else."""
    if BOTH.search(sentence):
        return ""
    for place in range(1, len(words)):
        if is_occupation(words[place]) and not DEFINITE.isdisjoint(words[max(place - 3, 0) : place]):
            pronoun = _own_pronoun(cased_tokens(sentence), words, place)
            return f"{words[place]} ... {words[pronoun]}" if pronoun else ""
    return ""


def _own_pronoun(written: Sequence[str], words: Sequence[str], place: int) -> int:
    """Return the position of the first pronoun after a person if it refers to them, else 0.

    Nobody else may be about: no woman, man, name or speaker before it, no other person between. It is their
    own (his, himself), or the subject of a clause that goes on with them (and he, before she).
    """
    if tells_gender(words[:place]) or not SPEAKERS.isdisjoint(words[:place]):
        return 0
    if any(word[:1].isupper() for word in written[1 : place + 1]) or load_names().is_known(written[0]):
        return 0
    for behind in range(place + 1, min(place + 1 + NEAREST, len(words))):
        if words[behind] in PRONOUNS:
            return behind if _goes_on(words, behind) else 0
        if words[behind] in OTHERS or written[behind][:1].isupper() or is_occupation(words[behind]):
            return 0
        if tells_gender((words[behind],)):
            return 0
    return 0


def _goes_on(words: Sequence[str], place: int) -> bool:
    """Whether a pronoun is the person's own, or the subject of a clause that goes on with them."""
    if words[place] == "her":
        return (
            choose_form("her", words[max(place - 4, 0) : place], words[place + 1 : place + 5]).form == "his"
        )
    return words[place] in OWN or (words[place] in SUBJECTS and words[place - 1] in LINKS)


def _sexism(words: Sequence[str]) -> list[tuple[str, str]]:
    """Return the first phrase of each kind; without one, a statement about all women or all men."""
    phrases = _phrases(words)
    statement = None if phrases else statement_of(words)
    return [(statement.kind, statement.evidence)] if statement else phrases


def _phrases(words: Sequence[str]) -> list[tuple[str, str]]:
    """The first phrase of each kind."""
    kinds: dict[str, str] = {}
    index = _phrase_index()
    for place, word in enumerate(words):
        for kind, phrase in index.get(word, ()):
            if kind not in kinds and tuple(words[place : place + len(phrase)]) == phrase:
                kinds[kind] = " ".join(phrase)
    return sorted(kinds.items())


@cache
def _phrase_index() -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    """The phrases by their first word."""
    index: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for row in own_table("corpora/flag-phrases.csv").to_dict("records"):
        for women in WOMEN if SLOT in row["phrase"] else ("",):
            phrase = tuple(tokens(row["phrase"].replace(SLOT, women)))
            index.setdefault(phrase[0], []).append((row["kind"], phrase))
    return index


TABLE = "corpora/kind-words.csv"
HOSTILE, BENEVOLENT, NEITHER = "hostile", "benevolent", "generalisation"
SIDES = (HOSTILE, BENEVOLENT)
REACH = 8
"""Words on either side of a statement that tell whether it disparages or flatters."""

STARTS = frozenset(
    (".", ",", ";", ":", "—", "(", '"', "“", "that", "because", "since", "and", "but", "as", "so")
)
"""What stands before a clause of its own."""

SOME = frozenset(("most", "all", "many", "few", "no", "only", "modern", "young"))
ANY = frozenset(("a", "an", "any", "every", "each", "no", "only"))
THIRD_PERSON = 2
"""A verb in the third person has an s and at least so many letters before it."""

NO_VERBS = frozenset(("'s", "his", "as", "this", "us", "yes", "was", "always", "perhaps", "besides", "whose"))
OUTSIDE = (
    (",", "for", "a", "girl"), (",", "for", "a", "woman"), ("smart", "for", "a", "girl"),
    ("smart", "for", "a", "woman"), ("strong", "for", "a", "girl"), ("clever", "for", "a", "woman"),
    ("only", "a", "woman", "would"), ("only", "a", "man", "would"), ("as", "any", "good", "mother"),
    ("like", "every", "other", "man"), ("like", "every", "other", "woman"), ("as", "with", "all", "women"),
    ("what", "sort", "of", "wife"), ("what", "kind", "of", "father"), ("what", "kind", "of", "mother"),
    ("what", "sort", "of", "mother"), ("gift", "women", "have"), ("never", "trust", "a", "woman"),
    ("never", "believe", "a", "man"), ("no", "place", "for", "women"), ("no", "life", "for", "a", "woman"),
    ("place", "for", "women"), ("run", "by", "women"),
)  # fmt: skip
"""Phrases that speak of a kind without being the subject of a clause."""


class Statement(NamedTuple):
    """Which kind of statement, and the words that gave the reason."""

    kind: str
    evidence: str


def statement_of(words: Sequence[str]) -> Statement | None:
    """The first statement about women or men as a kind among the words of a sentence."""
    for place in range(len(words)):
        end = _subject(words, place) or _phrase(words, place)
        if end:
            near = words[max(place - REACH, 0) : end + REACH]
            listed = {kind: [word for word in near if word in _words_of(kind)] for kind in SIDES}
            kind = next((kind for kind in SIDES if listed[kind]), NEITHER)
            reason = listed.get(kind, [])[:1]
            return Statement(kind, " ... ".join([" ".join(words[place:end]), *reason]))
    return None


def _phrase(words: Sequence[str], place: int) -> int:
    """The place after a phrase that begins here, or 0."""
    for phrase in _outside().get(words[place], ()):
        if tuple(words[place : place + len(phrase)]) == phrase:
            return place + len(phrase)
    return 0


@cache
def _outside() -> dict[str, list[tuple[str, ...]]]:
    """The phrases by their first word: most words begin none."""
    index: dict[str, list[tuple[str, ...]]] = {}
    for phrase in OUTSIDE:
        index.setdefault(phrase[0], []).append(phrase)
    return index


def _subject(words: Sequence[str], place: int) -> int:
    """The place after a kind and its verb that begin here, or 0."""
    if words[place] not in _first_words():  # most words begin none
        return 0
    if place and words[place - 1] not in STARTS and words[place - 1] not in _words_of("opening"):
        return 0
    noun = place
    after = words[place + 1] if place + 1 < len(words) else ""
    singular = words[place] in ANY and after in _words_of("one")
    if words[place] in ("a", "an") and after in _words_of("anyone"):
        return 0
    if singular or (words[place] in SOME and after in _words_of("kind")):
        noun = place + 1
    elif words[place] not in _words_of("kind"):
        return 0
    verb = noun + 1
    while verb < len(words) and words[verb] in _words_of("adverb") and words[verb] not in NO_VERBS:
        verb += 1
    if verb >= len(words):
        return 0
    is_told = words[verb] in _words_of("modal") or (
        _is_third_person(words[verb]) if singular else words[verb] in _words_of("verb")
    )
    return verb + 1 if is_told else 0


@cache
def _first_words() -> frozenset[str]:
    """The words that a kind can begin with."""
    return ANY | SOME | _words_of("kind")


def _is_third_person(word: str) -> bool:
    return word not in NO_VERBS and word.endswith("s") and len(word) > THIRD_PERSON + 1 and word.isalpha()


@cache
def _words_of(kind: str) -> frozenset[str]:
    table = own_table(TABLE)
    return frozenset(table.loc[table["kind"] == kind, "word"])
