"""What several people who labelled the same items agree on."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from equipoise.errors import UserError
from equipoise.stats.clusters import Floats, cluster_codes

Label = TypeVar("Label", bound=Hashable)


def fleiss_kappa(labels: Sequence[Sequence[Hashable]]) -> float:
    """Fleiss' kappa of a table with one row per item and one label per rater.

    NaN when only one label was ever used: then agreement by chance is complete and kappa is
    undefined.
    """
    return float(kappa_of_sums(agreement_cells(labels).sum(axis=0)))


def agreement_cells(labels: Sequence[Sequence[Hashable]]) -> Floats:
    """A row per item: 1, the share of its pairs of raters that agree, and the share of each label."""
    rows = [[label for label in row if not _is_missing(label)] for row in labels]
    per_row = {len(row) for row in rows} or {0}
    if len(per_row) > 1 or min(per_row) < 2:
        raise UserError(
            f"Fleiss' kappa was given items with {min(per_row)} to {max(per_row)} labels; "
            "it needs two or more, as many for every item.",
            "Leave out the items that not every annotator labelled.",
        )
    raters = per_row.pop()
    codes = cluster_codes([label for row in rows for label in row], len(rows) * raters)
    n_labels = int(codes.max()) + 1
    places = np.repeat(np.arange(len(rows)), raters) * n_labels + codes
    counts = np.bincount(places, minlength=len(rows) * n_labels).reshape(len(rows), n_labels)
    agree = ((counts**2).sum(axis=1) - raters) / (raters * (raters - 1))
    return np.column_stack([np.ones(len(rows)), agree, counts / raters])


def kappa_of_sums(sums: ArrayLike) -> Floats:
    """Fleiss' kappa from sums of `agreement_cells`, one row of them or one for each draw of a bootstrap."""
    cells = np.asarray(sums, dtype=np.float64)
    shares = cells[..., 1:] / cells[..., :1]
    # Agreement by chance; within rounding of 1 only a single label was drawn.
    by_chance = (shares[..., 1:] ** 2).sum(axis=-1)
    defined = by_chance < 1 - 1e-12
    return np.divide(
        shares[..., 0] - by_chance, 1 - by_chance, out=np.full_like(by_chance, np.nan), where=defined
    )[()]


def majority_vote(rows: Iterable[Sequence[Label | None]]) -> list[Label | None]:
    """The label given most often in each row, or None where two share the first place.

    Missing labels (None or NaN) are not votes, and a row without votes gives None.
    """
    return [_most_common(row) for row in rows]


def _most_common(row: Sequence[Label | None]) -> Label | None:
    votes = Counter(label for label in row if label is not None and not _is_missing(label))
    first = votes.most_common(2)
    if not first or (len(first) == 2 and first[0][1] == first[1][1]):
        return None
    return first[0][0]


def _is_missing(label: Hashable) -> bool:
    return label is None or label != label
