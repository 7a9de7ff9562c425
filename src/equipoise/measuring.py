"""Measuring: instruments ask, a model answers all of them in one plan, results come out."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timezone
from typing import Any

from equipoise.data.catalogue import altered_problem
from equipoise.data.reading import file_sha256
from equipoise.errors import UserError
from equipoise.instruments import DEFAULT_AUDIT, load_instrument
from equipoise.instruments.base import Instrument, ItemSet, Settings
from equipoise.models.base import LanguageModel, Question, Raw
from equipoise.results import Result, column_kinds, describe_versions, estimates_table


def measure(model: LanguageModel, instrument: str, settings: Settings | None = None) -> Result:
    """Measure one model with one instrument."""
    chosen = {instrument: settings} if settings else {}
    return audit(model, [instrument], chosen)[0]


def audit(
    model: LanguageModel,
    instruments: Sequence[str] = DEFAULT_AUDIT,
    settings: Mapping[str, Settings] | None = None,
) -> list[Result]:
    """Measure one model with several instruments: one plan, each distinct row answered once."""
    prepared = [_prepare(model, name, (settings or {}).get(name, Settings())) for name in instruments]
    return _run(model, prepared)


def audit_possible(
    model: LanguageModel, instruments: Sequence[str], settings: Mapping[str, Settings] | None = None
) -> tuple[list[Result], dict[str, UserError]]:
    """The same with every instrument that can be run; those that cannot are given back with the reason."""
    prepared: list[_Prepared] = []
    left_out: dict[str, UserError] = {}
    for name in instruments:
        try:
            prepared.append(_prepare(model, name, (settings or {}).get(name, Settings())))
        except UserError as error:
            left_out[name] = error
    return _run(model, prepared), left_out


class _Prepared:
    """An instrument with its items and questions, waiting for answers."""

    def __init__(self, model: LanguageModel, instrument: Instrument, settings: Settings) -> None:
        self.instrument = instrument
        self.settings = settings
        self.items: ItemSet = instrument.items(settings)
        self.questions = _questions(model, instrument, self.items, settings)

    def result(self, model: LanguageModel, answers: list[Any]) -> Result:
        """Read the answers and summarise."""
        scored = self.instrument.scored(self.items.table, answers, self.settings)
        estimates = estimates_table(self.instrument.estimates(scored, self.settings))
        provenance = self._provenance(model, column_kinds(scored), len(answers))
        result = Result(self.instrument.name, scored, estimates, provenance)
        remarks = getattr(self.instrument, "remarks", None)
        if remarks is not None:
            provenance["data"]["notices"] += list(remarks(scored, self.settings))
        in_words = getattr(self.instrument, "answers", None)
        provenance["answers"] = [] if in_words is None else list(in_words(result))
        return result

    def _provenance(self, model: LanguageModel, columns: dict[str, str], asked: int) -> dict[str, Any]:
        settings = self.settings
        notices = [altered_problem(path, settings.data) for path in self.items.files]
        return {
            "instrument": {
                "name": self.instrument.name,
                "title": self.instrument.title,
                "variant": settings.variant,
            },
            "model": {
                "name": model.name,
                "kind": model.kind,
                "fingerprint": model.fingerprint,
                "precision": model.precision,
                "notes": list(model.notes),
            },
            "data": {
                "name": settings.data,
                "poles": settings.poles,
                "files": {path.name: file_sha256(path) for path in self.items.files},
                "notices": [*self.items.notices, *filter(None, notices), *_misread(model, self.questions)],
            },
            "questions": asked,
            "seed": settings.seed,
            "comparable": asdict(self.instrument.comparable),
            "columns": columns,
            "versions": describe_versions(),
            "created": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        }


def _misread(model: LanguageModel, questions: Sequence[Question]) -> list[str]:
    """Published texts are measured as they stand, so one that the model cannot spell is told, not refused."""
    texts = list(dict.fromkeys(one.text for one in questions if not isinstance(one, Raw)))
    found = [text for text in texts if model.misreads(text)]
    if not found:
        return []
    return [
        f"{len(found):,} of {len(texts):,} texts hold something that {model.name!r} cannot spell and reads "
        f"as its unknown token, the first: {found[0]!r}"
    ]


def _run(model: LanguageModel, prepared: Sequence[_Prepared]) -> list[Result]:
    """Ask everything in one plan and give each instrument its answers."""
    answers = iter(model.answer([question for one in prepared for question in one.questions]))
    return [one.result(model, [next(answers) for _ in one.questions]) for one in prepared]


def _prepare(model: LanguageModel, name: str, settings: Settings) -> _Prepared:
    instrument = load_instrument(name)
    for question in instrument.needs:
        if not model.can_answer(question):
            raise UserError(
                f"{name} cannot measure {model.name!r}: a {model.kind} model does not answer "
                f"'{question.__name__.lower()}' questions.",
                "Name another instrument or another kind of model.",
            )
    settings = settings.completed(instrument)
    return _Prepared(model, instrument, settings)


def _questions(
    model: LanguageModel, instrument: Instrument, items: ItemSet, settings: Settings
) -> list[Question]:
    """An instrument that must see the tokenizer, to repeat a paper's raw rows, says so by `questions_for`."""
    asks = getattr(instrument, "questions_for", None)
    if asks is not None:
        return list(asks(model, items.table, settings))
    return instrument.questions(items.table, settings)
