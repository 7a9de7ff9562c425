"""Downstream: does a mitigated model, fine-tuned on the same task, lose its gap?

Two models are tuned on the same part of a task, with the same order, dropout and head for each seed, and the
classifiers are measured on the texts of the instruments and on the held-out part. Scores are averaged over
the seeds item by item before they are compared: what is left of chance is that of the items and the task.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd

from equipoise.data.reading import GivenTable, read_table
from equipoise.data.sources import Data, without_table
from equipoise.errors import UserError
from equipoise.instruments.base import Settings
from equipoise.measuring import ModelSource, as_model, audit
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Classify
from equipoise.results import Result
from equipoise.results.comparison import Comparison, compare
from equipoise.results.records import fixed
from equipoise.stats.clusters import wilson
from equipoise.studies.steps import Plan, Step, StudyRun

SIDES = ("before", "after")
TEXTS = ("counterfactual-gap", "name-sensitivity")
ODDS, ACCURACY = "equalised-odds", "accuracy"
HELD_OUT = 0.3
FEWEST = 20
COLUMNS = ["side", "model", "seed", "instrument", "key", "value", "low", "high", "n"]


@dataclass(frozen=True)
class DownstreamChoice:
    """The label that gaps are taken of, how often and how long is tuned, and whether an older study goes."""

    label: str = ""
    seeds: int = 3
    epochs: int = 3
    rate: float = 5e-5
    force: bool = False

    def __post_init__(self) -> None:
        if self.seeds < 1 or self.epochs < 1:
            raise UserError(
                f"{self.seeds} seeds and {self.epochs} epochs were asked for.", "Give numbers of 1 or more."
            )


@dataclass(frozen=True)
class Task:
    """Texts with labels to tune on, and those held out; `gender` of the held-out ones where it is known."""

    tuned: pd.DataFrame
    held_out: pd.DataFrame
    has_gender: bool


@dataclass(frozen=True)
class DownstreamStudy:
    """Every headline of every classifier, and the comparison of the two models over all seeds."""

    table: pd.DataFrame
    comparison: Comparison

    def sentences(self) -> list[str]:
        """Accuracy first, then every gap in words."""
        accuracy = self.table[self.table["instrument"] == "task"].groupby("side", sort=False)["value"].mean()
        told = [
            f"Accuracy on held-out texts: {fixed(accuracy['before'], 3)} before, "
            f"{fixed(accuracy['after'], 3)} after."
        ]
        return [*told, *self.comparison.sentences()]


def study_downstream(
    before: ModelSource,
    after: ModelSource,
    task: Data,
    *,
    choice: DownstreamChoice | None = None,
    folder: Path | None = None,
    say: Callable[[str], None] = lambda _sentence: None,
) -> DownstreamStudy:
    """Tune a classifier on each of two models, measure both, compare."""
    chosen = choice or DownstreamChoice()
    parts = read_task(task)
    _check_label(parts, chosen.label)
    models = dict(zip(SIDES, (as_model(before), as_model(after)), strict=True))
    run = StudyRun(folder, _plan(models, parts, chosen), say=say, force=chosen.force)
    seeds = chosen.seeds
    results: dict[tuple[str, int], list[Result]] = {}
    for side, model in models.items():
        for seed in range(seeds):
            results[side, seed] = run.results(
                f"{side}-{seed}",
                partial(_measured, model, parts, chosen, seed),
            )
    averaged = {side: _averaged([results[side, seed] for seed in range(seeds)]) for side in SIDES}
    study = DownstreamStudy(_table(models, results), compare(averaged["before"], averaged["after"]))
    run.finish(study.sentences(), {"classifiers.csv": study.table, "comparison.csv": study.comparison.table})
    return study


def read_task(data: Data) -> Task:
    """The texts of a task, a stated third of each label held out, the same every time."""
    data = without_table(data)
    file = GivenTable(data) if isinstance(data, pd.DataFrame) else Path(data)
    table = read_table(file, ("text", "label"))
    if len(table) < FEWEST:
        raise UserError(f"{file} has {len(table)} texts.", f"Give at least {FEWEST} to tune a classifier on.")
    rng = np.random.default_rng(0)
    is_held = np.zeros(len(table), dtype=bool)
    for _, rows in table.groupby("label", sort=True):
        places = rng.permutation(rows.index.to_numpy())
        is_held[places[: int(np.ceil(HELD_OUT * len(places)))]] = True
    return Task(table[~is_held], table[is_held], "gender" in table)


def _check_label(task: Task, label: str) -> None:
    """Refuse a label that no classifier will have before any is tuned."""
    labels = sorted(task.tuned["label"].unique())
    if (label and label not in labels) or (not label and len(labels) > 2):
        raise UserError(
            f"The task has no label {label!r}." if label else f"The task has {len(labels)} labels.",
            f"Name one of them with --label: {', '.join(labels)}.",
        )


def _plan(models: Mapping[str, LanguageModel], task: Task, choice: DownstreamChoice) -> Plan:
    prints = {side: model.fingerprint for side, model in models.items()}
    texts = "\n".join([*task.tuned["text"], *task.held_out["text"]])
    settings = {"models": prints, "texts": sha256(texts.encode()).hexdigest(), **asdict(choice)}
    settings.pop("force")
    seconds = 0.15 * choice.epochs * len(task.tuned) + 30
    steps = [
        Step(f"{side}-{seed}", f"Tune and measure {models[side].name}, seed {seed}", seconds)
        for side in SIDES
        for seed in range(choice.seeds)
    ]
    return Plan("downstream", "Downstream", settings, steps)


def _measured(model: LanguageModel, task: Task, choice: DownstreamChoice, seed: int) -> list[Result]:
    """A classifier tuned with this seed, measured on the instruments' texts and on the held-out ones."""
    from equipoise.mitigations.training.classifiers import ClassifierRecipe, train_classifier
    from equipoise.models.options import RunOptions

    recipe = ClassifierRecipe(epochs=choice.epochs, rate=choice.rate, seed=seed)
    texts, labels = task.tuned["text"].tolist(), task.tuned["label"].tolist()
    classifier = train_classifier(model, texts, labels, recipe=recipe, options=RunOptions(cache=False))
    chosen = {name: Settings(label=choice.label) for name in TEXTS}
    if task.has_gender:
        chosen[ODDS] = Settings(data=task.held_out)
    results = audit(classifier, list(chosen), chosen)
    for result in results:
        result.provenance[ACCURACY] = accuracy_on(classifier, task.held_out)
    return results


def accuracy_on(classifier: LanguageModel, held_out: pd.DataFrame) -> dict[str, float]:
    """How many of the held-out texts get their label."""
    said = classifier.answer([Classify(text) for text in held_out["text"]])
    right = sum(one.likeliest == label for one, label in zip(said, held_out["label"], strict=True))
    low, high = wilson(right, len(held_out))
    return {"value": right / len(held_out), "low": low, "high": high, "n": len(held_out)}


def _averaged(of_seeds: Sequence[Sequence[Result]]) -> list[Result]:
    """Results whose scores are the mean over the seeds, item by item."""
    averaged = []
    for several in zip(*of_seeds, strict=True):
        items = several[0].items.copy()
        numbers = [name for name in items if items[name].dtype.kind == "f"]
        for name in numbers:
            items[name] = np.mean([one.items[name].to_numpy() for one in several], axis=0)
        averaged.append(replace(several[0], items=items))
    return averaged


def _table(
    models: Mapping[str, LanguageModel], results: Mapping[tuple[str, int], list[Result]]
) -> pd.DataFrame:
    """The accuracy on the task and every headline of every classifier."""
    rows = []
    for (side, seed), several in results.items():
        about = (side, models[side].name, seed)
        rows.append((*about, "task", ACCURACY, *several[0].provenance[ACCURACY].values()))
        for one in several:
            cells = one.headlines()[["key", "value", "low", "high", "n"]].itertuples(index=False)
            rows += [(*about, one.instrument, *cell) for cell in cells]
    return pd.DataFrame(rows, columns=COLUMNS)
