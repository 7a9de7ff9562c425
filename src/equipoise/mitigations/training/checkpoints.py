"""Checkpoints that survive a kill: the last complete one is found, and a half-written one thrown away."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from equipoise.errors import UserError
from equipoise.files import write_beside

STATE = "trainer_state.json"
"""The file of a checkpoint that is written last."""

IDENTITY = "training.json"
TORCH_WRITER = ("PytorchStreamWriter", "inline_container")
"""What torch's own error names where a disk ends in the middle of a file: it is not an OSError."""


def last_checkpoint(room: Path) -> Path | None:
    """The newest checkpoint that was written to its end; those that were not are removed."""
    complete: list[tuple[int, Path]] = []
    for folder in room.glob("checkpoint-*"):
        step = _step(folder)
        if step is None:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            complete.append((step, folder))
    return max(complete)[1] if complete else None


def _step(folder: Path) -> int | None:
    try:
        return int(json.loads((folder / STATE).read_text(encoding="utf-8"))["global_step"])
    except (OSError, ValueError, KeyError):
        return None


def claim_room(room: Path, identity: dict[str, Any]) -> None:
    """Note which training a room belongs to; another one's checkpoints are not mixed with this one's."""
    path = room / IDENTITY
    try:
        room.mkdir(parents=True, exist_ok=True)
        if path.exists() and json.loads(path.read_text(encoding="utf-8")) == identity:
            return
        for folder in room.glob("checkpoint-*"):
            shutil.rmtree(folder)
        write_beside(path, json.dumps(identity, indent=2) + "\n")  # several processes may claim it at once
    except (OSError, ValueError) as error:
        raise UserError(
            f"Checkpoints cannot be kept in {room}: {error}.",
            "Free disk space, or give a folder that you may write to.",
        ) from error


def identity_of(recipe: dict[str, Any], fingerprint: str, examples: Any, seed: int) -> dict[str, Any]:
    """What makes a training this one: recipe, model, examples in their order and seed."""
    digest = sha256()
    for example in examples:
        digest.update(repr(example).encode("utf-8", "surrogatepass"))
    return {"recipe": recipe, "model": fingerprint, "examples": digest.hexdigest(), "seed": seed}


@contextmanager
def full_disk_explained(room: Path) -> Iterator[None]:
    """A checkpoint that cannot be written ends the training; the one before it is kept."""
    try:
        yield
    except (OSError, SafetensorError, RuntimeError) as error:
        reason = _reason(error)
        if not reason:
            raise
        last_checkpoint(room)  # removes what was half written
        raise UserError(
            f"A checkpoint cannot be written to {room}: {reason}.",
            "Free disk space and run the same command again: it resumes from the last checkpoint.",
        ) from error


def _reason(error: Exception) -> str:
    """Why nothing could be written, in words; nothing if the error is about something else."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    if isinstance(error, SafetensorError):
        return str(error)
    is_cut_short = any(part in str(error) for part in TORCH_WRITER)
    return "a file ended before all of it was written, as on a full disk" if is_cut_short else ""
