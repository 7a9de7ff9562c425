"""Tests that read what a model writes, as tasks of inspect_ai for every provider that it knows.

    inspect eval equipoise/stories --model openai/gpt-4o-mini

The numbers of the log are our headlines, with `_low` and `_high`. `result_of(log)` makes a result of it,
to save, compare and show like any other.
"""

from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from math import isfinite
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState, generate

from equipoise.choices import with_choices
from equipoise.errors import UserError
from equipoise.instruments import load_instrument
from equipoise.instruments.base import Ask, Settings
from equipoise.instruments.parts.options import WRITTEN
from equipoise.models.capabilities import GENERATE
from equipoise.models.protocol import AnsweringModel
from equipoise.models.questions import Generate, Written
from equipoise.preparing import Prepared, prepare
from equipoise.results import Result

INSTRUMENTS = ("stories", "paired-documents", "choices", "word-association", "relative-decision")
"""Instruments that can be answered in writing alone."""

PACKAGE = "equipoise/"
LONGEST = 128
"""Tokens of a written text; stories need the most of them."""

Texts = Mapping[str, str]
"""What was written, by the name of its sample."""


class _Writer(AnsweringModel):
    """Stands for inspect's model: it can write, and is never asked here."""

    kind, capabilities = "remote", frozenset({GENERATE})

    def __init__(self, name: str) -> None:
        self.name, self.fingerprint = name, sha256(name.encode()).hexdigest()


def _prepared(instrument: str, choices: Mapping[str, Any], model: str = "") -> Prepared:
    """The instrument with its items and questions; no choice but the written way is left to make."""
    loaded = load_instrument(instrument)
    variant = WRITTEN if WRITTEN in loaded.variants else ""
    given = {name: value for name, value in choices.items() if value}
    settings = with_choices(Settings(), {"variant": variant, **given})
    return prepare(_Writer(model), loaded, settings)


def _turns(prepared: Prepared) -> Iterator[tuple[Ask, str, list[str]]]:
    """Every question with its prompt and the names of the samples that answer it."""
    for number, ask in enumerate(prepared.asks):
        assert isinstance(ask.question, Generate)
        yield ask, ask.question.text, [f"{number}-{turn}" for turn in range(ask.question.count)]


def _result(prepared: Prepared, texts: Texts) -> Result:
    """What the instrument makes of the texts; one that was never written is empty and counted as unread."""
    answers = []
    for _, _, names in _turns(prepared):
        endings = tuple("stop" if name in texts else "missing" for name in names)
        answers.append(Written(tuple(texts.get(name, "") for name in names), endings))
    return prepared.result(answers)


@metric  # type: ignore[untyped-decorator]
def headlines(instrument: str, choices: Mapping[str, Any]) -> Metric:
    """The headlines of the instrument over all samples."""

    def read(scores: list[SampleScore]) -> Any:
        texts = {str(one.sample_id): str(one.score.answer) for one in scores}
        numbers: dict[str, float] = {}
        for row in _result(_prepared(instrument, choices), texts).headlines().to_dict("records"):
            for column, end in (("value", ""), ("low", "_low"), ("high", "_high")):
                if isfinite(row[column]) and not row["void"]:
                    numbers[row["key"] + end] = float(row[column])
        return numbers

    return read


def _scorer(instrument: str, choices: Mapping[str, Any]) -> Scorer:
    @scorer(metrics=[headlines(instrument, dict(choices))], name=instrument)  # type: ignore[untyped-decorator]
    def written() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            return Score(value=1, answer=state.output.completion)

        return score

    made: Scorer = written()
    return made


def _task(instrument: str) -> Callable[..., Task]:
    def made(data: str = "") -> Task:
        prepared = _prepared(instrument, {"data": data})
        samples = [
            Sample(input=prompt, id=name, metadata={"item": ask.item, "role": ask.role})
            for ask, prompt, names in _turns(prepared)
            for name in names
        ]
        # Without a seed: one for all would write the same text wherever a prompt stands twice.
        return Task(
            dataset=MemoryDataset(samples, name=instrument),
            solver=generate(),
            scorer=_scorer(instrument, {"data": data}),
            config=GenerateConfig(temperature=1.0, max_tokens=LONGEST),
        )

    made.__doc__ = load_instrument(instrument).title
    made.__name__ = made.__qualname__ = instrument.replace("-", "_")
    registered: Callable[..., Task] = task(name=made.__name__)(made)
    return registered


TASKS = {one: _task(one) for one in INSTRUMENTS}
"""inspect finds them as `equipoise/stories`, `equipoise/paired_documents` and so on."""


def result_of(log: EvalLog) -> Result:
    """The result of a log of one of these tasks, under the name that inspect gives the model."""
    name = log.eval.task.removeprefix(PACKAGE).replace("_", "-")
    if name not in INSTRUMENTS:
        raise UserError(
            f"The log is of the task {log.eval.task!r}.", f"Give one of {', '.join(INSTRUMENTS)}."
        )
    prepared = _prepared(name, log.eval.task_args, str(log.eval.model))
    texts = {str(one.id): one.output.completion for one in log.samples or () if one.output.choices}
    return _result(prepared, texts)
