"""Tune in passes over the examples; a killed tuning goes on after its last whole pass.

It is not the trainer's loop: the layers below the tuned ones have been read once and are never run again,
which the trainer, whose batches go through the whole network, cannot do. Checkpoints, the error of a full
disk and that of a loss which is not a number are the trainer's.
"""

import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from equipoise.mitigations.base import Materials
from equipoise.mitigations.distilling.losses import Head, Weights, batch_loss
from equipoise.mitigations.distilling.preparing import Prepared
from equipoise.mitigations.distilling.rows import batches
from equipoise.mitigations.training.checkpoints import (
    STATE,
    claim_room,
    full_disk_explained,
    identity_of,
    last_checkpoint,
)
from equipoise.mitigations.training.trainer import not_a_number
from equipoise.models.guards.weights import weights_digest

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
        """Write a checkpoint. The file that marks it complete comes last; then the previous one goes."""
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


WARM_UP = 0.1
CLIP = 1.0


@dataclass(frozen=True)
class Course:
    """How the tuning goes: passes over the examples, learning rate, tokens a step, weights of the losses."""

    epochs: int
    rate: float
    budget: int
    weights: Weights


def tune(prepared: Prepared, course: Course, materials: Materials, name: str) -> list[float]:
    """Tune the upper layers in place; the mean loss of every pass over the examples."""
    upper = prepared.upper
    recipe = {**asdict(course), "layers": upper.count}
    identity = identity_of(recipe, weights_digest(upper.network), prepared.examples, materials.seed)
    teacher = Head(upper)
    rng = np.random.default_rng(materials.seed)
    lengths = [len(one.ids) for one in prepared.examples]
    passes = [batches(lengths, course.budget, rng) for _ in range(course.epochs)]
    steps = sum(map(len, passes))
    optimizer = torch.optim.AdamW(upper.learning, lr=course.rate, weight_decay=0.0, fused=True)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _slope(step, steps))
    state = State(upper.learning, optimizer, schedule)
    kept = KeptPasses(materials.workshop, f"{name}-{materials.seed}", identity)
    losses = kept.restore(state)
    for done in passes[: len(losses)]:
        prepared.report(sum(lengths[at] for batch in done for at in batch))
    for one_pass in passes[len(losses) :]:
        losses.append(_one_pass(prepared, teacher, one_pass, course, state))
        kept.keep(state, losses)
    return losses


def _one_pass(
    prepared: Prepared, teacher: Head, batches_of_pass: list[list[int]], course: Course, state: State
) -> float:
    """A step for every batch; the mean loss of the examples."""
    total = 0.0
    for batch in batches_of_pass:
        loss = batch_loss(prepared, teacher, batch, course.weights)
        if not torch.isfinite(loss):
            raise not_a_number(state.schedule.last_epoch)
        state.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(state.weights, CLIP)
        state.optimizer.step()
        state.schedule.step()
        total += float(loss.detach()) * len(batch)
        prepared.report(sum(len(prepared.examples[at].ids) for at in batch))
    return total / len(prepared.examples)


def _slope(step: int, steps: int) -> float:
    """The learning rate's share: rising over the first tenth, then falling to nothing."""
    rising = max(1, round(WARM_UP * steps))
    return (step + 1) / rising if step < rising else max(0.0, (steps - step) / max(1, steps - rising))
