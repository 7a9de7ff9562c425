"""Saving: a result comes back equal, floats exactly; what is damaged or of another model is refused."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_results import made_result

from equipoise.errors import UserError
from equipoise.results import Estimate, Quantity, Result, load_result, load_results
from equipoise.results.estimate import estimates_table
from equipoise.results.records import column_kinds
from equipoise.results.result import load_folders

FILES = ["estimates.json", "items.csv", "manifest.json", "provenance.json"]


def example(values: list[float], *, instrument: str = "x", model: str = "one") -> Result:
    items = pd.DataFrame(
        {
            "item": [f"i{number}" for number in range(len(values))],
            "text": ['He said "no, thanks".'] * len(values),
            "score": values,
            "count": range(len(values)),
            "sure": [number % 2 == 0 for number in range(len(values))],
            "dropped": ["" if np.isfinite(value) else "not asked" for value in values],
        }
    )
    estimates = estimates_table([Estimate("mean", 0.1 + 0.2, float("nan"), 1e-300, n=3, groups={"a": "b"})])
    provenance = {
        "instrument": {"name": instrument},
        "model": {"name": model, "fingerprint": f"weights of {model}"},
        "columns": column_kinds(items),
    }
    return Result(instrument, items, estimates, provenance)


@settings(max_examples=40)
@given(st.lists(st.floats(allow_infinity=False), min_size=1, max_size=8))
def test_a_result_comes_back_equal(tmp_path_factory: pytest.TempPathFactory, values: list[float]) -> None:
    result = example(values)
    loaded = load_result(result.save(tmp_path_factory.mktemp("r")))
    pd.testing.assert_frame_equal(loaded.items, result.items, check_exact=True)
    pd.testing.assert_frame_equal(loaded.estimates, result.estimates, check_exact=True)
    assert loaded.provenance == result.provenance


def test_a_statistic_of_chosen_words_comes_back(tmp_path: Path) -> None:
    """An F1 is computed from a column of predicted pronouns, where other quantities have numbers."""
    items = {"text": ["a", "b"], "prediction": ["male", "female"], "score": [0.1, -0.2]}
    f1 = Quantity("f1", "F1", 1.0, column="prediction", statistic="f1-pro-male")
    made = made_result(items, f1, instrument="x")
    made.provenance["columns"] = column_kinds(made.items)
    made.save(tmp_path)
    assert load_result(tmp_path / "x").items["prediction"].tolist() == ["male", "female"]


@pytest.mark.parametrize("text", ["said\rhe", "said\r\nhe", "said\nhe", 'a "\r" b', "\r", "ends\r"])
def test_texts_with_any_line_break_come_back(text: str, tmp_path: Path) -> None:
    result = example([1.0, 2.0])
    result.items["text"] = [text, "plain"]
    result.items["dropped"] = ["", text]
    read = load_result(result.save(tmp_path))
    pd.testing.assert_frame_equal(read.items, result.items)


def test_a_manifest_of_another_program_beside_a_result_is_no_matter(tmp_path: Path) -> None:
    result = example([1.0])
    result.save(tmp_path)
    (tmp_path / "page").mkdir()
    (tmp_path / "page" / "manifest.json").write_text('{"name": "app"}', encoding="utf-8")
    assert len(load_results(tmp_path)) == 1
    result.save(tmp_path)


def test_the_files_and_valid_json(tmp_path: Path) -> None:
    folder = example([1.0, float("nan")]).save(tmp_path)
    assert sorted(path.name for path in folder.iterdir()) == FILES
    (row,) = json.loads((folder / "estimates.json").read_text())
    assert row["low"] is None
    assert row["value"] == 0.1 + 0.2
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["files"]["items.csv"]["rows"] == 2
    assert {len(file["sha256"]) for file in manifest["files"].values()} == {64}


def test_what_was_saved_is_loaded_by_the_same_name(tmp_path: Path) -> None:
    example([1.0, 2.0]).save(tmp_path / "out")
    assert load_result(tmp_path / "out").items["score"].tolist() == [1.0, 2.0]
    example([3.0], instrument="y").save(tmp_path / "out")
    with pytest.raises(UserError, match="holds several results: x, y"):
        load_result(tmp_path / "out")
    assert load_result(tmp_path / "out" / "y").items["score"].tolist() == [3.0]
    assert [result.instrument for result in load_results(tmp_path / "out")] == ["x", "y"]


def test_a_folder_that_is_no_result(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"is not a result folder: no manifest\.json"):
        load_result(tmp_path)
    with pytest.raises(UserError, match="holds no result"):
        load_results(tmp_path)
    with pytest.raises(UserError, match="no folder"):
        load_results(tmp_path / "nowhere")


def test_only_a_result_folder_or_its_direct_children_are_read(tmp_path: Path) -> None:
    example([1.0]).save(tmp_path / "deep" / "er")
    with pytest.raises(UserError, match="nor does any of its direct subfolders"):
        load_results(tmp_path / "deep")


def test_a_result_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("in the way")
    with pytest.raises(UserError, match="exists and is not a result"):
        example([1.0]).save(tmp_path)
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(UserError, match="cannot be written"):
        example([1.0]).save(tmp_path / "file")


@pytest.mark.parametrize("name", ["items.csv", "estimates.json", "provenance.json"])
def test_a_file_that_was_cut_short_is_named(name: str, tmp_path: Path) -> None:
    folder = example([1.0, 2.0]).save(tmp_path)
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UserError, match=f"{name} is not the file that was saved: it was cut short"):
        load_result(folder)
    (folder / name).unlink()
    with pytest.raises(UserError, match=f"{name} is missing"):
        load_results(tmp_path)


def test_a_file_of_another_result_is_refused(tmp_path: Path) -> None:
    ours, theirs = example([1.0]).save(tmp_path / "a"), example([2.0], model="two").save(tmp_path / "b")
    (ours / "items.csv").write_bytes((theirs / "items.csv").read_bytes())
    with pytest.raises(UserError, match=r"items\.csv is not the file that was saved"):
        load_result(ours)


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        ("{", "manifest.json is damaged"),
        ("[]", "manifest.json is damaged"),
        ('{"schema": 99}', "has the schema version 99"),
        ('{"schema": 2}', "manifest.json is damaged"),
    ],
)
def test_a_manifest_that_is_not_ours(manifest: str, said: str, tmp_path: Path) -> None:
    folder = example([1.0]).save(tmp_path)
    (folder / "manifest.json").write_text(manifest)
    for load in (load_result, load_results):
        with pytest.raises(UserError, match=said):
            load(folder)


def test_a_result_of_an_earlier_version_is_told_apart(tmp_path: Path) -> None:
    folder = example([1.0]).save(tmp_path)
    (folder / "manifest.json").unlink()
    for load in (load_result, load_results):
        with pytest.raises(UserError, match=r"manifest\.json is missing"):
            load(folder)


def test_a_result_that_lost_its_manifest_is_not_left_out_silently(tmp_path: Path) -> None:
    """A page of the other results would look whole."""
    for instrument in ("x", "y"):
        example([1.0], instrument=instrument).save(tmp_path)
    (tmp_path / "y" / "manifest.json").unlink()
    with pytest.raises(UserError, match=r"y is an incomplete result: manifest\.json is missing"):
        load_results(tmp_path)
    assert load_results(tmp_path / "x")[0].instrument == "x"


def test_a_folder_of_another_model_is_kept_unless_forced(tmp_path: Path) -> None:
    example([1.0]).save(tmp_path)
    for instrument in ("x", "y"):
        with pytest.raises(UserError, match="holds results of another model, 'one'") as caught:
            example([2.0], instrument=instrument, model="two").save(tmp_path)
        assert "--force" in caught.value.hint
    assert load_result(tmp_path).model == "one"
    example([2.0], model="two").save(tmp_path, force=True)
    assert load_result(tmp_path).model == "two"


def test_the_same_model_may_be_measured_again(tmp_path: Path) -> None:
    example([1.0]).save(tmp_path)
    example([4.0]).save(tmp_path)
    assert load_result(tmp_path).items["score"].tolist() == [4.0]
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def on(data: str, **changes: Any) -> Result:
    """A result of one model with a variant, poles, files and choices of its own."""
    result = example([1.0])
    result.provenance["instrument"]["variant"] = changes.get("variant", "v")
    files = {"mine.csv": changes.get("content", "a" * 64)}
    result.provenance["data"] = {"name": data, "poles": changes.get("poles", "pronouns"), "files": files}
    result.provenance["choices"] = changes.get("choices", {})
    result.provenance["seed"] = changes.get("seed", 0)
    result.provenance["model"]["precision"] = changes.get("precision", "fp32")
    return result


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (on("theirs"), "data 'ours' there, 'theirs' now"),
        (on("ours", variant="w"), "variant 'v' there, 'w' now"),
        (on("ours", poles="age"), "poles 'pronouns' there, 'age' now"),
        (on("ours", content="b" * 64), "mine.csv with other content"),
        (on("ours", choices={"layer": "3"}), "layer by default there, 3 now"),
        (on("ours", seed=5), "seed 0 there, 5 now"),
        (on("ours", precision="bf16"), "precision 'fp32' there, 'bf16' now"),
        (on("x/theirs.csv", variant="w"), "variant 'v' there, 'w' now; data 'ours' there, 'theirs.csv' now"),
    ],
)
def test_another_measurement_of_the_same_model_is_kept_unless_forced(
    other: Result, said: str, tmp_path: Path
) -> None:
    folder = on("ours").save(tmp_path)
    before = (folder / "provenance.json").read_bytes()
    with pytest.raises(UserError) as caught:
        other.save(tmp_path)
    assert caught.value.message == f"{folder} holds another measurement: {said}."
    assert "--force" in caught.value.hint
    assert (folder / "provenance.json").read_bytes() == before
    other.save(tmp_path, force=True)
    assert load_result(tmp_path).provenance["data"] == other.provenance["data"]


def test_the_same_file_by_another_path_is_the_same_measurement(tmp_path: Path) -> None:
    on("mine.csv").save(tmp_path)
    on("some/where/mine.csv").save(tmp_path)
    assert load_result(tmp_path).provenance["data"]["name"] == "some/where/mine.csv"


@pytest.mark.parametrize("content", ["{", "[]", '{"data": 3}'])
def test_a_damaged_result_is_not_taken_for_the_same_measurement(content: str, tmp_path: Path) -> None:
    folder = on("ours").save(tmp_path)
    (folder / "provenance.json").write_text(content)
    with pytest.raises(UserError, match="holds a damaged result"):
        on("ours").save(tmp_path)
    on("ours").save(tmp_path, force=True)
    assert load_result(tmp_path).model == "one"


class Killed(BaseException):
    """What ends a process without giving it time to tidy up."""


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), Killed("killed")])
def test_a_failure_while_writing_leaves_the_old_result(
    failure: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example([1.0]).save(tmp_path)

    def fail(*_arguments: Any, **_options: Any) -> None:
        raise failure

    monkeypatch.setattr(pd.DataFrame, "to_csv", fail)
    with pytest.raises((UserError, Killed), match=r"No space left on device|killed"):
        example([2.0]).save(tmp_path)
    monkeypatch.undo()
    assert load_result(tmp_path).items["score"].tolist() == [1.0]
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_what_a_killed_process_left_behind_is_no_result(tmp_path: Path) -> None:
    """It was all written and not yet renamed: a hidden folder beside the old result."""
    folder = example([1.0]).save(tmp_path)
    left = tmp_path / ".x-a1b2c3"
    left.mkdir()
    for path in folder.iterdir():
        (left / path.name).write_bytes(path.read_bytes())
    assert len(load_results(tmp_path)) == 1
    assert load_result(tmp_path).items["score"].tolist() == [1.0]


def test_models_of_one_name_are_called_by_their_folders_too(tmp_path: Path) -> None:
    """A model that is trained in its folder and measured again, say: one name, other weights."""
    before, after, other = example([1.0]), example([2.0]), example([3.0], model="two")
    after.provenance["model"]["fingerprint"] = "weights after training"
    folders = [tmp_path / name for name in ("before", "after", "other")]
    for folder, result in zip(folders, (before, after, other), strict=True):
        result.save(folder)
    names = [result.model for (result,) in load_folders(folders)]
    place = tmp_path.name
    assert names == [f"one in {place}/before", f"one in {place}/after", "two"]
    assert [result.model for (result,) in load_folders(folders[1:])] == ["one", "two"]


@pytest.mark.parametrize("text", ["=1+1", "'=1+1", "''=x", "-0.5", "- no", "@a", "'quoted'", "\tx", "+", ""])
def test_items_hold_no_formula_and_are_read_back_as_they_were(text: str, tmp_path: Path) -> None:
    made_result({"text": [text, "plain"], "score": [0.5, -0.5]}).save(tmp_path)
    (room,) = (path for path in tmp_path.iterdir() if path.is_dir())
    with (room / "items.csv").open(newline="", encoding="utf-8") as file:
        written = next(iter(csv.DictReader(file)))["text"]
    assert written[:1] not in ("=", "+", "-", "@", "\t") or written == "-0.5"
    assert load_result(room).items["text"].tolist() == [text, "plain"]
