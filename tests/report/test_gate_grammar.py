"""The grammar of rules: what is read, what is refused and where."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from equipoise.errors import UserError
from equipoise.report.gate.expressions import Condition, EstimateName, Number
from equipoise.report.gate.grammar import parse

A, B = EstimateName("t", "a"), EstimateName("t", "b-2", (("category", "x y"),), "low")


def test_a_name_with_groups_and_a_column() -> None:
    assert parse("sbe.asld[category=occupation].low > 3") == Condition(
        EstimateName("sbe", "asld", (("category", "occupation"),), "low"), ">", Number(3.0)
    )
    name = EstimateName("x-y", "gbm-top-5", (("items", "0.1-0.2"), ("type", "a, [b]")), "n")
    assert parse('-1e-3<=x-y.gbm-top-5[ items = 0.1-0.2 , type="a, [b]" ].n') == Condition(
        Number(-0.001), "<=", name
    )


def test_a_name_without_a_column_is_the_value() -> None:
    assert parse("tbe.appd>.5") == Condition(EstimateName("tbe", "appd"), ">", Number(0.5))


@given(st.text(max_size=20).filter(lambda level: '"' not in level))
def test_a_name_is_written_as_it_is_read(level: str) -> None:
    name = EstimateName("tbe", "appd", (("category", level),), "high")
    quoted = f'tbe.appd[category="{level}"].high > 0'
    assert list(parse(quoted).names()) == [name]
    if level.strip():
        assert list(parse(f"{name} > 0").names()) == [name]


comparisons = st.builds(
    "{} {} {}".format,
    st.sampled_from(["t.a", "t.b-2[category=x y].low"]),
    st.sampled_from([">", ">=", "<", "<=", "==", "!="]),
    st.sampled_from(["1", "2", "3.0", "-1", "t.a"]),
)
expressions = st.recursive(
    comparisons,
    lambda inner: st.one_of(
        st.builds("({})".format, inner),
        st.builds("not ({})".format, inner),
        st.builds("{} {} {}".format, inner, st.sampled_from(["and", "or"]), inner),
    ),
    max_leaves=12,
)


@example("t.a > 9 and t.a > 9 or t.a > 0", 1.0, 1.0)
@example("t.a > 0 or t.a > 9 and t.a > 9", 1.0, 1.0)
@example("not t.a > 9 or t.a > 0", 1.0, 1.0)
@given(expressions, st.sampled_from([-1.0, 1.0, 2.0, 3.0]), st.sampled_from([-1.0, 1.0, 2.0, 3.0]))
def test_and_binds_before_or_as_in_python(text: str, a: float, b: float) -> None:
    """Python's own reading of the same words is the oracle; no rule is ever given to it in the package."""
    python = text.replace("t.b-2[category=x y].low", "b").replace("t.a", "a")
    assert parse(text).is_true({A: a, B: b}) is bool(eval(python, {"a": a, "b": b}))


@pytest.mark.parametrize(
    ("text", "position", "wanted"),
    [
        ("", 1, "a number or an estimate"),
        ("tbe.appd.low", 13, "a comparison"),
        ("tbe.appd.low >> 0.1", 15, "a number or an estimate"),
        ("tbe.appd.lwo > 1", 10, "value, low, high, n"),
        ("tbe.appd.lowest > 1", 10, "value, low, high, n"),
        ("tbe > 1", 5, '"." and an estimate of tbe'),
        ("tbe.appd > nan", 15, '"." and an estimate of nan'),
        ("tbe.appd > 1 tbe.x > 2", 14, '"and", "or" or the end'),
        ("0 < tbe.appd < 1", 14, '"and", "or" or the end'),
        ("(tbe.appd > 1", 14, '")", "and" or "or"'),
        ("tbe.appd[category] > 1", 18, '"=" and a level of category'),
        ("tbe.appd[category=] > 1", 19, "a level of category"),
        ("tbe.appd[category=x > 1", 24, '"," or "]"'),
        ("tbe.appd = 1", 10, "a comparison"),
        ("tbe.appd > 1 and", 17, "a number or an estimate"),
        ("tbe.appd > 1.2.3", 12, "a number or an estimate"),
        ("__import__('os').system('x') > 1", 1, "a number or an estimate"),
        ("tbe.appd > " + "9" * 2 + "x", 12, "a number or an estimate"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_position(text: str, position: int, wanted: str) -> None:
    with pytest.raises(UserError) as caught:
        parse(text)
    assert f"at position {position}: expected {wanted}" in caught.value.message
    assert "tbe.appd.low > 0.1" in caught.value.hint


def test_a_rule_that_says_nothing_of_a_model() -> None:
    with pytest.raises(UserError, match="names no estimate"):
        parse("1 > 2")


@pytest.mark.parametrize("text", ["(" * 3000 + "t.a > 1", "not " * 1000 + "t.a > 1", "t.a > 1 or " * 900])
def test_a_monstrous_rule_is_refused(text: str) -> None:
    with pytest.raises(UserError, match=re.compile("at most 5000|within each other")):
        parse(text)
