"""Calibration text: passages drawn from a file, cut to length, and masked."""

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from equipoise.errors import UserError
from recipes.packing.settings import Recipe

SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’]?\s+")
SHORTEST_PASSAGE = 6


@dataclass(frozen=True)
class MaskedBatch:
    """A padded batch with some tokens masked: ids, attention, and which positions were masked."""

    ids: torch.Tensor
    attention: torch.Tensor
    masked: torch.Tensor


def read_texts(path: Path, leave_out: Sequence[str] = ()) -> list[str]:
    """The paragraphs of a text file, or of a JSON-lines file with `text` and perhaps `title`."""
    if not path.is_file():
        raise UserError(f"There is no text file at {path}.", "Name a .txt or .jsonl file.")
    lines = path.read_text(encoding="utf-8").splitlines()
    if path.suffix != ".jsonl":
        return [line.strip() for line in lines if line.strip()]
    rows = [json.loads(line) for line in lines if line.strip()]
    return [row["text"] for row in rows if row.get("title") not in leave_out]


def draw_passages(texts: Sequence[str], recipe: Recipe, *, seed: int) -> list[str]:
    """Paragraphs and single sentences in turn, so that short inputs count as much as long ones."""
    chosen = random.Random(seed)
    passages: list[str] = []
    for turn in range(recipe.passages):
        text = chosen.choice(texts)
        passages.append(chosen.choice(SENTENCE_END.split(text)) if turn % 2 else text)
    return passages


def masked_batches(
    texts: Sequence[str], tokenizer: Any, *, recipe: Recipe, seed: int
) -> Iterator[MaskedBatch]:
    """Batches of masked passages of similar length, in an order fixed by the seed."""
    chosen = random.Random(seed)
    passages = draw_passages(texts, recipe, seed=seed)
    encoded = tokenizer(passages, truncation=True, max_length=recipe.passage_tokens)["input_ids"]
    encoded = sorted((ids for ids in encoded if len(ids) >= SHORTEST_PASSAGE), key=len)
    focus = set(tokenizer.convert_tokens_to_ids(list(recipe.focus_words)))
    batches = list(_cut_to_budget(encoded, recipe.batch_tokens))
    chosen.shuffle(batches)
    for batch in batches:
        yield _mask_batch(batch, tokenizer, recipe=recipe, focus=focus, chosen=chosen)


def _cut_to_budget(encoded: list[list[int]], budget: int) -> Iterator[list[list[int]]]:
    batch: list[list[int]] = []
    for ids in encoded:
        if batch and (len(batch) + 1) * len(ids) > budget:
            yield batch
            batch = []
        batch.append(ids)
    if batch:
        yield batch


def _mask_batch(
    batch: list[list[int]],
    tokenizer: Any,
    *,
    recipe: Recipe,
    focus: set[int],
    chosen: random.Random,
) -> MaskedBatch:
    longest = max(map(len, batch))
    ids = torch.full((len(batch), longest), tokenizer.pad_token_id)
    attention = torch.zeros_like(ids)
    masked = torch.zeros(ids.shape, dtype=torch.bool)
    for row, tokens in enumerate(batch):
        attention[row, : len(tokens)] = 1
        ids[row, : len(tokens)] = torch.tensor(tokens)
        for place in _masked_places(tokens, recipe, focus=focus, chosen=chosen):
            masked[row, place] = True
    ids[masked] = tokenizer.mask_token_id
    return MaskedBatch(ids, attention, masked)


def _masked_places(tokens: list[int], recipe: Recipe, *, focus: set[int], chosen: random.Random) -> list[int]:
    places = [
        place
        for place in range(1, len(tokens) - 1)
        if chosen.random() < (recipe.focus_share if tokens[place] in focus else recipe.mask_share)
    ]
    return places or [chosen.randrange(1, len(tokens) - 1)]


def token_counts(texts: Sequence[str], tokenizer: Any) -> torch.Tensor:
    """How often each token of the vocabulary occurs in the texts."""
    counts = torch.zeros(len(tokenizer), dtype=torch.long)
    for start in range(0, len(texts), 1000):
        encoded = tokenizer(list(texts[start : start + 1000]), add_special_tokens=False, verbose=False)
        tokens = torch.tensor([i for ids in encoded["input_ids"] for i in ids], dtype=torch.long)
        counts += torch.bincount(tokens, minlength=len(counts))
    return counts
