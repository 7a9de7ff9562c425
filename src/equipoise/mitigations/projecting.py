"""Vectors of gendered words and sentences, and an affine map of the last hidden states.

The map is folded into the first product of the head, so that the changed model has plain weights again.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from equipoise.data.reading import own_table
from equipoise.errors import UserError
from equipoise.mitigations.distilling.contexts import FRAMES, GENDERED, OCCUPATION, fillers
from equipoise.mitigations.networks import BaseOutput, changed_model, own_copy
from equipoise.models.neural.masked import MaskedModel
from equipoise.models.neural.network import replaced_forward
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Embed
from equipoise.stats.erasure import Affine, Floats, Labels
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
        """Return all vectors, and a mask of those that are male."""
        both = np.vstack([self.male, self.female])
        return both, np.arange(len(both)) < len(self.male)


def word_vectors(
    model: LanguageModel, pairs: tuple[tuple[str, str], ...], seed: int, layer: int = LAST
) -> Pairs:
    """Return the hidden states of gendered words in sentences that differ only in that word."""
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
            f"Hidden states of {model.name!r} are NaN, so nothing can be learned from them.",
            "Give a model whose weights are intact.",
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


def with_map(masked: MaskedModel, mapped: Affine, by: str) -> MaskedModel:
    """A copy of the model whose head reads mapped states; the encoder stays as it is."""
    network = own_copy(masked).eval()
    first = first_product(network)
    with torch.no_grad():
        weight = first.weight.double()
        first.bias.add_((weight @ torch.tensor(mapped.shift)).to(first.bias.dtype))
        first.weight.copy_((weight @ torch.tensor(mapped.matrix)).to(first.weight.dtype))
    return changed_model(network, masked, by)


def first_product(network: Any) -> nn.Linear:
    """The first linear layer that the head applies to the last hidden states."""
    base, width = network.base_model, int(network.config.hidden_size)
    called: list[nn.Linear] = []
    inside = {id(module) for module in base.modules()}
    outside = [one for one in network.modules() if isinstance(one, nn.Linear) and id(one) not in inside]
    hooks = [one.register_forward_pre_hook(lambda module, _inputs: called.append(module)) for one in outside]
    hidden = torch.zeros(1, 2, width)
    try:
        with torch.no_grad(), replaced_forward(base, lambda *_args, **_kwargs: BaseOutput(hidden)):
            network(input_ids=torch.zeros((1, 2), dtype=torch.long))
    finally:
        for hook in hooks:
            hook.remove()
    last = network.get_output_embeddings()
    if not called or called[0] is last or called[0].in_features != width or called[0].bias is None:
        raise UserError(
            f"The head of {type(network).__name__} has no product before its last to fold a map into.",
            "Use a model with BERT's kind of head, or another mitigation.",
        )
    return called[0]
