"""A two-layer model with random weights and a tokenizer of some thirty words."""

from pathlib import Path

import pytest
import torch
from transformers import BertConfig, BertForMaskedLM

from equipoise.models.packing.settings import Recipe

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PLACES = "home late early rain sun town in of to".split()  # noqa: SIM905
OTHERS = "he she his her the a baker pilot took bread plane and was glad ##s ##ed . ,".split()  # noqa: SIM905
WORDS = [*SPECIAL, *OTHERS, *PLACES]
TEXTS = [
    "The baker took the bread home. She was glad of the sun in town.",
    "A pilot was late, and the rain took his plane to the town.",
    "He was early, and her bread was late in the rain.",
    "The town was glad of the baker and of the pilot. The sun was late.",
]


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


@pytest.fixture(scope="session")
def tiny_texts() -> list[str]:
    return TEXTS


@pytest.fixture(scope="session")
def tiny_recipe() -> Recipe:
    return Recipe(
        target_bytes=70_000,
        rounds=2,
        passages=12,
        passage_tokens=24,
        batch_tokens=96,
        focus_words=("he", "she"),
        tuning_steps=7,
    )
