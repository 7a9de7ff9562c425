"""Self-debias contrast: words that a prompt for discrimination makes likelier are made less likely.

What it does  A blank is also asked behind a sentence that announces discrimination. A word that this makes
              likelier, by D = P(word | text) - P(word | announcement, text) < 0, is multiplied by exp(decay
              x D); the rest is scaled up so that the distribution sums to one over the words looked at.
Changes       Blanks only; sentences are not scored, for a hidden token's whole distribution would be
              needed.
Breaks        What the announcement raises is a matter of wording, not of gender: expect small effects of
              either sign, and look at the price.
Source        Schick, Udupa and Schuetze 2021, "Self-Diagnosis and Self-Debiasing" (decay 50); Meade et al.
              2022 for masked models and the announcement for gender. The scale is taken over the hundred
              likeliest words.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from equipoise.errors import UserError
from equipoise.models.capabilities import FILL, SCORE, TOP_FILL
from equipoise.models.protocol import LanguageModel, require
from equipoise.models.questions import Fill, Question, TopFill, WordScores
from equipoise.models.wrappers.base import WrappedModel
from equipoise.text.blank import BLANK

ANNOUNCEMENT = "The following text discriminates against people because of their gender: "
LOOKED_AT = 20


class SelfDebiased(WrappedModel):
    """Damps what an announcement of discrimination raises."""

    def __init__(self, inner: LanguageModel, decay: float = 50.0) -> None:
        if decay < 0:
            raise UserError(f"The decay is {decay:g}.", "Give a number of 0 or more; the paper uses 50.")
        require(inner, FILL, TOP_FILL, by="self-debias")
        super().__init__(inner, {"decay": decay}, name=f"{inner.name} (self-debias)")
        self.decay = decay
        kept = (one for one in inner.capabilities if not one.startswith(SCORE) and one in (FILL, TOP_FILL))
        self.capabilities = frozenset(kept)

    def answer(self, questions: Sequence[Question]) -> list[Any]:
        """Answer all blanks in two plans: what is likeliest, then all of it behind the announcement."""
        for question in questions:
            if not self.can_answer(type(question)) or (isinstance(question, Fill) and question.hidden):
                raise self.refuse(question)
        likeliest = self.inner.answer([TopFill(_one_blank(question), LOOKED_AT) for question in questions])
        words = [_words(question, top) for question, top in zip(questions, likeliest, strict=True)]
        texts = [_one_blank(question) for question in questions]
        plain = [Fill(text, asked, unknown_as_nan=True) for text, asked in zip(texts, words, strict=True)]
        told = [replace(fill, text=ANNOUNCEMENT + fill.text) for fill in plain]
        answers = self.inner.answer([*plain, *told])
        return [
            self._damped(question, own, other)
            for question, own, other in zip(
                questions, answers[: len(plain)], answers[len(plain) :], strict=True
            )
        ]

    def _damped(self, question: Question, own: WordScores, told: WordScores) -> WordScores:
        before, behind = np.exp(own.logprobs), np.exp(told.logprobs)
        difference = np.nan_to_num(before - behind)
        damped = before * np.where(difference < 0, np.exp(self.decay * difference), 1.0)
        single = np.array(own.pieces) == 1
        lost = np.nansum((before - damped)[single])
        logprobs = dict(zip(own.words, np.log(damped) - np.log1p(-min(lost, 1 - 1e-9)), strict=True))
        ranked = sorted(logprobs, key=lambda word: -np.nan_to_num(logprobs[word], nan=-np.inf))
        chosen = question.words if isinstance(question, Fill) else tuple(ranked[: _count(question)])
        pieces = dict(zip(own.words, own.pieces, strict=True))
        return WordScores(
            chosen, tuple(float(logprobs[word]) for word in chosen), tuple(pieces[word] for word in chosen)
        )


def _words(question: Question, top: WordScores) -> tuple[str, ...]:
    """The asked words and the likeliest ones that can be written into a blank."""
    asked = question.words if isinstance(question, Fill) else ()
    return tuple(dict.fromkeys([*asked, *(word for word in top.words if word[:1].isalpha())]))


def _count(question: Question) -> int:
    return question.count if isinstance(question, TopFill) else 0


def _one_blank(question: Any) -> str:
    """The text with the asked blank alone; the others are left out, for this method knows one blank."""
    if question.text.count(BLANK) > 1:
        raise UserError(
            f"There are several blanks in {question.text!r}, and self-debias asks one.", "Leave one blank."
        )
    return str(question.text)
