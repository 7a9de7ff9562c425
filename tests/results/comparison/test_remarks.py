"""Remarks: what was left out of a comparison is said, and what is not quite alike."""

import numpy as np
import pytest
from made_results import made_result

from equipoise.results import Quantity, Result
from equipoise.results.comparison import compare

N = 20
SCORE = Quantity("score", "score", 0.05)


def result(model: str, *, lacking: int = 0, shift: float = 0.0, **changes: object) -> Result:
    """Items of which the first ones could not be asked."""
    scores = np.random.default_rng(len(model)).normal(0.3 + shift, 0.1, N)
    scores[:lacking] = np.nan
    dropped = ["a word is unknown"] * lacking + [""] * (N - lacking)
    return made_result(
        {"text": [f"t{n}" for n in range(N)], "score": scores, "dropped": dropped},
        SCORE,
        model=model,
        **changes,
    )


def test_results_that_are_alike_need_no_remark() -> None:
    assert compare(result("a"), result("bb")).notes == ()


def test_items_that_one_model_could_not_be_asked_are_told_with_the_reason() -> None:
    comparison = compare(result("a"), result("bb", lacking=3))
    said = (
        "x: 3 of 20 items were left out because bb could not be asked them, the first: i0 "
        "(a word is unknown)."
    )
    assert comparison.notes == (said,)
    assert comparison.sentences()[-1] == said
    assert comparison.table["n"].tolist() == [17]


def test_each_model_s_own_are_told_apart_from_those_of_both() -> None:
    first, second = result("a", lacking=5), result("bb", lacking=5)
    said = "x: 5 of 20 items could be asked of neither a nor bb."
    assert compare(first, second).notes == (said,)
    second.items.loc[[3, 4, 9], "dropped"] = ["", "", "too long"]
    both, ours, theirs = compare(first, second).notes
    assert both == said.replace("5 of 20", "3 of 20")
    assert "2 of 20 items were left out because a could not be asked them, the first: i3" in ours
    assert (
        "1 of 20 items were left out because bb could not be asked them, the first: i9 (too long)" in theirs
    )


def test_items_without_a_partner_are_told() -> None:
    second = result("bb")
    second.items = second.items.iloc[:-7]
    (said,) = compare(result("a"), second).notes
    assert said == "x: 7 items of a or bb have no partner in the other result and were left out."


def test_by_text_too() -> None:
    first, second = result("a", files={"x.csv": "1"}), result("bb", lacking=1, files={"y.csv": "2"})
    second.items["item"] = [f"other-{number}" for number in range(N)]
    (said,) = compare(first, second, by_text=True).notes
    assert "because bb could not be asked them, the first: other-0 (a word is unknown)" in said


def test_a_text_that_stands_twice_is_told_as_what_it_is() -> None:
    first, second = result("a"), result("bb")
    for one in (first, second):
        one.items.loc[4, "text"] = "t3"
    (said,) = compare(first, second, by_text=True).notes
    assert "2 items of a or bb have no partner in the other result, or the text of another item," in said


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"kind": "causal"}, "a is masked, bb causal: probabilities of the two are of different things"),
        ({"precision": "bf16"}, "a was run in fp32 and bb in bf16: rounding may be a part"),
        (
            {"choices": {"label": "toxic"}, "fixed_choices": []},
            "the label is by default for a and toxic for bb: the difference",
        ),
    ],
)
def test_what_is_not_quite_alike_is_told_not_refused(changes: dict[str, object], said: str) -> None:
    (note,) = compare(result("a"), result("bb", **changes)).notes
    assert said in note


def test_no_size_is_compared_across_kinds_of_model() -> None:
    """A verdict of equivalent beside a remark that sizes cannot be compared would contradict it."""
    across = compare(result("a"), result("bb", kind="causal")).table
    assert set(across["verdict"]) == {"not meaningful"}
    assert "not meaningful" not in set(compare(result("a"), result("bb")).table["verdict"])


def test_three_models_have_the_remarks_of_every_pair() -> None:
    notes = compare(result("a"), result("bb", lacking=2), result("ccc")).notes
    assert [note.count("because bb could not") for note in notes] == [1, 1]
