"""Finished passes of a tuning, kept in a folder from which a killed one goes on."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from equipoise.mitigations.training.checkpoints import STATE, claim_room, full_disk_explained, last_checkpoint

WEIGHTS = "state.pt"


@dataclass(frozen=True)
class State:
    """All that a tuning has changed: weights, the optimizer's memory and the place in the schedule."""

    weights: list[torch.nn.Parameter]
    optimizer: torch.optim.Optimizer
    schedule: torch.optim.lr_scheduler.LRScheduler


class KeptPasses:
    """Checkpoints after whole passes; without a workshop nothing is kept."""

    def __init__(self, workshop: Path | None, name: str, identity: dict[str, Any]) -> None:
        self._room = None if workshop is None else workshop / name
        if self._room is not None:
            claim_room(self._room, identity)

    def restore(self, state: State) -> list[float]:
        """Put back what the last kept pass left; the losses of the passes until then."""
        last = None if self._room is None else last_checkpoint(self._room)
        if last is None:
            return []
        kept = torch.load(last / WEIGHTS, weights_only=True)
        with torch.no_grad():
            for weight, values in zip(state.weights, kept["weights"], strict=True):
                weight.copy_(values)
        state.optimizer.load_state_dict(kept["optimizer"])
        state.schedule.load_state_dict(kept["schedule"])
        return list(kept["losses"])

    def keep(self, state: State, losses: list[float]) -> None:
        """Write a checkpoint; the file that says it is whole comes last, then the one before goes."""
        if self._room is None:
            return
        earlier = last_checkpoint(self._room)
        folder = self._room / f"checkpoint-{len(losses)}"
        with full_disk_explained(self._room):
            folder.mkdir(parents=True)
            torch.save(
                {
                    "weights": [weight.detach() for weight in state.weights],
                    "optimizer": state.optimizer.state_dict(),
                    "schedule": state.schedule.state_dict(),
                    "losses": losses,
                },
                folder / WEIGHTS,
            )
            (folder / STATE).write_text(json.dumps({"global_step": len(losses)}), encoding="utf-8")
        if earlier is not None:
            shutil.rmtree(earlier, ignore_errors=True)
