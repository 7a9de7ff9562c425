"""Sums over documents from which every estimate and its interval follow.

Estimates are smooth functions of sums of counts, so that their variance over documents needs only the sums
of squares and products of a document's counts. These add up block by block: memory does not grow with the
corpus, and a run goes on from the sums of the blocks it has finished.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from equipoise.corpora.counting import BlockCounts
from equipoise.corpora.documents import Document
from equipoise.corpora.roles import ROLES
from equipoise.errors import UserError

Floats = NDArray[np.float64]

ALL = ("all", "")
MOST_GROUPS = 2000
"""Groups of all groupings together; more are an identifier, not a grouping."""

BASE = ("documents", "words", "m", "f", "mm", "ff", "mf")
"""Of all pairs in a document: male m, female f, their squares and product."""

MENTION = ("documents", "m", "f", "mm", "ff", "mf")
TARGET = ("documents", "m", "f", "mm", "ff", "mf", "mM", "mF", "fM", "fF")
"""Pairs with a target (m, f) and their products with all pairs of the document (M, F)."""


class Moments:
    """Sums for every group: of all pairs, of mentions by role, of pairs with each target item."""

    def __init__(self, n_items: int, groups: Sequence[tuple[str, str]] = (ALL,)) -> None:
        self.codes = {tuple(group): code for code, group in enumerate(groups)}
        self.n_items = n_items
        self.base = np.zeros((len(groups), len(BASE)))
        self.mentions = np.zeros((len(groups), len(ROLES), len(MENTION)))
        self.targets = np.zeros((len(groups), n_items, len(TARGET)))

    @property
    def groups(self) -> list[tuple[str, str]]:
        """The groups as (grouping, level), all documents first."""
        return [(by, level) for by, level in self.codes]

    def add(self, documents: Sequence[Document], counts: BlockCounts) -> None:
        """Add a block to the sums of every group its documents belong to."""
        self._add_grouping(np.zeros(len(documents), dtype=np.int64), counts)
        for by in documents[0].groups if documents else ():
            codes = [self._code(by, document.groups[by]) for document in documents]
            self._add_grouping(np.asarray(codes, dtype=np.int64), counts)

    def _code(self, by: str, level: str) -> int:
        if (by, level) not in self.codes:
            if len(self.codes) > MOST_GROUPS:
                raise UserError(
                    f"There are more than {MOST_GROUPS} groups by {', '.join({by for by, _ in self.codes})}.",
                    "Group by a column with fewer values, or map its values with --groups-file.",
                )
            self.codes[by, level] = len(self.codes)
            if len(self.codes) > len(self.base):
                self._grow()
        return self.codes[by, level]

    def _grow(self) -> None:
        more = len(self.base)
        self.base, self.mentions, self.targets = (
            np.concatenate([sums, np.zeros((more, *sums.shape[1:]))])
            for sums in (self.base, self.mentions, self.targets)
        )

    def _add_grouping(self, codes: NDArray[np.int64], counts: BlockCounts) -> None:
        pairs, target = counts.pairs, counts.targets
        own = _products(pairs[:, 0], pairs[:, 1])
        rows = np.column_stack([np.ones(len(codes)), counts.words, *own])
        np.add.at(self.base, codes, rows)
        for role in range(len(ROLES)):
            male, female = counts.mentions[:, role].T
            rows = np.column_stack([(male + female) > 0, *_products(male, female)])
            np.add.at(self.mentions[:, role], codes, rows)
        whole = pairs[target.document]
        crossed = [side * whole[:, other] for side in (target.male, target.female) for other in (0, 1)]
        ones = np.ones(len(target.item))
        rows = np.column_stack([ones, *_products(target.male, target.female), *crossed])
        np.add.at(self.targets, (codes[target.document], target.item), rows)


def _products(male: Floats, female: Floats) -> list[Floats]:
    return [male, female, male * male, female * female, male * female]
