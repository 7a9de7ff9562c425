"""Commands that are killed at random moments and given again until they have finished."""

import json
import os
import random
import resource
import shutil
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from safetensors.numpy import load_file

FORKS = get_context("forkserver")
"""Forked from a process that has imported everything: a kill falls into the work, not into imports."""

FORKS.set_forkserver_preload(
    ["torch", "transformers", "pandas", "equipoise.cli.commands", "equipoise.mitigating"]
)
KEYS = "asked.jsonl"
FEW = ("traits", "completions")
"""What an audit asks here: two instruments are killed between as well as six are."""


@dataclass
class Killed:
    """How often a command was killed, how often it was given, and what it asked the model."""

    kills: int = 0
    runs: int = 0
    asked: Counter[str] = field(default_factory=Counter)


def asked_in(room: Path) -> Counter[str]:
    """How often each answer was kept in a room: more than once where new words were asked at an old blank."""
    lines = (room / KEYS).read_text(encoding="utf-8").splitlines() if (room / KEYS).exists() else []
    return Counter(key for line in lines if line.endswith("]") for key in json.loads(line))


def run_in_child(arguments: Sequence[str], room: str, most: int = 0) -> None:
    """One command in a process of its own; every kept answer is written down.

    `most` is the largest file in bytes that it may write: beyond that a write fails as on a full disk.
    """
    import equipoise.instruments as instruments
    from equipoise.cli import main
    from equipoise.models.engine.store import AnswerStore

    os.chdir(room)
    os.environ["EQUIPOISE_CACHE"] = str(Path(room) / "cache")
    sys.stdout = sys.stderr = Path("said.txt").open("a", encoding="utf-8")  # noqa: SIM115
    instruments.DEFAULT_AUDIT = FEW
    write = AnswerStore.write

    def write_down(store: Any, answers: Any) -> None:
        kept = list(answers)
        write(store, kept)
        with Path(KEYS).open("a", encoding="utf-8") as file:
            file.write(json.dumps([f"{store._model} {key.hex()}" for key, _ in kept]) + "\n")

    AnswerStore.write = write_down  # type: ignore[method-assign]
    if most:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
    main(list(arguments))


def warm_up() -> None:
    """Start the process that others are forked from, so that no run is as long as its imports."""
    process = FORKS.Process(target=os.getpid)
    process.start()
    process.join()


def run_whole(arguments: Sequence[str], room: Path) -> float:
    """Run a command to its end and give the seconds it took."""
    begun = time.monotonic()
    process = FORKS.Process(target=run_in_child, args=(arguments, str(room)))
    process.start()
    process.join()
    assert_finished(process.exitcode, room)
    return time.monotonic() - begun


def assert_finished(exitcode: int | None, room: Path) -> None:
    """A run that is killed after its output was in place has finished: given again, it is refused."""
    said = (room / "said.txt").read_text(encoding="utf-8")
    assert exitcode == 0 or said.splitlines()[-2].endswith(" exists."), said


def run_at_once(arguments: Sequence[str], room: Path, count: int, *, most: int = 0) -> list[int]:
    """Run a command in so many processes at once and give how each ended."""
    processes = [FORKS.Process(target=run_in_child, args=(arguments, str(room), most)) for _ in range(count)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    return [int(process.exitcode or 0) for process in processes]


def kill_often(arguments: Sequence[str], room: Path, *, kills: int, seconds: float, seed: int) -> Killed:
    """Kill a command at random moments within so many seconds, again and again, then let it finish.

    Where it finishes before it is killed, its output and what it kept are removed, and it begins anew.
    """
    rng, done = random.Random(seed), Killed()
    while done.kills < kills:
        done.runs += 1
        process = FORKS.Process(target=run_in_child, args=(arguments, str(room)))
        begun = time.monotonic()
        process.start()
        process.join(rng.uniform(0.0, seconds))
        if process.exitcode is None:
            process.kill()
            process.join()
            done.kills += 1
        else:
            assert_finished(process.exitcode, room)
            seconds = min(seconds, time.monotonic() - begun)
            shutil.rmtree(room / "out")
            (room / "out").mkdir()
            shutil.rmtree(room / "cache", ignore_errors=True)
            (room / KEYS).unlink(missing_ok=True)
    run_whole(arguments, room)
    done.runs += 1
    done.asked = asked_in(room)
    return done


def files_below(folder: Path) -> list[str]:
    """Every file below a folder, hidden ones too, by its path."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def assert_same(folder: Path, other: Path) -> None:
    """The same files, tables with the same rows and numbers to 1e-6, and the same weights."""
    assert files_below(folder) == files_below(other)
    for name in files_below(folder):
        if name.endswith(".csv"):
            ours, theirs = (pd.read_csv(one / name, dtype=str, na_filter=False) for one in (folder, other))
            assert_same_tables(ours, theirs, name)
        elif name.endswith(".safetensors"):
            weights, others = load_file(folder / name), load_file(other / name)
            assert weights.keys() == others.keys()
            for key, values in weights.items():
                np.testing.assert_allclose(values, others[key], atol=1e-6, err_msg=f"{name}, {key}")


def assert_same_tables(ours: pd.DataFrame, theirs: pd.DataFrame, name: str) -> None:
    """The same cells: texts letter by letter, numbers to 1e-6."""
    assert list(ours) == list(theirs), name
    for column in ours:
        numbers = [pd.to_numeric(table[column], errors="coerce").to_numpy() for table in (ours, theirs)]
        is_number = ~np.isnan(numbers[0])
        assert (is_number == ~np.isnan(numbers[1])).all(), f"{name}, {column}"
        np.testing.assert_allclose(
            *(one[is_number] for one in numbers), atol=1e-6, err_msg=f"{name}, {column}"
        )
        assert ours[column][~is_number].tolist() == theirs[column][~is_number].tolist(), f"{name}, {column}"
