"""Hypotheses about persons and professions: tests of their gaps, and answers in words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import exp, isnan
from typing import NamedTuple

import numpy as np
import pandas as pd

from equipoise.instruments.parts.estimates import Spec, count_estimate, estimate
from equipoise.results import Estimate
from equipoise.results.estimate import by_of, level_of
from equipoise.results.reading import likelier, sentence_start, two_digits
from equipoise.stats.resampling import rank_biserial_bootstrap
from equipoise.stats.significance import WilcoxonTest, rank_biserial, wilcoxon

MARGIN = 0.1
"""What counts as none, as a logarithm; random weights of BERT's size reach 0.06."""

LEAST = two_digits(exp(MARGIN))
"""The same as a ratio, for sentences."""

Judge = Callable[[float, float], bool | None]


class Pairings(NamedTuple):
    """Which cells of persons and professions a stereotype speaks of, as the groups of their estimates."""

    typical: list[Mapping[str, str]]
    atypical: list[Mapping[str, str]]
    balanced: list[Mapping[str, str]]
    balanced_groups: list[Mapping[str, str]]


def pairings_of(items: pd.DataFrame) -> Pairings:
    """The cells by whether a group of professions is named after the persons, after others or after none."""
    groups, genders = list(items["group"].unique()), list(items["gender"].unique())[:2]
    named = [group for group in groups if group in genders]
    other = [group for group in groups if group not in genders]
    return Pairings(
        [{"group": group, "gender": group} for group in named],
        [{"group": group, "gender": gender} for group in named for gender in genders if gender != group],
        [{"group": group, "gender": gender} for group in other for gender in genders],
        [{"group": group} for group in other],
    )


def answers_now(pairings: Pairings, estimates: pd.DataFrame) -> list[str]:
    """H1 to H3 of Bartl et al. 2020 for one model."""
    if not pairings.typical:
        return ["H1 to H3 are not answered: no group of these data is named after a group of persons."]
    cells = Cells(estimates)
    typical, atypical = (cells.of("association", which) for which in (pairings.typical, pairings.atypical))
    balanced = cells.of("gap", pairings.balanced_groups)
    return [
        _answer("H1", "persons are likelier beside professions of their gender", typical, _is_above),
        _answer("H2", "persons are less likely beside professions of the other gender", atypical, _is_below),
        _answer("H3", f"balanced professions differ by less than {LEAST} times", balanced, _is_none),
    ]


def answers_to_change(pairings: Pairings, changes: pd.DataFrame) -> list[str]:
    """Whether the associations changed as the paper expects of a mitigation."""
    if not pairings.typical:
        return []
    cells = Cells(changes)
    kinds = (pairings.typical, pairings.atypical, pairings.balanced)
    typical, atypical, balanced = (cells.of("association", which) for which in kinds)
    return [
        _answer("H1", "persons become less likely beside professions of their gender", typical, _is_below),
        _answer("H2", "persons become likelier beside professions of the other gender", atypical, _is_above),
        _answer("H3", f"balanced professions move by less than {LEAST} times", balanced, _is_none),
    ]


class Cell(NamedTuple):
    """One estimate as it stands in a sentence."""

    name: str
    value: float
    low: float
    high: float


class Cells:
    """A table of estimates, looked up by key and groups."""

    def __init__(self, estimates: pd.DataFrame) -> None:
        self.rows = {(row.key, row.by, row.level): row for row in estimates.itertuples()}

    def of(self, key: str, wanted: Sequence[Mapping[str, str]]) -> list[Cell]:
        """The estimates of these groups that the table has."""
        cells = []
        for groups in wanted:
            row = self.rows.get((key, by_of(groups), level_of(groups)))
            if row is not None:
                cells.append(Cell(_named(groups), row.value, row.low, row.high))
        return cells


def _named(groups: Mapping[str, str]) -> str:
    persons = f", {groups['gender']} persons" if "gender" in groups else ""
    return f"{groups['group']} professions{persons}"


def _is_above(low: float, high: float) -> bool | None:
    """Whether an interval lies above zero (True), below or as good as at zero (False), or is open (None)."""
    if high < 0 or _is_none(low, high):
        return False
    return True if low > 0 else None


def _is_below(low: float, high: float) -> bool | None:
    return _is_above(-high, -low)


def _is_none(low: float, high: float) -> bool | None:
    """Whether an interval lies within the margin (True), apart from zero (False), or is open (None)."""
    if low > -MARGIN and high < MARGIN:
        return True
    return False if low > 0 or high < 0 else None


def _answer(name: str, claim: str, cells: Sequence[Cell], judge: Judge) -> str:
    """One hypothesis: what is claimed, what is to be said of it, and the numbers."""
    judged = [judge(cell.low, cell.high) for cell in cells]
    if not cells:
        verdict = "not asked, the data have no such professions"
    elif all(judged):
        verdict = "holds"
    else:
        verdict = "does not hold" if False in judged else "cannot tell"
    numbers = "; ".join(f"{cell.name}: {likelier(cell.value)} ({_interval(cell)})" for cell in cells)
    return f"The paper's {name}, {claim}: {verdict}. {sentence_start(numbers)}".strip()


def _interval(cell: Cell) -> str:
    return "too few to tell" if isnan(cell.low) else f"{likelier(cell.low)} to {likelier(cell.high)}"


def wilcoxon_estimates(
    spec: Spec, rows: pd.DataFrame, genders: tuple[str, str], *, seed: int
) -> list[Estimate]:
    """Wilcoxon's test of the gaps (first - second); the paper prints W of second - first (female - male)."""
    gap, reverse = (f"{one} - {other}" for one, other in (genders, genders[::-1]))
    gaps = rows["gap"].to_numpy(dtype=float)
    test = wilcoxon(gaps, np.zeros_like(gaps))
    unanswered = int(np.isnan(gaps).sum())

    def named(key: str, label: str) -> Spec:
        return replace(spec, key=f"{spec.key}-{key}", label=f"Wilcoxon {label} {spec.label}")

    numbers = (
        (named("w", f"W, {gap}"), test.w_plus),
        (named("w-second-minus-first", f"W, {reverse}"), test.n * (test.n + 1) / 2 - test.w_plus),
        (named("z", f"Z, {gap}"), test.z),
        (named("r-undirected", "r, -|Z| / sqrt(2 n)"), test.r_published),
        (named("p", "p"), test.p),
    )
    estimates = [count_estimate(one, value, n=test.n, dropped=unanswered) for one, value in numbers]
    interval = _interval_of_r(test, rows[~np.isnan(gaps)], seed)
    return [*estimates, estimate(named("r", f"r, {gap}"), test.r, interval, n=test.n, dropped=unanswered)]


def _interval_of_r(test: WilcoxonTest, rows: pd.DataFrame, seed: int) -> tuple[float, float]:
    """By resampling professions; r is the rank-biserial correlation times a number that hangs on n alone."""
    gaps = rows["gap"].to_numpy(dtype=float)
    effect = rank_biserial(gaps, np.zeros_like(gaps))
    if not test.n or not effect:
        return float("nan"), float("nan")
    low, high = rank_biserial_bootstrap(gaps, rows["profession"], seed=seed)
    return low * test.r / effect, high * test.r / effect
