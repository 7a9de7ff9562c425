"""Models with random weights: the small built-in one, and the control of any model's own architecture.

What an instrument gives for them is what it gives for no knowledge at all.
"""

import copy
import re
from collections.abc import Iterator
from threading import Lock
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from equipoise.data.reading import own_words
from equipoise.models.neural.language import NeuralModel

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
SEED = 20
"""The first draw's, only so that two runs agree; no seed is better than another."""

_drawing = Lock()
"""Torch has one generator for the whole process: two threads that draw at once would share its numbers."""


def random_parts(draw: int = 1) -> tuple[Any, Any]:
    """A two-layer BERT with random weights, and a tokenizer over the words of the shipped tables."""
    vocabulary = _vocabulary()
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=128,
        max_position_embeddings=128,
    )
    return _seeded(transformers.BertForMaskedLM, config, draw), _tokenizer(vocabulary)


def random_control(model: NeuralModel, draw: int = 1) -> NeuralModel:
    """The same architecture and tokenizer with random weights instead of the trained ones."""
    trained = model.transformers_model
    network = _seeded(type(trained), copy.deepcopy(trained.config), draw)
    number = "" if draw == 1 else f", draw {draw}"
    tokenizer = copy.deepcopy(model.tokens.tokenizer)
    return type(model)(
        network, tokenizer, name=f"{model.name} (random weights{number})", options=model.options
    )


def random_controls(model: NeuralModel, draws: int) -> Iterator[NeuralModel]:
    """Several draws of `random_control`: one draw is not neutral, their mean and spread say how far it is."""
    return (random_control(model, draw) for draw in range(1, draws + 1))


def _seeded(kind: Any, config: Any, draw: int) -> Any:
    with _drawing, torch.random.fork_rng():
        torch.manual_seed(SEED + draw - 1)
        return kind(config).eval()


def _vocabulary() -> list[str]:
    """Special tokens, characters alone and inside a word, and every word of the shipped tables."""
    words = own_words()
    letters = sorted({letter for word in words for letter in word} | set("abcdefghijklmnopqrstuvwxyz"))
    inside = [f"##{letter}" for letter in letters if re.match(r"\w", letter)]
    longer = sorted(word for word in words if len(word) > 1)
    return [*SPECIAL, *letters, *inside, *longer]


def _tokenizer(vocabulary: list[str]) -> Any:
    ids = {token: number for number, token in enumerate(vocabulary)}
    backend = Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
    backend.normalizer = normalizers.BertNormalizer(lowercase=True)
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.WordPiece()
    backend.post_processor = processors.BertProcessing(("[SEP]", ids["[SEP]"]), ("[CLS]", ids["[CLS]"]))
    names = dict(zip(("pad", "unk", "cls", "sep", "mask"), SPECIAL, strict=True))
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend,
        model_max_length=128,
        **{f"{name}_token": token for name, token in names.items()},
    )
