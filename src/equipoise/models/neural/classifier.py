"""Classifiers (sentiment, toxicity, NLI, occupation): they answer `classify` only.

A text, or two of them, becomes a row of token ids; rows are run once however often they are asked, longest
first in batches under a token budget, and kept in the store of answers like any other model's.
"""

import copy
from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from threading import Lock
from typing import Any

import numpy as np
import torch

from equipoise.errors import Cancelled, UnaskableError, shortage
from equipoise.models.capabilities import CLASSIFY
from equipoise.models.engine.rows import Row, RowAnswer
from equipoise.models.engine.store import AnswerStore, store_file
from equipoise.models.guards.fingerprint import fingerprint
from equipoise.models.guards.hooks import customisations
from equipoise.models.guards.vocabulary import refuse_misfit_vocabulary
from equipoise.models.guards.weights import WeightWatch, share_weights
from equipoise.models.neural.base import TOO_LONG, longest_input
from equipoise.models.neural.devices import device_for, token_budget
from equipoise.models.options import RunOptions
from equipoise.models.protocol import AnsweringModel
from equipoise.models.questions import Classify, LabelScores, Question
from equipoise.models.reporting import RunReport

Input = dict[str, list[int]]
Inputs = dict[bytes, Input]


class ClassifierModel(AnsweringModel):
    """A transformers classifier with its tokenizer, run on a copy that shares its weights."""

    kind = "classifier"
    capabilities = frozenset({CLASSIFY})

    def __init__(
        self,
        network: Any,
        tokenizer: Any,
        *,
        name: str,
        options: RunOptions | None = None,
    ) -> None:
        self.name = name
        self.options = options or RunOptions()
        self.tokenizer = copy.deepcopy(tokenizer)
        self.tokenizer.padding_side = "right"  # on the left it would move the positions of shorter texts
        self.max_length = longest_input(network, tokenizer)
        refuse_misfit_vocabulary(network, tokenizer, name)
        self._source = network
        self._watch = WeightWatch(network)
        self._device = device_for(network, self.options.device)
        names = network.config.id2label
        self.labels = tuple(str(names[number]) for number in range(network.config.num_labels))
        self.rows_run = 0
        self._turn = Lock()

    @property
    def fingerprint(self) -> str:
        """SHA-256 over weights, configuration and tokenizer as they are now."""
        if self._watch.has_changed():
            for derived in ("_identity", "_store", "_network"):
                self.__dict__.pop(derived, None)
        return self._identity

    @property
    def transformers_model(self) -> Any:
        """The classifier in transformers' own class."""
        return self._source

    def answer(self, questions: Sequence[Question]) -> list[Any]:
        """Answer all questions, in the order they were asked."""
        _ = self.fingerprint  # notices weights that changed
        inputs: Inputs = {}
        keys = []
        with RunReport(self.name, len(questions), self.options) as report:
            for question in questions:
                key, encoded = self.ask(question)
                inputs[key] = encoded
                keys.append(key)
                report.planned()
            with self._turn:
                answers = self._run(inputs, report)
        return [LabelScores(self.labels, answers[key]) for key in keys]

    @cached_property
    def _network(self) -> Any:
        return share_weights(self._source, self._device)

    @cached_property
    def _identity(self) -> str:
        return fingerprint(self._source, self.tokenizer, beside=customisations(self._source))

    @cached_property
    def _store(self) -> AnswerStore:
        return AnswerStore(store_file(self.options), fingerprint=f"{self._identity}:classify", name=self.name)

    @property
    def _can_pad(self) -> bool:
        """Whether texts of different length can be run together; GPT-2 has no token to pad with."""
        return self.tokenizer.pad_token_id is not None and self._source.config.pad_token_id is not None

    def _batch(self, rows: list[Input]) -> Any:
        if len(rows) == 1:
            return {name: torch.tensor([ids], device=self._device) for name, ids in rows[0].items()}
        return self.tokenizer.pad(rows, return_tensors="pt").to(self._device)

    def ask(self, question: Question) -> tuple[bytes, Input]:
        """The row of one question, and the key that its answer is kept by."""
        if not isinstance(question, Classify):
            raise self.refuse(question)
        encoded = dict(self.tokenizer(question.text, question.other or None))
        if self.max_length is not None and len(encoded["input_ids"]) > self.max_length:
            raise UnaskableError(
                TOO_LONG,
                f"A text of {len(encoded['input_ids'])} tokens is longer than {self.name!r} reads "
                f"({self.max_length}): {question.text[:60]!r}...",
                "Split it or leave it out; nothing is cut off silently.",
            )
        # Two texts put together by hand must not pass for a pair: the kinds of tokens belong to the row.
        whole = [*encoded["input_ids"], -1, *encoded.get("token_type_ids", ())]
        return Row(tuple(whole)).key, encoded

    def _run(self, inputs: Inputs, report: RunReport) -> dict[bytes, tuple[float, ...]]:
        """The values of every row: those stored, and the others in batches."""
        wanted = [(0, number) for number in range(len(self.labels))]
        stored = self._store.read(list(inputs))
        answers = {key: tuple(answer.logprobs[ask] for ask in wanted) for key, answer in stored.items()}
        waiting = sorted((key for key in inputs if key not in answers), key=lambda key: _size(inputs[key]))
        waiting.reverse()
        report.expect(sum(_size(inputs[key]) for key in waiting), later=0)
        budget, at = token_budget(self._device, self.options.token_budget), iter(waiting)
        while first := next(at, None):
            several = max(1, budget // _size(inputs[first])) - 1 if self._can_pad else 0
            batch = [first, *islice(at, several)]
            values = self._halved([inputs[key] for key in batch])
            said = [RowAnswer(dict(zip(wanted, row, strict=True))) for row in values]
            self._store.write(zip(batch, said, strict=True))
            answers |= {key: tuple(row) for key, row in zip(batch, values, strict=True)}
            self.rows_run += len(batch)
            report.ran(len(batch), sum(_size(inputs[key]) for key in batch))
            if self.options.is_cancelled is not None and self.options.is_cancelled():
                raise Cancelled(f"stopped after {self.rows_run} rows; their answers are kept")
        return answers

    def _halved(self, rows: list[Input]) -> list[list[float]]:
        """The values of a batch; where memory does not do, of its halves."""
        try:
            return self._values(rows)
        except (RuntimeError, MemoryError) as error:
            if shortage(error) != "memory" or len(rows) == 1:
                raise
            middle = len(rows) // 2
            return [*self._halved(rows[:middle]), *self._halved(rows[middle:])]

    @torch.inference_mode()
    def _values(self, rows: list[Input]) -> list[list[float]]:
        """Probabilities of the labels: each by itself for a classifier of several, else together."""
        logits = self._network(**self._batch(rows)).logits.double().cpu()
        if logits.shape[1] == 1 and self._network.config.problem_type != "multi_label_classification":
            return [[float(value)] for value in logits[:, 0]]
        if self._network.config.problem_type == "multi_label_classification":
            return np.asarray(torch.sigmoid(logits)).tolist()
        return np.asarray(torch.softmax(logits, dim=-1)).tolist()


def _size(encoded: Input) -> int:
    return len(encoded["input_ids"])
