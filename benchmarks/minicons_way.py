"""minicons in an environment of its own: it needs another transformers than this project."""

import json
import subprocess
import sys
from pathlib import Path

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
run(sentences[:2])
start = time.perf_counter()
# One sentence at a time: a batch of many holds every row's logits at every position at once.
totals = [run([one])[0] for one in sentences]
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


def score() -> tuple[float, list[float]]:
    """Seconds and pseudo-log-likelihoods of the same sentences with the same weights."""
    folder = save(ROOT / "benchmarks" / ".environments" / "model")
    done = subprocess.run(
        [str(install()), "-c", SCRIPT, str(folder)], check=True, capture_output=True, text=True
    )
    found = json.loads(done.stdout.splitlines()[-1])
    return found["seconds"], found["totals"]
