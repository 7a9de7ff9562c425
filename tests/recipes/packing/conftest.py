"""The two-layer model, a few texts and a quick recipe."""

import pytest
from packable import tiny_source

from recipes.packing import Recipe

__all__ = ["tiny_source"]

TEXTS = [
    "The baker took the bread home. She was glad of the sun in town.",
    "A pilot was late, and the rain took his plane to the town.",
    "He was early, and her bread was late in the rain.",
    "The town was glad of the baker and of the pilot. The sun was late.",
]


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
