"""Which of two poles a model prefers at a blank: the probability of all words of each, and the choice."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from equipoise.models.questions import WordScores

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
