"""Measuring: instruments ask, a model answers all of them in one plan, results come out."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import pandas as pd

import equipoise
from equipoise.choices import choices_of, with_choices
from equipoise.data.catalogue import altered_problem
from equipoise.data.reading import file_sha256
from equipoise.data.sources import Data
from equipoise.errors import UnaskableError, UserError, unknown_name
from equipoise.instruments import DEFAULT_AUDIT, load_instrument
from equipoise.instruments.base import (
    Ask,
    Design,
    Instrument,
    PolarDesign,
    Settings,
    describe_instrument,
    refuse_all_dropped,
    refuse_incomplete,
    refuse_repeated_asks,
    refuse_repeated_names,
    refuse_undeclared,
    refuse_undeclared_headlines,
)
from equipoise.instruments.parts.choices import fixed_choices, recorded_choices, refuse_unread
from equipoise.instruments.parts.notices import dropped_notice, misread_notice
from equipoise.instruments.parts.unaskable import drop_unaskable
from equipoise.models.capabilities import require
from equipoise.models.loading import load_model
from equipoise.models.loading.names import portable_name
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Question, Raw, Score
from equipoise.models.static import STATIC
from equipoise.results import Quantity, Result, Summary
from equipoise.results.estimate import estimates_table
from equipoise.results.reading import readings
from equipoise.results.records import column_kinds
from equipoise.results.result import describe_versions
from equipoise.text.sides import FEMALE, MALE


@runtime_checkable
class Pipeline(Protocol):
    """A transformers pipeline: a network with its tokenizer."""

    model: Any
    tokenizer: Any


ModelSource = LanguageModel | Pipeline | str | Path
InstrumentSource = str | Instrument[Any]
Tell = Callable[[Result], None]
"""Told of every result as soon as it has its answers."""

Begin = Callable[[str, Mapping[str, Any]], None]
"""Told of every instrument that will be asked, and what is measured, before anything is; it may refuse."""


def measure(
    model: ModelSource,
    instrument: InstrumentSource,
    settings: Settings | None = None,
    *,
    data: Data = "",
    **choices: Any,
) -> Result:
    """Measure one model with one instrument: `measure("path/to/bert", "tbe", data=table)`.

    The model is one that was loaded, or its name; `choices` are those of `Settings`, such as layer="all".
    """
    if isinstance(instrument, list | tuple | set):
        raise UserError(
            f"measure takes one instrument and was given a {type(instrument).__name__} of {len(instrument)}.",
            "Several are measured in one plan by equipoise.audit(model, [...]).",
        )
    if not isinstance(data, str) or data:
        choices["data"] = data
    known = sorted({*(each.name for each in fields(Settings)), *(one.name for one in choices_of(Settings))})
    unknown = [name for name in choices if name not in known]
    if unknown:
        raise unknown_name("choice of measure", unknown[0], known)
    if not isinstance(settings, Settings | None):
        raise UserError(
            f"A {type(settings).__name__} was given as settings.",
            'Give a Settings, or name the choices one by one: measure(model, "tbe", poles="age").',
        )
    chosen = with_choices(settings or Settings(), choices)
    one = _instrument(instrument)
    refuse_unread({one.name: (one, chosen)})
    prepared = _prepare(as_model(model), one, chosen)
    return _run(prepared.model, [prepared])[0]


def audit(
    model: ModelSource,
    instruments: Sequence[InstrumentSource] = DEFAULT_AUDIT,
    settings: Mapping[str, Settings] | None = None,
    *,
    tell: Tell | None = None,
    begin: Begin | None = None,
) -> list[Result]:
    """Measure one model with several instruments: one plan, each distinct row answered once.

    `tell` gets every result as soon as it has its answers, those of cheap instruments first; `begin` gets
    what each will measure before anything is asked.
    """
    planned = _planned(instruments, settings)
    refuse_unread({one.name: (one, chosen) for one, chosen in planned})
    loaded = as_model(model)
    prepared = [_prepare(loaded, *pair) for pair in planned]
    _announce(prepared, begin)
    return _run(loaded, prepared, tell)


def audit_fitting(
    model: ModelSource,
    instruments: Sequence[InstrumentSource] = DEFAULT_AUDIT,
    settings: Mapping[str, Settings] | None = None,
    *,
    tell: Tell | None = None,
    begin: Begin | None = None,
) -> tuple[list[Result], dict[str, UserError]]:
    """The same with every instrument that fits the model; those that do not come back with the reason."""
    planned = _planned(instruments, settings)
    loaded = as_model(model)
    prepared: list[_Prepared] = []
    left_out: dict[str, UserError] = {}
    for one, chosen in planned:
        try:
            prepared.append(_prepare(loaded, one, chosen))
        except UserError as error:
            left_out[one.name] = error
    _announce(prepared, begin)
    return _run(loaded, prepared, tell, left_out), left_out


def questions_of(
    model: ModelSource,
    instruments: Sequence[InstrumentSource],
    settings: Mapping[str, Settings] | None = None,
) -> list[Question]:
    """Every question that `audit` would ask, without asking any."""
    loaded = as_model(model)
    prepared = [_prepare(loaded, *pair) for pair in _planned(instruments, settings)]
    return [ask.question for one in prepared for ask in one.asks]


def _planned(
    instruments: Sequence[InstrumentSource], settings: Mapping[str, Settings] | None
) -> list[tuple[Instrument[Any], Settings]]:
    """Every instrument with its settings; settings for one that is not measured would be ignored."""
    # A name by itself would be read letter by letter.
    several = [instruments] if isinstance(instruments, str) else instruments
    if not isinstance(several, Sequence):
        raise UserError(
            f"A {type(instruments).__name__} was given where instruments are expected.",
            'Give their names in a list: audit(model, ["sbe", "tbe"]).',
        )
    if not isinstance(settings, Mapping | None):
        raise UserError(
            f"A {type(settings).__name__} was given where settings by instrument are expected.",
            'Name the instrument that they are for: {"sbe": Settings(...)}.',
        )
    loaded = [_instrument(one) for one in several]
    names = [one.name for one in loaded]
    for name in settings or ():
        if name not in names:
            raise unknown_name("instrument among those measured", str(name), names)
    return [(one, (settings or {}).get(one.name, Settings())) for one in loaded]


def _announce(prepared: "Sequence[_Prepared]", begin: Begin | None) -> None:
    for one in prepared:
        if begin is not None:
            begin(one.instrument.name, one.measured())


def as_model(source: ModelSource) -> LanguageModel:
    """A model that was loaded, or the one of that name."""
    if isinstance(source, str | Path):
        return load_model(source)
    if isinstance(source, Pipeline):
        return equipoise.wrap_model(source.model, source.tokenizer, name=source.model.name_or_path)
    if not hasattr(source, "answer_in_turn"):
        raise UserError(
            f"A {type(source).__name__} was given where a model is expected.",
            "Give a name, a path, a transformers pipeline, or what load_model or wrap_model gives.",
        )
    return source


@dataclass(frozen=True)
class _Prepared:
    """An instrument with what it read and what it asks, waiting for answers.

    The files are hashed when they are read: by the time of the answers they may have changed.
    """

    model: LanguageModel
    instrument: Instrument[Any]
    design: Design
    asks: list[Ask]
    hashes: Mapping[str, str]
    altered: tuple[str, ...]

    def without_unaskable(self) -> "_Prepared":
        """The same without the items that the model cannot be asked."""
        design, asks = drop_unaskable(self.instrument.name, self.model, self.design, self.asks)
        return replace(self, design=design, asks=asks)

    def result(self, answers: Sequence[Any]) -> Result:
        """Read the answers and summarise."""
        keyed = {(ask.item, ask.role): answer for ask, answer in zip(self.asks, answers, strict=True)}
        items = self.instrument.score(self.design, keyed)
        refuse_incomplete(self.instrument.name, items, ("item", "score", "dropped"), "score")
        refuse_all_dropped(self.instrument.name, items)
        summary = self.instrument.summarise(self.design, items)
        refuse_undeclared_headlines(self.instrument.name, summary.estimates, self._quantities())
        provenance = self._provenance(items, summary)
        return Result(self.instrument.name, items, estimates_table(summary.estimates), provenance)

    def measured(self) -> dict[str, Any]:
        """What is measured, of which model, on which data and by which choices."""
        settings, model = self.design.settings, self.model
        is_table = isinstance(settings.data, pd.DataFrame)
        return {
            "instrument": describe_instrument(self.instrument, settings.variant),
            "model": {
                "name": portable_name(model.name),
                "kind": model.kind,
                "fingerprint": model.fingerprint,
                "precision": model.precision,
                "notes": list(model.notes),
            },
            "data": {
                "name": "table" if is_table else portable_name(str(settings.data)),
                "poles": portable_name(settings.poles),
                "files": dict(self.hashes),
            },
            "choices": recorded_choices(settings),
            "fixed_choices": fixed_choices(settings),
            "seed": settings.seed,
        }

    def _provenance(self, items: pd.DataFrame, summary: Summary) -> dict[str, Any]:
        measured = self.measured()
        measured["data"] |= {"notices": [*self._notices(items), *summary.remarks]}
        return measured | {
            "sentences": [*readings(summary.estimates, self._quantities()), *summary.sentences],
            "questions": len(self.asks),
            "roles": {name: list(columns) for name, columns in asdict(self.instrument.roles).items()},
            "quantities": [quantity.to_record() for quantity in self._quantities()],
            "columns": column_kinds(items),
            "versions": describe_versions(),
            "created": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        }

    def _quantities(self) -> tuple[Quantity, ...]:
        """Every declared quantity, its sides named after the poles that were asked."""
        poles = self.design.poles.pair if isinstance(self.design, PolarDesign) else (MALE, FEMALE)
        declared = self.design.quantities or self.instrument.quantities
        return tuple(quantity.of_poles(*poles) for quantity in declared)

    def _notices(self, items: pd.DataFrame) -> list[str]:
        kept = set(items["item"][items["dropped"] == ""])
        # A word without a vector is named also where it is the reason that an item was dropped.
        asks = [ask for ask in self.asks if ask.item in kept or self.model.kind == STATIC]
        return [
            *self.design.notices,
            *self.altered,
            *dropped_notice(items),
            *misread_notice(self.model, asks),
        ]


def _run(
    model: LanguageModel,
    prepared: Sequence[_Prepared],
    tell: Tell | None = None,
    left_out: dict[str, UserError] | None = None,
) -> list[Result]:
    """Ask everything in one plan, the cheap instruments first, and give each its answers.

    An instrument that loses most of its items is refused, or added to `left_out` with the reason.
    """
    waiting = dict(enumerate(prepared))
    results: dict[int, Result] = {}
    while waiting:
        try:
            for place, result in _answered(model, waiting):
                results[place] = result
                del waiting[place]
                if tell is not None:
                    tell(result)
        except UnaskableError as error:
            asks = sum(len(one.asks) for one in waiting.values())
            waiting = _without_unaskable(waiting, left_out)
            if sum(len(one.asks) for one in waiting.values()) == asks:
                raise UserError(error.message, error.hint) from error
    return [results[place] for place in sorted(results)]


def _answered(model: LanguageModel, waiting: Mapping[int, _Prepared]) -> Iterator[tuple[int, Result]]:
    """Every result with its place, as soon as it has its answers."""
    order = sorted(waiting, key=lambda place: _cost(waiting[place].asks))
    groups = [[ask.question for ask in waiting[place].asks] for place in order]
    ready = [waiting[place] for place in order]
    for place, one, answers in zip(order, ready, model.answer_in_turn(groups), strict=True):
        yield place, one.result(answers)


def _without_unaskable(
    waiting: Mapping[int, _Prepared], left_out: dict[str, UserError] | None
) -> dict[int, _Prepared]:
    """The same without the items that the model cannot be asked."""
    left: dict[int, _Prepared] = {}
    for place, one in waiting.items():
        try:
            left[place] = one.without_unaskable()
        except UserError as error:
            if left_out is None:
                raise
            left_out[one.instrument.name] = error
    return left


def _cost(asks: Sequence[Ask]) -> int:
    """Roughly how many words a model reads to answer: a scored text is read once for each of them."""
    return sum(_words_read(question) for question in {ask.question for ask in asks})


def _words_read(question: Question) -> int:
    if isinstance(question, Raw):
        return len(question.ids)
    words = question.text.count(" ") + 1
    return words**2 if isinstance(question, Score) else words


def _prepare(model: LanguageModel, instrument: Instrument[Any], settings: Settings) -> _Prepared:
    """Read what the instrument needs and collect its questions."""
    require(model, *instrument.needs, by=instrument.name)
    settings = settings.completed(instrument)
    resolved = settings.source(instrument)
    if not isinstance(settings.data, pd.DataFrame):
        settings = replace(settings, data=resolved.name)
    design = instrument.design(resolved, settings)
    refuse_incomplete(instrument.name, design.items, ("item", "dropped"), "design")
    refuse_repeated_names(instrument.name, design.items)
    refuse_all_dropped(instrument.name, design.items)
    hashes = {file.name: file_sha256(file) for file in design.files}
    altered = tuple(filter(None, (altered_problem(file, resolved.name) for file in design.files)))
    asks = list(instrument.ask(design, model))
    if not asks:
        raise UserError(
            f"{instrument.name}: not one item can be asked of {model.name!r}.",
            "Use another model or other data: these texts may be too long for it.",
        )
    refuse_repeated_asks(instrument.name, asks)
    return _Prepared(model, instrument, design, asks, hashes, altered)


def _instrument(source: InstrumentSource) -> Instrument[Any]:
    if isinstance(source, str):
        return load_instrument(source)
    refuse_undeclared(source)
    return source
