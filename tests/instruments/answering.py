"""Made models that answer by a rule on the prompt: with probabilities, or in writing."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from math import log
from typing import Any

from equipoise.models.capabilities import FILL, GENERATE
from equipoise.models.protocol import AnsweringModel
from equipoise.models.questions import Fill, Question, WordScores, Written

Rule = Callable[[str, tuple[str, ...]], str]
"""The option that is chosen, given the prompt and the options."""


class Chooser(AnsweringModel):
    """Chooses among the options of a blank, or writes, by a rule on the prompt."""

    kind = "made"
    fingerprint = "chooser"

    def __init__(self, choose: Rule | None = None, writes: Callable[[str], str] | None = None) -> None:
        self.name, self.choose, self.writes = "chooser", choose, writes
        self.capabilities = frozenset({FILL} if choose else ()) | frozenset({GENERATE} if writes else ())

    def answer(self, questions: Sequence[Question]) -> list[Any]:
        return [self._answer(question) for question in questions]

    def _answer(self, question: Any) -> WordScores | Written:
        if isinstance(question, Fill):
            assert self.choose is not None
            chosen = self.choose(question.text, question.words)
            rest = 0.1 / (len(question.words) - 1)
            values = [log(0.9 if word == chosen else rest) for word in question.words]
            return WordScores(question.words, tuple(values), (1,) * len(values))
        assert self.writes is not None
        texts = tuple(self.writes(question.text) for _ in range(question.count))
        return Written(texts, ("stop",) * question.count)


def coin(prompt: str, options: Sequence[str]) -> str:
    """An option drawn by the prompt: always the same for it, and without a pattern."""
    return options[int(hashlib.sha256(prompt.encode()).hexdigest()[:8], 16) % len(options)]


def holds_zero(estimate: Mapping[str, Any]) -> bool:
    """Whether the interval of an estimate holds 0."""
    return bool(estimate["low"] <= 0.0 <= estimate["high"])
