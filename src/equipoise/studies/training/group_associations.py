"""Association tests on the vectors of several groups: effect sizes, their noise, and what sets groups apart.

All groups are measured on the same words, those that every group has: else a difference could be one of
vocabularies. Intervals are over the target words, the same draws of words in every group and seed, widened by
the noise of the seeds.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from equipoise.data.sets.association_tests import ROLES, TARGETS
from equipoise.results import Result
from equipoise.stats.association import effect_size, effect_size_draws, interval_of_draws
from equipoise.stats.clusters import Floats, Interval, cluster_codes
from equipoise.stats.repeats import Repeats, over_repeats, with_repeats

OTHERS = "mean of the others"
FEWEST_WORDS = 2
COLUMNS = [
    *("test", "group", "words", "value", "low", "high", "seed_sd", "seeds", "n"),
    *("against", "difference", "difference_low", "difference_high", "note"),
]
EMPTY = dict.fromkeys(COLUMNS, float("nan")) | {"seeds": 0, "n": 0, "against": "", "note": ""}
"""A row of which nothing is known."""


class SharedTests(NamedTuple):
    """The tests on words that all groups have, every word with the groups that lack it, and lost tests."""

    tests: pd.DataFrame
    words: pd.DataFrame
    lost: tuple[str, ...]


def shared_tests(every: pd.DataFrame, unknown: Mapping[str, set[str]]) -> SharedTests:
    """The rows of tests whose word is unknown in no group; a test that lacks words in a set is lost."""
    lacking = [[group for group, words in unknown.items() if word in words] for word in every["word"]]
    words = every.assign(kept=[not groups for groups in lacking], lacking=[", ".join(one) for one in lacking])
    sizes = words[words["kept"]].groupby(["test", "role"])["word"].nunique()
    tests = list(dict.fromkeys(every["test"]))
    lost = [test for test in tests if min(int(sizes.get((test, role), 0)) for role in ROLES) < FEWEST_WORDS]
    kept = words[words["kept"] & ~words["test"].isin(lost)]
    return SharedTests(kept[every.columns].reset_index(drop=True), words, tuple(lost))


def association_table(results: Mapping[str, Sequence[Result]], *, in_time: bool, ddof: int) -> pd.DataFrame:
    """A row for each test and group: effect size, interval, and the difference from what is before it.

    `results` are those of every seed by group; groups in time are held against the first, others against the
    mean of the rest.
    """
    first = next(iter(results.values()))[0]
    rows = [
        row
        for test in dict.fromkeys(first.items["test"])
        for row in _rows_of_test(
            test, {group: _scores(runs, test) for group, runs in results.items()}, in_time, ddof
        )
    ]
    return pd.DataFrame(rows)


class _Scores(NamedTuple):
    """The association of every target word in each run of a group, and which side the word is on."""

    of_runs: Floats
    is_first: np.ndarray
    words: np.ndarray


def _scores(runs: Sequence[Result], test: str) -> _Scores:
    tables = [run.items[run.items["test"] == test] for run in runs]
    of_runs = np.array([table["score"].to_numpy(dtype=float) for table in tables])
    codes = cluster_codes(tables[0]["cluster"], len(tables[0]))
    return _Scores(of_runs, (tables[0]["side"] == TARGETS[0]).to_numpy(), codes)


def _rows_of_test(
    test: str, scores: Mapping[str, _Scores], in_time: bool, ddof: int
) -> list[dict[str, object]]:
    """The rows of all groups; their draws are of the same words."""
    sizes = {group: _sizes(one, ddof) for group, one in scores.items()}
    draws = {group: _draws(one, ddof) for group, one in scores.items()}
    any_scores = next(iter(scores.values()))
    sides = [len(np.unique(any_scores.words[side])) for side in (any_scores.is_first, ~any_scores.is_first)]
    fewest, groups = min(sides), list(scores)
    rows = []
    for group in groups:
        others = groups[:1] if in_time else [other for other in groups if other != group]
        value, interval = _estimate(sizes[group], draws[group], fewest)
        row: dict[str, object] = {**EMPTY, "test": test, "group": group, "value": value.mean}
        row |= {"low": interval.low, "high": interval.high, "seed_sd": value.sd, "seeds": value.n}
        row |= {"n": len(any_scores.words)}
        if others and others != [group]:
            apart, within = _estimate(
                sizes[group] - np.mean([sizes[other] for other in others], axis=0),
                draws[group] - np.mean([draws[other] for other in others], axis=0),
                fewest,
            )
            row |= {"against": others[0] if in_time else OTHERS, "difference": apart.mean}
            row |= {"difference_low": within.low, "difference_high": within.high}
        rows.append(row)
    return rows


def _estimate(sizes: Floats, draws: Floats, fewest: int) -> tuple[Repeats, Interval]:
    """Mean and noise over the seeds, and the interval over words and seeds."""
    repeats = over_repeats(list(sizes))
    return repeats, with_repeats(interval_of_draws(draws, fewest), repeats)


def _sizes(scores: _Scores, ddof: int) -> Floats:
    """The effect size of every run."""
    return np.array([effect_size(run, scores.is_first, ddof=ddof) for run in scores.of_runs])


def _draws(scores: _Scores, ddof: int) -> Floats:
    """The mean effect size of the runs in every draw of words."""
    of_runs = [effect_size_draws(run, scores.is_first, scores.words, ddof=ddof) for run in scores.of_runs]
    drawn: Floats = np.mean(of_runs, axis=0)
    return drawn
