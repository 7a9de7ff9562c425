"""What several people who labelled the same items agree on."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

import numpy as np

from equipoise.errors import UserError

Label = TypeVar("Label", bound=Hashable)


def fleiss_kappa(labels: Sequence[Sequence[Hashable]]) -> float:
    """Fleiss' kappa of a table with one row per item and one label per rater.

    NaN when only one label was ever used: then agreement by chance is complete and kappa is
    undefined.
    """
    from statsmodels.stats.inter_rater import fleiss_kappa as kappa_of_counts

    rows = [list(row) for row in labels]
    per_row = {sum(not _is_missing(label) for label in row) for row in rows} or {0}
    if len(per_row) > 1 or min(per_row) < 2:
        raise UserError(
            f"Fleiss' kappa was given items with {min(per_row)} to {max(per_row)} labels; "
            "it needs two or more, as many for every item.",
            "Leave out the items that not every annotator labelled.",
        )
    numbers: dict[Hashable, int] = {}
    codes = [
        [numbers.setdefault(label, len(numbers)) for label in row if not _is_missing(label)] for row in rows
    ]
    if len(numbers) < 2:
        return float("nan")
    counts = np.array([np.bincount(row, minlength=len(numbers)) for row in codes])
    return float(kappa_of_counts(counts))


def majority_vote(rows: Iterable[Sequence[Label | None]]) -> list[Label | None]:
    """The label given most often in each row, or None where two share the first place.

    Missing labels (None or NaN) are no votes, and a row without votes gives None.
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
