"""Apart: one model on several corpora, or on the groups of one, whose items are not the same.

Items are not paired: each side has its own documents, and the interval of the difference is Welch's. Groups
that lie in the same documents are not independent, and their interval is then only a rough one.
"""

from collections.abc import Sequence
from itertools import combinations

import pandas as pd

from equipoise.errors import UserError, unknown_name
from equipoise.results.comparison import Compared, Comparison, Margins, check_margins, margin_of, table_of
from equipoise.results.comparison.differences import difference_between
from equipoise.results.comparison.pairing import check_same_quantity
from equipoise.results.result import Result

FEWEST = 10
"""Items below which a group is too small to be compared."""

MOST_GROUPS = 12
"""Every pair is tested: more groups than this would find nothing among so many tests."""


def compare_corpora(results: Sequence[Result], margin: Margins = None) -> Comparison:
    """One model on two or more corpora: the second minus the first, for every pair of them."""
    by_instrument: dict[str, list[Result]] = {}
    for result in results:
        by_instrument.setdefault(result.instrument, []).append(result)
    check_margins(margin, by_instrument)
    several = {name: group for name, group in by_instrument.items() if len(group) > 1}
    if not several:
        raise UserError(
            "There is nothing to compare: no instrument was measured on two corpora.",
            "Give two or more result folders of one model.",
        )
    differences: list[Compared] = []
    for group in several.values():
        for first, second in combinations(group, 2):
            _check_one_model(first, second)
        names = _names(group)
        sides = [(name, result.items) for name, result in zip(names, group, strict=True)]
        differences += _differences(group[0], sides, margin)
    alone = tuple(name for name in by_instrument if name not in several)
    return Comparison(table_of(differences), alone, is_apart=True)


def compare_groups(results: Sequence[Result], column: str, margin: Margins = None) -> Comparison:
    """The groups of a column of the items, such as publishers, within each result."""
    check_margins(margin, {result.instrument: result for result in results})
    fitting = [result for result in results if column in result.items]
    if not fitting:
        columns = {str(name) for result in results for name in result.items if name in _groups(result)}
        raise unknown_name("group among the items", column, columns)
    several = len({result.fingerprint for result in fitting}) > 1
    differences: list[Compared] = []
    notes: list[str] = []
    for result in fitting:
        levels = result.items[column].fillna("").astype(str)
        counts = levels[(levels != "") & (result.items["dropped"] == "")].value_counts(sort=False)
        kept = [str(level) for level, count in counts.items() if count >= FEWEST]
        small = [f"{level} ({count})" for level, count in counts.items() if count < FEWEST]
        if small:
            notes.append(f"{result.instrument}: too few items to compare: {', '.join(small)}.")
        _check_number(result, column, len(kept))
        model = f" ({result.model})" if several else ""
        sides = [(f"{level}{model}", result.items[levels == level]) for level in kept]
        differences += _differences(result, sides, margin)
    return Comparison(table_of(differences), notes=tuple(notes), is_apart=True)


def _differences(
    result: Result, sides: Sequence[tuple[str, pd.DataFrame]], margin: Margins
) -> list[Compared]:
    return [
        Compared(result.instrument, first, second, 0, difference)
        for (first, before), (second, after) in combinations(sides, 2)
        for quantity in result.quantities
        if (
            difference := difference_between(
                before, after, quantity, margin_of(margin, result.instrument, quantity)
            )
        )
    ]


def _check_one_model(first: Result, second: Result) -> None:
    if first.fingerprint != second.fingerprint:
        raise UserError(
            f"{first.model!r} and {second.model!r} are different models: a difference could come from "
            "the models or from the corpora.",
            "Give results of one model, or leave --corpora out to compare models on one corpus.",
        )
    check_same_quantity(first, second)
    if sorted(first.data_hashes.values()) == sorted(second.data_hashes.values()):
        raise UserError(
            f"{first.instrument}: both results are of the same data.", "Give results on different corpora."
        )


def _names(group: Sequence[Result]) -> list[str]:
    """The corpora by their files; numbered where two are called the same."""
    shared = set.intersection(*(set(result.data_hashes.values()) for result in group))
    files = [
        ", ".join(name for name, digest in result.data_hashes.items() if digest not in shared)
        for result in group
    ]
    return [
        f"{name} ({place})" if files.count(name) > 1 else name for place, name in enumerate(files, start=1)
    ]


def _groups(result: Result) -> list[str]:
    """Columns of the items that put several of them together."""
    taken = {"item", "dropped", *result.roles.text, *result.roles.factors}
    items = result.items.drop(columns=[name for name in taken if name in result.items])
    words = items.select_dtypes(exclude="number")
    return [str(name) for name in words if 1 < words[name].nunique() <= MOST_GROUPS]


def _check_number(result: Result, column: str, count: int) -> None:
    if count < 2:
        raise UserError(
            f"{result.instrument}: {column!r} has {count} group(s) with {FEWEST} items or more.",
            "Two are needed: measure with a larger --sample, or join small groups with --groups-file.",
        )
    if count > MOST_GROUPS:
        raise UserError(
            f"{result.instrument}: {column!r} has {count} groups, and every pair would be a test.",
            f"Join them to at most {MOST_GROUPS} with --groups-file.",
        )
