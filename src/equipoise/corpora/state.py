"""What a run has finished: saved beside and renamed, so that a killed run goes on where it was."""

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.corpora.documents import Position, Problem, Problems
from equipoise.corpora.drivers import Candidate, Drivers
from equipoise.corpora.moments import Moments
from equipoise.corpora.writing import writing
from equipoise.errors import UserError

STATE = "state.npz"


@dataclass
class State:
    """The sums of all finished blocks and the position after them."""

    fingerprint: str
    moments: Moments
    drivers: Drivers
    position: Position = field(default_factory=Position)
    problems: Problems = field(default_factory=Problems)
    flags: Counter[str] = field(default_factory=Counter)
    flagged_bytes: int = 0
    finished: bool = False

    def save(self, folder: Path) -> None:
        """Write the state beside and rename it into place."""
        moments = self.moments
        notes = {
            "fingerprint": self.fingerprint,
            "groups": moments.groups,
            "categories": self.drivers.categories,
            "drivers": self.drivers.kept,
            "position": self.position,
            "problems": self.problems.kept,
            "problem_counts": self.problems.counts,
            "flags": self.flags,
            "flagged_bytes": self.flagged_bytes,
            "finished": self.finished,
        }
        size = len(moments.groups)
        beside = folder / f"{STATE}.part"
        with writing(beside), beside.open("wb") as file:
            np.savez(
                file,
                notes=np.frombuffer(json.dumps(notes).encode(), dtype=np.uint8),
                base=moments.base[:size],
                mentions=moments.mentions[:size],
                targets=moments.targets[:size],
            )
            file.flush()
        with writing(beside):
            beside.replace(folder / STATE)


def load_state(folder: Path) -> State | None:
    """The state of an earlier run, if there is one that can be read."""
    path = folder / STATE
    if not path.exists():
        return None
    try:
        with np.load(path, allow_pickle=False) as arrays:
            notes = json.loads(arrays["notes"].tobytes())
            kept = {name: arrays[name] for name in ("base", "mentions", "targets")}
        return _restored(notes, kept)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(
            f"{path} cannot be read: {error}", "Start anew with --force, or give another folder with --out."
        ) from error


def _restored(notes: dict[str, Any], arrays: dict[str, Any]) -> State:
    groups = [(by, level) for by, level in notes["groups"]]
    moments = Moments(arrays["targets"].shape[1], groups)
    moments.base, moments.mentions, moments.targets = (
        arrays[name] for name in ("base", "mentions", "targets")
    )
    kept = {name: [Candidate(*row) for row in rows] for name, rows in notes["drivers"].items()}
    problems = Problems([Problem(*row) for row in notes["problems"]], Counter(notes["problem_counts"]))
    return State(
        notes["fingerprint"],
        moments,
        Drivers(notes["categories"], kept),
        Position(*notes["position"]),
        problems,
        Counter(notes["flags"]),
        notes["flagged_bytes"],
        notes["finished"],
    )
