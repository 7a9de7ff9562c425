"""Killed or interrupted at any moment, started again: the same items, and no finished row runs twice."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from equipoise.results import load_result

TESTS = Path(__file__).parents[1]

RUN = f"""
import sys; sys.path.insert(0, {str(TESTS)!r})
import tiny
from pathlib import Path
from equipoise.measuring import measure
from equipoise.models.loading import load_model
from equipoise.models.options import RunOptions
model = load_model("random", RunOptions(store=Path(sys.argv[1])))
model.engine.budget = 128
result = measure(model, "traits")
result.save(sys.argv[2])
print(model.engine.rows_run)
"""


def start(store: Path, out: Path, threads: int = 1) -> "subprocess.Popen[str]":
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    command = [sys.executable, "-c", RUN, str(store), str(out)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def stored(store: Path) -> int:
    if not store.exists():
        return 0
    connection = sqlite3.connect(store)
    try:
        return int(connection.execute("SELECT COUNT(*) FROM answers").fetchone()[0])
    except sqlite3.OperationalError:
        return 0
    finally:
        connection.close()


def wait_for(store: Path, rows: int, process: "subprocess.Popen[str]") -> None:
    deadline = time.monotonic() + 120
    while stored(store) < rows and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def listen_to_ctrl_c() -> None:
    """A shell's background jobs, and all they start, ignore Ctrl-C; these tests may be one."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A run that nobody disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    process = start(folder / "answers.sqlite", folder / "out")
    printed, _ = process.communicate(timeout=300)
    return folder / "out" / "traits", int(printed)


@pytest.mark.parametrize(
    ("share", "threads"),
    [
        (0.9, 2),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in ((0.0, 1), (0.1, 1), (0.5, 1), (0.9, 1), (0.1, 2))
        ),
    ],
)
def test_a_killed_run_resumes(
    share: float, threads: int, whole_run: tuple[Path, int], tmp_path: Path
) -> None:
    undisturbed, rows = whole_run
    store = tmp_path / "answers.sqlite"
    process = start(store, tmp_path / "out", threads)
    wait_for(store, round(share * rows), process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    finished = stored(store)
    assert finished < rows
    again = start(store, tmp_path / "out", threads)
    printed, _ = again.communicate(timeout=300)
    assert int(printed) == rows - finished
    ours, theirs = load_result(tmp_path / "out" / "traits").items, load_result(undisturbed).items
    assert ours["item"].tolist() == theirs["item"].tolist()
    np.testing.assert_allclose(ours["score"], theirs["score"], atol=1e-5)


@pytest.mark.parametrize("threads", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_ctrl_c_is_said_in_two_lines_and_loses_nothing(threads: int, tmp_path: Path) -> None:
    """The real command line on a model that takes a while."""
    script = f"""
import sys
from pathlib import Path
import equipoise.models.neural.devices as devices
devices.CPU_BUDGET = 32
from equipoise.cli import main
main(["measure", "tbe", "--model", "random", "--out", {str(tmp_path / "out")!r}])
"""
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "EQUIPOISE_CACHE": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        preexec_fn=listen_to_ctrl_c,
    )
    store = tmp_path / "answers-2.sqlite"
    wait_for(store, 40, process)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    lines = [line for line in said.strip().splitlines() if not line.startswith("random weights: ")]
    assert lines == [
        "Interrupted.",
        "Finished answers are kept: run the same command again to resume.",
    ]
    assert stored(store) >= 40
