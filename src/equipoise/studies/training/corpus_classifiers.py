"""One classifier for each labelled corpus, and the direct bias of the vectors that the task leaves behind.

The method of Babaeianjelodar et al. 2020, to which chapter 2 of the GBEF thesis compares its own: BERT is
tuned to classify each corpus, and the direct bias of its word vectors is set beside that of BERT as it was.
The corpora need labels. Added here: several seeds; the separation beside the direct bias; the accuracy on
held-out texts; and a control, the first corpus with its labels shuffled, because any tuning moves vectors.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256

import numpy as np
import pandas as pd

from equipoise.data.sources import Data
from equipoise.measuring import audit
from equipoise.models.protocol import LanguageModel
from equipoise.results import Result
from equipoise.results.records import shown, three_decimals
from equipoise.studies.changes.downstream import ACCURACY, Task, accuracy_on, read_task
from equipoise.studies.steps import Keeping, Plan, Step
from equipoise.studies.training.arms import BASE, SEEDS, ArmRuns, Shown, refuse_names

INSTRUMENT, CONTROL = "direct-bias", "shuffled-labels"
SHOWN = (Shown(INSTRUMENT, "direct-bias"), Shown(INSTRUMENT, "separation"))


@dataclass(frozen=True)
class CorpusClassifiers:
    """Direct bias and separation of the model as it was and after each task; the accuracy of the tasks."""

    table: pd.DataFrame
    accuracy: pd.DataFrame
    sentences: list[str]


def corpus_classifiers(
    model: LanguageModel,
    corpora: Mapping[str, Data],
    *,
    seeds: Sequence[int] = SEEDS,
    epochs: int = 3,
    keeping: Keeping | None = None,
) -> CorpusClassifiers:
    """Tune a classifier on each corpus and on the control, and measure the vectors of each."""
    refuse_names(corpora, {BASE, CONTROL})
    tasks = {name: read_task(data) for name, data in corpora.items()}
    tasks[CONTROL] = _shuffled(next(iter(tasks.values())))
    prints = {name: _digest(task) for name, task in tasks.items()}
    settings = {"model": model.fingerprint, "corpora": prints, "seeds": list(seeds), "epochs": epochs}
    steps = [Step(BASE, "Measure the model as it is", 10), *_steps(tasks, seeds, epochs)]
    plan = Plan("corpus-classifiers", "A classifier for each corpus", settings, steps)
    study = (keeping or Keeping()).begin(plan)
    by_arm = {BASE: {0: study.results(BASE, lambda: audit(model, (INSTRUMENT,)))}}
    for name, task in tasks.items():
        by_arm[name] = {
            seed: study.results(f"{name}-{seed}", partial(_measured, model, task, seed, epochs))
            for seed in seeds
        }
    table, accuracy = ArmRuns(by_arm).table(SHOWN), _accuracies(by_arm)
    sentences = _in_words(table, accuracy)
    study.finish(sentences, {"corpus-classifiers.csv": table, "accuracy.csv": accuracy})
    return CorpusClassifiers(table, accuracy, sentences)


def _measured(model: LanguageModel, task: Task, seed: int, epochs: int) -> list[Result]:
    """The direct bias of the vectors that one classifier leaves, with its accuracy beside it."""
    from equipoise.mitigations.training.classifiers import ClassifierRecipe, train_classifier, with_encoder_of
    from equipoise.models.options import RunOptions

    recipe = ClassifierRecipe(epochs=epochs, seed=seed)
    texts, labels = task.tuned["text"].tolist(), task.tuned["label"].tolist()
    classifier = train_classifier(model, texts, labels, recipe=recipe, options=RunOptions(cache=False))
    results = audit(with_encoder_of(model, classifier), (INSTRUMENT,))
    results[0].provenance[ACCURACY] = accuracy_on(classifier, task.held_out)
    return results


def _shuffled(task: Task) -> Task:
    """The task with labels that say nothing of the texts."""
    rng = np.random.default_rng(0)
    tuned, held_out = (
        part.assign(label=rng.permutation(part["label"].to_numpy())) for part in (task.tuned, task.held_out)
    )
    return Task(tuned, held_out, task.has_gender)


def _accuracies(by_arm: Mapping[str, Mapping[int, list[Result]]]) -> pd.DataFrame:
    rows = [
        {"arm": arm, "seed": seed, **results[0].provenance[ACCURACY]}
        for arm, runs in by_arm.items()
        for seed, results in runs.items()
        if arm != BASE
    ]
    return pd.DataFrame(rows)


def _digest(task: Task) -> str:
    cells = pd.concat([task.tuned, task.held_out])[["text", "label"]].agg("\t".join, axis=1)
    return sha256("\n".join(cells).encode()).hexdigest()


def _steps(tasks: Mapping[str, Task], seeds: Sequence[int], epochs: int) -> list[Step]:
    return [
        Step(
            f"{name}-{seed}",
            f"Tune a classifier ({name}, seed {seed}) and measure",
            10 + 0.15 * epochs * len(task.tuned),
        )
        for name, task in tasks.items()
        for seed in seeds
    ]


def _in_words(table: pd.DataFrame, accuracy: pd.DataFrame) -> list[str]:
    rows = table[(table["key"] == "direct-bias") & (table["by"] == "")].set_index("arm")
    said = [f"As it was: direct bias {shown(rows.loc[BASE, 'mean'])}."]
    right = accuracy.groupby("arm", sort=False)["value"].mean()
    for arm in rows.index.drop(BASE):
        row = rows.loc[arm]
        spread = f", sd over seeds {shown(row['seed_sd'])}" if row["seeds"] > 1 else ""
        said.append(
            f"{arm}: direct bias {shown(row['mean'])} ({three_decimals(row['change'], sign=True)}{spread}); "
            f"accuracy on held-out texts {shown(right[arm])}."
        )
    return [*said, "Shuffled labels teach nothing about the text: read the others against that row."]
