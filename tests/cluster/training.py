"""Trains a small network, in as many processes as the launcher starts, and writes the loss of every step.

Run by tests/cluster/test_shared_training.py: `alone` takes two batches a step, as two processes do.
"""

import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from equipoise.mitigations.base import Materials
from equipoise.mitigations.training import Example, MaskedWords, Recipe, TrainingSet, running, train
from equipoise.mitigations.training.masking import Vocabulary
from equipoise.models.options import RunOptions

EXAMPLES, EPOCHS = 28, 3  # eight batches: with an odd number the last step would differ


def counted(number: int) -> Example:
    """Ids that count up from one place to the next, which a network can learn."""
    start, length = 5 + 3 * number % 20, 8 + number % 4
    return Example((2, *range(start, start + length), 3), (-1, *range(length), -1))


def network() -> Any:
    """Without dropout: every process would leave out others."""
    config = transformers.BertConfig(
        vocab_size=40,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=48,
        max_position_embeddings=32,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    torch.manual_seed(7)
    return transformers.BertForMaskedLM(config).eval()


class Slow(MaskedWords):
    """Takes its time, so that a process can be killed in the middle."""

    def judge(self, *given: Any) -> Any:
        time.sleep(float(os.environ.get("PAUSE", "0")))
        return super().judge(*given)


def main(out: Path, how: str) -> None:
    rank = os.environ.get("RANK", "0")
    out.mkdir(parents=True, exist_ok=True)
    (out / f"process-{rank}").write_text(str(os.getpid()), "utf-8")
    if how == "alone":
        arguments = running._arguments

        def two_batches_a_step(*given: Any, **choices: Any) -> Any:
            made = arguments(*given, **choices)
            made.gradient_accumulation_steps = 2
            return made

        running._arguments = two_batches_a_step
    trained = train(
        network(),
        TrainingSet([counted(number) for number in range(EXAMPLES)]),
        Slow(Vocabulary(4, 0, np.arange(5, 40))),
        Recipe(epochs=EPOCHS, learning_rate=1e-3, batch_tokens=50, checkpoint_minutes=0.0),
        Materials(seed=0, workshop=out / "workshop", options=RunOptions(device="cpu")),
        name="tiny",
    )
    trained.losses.to_csv(out / f"losses-{how}-{rank}.csv", index=False)
    torch.save(trained.network.state_dict(), out / f"weights-{how}-{rank}.pt")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
