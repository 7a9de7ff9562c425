"""The protocol that every language model satisfies, and its everyday verbs written once."""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
import pandas as pd

from equipoise.errors import IncapableError, UnaskableError, UserError
from equipoise.models.capabilities import (
    CLASSIFY,
    EMBED,
    FILL,
    GENERATE,
    RAW_ROWS,
    SCORE,
    TOP_FILL,
    VERBS,
    in_words,
    scoring_rules,
)
from equipoise.models.options import RunOptions
from equipoise.models.questions import (
    DEFAULT_RULE,
    Classify,
    Embed,
    Fill,
    Generate,
    Question,
    Raw,
    Score,
    TopFill,
    Vector,
)


@runtime_checkable
class LanguageModel(Protocol):
    """Answers questions about text; nothing downstream knows which kind of model it has."""

    @property
    def name(self) -> str:
        """What the model is called in results."""

    @property
    def kind(self) -> str:
        """Masked, causal, encoder-decoder, classifier, static or table."""

    @property
    def fingerprint(self) -> str:
        """What makes this model this one: the same for two models that give the same answers."""

    @property
    def capabilities(self) -> frozenset[str]:
        """What it can be asked, in the words of `equipoise.models.capabilities`."""

    @property
    def precision(self) -> str:
        """The precision that answers are computed in."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of its numbers must know."""

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules it scores by, the default first."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of a classifier; of another model none."""

    @property
    def options(self) -> RunOptions:
        """How it is run; what is made from it is run in the same way."""

    @property
    def layers(self) -> int | None:
        """How many layers stand above the embeddings, where there are any."""

    def can_answer(self, question: type[Any]) -> bool:
        """Whether this model answers this type of question at all."""

    def check(self, question: Question) -> None:
        """Refuse a question that this model cannot be asked, such as a text that is too long for it."""

    def misreads(self, text: str) -> bool:
        """Whether something in the text is unknown to the model, which then reads an unknown token there."""

    def unknown_parts(self, text: str) -> list[str]:
        """The parts of a text that the model reads as its unknown token, in order."""

    def answer(self, questions: Sequence[Question]) -> list[Any]:
        """Answer all questions in one plan, in the order they were asked."""

    def answer_in_turn(self, groups: Sequence[Sequence[Question]]) -> Iterator[list[Any]]:
        """The answers of one group after the other, each as soon as it has them; nothing is asked twice."""

    def fill(self, text: str, words: Sequence[str] | None = None, *, top: int = 10) -> pd.DataFrame:
        """Log P of given words at the blank, or without words the `top` likeliest; a row per word."""

    def score(self, texts: Sequence[str], rule: str = DEFAULT_RULE) -> pd.DataFrame:
        """Log P of every token of every text by the named rule; a row per token."""

    def embed(self, texts: Sequence[str], *, layer: int = -1) -> Vector:
        """A vector per text: the mean over its tokens at a layer."""


class TextTokens(Protocol):
    """A tokenizer, as far as an instrument may look at it."""

    @property
    def mask_id(self) -> int | None:
        """The id of the mask token, where there is one."""

    @property
    def unknown_id(self) -> int | None:
        """The id for text that the vocabulary cannot spell, if there is one."""

    @property
    def mask_token(self) -> str | None:
        """How the mask token is written."""

    def encode(self, text: str) -> Any:
        """The text's ids, where each token stands, which are special, and which word each belongs to."""

    def token(self, token_id: int) -> str:
        """The token as its vocabulary writes it."""


@runtime_checkable
class Tokenized(Protocol):
    """A model that lets its tokenizer be seen, for the few who must build rows of token ids."""

    @property
    def tokens(self) -> TextTokens:
        """The tokenizer."""


_NEEDED = {Fill: FILL, TopFill: TOP_FILL, Embed: EMBED, Raw: RAW_ROWS, Classify: CLASSIFY, Generate: GENERATE}


class AnsweringModel:
    """The three everyday verbs, written once in terms of `answer`."""

    name: str
    kind: str
    capabilities: frozenset[str] = frozenset()
    precision: str = "fp32"
    notes: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    options: RunOptions = RunOptions()

    def __repr__(self) -> str:
        return f"<{self.kind} model {self.name}, {self.precision}>"

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules it scores by, the default first."""
        return scoring_rules(self.capabilities)

    def can_answer(self, question: type[Any]) -> bool:
        """Whether this model answers this type of question at all."""
        return bool(self.rules) if question is Score else _NEEDED.get(question) in self.capabilities

    @property
    def layers(self) -> int | None:
        """How many layers stand above the embeddings, where there are any."""
        return None

    def check(self, question: Question) -> None:
        """Refuse a question that this model cannot be asked; by default none."""

    def misreads(self, text: str) -> bool:
        """Whether something in the text is unknown to the model, which then reads an unknown token there."""
        return bool(self.unknown_parts(text))

    def unknown_parts(self, text: str) -> list[str]:
        """The parts of a text that the model reads as its unknown token, in order."""
        return []

    def answer(self, questions: Sequence[Question]) -> list[Any]:
        """Answer all questions in one plan, in the order they were asked."""
        raise NotImplementedError

    def answer_in_turn(self, groups: Sequence[Sequence[Question]]) -> Iterator[list[Any]]:
        """The answers of one group after the other, each as soon as it has them."""
        for questions in groups:
            yield self.answer(questions)

    def fill(self, text: str, words: Sequence[str] | None = None, *, top: int = 10) -> pd.DataFrame:
        """Log P of given words at the blank, or without words the `top` likeliest; a row per word."""
        if words is None and top < 1:
            raise UserError(f"The {top} likeliest words were asked for.", "Give a number of 1 or more.")
        question = TopFill(text, top) if words is None else Fill(text, tuple(_as_list(words)))
        (scores,) = self.answer([question])
        return scores.table(text)

    def score(self, texts: Sequence[str], rule: str = DEFAULT_RULE) -> pd.DataFrame:
        """Log P of every token of every text by the named rule; a row per token."""
        answers = self.answer([Score(text, rule) for text in _as_list(texts)])
        rows = [
            (number, position, token, logprob, weight)
            for number, scored in enumerate(answers)
            for position, (token, logprob, weight) in enumerate(
                zip(scored.tokens, scored.logprobs, scored.weights, strict=True)
            )
        ]
        return pd.DataFrame(rows, columns=["sentence", "position", "token", "logprob", "weight"])

    def embed(self, texts: Sequence[str], *, layer: int = -1) -> Vector:
        """A vector per text: the mean over its tokens at a layer."""
        questions = [Embed(text, layer=layer) for text in _as_list(texts)]
        if not questions:
            raise UserError("No text was given to embed.", "Give one or more.")
        answers = self.answer(questions)
        return np.stack([answer.vector for answer in answers])

    def refuse(self, question: Question) -> UserError:
        """The error for a question that this kind of model cannot answer."""
        verb = in_words(_NEEDED.get(type(question), SCORE))
        return UserError(
            f"{self.name!r} is a {self.kind} model, which cannot {verb}.",
            f"It has: {', '.join(sorted(self.capabilities))}. Name a model of another kind, "
            "or another instrument.",
        )


def _as_list(texts: Sequence[str]) -> Sequence[str]:
    """A single string given where a list belongs would be read letter by letter: take it as one text."""
    return [texts] if isinstance(texts, str) else texts


def require(model: LanguageModel, *capabilities: str, by: str, hint: str = "") -> None:
    """Refuse a model that lacks a capability which the instrument named in `by` needs."""
    for capability in capabilities:
        if not _has(model, capability):
            reason = f"a {model.kind} model cannot {in_words(capability)}"
            message = f"{by} cannot measure {model.name!r}: {reason}."
            raise IncapableError(reason, message, hint or _what_it_can(model))


def _what_it_can(model: LanguageModel) -> str:
    """What a model can be asked, by its verbs, and where to find what asks that."""
    verbs = [VERBS[name] for name in VERBS if name != RAW_ROWS and _has(model, name)]
    can = ", ".join(verbs) or "do nothing"
    return f"It can {can}. Name another instrument (`equipoise list instruments`) or another kind of model."


def _has(model: LanguageModel, capability: str) -> bool:
    """Whether a model has a capability; to score at all is to score by any rule."""
    if capability == SCORE:
        return bool(scoring_rules(model.capabilities))
    return capability in model.capabilities


LONGEST_REASON = 100


def reason_against(model: LanguageModel, question: Question) -> str:
    """Say why this model would refuse the question (such as a text that is too long); empty if it would not.

    Texts written for an instrument are meant to fit; those of a corpus may not, and one of them must not
    end a run.
    """
    try:
        model.check(question)
    except UserError as error:
        reason = error.message
        return reason if len(reason) <= LONGEST_REASON else reason[:LONGEST_REASON].rstrip() + "…"
    return ""


def unaskable_reason(model: LanguageModel, question: Question) -> str:
    """Why this one question cannot be asked, in words that items can be counted by; empty if it can be."""
    try:
        model.check(question)
    except UnaskableError as error:
        return error.reason
    return ""
