"""What masked, causal and encoder-decoder models share: one plan for all questions, in bounded windows."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise.errors import UserError
from equipoise.models.base import BLANK, AnsweringModel, Embed, Embedding, Question
from equipoise.models.engine.engine import Engine
from equipoise.models.engine.network import Network
from equipoise.models.engine.precision import largest_deviation
from equipoise.models.engine.rows import Row, RowAnswer, VectorSpec
from equipoise.models.engine.store import AnswerStore
from equipoise.models.fingerprint import fingerprint
from equipoise.models.words import Encoded, Tokens
from equipoise.progress import Progress

WINDOW = 25_000
"""Distinct rows planned at once, some 35 MB: beyond it memory does not grow with the number of questions."""


@dataclass(frozen=True)
class Asked:
    """A question as rows, and how to read their answers."""

    rows: list[Row]
    read: Callable[[list[RowAnswer]], Any]


class NeuralModel(AnsweringModel):
    """A transformers model with its tokenizer; subclasses say how a question becomes rows."""

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        name: str,
        precision: str = "fp32",
        store: Path | None = None,
    ) -> None:
        self.name = name
        self.tokens = Tokens(tokenizer, name)
        self.fingerprint = fingerprint(model, tokenizer)
        self.precision = precision
        self.max_length = longest_input(model, tokenizer)
        network = Network(model, precision=precision)
        key = self.fingerprint if precision == "fp32" else f"{self.fingerprint}:{precision}"
        answers = AnswerStore(store, fingerprint=key, name=name)
        padding = tokenizer.pad_token_id
        self.engine = Engine(network, answers, padding_id=0 if padding is None else padding)

    @property
    def network(self) -> Any:
        """The transformers model itself, for mitigations to copy."""
        return self.engine.network.transformers_model

    @property
    def tokenizer(self) -> Any:
        """The transformers tokenizer itself."""
        return self.tokens.tokenizer

    def misreads(self, text: str) -> bool:
        """Whether something in the text is unknown to the tokenizer; the blank is not part of the text."""
        return self.tokens.unknown_id in self.tokens.encode(text.replace(BLANK, " ")).ids

    def ask(self, question: Question) -> Asked:
        """The rows of one question and how to read them."""
        raise NotImplementedError

    def answer(self, questions: Sequence[Question]) -> list[Any]:
        """Answer all questions in one plan, in the order they were asked."""
        answers: list[Any] = []
        with Progress(f"{self.name}") as progress:
            for window in self._windows(questions):
                answers.extend(self._answer_window(window, questions[len(answers) :], progress))
        return answers

    def deviation(self) -> float:
        """The largest difference from fp32 in log P on a sample of the rows that were run."""
        return largest_deviation(self.engine)

    def encode(self, text: str) -> Encoded:
        """Tokenise, refusing a text that is longer than the model."""
        return self.fitting(self.tokens.encode(text))

    def fitting(self, encoded: Encoded) -> Encoded:
        """The same, if it is no longer than the model reads."""
        if self.max_length is not None and len(encoded.ids) > self.max_length:
            raise UserError(
                f"A text of {len(encoded.ids)} tokens is longer than {self.name!r} reads "
                f"({self.max_length}): {encoded.text[:60]!r}...",
                "Split it into sentences; nothing is cut off silently.",
            )
        return encoded

    def ask_embed(self, question: Embed) -> Asked:
        """The row behind one vector."""
        encoded = self.encode(question.text)
        places = [0] if question.first_token else encoded.content
        if question.span is not None:
            places = encoded.positions(question.span)
        if not places:
            raise UserError(
                f"There is no token to embed in {question.text!r}.",
                "Give a text with a word in it.",
            )
        row = Row(encoded.ids, vector=VectorSpec(question.layer, tuple(places)))
        return Asked([row], lambda answers: Embedding(answers[0].vector))  # type: ignore[arg-type]

    def _windows(self, questions: Sequence[Question]) -> Iterator[list[Asked]]:
        window: list[Asked] = []
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
        if window:
            yield window

    def _answer_window(
        self, window: list[Asked], waiting: Sequence[Question], progress: Progress
    ) -> list[Any]:
        rows = [row for asked in window for row in asked.rows]
        plan = self.engine.prepare(rows)
        later = expected_rows(window, waiting) * plan.open_rows / max(1, len(rows))
        progress.expect(progress.done + plan.open_rows + round(later))
        found = iter(self.engine.run(plan, progress))
        return [asked.read([next(found) for _ in asked.rows]) for asked in window]


def expected_rows(window: Sequence[Asked], waiting: Sequence[Question]) -> float:
    """How many rows the questions after this window will have, judged by those of their kind inside it."""
    counts: dict[type, list[int]] = {}
    for asked, question in zip(window, waiting, strict=False):
        counts.setdefault(type(question), []).append(len(asked.rows))
    usual = {kind: sum(found) / len(found) for kind, found in counts.items()}
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
