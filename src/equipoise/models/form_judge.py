"""A judge of pronoun forms: which of two forms a masked model prefers in its place."""

from collections.abc import Sequence
from math import nan

from equipoise.errors import UserError
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Fill, WordScores
from equipoise.text.blank import BLANK
from equipoise.text.rewriting.pronouns.forms import Case, Judge

REACH = 240
"""Characters read on either side of a pronoun: beyond them nothing decides its form."""


def form_judge(model: LanguageModel) -> Judge:
    """A judge that asks the model for the likelier form; all cases of a call are one batch."""
    if not model.can_answer(Fill):
        raise UserError(
            f"{model.name!r} is a {model.kind} model, which cannot fill a blank with given words.",
            "Name a masked model as judge.",
        )

    def judge(cases: Sequence[Case]) -> list[str]:
        answers = model.answer([_question(case) for case in cases])
        return [_preferred(case, answer) for case, answer in zip(cases, answers, strict=True)]

    return judge


def _question(case: Case) -> Fill:
    """The blank in the words around the pronoun, cut between words."""
    start, end = case.span
    left, right = case.text[:start], case.text[end:]
    if len(left) > REACH:
        left = left[-REACH:].partition(" ")[2] or left[-REACH:]
    if len(right) > REACH:
        right = right[:REACH].rpartition(" ")[0] or right[:REACH]
    return Fill(left + BLANK + right, case.options, blank=left.count(BLANK), unknown_as_nan=True)


def _preferred(case: Case, answer: WordScores) -> str:
    """The likelier option; the first where the model cannot tell."""
    first, second = (
        dict(zip(answer.words, answer.logprobs, strict=True)).get(form, nan) for form in case.options
    )
    return case.options[1] if second > first else case.options[0]
