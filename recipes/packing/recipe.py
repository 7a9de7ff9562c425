"""From a folder with a masked language model to a packed folder, in stages that can be resumed."""

import logging
import shutil
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForMaskedLM, AutoTokenizer

from equipoise.errors import UserError
from equipoise.models.loading.packed import PackedMatrix, PackedModel, unpack_matrix
from recipes.packing.calibrate import Statistics, add_statistics, empty_statistics
from recipes.packing.coding import pack_matrix, unpack_integers
from recipes.packing.passages import MaskedBatch, masked_batches, token_counts
from recipes.packing.rounding import plan_matrices, round_model, sort_weights
from recipes.packing.settings import Recipe
from recipes.packing.stages import WorkFolder, fingerprint_inputs
from recipes.packing.tune import Tuning
from recipes.packing.writing import write_packed

COPIED_FILES = ("config.json", "vocab.txt", "tokenizer.json", "tokenizer_config.json")
TUNING_SEED_OFFSET = 10_000
STEPS_PER_SAVE = 5

logger = logging.getLogger(__name__)

Matrices = dict[str, PackedMatrix]
Vectors = dict[str, torch.Tensor]


def pack_model(source: Path, target: Path, recipe: Recipe, *, texts: list[str], work_folder: Path) -> str:
    """Pack the model in `source` into `target`; the SHA-256 of the packed tensors."""
    if not texts:
        raise UserError("There are no texts to calibrate on.", "Give a file with some paragraphs.")
    work = WorkFolder(work_folder, fingerprint_inputs(source, recipe, texts=texts))
    packing = Packing(recipe, texts, work, *_load_source(source))
    matrices = packing.round_matrices()
    vectors = sort_weights(packing.model).plain
    if recipe.tuning_steps:
        matrices, vectors = packing.tune(matrices, vectors)
    return _write(source, target, packing=packing, parts=(matrices, vectors))


@dataclass
class Packing:
    """One run of a recipe: its inputs, and the stages that lead from the model to packed parts."""

    recipe: Recipe
    texts: list[str]
    work: WorkFolder
    model: Any
    tokenizer: Any

    def measure(self) -> Statistics:
        """The statistics of calibration, saved after every round."""
        saved = self.work.load("statistics") or {"rounds": 0}
        done = int(saved["rounds"])
        statistics = Statistics.from_tables(saved) if done else empty_statistics(self.model)
        for number in range(done, self.recipe.rounds):
            seed = self.recipe.seed + number
            add_statistics(statistics, self.model, batches=self._batches(seed), seed=seed)
            logger.info("calibration: round %d of %d", number + 1, self.recipe.rounds)
            self.work.save("statistics", {"rounds": number + 1, **asdict(statistics)})
        return statistics

    def round_matrices(self) -> Matrices:
        """The rounded matrices, from the saved stage where there is one."""
        saved = self.work.load("rounded")
        if saved is None:
            statistics = self.measure()
            counts = token_counts(self.texts, self.tokenizer)
            plans = plan_matrices(self.model, statistics, counts=counts, recipe=self.recipe)
            source = sort_weights(self.model)
            matrices = round_model(source, plans, target_bytes=self.recipe.target_bytes)
            saved = {name: asdict(matrix) for name, matrix in matrices.items()}
            self.work.save("rounded", saved)
            logger.info("rounded: %d matrices", len(saved))
        return {name: PackedMatrix(**parts) for name, parts in saved.items()}

    def tune(self, matrices: Matrices, vectors: Vectors) -> tuple[Matrices, Vectors]:
        """Matrices with tuned row steps, and tuned vectors."""
        tuning = self._tuning(matrices)
        for number, batch in enumerate(self._tuning_batches()):
            if number < tuning.step:
                continue
            divergence = tuning.advance(batch)
            logger.info("tuning: step %d, divergence %.5f", tuning.step, divergence)
            if tuning.step % STEPS_PER_SAVE == 0 or tuning.step == self.recipe.tuning_steps:
                self.work.save("tuning", tuning.state())
            if tuning.step == self.recipe.tuning_steps:
                break
        return _apply(tuning.values(), matrices, vectors=vectors)

    def _tuning(self, matrices: Matrices) -> Tuning:
        packed = deepcopy(self.model)
        state = {name: unpack_matrix(matrix) for name, matrix in matrices.items()}
        packed.load_state_dict(state, strict=False)
        recipe = self.recipe
        tuning = Tuning(self.model, packed, rate=recipe.tuning_rate, steps=recipe.tuning_steps)
        saved = self.work.load("tuning")
        if saved is not None:
            tuning.take_up(saved)
        return tuning

    def _batches(self, seed: int) -> Iterator[MaskedBatch]:
        return masked_batches(self.texts, self.tokenizer, recipe=self.recipe, seed=seed)

    def _tuning_batches(self) -> Iterator[MaskedBatch]:
        seed = self.recipe.seed + TUNING_SEED_OFFSET
        while True:
            yield from self._batches(seed)
            seed += 1


def _load_source(folder: Path) -> tuple[Any, Any]:
    if not (folder / "config.json").is_file():
        raise UserError(f"{folder} holds no model (no config.json).", "Name a local model folder.")
    model = AutoModelForMaskedLM.from_pretrained(folder, dtype=torch.float32, use_safetensors=True)
    return model, AutoTokenizer.from_pretrained(folder)


def _apply(tuned: Vectors, matrices: Matrices, *, vectors: Vectors) -> tuple[Matrices, Vectors]:
    """Row factors go into the row steps, the other tuned values replace the vectors."""
    scaled = dict(matrices)
    for name, matrix in matrices.items():
        scale = tuned.get(name.removesuffix(".weight") + ":scale")
        if scale is not None:
            row_step = matrix.row_step.float() * scale
            scaled[name] = pack_matrix(
                unpack_integers(matrix), row_step=row_step, column_step=matrix.column_step
            )
    return scaled, {name: tuned.get(name, value) for name, value in vectors.items()}


def _write(source: Path, target: Path, *, packing: Packing, parts: tuple[Matrices, Vectors]) -> str:
    target.mkdir(parents=True, exist_ok=True)
    for name in COPIED_FILES:
        if (source / name).is_file():
            shutil.copyfile(source / name, target / name)
    architecture = packing.model.config.model_type
    tied = sort_weights(packing.model).tied
    return write_packed(target, PackedModel(architecture, *parts, tied))
