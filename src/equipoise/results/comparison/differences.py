"""Differences: one quantity of two results, item by item, with an interval and a verdict in words.

Scores of a confusion matrix and GBM are tested by resampling clusters: both models are drawn with the same
clusters where their items are paired, so that what an occupation does to both cancels out. A score of a
matrix is worked out of every draw after it was weighted back to the balance of labels that the data have.
A verdict uses one vocabulary, and always also says what must not fall.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np
import pandas as pd

from equipoise.results.comparison.pairing import FIRST, SECOND, Paired
from equipoise.results.estimate import NOT_MEANINGFUL
from equipoise.results.quantity import Kind, Quantity
from equipoise.results.records import fixed, three_decimals
from equipoise.results.result import rows_of
from equipoise.stats.clusters import Floats
from equipoise.stats.equivalence import Verdict, verdict_on, verdict_on_draws
from equipoise.stats.f1 import cell_counts, four_f1, rebalanced
from equipoise.stats.means import (
    Factors,
    Mean,
    difference_apart,
    difference_of_means,
    mean_with_interval,
    probability_with_interval,
    share_with_interval,
    size_with_interval,
)
from equipoise.stats.ratios import gender_bias_metric, sided_cells
from equipoise.stats.resampling import Resampled, resampled_sums

GBM = "gbm"
"""The one statistic that is not a score of a confusion matrix: it reads shares, by the class of the item."""

MATRIX = 4
"""Cells of a confusion matrix."""

Sides = tuple[Mean, Mean, Verdict]


def matrix_value(rows: pd.DataFrame, quantity: Quantity) -> Mean:
    """The statistic of one model, with its bootstrap interval."""
    drawn, cells = _drawn(rows, [quantity.column], quantity)
    return _matrix_level(drawn, cells, 0, quantity)


def paired_matrices(
    rows: pd.DataFrame, columns: Sequence[str], quantity: Quantity, *, margin: float
) -> Sides | None:
    """The statistic of two models on the same items, and its difference; None where no item has both."""
    drawn, cells = _drawn(rows, columns, quantity)
    if not len(cells):
        return None
    first, second = (_matrix_level(drawn, cells, place, quantity) for place in (0, 1))
    draws = _values(drawn, cells, 1, quantity) - _values(drawn, cells, 0, quantity)
    difference = second.value - first.value
    return first, second, verdict_on_draws(difference, drawn, draws, margin=margin, n=len(cells))


def matrices_apart(
    first: pd.DataFrame, second: pd.DataFrame, quantity: Quantity, *, margin: float
) -> Sides | None:
    """The same of items that have nothing in common: each side is drawn by itself."""
    sides = [_drawn(rows, [quantity.column], quantity, seed) for seed, rows in enumerate((first, second))]
    if not all(len(cells) for _, cells in sides):
        return None
    levels = [_matrix_level(drawn, cells, 0, quantity) for drawn, cells in sides]
    ours, theirs = (_values(drawn, cells, 0, quantity) for drawn, cells in sides)
    fewest = min((drawn for drawn, _ in sides), key=lambda drawn: (drawn.can_tell, drawn.n_clusters))
    n = sum(len(cells) for _, cells in sides)
    difference = levels[1].value - levels[0].value
    return levels[0], levels[1], verdict_on_draws(difference, fewest, theirs - ours, margin=margin, n=n)


def _drawn(
    rows: pd.DataFrame, columns: Sequence[str], quantity: Quantity, seed: int = 0
) -> tuple[Resampled, Floats]:
    """Resampled cells, as many for each column, and those of the items that every model answered."""
    assert quantity.contrast is not None
    classes = (quantity.contrast.first, quantity.contrast.second)
    answers = rows[list(columns)]
    known = answers.notna() if quantity.statistic == GBM else answers.isin(classes)
    kept = rows[known.all(axis=1)]
    cells = np.column_stack([_cells(kept, column, quantity) for column in columns])
    clusters = kept[_there(kept, quantity.factors[0])] if quantity.factors else None
    sides = kept[_there(kept, quantity.contrast.column)]
    return resampled_sums(cells, clusters, sides=sides, seed=seed), cells


def _cells(rows: pd.DataFrame, column: str, quantity: Quantity) -> Floats:
    """What one model's statistic is made of, item by item: shares, or a 1 in a cell of the matrix."""
    assert quantity.contrast is not None
    is_first = rows[_there(rows, quantity.contrast.column)] == quantity.contrast.first
    if quantity.statistic == GBM:
        side = column.removeprefix(quantity.column)
        return sided_cells(
            rows[[f"{name}{side}" for name in quantity.shares]].to_numpy(dtype=float), is_first
        )
    return cell_counts(is_first, rows[column] == quantity.contrast.first)


def _part(place: int, quantity: Quantity) -> slice:
    """The columns of one model's cells: shares and a count for either class, or the four of a matrix."""
    width = 2 * (len(quantity.shares) + 1) if quantity.statistic == GBM else MATRIX
    return slice(width * place, width * (place + 1))


def _statistic(sums: Floats, quantity: Quantity) -> Floats:
    if quantity.statistic == GBM:
        return gender_bias_metric(sums)
    values: Floats = getattr(four_f1(sums), quantity.statistic)
    return values


def _values(drawn: Resampled, cells: Floats, place: int, quantity: Quantity) -> Floats:
    part = _part(place, quantity)
    if quantity.statistic == GBM:
        return _statistic(drawn.sums[:, part], quantity)
    return _statistic(rebalanced(drawn.sums[:, part], cells[:, part].sum(axis=0)), quantity)


def _matrix_level(drawn: Resampled, cells: Floats, place: int, quantity: Quantity) -> Mean:
    value = float(_statistic(cells[:, _part(place, quantity)].sum(axis=0), quantity))
    low, high = drawn.interval(_values(drawn, cells, place, quantity))
    # Draws of an absolute value lie above one that is near 0: the interval holds the value all the same.
    return Mean(value, min(low, value), max(high, value), nan, nan, len(cells), drawn.n_clusters)


_WITH_INTERVAL: dict[Kind, Callable[[Floats, Factors], Mean]] = {
    "mean": mean_with_interval,
    "share": share_with_interval,
    "probability": probability_with_interval,
    "size": size_with_interval,
}


@dataclass(frozen=True)
class Difference:
    """A quantity of two models and its paired difference (second minus first), with a verdict in words."""

    quantity: Quantity
    first: Mean
    second: Mean
    verdict: Verdict
    margin: float


def value_of(items: pd.DataFrame, quantity: Quantity) -> Mean:
    """The quantity of one result, with the same clusters as its estimates."""
    rows = rows_of(items, quantity)
    if quantity.statistic:
        return matrix_value(rows, quantity)
    table = _prepared(rows, quantity, {"value": quantity.column})
    return _level(table["value"].to_numpy(dtype=float), table, quantity)


def difference_of(paired: Paired, quantity: Quantity, margin: float | None = None) -> Difference | None:
    """The quantity in both results and its difference; None where they have no item for it."""
    rows = rows_of(paired.items, quantity, (FIRST, SECOND))
    columns = {"first": f"{quantity.column}{FIRST}", "second": f"{quantity.column}{SECOND}"}
    if rows.empty or any(column not in rows for column in columns.values()):
        return None
    limit = quantity.margin if margin is None else margin
    if quantity.statistic:
        return _of_matrices(
            paired_matrices(rows, list(columns.values()), quantity, margin=limit), quantity, limit
        )
    known = rows[list(columns.values())].notna().all(axis=1)
    if not known.any():
        return None
    table = _prepared(rows[known], quantity, columns)
    first, second = (table[side].to_numpy(dtype=float) for side in ("first", "second"))
    difference = _mean(second - first, table, quantity)
    return Difference(
        quantity,
        _level(first, table, quantity),
        _level(second, table, quantity),
        verdict_on(difference, limit),
        limit,
    )


def difference_between(
    first: pd.DataFrame, second: pd.DataFrame, quantity: Quantity, margin: float | None = None
) -> Difference | None:
    """The quantity on items that are not the same, such as two corpora; None where a side has none."""
    sides = [rows_of(items, quantity) for items in (first, second)]
    if any(quantity.column not in rows or not rows[quantity.column].notna().any() for rows in sides):
        return None
    limit = quantity.margin if margin is None else margin
    if quantity.statistic:
        return _of_matrices(matrices_apart(sides[0], sides[1], quantity, margin=limit), quantity, limit)
    tables = [_prepared(rows, quantity, {"value": quantity.column}) for rows in sides]
    values = [table["value"].to_numpy(dtype=float) for table in tables]
    means = [_mean(*both, quantity) for both in zip(values, tables, strict=True)]
    levels = [_level(*both, quantity) for both in zip(values, tables, strict=True)]
    if any(np.isnan(mean.value) for mean in means):
        return None
    return Difference(quantity, levels[0], levels[1], verdict_on(difference_apart(*means), limit), limit)


def _of_matrices(sides: Sides | None, quantity: Quantity, margin: float) -> Difference | None:
    return None if sides is None else Difference(quantity, *sides, margin)


def _prepared(rows: pd.DataFrame, quantity: Quantity, columns: dict[str, str]) -> pd.DataFrame:
    """The values with the columns that cluster and contrast them: averaged first, then made absolute."""
    wanted = [*quantity.factors, *([quantity.contrast.column] if quantity.contrast else [])]
    labels = {name: rows[_there(rows, name)] for name in dict.fromkeys((*wanted, quantity.over)) if name}
    table = pd.DataFrame({**{side: rows[column] for side, column in columns.items()}, **labels})
    if quantity.over:
        table = table[table[quantity.over] != ""]
        table = table.groupby(quantity.over, as_index=False, sort=False)[list(columns)].mean()
    if quantity.kind == "size":
        table[list(columns)] = (table[list(columns)] - quantity.neutral).abs()
    return table


def _there(rows: pd.DataFrame, name: str) -> str:
    return name if name in rows else f"{name}{FIRST}"


def _level(values: Floats, table: pd.DataFrame, quantity: Quantity) -> Mean:
    """The quantity of one model, with the interval of its kind."""
    if quantity.contrast is not None:
        return _mean(values, table, quantity)
    return _WITH_INTERVAL[quantity.kind](values, [table[factor] for factor in quantity.factors])


def _mean(values: Floats, table: pd.DataFrame, quantity: Quantity) -> Mean:
    factors = [table[factor] for factor in quantity.factors]
    if quantity.contrast is None:
        return mean_with_interval(values, factors)
    side = table[quantity.contrast.column].astype(str)
    chosen = side.isin((quantity.contrast.first, quantity.contrast.second)).to_numpy()
    is_first = side.eq(quantity.contrast.first).to_numpy()
    return difference_of_means(
        np.where(chosen, values, np.nan), is_first, [factor.to_numpy() for factor in factors]
    )


LOWER, HIGHER, EQUIVALENT = "lower", "higher", "equivalent"
TOO_FEW, OTHER_WAY = "not enough items", "leans the other way"
BETTER, WORSE, SAME, UNKNOWN, OTHER_SIDE = "better", "worse", "same", "unknown", "other side"
ABSENT = "absent"
"""What a verdict means for a reader: whether the second model is nearer to what is good; of a guard or an
ability also that neither model has it."""

ALPHA = 0.05


def corrected_word(difference: Difference, p_corrected: float) -> str:
    """Return a verdict in a word. A difference that does not survive the correction is not claimed."""
    word = difference.verdict.word
    if word not in (LOWER, HIGHER):
        return word
    if not p_corrected < ALPHA:
        return TOO_FEW
    return OTHER_WAY if _crosses(difference) else word


def change_of(difference: Difference, word: str) -> str:
    """Whether the change is for better or worse, by which way is good."""
    quantity, first, second = difference.quantity, difference.first.value, difference.second.value
    if quantity.part != "bias" and word in (EQUIVALENT, TOO_FEW) and _neither_has_it(difference):
        return ABSENT
    if word in (EQUIVALENT, TOO_FEW, NOT_MEANINGFUL):
        return SAME if word == EQUIVALENT else UNKNOWN
    if word == OTHER_WAY:
        return OTHER_SIDE
    if quantity.better in ("lower", "higher"):
        return BETTER if word == quantity.better else WORSE
    nearer = abs(second - quantity.neutral) < abs(first - quantity.neutral)
    return BETTER if nearer else WORSE


def _neither_has_it(difference: Difference) -> bool:
    """Whether both models may be at what no knowledge gives."""
    neutral = difference.quantity.neutral
    return all(side.low <= neutral <= side.high for side in (difference.first, difference.second))


def sentence(row: dict[str, object], kept: Sequence[dict[str, object]], *, is_apart: bool = False) -> str:
    """One row in words, and whether the model still knows what it should; texts do not change."""
    first, second = f"{row['first']} ({_number(row['first_value'])})", _number(row["second_value"])
    interval = f"{_signed(row['low'])} to {_signed(row['high'])}"
    if isnan(_float(row["low"])):
        interval = "unknown: too few clusters to tell"
    numbers = f"difference {_signed(row['difference'])}, 95 % interval {interval}, n = {row['n']}"
    subject = f"{row['instrument']}, {row['label']}: {row['second']} ({second})"
    meaning = _meaning(row, first).removeprefix("now ") if is_apart else _meaning(row, first)
    beside = "" if row["void"] else _beside(kept)
    return f"{subject} {meaning}{beside}; {numbers}."


def _meaning(row: dict[str, object], first: str) -> str:
    word = str(row["verdict"])
    if word == NOT_MEANINGFUL:
        return f"cannot be compared with {first}, because that is not meaningful: {row['void']}"
    if word == TOO_FEW and _is_withdrawn(row):
        p = three_decimals(_float(row["p_holm"]))
        return f"may or may not differ from {first}: with all tests of this comparison counted p = {p}"
    if word == TOO_FEW:
        able = _float(row["detectable"])
        could = "" if isnan(able) else f", {row['n']} could have shown a difference of {three_decimals(able)}"
        return f"may or may not differ from {first}: there are not enough items{could}"
    return {
        LOWER: f"is lower than {first}{_nearness(row)}",
        HIGHER: f"is higher than {first}{_nearness(row)}",
        EQUIVALENT: f"is equivalent to {first} within the margin of {_float(row['margin']):g}",
        OTHER_WAY: f"now leans the other way than {first}",
    }[word]


def _is_withdrawn(row: dict[str, object]) -> bool:
    """Whether the difference would be claimed if it were the only one."""
    return _float(row["low"]) > 0 or _float(row["high"]) < 0


def _nearness(row: dict[str, object]) -> str:
    """Whether a signed number moved to neutral or away from it, which lower and higher do not say."""
    if row["better"] != "neutral":
        return ""
    return ", nearer to neutral" if row["change"] == BETTER else ", farther from neutral"


def _beside(kept: Sequence[dict[str, object]]) -> str:
    """What became of guard and ability; their loss is said first."""
    lost = [row for row in kept if row["change"] == WORSE]
    if lost:
        return f", and the model lost what it should know: {', '.join(map(_moved, lost))}"
    if not kept:
        return ""
    return f" ({', '.join(f'{_moved(row)}, {_kept_word(row)}' for row in kept)})"


def _kept_word(row: dict[str, object]) -> str:
    words = {
        SAME: "kept",
        BETTER: "better",
        UNKNOWN: "not enough items to tell",
        ABSENT: "which neither of them has",
    }
    return words.get(str(row["change"]), "kept")


def _moved(row: dict[str, object]) -> str:
    return f"{row['label']} {fixed(_float(row['first_value']), 2)} to {fixed(_float(row['second_value']), 2)}"


def _crosses(difference: Difference) -> bool:
    """Whether the second mean certainly lies on the other side of neutral than the first."""
    quantity = difference.quantity
    if quantity.kind == "size" or quantity.better != "neutral":
        return False
    first, second = difference.first, difference.second
    was, neutral = first.value - quantity.neutral, quantity.neutral
    is_sure = second.high < neutral if was > 0 else second.low > neutral
    return bool(was != 0 and is_sure)


def _float(value: object) -> float:
    return float(str(value))


def _number(value: object) -> str:
    return three_decimals(_float(value))


def _signed(value: object) -> str:
    return three_decimals(_float(value), sign=True)
