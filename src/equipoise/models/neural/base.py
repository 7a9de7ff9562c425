"""A transformers model behind the engine: one plan for all questions, in bounded windows.

Language models and classifiers share this: weights are watched for changes, questions become rows, and the
engine answers the rows.
"""

import copy
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice, pairwise
from threading import Lock
from typing import Any

from equipoise.errors import UnaskableError
from equipoise.models.engine.engine import Engine, find_executor
from equipoise.models.engine.forward import Forward
from equipoise.models.engine.rows import Row, RowAnswer
from equipoise.models.engine.store import AnswerStore, RowCodec, store_file
from equipoise.models.guards.tokenizer import refuse_misfit_vocabulary
from equipoise.models.guards.weights import WeightWatch, customisations, fingerprint, share_weights
from equipoise.models.neural.devices import device_for, token_budget
from equipoise.models.neural.words import Tokens
from equipoise.models.options import RunOptions, RunReport
from equipoise.models.protocol import AnsweringModel
from equipoise.models.questions import Question

WINDOW = 25_000
"""Distinct rows planned at once, some 35 MB: beyond it memory does not grow with the number of questions."""

TOO_LONG = "the text is longer than the model reads"


@dataclass(frozen=True)
class AsRows:
    """A question as rows, and how to read their answers."""

    rows: list[Row]
    read: Callable[[list[RowAnswer]], Any]


class TransformersModel(AnsweringModel):
    """A transformers model with its tokenizer; subclasses say how a question becomes rows.

    Model and tokenizer are this object's own, unless they are `borrowed`: then it works on copies.
    """

    has_precisions = False
    """Whether it can be run in another precision than fp32."""

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        name: str,
        options: RunOptions | None = None,
        borrowed: bool = False,
    ) -> None:
        self.name = name
        self.options = options or RunOptions()
        self.precision = self.options.precision if self.has_precisions else "fp32"
        self.tokens = Tokens(copy.deepcopy(tokenizer) if borrowed else tokenizer, name)
        self._is_borrowed = self._is_shared = borrowed
        refuse_misfit_vocabulary(model, tokenizer, name)
        self.max_length = longest_input(model, tokenizer)
        self._source = model
        self._watch = WeightWatch(model)
        self._noticing = Lock()
        forward = self._forward()
        self._fingerprint = self._identity()
        self.engine = Engine(
            forward,
            self._store(),
            fingerprint=self._key,
            budget=token_budget(forward.device, self.options.token_budget),
            executor=find_executor(self.options),
        )

    @property
    def fingerprint(self) -> str:
        """SHA-256 over weights, configuration and tokenizer as they are now."""
        self._notice_changes()
        return self._fingerprint

    @property
    def transformers_model(self) -> Any:
        """The model in transformers' own class, in fp32; that others put it into training changes nothing."""
        self._notice_changes()
        if self._is_borrowed:
            return self._copy
        if not self._is_shared:
            self._share()
        return self._source

    @cached_property
    def tokenizer(self) -> Any:
        """The transformers tokenizer, as a copy: calling one may set it to cut or pad texts."""
        return copy.deepcopy(self.tokens.tokenizer)

    @abstractmethod
    def ask(self, question: Question) -> AsRows:
        """The rows of one question and how to read them."""

    @abstractmethod
    def _forward(self) -> Forward:
        """What runs the rows, on the weights as they are now and on modules of its own once shared."""

    def check(self, question: Question) -> None:
        """Refuse a question that cannot be asked, such as a text that is too long."""
        self.ask(question)

    def answer(self, questions: Sequence[Question]) -> list[Any]:
        """Answer all questions in one plan, in the order they were asked."""
        (answers,) = self.answer_in_turn([questions])
        return answers

    def answer_in_turn(self, groups: Sequence[Sequence[Question]]) -> Iterator[list[Any]]:
        """The answers of one group after the other; rows that several groups share are run once."""
        self._notice_changes()
        questions = [question for group in groups for question in group]
        sizes = [len(group) for group in groups]
        with RunReport(self.name, len(questions), self.options.progress, self.options.is_cancelled) as report:
            answered = self._answers(questions, sizes, report)
            for size in sizes:
                yield list(islice(answered, size))

    def refuse_long(self, length: int, text: str) -> None:
        """Refuse a text of more tokens than the model reads."""
        if self.max_length is not None and length > self.max_length:
            raise UnaskableError(
                TOO_LONG,
                f"A text of {length} tokens is longer than {self.name!r} reads "
                f"({self.max_length}): {text[:60]!r}...",
                "Split it into sentences or leave it out; nothing is cut off silently.",
            )

    def _windows(self, questions: Sequence[Question], report: RunReport) -> Iterator[list[AsRows]]:
        window: list[AsRows] = []
        distinct: set[bytes] = set()
        for question in questions:
            if not self.can_answer(type(question)):
                raise self.refuse(question)
            asked = self.ask(question)
            keys = {row.key for row in asked.rows}
            if window and len(distinct) + len(keys - distinct) > WINDOW:
                yield window
                window, distinct = [], set()
            window.append(asked)
            distinct |= keys
            report.planned()
        if window:
            yield window

    def _answers(
        self, questions: Sequence[Question], sizes: Sequence[int], report: RunReport
    ) -> Iterator[Any]:
        """The answers one by one; a group is not run before the answers of those before it are taken."""
        begun = 0
        for window in self._windows(questions, report):
            parts = cut_at(window, [end - begun for end in accumulate(sizes)])
            yield from self._answer_window(parts, questions[begun:], report)
            begun += len(window)

    def _answer_window(
        self, parts: Sequence[list[AsRows]], waiting: Sequence[Question], report: RunReport
    ) -> Iterator[Any]:
        window = [asked for part in parts for asked in part]
        plans = self.engine.prepare_in_turn([[row for asked in part for row in asked.rows] for part in parts])
        tokens = [plan.open_tokens for plan in plans]
        rows = sum(len(plan.keys) for plan in plans)
        later = round(expected_rows(window, waiting) * sum(tokens) / max(1, rows))
        for number, (part, plan) in enumerate(zip(parts, plans, strict=True)):
            report.expect(tokens[number], later=later + sum(tokens[number + 1 :]))
            answered = iter(self.engine.run(plan, report.ran, self.options.is_cancelled))
            for asked in part:
                yield asked.read([next(answered) for _ in asked.rows])

    def _notice_changes(self) -> None:
        """What was trained, hooked or replaced since the last question makes another model of this one."""
        if not self._is_shared:
            return
        with self._noticing:
            if self._watch.has_changed():
                self.__dict__.pop("_copy", None)
                forward = self._forward()
                self._fingerprint = self._identity()
                self.engine.open(forward, self._store(), self._key)

    @cached_property
    def _copy(self) -> Any:
        return share_weights(self._source, device_for(self._source, self.options.device))

    def _share(self) -> None:
        """Let others have the network, and go on with modules of one's own."""
        self._is_shared = True
        self.engine.open(self._forward(), self.engine.store, self._key)

    def _identity(self) -> str:
        """The fingerprint of the weights as they are now."""
        beside = customisations(self._source) if self._is_shared else ""
        return fingerprint(self._source, self.tokens.tokenizer, beside=beside)

    @property
    def _key(self) -> str:
        """What answers are kept under: at another precision they are other answers."""
        return self._fingerprint if self.precision == "fp32" else f"{self._fingerprint}:{self.precision}"

    def _store(self) -> AnswerStore[RowAnswer]:
        return AnswerStore(store_file(self.options), RowCodec(), fingerprint=self._key, name=self.name)


def cut_at(window: list[AsRows], ends: Sequence[int]) -> list[list[AsRows]]:
    """The window in parts that end where a group does; ends outside of it do not matter."""
    inner = [0, *(end for end in ends if 0 < end < len(window)), len(window)]
    return [window[start:stop] for start, stop in pairwise(inner)]


def expected_rows(window: Sequence[AsRows], waiting: Sequence[Question]) -> float:
    """How many rows the questions after this window will have, judged by those of their kind inside it."""
    counts: dict[type, list[int]] = {}
    for asked, question in zip(window, waiting, strict=False):
        counts.setdefault(type(question), []).append(len(asked.rows))
    usual = {kind: sum(rows) / len(rows) for kind, rows in counts.items()}
    return sum(usual.get(type(question), 1.0) for question in waiting[len(window) :])


def longest_input(model: Any, tokenizer: Any) -> int | None:
    """How many tokens the model reads, where it has a limit."""
    limits = []
    if 0 < tokenizer.model_max_length < 1_000_000:
        limits.append(int(tokenizer.model_max_length))
    positions = getattr(model.config, "max_position_embeddings", None)
    if positions:
        limits.append(int(positions) - _reserved_positions(model))
    return min(limits) if limits else None


def _reserved_positions(model: Any) -> int:
    """RoBERTa's family numbers positions from the padding id on, so its first ones are never used."""
    for name, module in model.named_modules():
        if name.endswith("position_embeddings"):
            padding = getattr(module, "padding_idx", None)
            return 0 if padding is None else int(padding) + 1
    return 0
