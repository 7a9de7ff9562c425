"""Comparing models: the same items paired, and in words what the difference allows one to say."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from equipoise.errors import UserError
from equipoise.instruments.base import Comparable
from equipoise.results import Result
from equipoise.stats.corrections import holm
from equipoise.stats.equivalence import Verdict, verdict

COLUMNS = (
    "instrument",
    "quantity",
    "first",
    "second",
    "first_value",
    "second_value",
    "difference",
    "low",
    "high",
    "p_holm",
    "p_equivalence",
    "margin",
    "detectable",
    "n",
    "unpaired",
    "verdict",
)


@dataclass(frozen=True)
class Comparison:
    """Paired differences (second minus first) with a verdict in words for each pair of models."""

    table: pd.DataFrame

    def sentences(self) -> list[str]:
        """Each row as a sentence."""
        return [_sentence(row) for row in self.table.to_dict("records")]

    def __str__(self) -> str:
        return "\n".join(self.sentences())


def compare(*results: Result | Sequence[Result], margin: float | None = None) -> Comparison:
    """Compare two or more results of the same instruments, item by item.

    `margin` is the largest difference that would not matter; each instrument has one of its own.
    """
    flat = [one for given in results for one in ([given] if isinstance(given, Result) else given)]
    names = dict.fromkeys(one.instrument for one in flat)
    groups = [[one for one in flat if one.instrument == name] for name in names]
    paired = [group for group in groups if len(group) > 1]
    if not paired:
        raise UserError(
            f"There is nothing to compare: {len(flat)} result(s) of {', '.join(names) or 'nothing'}.",
            "Give at least two results of the same instrument, from different models.",
        )
    rows = [row for group in paired for row in _compare_group(group, margin)]
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    table["p_holm"] = holm(table["p_holm"].to_numpy(dtype=float))
    table["verdict"] = [_corrected(row) for row in table.to_dict("records")]
    return Comparison(table)


def _compare_group(group: Sequence[Result], margin: float | None) -> list[dict[str, object]]:
    _check_different(group)
    return [row for first, second in combinations(group, 2) for row in _compare_two(first, second, margin)]


def _check_different(group: Sequence[Result]) -> None:
    for first, second in combinations(group, 2):
        if first.fingerprint == second.fingerprint:
            raise UserError(
                f"{first.model!r} and {second.model!r} are the same model: their weights, configuration "
                "and tokenizer are identical.",
                "Nothing was changed between them; check which folder the changed model was saved to.",
            )
        ours, theirs = (one.provenance["instrument"]["variant"] for one in (first, second))
        if ours != theirs:
            raise UserError(
                f"{first.instrument}: the variants {ours!r} and {theirs!r} are different quantities.",
                "Measure both models with the same variant.",
            )


def _compare_two(first: Result, second: Result, margin: float | None) -> list[dict[str, object]]:
    """The signed score and its distance from neutral: a model can lean less, or just the other way."""
    how = Comparable(**first.provenance["comparable"])
    pairs, unpaired = _paired(first, second, how)
    factors = [pairs[how.clusters]] if how.clusters in pairs else []
    margin = how.margin if margin is None else margin
    ours, theirs = (pairs[f"value_{side}"] - how.neutral for side in ("first", "second"))
    rows = []
    for quantity, one, other in (
        ("score", ours, theirs),
        ("distance from neutral", ours.abs(), theirs.abs()),
    ):
        found = verdict((other - one).to_numpy(), margin, factors=factors)
        row = _row(found, margin)
        row |= {
            "instrument": first.instrument,
            "quantity": quantity,
            "first": first.model,
            "second": second.model,
            "first_value": float(np.nanmean(one)),
            "second_value": float(np.nanmean(other)),
            "unpaired": unpaired,
        }
        rows.append(row)
    return rows


def _row(found: Verdict, margin: float) -> dict[str, object]:
    return {
        "difference": found.difference,
        "low": found.interval.low,
        "high": found.interval.high,
        "p_holm": found.p_difference,
        "p_equivalence": found.p_equivalence,
        "margin": margin,
        "detectable": found.detectable,
        "n": found.n,
        "verdict": found.word,
    }


def _paired(first: Result, second: Result, how: Comparable) -> tuple[pd.DataFrame, int]:
    """The items that both results hold, side by side, and how many only one of them holds."""
    tables = []
    for side, result in (("first", first), ("second", second)):
        rows = result.items
        for column, value in how.where.items():
            rows = rows[rows[column].fillna("").astype(str) == value]
        columns = ["item", how.column] + ([how.clusters] if how.clusters in rows else [])
        tables.append(rows[columns].rename(columns={how.column: f"value_{side}"}))
    ours, theirs = tables
    pairs = ours.merge(theirs[["item", "value_second"]], on="item", validate="one_to_one")
    if pairs.empty:
        raise UserError(
            f"{first.instrument}: {first.model!r} and {second.model!r} have no item in common.",
            "Measure both models on the same data.",
        )
    return pairs, len(ours) + len(theirs) - 2 * len(pairs)


def _corrected(row: dict[str, object]) -> str:
    """A difference that does not survive the correction for several comparisons is not claimed."""
    word, p = str(row["verdict"]), float(str(row["p_holm"]))
    return "not enough items" if word in ("lower", "higher") and p >= 0.05 else word


def _sentence(row: dict[str, object]) -> str:
    values = {key: value for key, value in row.items() if isinstance(value, float)}
    subject = f"{row['instrument']}, {row['quantity']}: {row['second']} ({values['second_value']:.3f})"
    interval = f"{values['low']:+.3f} to {values['high']:+.3f}"
    numbers = f"difference {values['difference']:+.3f}, 95 % interval {interval}"
    meaning = {
        "lower": f"is lower than {row['first']} ({values['first_value']:.3f})",
        "higher": f"is higher than {row['first']} ({values['first_value']:.3f})",
        "equivalent": f"is equivalent to {row['first']} ({values['first_value']:.3f}) "
        f"within the margin of {values['margin']:g}",
        "not enough items": f"cannot be told from {row['first']} ({values['first_value']:.3f}): there are "
        f"not enough items, {row['n']} could have shown a difference of {values['detectable']:.3f}",
    }[str(row["verdict"])]
    return f"{subject} {meaning}; {numbers}, n = {row['n']}."
