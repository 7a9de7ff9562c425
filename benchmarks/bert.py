"""The model that is timed: BERT-base's shape with random weights and a vocabulary of its size."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import torch
import transformers

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
VOCABULARY = SHARED / "models" / "bert-base-uncased"
THREADS = 2


@cache
def parts() -> tuple[Any, Any]:
    """A BERT-base network with random weights and the tokenizer that splits words as BERT does."""
    torch.set_num_threads(THREADS)
    torch.manual_seed(0)
    network = transformers.BertForMaskedLM(transformers.BertConfig()).eval()
    return network, transformers.AutoTokenizer.from_pretrained(VOCABULARY)


def crows_sentences(count: int) -> list[str]:
    """The first sentences of CrowS-Pairs, read by path."""
    import csv

    path = SHARED / "data" / "crows-pairs" / "crows_pairs_anonymized.csv"
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [row[side] for row in rows for side in ("sent_more", "sent_less")][:count]


def bec_pro_rows() -> list[dict[str, str]]:
    """The rows of BEC-Pro, read by path."""
    import csv

    path = SHARED / "data" / "bec-pro" / "BEC-Pro_EN.tsv"
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def save(folder: Path) -> Path:
    """The model as a folder, for programs that run in another environment."""
    if not (folder / "config.json").exists():
        network, _ = parts()
        network.save_pretrained(folder)
        for name in ("vocab.txt", "tokenizer_config.json"):
            (folder / name).write_bytes((VOCABULARY / name).read_bytes())
        (folder / "sentences.json").write_text(json.dumps(crows_sentences(80)))
    return folder
