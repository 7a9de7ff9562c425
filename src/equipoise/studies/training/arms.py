"""Arms of a study: ways to change a model, each tuned with several seeds and measured alike."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import nan
from pathlib import Path
from typing import Any

import pandas as pd

from equipoise.corpora.documents import Document
from equipoise.corpora.opening import CorpusTexts
from equipoise.data.reading import GivenTable, file_sha256
from equipoise.errors import UserError
from equipoise.instruments.base import Settings
from equipoise.measuring import audit
from equipoise.mitigating import mitigate
from equipoise.mitigations.base import Materials, TextTuned
from equipoise.mitigations.counterfactual import Counterfactual
from equipoise.models.engine.rows import Row
from equipoise.models.neural.language import NeuralModel
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Question
from equipoise.results import Result
from equipoise.results.comparison import compare_pairs
from equipoise.results.comparison.pairing import pair
from equipoise.stats.repeats import over_repeats
from equipoise.studies.steps import Outcome, Step, StudyRun
from equipoise.text.rewriting import Rewriter

SAMPLE = 8
"""Rows that are run to learn the speed; one more goes before them to warm up."""

LENGTH = 32
A_STEP = 3.0
"""A step of training in passes over its tokens: forwards once, backwards about two."""

REWRITTEN = 20
"""Documents that are rewritten to learn how long all of them take."""

_SECONDS: dict[str, float] = {}


def seconds_per_token(model: LanguageModel) -> float:
    """What a token of a forward pass takes on this machine now; 0 for a model without a network."""
    if not isinstance(model, NeuralModel):
        return 0.0
    known = _SECONDS.get(model.fingerprint)
    if known is None:
        known = _SECONDS[model.fingerprint] = _timed(model)
    return known


def seconds_to_answer(model: LanguageModel, questions: Sequence[Question]) -> float:
    """How long the answers take: every distinct row is counted, whether or not it is in the store."""
    if not isinstance(model, NeuralModel):
        return 1.0
    rows = {row.key: len(row.ids) for question in questions for row in model.ask(question).rows}
    return sum(rows.values()) * seconds_per_token(model)


def seconds_to_rewrite(documents: Sequence[Document]) -> float:
    """How long it takes to rewrite the documents once, by the time that some of them take."""
    if not documents:
        return 0.0
    some = documents[:: max(1, len(documents) // REWRITTEN)]
    rewriter = Rewriter("invert")
    rewriter.rewrite_many([some[0].text])
    began = time.perf_counter()
    for _ in rewriter.rewrite_many([document.text for document in some]):
        pass
    taken = time.perf_counter() - began
    return taken * sum(len(one.text) for one in documents) / max(1, sum(len(one.text) for one in some))


def _timed(model: NeuralModel) -> float:
    words = len(model.tokens.tokenizer)
    length = min(LENGTH, model.max_length or LENGTH)
    rows = [
        Row(tuple((7 * place + 31 * number) % words for place in range(length)), ((1, 0),))
        for number in range(SAMPLE + 1)
    ]
    model.engine.compute(rows[:1])
    began = time.perf_counter()
    model.engine.compute(rows[1:])
    return (time.perf_counter() - began) / (SAMPLE * length)


BASE = "base"
SEEDS = (0, 1, 2)
MEASURE_SECONDS = 60.0
"""A guess at the time of measuring where a study does not say what it asks."""

REWRITES = 3
"""How often the text of a training is gone through by rules: to rewrite it, to check it, to find pronouns."""

TRAINING = "training"
"""The table of what a training did, step by step and on held-out text."""

Measure = Callable[[LanguageModel], list[Result]]
Examine = Callable[[LanguageModel], Mapping[str, pd.DataFrame]]
"""What is to be kept of a model beside the results of instruments, as tables by name."""


@dataclass(frozen=True)
class Arm:
    """A way to treat a model: its name, what changes it (nothing: as it is) and the text it reads."""

    name: str
    mitigation: TextTuned | None = None
    corpus: CorpusTexts | None = None


@dataclass(frozen=True)
class Trial:
    """How every arm of a study is tuned and measured: the method, the seeds, the instrument's settings."""

    method: Counterfactual | None = None
    seeds: Sequence[int] = SEEDS
    settings: Settings = field(default_factory=Settings)

    def record(self) -> dict[str, Any]:
        """What the numbers of a study depend on, beside the model and the corpora."""
        data = self.settings.data
        digest = file_sha256(GivenTable(data)) if isinstance(data, pd.DataFrame) else str(data)
        return {"seeds": list(self.seeds), "data": digest, "neutral_pairs": self.settings.neutral_pairs}


@dataclass(frozen=True)
class Shown:
    """An estimate in a study's table: over all items, and by the levels of some columns."""

    instrument: str
    key: str
    by: tuple[str, ...] = ("",)


@dataclass(frozen=True)
class ArmRuns:
    """The results of every arm, by seed; the arm of an unchanged model has one run."""

    by_arm: Mapping[str, Mapping[int, list[Result]]]
    tables: Mapping[str, Mapping[int, Mapping[str, pd.DataFrame]]] = field(default_factory=dict)

    def joined(self, name: str) -> pd.DataFrame:
        """The tables of one name of every arm and seed, one below the other."""
        parts = [
            held[name].assign(arm=arm, seed=seed)
            for arm, runs in self.tables.items()
            for seed, held in runs.items()
            if name in held and len(held[name])
        ]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()

    def table(self, shown: Sequence[Shown]) -> pd.DataFrame:
        """Estimates by arm: mean, noise and interval over seeds, and the change from the first arm."""
        rows = [
            {"arm": arm, **row}
            for arm, runs in self.by_arm.items()
            for one in shown
            for row in _estimates(list(runs.values()), one)
        ]
        table = pd.DataFrame(rows)
        first = next(iter(self.by_arm))
        key = ["instrument", "key", "by", "level"]
        before = table[table["arm"] == first].set_index(key)["mean"]
        return table.assign(
            change=table["mean"].to_numpy() - before.reindex(pd.MultiIndex.from_frame(table[key])).to_numpy()
        )

    def differences(self, reference: str) -> pd.DataFrame:
        """Every arm against a reference, seed by seed, item by item, through the one comparison."""
        pairs = []
        for arm, runs in self.by_arm.items():
            for seed, results in runs.items() if arm != reference else ():
                others = self.by_arm[reference]
                for first, second in zip(
                    others.get(seed) or next(iter(others.values())), results, strict=True
                ):
                    pairs.append(pair(first.renamed(reference), second.renamed(f"{arm}, seed {seed}")))
        return compare_pairs(pairs).table


def steps_of(
    arms: Sequence[Arm], seeds: Sequence[int], model: LanguageModel, questions: Sequence[Question] = ()
) -> list[Step]:
    """A step for every arm and seed, with its time by the model's speed; what cannot be tuned is refused.

    `questions` are those that every arm is asked.
    """
    for arm in arms:
        if arm.mitigation is not None and arm.corpus is not None:
            for seed in seeds:
                arm.mitigation.check(model, Materials(arm.corpus.documents, seed))
    measuring = seconds_to_answer(model, questions) if questions else MEASURE_SECONDS
    rewriting = {arm.corpus.digest: seconds_to_rewrite(arm.corpus.documents) for arm in arms if arm.corpus}
    steps = []
    for arm in arms:
        if arm.mitigation is None:
            steps.append(Step(arm.name, "Measure the model as it is", measuring))
            continue
        preparing = REWRITES * rewriting[arm.corpus.digest] if arm.corpus else 0.0
        seconds = measuring + preparing + training_seconds(arm, model)
        steps += [
            Step(f"{arm.name}-{seed}", f"Tune ({arm.name}, seed {seed}) and measure", seconds)
            for seed in seeds
        ]
    return steps


def training_seconds(arm: Arm, model: LanguageModel) -> float:
    """How long a training should take at most, by the model's speed and all tokens of all passes."""
    if not isinstance(model, NeuralModel) or arm.mitigation is None or arm.corpus is None:
        return 1.0
    characters = sum(len(document.text) for document in arm.corpus.documents)
    tokens = characters / 4.5
    if arm.mitigation.sentences:
        tokens = min(tokens, 35.0 * arm.mitigation.sentences)
    return A_STEP * seconds_per_token(model) * tokens * arm.mitigation.passes


def run_arms(
    study: StudyRun,
    model: LanguageModel,
    arms: Sequence[Arm],
    seeds: Sequence[int],
    measure: Measure,
    examine: Examine | None = None,
) -> ArmRuns:
    """Tune and measure every arm with every seed; what was finished before is read back."""

    def measured(one: LanguageModel) -> Outcome:
        return Outcome(measure(one), {} if examine is None else examine(one))

    runs = {arm.name: dict(_runs(study, model, arm, seeds, measured)) for arm in arms}
    return ArmRuns(
        {arm: {seed: outcome.results for seed, outcome in of_arm.items()} for arm, of_arm in runs.items()},
        {arm: {seed: outcome.tables for seed, outcome in of_arm.items()} for arm, of_arm in runs.items()},
    )


def _runs(
    study: StudyRun,
    model: LanguageModel,
    arm: Arm,
    seeds: Sequence[int],
    measured: Callable[[LanguageModel], Outcome],
) -> Iterator[tuple[int, Outcome]]:
    if arm.mitigation is None:
        yield 0, study.outcome(arm.name, lambda: measured(model))
        return
    for seed in seeds:
        step = f"{arm.name}-{seed}"
        yield seed, study.outcome(step, partial(_tune_and_measure, study, model, arm, seed, measured))


def _tune_and_measure(
    study: StudyRun,
    model: LanguageModel,
    arm: Arm,
    seed: int,
    measured: Callable[[LanguageModel], Outcome],
) -> Outcome:
    """What one training gave; its checkpoints lie in the study's workshop, its model is kept on request."""
    assert arm.mitigation is not None
    step = f"{arm.name}-{seed}"
    changed = mitigate(model, arm.mitigation, corpus=arm.corpus, seed=seed, workshop=study.workshop(step))
    kept = study.model_folder(step)
    if kept is not None:
        changed.save(kept, force=True)
    outcome = measured(changed.model)
    return Outcome(outcome.results, {**outcome.tables, TRAINING: changed.history})


def auditing(instruments: Sequence[str], settings: Mapping[str, Any] | None = None) -> Measure:
    """Measure with these instruments, all in one plan."""
    return lambda model: audit(model, instruments, settings)


def _estimates(runs: Sequence[Sequence[Result]], shown: Shown) -> Iterator[dict[str, Any]]:
    """Each level of an estimate over the runs of one arm; with one run its interval is that over items."""
    results = [result for run in runs for result in run if result.instrument == shown.instrument]
    if not results:
        return
    estimates = results[0].estimates
    each = [one.estimates.set_index(["key", "by", "level"])["value"].to_dict() for one in results]
    for row in estimates[(estimates["key"] == shown.key) & estimates["by"].isin(shown.by)].to_dict("records"):
        values = [one.get((row["key"], row["by"], row["level"]), nan) for one in each]
        repeats = over_repeats(values)
        alone = len(values) == 1
        yield {
            "instrument": shown.instrument,
            "key": shown.key,
            "label": row["label"],
            "by": row["by"],
            "level": row["level"],
            "mean": repeats.mean,
            "low": row["low"] if alone else repeats.interval.low,
            "high": row["high"] if alone else repeats.interval.high,
            "seed_sd": repeats.sd,
            "seeds": len(values),
            "interval_over": "items" if alone else "seeds",
            "n": row["n"],
            "unit": row["unit"],
        }


def refuse_names(corpora: Iterable[str], reserved: Collection[str]) -> None:
    """Refuse corpora whose names are the study's own, or cannot be the name of a folder."""
    taken = [name for name in corpora if name in reserved]
    if not corpora or taken:
        raise UserError(
            f"A corpus cannot be called {', '.join(taken)}." if taken else "No corpus was named.",
            "Give at least one corpus, with a name of its own.",
        )
    for name in corpora:
        if not name or name != Path(name).name or name.startswith("."):
            raise UserError(
                f"{name!r} cannot be the name of a corpus: a folder is called by it.",
                "Give a name of letters and numbers, as in NAME=FILE.",
            )
