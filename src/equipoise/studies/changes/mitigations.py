"""Which mitigation: several on one model within a time budget, bias removed against price.

The plan with its guesses of time comes first; a method that would not fit the budget is left out and named.
Methods that tune come out differently with another seed: after all methods were tried once, these are
repeated with further seeds as far as the budget reaches, and the table has the noise beside the mean.
Every method's model is measured like the model before, item by item, with the price beside the gain; one
table, the Pareto front in it, and the methods that another one beats. Models, results and finished steps are
kept in the folder, so that a killed study goes on.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from equipoise.corpora.opening import CorpusTexts
from equipoise.errors import UserError, unknown_name
from equipoise.measuring import ModelSource, as_model
from equipoise.mitigating import Mitigated, mitigate
from equipoise.mitigations import MITIGATIONS, mitigation_class
from equipoise.mitigations.base import Materials
from equipoise.mitigations.tuning import TextTuning
from equipoise.models.loading import load_model
from equipoise.models.protocol import LanguageModel
from equipoise.results import Result
from equipoise.studies.changes.before_after import (
    SECONDS,
    TUNED,
    BeforeAfter,
    MeasuredBy,
    compared,
    fill_card,
)
from equipoise.studies.changes.pareto import (
    COLUMNS,
    front_sentences,
    over_trainings,
    side_by_side,
    with_front,
)
from equipoise.studies.steps import MODELS, Plan, Step, StudyRun, in_minutes
from equipoise.studies.training.arms import SEEDS, Arm, training_seconds

TRAINING_FREE = ("counterfactual-averaging", "head-refit")
INSTRUMENTS = ("tbe", "stereotype-skew")
DEFAULT = (*TRAINING_FREE, "self-distillation")
ALL, NOT_IN_ALL = "all", ("pretraining",)
"""Every method that the model and the corpus allow; a model from nothing is not a mitigation of this one."""

BUDGET = 30.0
QUICK = ("counterfactual-averaging", "prior-normalisation", "self-debias", "oscar")
PROJECTIONS = ("direction-removal", "sentence-projection", "leace", "inlp")
CHANGING = {**dict.fromkeys(QUICK, 1.0), **dict.fromkeys(PROJECTIONS, 30.0), "head-refit": 90.0}
"""Seconds that changing a model of BERT-base's size takes by a guess; other methods take TUNING."""

TUNING = 600.0
TWICE = ("counterfactual-averaging", "prior-normalisation", "self-debias")
"""Wrappers ask twice, so that measuring them takes twice as long."""

NOTHING = pd.DataFrame()
"""The divergence on neutral text is left to before-after: it needs both models at once."""


@dataclass(frozen=True)
class Methods:
    """Which methods are tried, with their options, on what text, and within how many minutes."""

    names: Sequence[str] = DEFAULT
    corpus: CorpusTexts | None = None
    seeds: Sequence[int] = SEEDS
    minutes: float = BUDGET
    choice: MeasuredBy = field(default_factory=lambda: MeasuredBy(INSTRUMENTS))

    def __post_init__(self) -> None:
        for name in self.names:
            if name not in (*MITIGATIONS, ALL):
                raise unknown_name("mitigation", name, (*MITIGATIONS, ALL))
        if ALL in self.names and len(self.names) > 1:
            raise UserError(
                f"{', '.join(self.names)} were named, and {ALL} means every method.",
                f"Name {ALL} by itself, or those that you want.",
            )
        if not self.seeds:
            raise UserError("No seed was given.", "Give one or more, as in --seeds 0,1,2.")
        if self.minutes <= 0:
            raise UserError(f"The budget is {self.minutes:g} minutes.", "Give a number above 0.")


@dataclass(frozen=True)
class MitigationStudy:
    """One row for each method, the gain and price of each, what was left out, and it all in words."""

    table: pd.DataFrame
    details: Mapping[str, BeforeAfter]
    left_out: tuple[str, ...]
    sentences: tuple[str, ...]

    def side_by_side(self) -> pd.DataFrame:
        """Every number before, and after each method."""
        return side_by_side({name: (made.gain, made.price) for name, made in self.details.items()})

    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables by the names of their files."""
        joined = {"gain.csv": [], "price.csv": []}  # type: dict[str, list[pd.DataFrame]]
        for method, made in self.details.items():
            joined["gain.csv"].append(made.gain.assign(method=method))
            joined["price.csv"].append(made.price.assign(method=method))
        tables = {"mitigations.csv": self.table, "side-by-side.csv": self.side_by_side()}
        return tables | {name: pd.concat(parts, ignore_index=True) for name, parts in joined.items() if parts}


def compare_mitigations(
    model: ModelSource,
    methods: Methods | None = None,
    *,
    folder: Path | None = None,
    say: Callable[[str], None] = lambda _sentence: None,
    force: bool = False,
) -> MitigationStudy:
    """Try the methods that fit the budget, measure each like the model before, and set them side by side."""
    chosen = methods or Methods()
    loaded = as_model(model)
    chosen, undone = doable(chosen, loaded)
    fitting, left_out = planned(chosen, loaded)
    left_out = (*undone, *left_out)
    if not fitting:
        raise UserError(
            f"No method fits {chosen.minutes:g} minutes.", "Give more minutes or quicker methods."
        )
    for name in dict.fromkeys(run.method for run in fitting):
        _refuse_undoable(name, chosen, loaded)
    study = StudyRun(folder, _plan(loaded, chosen, fitting), say, force)
    for sentence in left_out:
        say(sentence)
    runs = _Runs(study, loaded, chosen, fitting)
    before = study.results("before", lambda: chosen.choice.measured(loaded))
    measured: dict[str, list[list[Result]]] = {}
    for run in fitting:
        measured.setdefault(run.method, []).append(runs.results(run))
    made = _summarised(before, measured, runs, left_out)
    study.finish(made.sentences, made.tables())
    return made


class Run(NamedTuple):
    """A method with a seed; `step` is its name in the plan and the folder of its model."""

    method: str
    seed: int
    step: str


def doable(methods: Methods, model: LanguageModel) -> tuple[Methods, tuple[str, ...]]:
    """The methods that were named; of `all` those that model and corpus allow, with a sentence for others."""
    if tuple(methods.names) != (ALL,):
        return methods, ()
    kept, left_out = [], []
    for name in MITIGATIONS:
        if name in NOT_IN_ALL:
            continue
        try:
            _check(name, methods, model)
        except UserError as error:
            left_out.append(f"{name} is left out: {error.message}")
        else:
            kept.append(name)
    return replace(methods, names=tuple(kept)), tuple(left_out)


def _check(name: str, methods: Methods, model: LanguageModel) -> None:
    """Refuse a method that could not be done, before anything is measured for it."""
    mitigation = mitigation_class(name)()
    texts = methods.corpus if mitigation.reads_corpus else None
    mitigation.check(model, Materials(texts.documents if texts else (), methods.seeds[0]))


def _refuse_undoable(name: str, methods: Methods, model: LanguageModel) -> None:
    try:
        _check(name, methods, model)
    except UserError as error:
        raise UserError(
            f"{name} cannot be tried. {error.message}",
            f"{error.hint} Or name other methods, or all: then what cannot be done is left out.",
        ) from error


def planned(methods: Methods, model: LanguageModel) -> tuple[list[Run], tuple[str, ...]]:
    """What fits the budget: all methods once in the order named, then repeats; a sentence for the rest."""
    first, *others = methods.seeds
    fitting: list[Run] = []
    seconds, left_out = SECONDS, []
    once = [Run(name, first, name) for name in methods.names]
    again = [Run(one.method, seed, f"{one.method}-{seed}") for seed in others for one in once]
    for run in (*once, *(one for one in again if one.method in TUNED)):
        needed = _seconds(run.method, methods, model)
        if seconds + needed <= 60 * methods.minutes and _is_begun(run, fitting):
            seconds += needed
            fitting.append(run)
        elif run.step == run.method:
            said = f"{run.method} is left out: about {in_minutes(needed)} would go beyond the budget of"
            left_out.append(f"{said} {methods.minutes:g} min.")
    tried = {run.method for run in fitting} & set(TUNED)
    unsure = [name for name in methods.names if name in tried and _times(name, fitting) == 1]
    if others and unsure:
        said = f"{', '.join(unsure)}: one seed only, so that the noise of the tuning is not known;"
        left_out.append(f"{said} further seeds would go beyond the budget of {methods.minutes:g} min.")
    return fitting, tuple(left_out)


def _is_begun(run: Run, fitting: Sequence[Run]) -> bool:
    """Whether it is a method's first run, or a repeat of one that fits."""
    return run.step == run.method or _times(run.method, fitting) > 0


def _times(method: str, runs: Sequence[Run]) -> int:
    return sum(run.method == method for run in runs)


@dataclass
class _Runs:
    """The methods at work: each changed, measured, compared; how long it took and what loads it."""

    study: StudyRun
    model: LanguageModel
    methods: Methods
    runs: Sequence[Run]
    minutes: dict[str, float] = field(default_factory=dict)

    def results(self, run: Run) -> list[Result]:
        """Change and measure one method's model."""
        began = time.monotonic()
        results = self.study.results(run.step, lambda: self.methods.choice.measured(self._changed(run)))
        taken = self.study.taken.get(run.step, time.monotonic() - began) / 60
        self.minutes[run.method] = self.minutes.get(run.method, 0.0) + taken
        return results

    def fill_cards(self, method: str, sentences: Sequence[str]) -> None:
        """Gain and price into the cards of a method's models."""
        if self.study.folder is not None:
            for run in self.runs:
                if run.method == method:
                    fill_card(self.study.folder / MODELS / run.step, self.model, sentences)

    def _changed(self, run: Run) -> LanguageModel:
        """The changed model: saved in the study's folder where there is one, and read back from there."""
        place = None if self.study.folder is None else self.study.folder / MODELS / run.step
        if place is not None and place.exists():
            return load_model(place, self.model.options)
        made = self._mitigated(run)
        if place is not None:
            made.save(place)
        return made.model

    def _mitigated(self, run: Run) -> Mitigated:
        corpus = self.methods.corpus if mitigation_class(run.method).reads_corpus else None
        workshop = self.study.workshop(run.step)
        return mitigate(self.model, run.method, corpus=corpus, seed=run.seed, workshop=workshop)


def _summarised(
    before: Sequence[Result],
    measured: Mapping[str, list[list[Result]]],
    runs: _Runs,
    left_out: tuple[str, ...],
) -> MitigationStudy:
    rows, details = [], {}
    for name, after in measured.items():
        details[name] = made = compared(before, after, NOTHING)
        runs.fill_cards(name, made.sentences)
        singles = [compared(before, [one], NOTHING) for one in after]
        row = over_trainings(name, [(one.gain, one.price) for one in singles], (made.gain, made.price))
        library = "equipoise" if name in TWICE else "transformers"
        rows.append(row | {"minutes": runs.minutes[name], "library": library})
    table = with_front(pd.DataFrame(rows))[list(COLUMNS)]
    return MitigationStudy(table, details, left_out, (*front_sentences(table), *left_out))


def _plan(model: LanguageModel, methods: Methods, fitting: Sequence[Run]) -> Plan:
    steps = [Step("before", f"Measure {model.name}", SECONDS)]
    for run in fitting:
        seeded = "" if run.step == run.method else f" with seed {run.seed}"
        what = f"Change the model by {run.method}{seeded} and measure it"
        steps.append(Step(run.step, what, _seconds(run.method, methods, model)))
    settings = {
        "model": model.fingerprint,
        "methods": list(methods.names),
        "seeds": list(methods.seeds),
        "minutes": methods.minutes,
        "corpus": methods.corpus.digest if methods.corpus else None,
        **methods.choice.record(),
    }
    return Plan("mitigations", f"Mitigations of {model.name}", settings, steps)


def _seconds(name: str, methods: Methods, model: LanguageModel) -> float:
    """A guess at changing and measuring; a training takes as long as its text is long."""
    mitigation = mitigation_class(name)()
    is_training = isinstance(mitigation, TextTuning)
    tuning = training_seconds(Arm(name, mitigation, methods.corpus), model) if is_training else TUNING
    return CHANGING.get(name, tuning) + SECONDS * (2 if name in TWICE else 1)
