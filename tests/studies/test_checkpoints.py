"""The curve over checkpoints: each is measured as `measure` would, in order; what is refused."""

import json
from copy import deepcopy
from pathlib import Path

import pandas as pd
import pytest
import tiny
from command_line import run

from equipoise.errors import UserError
from equipoise.measuring import measure
from equipoise.models.loading import load_model
from equipoise.report.page import contents_of
from equipoise.report.sections import Study, load_study, section_of
from equipoise.studies.changes.checkpoints import checkpoint_folders

TEMPLATES = "id,category,form,template\n" + "".join(
    f"t{number},work,subject,{text}\n"
    for number, text in enumerate(
        [
            "The <profession> said that [MASK] left.",
            "Today [MASK] met the <profession>.",
            "[MASK] asked a <profession>.",
            "Nobody told the <profession> why [MASK] laughed.",
            "At noon [MASK] saw the <profession> again.",
        ]
    )
)
PROFESSIONS = "profession,category,gender\n" + "".join(
    f"{name},work,\n"
    for name in ("nurse", "doctor", "carpenter", "pilot", "librarian", "gardener", "mechanic")
)


@pytest.fixture
def training(tmp_path: Path) -> Path:
    """A run with three checkpoints: their weights move further from those of the first one."""
    folder = tmp_path / "run"
    for step, shift in ((1000, 0.4), (200, 0.2), (0, 0.0)):
        network = deepcopy(tiny.network("bert"))
        network.cls.predictions.bias.data[tiny.tokenizer("wordpiece").convert_tokens_to_ids("he")] += (
            10 * shift
        )
        network.save_pretrained(folder / f"checkpoint-{step}")
        tiny.tokenizer("wordpiece").save_pretrained(folder / f"checkpoint-{step}")
    (tmp_path / "templates.csv").write_text(TEMPLATES, "utf-8")
    (tmp_path / "professions.csv").write_text(PROFESSIONS, "utf-8")
    return folder


def test_the_curve_holds_what_each_checkpoint_measures(
    training: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "curve"
    asked = ("study", "checkpoints", training, "--data", tmp_path, "--out", out)
    assert run(*asked, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    table = pd.read_csv(out / "checkpoints.csv", keep_default_na=False, na_values=["nan", ""])
    whole = table[(table["key"] == "appd") & table["by"].isna()]
    assert whole["step"].tolist() == [0, 200, 1000]
    for row in whole.to_dict("records"):
        alone = measure(load_model(training / f"checkpoint-{row['step']}"), "tbe", data=tmp_path)
        expected = alone.estimate("appd")
        assert row["mean"] == pytest.approx(expected["value"], abs=1e-6)
        assert row["low"] == pytest.approx(expected["low"], abs=1e-6)
    assert whole["mean"].is_monotonic_increasing
    assert any("step-0" in sentence and "step-1000" in sentence for sentence in told["sentences"])
    figure = next(one for one in section_of(load_study(out)).figures if "appd" in one.name)
    assert "at 0" in figure.title
    assert "at 1,000 steps" in figure.title
    # A second run reads the steps back, so that nothing is measured again.
    before = {path: path.stat().st_mtime_ns for path in (out / "steps").rglob("*.csv")}
    assert run(*asked) == 0
    assert {path: path.stat().st_mtime_ns for path in (out / "steps").rglob("*.csv")} == before


def test_folders_that_make_no_curve_are_refused(training: Path, tmp_path: Path) -> None:
    assert list(checkpoint_folders([training])) == [0, 200, 1000]
    assert list(checkpoint_folders([training / "checkpoint-1000", training / "checkpoint-200"])) == [
        200,
        1000,
    ]
    with pytest.raises(UserError, match="1 checkpoint was found"):
        checkpoint_folders([training / "checkpoint-200"])
    with pytest.raises(UserError, match="are both of step 200"):
        checkpoint_folders([training, training / "checkpoint-200"])
    (tmp_path / "weights").mkdir()
    with pytest.raises(UserError, match="does not end with a step"):
        checkpoint_folders([tmp_path / "weights"])
    with pytest.raises(UserError, match="is not a folder"):
        checkpoint_folders([tmp_path / "nothing"])


def test_the_page_of_a_curve_has_a_card_for_each_number() -> None:
    names = ("step", "instrument", "key", "label", "by", "level", "unit", "mean", "low", "high")
    rows = [
        (0, "tbe", "appd", "APPD", "", "", "", 0.5, 0.43, 0.58),
        (500, "tbe", "appd", "APPD", "", "", "", 0.11, 0.06, 0.16),
        (0, "tbe", "guard", "guard", "", "", "", 0.69, 0.6, 0.78),
        (500, "tbe", "guard", "guard", "", "", "", 0.1, 0.05, 0.2),
    ]
    tables = {"checkpoints": pd.DataFrame(rows, columns=names)}
    study = Study("checkpoints", "Bias over the training", ("It fell.",), tables)
    (screen,) = contents_of([], [study]).screens
    (card,) = screen.slopes
    assert card.question == "Does it link jobs with a gender?"
    assert card.verdict == "Yes, in 2 of 2"
    assert card.sentence == (
        "Furthest from neutral: step 0, 50 points towards men (43 to 58): strong, certain. "
        "Nearest: step 500, 11 points towards men (6 to 16): clear, certain."
    )
    assert [(point.name, point.at) for point in card.points] == [("step 0", 75), ("step 500", 55.5)]
    assert [mark.state for mark in screen.knowledge] == ["yes", "no"]
