"""A transformers network taken apart into encoder and head, so that the head runs only where it is asked.

Every `AutoModelFor...LM` runs its base model and then applies a position-wise head to the hidden states.
The head's parts have a different name in each family, so it is not looked up by name: the model's own
`forward` is called with the base model standing aside and the chosen hidden states handed in. A check on
short rows at construction compares the two ways; a family for which they differ runs whole. So does every
network with hooks, adapters or replaced modules: they may act on long rows only, or be skipped by a shortcut.
"""

import copy
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention

from equipoise.errors import UserError
from equipoise.models.engine.plan import grow, laid_out
from equipoise.models.engine.rows import Row
from equipoise.models.guards.weights import is_customised
from equipoise.models.neural.plain_bert import PlainBert, States


@contextmanager
def replaced_forward(module: Any, forward: Callable[..., Any]) -> Iterator[None]:
    """Call `forward` instead of the module's own; one that was set on the module itself comes back after."""
    earlier = vars(module).get("forward")
    module.forward = forward
    try:
        yield
    finally:
        del module.forward
        if earlier is not None:
            module.forward = earlier


class LastLayer:
    """The last layer of an encoder built like BERT's, run only where something is asked.

    Nothing above it looks at the other positions: they need keys and values only. In a model of twelve
    layers that saves seven per cent of all work.
    """

    def __init__(self, encoder: Any) -> None:
        self.encoder = encoder
        self.layer = encoder.encoder.layer[-1]

    def states(
        self, ids: torch.Tensor, attention: torch.Tensor | None, positions: torch.Tensor
    ) -> torch.Tensor:
        """The last hidden state `[rows, width]` at each row's position."""
        # The encoder runs everything below by itself: how it embeds and masks differs between architectures.
        with replaced_forward(self.layer, lambda hidden, *_args, **_kwargs: hidden):
            below = self.encoder(input_ids=ids, attention_mask=attention)[0]
        here = below[torch.arange(len(below), device=below.device), positions]
        mixed = self.layer.attention.output(self._attended(below, here, attention), here)
        states: torch.Tensor = self.layer.output(self.layer.intermediate(mixed), mixed)
        return states

    def _attended(
        self, below: torch.Tensor, here: torch.Tensor, attention: torch.Tensor | None
    ) -> torch.Tensor:
        own = self.layer.attention.self
        heads = own.num_attention_heads
        query = own.query(here).view(len(here), 1, heads, -1).transpose(1, 2)
        key, value = (
            part(below).view(*below.shape[:2], heads, -1).transpose(1, 2) for part in (own.key, own.value)
        )
        mask = None if attention is None else attention[:, None, None, :].bool()
        mixed = scaled_dot_product_attention(query, key, value, attn_mask=mask)
        return mixed.transpose(1, 2).reshape(len(here), -1)


def find_last_layer(
    encoder: Any, ids: torch.Tensor, attention: torch.Tensor, hidden: torch.Tensor
) -> LastLayer | None:
    """The encoder's last layer, if run by itself it gives the hidden states that the encoder gave."""
    rows = torch.arange(len(ids), device=ids.device)
    try:
        last = LastLayer(encoder)
        alone = last.states(ids, attention, rows)
    # An encoder that is built otherwise lacks one of these parts or shapes; it is run whole then.
    except (TypeError, AttributeError, RuntimeError, ValueError, KeyError, IndexError):
        return None
    whole = hidden[rows, rows]
    # Row r is compared at position r; another architecture is far off, rounding stays well below 1e-4.
    return last if alone.shape == whole.shape and torch.allclose(alone, whole, atol=1e-4) else None


HEAD_CELLS = 16_000_000
"""Logits held at once: positions times vocabulary (64 MB in fp32)."""

PRECISIONS = ("fp32", "bf16")


class Network:
    """Hidden states of a batch, and log-probabilities at chosen positions of it."""

    def __init__(self, model: Any, *, precision: str = "fp32") -> None:
        self.model = model.eval().to(torch.float32)
        self.base = model.base_model
        self.precision = precision
        self.encoder = self.base
        self.device = next(model.parameters()).device
        self.vocabulary = int(model.config.get_text_config().vocab_size)
        self.splits = False
        self.last: LastLayer | None = None
        if isinstance(model, PlainBert):  # built to be taken apart
            self._output_type, self.splits, self.last = States, True, LastLayer(self.base)
        elif self.base is not model and not is_customised(model):
            self._take_apart()
        if precision == "bf16":
            self.encoder = copy.deepcopy(self.base).to(torch.bfloat16)
            self.last = LastLayer(self.encoder) if self.last else None

    def sibling(self) -> "Network":
        """The same network on the same weights, with modules of its own for another thread to run."""
        held = [*self.model.parameters(), *self.model.buffers()]
        held += [*self.encoder.parameters(), *self.encoder.buffers()]  # in bf16 a copy
        return copy.deepcopy(self, {id(tensor): tensor for tensor in held})

    @torch.inference_mode()
    def hidden(self, ids: torch.Tensor, attention: torch.Tensor | None) -> torch.Tensor:
        """Last hidden states `[rows, length, width]` in fp32."""
        output = self.encoder(input_ids=ids, attention_mask=attention)
        return output[0].float()

    @torch.inference_mode()
    def hidden_at(
        self, ids: torch.Tensor, attention: torch.Tensor | None, places: tuple[torch.Tensor, torch.Tensor]
    ) -> torch.Tensor:
        """Last hidden states `[places, width]` in fp32 at row and position of each place."""
        rows, positions = places
        if self.last is not None and torch.equal(rows, torch.arange(len(ids), device=rows.device)):
            return self.last.states(ids, attention, positions).float()
        return self.hidden(ids, attention)[rows, positions]

    @torch.inference_mode()
    def hidden_in_trees(self, ids: torch.Tensor, depths: torch.Tensor, seen: torch.Tensor) -> torch.Tensor:
        """Last hidden states `[trees, length, width]` in fp32 of tokens that see only their ancestors."""
        kind = self.encoder.dtype
        mask = torch.zeros(seen.shape, dtype=kind, device=ids.device)
        mask.masked_fill_(~seen, torch.finfo(kind).min)
        return self.encoder(input_ids=ids, attention_mask=mask, position_ids=depths, use_cache=False)[
            0
        ].float()

    @cached_property
    def branches(self) -> bool:
        """Whether two rows that begin alike can be run as one tree and give what each gives by itself."""
        if not self.splits:
            return False
        rows = [Row((0, 1, 2, 3), shared=True), Row((0, 1, 4), shared=True)]
        tree = laid_out([grow(rows)], 0, self.device, width=8)
        try:
            together = self.hidden_in_trees(*tree)[0]
            apart = [self.hidden(torch.tensor([row.ids], device=self.device), None)[0] for row in rows]
        except (TypeError, AttributeError, RuntimeError, ValueError, KeyError, IndexError):
            return False
        # Rounding grows with the states: some networks have some that are a hundred times the usual.
        scale = max(1.0, *(float(states.abs().max()) for states in apart))
        return all(
            torch.allclose(together[nodes], states, atol=1e-4 * scale)
            for nodes, states in zip(([0, 1, 2, 3], [0, 1, 4]), apart, strict=True)
        )

    @torch.inference_mode()
    def layers(
        self, ids: torch.Tensor, attention: torch.Tensor | None, wanted: Collection[int]
    ) -> dict[int, torch.Tensor]:
        """Hidden states of the wanted layers (0 is the embeddings, -1 the last), from one pass."""
        output = self._telling(
            input_ids=ids, attention_mask=attention, output_hidden_states=True, return_dict=True
        )
        states = _states(output)
        for layer in wanted:
            if not -len(states) <= layer < len(states):
                raise UserError(
                    f"Layer {layer} was asked of a model with {len(states) - 1} layers.",
                    f"Give a layer from {-len(states)} to {len(states) - 1} (0 is the embeddings).",
                )
        return {layer: states[layer].float() for layer in wanted}

    @torch.inference_mode()
    def attended(self, ids: torch.Tensor, attention: torch.Tensor | None) -> torch.Tensor:
        """How much attention each token receives: the mean over layers, heads and asking tokens."""
        with self._eager_attention():
            output = self._telling(
                input_ids=ids, attention_mask=attention, output_attentions=True, return_dict=True
            )
        layers = getattr(output, "attentions", None) or getattr(output, "encoder_attentions", None)
        if not layers or layers[0] is None:
            raise UserError(
                "This model gives no attention weights, which the rule 'unmasked-attention' needs.",
                "Use the rule 'unmasked'.",
            )
        heads = torch.stack([layer.float().mean(dim=1) for layer in layers]).mean(dim=0)
        if attention is None:
            return heads.mean(dim=1)
        asking = attention.to(heads.dtype)
        return (heads * asking[:, :, None]).sum(dim=1) / asking.sum(dim=1, keepdim=True)

    @torch.inference_mode()
    def logits(self, hidden: torch.Tensor) -> Iterator[torch.Tensor]:
        """The head on chosen hidden states `[positions, width]`, in chunks that fit in memory."""
        step = max(1, HEAD_CELLS // self.vocabulary)
        for start in range(0, len(hidden), step):
            yield self._head(hidden[start : start + step])

    @torch.inference_mode()
    def whole(self, ids: torch.Tensor, attention: torch.Tensor | None) -> torch.Tensor:
        """Logits at every position `[rows, length, vocabulary]`, for families that do not split."""
        logits: torch.Tensor = self.model(input_ids=ids, attention_mask=attention).logits
        return logits.float()

    @torch.inference_mode()
    def decoded(
        self, ids: torch.Tensor, attention: torch.Tensor | None, target: torch.Tensor
    ) -> torch.Tensor:
        """Logits at every position of what the decoder reads, `[rows, target, vocabulary]`."""
        logits: torch.Tensor = self.model(
            input_ids=ids, attention_mask=attention, decoder_input_ids=target
        ).logits
        return logits.float()

    def _head(self, hidden: torch.Tensor) -> torch.Tensor:
        """The model's own forward from the base model's output onwards."""
        dummy = torch.zeros((1, len(hidden)), dtype=torch.long, device=self.device)
        output = self._output_type(last_hidden_state=hidden[None])
        with replaced_forward(self.base, lambda *_args, **_kwargs: output):
            logits: torch.Tensor = self.model(input_ids=dummy).logits
        return logits[0].float()

    @property
    def transformers_model(self) -> Any:
        """The model in transformers' own class."""
        return self.model.twin if isinstance(self.model, PlainBert) else self.model

    @property
    def _telling(self) -> Any:
        """The encoder in a form that tells of its layers and its attention; a plain one's always in fp32."""
        model = self.transformers_model
        return self.encoder if model is self.model else model.base_model

    @torch.inference_mode()
    def _take_apart(self) -> None:
        """Find out on two short rows which parts can be run by themselves and give the same."""
        ids = torch.arange(8, device=self.device).view(2, 4) % self.vocabulary
        attention = torch.ones_like(ids)
        attention[1, 3] = 0
        output = self.base(input_ids=ids, attention_mask=attention, return_dict=True)
        self._output_type = type(output)
        self.splits = self._head_agrees(ids, attention, output[0])
        if self.splits:
            self.last = find_last_layer(self.base, ids, attention, output[0])

    def _head_agrees(self, ids: torch.Tensor, attention: torch.Tensor, hidden: torch.Tensor) -> bool:
        """Whether encoder and head apart give what the whole model gives."""
        try:
            apart = self._head(hidden[0])
            whole = self.model(input_ids=ids, attention_mask=attention).logits[0]
        except (TypeError, AttributeError, RuntimeError, ValueError, KeyError, IndexError):
            return False
        return apart.shape == whole.shape and torch.allclose(apart, whole, atol=1e-4)

    @contextmanager
    def _eager_attention(self) -> Iterator[None]:
        """Attention weights exist only in the plain implementation; the fast one comes back after."""
        before = self._telling.config._attn_implementation
        self._telling.set_attn_implementation("eager")
        try:
            yield
        finally:
            self._telling.set_attn_implementation(before)


def _states(output: Any) -> tuple[torch.Tensor, ...]:
    """The hidden states of the layers; of an encoder-decoder, its encoder's."""
    states = getattr(output, "hidden_states", None)
    return states if states is not None else output.encoder_hidden_states
