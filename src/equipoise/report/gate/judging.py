"""Judging: each rule asked of each model; a rule without enough data to decide is an error, never a pass."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

from equipoise.errors import UserError, unknown_name
from equipoise.report.gate.expressions import Condition, EstimateName, Expression, Joined, Not, Numbers
from equipoise.report.gate.rules import Rule
from equipoise.results import Result
from equipoise.results.estimate import CROSSED

PASSED, FAILED, ERROR = "passed", "failed", "error"
NOT_JUDGED = "not judged"
"""Told only: what the baseline was not measured by, or what a comparison left out."""


@dataclass(frozen=True)
class Outcome:
    """What became of one rule for one model, and why."""

    rule: str
    model: str
    state: str
    reason: str
    hint: str = ""


def by_model(results: Sequence[Result]) -> list[list[Result]]:
    """The results of each model together; the same instrument twice for one model is refused."""
    models: dict[str, list[Result]] = {}
    for result in results:
        held = models.setdefault(result.fingerprint, [])
        if result.instrument in {other.instrument for other in held}:
            raise UserError(
                f"There are two results of {result.instrument} for {result.model!r}.",
                "Give each result once, so that a rule means one of them.",
            )
        held.append(result)
    return list(models.values())


def judge(rule: Rule, results: Sequence[Result]) -> list[Outcome]:
    """What a rule says of one model's results: one outcome, or one for each level where it has a `*`."""
    model = results[0].model
    try:
        expressions = _each_level(rule.expression, results)
    except UserError as error:
        return [Outcome(rule.name, model, ERROR, error.message, error.hint)]
    return [_outcome(replace(rule, name=rule.name + at), one, results) for at, one in expressions]


def _outcome(rule: Rule, expression: Expression, results: Sequence[Result]) -> Outcome:
    model = results[0].model
    try:
        numbers = {name: number_of(name, results) for name in expression.names()}
    except UserError as error:
        return Outcome(rule.name, model, ERROR, error.message, error.hint)
    state = FAILED if expression.is_true(numbers) else PASSED
    return Outcome(rule.name, model, state, _said(numbers), rule.because)


def number_of(name: EstimateName, results: Sequence[Result]) -> float:
    """The number that a name stands for; one that does not exist is an error."""
    result = _result(name.instrument, results)
    estimate = result.estimate(name.key, **dict(name.groups))
    if estimate["void"] and name.column != "n":
        raise UserError(
            f"{name} is not meaningful because {estimate['void']}.",
            "Write a rule on what makes it so, or on another estimate.",
        )
    number = float(estimate[name.column])
    if not isfinite(number):
        is_end = name.column in ("low", "high")
        reason = "there were too few items or clusters to tell" if is_end else "it could not be asked"
        raise UserError(
            f"{name} is not a number: {reason}.",
            "Measure with more items, or write a rule on another estimate.",
        )
    return number


def _result(instrument: str, results: Sequence[Result]) -> Result:
    chosen = [result for result in results if result.instrument == instrument]
    if not chosen:
        names = [result.instrument for result in results]
        raise unknown_name(f"instrument among the results of {results[0].model!r}", instrument, names)
    return chosen[0]


def _said(numbers: Numbers) -> str:
    return ", ".join(f"{name} = {number + 0.0:.6g}" for name, number in numbers.items())


def _each_level(expression: Expression, results: Sequence[Result]) -> list[tuple[str, Expression]]:
    """The expression once for each level of the group that has a `*`, with what to call it."""
    names = [name for name in expression.names() if name.open_groups]
    if not names:
        return [("", expression)]
    groups = {group for name in names for group in name.open_groups}
    if len(groups) > 1 or any(len(name.groups) > 1 for name in names):
        raise UserError(
            "A rule can have a * for one group, in estimates that are by that group alone.",
            "Write [category=*], and name both levels of an estimate that is by two groups.",
        )
    (group,) = groups
    levels = dict.fromkeys(level for name in names for level in _levels(name, group, results))
    return [(f" [{group}={level}]", _at(expression, group, level)) for level in levels]


def _levels(name: EstimateName, group: str, results: Sequence[Result]) -> list[str]:
    result = _result(name.instrument, results)
    table = result.estimates
    levels = table.loc[(table["key"] == name.key) & (table["by"] == group), "level"].tolist()
    if not levels:
        result.estimate(name.key, **{group: "*"})  # raises, and says what there is
    return levels


def _at(expression: Expression, group: str, level: str) -> Expression:
    if isinstance(expression, Not):
        return Not(_at(expression.inner, group, level))
    if isinstance(expression, Joined):
        return Joined(expression.word, tuple(_at(part, group, level) for part in expression.parts))
    left, right = (
        side.at(group, level) if isinstance(side, EstimateName) else side
        for side in (expression.left, expression.right)
    )
    return Condition(left, expression.sign, right)


def estimate_names(result: Result) -> Iterator[tuple[str, dict[str, Any]]]:
    """The name of every estimate in a rule, and its row."""
    for row in result.estimates.to_dict("records"):
        yield str(_name_of(result.instrument, row)).removesuffix(".value"), row


def _name_of(instrument: str, row: dict[str, Any]) -> EstimateName:
    groups = row["by"].split(CROSSED) if row["by"] else []
    # However a level with the mark in it is split: its parts are joined again when the row is looked up.
    levels = row["level"].split(CROSSED, max(len(groups) - 1, 0))
    return EstimateName(instrument, row["key"], tuple(zip(groups, levels, strict=False)))
