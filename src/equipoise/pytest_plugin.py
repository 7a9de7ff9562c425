"""A pytest fixture that fails a test with the reasons when results break a rule.

def test_the_model_may_ship(equipoise_check):
    equipoise_check("results/model", "tbe.appd.low > 0.1")
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from equipoise.report.gate import Judgement
    from equipoise.results import Result

    Results = str | Path | Result | Sequence[Result]
    Check = Callable[..., Judgement]


@pytest.fixture(scope="session")
def equipoise_check() -> "Check":
    """A function `check(results, rules, against=..., margin=...)` that takes folders or results.

    `rules` is a rule, several of them, or the path of a TOML file.
    """
    # Imported here because pytest loads every installed plugin, also for projects that never use this one.
    from equipoise.report.gate import check, read_rules
    from equipoise.results import load_results

    def held(given: "Results") -> "Result | Sequence[Result]":
        return load_results(given) if isinstance(given, str | Path) else given

    def judged(
        results: "Results",
        rules: str | Path | Iterable[str] = (),
        *,
        against: "Results" = (),
        margin: "dict[str, float] | float | None" = None,
    ) -> "Judgement":
        if isinstance(rules, str) and rules.endswith(".toml"):
            rules = Path(rules)
        read = read_rules(rules) if isinstance(rules, Path) else rules
        judgement = check(held(results), read, against=held(against), margin=margin)
        if not judgement.passed:
            pytest.fail(f"The model may not ship:\n{judgement}", pytrace=False)
        return judgement

    return judged
