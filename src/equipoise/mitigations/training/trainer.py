"""transformers' `Trainer` with our batches, our head and an eye on what it hides.

It serves: optimiser, schedule, clipping, checkpoints with the state of every generator, early stopping and
`accelerate launch` are its own. Three things are not: batches come ready made, keyed by epoch and number
(its collator would draw other masks after a resume); the loss is asked only where something is hidden; and a
loss that is not a number ends the run (by default it is left out of the log and training goes on).
"""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from random import getstate, setstate
from typing import Any

import numpy as np
import torch
from accelerate.utils import broadcast_object_list
from transformers import Trainer, TrainerCallback

from equipoise.errors import Cancelled, UserError
from equipoise.mitigations.training.batches import HELD_OUT, Batch, Batches, EpochSampler, Judged, Objective
from equipoise.mitigations.training.head import HeadAtPlaces
from equipoise.models.options import STOPPED, TRAINING, Progress, RunOptions, unheard


class PlacesTrainer(Trainer):
    """A trainer whose loss is that of an objective, at the places that its batches ask."""

    def __init__(
        self, *, batches: Batches, held_out: Batches | None, head: HeadAtPlaces, **given: Any
    ) -> None:
        super().__init__(train_dataset=batches, eval_dataset=held_out, data_collator=_only, **given)
        self.objective: Objective = batches.objective
        self.head = head
        self.sampler = EpochSampler(batches, int(self.args.seed))
        self.loss_is_scaled_for_ga = False

    def _get_train_sampler(self, _dataset: Any = None) -> EpochSampler:
        return self.sampler

    def compute_loss(self, model: Any, inputs: Batch, *_args: Any, **_kwargs: Any) -> torch.Tensor:
        """The mean loss over the places of a batch."""
        loss = self._judged(model, inputs).losses.mean()
        if not torch.isfinite(loss):
            raise no_loss(self.state.global_step)
        return loss

    def _get_grad_norm(self, model: Any, grad_norm: Any = None) -> Any:
        """The size that clipping has measured: a step along an infinite gradient would spoil every weight."""
        size = super()._get_grad_norm(model, grad_norm)  # type: ignore[no-untyped-call]
        if not math.isfinite(size):
            raise not_a_number(self.state.global_step)
        return size

    def _judged(self, model: Any, inputs: Batch) -> Judged:
        return self.objective.judge(lambda batch: self.head(model, batch), inputs)

    @torch.no_grad()
    def evaluate(self, *_args: Any, **_kwargs: Any) -> dict[str, float]:
        """Return the mean loss over all held-out positions, its exponential and the share predicted right.

        The trainer's own would weigh a batch with one place as much as one with a hundred.
        """
        held_out: Any = self.eval_dataset
        network: Any = self.model
        total, right, count = 0.0, 0, 0
        network.eval()
        for number in range(len(held_out)):
            judged = self._judged(network, self._prepare_inputs(held_out[HELD_OUT, number]))
            total, right = total + float(judged.losses.double().sum()), right + int(judged.right.sum())
            count += len(judged.losses)
        loss = total / count
        if not math.isfinite(loss):
            raise no_loss(self.state.global_step)
        perplexity = math.exp(min(loss, 700.0))
        metrics = {"loss": loss, "perplexity": perplexity, "accuracy": right / count, "places": count}
        metrics = {f"eval_{name}": value for name, value in metrics.items()}
        self.log(metrics)
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, metrics)
        return metrics

    def floating_point_ops(self, _inputs: Batch) -> int:
        """Not counted."""
        return 0


def _only(items: list[Batch]) -> Batch:
    """The loader's batches hold one of ours."""
    (batch,) = items
    return batch


def not_a_number(step: int) -> UserError:
    """The error for a loss or a gradient that is infinite or no number."""
    return UserError(
        f"The loss is no longer a number after {step} steps of training: the weights have diverged.",
        "Give a lower learning rate, or more warm-up. The last good checkpoint is kept.",
    )


def no_loss(step: int) -> UserError:
    """The error for a loss that is not a number; before the first step the training is not to blame."""
    if step:
        return not_a_number(step)
    return UserError(
        "The loss is not a number before anything was trained: the model's own weights give none.",
        "Give a model whose weights are intact.",
    )


class Watch(TrainerCallback):
    """Tells the epoch to the sampler and progress to the caller; stops what is cancelled."""

    def __init__(self, options: RunOptions, subject: str, minutes: float) -> None:
        self.trainer: PlacesTrainer | None = None
        self._tell, self._is_cancelled = options.progress or unheard, options.is_cancelled
        self._subject, self._seconds = subject, minutes * 60
        self._saved = time.monotonic()

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **_given: Any) -> None:
        """Start a resumed epoch where it stopped."""
        assert self.trainer is not None
        self.trainer.sampler.epoch = int((state.epoch or 0) + 1e-6)

    def on_step_end(self, args: Any, state: Any, control: Any, **_given: Any) -> None:
        """Report progress, and ask for a checkpoint when the last one is too old."""
        self._tell(Progress(TRAINING, state.global_step, state.max_steps, self._subject))
        if self._is_cancelled is not None and self._is_cancelled():
            self._tell(Progress(STOPPED, 0, 0, self._subject))
            raise Cancelled(f"stopped after {state.global_step} steps of training")
        keeps = str(args.save_strategy.value) != "no"
        due = [keeps and time.monotonic() - self._saved >= self._seconds]
        # Of several processes the first one's clock decides: a checkpoint without all of them is no use.
        if broadcast_object_list(due)[0]:
            control.should_save = True

    def on_save(self, args: Any, state: Any, control: Any, **_given: Any) -> None:
        """Note when a checkpoint was written."""
        self._saved = time.monotonic()


@contextmanager
def own_chance() -> Iterator[None]:
    """Restore the caller's global random generators afterwards, because training seeds them."""
    python, numbers = getstate(), np.random.get_state()
    with torch.random.fork_rng():
        try:
            yield
        finally:
            setstate(python)
            np.random.set_state(numbers)
