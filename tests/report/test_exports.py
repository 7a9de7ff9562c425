"""Exports: what is written is what was measured, and what others read accepts it."""

import csv
import io
import json
from math import nan
from pathlib import Path

import pytest
import yaml
from command_line import run
from huggingface_hub import ModelCard
from jsonschema import Draft202012Validator, ValidationError
from made_results import made_result

from equipoise.errors import UserError
from equipoise.report.exports import EXPORTS, export
from equipoise.report.exports.json import load_schema
from equipoise.results import Estimate, Result
from equipoise.results.estimate import estimates_table


def result(model: str = "org/m", instrument: str = "tbe") -> Result:
    made = made_result({"text": ["t"], "score": [0.0]}, model=model, instrument=instrument)
    made.provenance["model"] |= {"kind": "masked", "precision": "fp32"}
    made.provenance["data"] |= {"name": "/some/where/pairs.csv", "notices": ["3 rows are odd"]}
    made.provenance["sentences"] = ["Leans male."]
    made.estimates = estimates_table(
        [
            Estimate("appd", 1 / 3, 0.25, 0.4, 90, dropped=2, headline=True),
            Estimate("guard", 0.8, nan, nan, 4, better="higher", headline=True, groups={"type": "1"}),
            Estimate("skew", nan, nan, nan, 0, headline=True, label="|skew|"),
            Estimate("rest", 1.0, 0.5, 1.5, 9),
        ]
    )
    return made


def test_a_number_that_means_nothing_says_so_in_every_format() -> None:
    """A table of a paper has no other place for it, and the hub would rank models by it."""
    made = result()
    noise = Estimate("noise", 7.0, 6.0, 8.0, 90, headline=True, void="ability is below 75")
    made.estimates = estimates_table([Estimate("appd", 0.5, 0.4, 0.6, 90, headline=True), noise])
    assert "| noise | 7.000 | not meaningful | 90 |" in export([made], "markdown")
    assert "noise & 7.000 & not meaningful & 90" in export([made], "latex")
    card = ModelCard(export([made], "model-card"))
    assert [one.metric_type for one in card.data.eval_results] == ["tbe.appd"]
    assert "| noise | 7.000 | not meaningful | 90 |" in card.text


def test_the_hub_reads_the_model_card() -> None:
    text = export([result(), result(instrument="sbe")], "model-card")
    card = ModelCard(text)
    metrics = {one.metric_type: one for one in card.data.eval_results}
    assert list(metrics) == ["tbe.appd", "tbe.guard", "sbe.appd", "sbe.guard"]
    appd = metrics["tbe.appd"]
    assert appd.metric_value == 1 / 3
    assert appd.metric_args["low"] == 0.25
    assert (appd.task_type, appd.dataset_name) == ("fill-mask", "pairs.csv")
    assert "low" not in metrics["tbe.guard"].metric_args
    assert metrics["tbe.guard"].metric_args["good"] == "higher"
    assert card.data.model_name == "m"
    assert "| 0.333 | 0.250 to 0.400 | 90 | 0 |" in card.text
    assert "| \\|skew\\| | could not be asked | too few to tell | 0 |" in card.text
    assert "- tbe: Leans male." in card.text
    assert "- note, tbe: 3 rows are odd" in card.text


def test_the_metadata_are_the_hubs_model_index() -> None:
    """The names that the hub's own description of a model card gives to each part."""
    front = yaml.safe_load(export([result()], "model-card").split("---\n")[1])
    assert set(front) == {"model-index"}
    (model,) = front["model-index"]
    (entry,) = model["results"]
    assert set(entry) == {"task", "dataset", "metrics"}
    assert {"type", "value", "name"} <= set(entry["metrics"][0])
    assert entry["dataset"]["args"] == {"sha256": {"items.csv": "a" * 64}}


def test_a_card_is_of_one_model_and_of_numbers() -> None:
    with pytest.raises(UserError, match="several: a, b"):
        export([result("a"), result("b")], "model-card")
    empty = result()
    empty.estimates = estimates_table([Estimate("appd", nan, nan, nan, 0, headline=True)])
    with pytest.raises(UserError, match="is a number"):
        export([empty], "model-card")


def test_hostile_names_stay_in_their_cell() -> None:
    text = export([result("m|<script>\n---\nx: [")], "model-card")
    assert ModelCard(text).data.eval_results
    assert "<script>" not in ModelCard(text).text
    assert "m\\|&lt;script&gt; --- x: [" in ModelCard(text).text
    latex = export([result("a_b & 50%")], "latex")
    assert r"a\_b \& 50\%" in latex


def test_json_satisfies_its_schema() -> None:
    validator = Draft202012Validator(load_schema())
    Draft202012Validator.check_schema(load_schema())
    document = json.loads(export([result(), result(instrument="sbe")], "json"))
    validator.validate(document)
    first = document["results"][0]["estimates"]
    assert first[0]["value"] == 1 / 3
    assert first[1]["low"] is None
    for damage in (
        {"value": "0.3"},
        {"n": -1},
        {"better": "good"},
        {"surprise": 1},
    ):
        damaged = json.loads(json.dumps(document))
        damaged["results"][0]["estimates"][0] |= damage
        with pytest.raises(ValidationError):
            validator.validate(damaged)


def test_a_measured_result_satisfies_the_schema_too() -> None:
    import equipoise

    measured = equipoise.measure("random", "traits")
    Draft202012Validator(load_schema()).validate(json.loads(export([measured], "json")))
    assert ModelCard(export([measured], "model-card")).data.eval_results


def test_csv_holds_every_estimate_exactly() -> None:
    rows = list(csv.DictReader(io.StringIO(export([result()], "csv"))))
    assert [row["key"] for row in rows] == ["appd", "guard", "skew", "rest"]
    assert float(rows[0]["value"]) == 1 / 3
    assert rows[1]["low"] == ""


def test_the_command_knows_every_format(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = result().save(tmp_path / "r").parent
    names = {"csv", "json", "latex", "markdown", "model-card"}
    assert names <= set(EXPORTS)
    for name in sorted(names):
        assert run("export", folder, "--format", name) == 0
        assert capsys.readouterr().out == export([result()], name) or name == "json"
    assert run("export", folder, "--format", "modelcard") == 2
    assert "Did you mean 'model-card'" in capsys.readouterr().err
    assert run("export", folder, "--format", "csv", "--out", tmp_path / "new" / "x.csv") == 0
    assert (tmp_path / "new" / "x.csv").read_text() == export([result()], "csv")
    assert run("export", folder, "--format", "csv", "--out", tmp_path / "new" / "x.csv" / "y.csv") == 2
    assert "cannot be written" in capsys.readouterr().err
