"""References: standings by hand, the shipped population from the authors' scores, and a team's own league."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command_line import run

from equipoise.errors import UserError
from equipoise.instruments.base import Settings
from equipoise.instruments.gest import FRAMES
from equipoise.instruments.parts.gest_population import (
    SHARED_FRAMES,
    league_of,
    published_population,
    standing,
)
from equipoise.measuring import measure
from equipoise.models.table import TableModel
from equipoise.studies.models import standings
from equipoise.studies.proof.references import add_reference, league, published_result


def population(**gaps: float) -> pd.DataFrame:
    """Models whose stereotypes of men lie that far above those of women, in both frames."""
    rows = [
        (model, "masked", frame, number, gap if number > 7 else 0.0, 0.0, 0.0, 9)
        for model, gap in gaps.items()
        for frame in SHARED_FRAMES
        for number in range(1, 17)
    ]
    columns = ["model", "kind", "frame", "stereotype", "mean", "low", "high", "n"]
    return pd.DataFrame(rows, columns=columns)


def test_a_model_stands_between_those_with_a_smaller_and_a_larger_gap() -> None:
    others = population(small=0.1, middle=0.2, large=0.5)
    own = population(mine=0.26).drop(columns=["model", "kind"])
    place = standing(own, others)
    assert place is not None
    assert (place.below, place.others, place.closest) == (2, 3, "middle")
    assert place.sentence() == "More stereotyped than 2 of 3 published models; closest to middle."
    assert standing(own[own["stereotype"] < 16], others) is None
    assert league_of(others).to_dict() == pytest.approx({"large": 0.5, "middle": 0.2, "small": 0.1})


def test_the_shipped_population_is_that_of_the_published_scores(shared_data: Callable[[str], Path]) -> None:
    folder = shared_data("gest/gest.csv").parent
    table = published_population()
    assert table["model"].nunique() == 34
    assert len(table) == (11 * 4 + 23 * 2) * 16
    numbers = pd.read_csv(folder / "gest.csv")["stereotype"]
    for model, place, frame in (("roberta-base", 1, "man-said-before"), ("gpt2", 0, "he-said-after")):
        scores = np.loadtxt(
            folder / f"{'mlm' if model == 'roberta-base' else 'glm'}_{model}_template-{place}.txt"
        )
        rows = table[(table["model"] == model) & (table["frame"] == frame)].set_index("stereotype")
        for number in (1, 16):
            part = scores[numbers == number]
            assert rows.loc[number, "mean"] == pytest.approx(part.mean(), abs=6e-5)
            half = 1.96 * part.std(ddof=1) / len(part) ** 0.5
            assert rows.loc[number, "high"] == pytest.approx(part.mean() + half, abs=2e-4)


@pytest.mark.parametrize("model", ["roberta-base", "gpt2"])
def test_a_published_model_is_a_result_to_be_compared(model: str, shared_data: Callable[[str], Path]) -> None:
    folder = shared_data("gest/gest.csv").parent
    result = published_result(model, folder.parent)
    asked = result.items[result.items["dropped"] == ""]
    assert len(asked) == 3565 * (4 if model == "roberta-base" else 2)
    row = league(Path("nowhere.csv")).set_index("model").loc[model]
    below = 34 - row["rank"]
    assert (
        result.sentences[-1] == f"More stereotyped than {below} of 34 published models; closest to {model}."
    )


def test_an_unknown_published_model_is_refused() -> None:
    with pytest.raises(UserError, match="published model called 'roberta-bass'"):
        published_result("roberta-bass", None)


@pytest.fixture
def measured(tmp_path: Path) -> Any:
    """A result of sixteen sentences, one of each stereotype; those of men are said by men."""
    said = {number: f"I did thing number {number}." for number in range(1, 17)}
    lines = "".join(f"{text},{number}\n" for number, text in said.items())
    (tmp_path / "gest.csv").write_text("sentence,stereotype\n" + lines)
    fills = {
        frame.format(text): {words[0]: 0.4 if number > 7 else 0.2, words[1]: 0.2}
        for number, text in said.items()
        for frame, words in FRAMES.values()
    }
    return measure(TableModel(fills, name="ours"), "gest", Settings(data=str(tmp_path / "gest.csv")))


def test_results_are_added_to_a_league_once(measured: Any, tmp_path: Path) -> None:
    path = tmp_path / "league" / "own.csv"
    for _ in range(2):
        table = add_reference(measured, path)
    assert len(table) == 64
    row = league(path).set_index("model").loc["ours"]
    assert (row["source"], row["stereotype_rate"]) == ("yours", pytest.approx(2.0))
    path.write_text(path.read_text().replace("0.301", "x.301"))
    with pytest.raises(UserError, match="is damaged"):
        league(path)


def test_references_are_commands(
    measured: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EQUIPOISE_REFERENCES", str(tmp_path / "own.csv"))
    measured.save(tmp_path / "result")
    assert run("reference", "add", tmp_path / "result", "--name", "team/first") == 0
    assert run("reference", "show") == 0
    assert "team/first" in capsys.readouterr().out
    assert run("reference", "show", "--json") == 0
    table = json.loads(capsys.readouterr().out)["league"]
    assert len(table) == 35
    assert [row["rank"] for row in table] == list(range(1, 36))
    assert run("reference", "result", "roberta-base", "--out", tmp_path / "r", "--data-dir", tmp_path) == 2


def test_study_models_says_where_models_stand(measured: Any) -> None:
    (said,) = standings([measured])
    assert said.startswith("ours: More stereotyped than ")
    assert "of 34 published models" in said
