"""Which of two poles a model prefers at a blank: the probability of each, and the choice between them."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from equipoise.data.poles import Poles
from equipoise.errors import UserError
from equipoise.models.base import WordScores

Floats = npt.NDArray[np.float64]
PoleWords = tuple[tuple[str, ...], tuple[str, ...]]

TIE = "tie"
SAME = 1e-9
"""Log-probabilities that are nearer to each other than this are a tie: no choice was made."""


def pole_words(poles: Poles, form: str) -> PoleWords:
    """The words of the first two poles in one grammatical form."""
    first, second = poles.names[:2]
    words = poles.at(form)
    if not words[first] or not words[second]:
        raise UserError(
            f"The poles {poles.name!r} have no {form} words for {second if words[first] else first!r}.",
            f"Add a row with the form {form!r} for that pole.",
        )
    return words[first], words[second]


def asked_words(words: PoleWords) -> tuple[str, ...]:
    """All words of both poles, each once."""
    return tuple(dict.fromkeys((*words[0], *words[1])))


def pole_logprobs(words: PoleWords, found: WordScores) -> tuple[float, float]:
    """Log P of each pole: of any of its words."""
    logprobs = dict(zip(found.words, found.logprobs, strict=True))
    first, second = (float(np.logaddexp.reduce([logprobs[word] for word in side])) for side in words)
    return first, second


def second_share(first: Floats, second: Floats) -> Floats:
    """P of the second pole among the two, from their log-probabilities."""
    return np.asarray(expit(second - first), dtype=np.float64)


def choices(first: Floats, second: Floats, names: Sequence[str]) -> npt.NDArray[np.object_]:
    """The name of the likelier pole, `tie` where neither is, nothing where nothing was asked."""
    gap = first - second
    chosen = np.where(gap > 0, names[0], names[1]).astype(object)
    chosen[np.abs(gap) <= SAME] = TIE
    chosen[np.isnan(gap)] = ""
    return chosen
