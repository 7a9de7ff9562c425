"""The head where something is to be predicted only: at 15 % of the places it costs 15 %."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from equipoise.mitigations.training.objective import Batch


class HeadAtPlaces:
    """Gathers a network's last hidden states at the asked places before its own head reads them.

    It works on what the base model hands to the head, so the call goes through the network's own `forward`
    (and through whatever is wrapped around it to train in several processes). A family whose head cannot be
    cut off in this way runs it everywhere.
    """

    def __init__(self, network: Any) -> None:
        self._base = network.base_model
        self._places: tuple[torch.Tensor, torch.Tensor] | None = None
        self._splits = False
        if self._base is not network:
            self._splits = self._agrees(network)

    def __call__(self, network: Any, batch: Batch) -> torch.Tensor:
        """Logits `[places, vocabulary]` at the rows and positions that a batch names."""
        places = batch["rows"], batch["positions"]
        if not self._splits:
            return network(input_ids=batch["ids"], attention_mask=batch["attention"]).logits[places]
        with self._gathering(places):
            return network(input_ids=batch["ids"], attention_mask=batch["attention"]).logits[0]

    @contextmanager
    def _gathering(self, places: tuple[torch.Tensor, torch.Tensor]) -> Iterator[None]:
        def gather(_module: Any, _given: Any, output: Any) -> Any:
            output["last_hidden_state"] = output["last_hidden_state"][places][None]
            return output

        handle = self._base.register_forward_hook(gather)
        try:
            yield
        finally:
            handle.remove()

    @torch.no_grad()
    def _agrees(self, network: Any) -> bool:
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
            with self._gathering(places):
                gathered = network(input_ids=ids, attention_mask=attention).logits[0]
        except (TypeError, AttributeError, RuntimeError, ValueError, KeyError, IndexError):
            return False
        finally:
            network.train(was_training)
        return gathered.shape == whole.shape and torch.allclose(gathered, whole, atol=1e-4)
