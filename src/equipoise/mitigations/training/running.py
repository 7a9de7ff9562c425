"""Training from beginning to end: a copy of the model in, a tuned network and its losses out."""

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from math import ceil
from pathlib import Path
from typing import Any

import pandas as pd
import transformers

from equipoise.errors import UserError
from equipoise.mitigations.base import Materials
from equipoise.mitigations.training.batches import Batches, Objective
from equipoise.mitigations.training.checkpoints import (
    claim_room,
    full_disk_explained,
    identity_of,
    last_checkpoint,
)
from equipoise.mitigations.training.head import HeadAtPlaces
from equipoise.mitigations.training.products import quick_products
from equipoise.mitigations.training.recipe import Recipe, merged, prepared
from equipoise.mitigations.training.trainer import PlacesTrainer, Watch, own_chance
from equipoise.models.loading.checkpoints import quiet
from equipoise.models.neural.devices import find_device

LONGEST_WARMUP = 1 / 3
"""Share of a run's steps that a warm-up may take."""

LEARNT = 0.001
"""Nats per hidden token by which the held-out loss must fall for anything to have been learnt."""


@dataclass(frozen=True)
class TrainingSet:
    """What is trained on and what is held out (nothing, or as many examples as one likes)."""

    examples: Sequence[Any]
    held_out: Sequence[Any] = ()


@dataclass(frozen=True)
class Trained:
    """A tuned network with the loss of every step, and held-out loss and perplexity before and by epoch."""

    network: Any
    losses: pd.DataFrame
    validation: pd.DataFrame
    seconds: float
    tokens: int
    notes: tuple[str, ...] = ()

    def account(self) -> list[str]:
        """What the training gave, in sentences."""
        steps = len(self.losses)
        said = [
            f"{_counted(steps, 'step')} over {self.tokens:,} tokens of text an epoch; "
            f"training loss {self.losses['loss'].iloc[-max(1, steps // 10) :].mean():.3f} at the end."
        ]
        if len(self.validation):
            said.append(
                f"Held-out text: {_in_words(self.validation.iloc[0])} before, {_in_words(self.kept)}."
            )
        return [*self.notes, *said, *self._nothing_learnt()]

    def _nothing_learnt(self) -> list[str]:
        """Warn if the held-out loss did not fall: such a model says nothing about its training text."""
        if not len(self.validation):
            return []
        before, after = float(self.validation.iloc[0]["loss"]), float(self.kept["loss"])
        if before - after >= LEARNT:
            return []
        steps = _counted(len(self.losses), "step")
        return [
            f"Nothing was learnt: after {steps} the loss on held-out text is {after:.3f}, and it was "
            f"{before:.3f}. Give more text or epochs, or another learning rate."
        ]

    @property
    def history(self) -> pd.DataFrame:
        """The training loss of every step, and loss, perplexity and accuracy on held-out text by epoch."""
        parts = {"training": self.losses, "held-out": self.validation}
        tables = [table.assign(text=name) for name, table in parts.items() if len(table)]
        columns = ["text", "epoch", "step", "loss", "perplexity", "accuracy", "places", "kept"]
        return pd.concat(tables, ignore_index=True).reindex(columns=columns)

    @property
    def kept(self) -> pd.Series:
        """How the weights that were kept did on held-out text."""
        return self.validation.loc[self.validation["kept"]].iloc[0]


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _in_words(row: pd.Series) -> str:
    after = f" after {_counted(round(row['epoch']), 'epoch')}" if row["epoch"] else ""
    return f"loss {row['loss']:.3f} (perplexity {row['perplexity']:.2f}, {row['accuracy']:.1%} right){after}"


def train(
    network: Any,
    data: TrainingSet,
    objective: Objective,
    recipe: Recipe,
    materials: Materials,
    *,
    name: str,
) -> Trained:
    """Tune the network, which is the caller's own copy; a killed run goes on from its last checkpoint.

    `name` is shown with the progress and tells this training from others with the same workshop.
    """
    if not data.examples:
        raise UserError("There is no text to train on.", "Give a corpus with sentences in it.")
    began = time.monotonic()
    with _room(materials, recipe, name) as room, own_chance(), quiet():
        examples = (*data.examples, *data.held_out)
        claim_room(room, identity_of(asdict(recipe), _shape_of(network), examples, materials.seed))
        tuning = prepared(network, recipe)
        trainer = _trainer(tuning, data, objective, (recipe, materials), (room, name))
        notes = _bound_warmup(trainer)
        earlier = last_checkpoint(room)
        trainer.args.eval_on_start = earlier is None and bool(data.held_out)
        with full_disk_explained(room), quick_products(tuning):
            trainer.train(resume_from_checkpoint=None if earlier is None else str(earlier))
        history = pd.DataFrame(trainer.state.log_history)
        tuned = merged(trainer.accelerator.unwrap_model(trainer.model)).eval()
    tuned.requires_grad_(True)
    tokens = sum(len(example) for example in data.examples)
    losses, validation = _losses(history), _validation(history, recipe)
    return Trained(tuned, losses, validation, time.monotonic() - began, tokens, notes)


def _bound_warmup(trainer: PlacesTrainer) -> tuple[str, ...]:
    """Cut a warm-up of a fixed number of steps to a third of the run; say so if it was cut.

    A published recipe counts steps of its own, much larger text (Deng and Breuch: 1,000 of about 3,500). On a
    run shorter than its warm-up the learning rate would never rise, and nothing would be learnt.
    """
    asked = float(trainer.args.warmup_steps)
    steps = ceil(len(trainer.sampler) / trainer.args.world_size) * int(trainer.args.num_train_epochs)
    most = max(1, int(steps * LONGEST_WARMUP))
    if asked < 1 or asked <= most:
        return ()
    trainer.args.warmup_steps = most
    return (
        f"Warm-up was cut from {asked:,.0f} to {most:,} of {_counted(steps, 'step')}: with the recipe's own "
        "the learning rate would hardly rise.",
    )


def _trainer(
    network: Any,
    data: TrainingSet,
    objective: Objective,
    how: tuple[Recipe, Materials],
    where: tuple[Path, str],
) -> PlacesTrainer:
    (recipe, materials), (room, name) = how, where
    given = {"tokens": recipe.batch_tokens, "seed": materials.seed}
    plain = network.get_base_model() if recipe.lora else network
    watch = Watch(materials.options, name, recipe.checkpoint_minutes)
    callbacks: list[Any] = [watch]
    if recipe.patience:
        callbacks.append(transformers.EarlyStoppingCallback(recipe.patience))
    trainer = PlacesTrainer(
        model=network,
        args=_arguments(recipe, materials, room, has_held_out=bool(data.held_out)),
        batches=Batches(data.examples, objective, **given),
        held_out=Batches(data.held_out, objective, **given) if data.held_out else None,
        head=HeadAtPlaces(plain),
        callbacks=callbacks,
    )
    trainer.remove_callback(transformers.PrinterCallback)
    watch.trainer = trainer
    return trainer


def _arguments(recipe: Recipe, materials: Materials, room: Path, *, has_held_out: bool) -> Any:
    keeps = materials.workshop is not None or recipe.patience
    return transformers.TrainingArguments(
        output_dir=str(room),
        num_train_epochs=recipe.epochs,
        learning_rate=recipe.learning_rate,
        warmup_steps=recipe.warmup,
        weight_decay=recipe.decay,
        max_grad_norm=recipe.clip,
        adam_epsilon=recipe.epsilon,
        optim="adamw_torch_fused",
        per_device_train_batch_size=1,
        eval_strategy="epoch" if has_held_out else "no",
        save_strategy="epoch" if keeps else "no",
        save_total_limit=1,
        load_best_model_at_end=bool(recipe.patience),
        metric_for_best_model=recipe.judged_by if recipe.patience else None,
        greater_is_better=recipe.judged_by == "accuracy" if recipe.patience else None,
        logging_steps=1,
        logging_nan_inf_filter=False,
        report_to=[],
        seed=materials.seed,
        use_cpu=find_device(materials.options.device).type == "cpu",
        bf16=materials.options.precision == "bf16",
        dataloader_pin_memory=False,
        remove_unused_columns=False,
        disable_tqdm=True,
    )


@contextmanager
def _room(materials: Materials, recipe: Recipe, name: str) -> Iterator[Path]:
    """Where checkpoints go: the workshop's part for this training, or a place that is cleared afterwards."""
    if materials.workshop is not None:
        yield materials.workshop / f"{name}-{materials.seed}"
        return
    with tempfile.TemporaryDirectory(prefix="equipoise-") as folder:
        yield Path(folder)


def _shape_of(network: Any) -> str:
    from equipoise.models.guards.weights import weights_digest

    return weights_digest(network)


def _losses(history: pd.DataFrame) -> pd.DataFrame:
    rows = history[history["loss"].notna()]
    return rows[["step", "epoch", "loss", "learning_rate"]].reset_index(drop=True)


def _validation(history: pd.DataFrame, recipe: Recipe) -> pd.DataFrame:
    """A row for the text before training and after every epoch; `kept` marks that of the weights kept."""
    columns = {f"eval_{name}": name for name in ("loss", "perplexity", "accuracy", "places")}
    if "eval_loss" not in history:
        return pd.DataFrame(columns=["epoch", *columns.values(), "kept"])
    rows = history[history["eval_loss"].notna()].assign(epoch=lambda table: table["epoch"].fillna(0))
    table = rows[["epoch", *columns]].rename(columns=columns).reset_index(drop=True)
    after = table[table["epoch"] > 0]
    sign = -1 if recipe.judged_by == "loss" else 1
    kept = (sign * after[recipe.judged_by]).idxmax() if recipe.patience else len(table) - 1
    return table.assign(kept=table.index == kept)
