"""minicons in an environment of its own: it needs another transformers than this project."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from benchmarks.bert import ROOT, THREADS, save

ENVIRONMENT = ROOT / "benchmarks" / ".environments" / "minicons"
PACKAGES = ("minicons==0.3.39", "transformers<5")

SCRIPT = f"""
import json, sys, time, torch
torch.set_num_threads({THREADS})
from minicons import scorer
model = scorer.MaskedLMScorer(sys.argv[1], "cpu")
sentences = json.load(open(sys.argv[1] + "/sentences.json"))
run = lambda texts: model.sequence_score(texts, reduction=lambda x: x.sum(0).item())
size = int(sys.argv[2])
run(sentences[:2])
start = time.perf_counter()
totals = [total for at in range(0, len(sentences), size) for total in run(sentences[at:at + size])]
print(json.dumps({{"seconds": time.perf_counter() - start, "totals": totals}}))
"""


def install() -> Path:
    """Make the environment once and give its Python."""
    python = ENVIRONMENT / "bin" / "python"
    if not (ENVIRONMENT / ".installed").exists():
        subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "torch==2.13.0"], check=True)
        subprocess.run([*pip, *PACKAGES], check=True)
        (ENVIRONMENT / ".installed").touch()
    return python


def score(size: int, expected: list[float]) -> float:
    """Seconds for the same sentences with the same weights, handed over in lists of one size.

    minicons makes one batch of the list that it is given, padded to the longest sentence, and holds every
    position's logits. One sentence at a time suits it best on a processor; its README gives it a list.
    """
    folder = save(ROOT / "benchmarks" / ".environments" / "model")
    command = [str(install()), "-c", SCRIPT, str(folder), str(size)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found = json.loads(done.stdout.splitlines()[-1])
    np.testing.assert_allclose(found["totals"], expected, atol=1e-2)
    return float(found["seconds"])
