"""Uploading with the real client to a hub on this machine: private, by name only, one commit or nothing."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import fake_hub
import huggingface_hub
import pytest
import tiny
import yaml
from command_line import run as command

import equipoise as eq
from equipoise.errors import UserError
from equipoise.mitigations.base import Changed
from equipoise.mitigations.networks import ChangesWeights, changed_model, masked_model, own_copy
from equipoise.report.publishing import EVAL_RESULTS, collect_upload

# The hub's own client uses what its HTTP library deprecates.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")


@pytest.fixture
def hub() -> Iterator[fake_hub.FakeHub]:
    one = fake_hub.FakeHub()
    yield one
    one.close()  # a second time is harmless


@dataclass(frozen=True)
class Copied(ChangesWeights):
    """Plain weights, as they were."""

    name = "copied"
    reads_corpus = False
    presets: ClassVar[dict[str, Any]] = {}

    def change(self, model: Any, materials: Any) -> Changed:
        masked = masked_model(model, self.name)
        return Changed(changed_model(own_copy(masked), masked, self.name), ("Nothing was changed.",))


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A changed model and results of it."""
    folder = tmp_path_factory.mktemp("publishing")
    model = eq.wrap_model(tiny.network("bert"), tiny.tokenizer("wordpiece"), name="small")
    changed = eq.mitigate(model, Copied())
    changed.save(folder / "changed")
    (folder / "changed" / ".secret").write_text("stays here", "utf-8")
    eq.measure(changed.model, "traits").save(folder / "results")
    return folder / "changed", folder / "results"


@pytest.fixture
def logged_in(hub: fake_hub.FakeHub, monkeypatch: pytest.MonkeyPatch) -> fake_hub.FakeHub:
    """The client of this process asks the hub on this machine, with a made-up token."""
    monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", hub.address)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setenv("HF_TOKEN", "hf_made_up")
    return hub


def test_the_command_uploads_a_model_privately_with_its_results(hub, folders) -> None:
    """In a process of its own, which knows the hub by HF_ENDPOINT only."""
    model, results = folders
    env = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    env |= {"HF_ENDPOINT": hub.address, "HF_HUB_DISABLE_XET": "1", "HF_HOME": "/nonexistent"}
    arguments = ("push", model, "--to", "me/changed", "--results", results)
    line = [sys.executable, "-m", "equipoise", *map(str, arguments)]
    done = subprocess.run(line, capture_output=True, text=True, env=env | {"HF_TOKEN": "hf_made_up"})
    assert done.returncode == 0, done.stderr
    assert f"{hub.address}/me/changed (private)" in done.stdout + done.stderr
    there = hub.repositories["me/changed"]
    assert (there.private, there.commits) == (True, 1)
    assert ".secret" not in there.files
    assert {"README.md", "equipoise.json"} < set(there.files)
    assert any(name.endswith(".safetensors") for name in there.files)
    for name in set(there.files) - {EVAL_RESULTS}:
        assert there.files[name] == (model / name).read_bytes()
    shown = yaml.safe_load(there.files[EVAL_RESULTS])
    assert any(entry["dataset"]["task_id"].startswith("traits.") for entry in shown)


def test_what_is_there_is_updated_only_if_asked_and_never_in_public(logged_in, folders) -> None:
    model = folders[0]
    assert eq.push(model, "me/changed") == f"{logged_in.address}/me/changed"
    there = logged_in.repositories["me/changed"]
    with pytest.raises(UserError, match="me/changed exists on the hub"):
        eq.push(model, "me/changed")
    there.private = False
    with pytest.raises(UserError, match="is public on the hub, and a private upload was asked for"):
        eq.push(model, "me/changed", force=True)
    assert there.commits == 1
    eq.push(model, "me/changed", force=True, public=True)
    assert there.commits == 2


def test_results_are_a_data_set_and_come_back(logged_in, folders, tmp_path: Path) -> None:
    eq.push(folders[1], "me/results", public=True)
    there = logged_in.repositories["me/results"]
    assert not there.private
    assert any(request.startswith("POST /api/datasets/me/results/commit") for request in logged_in.requests)
    for name, content in there.files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    assert eq.load_results(tmp_path)[0].estimates.equals(eq.load_results(folders[1])[0].estimates)


def test_a_refused_upload_leaves_nothing_and_is_said(
    logged_in, folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    logged_in.refuses = True
    with pytest.raises(UserError, match="refused the upload: You have no write rights"):
        eq.push(folders[1], "me/other")
    assert logged_in.repositories["me/other"].files == {}
    asked = len(logged_in.requests)
    with pytest.raises(UserError, match="OWNER/NAME"):
        eq.push(folders[1], "other")
    monkeypatch.delenv("HF_TOKEN")
    monkeypatch.setattr(huggingface_hub.constants, "HF_TOKEN_PATH", "/nonexistent")
    with pytest.raises(UserError, match="not logged in"):
        eq.push(folders[1], "me/other")
    assert len(logged_in.requests) == asked


def test_a_hub_that_is_not_there_is_said(logged_in, folders) -> None:
    logged_in.close()
    with pytest.raises(UserError, match=f"The upload to {logged_in.address} failed"):
        eq.push(folders[1], "me/other")


def test_a_check_lists_the_files_and_sends_nothing(logged_in, folders, capsys) -> None:
    command("push", folders[0], "--to", "me/changed", "--check")
    said = "".join(capsys.readouterr())
    assert ".safetensors" in said
    assert "as a private model. Nothing was uploaded." in said
    assert logged_in.requests == []


def test_other_folders_are_refused(tmp_path: Path, folders) -> None:
    with pytest.raises(UserError, match="holds no result"):
        collect_upload(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({}), "utf-8")
    with pytest.raises(UserError, match="not a model that `equipoise mitigate` wrote"):
        collect_upload(tmp_path)
    with pytest.raises(UserError, match="not a model"):
        collect_upload(folders[1], folders[1])


def test_a_recipe_around_a_model_on_this_disk_is_refused(folders, tmp_path: Path) -> None:
    """Nobody else could load it, and it holds the path."""
    eq.mitigate(folders[0], "counterfactual-averaging").save(tmp_path / "recipe")
    with pytest.raises(UserError, match="a recipe around the model in"):
        collect_upload(tmp_path / "recipe")
