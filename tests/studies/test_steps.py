"""Studies in steps: the plan first, each step once, on from the finished step after a kill."""

import json
from pathlib import Path

import pandas as pd
import pytest
from made_results import made_result

from equipoise.errors import UserError
from equipoise.studies.steps import Plan, Step, StudyRun, in_minutes, read_study

STEPS = (Step("first", "Count the sheep", 10), Step("second", "Count the goats", 30))
PLAN = Plan("animals", "Animals", {"seed": 0, "sizes": (1, 2)}, STEPS)
TABLE = pd.DataFrame(
    {"name": ["a", "b"], "value": [0.1 + 0.2, float("nan")], "n": [1, 2], "kept": [True, False]}
)


def test_the_plan_stands_in_the_folder_before_anything_is_run(tmp_path: Path) -> None:
    StudyRun(tmp_path / "study", PLAN)
    record = read_study(tmp_path / "study")
    assert [row["what"] for row in record["plan"]] == ["Count the sheep", "Count the goats"]
    assert record["plan"][0]["taken"] is None
    assert (record["name"], record["title"], record["sentences"]) == ("animals", "Animals", [])


def test_a_finished_step_is_read_back_and_an_unfinished_one_made_again(tmp_path: Path) -> None:
    calls = []

    def sheep() -> pd.DataFrame:
        calls.append("sheep")
        return TABLE

    def killed() -> pd.DataFrame:
        calls.append("goats")
        raise KeyboardInterrupt

    first = StudyRun(tmp_path, PLAN)
    first.table("first", sheep)
    with pytest.raises(KeyboardInterrupt):
        first.table("second", killed)
    second = StudyRun(tmp_path, PLAN)
    pd.testing.assert_frame_equal(second.table("first", sheep), TABLE)
    second.table("second", lambda: TABLE)
    assert calls == ["sheep", "goats"]
    second.finish(["All counted."], {"animals.csv": TABLE})
    record = read_study(tmp_path)
    assert record["sentences"] == ["All counted."]
    assert record["tables"] == ["animals.csv"]
    assert all(row["taken"] is not None for row in record["plan"])
    assert pd.read_csv(tmp_path / "animals.csv")["n"].tolist() == [1, 2]


def test_results_and_folders_are_kept_too(tmp_path: Path) -> None:
    result = made_result({"score": [1.0, -1.0, 0.5]})
    StudyRun(tmp_path, PLAN).results("first", lambda: [result, result])
    again = StudyRun(tmp_path, PLAN)
    kept = again.results("first", lambda: pytest.fail("measured twice"))
    assert [list(one.items["score"]) for one in kept] == [[1.0, -1.0, 0.5]] * 2

    def write(room: Path) -> None:
        (room / "model.txt").write_text("weights")

    assert (again.folder_of("second", write) / "model.txt").read_text() == "weights"
    assert (again.folder_of("second", lambda _: pytest.fail("made twice")) / "model.txt").exists()


def test_another_study_in_the_folder_is_refused_by_name(tmp_path: Path) -> None:
    StudyRun(tmp_path, PLAN)
    other = Plan("animals", "Animals", {"seed": 1, "sizes": (1, 2)}, STEPS)
    with pytest.raises(UserError, match="the same one with another seed"):
        StudyRun(tmp_path, other)
    with pytest.raises(UserError, match=r"another study \(animals\)"):
        StudyRun(tmp_path, Plan("plants", "Plants", {}, STEPS))
    StudyRun(tmp_path, other, force=True)
    assert read_study(tmp_path)["settings"]["seed"] == 1
    (tmp_path / "else").mkdir()
    (tmp_path / "else" / "file.txt").write_text("mine")
    with pytest.raises(UserError, match="not empty"):
        StudyRun(tmp_path / "else", PLAN)


def test_steps_that_were_in_store_do_not_set_the_pace_once_there_are_others() -> None:
    names = ("stored", "worked", "open")
    steps = [Step(name, name.title(), 100.0) for name in names]
    study = StudyRun(None, Plan("pace", "Pace", {}, steps))
    study.taken |= {"stored": 2.0, "worked": 60.0}
    assert study._left() == ", step 2 of 3, about 60 s left"


def test_the_plan_and_the_time_left_are_said() -> None:
    said: list[str] = []
    study = StudyRun(None, PLAN, say=said.append)
    assert said == ["Animals: 2 steps, about 40 s.", "1. Count the sheep (10 s)", "2. Count the goats (30 s)"]
    study.taken["first"] = 20.0
    assert study._left() == ", step 1 of 2, about 60 s left"
    study.taken["first"] = 1.0
    assert study._left() == ", step 1 of 2, 3 s to 30 s left"
    pd.testing.assert_frame_equal(study.table("second", lambda: TABLE), TABLE)
    assert study.workshop("first") is None
    with pytest.raises(UserError, match="keeps models"):
        study.folder_of("first", lambda _: None)
    assert (in_minutes(0.2), in_minutes(600), in_minutes(9000)) == ("1 s", "10 min", "2.5 h")


def test_a_full_disk_is_said_and_keeps_what_is_finished(tmp_path: Path) -> None:
    study = StudyRun(tmp_path, PLAN)
    study.table("first", lambda: TABLE)

    def write(_room: Path) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(UserError, match="No space left"):
        study.folder_of("second", write)
    assert not (tmp_path / "steps" / "second").exists()
    assert (tmp_path / "steps" / "first").exists()


def test_what_is_no_study_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        read_study(tmp_path)
    (tmp_path / "study.json").write_text(json.dumps({"schema": 99}))
    with pytest.raises(UserError, match="not written by this version"):
        read_study(tmp_path)
