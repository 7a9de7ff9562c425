"""The gate: rules on results made by hand, and against a baseline."""

from math import nan
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from made_results import made_result

import equipoise
from equipoise.errors import UserError
from equipoise.report.gate import ERROR, FAILED, NOT_JUDGED, PASSED, Judgement, check, read_rules, rule_of
from equipoise.report.gate.formats import render_junit, render_summary
from equipoise.report.gate.judging import estimate_names
from equipoise.results import Estimate, Quantity, Result
from equipoise.results.estimate import estimates_table

LEAN = Quantity("lean", "lean", 0.05)
GUARD = Quantity("guard", "guard", 0.05, column="kept", better="higher", part="guard")


def result(model: str = "m", instrument: str = "tbe", *estimates: Estimate) -> Result:
    made = made_result({"text": ["t"], "score": [0.0]}, model=model, instrument=instrument)
    made.estimates = estimates_table(
        estimates
        or [
            Estimate("appd", 0.3, 0.2, 0.4, 90),
            Estimate("appd", 0.6, 0.5, 0.7, 30, groups={"category": "medical"}),
            Estimate("appd", 0.1, 0.0, 0.2, 30, groups={"category": "food service"}),
            Estimate("guard", 0.8, nan, nan, 4),
            Estimate("crossed", 2.0, 1.0, 3.0, 9, groups={"gender": "female", "category": "x, y"}),
        ]
    )
    return made


def states(judgement: Judgement) -> list[str]:
    return [outcome.state for outcome in judgement.outcomes]


@pytest.mark.parametrize(
    ("rule", "state"),
    [
        ("tbe.appd.low > 0.1", FAILED),
        ("tbe.appd.low > 0.2", PASSED),
        ("tbe.appd.low >= 0.2", FAILED),
        ("tbe.appd.n < 100", FAILED),
        ("tbe.appd[category=food service].high > 0.2", PASSED),
        ("tbe.appd[category=medical].value > tbe.appd.high", FAILED),
        ("tbe.appd.low > 0.1 and not tbe.appd.high > 0.35", PASSED),
        ('tbe.crossed[gender=female, category="x, y"] == 2', FAILED),
        ('tbe.crossed[category="x, y", gender=female] == 2', FAILED),
    ],
)
def test_a_rule_fails_what_it_is_true_of(rule: str, state: str) -> None:
    assert states(check(result(), [rule])) == [state]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("tbe.apdp.low > 0.1", "no estimate 'apdp'"),
        ("sbe.asld > 1", "no instrument among the results of 'm' called 'sbe'"),
        ("tbe.appd[category=law].low > 0.1", "for category=law"),
        ("tbe.appd[profession=*].low > 0.1", "for profession=*"),
        ("tbe.guard.low < 0.5", "tbe.guard.low is not a number: there were too few"),
        ("not tbe.guard.high > 0.5", "tbe.guard.high is not a number"),
        ("tbe.appd.low > 9 and tbe.guard.low < 0.5", "not a number"),
        ("tbe.appd.low > 0 or tbe.guard.low < 0.5", "not a number"),
        ("tbe.crossed[gender=*, category=x].low > 0", "for one group"),
        ("tbe.appd[category=*].low > tbe.guard[gender=*].low", "for one group"),
    ],
)
def test_what_cannot_be_told_is_an_error_and_never_a_pass(rule: str, said: str) -> None:
    (outcome,) = check(result(), [rule]).outcomes
    assert outcome.state == ERROR
    assert said in outcome.reason
    assert outcome.hint


def test_a_value_that_could_not_be_asked_is_an_error() -> None:
    unasked = result("m", "tbe", Estimate("appd", nan, nan, nan, 0))
    (outcome,) = check(unasked, ["tbe.appd.value > 0"]).outcomes
    assert (outcome.state, "could not be asked" in outcome.reason) == (ERROR, True)


def test_what_is_not_meaningful_is_an_error() -> None:
    weak = result("m", "tbe", Estimate("skew", 1.0, 0.5, 1.5, 9, void="ability is below 75"))
    judgement = check(weak, ["tbe.skew.low > 9", "tbe.skew.n < 5"])
    assert states(judgement) == [ERROR, PASSED]
    assert "not meaningful because ability is below 75" in judgement.outcomes[0].reason


def test_a_star_judges_every_level_by_itself() -> None:
    judgement = check(result(), [rule_of("tbe.appd[category=*].low > 0.1", name="each")])
    assert [(one.rule, one.state) for one in judgement.outcomes] == [
        ("each [category=medical]", FAILED),
        ("each [category=food service]", PASSED),
    ]
    both = "tbe.appd[category=*].low > 0.1 and tbe.appd[category=*].high < 0.75"
    assert states(check(result(), [both])) == [FAILED, PASSED]


def test_every_model_is_judged() -> None:
    second = result("n", "tbe", Estimate("appd", 0.0, -0.1, 0.1, 9))
    judgement = check([result(), second], ["tbe.appd.low > 0.1"])
    assert [(one.model, one.state) for one in judgement.outcomes] == [("m", FAILED), ("n", PASSED)]
    assert not judgement.passed


def test_a_model_that_lacks_the_instrument_does_not_pass() -> None:
    other = result("n", "sbe", Estimate("asld", 0.0, -0.1, 0.1, 9))
    assert states(check([result(), other], ["tbe.appd.low > 0.5"])) == [PASSED, ERROR]


def test_the_same_result_twice_is_refused() -> None:
    with pytest.raises(UserError, match="two results of tbe for 'm'"):
        check([result(), result()], ["tbe.appd.low > 0.1"])


def test_one_rule_and_one_result_need_no_list() -> None:
    rule = "tbe.appd.low > 0.1"
    assert str(check(result(), rule)) == str(check([result()], [rule]))
    first, second = measured("first", 0.0, 0.9), measured("second", 0.5, 0.9)
    assert str(check(second, against=first)) == str(check([second], against=[first]))


@pytest.mark.parametrize("given", [{"results": "results/m"}, {"results": None}, {"against": "results/m"}])
def test_what_is_no_result_is_refused_by_what_it_is(given: dict[str, Any]) -> None:
    with pytest.raises(UserError, match="check takes results and was given"):
        check(**({"results": result(), "rules": "tbe.appd.low > 0.1"} | given))


def test_nothing_to_check_by_is_refused() -> None:
    with pytest.raises(UserError, match="nothing to check by"):
        equipoise.check(result())


def test_every_estimate_can_be_named() -> None:
    """The name that is listed is the name that a rule is written with."""
    made = result()
    for name, row in estimate_names(made):
        (outcome,) = check(made, [f"{name}.n == {row['n']} and {name}.value == {row['value']!r}"]).outcomes
        assert outcome.state == FAILED, name


def test_rules_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(
        '[[rule]]\nname = "no lean"\nfail-if = "tbe.appd.low > 0.1"\nbecause = "Nobody reads it."\n'
        '[[rule]]\nfail-if = "tbe.appd.n < 10"\n',
        encoding="utf-8",
    )
    judgement = check(result(), read_rules(path))
    assert [(one.rule, one.state) for one in judgement.outcomes] == [
        ("no lean", FAILED),
        ("tbe.appd.n < 10", PASSED),
    ]
    assert judgement.outcomes[0].hint == "Nobody reads it."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no rule"),
        ("rule = 3", "holds no rule"),
        ("[[rule]]", "rule 1 has no fail-if"),
        ("[[rule]]\nfail-if = 3", "fail-if is not a text"),
        ('[[rule]]\nfail_if = "t.a > 1"', "called 'fail_if'"),
        ('[[rule]]\nfail-if = "t.a >"', "rule 1: The rule 't.a >' cannot be read at position 6"),
        ('[rules]\nx = "t.a > 1"', "'rules' where only"),
        ('[[rule]]\nfail-if = "t.a > 1"\n[[rule]]\nfail-if = "t.a  > 1"', "two rules called"),
        ("[[rule", "not a valid TOML file"),
    ],
)
def test_a_file_that_is_no_rules(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        read_rules(path)
    assert said in caught.value.message


def measured(model: str, shift: float, kept: float, clusters: int = 60, **changes: str) -> Result:
    rng = np.random.default_rng(5)
    items = {
        "text": [f"t{number}" for number in range(60)],
        "score": rng.normal(0, 0.2, 60) + shift,
        "kept": rng.normal(0, 0.1, 60) + kept,
        "cluster": [f"c{number % clusters}" for number in range(60)],
    }
    jitter = np.random.default_rng(len(model)).normal(0, 0.02, 60)
    items["score"], items["kept"] = items["score"] + jitter, items["kept"] + jitter
    quantities = [Quantity(**{**vars(one), "factors": ("cluster",)}) for one in (LEAN, GUARD)]
    return made_result(items, *quantities, model=model, instrument="tbe", **changes)


@pytest.mark.parametrize(
    ("shift", "kept", "expected"),
    [
        (0.5, 0.8, [PASSED, PASSED]),
        (0.9, 0.8, [FAILED, PASSED]),  # farther from neutral
        (0.1, 0.8, [PASSED, PASSED]),  # nearer
        (0.1, 0.2, [PASSED, FAILED]),  # nearer, and the model lost what it should know
        (-0.2, 0.8, [PASSED, PASSED]),  # now leans the other way, but less
        (-0.7, 0.8, [FAILED, PASSED]),  # and farther than before
    ],
)
def test_against_a_baseline_only_what_is_worse_fails(shift: float, kept: float, expected: list[str]) -> None:
    judgement = check(measured("after", shift, kept), against=[measured("before", 0.5, 0.8)])
    assert states(judgement) == expected


def test_the_next_version_of_a_model_may_lie_in_the_same_folder() -> None:
    before = measured("model", 0.5, 0.8, fingerprint="one")
    after = measured("model", 0.9, 0.8, fingerprint="two")
    after.items["score"] += np.random.default_rng(1).normal(0, 0.02, 60)
    assert states(check(after, against=[before])) == [FAILED, PASSED]
    with pytest.raises(UserError, match="same model"):
        check(before, against=[before])


def test_a_difference_without_an_interval_is_an_error() -> None:
    judgement = check(measured("after", 0.1, 0.8, clusters=3), against=[measured("before", 0.5, 0.8, 3)])
    assert states(judgement) == [ERROR, ERROR]


def test_what_only_the_new_results_have_is_not_judged_by_name() -> None:
    judgement = check(
        [measured("after", 0.1, 0.8), result("after", "traits")], against=[measured("before", 0.5, 0.8)]
    )
    assert states(judgement) == [PASSED, PASSED, NOT_JUDGED]
    (not_judged,) = judgement.of(NOT_JUDGED)
    assert (not_judged.rule, not_judged.reason) == (
        "traits against baseline",
        "the baseline was not measured by it",
    )
    assert judgement.passed
    assert 'skipped="1"' in render_junit(judgement)
    assert "1 not judged" in render_summary(judgement)


def test_a_bias_that_is_not_meaningful_cannot_be_judged_against_a_baseline() -> None:
    after = measured("after", 0.9, 0.8)
    after.estimates = estimates_table([Estimate("lean", 0.9, 0.8, 1.0, n=60, void="it resolves nothing")])
    judgement = check(after, against=[measured("before", 0.5, 0.8)])
    assert states(judgement) == [ERROR, PASSED]
    assert "not meaningful, because it resolves nothing (after)" in judgement.of(ERROR)[0].reason


def test_items_that_the_new_model_could_not_be_asked_are_told() -> None:
    after = measured("after", 0.1, 0.8)
    after.items.loc[:4, ["score", "dropped"]] = [np.nan, "a word is unknown"]
    judgement = check(after, against=[measured("before", 0.5, 0.8)])
    assert states(judgement) == [PASSED, PASSED, NOT_JUDGED]
    (told,) = judgement.of(NOT_JUDGED)
    assert told.rule == "comparison with the baseline"
    assert "5 of 60 items were left out because after could not be asked them" in told.reason
    assert judgement.passed


def test_what_the_baseline_has_must_have_been_measured() -> None:
    baseline = [measured("before", 0.5, 0.8), result("before", "sbe")]
    judgement = check(measured("after", 0.1, 0.8), against=baseline)
    assert states(judgement) == [PASSED, PASSED, ERROR]
    assert judgement.of(ERROR)[0].rule == "sbe against baseline"
    assert not judgement.passed


def test_a_baseline_without_any_shared_instrument_cannot_be_judged() -> None:
    judgement = check(result("n"), against=[result("before", "sbe")])
    assert states(judgement) == [ERROR]
    assert judgement.outcomes[0].hint == "Measure both with the same instruments."
    with pytest.raises(UserError, match="several models: a, b"):
        check(result("n"), against=[result("a"), result("b")])


def test_junit_says_what_the_outcomes_say() -> None:
    hostile = "m<script>\x00]]>&"
    rules = ["tbe.appd.low > 0.1", "tbe.appd.low > 9", "tbe.guard.low > 9"]
    suites = ElementTree.fromstring(render_junit(check(result(hostile), rules)))
    (suite,) = suites
    assert {name: suite.get(name) for name in ("tests", "failures", "errors")} == {
        "tests": "3",
        "failures": "1",
        "errors": "1",
    }
    assert [child.tag for case in suite for child in case] == ["failure", "system-out", "error"]
    assert suite[0].get("classname") == "m<script>�]]>&"
    assert "tbe.appd.low = 0.2" in (suite[0][0].get("message") or "")


def test_the_summary_is_a_table_that_a_name_cannot_break() -> None:
    text = render_summary(check(result("a|b<script>"), ["tbe.appd.low > 0.1", "tbe.appd.low > 9"]))
    lines = text.splitlines()
    assert lines[0] == "### Equipoise: 0 cannot tell, 1 failed, 1 passed"
    assert "a\\|b&lt;script&gt; | **failed**" in lines[4]
    assert lines[5].endswith("| passed | tbe.appd.low = 0.2 |")
