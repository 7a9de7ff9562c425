"""How far a changed model moved on gender-neutral text: the divergence of its distributions at blanks."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Fill, TopFill, WordScores
from equipoise.stats.means import Mean, mean_with_interval

LIKELIEST = 50


def divergence(before: LanguageModel, after: LanguageModel, blanks: Sequence[str]) -> Mean:
    """The mean Kullback-Leibler divergence of after from before, in nats, over texts with one blank.

    The distribution is that over the words that were likeliest before and the rest of the vocabulary as one:
    a lower bound of the divergence over all words, and close to it where those take most of the probability.
    """
    likeliest = before.answer([TopFill(text, LIKELIEST) for text in blanks])
    asked = [
        Fill(text, tuple(word for word in top.words if word.isalpha()), unknown_as_nan=True)
        for text, top in zip(blanks, likeliest, strict=True)
    ]
    values = [
        divergence_of(own, other)
        for own, other in zip(before.answer(asked), after.answer(asked), strict=True)
    ]
    return mean_with_interval(pd.Series(values, dtype=float).to_numpy())


def divergence_of(own: WordScores, other: WordScores) -> float:
    """The divergence over the words that both models can spell and the rest as one."""
    logs = np.array([own.logprobs, other.logprobs], dtype=float)
    logs = logs[:, ~np.isnan(logs).any(axis=0)]
    rest = np.log(np.clip(1 - np.exp(logs).sum(axis=1), 1e-12, None))
    first, second = np.column_stack([logs, rest])
    return float(np.sum(np.exp(first) * (first - second)))
