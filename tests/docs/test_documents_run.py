"""The commands and the Python of README and docs, run from top to bottom with small models."""

from pathlib import Path
from typing import Any

import pytest
from command_line import run
from documents import FULL, LEFT_OUT, ROOT, enter, run_block, save_articles
from fenced_files import fenced_blocks, fenced_files

PUBLISHED = ROOT.parent / "shared" / "data"
RUN = (
    "README.md",
    "docs/getting-started.md",
    "docs/your-own-data.md",
    "docs/exports.md",
    "docs/rewriting.md",
    "docs/corpora.md",
)
"""Documents whose blocks are run here; the gate and extending have tests of their own."""


@pytest.fixture
def folder(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A reader's folder: models, data files as the documents describe them, and results of longer runs."""
    enter(tmp_path, models, monkeypatch)
    files = fenced_files(ROOT / "docs" / "your-own-data.md")
    Path("my-folder").mkdir()
    for name in ("pairs", "templates", "poles"):
        Path(f"my-{name}.csv").write_text(files[f"{name}.csv"].text, encoding="utf-8")
    for name in ("templates.csv", "professions.csv"):
        files[name].write(Path("my-folder"))
    files["professions.csv"].write(Path())  # beside my-templates.csv, whose category it has
    save_articles()
    assert run("measure", "traits", "--model", "random", "--out", "results/model") == 0
    return tmp_path


@pytest.fixture
def left_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What is not run: where published data lie beside the checkout, a full audit is."""
    if PUBLISHED.is_dir():
        monkeypatch.setenv("EQUIPOISE_DATA", str(PUBLISHED))
        return {mark: reason for mark, reason in LEFT_OUT.items() if mark != FULL}
    assert run("measure", "traits", "--model", "random", "--out", "results/full") == 0
    return LEFT_OUT


@pytest.mark.slow
@pytest.mark.parametrize("name", RUN)
def test_every_block_runs(name: str, folder: Path, left_out: dict[str, str]) -> None:
    import pandas as pd

    if "study skew results/a" in (ROOT / name).read_text(encoding="utf-8"):
        for model in "abc":
            assert (
                run("measure", "stereotype-skew", "--model", f"path/to/{model}", "--out", f"results/{model}")
                == 0
            )
    scope: dict[str, Any] = {"table": pd.read_json("articles.jsonl", lines=True)}
    for language, block in fenced_blocks((ROOT / name).read_text(encoding="utf-8")):
        run_block(language, block, scope, left_out)


def test_what_is_left_out_still_stands_in_the_documents() -> None:
    texts = "\n".join(
        path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    )
    assert not [mark for mark in LEFT_OUT if mark not in texts]
