"""Two sentences side by side that differ in known places: the mean of their tokens' probabilities."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from equipoise.models.questions import TokenScores
from equipoise.text.rewriting.account import Change

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
