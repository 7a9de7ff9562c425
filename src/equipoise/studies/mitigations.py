"""Which mitigation: several on one model within a time budget, bias removed against price.

The plan with its guesses of time comes first; a method that would not fit the budget is left out and named.
Every method's model is measured like the model before, item by item, with the price beside the gain; one
table, the Pareto front in it, and the methods that another one beats. Models, results and finished steps are
kept in the folder, so that a killed study goes on.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from equipoise.corpora.named import CorpusTexts
from equipoise.errors import UserError, unknown_name
from equipoise.measuring import ModelSource, as_model
from equipoise.mitigating import Mitigated, mitigate
from equipoise.mitigations import MITIGATIONS, mitigation_class
from equipoise.models import load_model
from equipoise.models.base import LanguageModel
from equipoise.models.options import RunOptions
from equipoise.results import Result
from equipoise.studies.before_after import SECONDS, BeforeAfter, Choice, compared, fill_card
from equipoise.studies.pareto import COLUMNS, front_sentences, method_row, with_front
from equipoise.studies.steps import Plan, Step, StudyRun, in_minutes

TRAINING_FREE = ("counterfactual-averaging", "head-refit")
INSTRUMENTS = ("tbe", "stereotype-skew")
DEFAULT = (*TRAINING_FREE, "self-distillation")
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
    seed: int = 0
    minutes: float = BUDGET
    choice: Choice = field(default_factory=lambda: Choice(INSTRUMENTS))

    def __post_init__(self) -> None:
        for name in self.names:
            if name not in MITIGATIONS:
                raise unknown_name("mitigation", name, MITIGATIONS)
        if self.minutes <= 0:
            raise UserError(f"The budget is {self.minutes:g} minutes.", "Give a number above 0.")


@dataclass(frozen=True)
class MitigationStudy:
    """One row for each method, the gain and price of each, what was left out, and it all in words."""

    table: pd.DataFrame
    details: Mapping[str, BeforeAfter]
    left_out: tuple[str, ...]
    sentences: tuple[str, ...]

    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables by the names of their files."""
        joined = {"gain.csv": [], "price.csv": []}  # type: dict[str, list[pd.DataFrame]]
        for method, made in self.details.items():
            joined["gain.csv"].append(made.gain.assign(method=method))
            joined["price.csv"].append(made.price.assign(method=method))
        tables = {"mitigations.csv": self.table}
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
    fitting, left_out = planned(chosen)
    if not fitting:
        raise UserError(
            f"No method fits {chosen.minutes:g} minutes.", "Give more minutes or quicker methods."
        )
    study = StudyRun(folder, _plan(loaded, chosen, fitting), say, force)
    for sentence in left_out:
        say(sentence)
    runs = _Runs(study, loaded, chosen)
    before = study.results("before", lambda: chosen.choice.measured(loaded))
    details = {name: runs.one(name, before) for name in fitting}
    made = _summarised(details, runs, left_out)
    study.finish(made.sentences, made.tables())
    return made


def planned(methods: Methods) -> tuple[list[str], tuple[str, ...]]:
    """The methods that fit the budget in the order named, and a sentence for each that does not."""
    seconds, fitting, left_out = SECONDS, [], []
    for name in methods.names:
        needed = _seconds(name)
        if seconds + needed <= 60 * methods.minutes:
            seconds += needed
            fitting.append(name)
        else:
            said = f"{name} is left out: about {in_minutes(needed)} would go beyond the budget of"
            left_out.append(f"{said} {methods.minutes:g} min.")
    return fitting, tuple(left_out)


@dataclass
class _Runs:
    """The methods at work: each changed, measured, compared; how long it took and what loads it."""

    study: StudyRun
    model: LanguageModel
    methods: Methods
    minutes: dict[str, float] = field(default_factory=dict)

    def one(self, name: str, before: Sequence[Result]) -> BeforeAfter:
        """Change, measure and compare one method's model."""
        began = time.monotonic()
        results = self.study.results(name, lambda: self.methods.choice.measured(self._changed(name)))
        self.minutes[name] = self.study.taken.get(name, time.monotonic() - began) / 60
        made = compared(before, results, NOTHING)
        if self.study.folder is not None:
            fill_card(self.study.folder / "models" / name, self.model, made.sentences)
        return made

    def _changed(self, name: str) -> LanguageModel:
        """The changed model: saved in the study's folder where there is one, and read back from there."""
        place = None if self.study.folder is None else self.study.folder / "models" / name
        if place is not None and place.exists():
            return load_model(place, getattr(self.model, "options", None) or RunOptions())
        made = self._mitigated(name)
        if place is not None:
            made.save(place)
        return made.model

    def _mitigated(self, name: str) -> Mitigated:
        corpus = self.methods.corpus if mitigation_class(name).reads_corpus else None
        return mitigate(
            self.model, name, corpus=corpus, seed=self.methods.seed, workshop=self.study.workshop(name)
        )


def _summarised(
    details: Mapping[str, BeforeAfter], runs: _Runs, left_out: tuple[str, ...]
) -> MitigationStudy:
    rows = []
    for name, made in details.items():
        library = "equipoise" if name in TWICE else "transformers"
        rows.append(
            method_row(name, made.gain, made.price) | {"minutes": runs.minutes[name], "library": library}
        )
    table = with_front(pd.DataFrame(rows))[list(COLUMNS)]
    return MitigationStudy(table, details, left_out, (*front_sentences(table), *left_out))


def _plan(model: LanguageModel, methods: Methods, fitting: Sequence[str]) -> Plan:
    steps = [Step("before", f"Measure {model.name}", SECONDS)]
    steps += [Step(name, f"Change the model by {name} and measure it", _seconds(name)) for name in fitting]
    settings = {
        "model": model.fingerprint,
        "methods": list(methods.names),
        "seed": methods.seed,
        "minutes": methods.minutes,
        "corpus": methods.corpus.digest if methods.corpus else None,
        **methods.choice.record(),
    }
    return Plan("mitigations", f"Mitigations of {model.name}", settings, steps)


def _seconds(name: str) -> float:
    return CHANGING.get(name, TUNING) + SECONDS * (2 if name in TWICE else 1)
