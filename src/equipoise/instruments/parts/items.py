"""Read answers item by item: named numbers, the mass of two poles at a blank, and a cell of tokens."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from math import isnan
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from equipoise.models.questions import TokenScores, WordScores

Row = dict[str, Any]


def asked_rows(items: pd.DataFrame) -> Iterator[Row]:
    """The rows that are asked: those not dropped before."""
    yield from items[items["dropped"] == ""].to_dict("records")


def pieces_remarks(items: pd.DataFrame) -> tuple[str, ...]:
    """That words were spelt in several pieces, whose probabilities are multiplied: longer words are rarer."""
    split = int((items["pieces"] > 1).sum())
    return (f"{split:,} blanks have a word of several pieces (product of their P)",) if split else ()


def with_scores(
    items: pd.DataFrame, read: Callable[[Row], Row], always: Sequence[str] = ("score",)
) -> pd.DataFrame:
    """The items with what `read` makes of each that was asked; one that was dropped before has none of it.

    `read` may itself say why an item is `dropped`, if its answers could not be used. The columns `always` are
    there even if that is so of every item.
    """
    scores = pd.DataFrame([{} if row["dropped"] else read(row) for row in items.to_dict("records")])
    scores = scores.assign(**{name: np.nan for name in always if name not in scores})
    scores.index = items.index
    texts = [name for name in scores if pd.api.types.is_string_dtype(scores[name].dropna())]
    scores[texts] = scores[texts].fillna("")
    reasons = items["dropped"]
    if "dropped" in scores:
        reasons = reasons.where(reasons != "", scores.pop("dropped").fillna(""))
    return pd.concat([items.drop(columns="dropped"), scores], axis=1).assign(dropped=reasons)


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


Floats = npt.NDArray[np.float64]
PoleWords = Mapping[str, tuple[str, ...]]
"""The words of each pole in the form that a blank asks for."""

TIE = "tie"
SAME = 1e-9
"""Log-probabilities that are nearer to each other than this are a tie: no choice was made."""


def asked_words(words: PoleWords) -> tuple[str, ...]:
    """All words of all poles, each once."""
    return tuple(dict.fromkeys(word for of_pole in words.values() for word in of_pole))


def log_masses(words: PoleWords, answer: WordScores) -> dict[str, float]:
    """Log P of each pole, of any of its words; in logs, because a tiny probability still has a ratio."""
    logprobs = dict(zip(answer.words, answer.logprobs, strict=True))
    return {
        pole: float(np.logaddexp.reduce([logprobs[word] for word in of_pole]))
        for pole, of_pole in words.items()
    }


def leanings(masses: Mapping[str, float]) -> dict[str, float]:
    """P of each pole, the difference of the first two and its normalised forms, the share of the others."""
    first, second, *others = masses.values()
    whole = np.logaddexp.reduce(list(masses.values()))
    third = float(np.exp(np.logaddexp.reduce(others) - whole)) if others else float("nan")
    return {f"p_{pole}": float(np.exp(mass)) for pole, mass in masses.items()} | {
        "score": float(np.exp(first) - np.exp(second)),
        "normalised": float(np.tanh((first - second) / 2)),
        "log_ratio": first - second,
        "third_share": third,
    }


def second_share(first: npt.ArrayLike, second: npt.ArrayLike) -> Floats:
    """P of the second pole among the two, from their log-probabilities."""
    from scipy.special import expit

    return np.asarray(expit(np.subtract(second, first)), dtype=np.float64)


def choices(first: npt.ArrayLike, second: npt.ArrayLike, names: Sequence[str]) -> npt.NDArray[np.object_]:
    """The name of the likelier pole, `tie` where neither is, nothing where nothing was asked."""
    gap = np.subtract(first, second, dtype=np.float64)
    chosen = np.where(gap > 0, names[0], names[1]).astype(object)
    chosen[np.abs(gap) <= SAME] = TIE
    chosen[np.isnan(gap)] = ""
    return chosen


def difference_unit(pair: tuple[str, str]) -> str:
    """The unit of a probability difference of two poles."""
    return f"P({pair[0]}) - P({pair[1]})"
