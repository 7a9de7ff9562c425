"""What masked, causal and encoder-decoder models share: one plan for all questions, in bounded windows."""

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice, pairwise
from threading import Lock
from typing import Any

from equipoise.errors import UnaskableError, UserError
from equipoise.models.engine.engine import Engine
from equipoise.models.engine.executors import find_executor
from equipoise.models.engine.rows import Row, RowAnswer, VectorSpec
from equipoise.models.engine.store import AnswerStore, store_file
from equipoise.models.guards.fingerprint import fingerprint
from equipoise.models.guards.hooks import customisations
from equipoise.models.guards.vocabulary import refuse_misfit_vocabulary
from equipoise.models.guards.weights import WeightWatch, share_weights
from equipoise.models.neural.devices import device_for, token_budget
from equipoise.models.neural.network import Network
from equipoise.models.neural.plain_bert import PlainBert
from equipoise.models.neural.precision import largest_deviation
from equipoise.models.neural.words import Encoded, Tokens
from equipoise.models.options import RunOptions
from equipoise.models.protocol import AnsweringModel
from equipoise.models.questions import FIRST, MEAN_WITH_SPECIAL, Embed, Embedding, Question, Raw, WordScores
from equipoise.models.reporting import RunReport
from equipoise.text.blank import BLANK

WINDOW = 25_000
"""Distinct rows planned at once, some 35 MB: beyond it memory does not grow with the number of questions."""

TOO_LONG = "the text is longer than the model reads"


@dataclass(frozen=True)
class Asked:
    """A question as rows, and how to read their answers."""

    rows: list[Row]
    read: Callable[[list[RowAnswer]], Any]


class NeuralModel(AnsweringModel):
    """A transformers model with its tokenizer; subclasses say how a question becomes rows.

    Model and tokenizer are this object's own, unless they are `borrowed`: then it works on copies.
    """

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
        self.precision = self.options.precision
        self.tokens = Tokens(copy.deepcopy(tokenizer) if borrowed else tokenizer, name)
        self._is_borrowed = self._is_shared = borrowed
        refuse_misfit_vocabulary(model, tokenizer, name)
        self.max_length = longest_input(model, tokenizer)
        self._source = model
        self._watch = WeightWatch(model)
        self._noticing = Lock()
        network = self._network()
        padding = tokenizer.pad_token_id
        self.engine = Engine(
            network,
            self._store(),
            padding_id=0 if padding is None else padding,
            budget=token_budget(network.device, self.options.token_budget),
            executor=find_executor(self.options.executor),
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

    @property
    def layers(self) -> int:
        """How many layers stand above the embeddings; of an encoder-decoder, its encoder's."""
        return int(self._source.config.num_hidden_layers)

    @cached_property
    def tokenizer(self) -> Any:
        """The transformers tokenizer, as a copy: calling one may set it to cut or pad texts."""
        return copy.deepcopy(self.tokens.tokenizer)

    def unknown_parts(self, text: str) -> list[str]:
        """The parts of a text that become the tokenizer's unknown token; the blank is not part of it."""
        return self.tokens.unknown_parts(text.replace(BLANK, " "))

    def ask(self, question: Question) -> Asked:
        """The rows of one question and how to read them."""
        if isinstance(question, Embed):
            return self.ask_embed(question)
        if isinstance(question, Raw):
            return ask_raw(question)
        return self.ask_words(question)

    def ask_words(self, question: Question) -> Asked:
        """The rows of a question about words, in the way in which this kind of model reads them."""
        raise NotImplementedError

    def answer(self, questions: Sequence[Question]) -> list[Any]:
        """Answer all questions in one plan, in the order they were asked."""
        (answers,) = self.answer_in_turn([questions])
        return answers

    def answer_in_turn(self, groups: Sequence[Sequence[Question]]) -> Iterator[list[Any]]:
        """The answers of one group after the other; rows that several groups share are run once."""
        self._notice_changes()
        questions = [question for group in groups for question in group]
        sizes = [len(group) for group in groups]
        with RunReport(self.name, len(questions), self.options) as report:
            answered = self._answers(questions, sizes, report)
            for size in sizes:
                yield list(islice(answered, size))

    def deviation(self) -> float:
        """The largest difference from fp32 in log P on a sample of the rows that were run."""
        return largest_deviation(self.engine)

    def encode(self, text: str) -> Encoded:
        """Tokenise, refusing a text that is longer than the model."""
        return self.fitting(self.tokens.encode(text))

    def fitting(self, encoded: Encoded) -> Encoded:
        """The same, if it is no longer than the model reads."""
        if self.max_length is not None and len(encoded.ids) > self.max_length:
            raise UnaskableError(
                TOO_LONG,
                f"A text of {len(encoded.ids)} tokens is longer than {self.name!r} reads "
                f"({self.max_length}): {encoded.text[:60]!r}...",
                "Split it into sentences; nothing is cut off silently.",
            )
        return encoded

    def ask_embed(self, question: Embed) -> Asked:
        """The row behind one vector."""
        encoded = self.encode(question.text)
        places = encoded.content if question.span is None else encoded.positions(question.span)
        if not places:
            raise UserError(
                f"There is no token to embed in {question.text!r}.",
                "Give a text with a word in it.",
            )
        if question.pooling == MEAN_WITH_SPECIAL:
            places = list(range(len(encoded.ids)))
        spec = VectorSpec(question.layer, (0,) if question.pooling == FIRST else tuple(places))
        row = Row(self._masked(encoded, question.hidden), vectors=(spec,))
        return Asked([row], lambda answers: Embedding(answers[0].vectors[spec]))

    def _masked(self, encoded: Encoded, hidden: Sequence[tuple[int, int]]) -> tuple[int, ...]:
        """The ids with a mask for every token that overlaps a hidden span."""
        covered = {place for span in hidden for place in encoded.positions(span)}
        mask = self.tokens.mask_id
        if covered and mask is None:
            raise UserError(
                f"{self.name!r} has no mask token, so no word of a text can be hidden from it.",
                "Give a masked model, or ask without hidden words.",
            )
        return tuple(
            mask if place in covered and mask is not None else own for place, own in enumerate(encoded.ids)
        )

    def _windows(self, questions: Sequence[Question], report: RunReport) -> Iterator[list[Asked]]:
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
        self, parts: Sequence[list[Asked]], waiting: Sequence[Question], report: RunReport
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
                self.engine.network = self._network()
                self.engine.store = self._store()

    @cached_property
    def _copy(self) -> Any:
        return share_weights(self._source, device_for(self._source, self.options.device))

    def _share(self) -> None:
        """Let others have the network, and go on with modules of one's own."""
        if isinstance(self._source, PlainBert):
            self._source = self._source.twin
            self._watch = WeightWatch(self._source)
        self._is_shared = True
        self.engine.network = self._network()

    def _network(self) -> Network:
        """The engine's network on the weights as they are now, on modules of its own once shared."""
        if not self._is_shared:
            return Network(self._source, precision=self.precision)
        device = device_for(self._source, self.options.device)
        return Network(share_weights(self._source, device), precision=self.precision)

    def _store(self) -> AnswerStore:
        """The answers of the weights as they are now."""
        beside = customisations(self._source) if self._is_shared else ""
        self._fingerprint = fingerprint(self._source, self.tokens.tokenizer, beside=beside)
        key = self._fingerprint if self.precision == "fp32" else f"{self._fingerprint}:{self.precision}"
        return AnswerStore(store_file(self.options), fingerprint=key, name=self.name)


def cut_at(window: list[Asked], ends: Sequence[int]) -> list[list[Asked]]:
    """The window in parts that end where a group does; ends outside of it do not matter."""
    inner = [0, *(end for end in ends if 0 < end < len(window)), len(window)]
    return [window[start:stop] for start, stop in pairwise(inner)]


def expected_rows(window: Sequence[Asked], waiting: Sequence[Question]) -> float:
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


def ask_raw(question: Raw) -> Asked:
    """Ids that are run exactly as they stand, defects included."""
    asks = tuple((question.position, token) for token in question.wanted)

    def read(answers: list[RowAnswer]) -> WordScores:
        values = tuple(answers[0].logprobs[ask] for ask in asks)
        return WordScores(tuple(map(str, question.wanted)), values, (1,) * len(asks))

    return Asked([Row(question.ids, asks)], read)
