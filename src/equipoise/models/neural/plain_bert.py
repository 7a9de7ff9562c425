"""BERT in plain torch, so that the shipped model need not wait for transformers' model classes.

Importing those takes two seconds, more than all else between a command and its answer. Every weight has the
name it has in transformers. Last hidden states and logits are computed here; whatever else is asked (single
layers, attention, a model to fine-tune) is asked of `twin`: transformers' own, on the same weights.
"""

from functools import cached_property
from threading import Lock
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn.functional import gelu, scaled_dot_product_attention

_building = Lock()
"""Leaving out the random weights is a setting of the whole process, so two lanes must not do it at once."""


class States(NamedTuple):
    """What the encoder gives."""

    last_hidden_state: torch.Tensor


class Logits(NamedTuple):
    """What the whole model gives."""

    logits: torch.Tensor


class Linear(nn.Linear):
    """Built without weights, which are assigned after: drawing random ones first takes a second."""

    def reset_parameters(self) -> None:
        """Keep the memory uninitialised: weights are loaded into it."""


class Embedding(nn.Embedding):
    """Built without weights, which are assigned after."""

    def reset_parameters(self) -> None:
        """Leave the memory as it is."""


class PlainBert(nn.Module):
    """BERT with its language-model head; the weights are assigned after it is built."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.config = config
        self.bert = Encoder(config)
        self.cls = Predictions(config)

    def __getstate__(self) -> dict[str, Any]:
        """A copy makes a twin of its own: this one's would keep these weights."""
        return {name: value for name, value in vars(self).items() if name != "twin"}

    @property
    def base_model(self) -> "Encoder":
        """The model without its head, by the name that transformers gives it."""
        return self.bert

    def get_input_embeddings(self) -> Any:
        """The table of word vectors, by the name that transformers gives it."""
        return self.bert.embeddings.word_embeddings

    def tie_weights(self) -> None:
        """Let the head's last multiplication share the word vectors, where the configuration says so."""
        if self.config.tie_word_embeddings:
            head = self.cls.predictions
            head.decoder.weight, head.decoder.bias = self.bert.embeddings.word_embeddings.weight, head.bias

    @cached_property
    def twin(self) -> Any:
        """The same model in transformers' own class, sharing these weights."""
        from transformers import AutoModelForMaskedLM
        from transformers.initialization import no_init_weights

        with torch.inference_mode(False):  # whoever asks first: it may be fine-tuned later
            with _building, no_init_weights():
                network = AutoModelForMaskedLM.from_config(self.config)
            network.load_state_dict(self.state_dict(), strict=True, assign=True)
            network.tie_weights()
        return network.eval().to(self.cls.predictions.bias.device)

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor | None = None) -> Logits:
        """Logits at every position."""
        return Logits(self.cls.predictions(self.bert(input_ids, attention_mask)[0]))


class Encoder(nn.Module):
    """Embeddings and layers."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.embeddings = Embeddings(config)
        self.encoder = Layers(config)

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor | None = None) -> States:
        """Last hidden states; padding is attended by none."""
        mask = None if attention_mask is None else attention_mask[:, None, None, :].bool()
        hidden = self.embeddings(input_ids)
        return States(self.encoder(hidden, mask))


class Layers(nn.Module):
    """One layer after another."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.layer = nn.ModuleList(Layer(config) for _ in range(config.num_hidden_layers))

    def forward(self, hidden: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        """The states after the last one."""
        for layer in self.layer:
            hidden = layer(hidden, mask)
        return hidden


class Embeddings(nn.Module):
    """The sum of word, position and first-segment embeddings, normalised."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        width = config.hidden_size
        self.word_embeddings = Embedding(config.vocab_size, width)
        self.position_embeddings = Embedding(config.max_position_embeddings, width)
        self.token_type_embeddings = Embedding(config.type_vocab_size, width)
        self.LayerNorm = nn.LayerNorm(width, eps=config.layer_norm_eps)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """The states that the first layer reads."""
        words = self.word_embeddings(ids) + self.token_type_embeddings.weight[0]
        hidden: torch.Tensor = self.LayerNorm(words + self.position_embeddings.weight[: ids.shape[1]])
        return hidden


class Layer(nn.Module):
    """Self-attention and a feed-forward block, each with its residual connection and normalisation."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        width, wide = config.hidden_size, config.intermediate_size
        self.attention = Attention(config)
        self.intermediate = FeedForward(width, wide)
        self.output = ResidualNorm(wide, width, config.layer_norm_eps)

    def forward(self, hidden: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        """The states that the next layer reads."""
        mixed = self.attention(hidden, mask)
        states: torch.Tensor = self.output(self.intermediate(mixed), mixed)
        return states


class Attention(nn.Module):
    """Self-attention with its output projection."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.self = SelfAttention(config.hidden_size, config.num_attention_heads)
        self.output = ResidualNorm(config.hidden_size, config.hidden_size, config.layer_norm_eps)

    def forward(self, hidden: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        """The attended states with the residual added, normalised."""
        states: torch.Tensor = self.output(self.self(hidden, mask), hidden)
        return states


class SelfAttention(nn.Module):
    """Multi-head scaled dot-product attention."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.num_attention_heads = heads
        self.query, self.key, self.value = (Linear(width, width) for _ in range(3))

    def forward(self, hidden: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        """The outputs of the heads, concatenated."""
        shape = (*hidden.shape[:2], self.num_attention_heads, -1)
        query, key, value = (
            part(hidden).view(shape).transpose(1, 2) for part in (self.query, self.key, self.value)
        )
        mixed = scaled_dot_product_attention(query, key, value, attn_mask=mask)
        return mixed.transpose(1, 2).reshape(hidden.shape)


class FeedForward(nn.Module):
    """The first half of the feed-forward block: a linear layer with GELU."""

    def __init__(self, width: int, wide: int) -> None:
        super().__init__()
        self.dense = Linear(width, wide)

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        """The activated states."""
        return gelu(self.dense(hidden))


class ResidualNorm(nn.Module):
    """A linear layer, the residual added, normalised."""

    def __init__(self, wide: int, width: int, eps: float) -> None:
        super().__init__()
        self.dense = Linear(wide, width)
        self.LayerNorm = nn.LayerNorm(width, eps=eps)

    def forward(self, hidden: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
        """The normalised sum of product and residual."""
        states: torch.Tensor = self.LayerNorm(self.dense(hidden) + residual)
        return states


class Predictions(nn.Module):
    """The head, by the name that transformers gives it."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.predictions = Head(config)


class Head(nn.Module):
    """From a hidden state to logits over the vocabulary."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        width = config.hidden_size
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))
        self.transform = Transform(width, config.layer_norm_eps)
        self.decoder = Linear(width, config.vocab_size)

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        """Logits at every position."""
        logits: torch.Tensor = self.decoder(self.transform(hidden))
        return logits


class Transform(nn.Module):
    """A linear layer with GELU, normalised: what the head does before it decodes."""

    def __init__(self, width: int, eps: float) -> None:
        super().__init__()
        self.dense = Linear(width, width)
        self.LayerNorm = nn.LayerNorm(width, eps=eps)

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        """The transformed states."""
        states: torch.Tensor = self.LayerNorm(gelu(self.dense(hidden)))
        return states


def is_plain(config: Any) -> bool:
    """Whether a configuration asks for BERT as it was published, and for nothing else."""
    positions = getattr(config, "position_embedding_type", None) or "absolute"
    published = config.model_type == "bert" and config.hidden_act == "gelu" and positions == "absolute"
    return bool(published and not config.is_decoder)
