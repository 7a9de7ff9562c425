"""Somebody writes to a model's files while it is loaded or runs: its answers and the store stay right."""

import subprocess
import sys
from pathlib import Path

import pytest
import tiny
import torch
from safetensors.torch import load_file

from equipoise.errors import UserError
from equipoise.measuring import measure
from equipoise.models.loading import load_model
from equipoise.models.options import LOADING, SCORING, Progress, RunOptions

TESTS = Path(__file__).parents[2]


def saved(folder: Path, seed: int = 7) -> Path:
    tiny.network("bert", seed).save_pretrained(folder)
    tiny.tokenizer("wordpiece").save_pretrained(folder)
    return folder / "model.safetensors"


def overwrite(path: Path, content: bytes) -> None:
    """As cp, scp and rsync --inplace do it: the file stays, its bytes change."""
    with path.open("r+b") as file:
        file.write(content)
        file.truncate()


def test_weights_overwritten_during_a_run_change_no_answer(tmp_path: Path) -> None:
    weights, others = saved(tmp_path / "mine"), saved(tmp_path / "other", seed=8).read_bytes()
    own = weights.read_bytes()
    store = tmp_path / "answers.sqlite"
    overwritten: list[int] = []

    def copy_over(progress: Progress) -> None:
        if progress.phase == SCORING and progress.rows and not overwritten:
            overwrite(weights, others)
            overwritten.append(progress.rows)

    undisturbed = measure(load_model(weights.parent, cache=False), "traits")
    model = load_model(str(weights.parent), RunOptions(store=store, progress=copy_over, token_budget=256))
    disturbed = measure(model, "traits")
    assert overwritten
    assert model.engine.rows_run > overwritten[0]
    assert disturbed.fingerprint == undisturbed.fingerprint
    assert disturbed.items["score"].tolist() == pytest.approx(undisturbed.items["score"].tolist(), abs=1e-5)

    overwrite(weights, own)
    again = load_model(str(weights.parent), RunOptions(store=store))
    kept = measure(again, "traits")
    assert again.engine.rows_run == 0
    assert kept.items["score"].tolist() == pytest.approx(undisturbed.items["score"].tolist(), abs=1e-5)


def test_weights_cut_short_during_a_run_do_not_end_the_process(tmp_path: Path) -> None:
    """The system kills a process that reads a mapped file beyond its end."""
    weights = saved(tmp_path / "mine")
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from equipoise.models.loading import load_model\n"
        "from equipoise.models.questions import Score\n"
        "model = load_model(Path(sys.argv[1]).parent, cache=False)\n"
        "Path(sys.argv[1]).write_bytes(b'')\n"
        "print(sum(model.answer([Score('She repairs every window.')])[0].logprobs), model.fingerprint)\n"
    )
    known = load_model(weights.parent, cache=False)
    done = subprocess.run(
        [sys.executable, "-c", script, str(weights)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    total, fingerprint = done.stdout.split()
    assert float(total) == pytest.approx(
        known.score(["She repairs every window."])["logprob"].sum(), abs=1e-4
    )
    assert fingerprint == known.fingerprint


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json"])
def test_files_that_change_while_they_are_read_are_refused(name: str, tmp_path: Path) -> None:
    """Weights, configuration and tokenizer would be of two models."""
    changed = saved(tmp_path / "mine").parent / name

    def touch(progress: Progress) -> None:
        if progress.phase == LOADING and progress.done == 1:
            overwrite(changed, changed.read_bytes())

    with pytest.raises(UserError, match=rf"{name} .*changed while") as caught:
        load_model(str(changed.parent), RunOptions(cache=False, progress=touch))
    assert "again" in caught.value.hint


def test_tied_weights_stay_tied_and_equal_the_file(tmp_path: Path) -> None:
    weights = saved(tmp_path / "mine")
    network = load_model(str(weights.parent), RunOptions(cache=False)).transformers_model
    assert network.get_output_embeddings().weight is network.get_input_embeddings().weight
    state = network.state_dict()
    assert all(torch.equal(state[name], tensor) for name, tensor in load_file(weights).items())
