"""Pretraining: train a small BERT on nothing but your corpus, as it is or with women and men exchanged.

What it does  Trains a small BERT from random weights on a corpus in one of the modes of `counterfactual`,
              with the tokenizer of the model that is named. Two of them, one on the corpus as it is and one
              on its rewritten copy, show what a corpus teaches a model that had no other.
Source        The design of Zmigrod et al. 2019 and Webster et al. 2020, in the small.
Breaks        It knows little: some million words give a perplexity far above a published model's. Only
              compare such models with each other, over several seeds, and never with a published one.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
import transformers

from equipoise.choices import option
from equipoise.errors import UserError
from equipoise.mitigations.base import Changed, Materials, Presets
from equipoise.mitigations.networks import masked_model
from equipoise.mitigations.tuning import (
    UNCHANGED,
    RewritingTuning,
    needs_documents,
    read_texts,
    tune,
)
from equipoise.models.neural.masked import MaskedModel
from equipoise.models.protocol import LanguageModel


@dataclass(frozen=True)
class Pretraining(RewritingTuning):
    """Trains a small BERT from nothing."""

    name: ClassVar[str] = "pretraining"
    reads_corpus: ClassVar[bool] = True
    presets: ClassVar[Presets] = {}

    epochs: int = 10
    learning_rate: float = 5e-4
    warmup: float = 0.06
    decay: float = 0.01
    batch_tokens: int = 4096
    mode: str = UNCHANGED
    layers: int = option(4, "layers of the new model")
    width: int = option(256, "width of its hidden states")
    heads: int = option(4, "heads of its attention")
    longest: int = 128

    def __post_init__(self) -> None:
        super().__post_init__()
        if min(self.layers, self.width, self.heads) < 1 or self.width % self.heads:
            raise UserError(
                f"A width of {self.width} cannot be shared by {self.heads} heads in {self.layers} layers.",
                "Give a width that is a multiple of the number of heads, and at least one layer.",
            )
        if self.longest < 8:
            raise UserError(f"longest is {self.longest}.", "Give a length in tokens such as 128.")

    def change(self, model: LanguageModel, materials: Materials) -> Changed:
        """The trained model; of the model given only the tokenizer is used."""
        masked = masked_model(model, self.name)
        needs_documents(materials, self.name)
        texts = read_texts(materials, self, self.mode)
        network = self._network(masked, materials.seed)
        size = sum(weight.numel() for weight in network.parameters())
        texts.account.append(f"{self.layers} layers of width {self.width}, {size:,} weights, from nothing.")
        return tune(masked, network, texts, self, materials, name=self.name)

    def _network(self, model: MaskedModel, seed: int) -> Any:
        words = model.tokens.tokenizer
        config = transformers.BertConfig(
            vocab_size=len(words),
            hidden_size=self.width,
            num_hidden_layers=self.layers,
            num_attention_heads=self.heads,
            intermediate_size=4 * self.width,
            max_position_embeddings=self.longest,
            pad_token_id=words.pad_token_id,
        )
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            return transformers.BertForMaskedLM(config)
