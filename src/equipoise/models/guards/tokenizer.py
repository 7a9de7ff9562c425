"""Whether weights know the words of their tokenizer: two vocabularies of one size look alike in the files.

The vectors of trained weights tell first: day and days are neighbours. Where they are not, the model itself
is asked: plain sentences that are less likely to it than words at random were read wrong.
"""

from math import log
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.errors import UserError
from equipoise.models.capabilities import scoring_rules
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Score

ENDINGS = ("s", "e", "n", "en")
"""What a word of an alphabet's language may add and stay near: day and days, Frau and Frauen."""

SHORTEST = 4
SAMPLED_ENTRIES = 3000
"""Vocabulary entries, evenly spread, that are checked for inflected forms."""

FEWEST_PAIRS = 100
LEAST_AGREEMENT = 0.85
"""Chance that such a pair is nearer than two words at random: .99 in BERT, .97 in
SmolLM2; with other vocabularies .47 to .67."""

LEAST_STRUCTURE = 1.2
"""Cosine of a nearest neighbour as a multiple of what random vectors have: below it nothing was learned."""

WORSE_THAN_CHANCE = 1.0
"""Nats a word below even chances: BERT with other vocabularies 2.2 to 3.0, random weights 0.3."""

SAMPLE = 256
PLAIN = (
    "The weather was fine, and the children played in the garden until it was dark.",
    "They put the book on the table and opened the window.",
    "In the morning we went to the market to buy bread and milk.",
    "The train to the city leaves at nine and comes back in the evening.",
)

Floats = npt.NDArray[np.float32]


def refuse_foreign_tokenizer(model: LanguageModel, network: Any, tokenizer: Any) -> None:
    """Refuse a tokenizer whose words mean nothing to the trained weights of a model that can be asked."""
    weights = network.get_input_embeddings().weight
    if not weights.is_floating_point() or not scoring_rules(model.capabilities):
        return
    pairs = related_pairs(tokenizer.backend_tokenizer)
    if len(pairs) < FEWEST_PAIRS:
        return
    first, second = (_directions(weights[places.tolist()]) for places in pairs.T)
    if agreement(first, second) >= LEAST_AGREEMENT or structure(first) < LEAST_STRUCTURE:
        return
    if word_logprob(model) < -log(len(weights)) - WORSE_THAN_CHANCE:
        raise UserError(
            f"The tokenizer of {model.name!r} belongs to another model: the network sees no likeness "
            "between words such as day and days, and finds plain sentences less likely than random words.",
            "Use the tokenizer that was saved with these weights.",
        )


def related_pairs(backend: Any) -> npt.NDArray[np.intp]:
    """The ids of entries that are the same word with another ending or in capitals, `[pairs, 2]`."""
    size = backend.get_vocab_size()
    pairs = []
    for place in range(0, size, max(1, size // SAMPLED_ENTRIES)):
        entry = backend.id_to_token(place) or ""
        if len(entry) >= SHORTEST:
            others = {*(entry + ending for ending in ENDINGS), entry.lower()} - {entry}
            relatives = [backend.token_to_id(other) for other in others]
            pairs += [(place, relative) for relative in relatives if relative is not None]
    return np.array(sorted(pairs), dtype=np.intp).reshape(-1, 2)


def agreement(first: Floats, second: Floats) -> float:
    """The chance that row and row are nearer than a row and another pair's."""
    together = (first * second).sum(axis=1)
    apart = np.sort((first * np.roll(second, len(second) // 2, axis=0)).sum(axis=1))
    return float(np.searchsorted(apart, together).mean() / len(apart))


def structure(directions: Floats) -> float:
    """The median cosine of a row's nearest neighbour, as a multiple of what random directions have."""
    rows = np.unique(np.linspace(0, len(directions) - 1, SAMPLE).astype(np.intp))
    cosines = directions[rows] @ directions.T
    cosines[cosines > 1 - 1e-5] = -1.0  # the row itself, which may stand in several pairs
    by_chance = np.sqrt(2 * log(len(directions)) / directions.shape[1])
    return float(np.median(cosines.max(axis=1)) / by_chance)


def _directions(rows: Any) -> Floats:
    vectors: Floats = rows.detach().float().cpu().numpy()
    vectors = vectors - vectors.mean(axis=0)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.maximum(lengths, np.finfo(np.float32).tiny)


def word_logprob(model: LanguageModel) -> float:
    """The mean log P of the words of the plain sentences, of each where it first stands.

    Signs of punctuation have the same ids in many vocabularies, and a causal model copies what it read.
    """
    logprobs = []
    for text, answer in zip(PLAIN, model.answer([Score(text) for text in PLAIN]), strict=True):
        words = [text[slice(*span)].strip() for span in answer.spans]
        logprobs += [
            logprob
            for place, (word, logprob) in enumerate(zip(words, answer.logprobs, strict=True))
            if len(word) > 1 and word.isalpha() and word not in words[:place]
        ]
    return float(np.mean(logprobs)) if logprobs else 0.0


LEAST_SHARE = 0.97
"""Networks are padded to a round number of entries, but not by so much: less is another vocabulary.

The cased BERT's tokenizer has 0.95 of the entries of the uncased one."""


def refuse_misfit_vocabulary(network: Any, tokenizer: Any, name: str) -> None:
    """Refuse a tokenizer with ids that the network has no entry for, or with far fewer than it has."""
    entries = int(network.config.get_text_config().vocab_size)
    size = int(tokenizer.backend_tokenizer.get_vocab_size())
    needed = max(size, 1 + max(tokenizer.added_tokens_decoder, default=0))
    if needed > entries:
        raise UserError(
            f"The tokenizer of {name!r} has {needed:,} entries and the network {entries:,}: "
            "some words have no vector.",
            "Use the tokenizer that was saved with these weights.",
        )
    if size < LEAST_SHARE * entries:
        raise UserError(
            f"The tokenizer of {name!r} has {size:,} entries and the network {entries:,}: "
            "it belongs to another model.",
            "Use the tokenizer that was saved with these weights.",
        )
