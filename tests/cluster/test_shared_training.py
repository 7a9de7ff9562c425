"""Training in two processes: they share the batches, and a process that is killed loses little."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
import torch

SCRIPT = Path(__file__).parent / "training.py"
LAUNCH = [sys.executable, "-m", "accelerate.commands.launch", "--multi_gpu", "--num_processes", "2"]
LAUNCH += [
    "--num_machines",
    "1",
    "--mixed_precision",
    "no",
    "--dynamo_backend",
    "no",
    "--main_process_port",
    "0",
]
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}

pytestmark = pytest.mark.slow


def trained(command: list[str], out: Path, how: str) -> pd.DataFrame:
    """The loss of every step."""
    done = subprocess.run(
        [*command, str(SCRIPT), str(out), how], capture_output=True, text=True, timeout=200, env=ENVIRONMENT
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return pd.read_csv(out / f"losses-{how}-0.csv")


def test_two_processes_share_the_batches_and_resume_after_one_is_killed(tmp_path: Path) -> None:
    """One process with two batches a step is the same training; a kill changes neither losses nor weights."""
    alone = trained([sys.executable], tmp_path / "alone", "alone")
    shared = trained(LAUNCH, tmp_path / "shared", "shared")
    assert len(shared) == len(alone) == 12  # four steps an epoch for the eight batches
    assert shared["loss"].tolist() == pytest.approx(alone["loss"].tolist(), abs=1e-4)

    out = tmp_path / "killed"
    environment = ENVIRONMENT | {"PAUSE": "0.3"}
    running = subprocess.Popen(
        [*LAUNCH, str(SCRIPT), str(out), "shared"], env=environment, stderr=subprocess.DEVNULL
    )
    checkpoints = out / "workshop" / "tiny-0"
    while not list(checkpoints.glob("checkpoint-[4-9]/trainer_state.json")) and running.poll() is None:
        time.sleep(0.05)
    os.kill(int((out / "process-1").read_text("utf-8")), signal.SIGKILL)
    assert running.wait(timeout=60) != 0
    assert not (out / "losses-shared-0.csv").exists()
    resumed = trained(LAUNCH, out, "shared")
    assert resumed["loss"].tolist() == pytest.approx(alone["loss"].tolist(), abs=1e-4)
    first, second = (torch.load(folder / "weights-shared-0.pt") for folder in (tmp_path / "shared", out))
    assert all(torch.allclose(first[name], second[name], atol=1e-5) for name in first)
