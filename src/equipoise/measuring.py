"""Measuring: instruments ask, a model answers all of them in one plan, results come out."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import equipoise
from equipoise.choices import choices_of, with_choices
from equipoise.data.poles import load_poles
from equipoise.data.sources import Data
from equipoise.errors import IncapableError, UnaskableError, UserError, unknown_name
from equipoise.instruments import DEFAULT_AUDIT, default_audit, load_instrument
from equipoise.instruments.base import Ask, Instrument, Settings, refuse_undeclared
from equipoise.instruments.parts.choices import CORPUS, POLES, refuse_unread
from equipoise.models.loading import load_model
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Question
from equipoise.preparing import Prepared, cost, prepare
from equipoise.results import Result
from equipoise.samples import BLOCKS, Stop, blocks_of


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
    if isinstance(model, str | Path):
        refuse_impossible([(one, chosen)])
    prepared = prepare(as_model(model), one, chosen)
    return _run(prepared.model, [prepared])[0]


def audit(
    model: ModelSource,
    instruments: Sequence[InstrumentSource] = DEFAULT_AUDIT,
    settings: Mapping[str, Settings] | None = None,
    *,
    tell: Tell | None = None,
    begin: Begin | None = None,
    stop: Stop | None = None,
) -> list[Result]:
    """Measure one model with several instruments: one plan, each distinct row answered once.

    `tell` gets every result as soon as it has its answers, those of cheap instruments first; `begin` gets
    what each will measure before anything is asked. With `stop` the items of all instruments are asked in
    a balanced order, and the run may end early, also by Ctrl-C: its results are then samples.
    """
    planned = _planned(instruments, settings)
    refuse_unread({one.name: (one, chosen) for one, chosen in planned})
    if isinstance(model, str | Path):  # of a loaded model `prepare` refuses the same
        refuse_impossible(planned)
    loaded = as_model(model)
    prepared = [prepare(loaded, *pair) for pair in planned]
    _announce(prepared, begin)
    return _run(loaded, prepared, tell, stop=stop)


def audit_fitting(
    model: ModelSource,
    instruments: Sequence[InstrumentSource] | None = None,
    settings: Mapping[str, Settings] | None = None,
    *,
    tell: Tell | None = None,
    begin: Begin | None = None,
    stop: Stop | None = None,
) -> tuple[list[Result], dict[str, UserError]]:
    """The same with every instrument that fits the model; those that do not come back with the reason.

    Without instruments it takes those that suit the kind of model. An instrument whose first variant the
    model cannot be asked is asked in the first one that it can, unless a variant was chosen.
    """
    loaded = as_model(model)
    planned = _planned(default_audit(loaded.kind) if instruments is None else instruments, settings)
    prepared: list[Prepared] = []
    left_out: dict[str, UserError] = {}
    for one, chosen in planned:
        try:
            prepared.append(_prepare_fitting(loaded, one, chosen))
        except UserError as error:
            left_out[one.name] = error
    _announce(prepared, begin)
    return _run(loaded, prepared, tell, left_out, stop=stop), left_out


def _prepare_fitting(model: LanguageModel, instrument: Instrument[Any], settings: Settings) -> Prepared:
    """Prepare with the first variant that the model can be asked; a notice says that it is not the usual."""
    refusals: list[IncapableError] = []
    for variant in (settings.variant,) if settings.variant else instrument.variants:
        try:
            prepared = prepare(model, instrument, replace(settings, variant=variant))
        except IncapableError as error:
            refusals.append(error)
            continue
        told = [f"asked by the variant {variant!r}, because {one.reason}" for one in refusals[:1]]
        design = replace(prepared.design, notices=(*prepared.design.notices, *told))
        return replace(prepared, design=design)
    raise refusals[0]


def questions_of(
    model: ModelSource,
    instruments: Sequence[InstrumentSource],
    settings: Mapping[str, Settings] | None = None,
) -> list[Question]:
    """Every question that `audit` would ask, without asking any."""
    loaded = as_model(model)
    prepared = [prepare(loaded, *pair) for pair in _planned(instruments, settings)]
    return [ask.question for one in prepared for ask in one.asks]


def refuse_impossible(planned: Sequence[tuple[Instrument[Any], Settings]]) -> None:
    """Refuse unknown variants, faulty files and unknown poles before a model is loaded."""
    for one, chosen in planned:
        completed = chosen.completed(one)
        source = completed.source(one)
        if POLES in one.reads:
            load_poles(chosen.poles)
        is_file = isinstance(chosen.data, str | Path) and Path(chosen.data).is_file()
        if is_file and CORPUS not in one.reads:  # a corpus may take minutes to read
            one.design(source, completed)


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


def _announce(prepared: "Sequence[Prepared]", begin: Begin | None) -> None:
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


def _run(
    model: LanguageModel,
    prepared: Sequence[Prepared],
    tell: Tell | None = None,
    left_out: dict[str, UserError] | None = None,
    *,
    stop: Stop | None = None,
) -> list[Result]:
    """Ask everything in one plan, the cheap instruments first, and give each its answers.

    An instrument that loses most of its items is refused, or added to `left_out` with the reason.
    """
    waiting = dict(enumerate(prepared))
    results: dict[int, Result] = {}
    while waiting:
        try:
            answered = _answered(model, waiting) if stop is None else _in_blocks(model, waiting, stop)
            for place, result in answered:
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


def _answered(model: LanguageModel, waiting: Mapping[int, Prepared]) -> Iterator[tuple[int, Result]]:
    """Every result with its place, as soon as it has its answers."""
    order = sorted(waiting, key=lambda place: cost(waiting[place].asks))
    groups = [[ask.question for ask in waiting[place].asks] for place in order]
    ready = [waiting[place] for place in order]
    for place, one, answers in zip(order, ready, model.answer_in_turn(groups), strict=True):
        yield place, one.result(answers)


def _in_blocks(
    model: LanguageModel, waiting: Mapping[int, Prepared], stop: Stop
) -> Iterator[tuple[int, Result]]:
    """Every result with its place, when everything was asked or the run was stopped."""
    blocks = {
        place: blocks_of(one.instrument, one.design, one.quantities()) for place, one in waiting.items()
    }
    asks: list[list[tuple[int, Ask]]] = [[] for _ in BLOCKS]
    for place, one in waiting.items():
        block_of = blocks[place].to_dict()
        for ask in one.asks:
            asks[block_of.get(ask.item, 0)].append((place, ask))
    answers: dict[int, dict[tuple[str, str], Any]] = {place: {} for place in waiting}

    def results(last: int) -> dict[int, Result]:
        return {place: one.sampled(answers[place], blocks[place], last) for place, one in waiting.items()}

    last = -1
    try:
        asked = asks[: stop.most_blocks]
        groups = model.answer_in_turn([[ask.question for _, ask in group] for group in asked])
        for block, (group, given) in enumerate(zip(asked, groups, strict=True)):
            for (place, ask), answer in zip(group, given, strict=True):
                answers[place][ask.item, ask.role] = answer
            last = block
            if block + 1 < len(BLOCKS) and (stop.is_time(block) or _is_exact(stop, block, results)):
                break
    except KeyboardInterrupt:
        if last < 0:
            raise
        stop.interrupted = True
    told = results(last)
    yield from ((place, told[place]) for place in sorted(waiting, key=lambda one: cost(waiting[one].asks)))


def _is_exact(stop: Stop, block: int, results: Callable[[int], Mapping[int, Result]]) -> bool:
    """Whether the samples are exact enough; they are only worked out where that was asked."""
    if stop.until is None:
        return False
    return stop.is_exact([result.provenance["sample"] for result in results(block).values() if result.sample])


def _without_unaskable(
    waiting: Mapping[int, Prepared], left_out: dict[str, UserError] | None
) -> dict[int, Prepared]:
    """The same without the items that the model cannot be asked."""
    left: dict[int, Prepared] = {}
    for place, one in waiting.items():
        try:
            left[place] = one.without_unaskable()
        except UserError as error:
            if left_out is None:
                raise
            left_out[one.instrument.name] = error
    return left


def _instrument(source: InstrumentSource) -> Instrument[Any]:
    if isinstance(source, str):
        return load_instrument(source)
    refuse_undeclared(source)
    return source
