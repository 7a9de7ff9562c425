"""Neighbourhood: do words that lean to men stand among others that lean to men?

Question     Of the 20 nearest words of a word (by cosine, among the other words of the list), which share
             leans to men and which to women? Leanings come from the labour statistics or a stereotype,
             not from the model, so that they stay the same when the model is changed.
Sign         score = share of male-leaning - share of female-leaning neighbours: above 0 the company is male.
Good         separation (mean score of words that lean to men less that of words that lean to women) near 0: a
             word's neighbours do not tell its gender. same-leaning, the share of neighbours that lean as the
             word does, near 0.5.
Variants     alone and in-frames, as `direct-bias`.
Neutral      Random vectors give a separation of about -2 / n (a word is not its own neighbour) and half of
             the neighbours.
Source       Gonen and Goldberg 2019, "Lipstick on a Pig": after a projection this barely moves.
Data         As `direct-bias`.
Differs      Published: 100 neighbours out of 50,000 words, leanings by the model's own direction before the
             projection. With our list any model can be asked; for theirs bring such a list.
Limits       Words of one topic lean alike (nursing, childcare), so part of the separation is topic, not
             gender: compare before and after, or by group (professions).
"""

import numpy as np
import pandas as pd

from equipoise.instruments.base import Answers
from equipoise.instruments.parts.estimates import (
    Spec,
    grouped,
    probability_estimate,
)
from equipoise.instruments.parts.leanings import (
    FACTORS,
    LeaningDesign,
    OfLeanings,
    WordSpace,
    missing_words,
    score_words,
    separation_estimates,
    separation_quantity,
    signs_of,
)
from equipoise.results import Quantity, Summary
from equipoise.results.quantity import STEREOTYPED
from equipoise.stats.clusters import Floats
from equipoise.stats.directions import nearest

NEIGHBOURS = 20
UNIT = "share"
_SAME = Quantity(
    "same-leaning",
    "neighbours that lean as the word does",
    0.05,
    unit=UNIT,
    neutral=0.5,
    name="neighbours that lean as the word does",
    question="words",
    scale="half",
    sides=STEREOTYPED,
    headline=True,
    compared=False,
)


class Neighbourhood(OfLeanings):
    """Leaning of the nearest words."""

    name = "neighbourhood"
    title = "Neighbourhood: leaning of the nearest words"
    quantities = (separation_quantity(UNIT, margin=0.05, scale="points", ranks=True), _SAME)

    def score(self, design: LeaningDesign, answers: Answers) -> pd.DataFrame:
        """The share of male-leaning less that of female-leaning neighbours of every word."""
        return score_words(design, answers, neighbour_balance)

    def summarise(self, design: LeaningDesign, items: pd.DataFrame) -> Summary:
        """The separation, and how many neighbours lean as the word does."""
        same = items.assign(same=(1 + items["score"] * signs_of(items)) / 2)
        spec = Spec.of(_SAME)
        estimates = separation_estimates(items, self.quantities[0])
        estimates += [
            probability_estimate(spec.at(groups), rows["same"], rows, FACTORS)
            for groups, rows in grouped(same, "leaning")
        ]
        return Summary(estimates, remarks=missing_words(items))


def neighbour_balance(space: WordSpace, rows: pd.DataFrame) -> Floats:
    """The mean sign of the nearest words of every word."""
    neighbours = nearest(space.words, min(NEIGHBOURS, len(rows) - 1))
    balance: Floats = np.asarray(signs_of(rows)[neighbours].mean(axis=1))
    return balance
