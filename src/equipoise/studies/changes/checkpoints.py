"""Bias over a training: every checkpoint measured alike, and the last one compared with the first."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pandas as pd

from equipoise.errors import UserError
from equipoise.instruments.base import Settings
from equipoise.measuring import audit
from equipoise.models.protocol import LanguageModel
from equipoise.results import Result
from equipoise.results.comparison import compare
from equipoise.results.reading import NO, Measured, knows, sentence_start
from equipoise.studies.steps import Keeping, Plan, Step

CATEGORY = "category"
SECONDS = 60.0
"""A guess for one checkpoint; the time left is judged by what was taken."""

_STEP = re.compile(r"(\d+)\D*$")
_WEIGHTS = ("*.safetensors", "*.bin", "config.json")


@dataclass(frozen=True)
class Measuring:
    """What every checkpoint is asked, and how its folder becomes a model."""

    instruments: Sequence[str] = ("tbe",)
    settings: Mapping[str, Settings] = field(default_factory=dict)
    open_model: Callable[[str], LanguageModel] | None = None

    def results(self, folder: Path) -> list[Result]:
        """The results of one checkpoint."""
        if self.open_model is not None:
            return audit(self.open_model(str(folder)), self.instruments, self.settings)
        from equipoise.models.loading import load_model  # torch comes with it

        return audit(load_model(folder), self.instruments, self.settings)


@dataclass(frozen=True)
class Curve:
    """Every headline at every step, the change from the first to the last one, and both in words."""

    table: pd.DataFrame
    differences: pd.DataFrame
    sentences: list[str]


def study_checkpoints(
    folders: Sequence[Path], measuring: Measuring | None = None, keeping: Keeping | None = None
) -> Curve:
    """Measure every checkpoint, in the order of their steps."""
    measuring = measuring or Measuring()
    folder_at = checkpoint_folders(folders)
    settings = {
        "checkpoints": {str(step): _files(folder) for step, folder in folder_at.items()},
        "instruments": list(measuring.instruments),
        "data": {name: str(one) for name, one in measuring.settings.items()},
    }
    steps = [Step(_name(step), f"Measure {folder.name}", SECONDS) for step, folder in folder_at.items()]
    study = (keeping or Keeping()).begin(Plan("checkpoints", "Bias over the training", settings, steps))
    by_step = {
        step: [
            one.renamed(_name(step)) for one in study.results(_name(step), partial(measuring.results, folder))
        ]
        for step, folder in folder_at.items()
    }
    table = pd.DataFrame([row for step, results in by_step.items() for row in _rows(step, results)])
    first, last = by_step[min(by_step)], by_step[max(by_step)]
    change = compare(first, last)
    sentences = [*change.sentences(), *_lost(by_step)]
    study.finish(sentences, {"checkpoints.csv": table, "differences.csv": change.table})
    return Curve(table, change.table, sentences)


def checkpoint_folders(folders: Sequence[Path]) -> dict[int, Path]:
    """Each checkpoint by its step: the number at the end of its name, in a run's folder or named itself."""
    folder_at: dict[int, Path] = {}
    for folder in folders:
        if not folder.is_dir():
            raise UserError(f"{folder} is not a folder.", "Name a training's folder, or its checkpoints.")
        inside = sorted(one for one in folder.glob("checkpoint-*") if one.is_dir())
        for one in inside or [folder]:
            number = _STEP.search(one.name)
            if number is None:
                raise UserError(
                    f"The name of {one} does not end with a step.",
                    "Rename it, for example to checkpoint-500.",
                )
            step = int(number[1])
            if step in folder_at:
                raise UserError(f"{folder_at[step]} and {one} are both of step {step}.", "Name one of them.")
            folder_at[step] = one
    if len(folder_at) < 2:
        raise UserError(
            f"{len(folder_at)} checkpoint was found where a curve needs two.",
            "Name a folder with checkpoint-N folders, or at least two checkpoints.",
        )
    return dict(sorted(folder_at.items()))


def _name(step: int) -> str:
    return f"step-{step}"


def _files(folder: Path) -> list[str]:
    """The weights of a checkpoint as they lie there: others make another study."""
    files = sorted(file for pattern in _WEIGHTS for file in folder.glob(pattern))
    return [f"{file.name} {file.stat().st_size} {file.stat().st_mtime_ns}" for file in files]


def _rows(step: int, results: Sequence[Result]) -> Iterator[dict[str, object]]:
    """The headlines over all items, and the same by category."""
    for result in results:
        keys = result.headlines()["key"]
        table = result.estimates[result.estimates["key"].isin(keys) & result.estimates["void"].eq("")]
        for row in table[table["by"].isin(("", CATEGORY))].to_dict("records"):
            yield {
                "step": step,
                "instrument": result.instrument,
                **{name: row[name] for name in ("key", "label", "by", "level")},
                "mean": row["value"],
                **{name: row[name] for name in ("low", "high", "n", "unit")},
            }


def _lost(by_step: Mapping[int, Sequence[Result]]) -> list[str]:
    """From which step on the model no longer has what it should know."""
    said = []
    first = next(iter(by_step.values()))
    for quantity in [one for result in first for one in result.declared if one.part != "bias"]:
        without = [step for step, results in by_step.items() if _is_lost(results, quantity.key)]
        if without:
            name = sentence_start(quantity.plain_name)
            said.append(f"{name}: less than it should at step {', '.join(map(str, without))}.")
    return said


def _is_lost(results: Sequence[Result], key: str) -> bool:
    for result in results:
        quantity = next((one for one in result.declared if one.key == key), None)
        rows = result.estimates[(result.estimates["key"] == key) & (result.estimates["by"] == "")]
        if quantity is not None and len(rows):
            return knows(Measured.of(rows.iloc[0], quantity), quantity) == NO
    return False
