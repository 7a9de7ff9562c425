"""Pairing: the same item of the same data, and nothing that only looks the same."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from made_results import made_result

from equipoise.errors import UserError
from equipoise.measuring import measure
from equipoise.models.table import TableModel
from equipoise.results import Quantity, Result
from equipoise.results.comparison import compare
from equipoise.results.comparison.pairing import check_comparable, pair

SCORE = Quantity("score", "score", 0.05)


def result(model: str, texts: list[str], items: list[str] | None = None, **changes: object) -> Result:
    columns = {"text": texts, "score": np.arange(len(texts), dtype=float)}
    if items is not None:
        columns = {"item": items, **columns}
    return made_result(columns, SCORE, model=model, **changes)


def test_items_are_paired_by_name_not_by_order() -> None:
    first = result("a", ["t0", "t1", "t2"], ["x", "y", "z"])
    second = result("b", ["t2", "t0", "t1"], ["z", "x", "y"])
    paired = pair(first, second)
    assert paired.items["item"].tolist() == ["x", "y", "z"]
    assert paired.items["score_first"].tolist() == [0, 1, 2]
    assert paired.items["score_second"].tolist() == [1, 2, 0]
    assert paired.unpaired == 0


def test_items_that_only_one_holds_are_counted_on_both_sides() -> None:
    paired = pair(result("a", ["t"] * 4, list("wxyz")), result("b", ["t"] * 3, ["y", "z", "new"]))
    assert len(paired.items) == 2
    assert paired.unpaired == 2 + 1


def test_no_common_item_is_refused() -> None:
    with pytest.raises(UserError, match="no item in common"):
        pair(result("a", ["t"], ["x"]), result("b", ["t"], ["y"]))


def test_by_text_finds_the_same_text_under_another_name() -> None:
    """Of several items with one text the first is taken; the others are counted as unpaired."""
    first = result("a", ["one", "two", "two", "three"])
    second = result("b", ["three", "four", "two"])
    paired = pair(first, second, by_text=True)
    assert paired.items["text"].tolist() == ["two", "three"]
    assert paired.items["score_first"].tolist() == [1, 3]
    assert paired.items["score_second"].tolist() == [2, 0]
    assert paired.unpaired == 4 + 3 - 2 * 2


def test_by_text_needs_every_text_column_to_agree() -> None:
    def sides(model: str, counterparts: list[str]) -> Result:
        columns = {"stereotype": ["s0", "s1"], "counterpart": counterparts, "score": [1.0, 2.0]}
        return made_result(columns, SCORE, model=model, text=("stereotype", "counterpart"))

    paired = pair(sides("a", ["c0", "c1"]), sides("b", ["c0", "other"]), by_text=True)
    assert paired.items["stereotype"].tolist() == ["s0"]


def test_one_name_for_two_texts_is_refused() -> None:
    """The same file read with contexts of another length: items of one name are then not the same items."""
    first, second = result("a", ["long text", "t1", "t2"]), result("b", ["text", "t1", "t2"])
    with pytest.raises(UserError, match=r"1 of 3 items are not the same text .* the first: i0\.") as error:
        pair(first, second)
    assert "--by-text" in error.value.hint
    assert pair(first, second, by_text=True).items["text"].tolist() == ["t1", "t2"]


def test_a_text_that_is_absent_on_both_sides_is_the_same() -> None:
    both = [result(name, ["t0", "t1"]) for name in "ab"]
    for one in both:
        one.items.loc[1, "text"] = None
    assert len(pair(*both).items) == 2


def test_different_content_is_refused_and_named() -> None:
    first = result("a", ["t"], files={"mine.csv": "1" * 64, "poles.csv": "3" * 64})
    second = result("b", ["t"], files={"mine.csv": "2" * 64, "poles.csv": "3" * 64})
    with pytest.raises(UserError, match=r"content of mine\.csv differs") as error:
        check_comparable([first, second])
    assert "poles.csv" not in error.value.message
    assert "--by-text" in error.value.hint
    check_comparable([first, second], by_text=True)


def test_a_file_that_only_one_read_is_a_difference() -> None:
    first = result("a", ["t"], files={"mine.csv": "1" * 64})
    second = result("b", ["t"], files={"mine.csv": "1" * 64, "more.csv": "2" * 64})
    for both, said in (
        ([first, second], "the first on less, the second on more.csv"),
        ([second, first], "the first on more.csv, the second on less"),
    ):
        with pytest.raises(UserError, match=f"different data: {said}"):
            check_comparable(both)


def test_two_files_are_both_named() -> None:
    first, second = result("a", ["t"], files={"x.csv": "1"}), result("b", ["t"], files={"y.csv": "2"})
    with pytest.raises(UserError, match=r"the first on x\.csv, the second on y\.csv\."):
        check_comparable([first, second])


def test_the_same_content_under_another_file_name_is_the_same_data() -> None:
    check_comparable([result("a", ["t"], files={"x.csv": "1"}), result("b", ["t"], files={"y.csv": "1"})])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"model": "b", "fingerprint": "print of a"}, "the same model"),
        ({"model": "a", "fingerprint": "another"}, "Two different models are called 'a'"),
        (
            {"model": "b", "version": 2},
            "'a' was measured with version 1 and 'b' with version 2",
        ),
        ({"model": "b", "variant": "w"}, "variants 'v' and 'w' are different quantities"),
        ({"model": "b", "poles": "religion"}, "poles 'pronouns' and 'religion' are different quantities"),
        ({"model": "b", "choices": {"layer": "3"}}, "x: layer by default and layer 3 are different"),
        ({"model": "b", "choices": {"pooling": "first"}}, "pooling by default and pooling first are"),
        ({"model": "b", "choices": {"measure": "dot"}}, "measure by default and measure dot are"),
    ],
)
@pytest.mark.parametrize("by_text", [False, True])
def test_what_cannot_be_compared_is_refused(changes: dict[str, Any], said: str, by_text: bool) -> None:
    """A 'mitigated' model that was never saved scores exactly as before: others report it as a finding."""
    with pytest.raises(UserError, match=said):
        check_comparable([result("a", ["t"]), result(texts=["t"], **changes)], by_text=by_text)


def test_every_pair_of_several_results_is_checked() -> None:
    three = [result("a", ["t"]), result("b", ["t"]), result("c", ["t"], fingerprint="print of b")]
    with pytest.raises(UserError, match="'b' and 'c' are the same model"):
        check_comparable(three)


WORDS = ("nurse", "pilot", "cook", "farmer", "baker", "judge")


def measured(path: Path, words: tuple[str, ...], *, name: str, shift: float) -> Result:
    """Pairs without ids, told to a table: her scores less by a number that depends on the word."""
    rows = ["neutral,We ate on Monday,We ate on Friday"]
    scores = {"We ate on Monday": (-1.0,) * 4, "We ate on Friday": (-1.0,) * 4}
    for word in words:
        hers, his = f"The {word} lost her keys", f"The {word} lost his keys"
        rows.append(f"occupation,{hers},{his}")
        scores[hers] = (-1.0 - shift - 0.01 * WORDS.index(word), 0.0, 0.0, 0.0, 0.0)
        scores[his] = (-1.0, 0.0, 0.0, 0.0, 0.0)
    path.write_text("category,stereotype,counterpart\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return measure(TableModel(scores=scores, name=name), "sbe", data=path)


def test_two_files_without_ids_are_not_paired_by_line_number(tmp_path: Path) -> None:
    first = measured(tmp_path / "one.csv", WORDS, name="a", shift=0.0)
    second = measured(tmp_path / "two.csv", WORDS[::-1], name="b", shift=0.5)
    with pytest.raises(UserError, match=r"the first on one\.csv, the second on two\.csv"):
        compare(first, second)
    rows = compare(first, second, by_text=True).table.set_index("quantity")
    assert rows.loc["mean-sld", "n"] == len(WORDS)
    assert rows.loc["mean-sld", "difference"] == pytest.approx(-0.5)
    # Each word was paired with itself: not one difference is off by the 0.01 that tells the words apart.
    assert rows.loc["mean-sld", "high"] - rows.loc["mean-sld", "low"] == pytest.approx(0.0, abs=1e-9)


def test_a_table_in_memory_is_data_with_content_too() -> None:
    table = pd.DataFrame(
        {
            "category": ["occupation", "neutral"],
            "stereotype": ["She left", "We left"],
            "counterpart": ["He left", "We sat"],
        }
    )
    scores = dict.fromkeys(("She left", "He left", "We left", "We sat"), (-1.0, -2.0))
    first = measure(TableModel(scores=scores, name="a"), "sbe", data=table)
    again = measure(TableModel(scores=scores | {"": ()}, name="b"), "sbe", data=table)
    other = measure(TableModel(scores=scores | {" ": ()}, name="c"), "sbe", data=table.iloc[::-1])
    check_comparable([first, again])
    with pytest.raises(UserError, match="different data"):
        check_comparable([first, other])


def test_one_model_twice_is_advised_by_what_differs() -> None:
    first = result("a", ["t"], files={"x.csv": "1"})
    for files, advice in (({"x.csv": "1"}, "Nothing was changed"), ({"y.csv": "2"}, "with --corpora")):
        second = result("b", ["t"], files=files, fingerprint="print of a")
        with pytest.raises(UserError, match="the same model") as error:
            check_comparable([first, second])
        assert advice in error.value.hint
