"""The whole recipe on a two-layer model: same bytes again, resumed or not, and a strict load."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForMaskedLM, BertConfig, BertForMaskedLM

from equipoise.errors import UserError
from equipoise.models.loading.packed import TENSOR_FILE, load_packed
from recipes.packing import Recipe
from recipes.packing.__main__ import main
from recipes.packing.recipe import Packing, pack_model


@pytest.fixture(scope="module")
def packed(
    tiny_source: Path, tiny_texts: list[str], tiny_recipe: Recipe, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("packed")
    work = tmp_path_factory.mktemp("work")
    pack_model(tiny_source, folder, tiny_recipe, texts=tiny_texts, work_folder=work)
    return folder


def _all_bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_the_same_input_gives_the_same_bytes(
    packed: Path, tiny_source: Path, tiny_texts: list[str], tiny_recipe: Recipe, tmp_path: Path
) -> None:
    pack_model(tiny_source, tmp_path / "again", tiny_recipe, texts=tiny_texts, work_folder=tmp_path / "work")
    assert _all_bytes(tmp_path / "again") == _all_bytes(packed)


class StoppedError(Exception):
    """Stands for a run that is killed."""


@pytest.mark.parametrize("stage", ["statistics", "rounded", "tuning"])
def test_a_stopped_run_goes_on_to_the_same_bytes(
    packed: Path,
    tiny_source: Path,
    tiny_texts: list[str],
    tiny_recipe: Recipe,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    stage: str,
) -> None:
    from recipes.packing.stages import WorkFolder

    real_save = WorkFolder.save

    def save_and_stop(self: WorkFolder, name: str, result: object) -> None:
        real_save(self, name, result)
        if name == stage:
            raise StoppedError

    out, work = tmp_path / "out", tmp_path / "work"
    monkeypatch.setattr(WorkFolder, "save", save_and_stop)
    with pytest.raises(StoppedError):
        pack_model(tiny_source, out, tiny_recipe, texts=tiny_texts, work_folder=work)
    monkeypatch.setattr(WorkFolder, "save", real_save)
    assert (work / f"{stage}.pt").is_file()
    pack_model(tiny_source, out, tiny_recipe, texts=tiny_texts, work_folder=work)
    assert _all_bytes(out) == _all_bytes(packed)


def test_the_packed_model_loads_strictly_and_answers_nearly_as_the_original(
    packed: Path, tiny_source: Path, tiny_recipe: Recipe
) -> None:
    model = BertForMaskedLM(BertConfig.from_pretrained(packed))
    model.load_state_dict(load_packed(packed), strict=True)
    tied = model.get_output_embeddings().weight
    assert torch.equal(tied, model.get_input_embeddings().weight)
    original = AutoModelForMaskedLM.from_pretrained(tiny_source, dtype=torch.float32)
    ids = torch.tensor([[2, 4, 20, 10, 11, 31, 3]])
    with torch.no_grad():
        ours, theirs = model.eval()(ids).logits, original.eval()(ids).logits
    alike = torch.corrcoef(torch.stack([ours.flatten(), theirs.flatten()]))[0, 1]
    assert 0.97 < float(alike) < 1
    assert (packed / TENSOR_FILE).stat().st_size <= tiny_recipe.target_bytes


def test_a_smaller_target_gives_a_smaller_and_worse_file(
    packed: Path, tiny_source: Path, tiny_texts: list[str], tiny_recipe: Recipe, tmp_path: Path
) -> None:
    small = replace(tiny_recipe, target_bytes=58_000, tuning_steps=0)
    pack_model(tiny_source, tmp_path / "small", small, texts=tiny_texts, work_folder=tmp_path / "work")
    original = AutoModelForMaskedLM.from_pretrained(tiny_source, dtype=torch.float32).state_dict()
    harm = []
    for folder in (packed, tmp_path / "small"):
        state = load_packed(folder)
        harm.append(sum(float((state[n] - original[n]).pow(2).sum()) for n in original))
    assert (tmp_path / "small" / TENSOR_FILE).stat().st_size <= 58_000
    assert harm[1] > 2 * harm[0]


def test_a_work_folder_of_other_inputs_is_refused(
    tiny_source: Path, tiny_texts: list[str], tiny_recipe: Recipe, tmp_path: Path
) -> None:
    other = replace(tiny_recipe, tuning_steps=0, rounds=1)
    pack_model(tiny_source, tmp_path / "a", other, texts=tiny_texts, work_folder=tmp_path / "work")
    with pytest.raises(UserError, match="another packing"):
        pack_model(tiny_source, tmp_path / "b", other, texts=tiny_texts[:2], work_folder=tmp_path / "work")


def test_tuning_brings_the_model_nearer_to_the_original(
    tiny_source: Path, tiny_texts: list[str], tiny_recipe: Recipe, tmp_path: Path
) -> None:
    from recipes.packing.recipe import _load_source
    from recipes.packing.stages import WorkFolder
    from recipes.packing.tune import divergence_from

    small = replace(tiny_recipe, target_bytes=58_000, rounds=1, passages=60, batch_tokens=700)
    recipe = replace(small, tuning_steps=30, tuning_rate=1e-3)
    packing = Packing(recipe, tiny_texts, WorkFolder(tmp_path, "x"), *_load_source(tiny_source))
    tuning = packing._tuning(packing.round_matrices())
    other_batches = list(packing._batches(99))

    def divergence() -> float:
        with torch.no_grad():
            found = [divergence_from(tuning.original, tuning.packed, batch=b) for b in other_batches]
        return float(sum(found))

    before = divergence()
    for _number, batch in zip(range(30), packing._tuning_batches(), strict=False):
        tuning.advance(batch)
    assert divergence() < 0.85 * before


def test_the_command_packs_and_names_mistakes(
    tiny_source: Path, tiny_texts: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts, recipe = tmp_path / "texts.txt", tmp_path / "recipe.toml"
    texts.write_text("\n".join(tiny_texts), encoding="utf-8")
    recipe.write_text("target_bytes = 70_000\nrounds = 1\npassages = 8\n", encoding="utf-8")
    common = ["--source", str(tiny_source), "--texts", str(texts), "--out", str(tmp_path / "out")]
    assert main([str(recipe), *common]) == 0
    assert "SHA-256" in capsys.readouterr().out
    recipe.write_text("target_byte = 70_000\n", encoding="utf-8")
    assert main([str(recipe), *common]) == 2
    assert "Did you mean 'target_bytes'" in capsys.readouterr().err
    shutil.rmtree(tmp_path / "out")
