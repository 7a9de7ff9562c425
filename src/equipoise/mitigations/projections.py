"""Published projections at the head: what tells the gender in the last hidden states is projected away.

What they do  A linear map of the last hidden states, folded into the first product of the head, so that the
              folder is plain. `direction-removal`: the first principal directions of differences of partners,
              of he and she alone or of several pairs of words (Bolukbasi et al. 2016). `sentence-projection`:
              the same of whole sentences' mean vectors (Liang et al. 2020). `leace`: the closed form after
              which no linear function tells the gender of a word (Belrose et al. 2023; written out here in a
              few lines rather than taken from the package concept-erasure, for two classes need no more).
              `inlp`: the directions of several logistic classifiers, one after another (Ravfogel et al. 2020,
              who use support vector machines).
Breaks        The head needs these directions to fill in pronouns at all: on BERT definitional words are right
              in 60 to 75 % of cases instead of 100, Alice and Bob in 50 to 75 instead of 96, and pregnant may
              lean to he; INLP with many rounds multiplies perplexity. The first component of several pairs is
              the mildest. No paper's table shows this: they look at vectors, or at one benchmark.
Learned from  Frames with person words written for this project; nothing is read from a corpus.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from equipoise.errors import UserError, unknown_name
from equipoise.mitigations.base import Changed, Materials
from equipoise.mitigations.networks import masked_model
from equipoise.mitigations.projecting.folding import with_map
from equipoise.mitigations.projecting.states import NOUNS, PRONOUNS, sentence_vectors, word_vectors
from equipoise.models.base import LanguageModel
from equipoise.stats.erasure import (
    Affine,
    Floats,
    Labels,
    inlp,
    leace,
    principal_directions,
    without_directions,
)

PAIRS = {"he-she": PRONOUNS, "several": (*PRONOUNS, *NOUNS)}


@dataclass(frozen=True)
class DirectionRemoval:
    """Removes the first directions of differences of gendered words."""

    name: ClassVar[str] = "direction-removal"
    reads_corpus: ClassVar[bool] = False

    pairs: str = "several"
    components: int = 1

    def change(self, model: LanguageModel, materials: Materials) -> Changed:
        """A copy whose head does not see the directions."""
        if self.pairs not in PAIRS:
            raise unknown_name("set of pairs", self.pairs, PAIRS)
        _check_positive("components", self.components)
        masked = masked_model(model, self.name)
        vectors = word_vectors(model, PAIRS[self.pairs], materials.seed)
        mapped = without_directions(principal_directions(vectors.differences, self.components))
        said = f"{self.components} direction(s) of {len(PAIRS[self.pairs])} pair(s) of words were removed."
        return Changed(with_map(masked, mapped, self.name), (said,))


@dataclass(frozen=True)
class SentenceProjection:
    """Removes the first directions of differences of whole sentences."""

    name: ClassVar[str] = "sentence-projection"
    reads_corpus: ClassVar[bool] = False

    components: int = 1

    def change(self, model: LanguageModel, materials: Materials) -> Changed:
        """A copy whose head does not see the directions."""
        _check_positive("components", self.components)
        masked = masked_model(model, self.name)
        vectors = sentence_vectors(model, PAIRS["several"], materials.seed)
        mapped = without_directions(principal_directions(vectors.differences, self.components))
        return Changed(
            with_map(masked, mapped, self.name), (f"{self.components} direction(s) were removed.",)
        )


@dataclass(frozen=True)
class Leace:
    """Erases every linear trace of a word's gender from the last hidden states."""

    name: ClassVar[str] = "leace"
    reads_corpus: ClassVar[bool] = False

    def change(self, model: LanguageModel, materials: Materials) -> Changed:
        """A copy whose head sees erased states."""
        return _erased(model, materials, self.name, lambda vectors: leace(*vectors))


@dataclass(frozen=True)
class NullSpaceProjection:
    """Removes the directions of several classifiers of gender in turn."""

    name: ClassVar[str] = "inlp"
    reads_corpus: ClassVar[bool] = False

    rounds: int = 5

    def change(self, model: LanguageModel, materials: Materials) -> Changed:
        """A copy whose head does not see what the classifiers read."""
        _check_positive("rounds", self.rounds)
        return _erased(model, materials, self.name, lambda vectors: inlp(*vectors, self.rounds))


def _erased(
    model: LanguageModel, materials: Materials, name: str, erase: Callable[[tuple[Floats, Labels]], Affine]
) -> Changed:
    masked = masked_model(model, name)
    vectors = word_vectors(model, PAIRS["several"], materials.seed).together
    mapped = erase(vectors)
    return Changed(with_map(masked, mapped, name), (f"Learned from {len(vectors[0]):,} words in sentences.",))


def _check_positive(name: str, value: int) -> None:
    if value < 1:
        raise UserError(f"{name} is {value}.", "Give a whole number from 1 on.")
