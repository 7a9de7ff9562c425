"""Published projections: remove what tells the gender in hidden states, at the head or at a layer.

What they do  A linear map of hidden states. With `layer=0`, the default, of the last ones, folded into the
              first product of the head, so that the folder is plain. With another layer the states behind it
              are mapped, learned there as well; the next layer also adds them to its own result, a way on
              which there are no weights to fold a map into, so that it is saved as a recipe around the model.
              `direction-removal`: the first principal directions of differences of partners,
              of he and she alone or of several pairs of words (Bolukbasi et al. 2016). `sentence-projection`:
              the same of whole sentences' mean vectors (Liang et al. 2020). `leace`: the closed form after
              which no linear function tells the gender of a word (Belrose et al. 2023; written out here in a
              few lines rather than taken from the package concept-erasure, for two classes need no more).
              `inlp`: the directions of several logistic classifiers, one after another (Ravfogel et al. 2020,
              who use support vector machines).
Removes       At the head nothing in a single sentence: docs/mitigations.md has the figures, with the command.
Breaks        The head needs these directions to fill in pronouns: fewer words that tell a gender are
              understood. INLP with many rounds multiplies perplexity. The first component of several pairs
              is the mildest.
Learned from  Frames with person words written for this project; nothing is read from a corpus.
Causal        A layer must be named: the direction is taken away behind it, which is known as steering. It is
              learned where the next word is told ("The policewoman said that"), not at the gendered word.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from equipoise.choices import option
from equipoise.errors import UserError, unknown_name
from equipoise.mitigations.base import Changed, Materials, Presets
from equipoise.mitigations.networks import masked_or_causal
from equipoise.mitigations.projecting import (
    LAST,
    NOUNS,
    PRONOUNS,
    Pairs,
    predicting_vectors,
    sentence_vectors,
    with_map,
    word_vectors,
)
from equipoise.models.neural.causal import CausalModel
from equipoise.models.neural.masked import MaskedModel
from equipoise.models.protocol import LanguageModel
from equipoise.models.wrappers.layer_map import LayerMapped
from equipoise.stats.erasure import (
    Affine,
    Floats,
    Labels,
    inlp,
    leace,
    principal_directions,
    without_directions,
)

LAYER = "behind which layer states are mapped, counted from 1; 0: at the head"
PAIRS = {"he-she": PRONOUNS, "several": (*PRONOUNS, *NOUNS)}


class Projection:
    """Base of the projections: a place at which states cannot be mapped is refused at once."""

    name: ClassVar[str]
    layer: int

    def place(self, model: LanguageModel) -> "_Place":
        """Where the states of this model are mapped."""
        return _Place(masked_or_causal(model, self.name), self.layer, self.name)

    def check(self, model: LanguageModel, materials: Materials) -> None:
        """Refuse another kind of model, and a layer that it does not have."""
        self.place(model)


@dataclass(frozen=True)
class DirectionRemoval(Projection):
    """Direction removal: project away the directions in which gendered words differ."""

    name: ClassVar[str] = "direction-removal"
    reads_corpus: ClassVar[bool] = False
    presets: ClassVar[Presets] = {}

    pairs: str = option("several", "whose differences are taken: several pairs of words, or he-she")
    components: int = option(1, "how many directions are removed")
    layer: int = option(0, LAYER)

    def change(self, model: LanguageModel, materials: Materials) -> Changed:
        """A copy whose head does not see the directions."""
        if self.pairs not in PAIRS:
            raise unknown_name("set of pairs", self.pairs, PAIRS)
        _check_positive("components", self.components)
        place = self.place(model)
        vectors = place.vectors(self.pairs, materials.seed)
        mapped = without_directions(principal_directions(vectors.differences, self.components))
        said = f"{self.components} direction(s) of {len(PAIRS[self.pairs])} pair(s) of words were removed"
        return place.changed(mapped, said)


@dataclass(frozen=True)
class SentenceProjection(Projection):
    """Sentence projection: project away the directions in which gendered sentences differ."""

    name: ClassVar[str] = "sentence-projection"
    reads_corpus: ClassVar[bool] = False
    presets: ClassVar[Presets] = {}

    components: int = option(1, "how many directions are removed")
    layer: int = option(0, LAYER)

    def change(self, model: LanguageModel, materials: Materials) -> Changed:
        """A copy whose head does not see the directions."""
        _check_positive("components", self.components)
        place = self.place(model)
        vectors = sentence_vectors(model, PAIRS["several"], materials.seed, place.read_at)
        mapped = without_directions(principal_directions(vectors.differences, self.components))
        return place.changed(mapped, f"{self.components} direction(s) were removed")


@dataclass(frozen=True)
class Leace(Projection):
    """LEACE: erase every linear trace of a word's gender from hidden states, in closed form."""

    name: ClassVar[str] = "leace"
    reads_corpus: ClassVar[bool] = False
    presets: ClassVar[Presets] = {}

    layer: int = option(0, LAYER)

    def change(self, model: LanguageModel, materials: Materials) -> Changed:
        """A copy whose head or upper layers see erased states."""
        place = self.place(model)
        return _erased(place, materials, lambda vectors: leace(*vectors))


@dataclass(frozen=True)
class NullSpaceProjection(Projection):
    """INLP: project away the directions of several classifiers of gender, one after another."""

    name: ClassVar[str] = "inlp"
    reads_corpus: ClassVar[bool] = False
    presets: ClassVar[Presets] = {}

    rounds: int = option(5, "classifiers that are trained and projected away one after another")
    layer: int = option(0, LAYER)

    def change(self, model: LanguageModel, materials: Materials) -> Changed:
        """A copy whose head or upper layers do not see what the classifiers read."""
        _check_positive("rounds", self.rounds)
        place = self.place(model)
        return _erased(place, materials, lambda vectors: inlp(*vectors, self.rounds))


@dataclass(frozen=True)
class _Place:
    """Where a model's states are mapped: at the head (0), or behind a layer counted from 1."""

    model: MaskedModel | CausalModel
    layer: int
    by: str

    def __post_init__(self) -> None:
        if self.layer == 0 and isinstance(self.model, CausalModel):
            raise UserError(
                f"{self.model.name!r} is a causal model, whose head has no product that could hold a map.",
                f"Give a layer from 1 to {self.model.layers}: layer={self.model.layers // 2} is the middle.",
            )
        if not 0 <= self.layer <= self.model.layers:
            raise UserError(
                f"layer is {self.layer}, and {self.model.name!r} has {self.model.layers}.",
                f"Give a layer from 1 to {self.model.layers}, or 0 for the head.",
            )

    @property
    def read_at(self) -> int:
        """The layer whose states the map is learned from."""
        return self.layer or LAST

    def vectors(self, pairs: str, seed: int) -> Pairs:
        """States of gendered words; in a causal model those from which the word behind them is told."""
        if isinstance(self.model, CausalModel) and pairs != "he-she":
            return predicting_vectors(self.model, NOUNS, self.read_at)
        return word_vectors(self.model, PAIRS[pairs], seed, self.read_at)

    def changed(self, mapped: Affine, said: str) -> Changed:
        """The model with the map: plain weights at the head, a recipe at a layer."""
        if self.layer == 0 and isinstance(self.model, MaskedModel):
            return Changed(with_map(self.model, mapped, self.by), (f"{said}, at the head.",))
        outward, inward = mapped.removed()
        model = LayerMapped(self.model, self.layer, outward.tolist(), inward.tolist(), mapped.shift.tolist())
        reason = "The next layer adds these states to its own, so that no plain weights can hold the map."
        return Changed(model, (f"{said}, behind layer {self.layer}.", reason))


def _erased(place: _Place, materials: Materials, erase: Callable[[tuple[Floats, Labels]], Affine]) -> Changed:
    vectors = place.vectors("several", materials.seed).together
    return place.changed(erase(vectors), f"Learned from {len(vectors[0]):,} words in sentences")


def _check_positive(name: str, value: int) -> None:
    if value < 1:
        raise UserError(f"{name} is {value}.", "Give a whole number of 1 or more.")
