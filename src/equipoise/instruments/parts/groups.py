"""Estimates by columns of the user: the mean of each group, what each column adds, and what both do together.

`--by gender,origin` takes one or two columns of the items. A column that the instrument does not keep is
looked up in the files that were read. Effects compare levels with equal weight, however many items each has:

    effect       the mean of a level less that of the other levels, each the mean of its cells
    interaction  the effect of the first column at a level of the second, less the mean of it at the others
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import product

import numpy as np
import pandas as pd

from equipoise.data.reading import LINE, File, read_table
from equipoise.errors import UserError, unknown_name
from equipoise.instruments.base import Design
from equipoise.instruments.parts.estimates import Spec, estimate
from equipoise.results import Estimate, Quantity, Roles, Summary
from equipoise.results.estimate import CROSSED
from equipoise.results.records import three_decimals
from equipoise.results.result import rows_of
from equipoise.stats.clusters import Floats
from equipoise.stats.means import FEWEST_CLUSTERS, sum_of_means
from equipoise.text.gendered import FEMALE, MALE

GENDER, ORIGIN = "gender", "origin"
VALUES = {MALE: f"value_{MALE}", FEMALE: f"value_{FEMALE}"}
"""Of items in two versions (columns male and female) the value of either, which `gender` stands for."""

MEAN, EFFECT, INTERACTION = "group-mean", "group-effect", "group-interaction"
MOST_LEVELS = 50
TABLES_END = (".csv", ".tsv", ".tab")


def columns_of(by: str) -> tuple[str, ...]:
    """The one or two columns that `--by` names."""
    columns = tuple(part.strip() for part in by.split(",")) if by.strip() else ()
    if len(columns) > 2 or "" in columns or len(set(columns)) < len(columns):
        raise UserError(
            f"--by {by} does not name one or two columns.", "Write --by origin or --by gender,origin."
        )
    return columns


def with_groups(design: Design, by: Sequence[str]) -> Design:
    """The design with those columns in its items, from the files that were read where they lack them."""
    items = design.items
    for column in by:
        is_paired = column == GENDER and set(VALUES) <= set(items)
        if is_paired and column not in items:
            continue
        if column not in items:
            items = items.assign(**{column: _looked_up(column, items, design.files)})
        _refuse_levels(column, items[column].astype(str).replace("", None).nunique())
    return replace(design, items=items)


def _looked_up(column: str, items: pd.DataFrame, files: Sequence[File]) -> pd.Series:
    """A column of a file, put to the items by whatever names both have."""
    known = [name for name in items if items[name].dtype.kind not in "fib"]
    for file in files:
        if getattr(file, "suffix", TABLES_END[0]) not in TABLES_END:
            continue
        table = read_table(file)
        known += [name for name in table if name != LINE]
        if column not in table:
            continue
        shared = [name for name in table if name in items and name != LINE]
        for theirs, ours in (("id", "item"), *((name, name) for name in shared), (LINE, LINE)):
            if theirs in table and ours in items:
                levels = table.groupby(theirs)[column].agg(["first", "nunique"])
                if levels["nunique"].max() == 1 and items[ours].isin(levels.index).any():
                    return items[ours].map(levels["first"]).fillna("").astype(str)
        raise UserError(
            f"The column {column!r} of {file} cannot be put to the items: they share no names with its rows.",
            "Give the rows an id.",
        )
    raise unknown_name("column to group by", column, dict.fromkeys(known))


def with_group_estimates(
    summary: Summary, items: pd.DataFrame, by: Sequence[str], quantities: Sequence[Quantity], roles: Roles
) -> Summary:
    """The summary with the estimates by those columns, and what must be known of their cells."""
    if not by:
        return summary
    means = [
        one for one in quantities if one.part == "bias" and not (one.over or one.statistic or one.shares)
    ]
    means.sort(key=lambda one: one.kind == "size")
    if not means or means[0].column not in items:
        raise UserError(
            f"--by {','.join(by)} means nothing here: no number is a mean over items.", "Leave it out."
        )
    quantity, rows = means[0], rows_of(items, means[0])
    if GENDER in by and GENDER not in rows:
        if not set(VALUES.values()) <= set(rows):
            raise UserError("--by gender: no item has a value for either gender.", "Name another column.")
        sides = [rows.assign(**{GENDER: side, quantity.column: rows[name]}) for side, name in VALUES.items()]
        rows = pd.concat(sides, ignore_index=True)
    asked = rows[rows[quantity.column].notna()]
    kept = asked[(asked[list(by)].astype(str) != "").all(axis=1)]
    cells = _Cells(kept, quantity, by, [name for name in roles.factors if name in rows and name not in by])
    made = [*cells.means(), *cells.effects(), *cells.interactions()]
    remarks = [*summary.remarks, *cells.remarks()]
    if left := len(asked) - len(kept):
        remarks.append(f"{left:,} items have no {' or '.join(by)} and are in none of its groups")
    said = [_said(one) for one in made if one.key != MEAN and (one.low > 0 or one.high < 0)]
    none = f"By {' and '.join(by)}: no difference between the groups was found."
    return Summary([*summary.estimates, *made], tuple(remarks), (*summary.sentences, *(said or [none])))


def _refuse_levels(column: str, count: int) -> None:
    """Refuse a column that makes no groups, or one for nearly every item."""
    if not 2 <= count <= MOST_LEVELS:
        raise UserError(
            f"The column {column!r} has {count} levels where 2 to {MOST_LEVELS} are expected.",
            "Name a column that sorts the items into a few groups.",
        )


class _Cells:
    """Values by columns of levels, with the clusters that they come in."""

    def __init__(
        self, rows: pd.DataFrame, quantity: Quantity, by: Sequence[str], factors: Sequence[str]
    ) -> None:
        self.rows, self.quantity, self.by, self.factors = rows, quantity, by, factors
        coded = [pd.factorize(rows[name].astype(str)) for name in by]
        self.levels = [list(levels) for _, levels in coded]
        self.shape = tuple(map(len, self.levels))
        for name, size in zip(by, self.shape, strict=True):
            _refuse_levels(name, size)
        self.cells = np.ravel_multi_index([codes for codes, _ in coded], self.shape)

    def means(self) -> Iterator[Estimate]:
        """The mean of every cell."""
        for number, place in enumerate(np.ndindex(self.shape)):
            counts = np.eye(1, int(np.prod(self.shape)), number)
            yield self._estimate(MEAN, "mean of the group", counts, dict(enumerate(place)))

    def effects(self) -> Iterator[Estimate]:
        """What a level of one column adds, the cells of the other column weighing the same."""
        for axis in range(len(self.shape)):
            for place, row in self._contrasts(axis):
                rows = [np.full(size, 1 / size) for size in self.shape]
                rows[axis] = row
                label = "the level less the other levels"
                yield self._estimate(EFFECT, label, reduce(np.multiply.outer, rows), {axis: place})

    def interactions(self) -> Iterator[Estimate]:
        """Estimate how far the effect of the first column differs at each level of the second."""
        if len(self.shape) == 2:
            for (first, row), (second, across) in product(self._contrasts(0), self._contrasts(1)):
                label = "the effect here less that at the other levels"
                yield self._estimate(INTERACTION, label, np.outer(row, across), {0: first, 1: second})

    def remarks(self) -> Iterator[str]:
        """Cells without an item, those with too few clusters for an interval, and how many are compared."""
        empty, few = [], []
        for number, place in enumerate(np.ndindex(self.shape)):
            rows = self.rows[self.cells == number]
            name = CROSSED.join(levels[at] for levels, at in zip(self.levels, place, strict=True))
            if rows.empty:
                empty.append(name)
            elif min((rows[one].nunique() for one in self.factors), default=len(rows)) < FEWEST_CLUSTERS:
                few.append(name)
        of = f"of {int(np.prod(self.shape))} cells of {CROSSED.join(self.by)}"
        if empty:
            said = "empty, and what needs them has no value"
            yield f"{len(empty)} {of} are {said}: {', '.join(empty)}"
        if few:
            said = f"too small for an interval (fewer than {FEWEST_CLUSTERS} independent items)"
            yield f"{len(few)} {of} are {said}: {', '.join(few)}"
        yield "differences between groups are not corrected for their number: one in 20 excludes 0 by chance"

    def _contrasts(self, axis: int) -> list[tuple[int, Floats]]:
        """Each level less the mean of the others; of two levels the first says it all."""
        size = self.shape[axis]
        rows = (size * np.eye(size) - 1) / (size - 1)
        return list(enumerate(rows[: 1 if size == 2 else size]))

    def _estimate(self, key: str, label: str, counts: Floats, places: Mapping[int, int]) -> Estimate:
        groups = {self.by[axis]: str(self.levels[axis][place]) for axis, place in places.items()}
        neutral = self.quantity.neutral if key == MEAN else 0.0
        spec = Spec(key, label, self.quantity.unit, neutral, "none", groups=groups)
        values, factors = self.rows[self.quantity.column], [self.rows[name] for name in self.factors]
        mean = sum_of_means(values, self.cells, counts.ravel().tolist(), factors)
        return estimate(spec, mean.value, (mean.low, mean.high), n=mean.n)


def _said(one: Estimate) -> str:
    """A difference that is there, in words."""
    at = " and ".join(f"{name} {level}" for name, level in one.groups.items())
    size, span = three_decimals(abs(one.value)), f"{three_decimals(one.low)} to {three_decimals(one.high)}"
    if one.key == EFFECT:
        more = "higher" if one.value > 0 else "lower"
        return f"Scores of {at} are {size} {more} than those of the other levels ({span})."
    more = "more" if one.value > 0 else "less"
    return f"At {at} the effect is {size} {more} than at the other levels ({span})."
