"""Contexts from a corpus: windows whose gendered word is hidden, and neutral ones with every pronoun hidden.

A natural window about one person tells the gender nearly always. It is neutral where pronouns are all that
tells it, or once whoever else is named has become somebody with an occupation (a man: a plumber).
"""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from equipoise.corpora.documents import Document
from equipoise.mitigations.distilling.contexts import Context, fillers
from equipoise.text.blank import BLANK
from equipoise.text.languages.en.articles import fix_articles
from equipoise.text.rewriting.account import Change
from equipoise.text.rewriting.find.first_names import load_names
from equipoise.text.rewriting.find.ordinary import no_persons
from equipoise.text.rewriting.mirroring import Mirror, MirroredBlank
from equipoise.text.rewriting.persons import CAPITALISED, SENTENCE_START
from equipoise.text.sentences import sentence_spans

LONGEST = 240
"""Characters of a document that a context may have: a sentence, and those before it that fit."""

MOST_BLANKS = 5
NEUTRAL = "neutral"
PRONOUNS = frozenset(("he", "she", "him", "her", "his", "hers", "himself", "herself"))
PERSONS = frozenset(
    (
        *(
            "man",
            "woman",
            "boy",
            "girl",
            "lady",
            "gentleman",
            "lad",
            "lass",
            "husband",
            "wife",
            "father",
            "uncle",
        ),
        *("mother", "brother", "sister", "son", "daughter", "aunt", "nephew", "niece", "actress", "waitress"),
    )
)
"""Words in whose place an occupation may stand."""

_OWNER = re.compile(r"['’]s$")
_PRONOUN = re.compile(rf"\b(?:{'|'.join(sorted(PRONOUNS))})\b", re.IGNORECASE)
_GENDERED = re.compile(
    r"\b(?:he|she|him|her|his|hers|himself|herself|man|woman|men|women|boy|girl|son|daughter|father|mother|"
    r"brother|sister|husband|wife|uncle|aunt|king|queen|actor|actress)\b"
)


def document_contexts(
    documents: Sequence[Document], mirror: Mirror, *, count: int, seed: int
) -> list[Context]:
    """One context of every so many sentences with a gendered word, spread over the documents."""
    rng = np.random.default_rng(seed)
    contexts: list[Context] = []
    for place in rng.permutation(len(documents)):
        candidates = list(_windows(documents[int(place)].text, _GENDERED))
        for window, span in [candidates[int(i)] for i in rng.permutation(len(candidates))[:2]]:
            text = window[: span[0]] + BLANK + window[span[1] :]
            turned = mirror.blank(text)
            is_kept = turned is not None and turned.text == text and _names_somebody(text)
            contexts.append(Context(text, 0, None if is_kept else turned, "document"))
        if len(contexts) >= count:
            break
    return contexts[:count]


def neutral_contexts(
    documents: Sequence[Document], mirror: Mirror, *, count: int, seed: int
) -> list[Context]:
    """Windows in which nothing tells a gender once their pronouns are hidden."""
    rng = np.random.default_rng((seed, 1))
    contexts: dict[str, Context] = {}
    for place in rng.permutation(len(documents)):
        windows = list(dict.fromkeys(window for window, _ in _windows(documents[int(place)].text, _PRONOUN)))
        for window in [windows[int(i)] for i in rng.permutation(len(windows))[:2]]:
            context = _neutral_context(window, mirror, rng)
            if context is not None:
                contexts.setdefault(context.text, context)
        if len(contexts) >= count:
            break
    return list(contexts.values())[:count]


def _neutral_context(window: str, mirror: Mirror, rng: np.random.Generator) -> Context | None:
    """The window with blanks for pronouns and occupations for others; None where more tells a gender."""
    turned = mirror.sentence(window)
    if turned.skipped or not turned.changes or _names_somebody(window, turned.changes):
        return None
    pieces: list[str] = []
    forms: list[bool] = []
    nouns: dict[str, str] = {}
    end = 0
    for change in turned.changes:
        before = window[end : change.start]
        old, owns = _OWNER.sub("", change.old.lower()), "".join(_OWNER.findall(change.old))
        if old in PRONOUNS:
            forms.append({old, change.new.lower()} == {"his", "her"})
            new = BLANK
        elif old in PERSONS and change.old[0].islower():
            new = nouns.setdefault(old, _drawn(rng)) + owns
        elif _is_lone_name(window, change.start, change.start + len(old)):
            article = "The" if _starts_sentence(window, change.start) else "the"
            new = f"{article} {nouns.setdefault(old, _drawn(rng))}{owns}"
        else:
            return None
        pieces += [before, new]
        end = change.end
    text = fix_articles("".join(pieces) + window[end:])
    if not 1 <= len(forms) <= MOST_BLANKS or text.count(BLANK) != len(forms):
        return None
    also = tuple((number, form) for number, form in enumerate(forms) if number)
    return Context(text, 0, MirroredBlank(text, (), forms[0]), NEUTRAL, also=also)


def _drawn(rng: np.random.Generator) -> str:
    nouns = fillers("noun")
    return nouns[int(rng.integers(len(nouns)))]


def _names_somebody(text: str, changes: Sequence[Change] = ()) -> bool:
    """Whether a capitalised word stands there that may be a surname: models know whose it is."""
    return any(
        match.group() not in no_persons()
        and not SENTENCE_START.search(text[: match.start()])
        and not any(one.start <= match.start() < one.end for one in changes)
        for match in CAPITALISED.finditer(text)
    )


def _is_lone_name(text: str, start: int, end: int) -> bool:
    """Whether a first name stands by itself, without a title or a surname."""
    before = re.search(r"[A-Z][\w.]*\s+$", text[:start])
    is_titled = before is not None and not _starts_sentence(text, before.start())
    is_longer = is_titled or re.match(r"-|\s+[A-Z]", text[end:]) is not None
    return text[start].isupper() and text[start:end].lower() in load_names().names and not is_longer


def _starts_sentence(text: str, at: int) -> bool:
    return not text[:at].strip() or text[:at].rstrip()[-1:] in '.!?"“'


def _windows(text: str, wanted: re.Pattern[str]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Sentences with a wanted word, with those before them that fit, and where the word stands."""
    spans = sentence_spans(text)
    for number, span in enumerate(spans):
        start = span.start
        for earlier in reversed(spans[:number]):
            if span.end - earlier.start > LONGEST:
                break
            start = earlier.start
        if span.end - start > LONGEST or BLANK in text[start : span.end]:
            continue
        for match in wanted.finditer(text, span.start, span.end):
            yield text[start : span.end], (match.start() - start, match.end() - start)
