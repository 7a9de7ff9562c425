"""Classifiers (sentiment, toxicity, NLI, occupation): they answer `classify` only."""

from dataclasses import dataclass
from typing import Any

import torch

from equipoise.models.capabilities import CLASSIFY
from equipoise.models.engine.forward import padded, padded_if_needed
from equipoise.models.engine.rows import Row, RowAnswer
from equipoise.models.guards.weights import share_weights
from equipoise.models.neural.base import AsRows, TransformersModel
from equipoise.models.neural.devices import device_for
from equipoise.models.options import RunOptions
from equipoise.models.questions import Classify, LabelScores, Question


class ClassifierModel(TransformersModel):
    """A transformers classifier with its tokenizer, run on a copy that shares its weights."""

    kind = "classifier"
    capabilities = frozenset({CLASSIFY})

    def __init__(self, network: Any, tokenizer: Any, *, name: str, options: RunOptions | None = None) -> None:
        super().__init__(network, tokenizer, name=name, options=options, borrowed=True)
        names = network.config.id2label
        self.labels = tuple(str(names[number]) for number in range(network.config.num_labels))

    def ask(self, question: Question) -> AsRows:
        """One text, or two of them, as a row that is classified."""
        if not isinstance(question, Classify):
            raise self.refuse(question)
        encoded = self.tokenizer(question.text, question.other or None)
        self.refuse_long(len(encoded["input_ids"]), question.text)
        labels, asks = self.labels, tuple((0, number) for number in range(len(self.labels)))
        # Two texts put together by hand must not pass for a pair: the segments belong to the row.
        segments = tuple(encoded.get("token_type_ids", ()))
        row = Row(tuple(encoded["input_ids"]), asks, classified=True, segments=segments)

        def read(answers: list[RowAnswer]) -> LabelScores:
            return LabelScores(labels, tuple(answers[0].logprobs[ask] for ask in asks))

        return AsRows([row], read)

    def _forward(self) -> "ClassifierForward":
        network = share_weights(self._source, device_for(self._source, self.options.device))
        can_pad = self.tokens.padding_id is not None and self._source.config.pad_token_id is not None
        return ClassifierForward(network, self.tokens.padding_id if can_pad else None)


@dataclass(frozen=True)
class ClassifierForward:
    """The forward pass of a classifier; without a padding id (GPT-2 has none) rows are run one by one."""

    network: Any
    padding_id: int | None

    @property
    def device(self) -> torch.device:
        """Where it runs."""
        device: torch.device = next(self.network.parameters()).device
        return device

    def sibling(self) -> "ClassifierForward":
        """The same on the same weights, for another thread."""
        return ClassifierForward(share_weights(self.network, self.device), self.padding_id)

    def compute(self, rows: list[Row]) -> list[RowAnswer]:
        """The values of the labels of each row."""
        if self.padding_id is None:
            return [answer for row in rows for answer in self._compute([row], 0)]
        return self._compute(rows, self.padding_id)

    @torch.inference_mode()
    def _compute(self, rows: list[Row], padding_id: int) -> list[RowAnswer]:
        ids, attention = padded_if_needed([row.ids for row in rows], padding_id, self.device)
        inputs = {"input_ids": ids, "attention_mask": attention}
        if rows[0].segments:
            inputs["token_type_ids"], _ = padded([row.segments for row in rows], 0, self.device)
        values = self._values(self.network(**inputs).logits.double().cpu()).tolist()
        return [
            RowAnswer(dict(zip(row.asks, (own[label] for _, label in row.asks), strict=True)))
            for row, own in zip(rows, values, strict=True)
        ]

    def _values(self, logits: torch.Tensor) -> torch.Tensor:
        """Probabilities of the labels: each by itself for a classifier of several, else together."""
        if self.network.config.problem_type == "multi_label_classification":
            return torch.sigmoid(logits)
        return logits if logits.shape[1] == 1 else torch.softmax(logits, dim=-1)
