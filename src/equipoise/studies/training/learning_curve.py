"""How much rewritten text a mitigation needs: counterfactual fine-tuning on samples of growing size.

The learning curve of the thesis (its section 6.4, Fig. 13): 500 to 12,000 sentences of GAP, five samples of
each size, 40 trainings in all. The default is a reduced grid; `FULL_SIZES` and `FULL_REPEATS` are the whole.
Each repeat draws other sentences and other masks: its spread is the noise that a single run hides.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from equipoise.corpora.opening import CorpusTexts
from equipoise.errors import UserError
from equipoise.mitigations.counterfactual import Counterfactual
from equipoise.mitigations.training.examples import split_documents, text_pieces
from equipoise.models.protocol import LanguageModel
from equipoise.results.records import shown
from equipoise.studies.steps import Keeping, Plan
from equipoise.studies.training.arms import BASE, Arm, Shown, Trial, auditing, run_arms, steps_of

SIZES, REPEATS = (250, 500, 1000), 3
FULL_SIZES, FULL_REPEATS = (500, 1000, 2000, 4000, 6000, 8000, 10_000, 12_000), 5
SHOWN = (Shown("sbe", "asld", ("", "category")), Shown("sbe", "asld-above-neutral"))


@dataclass(frozen=True)
class LearningCurve:
    """By size: the estimates with their spread over repeats; and the differences from the model as it was."""

    table: pd.DataFrame
    differences: pd.DataFrame
    sentences: list[str]


def learning_curve(
    model: LanguageModel,
    corpus: CorpusTexts,
    sizes: Sequence[int] = SIZES,
    *,
    repeats: int = REPEATS,
    trial: Trial | None = None,
    keeping: Keeping | None = None,
) -> LearningCurve:
    """Tune on samples of each size and measure; the repeats are the seeds."""
    trial = replace(trial or Trial(), seeds=range(repeats))
    if not sizes or min(sizes) < 10 or repeats < 1:
        raise UserError(
            f"Sizes {list(sizes)} x {repeats} repeats make no curve.", "Give sizes of 10 or more."
        )
    chosen = trial.method or Counterfactual()
    there = _sentences_there(corpus, chosen, repeats)
    short = [size for size in sizes if size > there]
    if len(short) > 1:
        raise UserError(
            f"The corpus has {there:,} sentences to train on: the sizes {', '.join(map(str, short))} "
            "would all be the same text.",
            f"Give --sizes of at most {there}, or a larger corpus.",
        )
    arms = [Arm(BASE), *(Arm(f"size-{size}", replace(chosen, sentences=size), corpus) for size in sizes)]
    settings = {"model": model.fingerprint, "corpus": corpus.digest, "method": chosen, "sizes": list(sizes)}
    settings |= trial.record()
    steps = steps_of(arms, trial.seeds, model)
    plan = Plan("learning-curve", "How much rewritten text is needed", settings, steps)
    study = (keeping or Keeping()).begin(plan)
    runs = run_arms(study, model, arms, trial.seeds, auditing(("sbe",), {"sbe": trial.settings}))
    table = runs.table(SHOWN)
    table.insert(0, "size", [0 if arm == BASE else int(arm.split("-")[1]) for arm in table["arm"]])
    differences = runs.differences(BASE)
    sentences = _in_words(table)
    sentences += [
        f"Of the size {size:,} only {there:,} sentences were there, and all taken." for size in short
    ]
    study.finish(sentences, {"learning-curve.csv": table, "differences.csv": differences})
    return LearningCurve(table, differences, sentences)


def _sentences_there(corpus: CorpusTexts, method: Counterfactual, repeats: int) -> int:
    """How many sentences (or documents, by unit) can be trained on, in the repeat that has the fewest."""
    counts = {
        id(document): sum(1 for _ in text_pieces([document.text], method.unit))
        for document in corpus.documents
    }
    trained = [split_documents(corpus.documents, method.validation, seed)[0] for seed in range(repeats)]
    copies = 2 if method.mode == "augment" else 1
    return copies * min(sum(counts[id(document)] for document in side) for side in trained)


def _in_words(table: pd.DataFrame) -> list[str]:
    whole = table[(table["key"] == "asld") & (table["by"] == "")]
    said = [
        f"{row['size']:,} sentences: ASLD {shown(row['mean'])}"
        + (f" (sd over {row['seeds']} repeats {shown(row['seed_sd'])})." if row["seeds"] > 1 else ".")
        for row in whole.to_dict("records")
        if row["size"]
    ]
    return [f"As it was: ASLD {shown(float(whole['mean'].iloc[0]))} nats.", *said]
