"""Results of the stages of a packing, kept in a folder so that a stopped run can go on."""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from equipoise.errors import UserError
from equipoise.files import sha256
from recipes.packing.settings import Recipe

FINGERPRINT_FILE = "inputs.json"


class WorkFolder:
    """Saved stages of one packing; a folder that belongs to other inputs is refused."""

    def __init__(self, folder: Path, fingerprint: str) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        note = folder / FINGERPRINT_FILE
        if note.is_file() and json.loads(note.read_text(encoding="utf-8")) != fingerprint:
            raise UserError(
                f"{folder} holds stages of another packing (other recipe, source or texts).",
                "Give another work folder, or empty this one.",
            )
        note.write_text(json.dumps(fingerprint), encoding="utf-8")

    def load(self, stage: str) -> Any:
        """What a stage saved, or None."""
        path = self.folder / f"{stage}.pt"
        return torch.load(path, weights_only=True) if path.is_file() else None

    def save(self, stage: str, result: Any) -> None:
        """Save a stage so that a reader never sees half of it."""
        unfinished = self.folder / f"{stage}.unfinished"
        torch.save(result, unfinished)
        unfinished.replace(self.folder / f"{stage}.pt")


def fingerprint_inputs(source: Path, recipe: Recipe, *, texts: list[str]) -> str:
    """One hash of the recipe, the files of the source model and the texts."""
    digest = hashlib.sha256(json.dumps(asdict(recipe), sort_keys=True).encode())
    for path in sorted(source.iterdir()):
        if path.is_file():
            digest.update(f"{path.name} {sha256(path)}".encode())
    for text in texts:
        digest.update(text.encode() + b"\0")
    return digest.hexdigest()
