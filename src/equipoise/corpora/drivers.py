"""The documents that drive a corpus' lean: those with the largest share in its log-odds.

A document's contribution is its term in the linearised log-odds (see `cooccurrence`): about how much the
log-odds would fall if the document were left out. Candidates are kept while the corpus is read, ranked by the
sums so far, and ranked again by the final sums.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from equipoise.corpora.cooccurrence import BASE, MENTION, PRIOR, TARGET, Moments
from equipoise.corpora.counting import BlockCounts, Floats
from equipoise.corpora.documents import Document
from equipoise.corpora.vocabulary import Integers
from equipoise.text.sides import FEMALE, MALE

if TYPE_CHECKING:
    import pandas as pd

KEPT = 200
SHOWN = 10
OPENING = 100
MENTIONS = "mentions"
"""Stands for the lean of the corpus itself: men and women mentioned, whatever is near them."""


class Candidate(NamedTuple):
    """A document's pairs with a category (male, female), all its pairs, and where it is."""

    male: float
    female: float
    all_male: float
    all_female: float
    document: str
    file: str
    line: int
    opening: str


class Drivers:
    """The documents with the largest contributions to each category's log-odds."""

    def __init__(self, categories: Sequence[str], kept: dict[str, list[Candidate]] | None = None) -> None:
        self.categories = list(categories)
        self.kept: dict[str, list[Candidate]] = kept or {name: [] for name in [MENTIONS, *categories]}

    def add(self, documents: Sequence[Document], counts: BlockCounts, moments: Moments) -> None:
        """Consider the documents of a block; `moments` hold the sums so far."""
        target = counts.targets
        for item, name in enumerate(self.categories):
            rows = np.flatnonzero(target.item == item)
            near = np.column_stack([target.male[rows], target.female[rows]])
            self._consider(name, _candidates(documents, target.document[rows], near, counts), moments)
        mentions = counts.mentions[:, 0]
        some = np.flatnonzero(mentions.sum(axis=1))
        self._consider(MENTIONS, _candidates(documents, some, mentions[some], counts), moments)

    def table(self, moments: Moments) -> "pd.DataFrame":
        """The largest contributions to either side, by category."""
        import pandas as pd

        rows = []
        for name, candidates in self.kept.items():
            ranked = sorted(
                zip(self._contributions(name, candidates, moments), candidates, strict=True), reverse=True
            )
            male = [(MALE, *pair) for pair in ranked[:SHOWN] if pair[0] > 0]
            female = [(FEMALE, *pair) for pair in ranked[::-1][:SHOWN] if pair[0] < 0]
            for side, contribution, candidate in [*male, *female]:
                rows.append((name, side, contribution, *candidate[:2], *candidate[4:]))
        columns = ["category", "leans", "contribution", "male", "female", "document", "file", "line", "text"]
        return pd.DataFrame(rows, columns=columns).astype({"male": int, "female": int})

    def _consider(self, name: str, new: Iterable[Candidate], moments: Moments) -> None:
        candidates = [*self.kept[name], *new]
        if len(candidates) > 2 * KEPT:
            order = np.argsort(self._contributions(name, candidates, moments), kind="stable")
            candidates = [candidates[place] for place in [*order[:KEPT], *order[-KEPT:]]]
        self.kept[name] = candidates

    def _contributions(self, name: str, candidates: Sequence[Candidate], moments: Moments) -> list[float]:
        numbers = np.asarray([candidate[:4] for candidate in candidates], dtype=np.float64).reshape(-1, 4)
        slopes = self._slopes(name, moments)
        return [float(value) for value in numbers @ slopes]

    def _slopes(self, name: str, moments: Moments) -> Floats:
        base = dict(zip(BASE, moments.base[0], strict=True))
        with np.errstate(divide="ignore", invalid="ignore"):
            if name == MENTIONS:
                sums = dict(zip(MENTION, moments.mentions[0, 0], strict=True))
                slopes = np.array([1 / sums["m"], -1 / sums["f"], 0.0, 0.0])
            else:
                sums = dict(zip(TARGET, moments.targets[0, self.categories.index(name)], strict=True))
                whole_m, whole_f = base["m"], base["f"]
                prior = PRIOR / (whole_m + whole_f)
                male, female = sums["m"] + prior * whole_m, sums["f"] + prior * whole_f
                slopes = np.array([1 / male, -1 / female, -1 / whole_m, 1 / whole_f])
        return np.where(np.isfinite(slopes), slopes, 0.0)


def _candidates(
    documents: Sequence[Document], places: Integers, near: Floats, counts: BlockCounts
) -> list[Candidate]:
    """Candidates from the documents of a block at these places."""
    rows = zip(places.tolist(), near.tolist(), counts.pairs[places].tolist(), strict=True)
    candidates = []
    for place, (male, female), (all_male, all_female) in rows:
        document = documents[place]
        opening = " ".join(document.text[: 2 * OPENING].split())[:OPENING]
        file, line = document.where
        candidates.append(Candidate(male, female, all_male, all_female, document.id, file, line, opening))
    return candidates
