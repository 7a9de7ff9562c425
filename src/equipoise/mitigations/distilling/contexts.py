"""Contexts with one gendered blank: from frames written for this purpose, and from a corpus."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

from equipoise.corpora.documents import Document
from equipoise.corpora.vocabulary import gendered_words
from equipoise.data.reading import own_table
from equipoise.text.blank import BLANK
from equipoise.text.languages.en.articles import fix_articles
from equipoise.text.rewriting.find.first_names import load_names
from equipoise.text.rewriting.mirroring import Mirror, MirroredBlank
from equipoise.text.sentences import sentence_spans

FRAMES = "distillation-frames.csv"
NOUNS = "corpora/person-nouns.csv"
SLOT = re.compile(r"<(\w+)>")
GENDERED = "gendered"
"""Frames about a woman or a man whose blank asks for a pronoun: what the noun tells is told afterwards."""

KEPT = "kept"
"""Frames about a woman or a man whose blank asks for something else: they stay as they are."""

COMMON_NAMES = 400
LONGEST = 240
"""Characters of a document that a context may have: a sentence, and those before it that fit."""

FRAME_SHARES = {
    "occupation": 0.25,
    "two": 0.25,
    "person": 0.16,
    "definitional": 0.35,
    GENDERED: 0.3,
    "named": 0.1,
    KEPT: 0.15,
}
"""Which share of the contexts is drawn from the frames of each kind; what is drawn twice counts once."""

WITHOUT_NOUN = ("occupation", "person")
PERSONS = ("person", "kinship", "role", "occupation")
HIDDEN_NOUN_SHARE = 0.15
"""In so many contexts of these kinds the noun is a blank too: what is expected of nobody in particular."""

_GENDERED = re.compile(
    r"\b(?:he|she|him|her|his|hers|himself|herself|man|woman|men|women|boy|girl|son|daughter|father|mother|"
    r"brother|sister|husband|wife|uncle|aunt|king|queen|actor|actress)\b"
)


@dataclass(frozen=True)
class Context:
    """A text, which of its blanks is asked, and its mirror image; None where it is to stay as it is."""

    text: str
    number: int
    mirrored: MirroredBlank | None
    kind: str
    told: str = ""
    """The gender that a definitional word of the text tells by what it means; empty where none does."""


def frame_contexts(mirror: Mirror, seed: int, *, count: int) -> list[Context]:
    """Contexts drawn from the frames, every kind by itself."""
    table = own_table(FRAMES)
    rng = np.random.default_rng(seed)
    contexts: dict[str, Context] = {}
    for kind, share in FRAME_SHARES.items():
        frames = _frames(table, kind)
        for draw in range(round(share * count)):
            context = _from_frame(mirror, frames[draw % len(frames)], kind, rng)
            contexts.setdefault(context.text, context)
    return list(contexts.values())


def _frames(table: pd.DataFrame, kind: str) -> list[str]:
    """The frames of a kind; those about occupations serve words for a woman or a man as well.

    In the same wording a word that tells the gender is told from one that does not.
    """
    frames: list[str] = table.loc[table["kind"] == kind, "text"].tolist()
    if kind != GENDERED:
        return frames
    about_occupations = table.loc[table["kind"] == "occupation", "text"]
    return [*frames, *about_occupations.str.replace("<noun>", f"<{GENDERED}>")]


def document_contexts(
    documents: Sequence[Document], mirror: Mirror, *, count: int, seed: int
) -> list[Context]:
    """One context of every so many sentences with a gendered word, spread over the documents."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(documents))
    contexts: list[Context] = []
    for place in order:
        candidates = list(_gendered_windows(documents[int(place)].text))
        for window, span in [candidates[int(i)] for i in rng.permutation(len(candidates))[:2]]:
            text = window[: span[0]] + BLANK + window[span[1] :]
            contexts.append(Context(text, 0, mirror.blank(text), "document"))
        if len(contexts) >= count:
            break
    return contexts[:count]


def _gendered_windows(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Sentences with a gendered word, with those before them that fit, and where the word stands."""
    spans = sentence_spans(text)
    for number, span in enumerate(spans):
        start = span.start
        for earlier in reversed(spans[:number]):
            if span.end - earlier.start > LONGEST:
                break
            start = earlier.start
        if span.end - start > LONGEST or BLANK in text[start : span.end]:
            continue
        for match in _GENDERED.finditer(text, span.start, span.end):
            yield text[start : span.end], (match.start() - start, match.end() - start)


def _from_frame(mirror: Mirror, frame: str, kind: str, rng: np.random.Generator) -> Context:
    """A frame with a word drawn for each of its slots; a and an agree."""
    number = 0
    if kind in WITHOUT_NOUN and rng.random() < HIDDEN_NOUN_SHARE:
        number = frame[: frame.index(BLANK)].count("<noun>")
        frame = frame.replace("<noun>", BLANK)
    words: list[str] = []
    text = fix_articles(SLOT.sub(lambda slot: _draw(slot.group(1), rng, words), frame))
    told = next((_told()[one] for one in (frame, *words) if one in _told()), "")
    return Context(text, number, None if kind == KEPT else mirror.blank(text, number), kind, told)


def _draw(slot: str, rng: np.random.Generator, drawn: list[str]) -> str:
    words = fillers(slot)
    drawn.append(words[int(rng.integers(len(words)))])
    return drawn[-1]


@cache
def _told() -> dict[str, str]:
    """The gender that frames and fillers tell by what they mean, where they do (prostate)."""
    table = own_table(FRAMES)
    return dict(table.loc[table["gender"] != "", ["text", "gender"]].itertuples(index=False, name=None))


@cache
def fillers(slot: str) -> tuple[str, ...]:
    """The words that may stand in a slot of a frame."""
    if slot == "noun":
        nouns = own_table(NOUNS)
        return tuple(nouns.loc[nouns["kind"] == "occupation", "noun"])
    if slot in ("name", "othername"):
        plain = [entry for entry in load_names().census if entry.kind == "plain" and entry.partner]
        common = sorted(plain, key=lambda entry: -int(entry.male_per_100k) - int(entry.female_per_100k))
        return tuple(entry.name.title() for entry in common[:COMMON_NAMES])
    if slot == GENDERED:
        return _persons()
    table = own_table(FRAMES)
    return tuple(table.loc[table["kind"] == slot, "text"])


def _persons() -> tuple[str, ...]:
    """Words for a woman or a man (policeman, aunt); none whose male word is said of women too (hero)."""
    table, told = own_table("gendered-words.csv"), gendered_words()
    is_one = table["kind"].isin(PERSONS) & ~table["male"].str.endswith(("s", "men", "hood", "folk"))
    pairs = table.loc[is_one, ["male", "female"]].itertuples(index=False)
    return tuple(word for pair in pairs if all(word in told for word in pair) for word in pair)
