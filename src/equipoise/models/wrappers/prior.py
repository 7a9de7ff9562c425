"""Online prior normalisation: pronouns are judged by how far the people of a sentence raise them.

What it does  At a blank, each of two partners (he and she, him and her) is divided by its probability in
              the same text with the people's nouns hidden, and the two share their probability in
              proportion to that: what the study calls score = P(g | sentence) / P(g | sentence without its
              professions). All other words keep theirs, so the answer is a proper distribution.
Causal        A model that cannot hide words reads "person" in place of the nouns.
Changes       Blanks only. Sentences' scores, vectors and rows of ids are the inner model's.
Breaks        Skew falls and stereotype rises: an occupation's pull is all that is left. "The nurse ...
              [MASK]" leans further to she, not less. It is here because it was published; do not expect
              less association from it.
Source        de Vassimon Manela et al. 2021, "Stereotype and Skew" (online skewness mitigation), after
              Kurita et al. 2019. Their code reads the prior at the wrong mask; here it is read at the
              blank.
Nouns         Occupations and people of the shipped tables, and the occupations of WinoBias; texts without one
              keep their answer, and names stay.
Differs       The variant `prior-normalised` of stereotype-skew divides by the same prior, but it knows the
              two people of a sentence and hides those only. Here "a friend" or "the customer" is hidden as
              well, so the two give different numbers where such people occur.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from equipoise.data.reading import own_table
from equipoise.data.sets.winobias import PERCENT_WOMEN
from equipoise.models.capabilities import FILL, HIDE_WORDS, TOP_FILL
from equipoise.models.protocol import LanguageModel, require
from equipoise.models.questions import Fill, Question, TopFill, WordScores
from equipoise.models.wrappers.base import WrappedModel
from equipoise.text.blank import BLANK
from equipoise.text.languages.en.articles import fix_articles
from equipoise.text.rewriting.mirroring import Mirror

PRONOUNS = ("he", "she", "him", "her", "his", "hers", "himself", "herself")
TABLES = (
    ("professions.csv", "profession"),
    ("occupations.csv", "profession"),
    ("schema-professions.csv", "profession"),
    ("corpora/person-nouns.csv", "noun"),
)


class PriorNormalised(WrappedModel):
    """Divide a pair's probability between its words by how far the sentence's people raise each."""

    def __init__(self, inner: LanguageModel) -> None:
        require(inner, FILL, by="prior-normalisation")
        super().__init__(inner, {}, name=f"{inner.name} (prior-normalisation)")
        self.capabilities = inner.capabilities - {TOP_FILL}
        self.mirror = Mirror()

    def answer(self, questions: Sequence[Question]) -> list[Any]:
        """Answer all questions in one plan: blanks also for both partners, with and without the people."""
        for question in questions:
            if isinstance(question, TopFill):
                raise self.refuse(question)
        asked = [self._asked(question) for question in questions]
        answers = iter(self.inner.answer([part for parts in asked for part in parts]))
        return [
            self._shared(question, [next(answers) for _ in parts])
            for question, parts in zip(questions, asked, strict=True)
        ]

    def _asked(self, question: Question) -> list[Question]:
        """Return the question itself, or its word pairs in the text with and without its people."""
        people = self._people(question.text) if isinstance(question, Fill) and not question.hidden else ()
        pairs = self._pairs(question) if people and isinstance(question, Fill) else {}
        if not pairs or not isinstance(question, Fill):
            return [question]
        words = tuple(dict.fromkeys(word for pair in pairs.values() for word in pair))
        beside = replace(question, words=words, unknown_as_nan=True)
        if HIDE_WORDS in self.inner.capabilities:
            return [question, beside, replace(beside, hidden=people)]
        return [question, beside, replace(beside, text=_anybody(question.text, people))]

    def _shared(self, question: Question, answers: list[Any]) -> Any:
        if len(answers) == 1 or not isinstance(question, Fill):
            return answers[0]
        own, beside, prior = (_by_word(answer) for answer in answers)
        for word, pair in self._pairs(question).items():
            ratios = [beside[one] - prior[one] for one in pair]
            mass = np.logaddexp(beside[pair[0]], beside[pair[1]])
            share = ratios[0] - np.logaddexp(ratios[0], ratios[1])
            if np.isfinite(mass + share):
                own[word] = float(mass + share)
        return replace(answers[0], logprobs=tuple(own[word] for word in question.words))

    def _pairs(self, question: Fill) -> dict[str, tuple[str, str]]:
        """Each asked pronoun with its partner in the form that the blank asks for."""
        blank = self.mirror.blank(question.text, question.blank or 0)
        asked = [word for word in question.words if word.lower() in PRONOUNS] if blank else []
        return {
            word: (word, self.mirror.word(word, is_possessive=blank is not None and blank.is_possessive))
            for word in asked
        }

    def _people(self, text: str) -> tuple[tuple[int, int], ...]:
        return tuple(match.span() for match in self._nouns.finditer(text) if BLANK not in match.group())

    @cached_property
    def _nouns(self) -> re.Pattern[str]:
        nouns = {
            str(noun).lower()
            for name, column in TABLES
            for row in own_table(name).to_dict("records")
            if not row.get("gender") or name != "professions.csv"
            for noun in (row[column],)
        } | set(PERCENT_WOMEN)
        longest_first = sorted(nouns, key=lambda noun: (-len(noun), noun))
        return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b", re.IGNORECASE)


def _anybody(text: str, people: Sequence[tuple[int, int]]) -> str:
    """The text about persons of no occupation, for a model that cannot hide a word."""
    for start, end in reversed(people):
        word = "people" if text[start:end].endswith("s") else "person"
        text = text[:start] + word + text[end:]
    return fix_articles(text)


def _by_word(answer: WordScores) -> dict[str, float]:
    return dict(zip(answer.words, answer.logprobs, strict=True))
