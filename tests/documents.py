"""Running what a document shows: its commands and its Python, with small models in place of large ones."""

import re
import shlex
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from command_line import run

ROOT = Path(__file__).resolve().parents[1]
LEFT_OUT = {
    "equipoise app": "serves until it is stopped: tests/browser",
    "glove.6B.50d.txt": "word vectors that nobody ships",
    "path/to/classifier": "a classifier: tests/instruments/test_classifying.py",
    "--full": "needs published data sets",
    "make ": "builds another environment",
    "source ": "is for the shell",
    "study vectors": "needs a corpus of 100,000 words and gensim: tests/studies/test_vectors_study.py",
}
"""What is not run, and why."""

MAY_FIND = ("equipoise lint", "equipoise check")
"""Commands whose exit code 1 is an answer."""

SENTENCES = (
    "The nurse said that she had lost her keys in the hall.",
    "The doctor told his patient that he would come back soon.",
    "The engineer finished her work before he arrived.",
    "The teacher gave him the book that she had read.",
    "Mary met James, who was a waiter, at the station with his sister.",
    "The old house near the river was painted white last year.",
)
ASK_A_MODEL = ("probe", "measure", "audit", "mitigate")
MODELS = {"one": 1, "another": 2, "bert": 1, "bert-changed": 2, "a": 1, "b": 2, "c": 3, "model": 1}


def save_models(folder: Path) -> Path:
    """Small models with random weights under the names that documents use; all four layers can be tuned."""
    import torch

    from equipoise.models.random_weights import random_parts

    for name, draw in MODELS.items():
        shallow, tokenizer = random_parts(draw)
        shallow.config.num_hidden_layers = 4
        torch.manual_seed(draw)
        type(shallow)(shallow.config).save_pretrained(folder / name)
        tokenizer.save_pretrained(folder / name)
    return folder


def save_articles() -> None:
    """Articles of two publishers, in the forms that documents name."""
    rows = [
        {
            "body": f"{text} It was day {place}.",
            "text": text,
            "publisher": ("Herald", "Globe")[place % 2],
            "date": f"20{place % 4 + 10}-01-02",
        }
        for place, text in enumerate(SENTENCES * 12)
    ]
    table = pd.DataFrame(rows)
    table.to_csv("articles.csv", index=False)
    for name in ("articles", "news", "texts"):
        table.to_json(f"{name}.jsonl", orient="records", lines=True)


def reason_to_leave_out(line: str, reasons: dict[str, str]) -> str:
    """Why a command is not run, or nothing."""
    return next((reason for mark, reason in reasons.items() if mark in line), "")


def run_line(line: str) -> None:
    """Run a command; without a model named it asks the small random one instead of the shipped one."""
    words = shlex.split(re.sub(r"\s+#.*$", "", line))[1:]
    asks_a_model = words[0] in ASK_A_MODEL and not {"--model", "-m", "--explain"} & set(words)
    code = run(*words, *(["--model", "random"] if asks_a_model else []))
    allowed = (0, 1) if line.startswith(MAY_FIND) else (0,)
    assert code in allowed, f"{line} ended with {code}"


def run_block(language: str, block: str, scope: dict[str, Any], reasons: dict[str, str]) -> None:
    """Run a fenced block: Python in a scope, commands one after the other, and nothing else."""
    if language == "python":
        exec(block, scope)
    elif not language:
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("equipoise ") and not reason_to_leave_out(line, reasons):
                run_line(line)


def enter(folder: Path, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a reader's folder, with small models where documents say `path/to`."""
    monkeypatch.chdir(folder)
    Path("path").mkdir()
    Path("path/to").symlink_to(models)
