"""Documents about word vectors, classifiers and mitigations: their commands and Python with small models."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command_line import run
from documents import ROOT, enter, run_block, save_articles, save_models
from fenced_files import fenced_blocks

LEFT_OUT = {
    "--data-dir data": "reads GAP, which is not ours to ship: tests/studies",
    "study vectors": "needs a corpus of 100,000 words and gensim: tests/studies/test_vectors_study.py",
    "study domain": "tunes nine models: tests/studies/test_tuning_studies.py",
    "results/decades": "reads what that study wrote",
}
"""What is not run, and why."""


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_models(tmp_path_factory.mktemp("models"))


@pytest.fixture
def folder(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A reader's folder with the small models."""
    enter(tmp_path, models, monkeypatch)
    return tmp_path


def articles(_folder: Path) -> None:
    """Articles of two publishers."""
    save_articles()


def word_vectors(_folder: Path) -> None:
    """Vectors drawn by chance for every word that our tables hold."""
    texts = (path.read_text(encoding="utf-8") for path in (ROOT / "src/equipoise/data/tables").rglob("*.csv"))
    words = sorted({word for text in texts for word in re.findall(r"[A-Za-z]+", text)})
    for seed, name in enumerate(("glove.6B.50d.txt", "before", "after")):
        numbers = np.random.default_rng(seed).normal(size=(len(words), 10)).round(4)
        lines = (f"{word} {' '.join(map(str, row))}\n" for word, row in zip(words, numbers, strict=True))
        Path(name if "." in name else f"{name}.txt").write_text("".join(lines), encoding="utf-8")


def classifiers(folder: Path) -> None:
    """Classifiers with random weights, and the tables that they are asked and tuned on."""
    import transformers

    from equipoise.models.random_weights import random_parts

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
    "mitigating.md": articles,
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
        run_block(language, block, scope, LEFT_OUT)
