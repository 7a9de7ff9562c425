"""The head where something is to be predicted only: at 15 % of the places it costs 15 %."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch

from equipoise.mitigations.training.batches import Batch

Places = tuple[torch.Tensor, torch.Tensor]


class Seam(NamedTuple):
    """A module after which positions are independent, and how its output is cut to some of them."""

    module: Any
    cut: Callable[[Any, Places], Any]


class HeadAtPlaces:
    """Gathers a network's hidden states at the asked places where no later part looks at other places.

    In BERT's family that is behind the attention of the last layer, whose wide half then costs 15 % as well;
    elsewhere behind the base model. The call goes through the network's own `forward` (and through whatever
    is wrapped around it to train in several processes). A family that cannot be cut in this way runs its
    head everywhere.
    """

    def __init__(self, network: Any) -> None:
        seams = _seams(network)
        self._seam = next((seam for seam in seams if _agrees(network, seam)), None)

    def __call__(self, network: Any, batch: Batch) -> torch.Tensor:
        """Logits `[places, vocabulary]` at the rows and positions that a batch names."""
        places = batch["rows"], batch["positions"]
        if self._seam is None:
            return network(input_ids=batch["ids"], attention_mask=batch["attention"]).logits[places]
        with _gathering(self._seam, places):
            return network(input_ids=batch["ids"], attention_mask=batch["attention"]).logits[0]


def _seams(network: Any) -> list[Seam]:
    """Where a network might be cut, the cheapest way first."""
    base = network.base_model
    if base is network:
        return []
    layers = getattr(getattr(base, "encoder", None), "layer", None)
    attention = getattr(layers[-1], "attention", None) if layers else None
    behind_attention = [] if attention is None else [Seam(attention, _first_cut)]
    return [*behind_attention, Seam(base, _last_states_cut)]


def _first_cut(output: Any, places: Places) -> Any:
    if isinstance(output, tuple):
        return (output[0][places][None], *output[1:])
    return output[places][None]


def _last_states_cut(output: Any, places: Places) -> Any:
    output["last_hidden_state"] = output["last_hidden_state"][places][None]
    return output


@contextmanager
def _gathering(seam: Seam, places: Places) -> Iterator[None]:
    def gather(_module: Any, _given: Any, output: Any) -> Any:
        return seam.cut(output, places)

    handle = seam.module.register_forward_hook(gather)
    try:
        yield
    finally:
        handle.remove()


@torch.no_grad()
def _agrees(network: Any, seam: Seam) -> bool:
    """Whether the head gives the same for gathered states, tried on two short rows."""
    was_training = network.training
    network.eval()
    device = next(network.parameters()).device
    ids = torch.arange(8, device=device).view(2, 4)
    attention = torch.ones_like(ids)
    attention[1, 3] = 0
    places = torch.tensor([0, 1, 1], device=device), torch.tensor([2, 0, 1], device=device)
    try:
        whole = network(input_ids=ids, attention_mask=attention).logits[places]
        with _gathering(seam, places):
            gathered = network(input_ids=ids, attention_mask=attention).logits[0]
    except (TypeError, AttributeError, RuntimeError, ValueError, KeyError, IndexError):
        return False
    finally:
        network.train(was_training)
    return gathered.shape == whole.shape and torch.allclose(gathered, whole, atol=1e-4)
