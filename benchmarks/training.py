"""Fine-tuning BERT-base in fp32: tokens of real text per second, against the loop that was published.

`python -m benchmarks.training` takes about three minutes on two quiet cores. The published loop (Bartl et al.
2020) has one sentence a batch, padded to 256 with pads that are attended and partly labels, the head at every
position, and torch's plain AdamW.
"""

import copy
import csv
import sys
import time
from typing import Any, NamedTuple

import torch

from benchmarks.bert import SHARED, parts
from equipoise.mitigations.base import Materials
from equipoise.mitigations.training import MaskedWords, Recipe, TrainingSet, train
from equipoise.mitigations.training.batches import cut_points
from equipoise.mitigations.training.examples import encode_examples, text_pieces
from equipoise.mitigations.training.masking import Vocabulary
from equipoise.models.neural.words import Tokens
from equipoise.models.options import RunOptions

BATCHES, PADDED, THEIR_STEPS, TURNS = 5, 256, 5, 2
GOALS = {"all weights": 15.0, "top four layers": 15.0, "low-rank changes": 15.0}
WAYS = {
    "all weights": Recipe(),
    "top four layers": Recipe(top_layers=4),
    "low-rank changes": Recipe(lora=8, learning_rate=5e-4),
}


class Speed(NamedTuple):
    """Tokens of text per second by the clock, and per second of a processor, which others do not disturb."""

    by_clock: float
    by_processor: float


def now() -> tuple[float, float]:
    """The time by the clock and by the processor."""
    return time.perf_counter(), time.process_time()


def speed(tokens: float, began: tuple[float, float], ended: tuple[float, float]) -> Speed:
    """How fast so many tokens were read."""
    return Speed(*(tokens / (after - before) for before, after in zip(began, ended, strict=True)))


def training() -> list[dict[str, Any]]:
    """Each way to tune against the published loop, taken in turns with it."""
    examples = gap_examples(BATCHES)
    rows = []
    for way, recipe in WAYS.items():
        turns = [(published_speed(examples), our_speed(examples, recipe)) for _ in range(TURNS)]
        theirs, ours = (Speed(*map(max, zip(*side, strict=True))) for side in zip(*turns, strict=True))
        ratio = ours.by_clock / theirs.by_clock
        work = f"fine-tuning, tokens of text per second, {way}"
        rows.append(
            {"work": work, "against": "the authors' loop", "ratio": round(ratio, 3), "at_least": GOALS[way]}
        )
        print(f"{way}: theirs {theirs.by_clock:.1f} tokens/s, ours {ours.by_clock:.1f}: {ratio:.1f} times")
        print(f"  by processor time {ours.by_processor / theirs.by_processor:.1f} times", flush=True)
    return rows


def gap_examples(batches: int) -> list[Any]:
    """Sentences of GAP as token ids: some of the batches that a training on the whole file has."""
    path = SHARED / "data" / "gap" / "gap-development.tsv"
    with path.open(encoding="utf-8") as file:
        texts = [row["Text"] for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    _, tokenizer = parts()
    examples = encode_examples(text_pieces(texts, "sentence"), Tokens(tokenizer, "bert"), 512)
    ordered = sorted(examples, key=len)
    cuts = cut_points([len(example) for example in ordered], Recipe().batch_tokens)
    chosen = range(len(cuts) // (2 * batches), len(cuts) - 1, len(cuts) // batches)
    return [example for number in chosen for example in ordered[cuts[number] : cuts[number + 1]]]


def our_speed(examples: list[Any], recipe: Recipe) -> Speed:
    """Tokens per second between the first and the last step of an epoch."""
    network, tokenizer = parts()
    times: list[tuple[float, float]] = []
    options = RunOptions(device="cpu", progress=lambda _: times.append(now()))
    objective = MaskedWords(Vocabulary.of(tokenizer))
    train(
        copy.deepcopy(network),
        TrainingSet(examples),
        objective,
        recipe,
        Materials(options=options),
        name="bench",
    )
    tokens = sum(map(len, examples)) * (len(times) - 1) / len(times)
    return speed(tokens, times[0], times[-1])


def published_speed(examples: list[Any]) -> Speed:
    """Tokens of text per second of the published loop."""
    network, tokenizer = parts()
    tuned = copy.deepcopy(network).train()
    optimizer = torch.optim.AdamW(tuned.parameters(), lr=5e-5, eps=1e-8)
    chosen = examples[:: max(1, len(examples) // (THEIR_STEPS + 1))][: THEIR_STEPS + 1]
    began = now()
    for number, example in enumerate(chosen):
        if number == 1:  # the first step makes the optimiser's memory
            began = now()
        ids = torch.full((1, PADDED), tokenizer.mask_token_id)
        ids[0, : len(example)] = torch.tensor(example.ids)
        labels = torch.where(torch.rand(1, PADDED) < 0.15, ids, -100)
        tuned(input_ids=ids, attention_mask=(ids > 0).long(), labels=labels).loss.backward()
        torch.nn.utils.clip_grad_norm_(tuned.parameters(), 1.0)
        optimizer.step()
        tuned.zero_grad()
    mean = sum(map(len, examples)) / len(examples)
    return speed((len(chosen) - 1) * mean, began, now())


if __name__ == "__main__":
    missed = [row for row in training() if row["ratio"] < row["at_least"]]
    sys.exit("Some ratios were not reached." if missed else 0)
