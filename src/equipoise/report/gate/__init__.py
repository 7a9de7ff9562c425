"""The gate: may a model ship? Rules on its estimates, and nothing worse than a baseline."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from equipoise.errors import UserError
from equipoise.report.gate.against import judge_against
from equipoise.report.gate.judging import ERROR, FAILED, NOT_JUDGED, PASSED, Outcome, by_model, judge
from equipoise.report.gate.rules import Rule, read_rules, rule_of
from equipoise.results import Result
from equipoise.results.comparison import Margins
from equipoise.results.result import as_results

__all__ = [
    "ERROR",
    "FAILED",
    "NOT_JUDGED",
    "PASSED",
    "Judgement",
    "Outcome",
    "Rule",
    "check",
    "read_rules",
    "rule_of",
]


@dataclass(frozen=True)
class Judgement:
    """The outcome of every rule for every model."""

    outcomes: tuple[Outcome, ...]

    def of(self, state: str) -> list[Outcome]:
        """The outcomes that passed, failed, could not be told, or were not judged."""
        return [outcome for outcome in self.outcomes if outcome.state == state]

    @property
    def passed(self) -> bool:
        """Whether every rule could be judged and none failed."""
        return all(outcome.state in (PASSED, NOT_JUDGED) for outcome in self.outcomes)

    def __str__(self) -> str:
        return "\n".join(f"{one.state}: {one.rule} ({one.model}): {one.reason}" for one in self.outcomes)


def check(
    results: Result | Sequence[Result],
    rules: str | Iterable[Rule | str] = (),
    *,
    against: Result | Sequence[Result] = (),
    margin: Margins = None,
) -> Judgement:
    """Judge results by rules (`tbe.appd.low > 0.1` fails a model), and against a baseline's results."""
    several = [rules] if isinstance(rules, str) else rules
    read = [rule_of(rule) if isinstance(rule, str) else rule for rule in several]
    baseline = as_results(against, "check")
    if not read and not baseline:
        raise UserError(
            "There is nothing to check by: neither a rule nor a baseline was given.",
            'Give --fail-if "tbe.appd.low > 0.1", --rules FILE.toml or --against BASELINE_RESULTS.',
        )
    outcomes: list[Outcome] = []
    for held in by_model(as_results(results, "check")):
        outcomes += [outcome for rule in read for outcome in judge(rule, held)]
        if baseline:
            outcomes += judge_against(baseline, held, margin)
    return Judgement(tuple(outcomes))
