"""The commands and the Python of README and docs, run from top to bottom with small models."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from command_line import run
from fenced_files import fenced_blocks, fenced_files

ROOT = Path(__file__).resolve().parents[2]
RUN = (
    "README.md",
    "docs/getting-started.md",
    "docs/your-own-data.md",
    "docs/exports.md",
    "docs/rewriting.md",
    "docs/corpora.md",
)
"""Documents whose blocks are run here; the gate and extending have tests of their own."""

LEFT_OUT = {
    "equipoise app": "serves until it is stopped: tests/browser",
    "glove.6B.50d.txt": "word vectors that nobody ships",
    "path/to/classifier": "a classifier: tests/instruments/test_classifying.py",
    "--full": "needs published data sets",
    "make ": "builds another environment",
    "source ": "is for the shell",
    "mitigate ": "trains: tests/mitigations",
    "study mitigations": "trains: tests/studies",
    "study before-after": "trains: tests/studies",
}
"""What is not run, and why."""

MAY_FIND = ("equipoise lint", "equipoise check")
"""Commands whose exit code 1 is an answer."""

MODELS = {"one": 1, "another": 2, "bert": 1, "bert-changed": 2, "a": 1, "b": 2, "c": 3, "model": 1}
SENTENCES = (
    "The nurse said that she had lost her keys in the hall.",
    "The doctor told his patient that he would come back soon.",
    "The engineer finished her work before he arrived.",
    "The teacher gave him the book that she had read.",
    "Mary met James, who was a waiter, at the station with his sister.",
)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small models with random weights under the names that documents use."""
    from equipoise.models.random_weights import random_parts

    folder = tmp_path_factory.mktemp("models")
    for name, draw in MODELS.items():
        network, tokenizer = random_parts(draw)
        network.save_pretrained(folder / name)
        tokenizer.save_pretrained(folder / name)
    return folder


@pytest.fixture
def folder(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A reader's folder: models, data files as the documents describe them, and results of longer runs."""
    monkeypatch.chdir(tmp_path)
    Path("path").mkdir()
    Path("path/to").symlink_to(models)
    files = fenced_files(ROOT / "docs" / "your-own-data.md")
    Path("my-folder").mkdir()
    for name in ("pairs", "templates", "poles"):
        Path(f"my-{name}.csv").write_text(files[f"{name}.csv"].text, encoding="utf-8")
    for name in ("templates.csv", "professions.csv"):
        files[name].write(Path("my-folder"))
    files["professions.csv"].write(Path())  # beside my-templates.csv, whose category it has
    rows = [
        {
            "body": text,
            "text": text,
            "publisher": ("Herald", "Globe")[place % 2],
            "date": f"20{place % 4 + 10}-01-02",
        }
        for place, text in enumerate(SENTENCES * 12)
    ]
    for name in ("articles", "news"):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        Path(f"{name}.jsonl").write_text(text, encoding="utf-8")
    for name in ("full", "model"):
        assert run("measure", "traits", "--model", "random", "--out", f"results/{name}") == 0
    return tmp_path


def reason_to_leave_out(line: str) -> str:
    return next((reason for mark, reason in LEFT_OUT.items() if mark in line), "")


def run_line(line: str) -> None:
    """Run a command; without a model named it asks the small random one instead of the shipped one."""
    words = shlex.split(re.sub(r"\s+#.*$", "", line))[1:]
    asks_a_model = words[0] in ("probe", "measure", "audit") and not {"--model", "-m"} & set(words)
    code = run(*words, *(["--model", "random"] if asks_a_model else []))
    allowed = (0, 1) if line.startswith(MAY_FIND) else (0,)
    assert code in allowed, f"{line} ended with {code}"


def run_block(language: str, block: str, scope: dict[str, Any]) -> None:
    if language == "python":
        exec(block, scope)
    elif not language:
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("equipoise ") and not reason_to_leave_out(line):
                run_line(line)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUN)
def test_every_block_runs(name: str, folder: Path) -> None:
    import pandas as pd

    if "study skew results/a" in (ROOT / name).read_text(encoding="utf-8"):
        for model in "abc":
            assert (
                run("measure", "stereotype-skew", "--model", f"path/to/{model}", "--out", f"results/{model}")
                == 0
            )
    scope: dict[str, Any] = {"table": pd.read_json("articles.jsonl", lines=True)}
    for language, block in fenced_blocks((ROOT / name).read_text(encoding="utf-8")):
        run_block(language, block, scope)


def test_what_is_left_out_still_stands_in_the_documents() -> None:
    texts = "\n".join(
        path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    )
    assert {mark for mark in LEFT_OUT if mark not in texts} <= {
        "study mitigations",
        "study before-after",
        "mitigate ",
    }
