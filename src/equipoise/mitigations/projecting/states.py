"""Vectors of gendered words and sentences, as the untouched model gives them."""

from dataclasses import dataclass

import numpy as np

from equipoise.data.reading import own_table
from equipoise.errors import UserError
from equipoise.mitigations.distilling.contexts import FRAMES, GENDERED, OCCUPATION, fillers
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Embed
from equipoise.stats.erasure import Floats, Labels
from equipoise.text.blank import BLANK
from equipoise.text.languages.en.articles import fix_articles

PRONOUNS = (("he", "she"),)
NOUNS = (
    *(("man", "woman"), ("father", "mother"), ("brother", "sister"), ("son", "daughter")),
    *(("uncle", "aunt"), ("husband", "wife"), ("boy", "girl"), ("nephew", "niece")),
    *(("grandfather", "grandmother"), ("king", "queen"), ("gentleman", "lady"), ("boyfriend", "girlfriend")),
)
SENTENCES_EACH = 24
LAST = -1
"""The layer whose states the head reads."""


@dataclass(frozen=True)
class Pairs:
    """Vectors of male and female words or sentences, row by row partners."""

    male: Floats
    female: Floats

    @property
    def differences(self) -> Floats:
        """Male less female, once with either sign, so that their mean is 0."""
        difference = self.male - self.female
        return np.vstack([difference, -difference]) / 2

    @property
    def together(self) -> tuple[Floats, Labels]:
        """All vectors, and which are male."""
        both = np.vstack([self.male, self.female])
        return both, np.arange(len(both)) < len(self.male)


def word_vectors(
    model: LanguageModel, pairs: tuple[tuple[str, str], ...], seed: int, layer: int = LAST
) -> Pairs:
    """The hidden states of gendered words in sentences that are otherwise the same."""
    made = _sentences(pairs, seed)
    asked = [
        Embed(text.replace(BLANK, word), layer, (text.index(BLANK), text.index(BLANK) + len(word)))
        for text, pair in made
        for word in pair
    ]
    return _paired(model, asked)


def sentence_vectors(
    model: LanguageModel, pairs: tuple[tuple[str, str], ...], seed: int, layer: int = LAST
) -> Pairs:
    """The mean hidden states of the same sentences."""
    made = _sentences(pairs, seed)
    return _paired(model, [Embed(text.replace(BLANK, word), layer) for text, pair in made for word in pair])


def predicting_vectors(model: LanguageModel, pairs: tuple[tuple[str, str], ...], layer: int = LAST) -> Pairs:
    """The hidden states behind texts about a man or a woman, from which a pronoun would be told."""
    table = own_table(FRAMES)
    frames = table.loc[table["kind"] == GENDERED, "text"]
    lefts = [left.rstrip() for left in frames.str.partition(BLANK)[0] if f"<{GENDERED}>" in left]
    asked = []
    for left in lefts:
        for word in (one for pair in pairs for one in pair):
            text = fix_articles(left.replace(f"<{GENDERED}>", word))
            asked.append(Embed(text, layer, (text.rindex(" ") + 1, len(text))))
    return _paired(model, asked)


def _paired(model: LanguageModel, asked: list[Embed]) -> Pairs:
    vectors = np.array([answer.vector for answer in model.answer(asked)], dtype=float)
    if not np.isfinite(vectors).all():
        raise UserError(
            f"Hidden states of {model.name!r} are not numbers, so that nothing can be learned from them.",
            "Measure the model as it is, and give one whose weights are whole.",
        )
    return Pairs(vectors[::2], vectors[1::2])


def _sentences(pairs: tuple[tuple[str, str], ...], seed: int) -> list[tuple[str, tuple[str, str]]]:
    """Frames about persons with an occupation drawn for each, and the pairs that fit their blank."""
    rng = np.random.default_rng(seed)
    table = own_table(FRAMES)
    frames = table.loc[table["kind"] == "person", "text"].tolist()
    nouns = fillers(OCCUPATION)
    made = []
    for pair in pairs:
        fitting = [frame for frame in frames if frame.startswith(BLANK) == (pair in PRONOUNS)]
        for number in range(SENTENCES_EACH):
            noun = nouns[int(rng.integers(len(nouns)))]
            made.append((fix_articles(fitting[number % len(fitting)].replace("<noun>", noun)), pair))
    return made
