"""A callback for transformers' Trainer that measures bias while the network learns.

    trainer.add_callback(equipoise.Callback(trainer, "tbe"))

Every headline is logged as `eval_bias/tbe.appd`, with `.low` and `.high` for its interval. TensorBoard, wandb
and trackio show it as `eval/bias/tbe.appd` beside the loss; MLflow keeps the name.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from time import monotonic
from typing import Any

import equipoise
from equipoise.errors import UserError
from equipoise.instruments.base import Settings
from equipoise.measuring import InstrumentSource, audit
from equipoise.models.options import RunOptions
from equipoise.results import Result
from equipoise.samples import Stop

PREFIX = "eval_bias/"
"""transformers turns a leading `eval_` into the group `eval/` for most trackers."""

DEFAULT_SHARE = 0.03

_REFUSED = re.compile(r"[^\w\-./ ]")
"""Characters that MLflow refuses in the name of a metric."""


class Callback:
    """Measures at the first and the last step, and in between every N steps or as a share of time permits.

    With `every=None` a measurement in between starts only if all of them, the last one included, then stay
    under `share` of the time since training began. Each asks the same sample of the items, or with
    `whole=True` all of them. `results` keeps each step's results.
    """

    def __init__(
        self,
        trainer: Any,
        instruments: InstrumentSource | Sequence[InstrumentSource] = "tbe",
        *,
        every: int | None = None,
        share: float = DEFAULT_SHARE,
        whole: bool = False,
        settings: Mapping[str, Settings] | None = None,
    ) -> None:
        if every is not None and every < 1:
            raise UserError(f"every={every} was given.", "Give a number of steps of 1 or more, or None.")
        if not 0 < share <= 1:
            raise UserError(
                f"share={share} was given.", "Give a share of the training time above 0, up to 1."
            )
        if not hasattr(trainer, "processing_class"):
            raise UserError(
                f"A {type(trainer).__name__} was given as the trainer.", "Give a transformers Trainer."
            )
        self.trainer = trainer
        several = isinstance(instruments, Sequence) and not isinstance(instruments, str)
        self.instruments: Any = instruments if several else [instruments]
        self.every, self.share, self.whole, self.settings = every, share, whole, settings
        self.results: dict[int, list[Result]] = {}
        self.spent = 0.0
        self._last, self._began = 0.0, 0.0

    def __getattr__(self, name: str) -> Callable[..., None]:
        """Do nothing at every event of the Trainer that has no method here."""
        if not name.startswith("on_"):
            raise AttributeError(name)
        return lambda *_args, **_kwargs: None

    def on_train_begin(self, args: Any, state: Any, control: Any, **parts: Any) -> None:
        """Measure the network before it learns, which also tells what a measurement costs."""
        self._began = monotonic()
        self._measure(state)

    def on_step_end(self, args: Any, state: Any, control: Any, **parts: Any) -> None:
        """Measure if it is time to."""
        # The last step is measured here: some trackers close their run before `on_train_end` comes to us.
        if self._is_due(state.global_step) or state.global_step >= state.max_steps > 0:
            self._measure(state)

    def on_train_end(self, args: Any, state: Any, control: Any, **parts: Any) -> None:
        """Measure what was learnt, if training ended early."""
        if state.global_step not in self.results:
            self._measure(state)

    def _is_due(self, step: int) -> bool:
        if self.every is not None:
            return step % self.every == 0
        # This one and the one at the end will take as long as the last one did.
        return self.spent + 2 * self._last <= self.share * (monotonic() - self._began)

    def _measure(self, state: Any) -> None:
        """Measure, log the headlines, and note the seconds that it took."""
        if not state.is_world_process_zero:
            return
        start = monotonic()
        network = self.trainer.accelerator.unwrap_model(self.trainer.model)
        # Nothing is stored: these weights exist for one step only.
        model = equipoise.wrap_model(
            network,
            self.trainer.processing_class,
            name=f"step {state.global_step}",
            options=RunOptions(cache=False),
        )
        stop = None if self.whole else Stop(quick=True)
        results = audit(model, self.instruments, self.settings, stop=stop)
        if stop is not None and stop.interrupted:
            raise KeyboardInterrupt
        self.results[state.global_step] = results
        # Logging clears the Trainer's own wish to log the loss at this step.
        wanted = self.trainer.control.should_log
        self.trainer.log({key: value for result in results for key, value in _logged(result).items()})
        self.trainer.control.should_log = wanted
        self._last = monotonic() - start
        self.spent += self._last


def _logged(result: Result) -> dict[str, float]:
    """The headlines with the ends of their intervals, as far as they are numbers."""
    logged = {}
    for row in result.headlines().to_dict("records"):
        at = f".{row['by']}.{row['level']}" if row["by"] else ""
        name = f"{result.instrument}.{row['key']}{at}"
        for column, end in (("value", ""), ("low", ".low"), ("high", ".high")):
            if isfinite(row[column]) and not row["void"]:
                logged[PREFIX + _REFUSED.sub("_", name + end)] = float(row[column])
    return logged
