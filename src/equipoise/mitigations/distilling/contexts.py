"""Contexts with a gendered blank, from frames written for this purpose."""

import re
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

from equipoise.corpora.vocabulary import gendered_words
from equipoise.data.reading import own_table
from equipoise.text.blank import BLANK
from equipoise.text.languages.en.articles import fix_articles
from equipoise.text.rewriting.find.first_names import load_names
from equipoise.text.rewriting.mirroring import Mirror, MirroredBlank

FRAMES = "distillation-frames.csv"
NOUNS, MORE_NOUNS = "corpora/person-nouns.csv", "distillation-nouns.csv"
SLOT = re.compile(r"<(\w+)>")
OCCUPATION = "occupation-noun"
"""Occupations that are common enough for projections; `noun` is any word for a person of either gender."""

GENDERED = "gendered"
"""Frames about a woman or a man whose blank asks for a pronoun: what the noun tells is told afterwards."""

KEPT = "kept"
"""Frames about a woman or a man whose blank asks for something else: they stay as they are."""

SCENE, ABOUT = "scene", "about"
"""Frames put together from phrases (what somebody did, is or has), without and with a noun."""

TOLD_ABOUT, NAMED_ABOUT = "told-about", "named-about"
"""The latter with a word for a woman or a man, or with a name, in place of the noun."""

COMMON_NAMES = 400

FRAME_SHARES = {
    SCENE: 0.18,
    ABOUT: 0.18,
    "occupation": 0.06,
    "two": 0.08,
    "person": 0.05,
    "definitional": 0.18,
    GENDERED: 0.1,
    TOLD_ABOUT: 0.18,
    NAMED_ABOUT: 0.06,
    "named": 0.03,
    KEPT: 0.04,
}
"""Which share of the contexts is drawn from the frames of each kind; what is drawn twice counts once."""

WITHOUT_NOUN = ("occupation", "person")
PERSONS = ("person", "kinship", "role", "occupation")
HIDDEN_NOUN_SHARE = 0.15
"""In so many contexts of these kinds the noun is a blank too: what is expected of nobody in particular."""


@dataclass(frozen=True)
class Context:
    """A text, which of its blanks is asked, and its mirror image; None where it is to stay as it is."""

    text: str
    number: int
    mirrored: MirroredBlank | None
    kind: str
    told: str = ""
    """The gender that a definitional word of the text tells by what it means; empty where none does."""

    also: tuple[tuple[int, bool], ...] = ()
    """More blanks of a neutral text that are asked, and whether each asks for a possessive."""


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
    """The frames of a kind; those about a noun serve words for a woman or a man and names as well.

    In the same wording a word that tells the gender is told from one that does not.
    """
    frames: list[str] = table.loc[table["kind"] == kind, "text"].tolist()
    if kind == GENDERED:
        about_occupations = table.loc[table["kind"] == "occupation", "text"]
        return [*frames, *about_occupations.str.replace("<noun>", f"<{GENDERED}>")]
    if kind in (TOLD_ABOUT, NAMED_ABOUT):
        about = table.loc[table["kind"].isin((ABOUT, "reflexive")), "text"]
        return [text for text in about if text.startswith("The <noun>") and text.count("<noun>") == 1]
    return frames


def _from_frame(mirror: Mirror, frame: str, kind: str, rng: np.random.Generator) -> Context:
    """A frame with a word drawn for each of its slots; a and an agree."""
    number = 0
    if kind in WITHOUT_NOUN and rng.random() < HIDDEN_NOUN_SHARE:
        number = frame[: frame.index(BLANK)].count("<noun>")
        frame = frame.replace("<noun>", BLANK)
    if kind == TOLD_ABOUT:
        frame = frame.replace("<noun>", f"<{GENDERED}>")
    elif kind == NAMED_ABOUT:
        frame = frame.replace("The <noun>", "<name>")
    words: list[str] = []
    text = frame
    while SLOT.search(text):
        text = SLOT.sub(lambda slot: _draw(slot.group(1), rng, words), text)
    text = fix_articles(text)
    if kind in (SCENE, ABOUT):
        return _neutral(text, frame, kind, int(rng.integers(text.count(BLANK))))
    told = next((_told()[one] for one in (frame, *words) if one in _told()), "")
    if kind == TOLD_ABOUT:
        told = next(gendered_words()[one] for one in words if one in _persons())
    turned = None if kind == KEPT else mirror.blank(text, number)
    is_missed = kind == "definitional" and turned is not None and turned.text == text
    return Context(text, number, None if is_missed else turned, kind, told)


def _neutral(text: str, frame: str, kind: str, number: int) -> Context:
    """A text that tells no gender is its own mirror image; what somebody owns stands after a possessive."""
    after = frame.split(BLANK)[1:]
    owns = len(after) == text.count(BLANK) and after[number].startswith(" <own>")
    return Context(text, number, MirroredBlank(text, (), owns), kind)


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
    if slot == OCCUPATION:
        nouns = own_table(NOUNS)
        return tuple(nouns.loc[nouns["kind"] == "occupation", "noun"])
    if slot == "noun":
        return (*fillers(OCCUPATION), *own_table(MORE_NOUNS)["noun"])
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
