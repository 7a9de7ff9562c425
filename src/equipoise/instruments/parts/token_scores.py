"""Token scores: what each token of a sentence adds to its value, as a cell of the items."""

import json
from collections.abc import Collection
from math import isnan

from equipoise.models.questions import TokenScores

COLUMN = "token_scores_"
"""Columns of the items that begin so and end in the name of a text hold its tokens."""


def token_cell(scored: TokenScores, *, counted: Collection[int] | None = None, divisor: float = 1.0) -> str:
    """The tokens as JSON: where each begins and ends in the text, and weight times ln P over the divisor.

    A token that does not count, or could not be asked, adds null; the others add up to the sentence's value.
    """
    tokens = zip(scored.spans, scored.logprobs, scored.weights, strict=True)
    cells = []
    for place, ((start, end), logprob, weight) in enumerate(tokens):
        adds = weight * logprob / divisor
        is_counted = counted is None or place in counted
        cells.append([start, end, None if isnan(adds) or not is_counted else adds])
    return json.dumps(cells)
