"""Counterfactual averaging: the mean of a model's answer and of its mirrored answer on the turned text.

What it does  Every text is also asked with women and men exchanged (pronouns by their form, nouns, first
names), and the answer to that is mirrored back: P(she | "He is Mary's [MASK]...") stands beside P(he | "She
is James's..."). The mean of the two probabilities is answered. Because the exchange of words is its own
inverse over the whole vocabulary, the mean is a proper distribution; where nothing in a text tells a
gender, he and she come out exactly equal; where a name or another word tells it, the turned text tells the
other one, so the answer stays as sure as it was.
Exempt        A text with a definitional sentence about somebody (pregnant, prostate) or another sign of
              gender (beard), "he or she", what is not English, and a text with a capitalised word that may
              be an unknown first name, unless another pronoun tells as much: turned in part it would
              contradict itself. They keep the model's answer.
Famous        Somebody whom everybody knows by surname (Einstein) is exchanged with somebody of the other
              gender whose name tells it as surely (Cleopatra), and a surname that is a first name too
              (Graham) with a first name. What the model knows of Einstein alone is then half as sure.
Costs         Two passes instead of one.
Limits        A lone common surname tells nothing here, so that a pronoun that only it decides becomes
              undecided, as does one beside an unknown name that opens a sentence. Vectors are the inner
              model's. Of rows of token ids only words of one piece are turned, *her* beside a blank as
              *his*, and rows with a name are left alone. The likeliest words of a blank are sought among
              ten times as many of either text.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Fill, Question, Raw, Score, TokenScores, TopFill, WordScores
from equipoise.models.wrappers.base import WrappedModel
from equipoise.models.wrappers.mirrored_rows import MirroredRows
from equipoise.text.blank import find_blank
from equipoise.text.rewriting.account import Change
from equipoise.text.rewriting.mirroring import Mirror, MirroredBlank

HALF = float(np.log(2))
WIDER = 10
"""So many times the asked number of likeliest words are looked at on either side."""


@dataclass(frozen=True)
class _Mirrored:
    """The turned question, and what is needed to read its answer."""

    question: Question
    blank: MirroredBlank | None = None
    changes: tuple[Change, ...] = ()


class AveragedModel(WrappedModel):
    """Answers with the mean of the inner model's answer and its mirror image."""

    def __init__(self, inner: LanguageModel) -> None:
        super().__init__(inner, {}, name=f"{inner.name} (counterfactual-averaging)")
        self.mirror = Mirror()

    def answer(self, questions: Sequence[Question]) -> list[Any]:
        """Answer all questions in one plan of the inner model: as they are, and turned."""
        mirrored = [self._turned(question) for question in questions]
        own = [
            _wider(question) if turned else question
            for question, turned in zip(questions, mirrored, strict=True)
        ]
        answers = self.inner.answer([*own, *(turned.question for turned in mirrored if turned)])
        others = iter(answers[len(own) :])
        return [
            self._mean(question, answer, turned, next(others)) if turned else answer
            for question, answer, turned in zip(questions, answers[: len(own)], mirrored, strict=True)
        ]

    @cached_property
    def _rows(self) -> MirroredRows:
        return MirroredRows(self.tokens, self.mirror)

    def _turned(self, question: Question) -> _Mirrored | None:
        if isinstance(question, Fill | TopFill):
            return self._turned_blank(question)
        if isinstance(question, Score):
            turned = self.mirror.sentence(question.text)
            if turned.text == question.text:
                return None
            return _Mirrored(replace(question, text=turned.text), changes=turned.changes)
        if isinstance(question, Raw):
            row = self._rows.turned(question)
            return _Mirrored(row) if row else None
        return None

    def _turned_blank(self, question: Fill | TopFill) -> _Mirrored | None:
        asked, hidden = (question.blank, question.hidden) if isinstance(question, Fill) else (None, ())
        blank = self.mirror.blank(question.text, find_blank(question.text, asked), hidden)
        if blank is None:
            return None
        if isinstance(question, TopFill):
            return _Mirrored(_wider(replace(question, text=blank.text)), blank)
        words = tuple(dict.fromkeys(self._word(word, blank) for word in question.words))
        turned = Fill(blank.text, words, question.blank, blank.hidden, unknown_as_nan=True)
        return _Mirrored(turned, blank)

    def _word(self, word: str, blank: MirroredBlank) -> str:
        return self.mirror.word(word, is_possessive=blank.is_possessive)

    def _mean(self, question: Question, answer: Any, turned: _Mirrored, other: Any) -> Any:
        if isinstance(answer, TokenScores):
            return mean_of_scores(answer, other, turned.changes)
        if isinstance(question, Raw) or turned.blank is None:
            return replace(answer, logprobs=_means(answer.logprobs, other.logprobs))
        if isinstance(question, TopFill):
            return self._mean_of_likeliest(question.count, answer, other, turned.blank)
        logprobs = dict(zip(other.words, other.logprobs, strict=True))
        mirrored = [logprobs[self._word(word, turned.blank)] for word in answer.words]
        return replace(answer, logprobs=_means(answer.logprobs, mirrored))

    def _mean_of_likeliest(
        self, count: int, answer: WordScores, other: WordScores, blank: MirroredBlank
    ) -> WordScores:
        own = dict(zip(answer.words, answer.logprobs, strict=True))
        mirrored = {
            self._word(word, blank): value for word, value in zip(other.words, other.logprobs, strict=True)
        }
        means = {
            word: float(np.logaddexp(own.get(word, -np.inf), mirrored.get(word, -np.inf))) - HALF
            for word in dict.fromkeys([*own, *mirrored])
        }
        ranked = sorted(means, key=lambda word: -means[word])[:count]
        return WordScores(tuple(ranked), tuple(means[word] for word in ranked), (1,) * len(ranked))


def _wider(question: Question) -> Question:
    """More likeliest words than were asked, so that those of the mean are among them."""
    if isinstance(question, TopFill):
        return replace(question, count=max(100, WIDER * question.count))
    return question


def _means(own: Sequence[float], other: Sequence[float]) -> tuple[float, ...]:
    """Logs of mean probabilities; where the mirror image cannot be spelled, the model's own."""
    return tuple(
        one if np.isnan(two) else float(np.logaddexp(one, two)) - HALF
        for one, two in zip(own, other, strict=True)
    )


Span = tuple[int, int]
Group = tuple[int, ...]
"""The places of the tokens that stand for the same thing in both sentences."""


def mean_of_scores(own: TokenScores, other: TokenScores, changes: Sequence[Change]) -> TokenScores:
    """The tokens of a sentence with the mean of their probability and that of their counterpart.

    A changed word may have more pieces on one side: then its pieces share the mean of the whole word.
    """
    groups = groups_of(own.spans, [(one.start, one.end) for one in changes])
    counterparts = groups_of(other.spans, _spans_after(changes))
    if len(groups) != len(counterparts):
        groups, counterparts = [tuple(range(len(own.spans)))], [tuple(range(len(other.spans)))]
    logprobs, weights = np.array(own.logprobs), np.array(own.weights)
    other_logprobs, other_weights = np.array(other.logprobs), np.array(other.weights)
    for group, counterpart in zip(map(list, groups), map(list, counterparts), strict=True):
        total = logprobs[group].sum()
        mean = np.logaddexp(total, other_logprobs[counterpart].sum()) - np.log(2)
        logprobs[group] += (mean - total) / len(group)
        weights[group] = (weights[group] + other_weights[counterpart].mean()) / 2
    return replace(own, logprobs=tuple(logprobs.tolist()), weights=tuple(weights.tolist()))


def groups_of(spans: Sequence[Span], changed: Sequence[Span]) -> list[Group]:
    """Every token by itself, but the tokens of one changed place together."""
    labels = [_label(place, span, changed) for place, span in enumerate(spans)]
    borders = [0, *(at + 1 for at, (one, two) in enumerate(pairwise(labels)) if one != two), len(labels)]
    return [tuple(range(start, end)) for start, end in pairwise(borders)]


def _label(place: int, span: Span, changed: Sequence[Span]) -> tuple[str, int]:
    start, end = span
    for number, (begin, stop) in enumerate(changed):
        if start < stop and end > begin:
            return "changed", number
    return "same", place


def _spans_after(changes: Sequence[Change]) -> list[Span]:
    """Where the new words stand in the turned sentence."""
    spans, shift = [], 0
    for one in changes:
        spans.append((one.start + shift, one.start + shift + len(one.new)))
        shift += len(one.new) - len(one.old)
    return spans
