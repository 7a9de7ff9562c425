"""Peak memory in processes of their own."""

import subprocess
import sys

SCRIPT = r"""
import re, sys
from pathlib import Path
from benchmarks.bert import crows_sentences, parts
from equipoise.models.questions import Score
from equipoise.models.loading import wrap_model
from equipoise.models.options import RunOptions
network, tokenizer = parts()
model = wrap_model(network, tokenizer, name="bert", options=RunOptions(cache=False))
if sys.argv[1] == "long":
    questions = [Score("the tall old man walked home " * 59)]
else:
    texts = crows_sentences(int(sys.argv[1]))
    questions = [Score(" ".join(text.split()[:5])) for text in texts]
model.answer(questions)
# VmHWM, because ru_maxrss still holds the peak of the process that started this one.
print(int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 1e6)
"""


def peak(size: str) -> float:
    """Gigabytes at the peak of scoring so many sentences, or one sentence of 350 words."""
    done = subprocess.run([sys.executable, "-c", SCRIPT, size], check=True, capture_output=True, text=True)
    return float(done.stdout.splitlines()[-1])
