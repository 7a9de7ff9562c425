"""Documents about word vectors, classifiers and mitigations: their commands and Python with small models."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command_line import run
from documents import ROOT, enter, run_block, save_articles, save_decades, save_gap
from fenced_files import fenced_blocks
from packable import PLACES


@pytest.fixture
def folder(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A reader's folder with the small models."""
    enter(tmp_path, models, monkeypatch)
    return tmp_path


def articles(folder: Path) -> None:
    """Articles of two publishers, in one file and apart; files in the shape of GAP; two results of tbe."""
    save_articles()
    table = pd.read_csv("articles.csv")
    for name, publisher in (("left", "Herald"), ("right", "Globe")):
        table[table["publisher"] == publisher].to_csv(f"{name}.csv", index=False)
    save_gap(folder / "data" / "gap")
    for name, model in (("before", "random"), ("after", "random:2")):
        assert run("measure", "tbe", "--model", model, "--out", f"results/{name}") == 0


def word_vectors(_folder: Path) -> None:
    """Vectors drawn by chance for every word that our tables hold."""
    texts = (path.read_text(encoding="utf-8") for path in (ROOT / "src/equipoise/data/tables").rglob("*.csv"))
    words = sorted({word for text in texts for word in re.findall(r"[A-Za-z]+", text)})
    save_decades()
    for seed, name in enumerate(("glove.6B.50d.txt", "before", "after")):
        numbers = np.random.default_rng(seed).normal(size=(len(words), 10)).round(4)
        lines = (f"{word} {' '.join(map(str, row))}\n" for word, row in zip(words, numbers, strict=True))
        Path(name if "." in name else f"{name}.txt").write_text("".join(lines), encoding="utf-8")


def classifiers(folder: Path) -> None:
    """Classifiers with random weights, and the tables that they are asked and tuned on."""
    import transformers

    from equipoise.models.loading.networks import random_parts

    tasks = {
        "sentiment": ("negative", "positive"),
        "nli": ("contradiction", "neutral", "entailment"),
        "occupations": ("nurse", "engineer"),
    }
    for name, labels in tasks.items():
        network, tokenizer = random_parts(1)
        config = network.config.to_dict() | {"id2label": dict(enumerate(labels))}
        config["label2id"] = {label: number for number, label in enumerate(labels)}
        made = transformers.BertForSequenceClassification(transformers.BertConfig(**config))
        made.save_pretrained(folder / name)
        tokenizer.save_pretrained(folder / name)
    rows = [
        (
            f"{'She' if place % 2 else 'He'} wrote letter {place}.",
            place % 4 < 2,
            ("male", "female")[place % 2],
        )
        for place in range(80)
    ]
    table = pd.DataFrame(rows, columns=["text", "is_first", "gender"])
    for name, labels in (("bios", tasks["occupations"]), ("reviews", tasks["sentiment"])):
        chosen = table.assign(label=[labels[0] if first else labels[1] for first in table["is_first"]])
        chosen.drop(columns="is_first").to_csv(f"{name}.csv", index=False)


def results(_folder: Path) -> None:
    """Results under the names that documents use."""
    for name, model in (("bert", "random"), ("before", "random"), ("after", "random:2")):
        assert run("measure", "traits", "--model", model, "--out", f"results/{name}") == 0


NEEDS: dict[str, Callable[[Path], None]] = {
    "report.md": results,
    "vectors.md": word_vectors,
    "classifiers.md": classifiers,
    "mitigations.md": articles,
}
"""Documents with what a reader has to have before the first line."""


@pytest.mark.slow
@pytest.mark.parametrize("name", NEEDS)
def test_every_block_runs(name: str, folder: Path) -> None:
    NEEDS[name](folder)
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    if name == "classifiers.md":
        text = text.replace("path/to/sentiment", "sentiment").replace("path/to/nli", "nli")
        text = text.replace("path/to/occupations", "occupations")
    if name == "vectors.md":
        text = text.replace("--model before ", "--model before.txt ").replace(
            "--model after ", "--model after.txt "
        )
    scope: dict[str, Any] = {}
    for language, block in fenced_blocks(text):
        run_block(language, block, scope, {})


@pytest.mark.slow
def test_a_model_is_packed_as_the_document_says(
    tiny_source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command runs with a smaller recipe, for the one it names is for a whole BERT."""
    monkeypatch.chdir(tmp_path)
    Path("my-model").symlink_to(tiny_source)
    paragraphs = [f"the baker took {word} bread and was glad . he was in town ." for word in PLACES] * 12
    Path("my-texts.txt").write_text("\n".join(paragraphs) + "\n", encoding="utf-8")
    small = "target_bytes = 70_000\nrounds = 1\npassages = 8\n"
    Path("small.toml").write_text(small, encoding="utf-8")
    commands = 0
    for language, block in fenced_blocks((ROOT / "docs" / "embedded-model.md").read_text(encoding="utf-8")):
        if language == "python":
            scope: dict[str, Any] = {"paragraphs": paragraphs}
            exec(block.replace("45_000_000", "70_000, rounds=1, passages=8"), scope)
            assert scope["state"]["bert.embeddings.word_embeddings.weight"].shape[1] == 64
        elif block.startswith("python -m recipes.packing"):
            words = shlex.split(
                block.replace("\\\n", " ").replace("recipes/bert-base-uncased.toml", "small.toml")
            )
            done = subprocess.run(
                [sys.executable, *words[1:]], env=os.environ | {"PYTHONPATH": str(ROOT)}, check=False
            )
            assert done.returncode == 0
            assert (tmp_path / "my-model-packed" / "model.packed.safetensors").is_file()
            commands += 1
    assert commands == 1
