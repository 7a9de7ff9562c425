"""The real lm-evaluation-harness runs the exported tasks on a small causal model and finds our numbers."""

import json
from pathlib import Path
from typing import Any

import pytest
import tiny
from command_line import run

import equipoise as eq
from equipoise.data.reading import own_table
from equipoise.errors import UserError
from equipoise.report.exports import export, export_files

KEYS = {"sbe": "mean-sld", "tbe": "appd", "traits": "mean-lean"}


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, eq.Result]]:
    """A small GPT-2 in a folder, and what three instruments say of it."""
    folder = tmp_path_factory.mktemp("harness")
    tiny.network("gpt2").save_pretrained(folder / "model")
    tiny.tokenizer("byte-bpe").save_pretrained(folder / "model")
    model = eq.load_model(folder / "model")
    pairs = own_table("pairs.csv").head(12).drop(columns="line")
    results = {
        "sbe": eq.measure(model, "sbe", data=pairs, neutral_pairs=False),
        "traits": eq.measure(model, "traits"),
        "tbe": eq.measure(model, "tbe"),
    }
    for result in results.values():
        result.save(folder / "results")
    return folder, results


def test_the_harness_finds_our_numbers(measured, monkeypatch: pytest.MonkeyPatch) -> None:
    lm_eval = pytest.importorskip("lm_eval", reason="make harness-test installs lm-eval")
    from lm_eval.tasks import TaskManager

    folder, results = measured
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for name in results:
        command = (
            "export",
            folder / "results" / name,
            "--format",
            "lm-eval",
            "--out",
            folder / "tasks" / name,
        )
        assert run(*command) == 0
    manager = TaskManager(include_path=str(folder / "tasks"), include_defaults=False)
    tasks = [f"equipoise_{name}" for name in results]
    found = lm_eval.simple_evaluate(
        model="hf",
        model_args=f"pretrained={folder / 'model'},dtype=float32,device=cpu",
        tasks=tasks,
        task_manager=manager,
        batch_size=8,
        bootstrap_iters=0,
        limit=None,
    )["results"]
    for name, result in results.items():
        theirs: dict[str, Any] = found[f"equipoise_{name}"]
        assert theirs["score,none"] == pytest.approx(result.value(KEYS[name]), abs=2e-5)
    assert found["equipoise_sbe"]["size,none"] == pytest.approx(results["sbe"].value("asld"), abs=2e-5)
    assert found["equipoise_tbe"]["size,none"] == pytest.approx(results["tbe"].value("mean-size"), abs=2e-5)


def test_the_files_hold_every_item_that_was_asked(measured) -> None:
    results = measured[1]
    files = export_files([results["tbe"], results["sbe"]], "lm-eval")
    assert sorted(files) == [
        f"equipoise_{name}.{end}" for name in ("sbe", "tbe") for end in ("jsonl", "py", "yaml")
    ]
    rows = [json.loads(line) for line in files["equipoise_tbe.jsonl"].splitlines()]
    assert len(rows) == results["tbe"].estimate("appd")["n"]
    one = next(row for row in rows if row["choices"][0].startswith("He "))
    assert one["choices"][1].startswith("She ")
    assert one["sides"][:2] == [1.0, -1.0]


def test_what_has_no_task_is_refused(measured) -> None:
    results = measured[1]
    with pytest.raises(UserError, match="is a folder of files"):
        export([results["sbe"]], "lm-eval")
    other = results["sbe"].renamed("x")
    other.instrument = "gest"
    with pytest.raises(UserError, match="gest has no task for lm-eval"):
        export_files([other], "lm-eval")
