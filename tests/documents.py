"""Running what a document shows: its commands and its Python, with small models in place of large ones."""

import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command_line import run

ROOT = Path(__file__).resolve().parents[1]
FULL = "--full"
LEFT_OUT = {
    "equipoise app": "serves until it is stopped: tests/browser",
    "glove.6B.50d.txt": "word vectors that nobody ships",
    FULL: "needs published data sets",
    "http://127.0.0.1": "needs a server: tests/remote",
    "make ": "builds another environment",
    "source ": "is for the shell",
    "study vectors": "needs a corpus of 100,000 words: run as docs/vectors.md has it",
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
    "She was strong and clever, and her career began in that office.",
    "He was weak and handsome, and his family lived at home with his children.",
)
ASK_A_MODEL = ("probe", "measure", "audit", "mitigate")
TUNING = ("learning-curve", "reminders", "corpus-bias", "domain", "resolution")
"""Studies that tune a model, the shipped one unless another is named."""
MODELS = {"one": 1, "another": 2, "bert": 1, "bert-changed": 2, "a": 1, "b": 2, "c": 3, "model": 1}


def save_models(folder: Path) -> Path:
    """Small models with random weights under the names that documents use; all four layers can be tuned."""
    import torch

    from equipoise.models.loading.networks import random_parts

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


def save_gap(folder: Path) -> None:
    """Files in the shape of GAP: two names, a pronoun, where they stand, and whom it means."""
    columns = (
        "ID",
        "Text",
        "Pronoun",
        "Pronoun-offset",
        "A",
        "A-offset",
        "A-coref",
        "B",
        "B-offset",
        "B-coref",
    )
    places, works = ("garden", "station", "market", "harbour", "library"), ("letter", "song", "report")
    folder.mkdir(parents=True)
    for part, first in (("development", 0), ("validation", 300), ("test", 400)):
        rows = []
        for number in range(first, first + (300 if part == "development" else 100)):
            names = (("Anna", "Mary"), ("James", "Peter"))[number % 2]
            pronoun = ("her", "his")[number % 2]
            place, work = places[number % 5], works[number % 3]
            year = 1800 + number
            text = f"{names[0]} met {names[1]} in the {place} in {year}. There {pronoun} {work} was read."
            offsets = text.index(f" {pronoun} ") + 1, 0, text.index(names[1])
            row = (f"{part}-{number}", text, pronoun, offsets[0], names[0], offsets[1], "TRUE")
            rows.append((*row, names[1], offsets[2], "FALSE"))
        table = pd.DataFrame(rows, columns=columns).assign(URL="")
        table.to_csv(folder / f"gap-{part}.tsv", sep="\t", index=False)


def save_decades() -> None:
    """Articles of two decades and publishers, 130,000 words in each, with the words of our tests."""
    words = pd.read_csv(ROOT / "src/equipoise/data/tables/association-sets.csv")["word"].unique()
    fillers = [f"{start}{end}" for start in ("ba", "do", "ki", "lu", "me", "so") for end in ("n", "rt", "ls")]
    rng = np.random.default_rng(3)
    rows = [
        {
            "body": " ".join(rng.choice([*words, *fillers], size=130).tolist()) + ".",
            "date": f"{(1991, 2004)[number % 2]}-05-06",
            "publisher": ("Herald", "Globe")[number // 2 % 2],
        }
        for number in range(2000)
    ]
    pd.DataFrame(rows).to_json("articles.jsonl", orient="records", lines=True)


def reason_to_leave_out(line: str, reasons: dict[str, str]) -> str:
    """Why a command is not run, or nothing."""
    return next((reason for mark, reason in reasons.items() if mark in line), "")


def run_line(line: str) -> None:
    """Run a command; without a model named it asks the small random one instead of the shipped one."""
    words = shlex.split(re.sub(r"\s+#.*$", "", line))[1:]
    asks_a_model = words[0] in ASK_A_MODEL and not {"--model", "-m", "--explain"} & set(words)
    tunes_a_model = words[:1] == ["study"] and words[1] in TUNING and "--model" not in words
    model = ["--model", "random"] if asks_a_model else ["--model", "path/to/bert"] if tunes_a_model else []
    code = run(*words, *model)
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
