"""A two-layer model with random weights and a tokenizer of some thirty words."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from transformers import BertConfig, BertForMaskedLM

from equipoise.models.loading.packed import PackedModel
from recipes.packing.writing import write_packed

Weights = dict[str, torch.Tensor]

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PLACES = "home late early rain sun town in of to".split()  # noqa: SIM905
OTHERS = "he she his her the a baker pilot took bread plane and was glad ##s ##ed . ,".split()  # noqa: SIM905
WORDS = [*SPECIAL, *OTHERS, *PLACES]


@pytest.fixture(scope="session")
def tiny_source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny-bert")
    torch.manual_seed(5)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=96,
        max_position_embeddings=64,
        initializer_range=0.3,
    )
    BertForMaskedLM(config).half().save_pretrained(folder)
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "BertTokenizer"}', encoding="utf-8")
    return folder


@pytest.fixture
def pack_as_it_is(tiny_source: Path, tmp_path: Path) -> Callable[..., Path]:
    """The two-layer model packed without loss, in half precision, changed as a test wishes."""

    def pack(change: Callable[[Weights], None] = lambda _plain: None, source: Path = tiny_source) -> Path:
        folder = tmp_path / "packed"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(source, folder)
        plain = load_file(folder / "model.safetensors")
        (folder / "model.safetensors").unlink()
        change(plain)
        tied = {
            "cls.predictions.decoder.weight": "bert.embeddings.word_embeddings.weight",
            "cls.predictions.decoder.bias": "cls.predictions.bias",
        }
        write_packed(folder, PackedModel("bert", {}, plain, tied))
        return folder

    return pack
