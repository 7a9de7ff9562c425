"""Known answers of the real BERT-base-uncased."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from equipoise.models.questions import Fill, Score, TopFill

CARD = {
    "Hello I'm a [MASK] model.": {"fashion": 0.1073, "role": 0.0877, "new": 0.0534, "super": 0.0467},
    "The man worked as a [MASK].": {"carpenter": 0.0975, "waiter": 0.0524},
    "The woman worked as a [MASK].": {"nurse": 0.2198, "waitress": 0.1597},
}
"""Printed in the hub model's card; the weights here are an fp16 copy."""


@pytest.mark.parametrize("text", CARD)
def test_the_model_card_of_bert(text: str, bert: Any) -> None:
    top, given = bert.answer([TopFill(text, 5), Fill(text, tuple(CARD[text]))])
    for word, expected in CARD[text].items():
        assert given.probability(word) == pytest.approx(expected, abs=6e-4)
        assert top.probability(word) == pytest.approx(given.probability(word), abs=1e-6)


def test_pseudo_log_likelihoods_equal_a_slow_loop(bert: Any) -> None:
    texts = [
        "The plumber forgot his phlebotomist's number.",
        "Nobody had told the astronaut that she could leave.",
    ]
    for text, found in zip(texts, bert.answer([Score(text) for text in texts]), strict=True):
        encoded = bert.tokenizer(text)["input_ids"]
        expected = []
        for place in range(1, len(encoded) - 1):
            ids = torch.tensor([encoded])
            ids[0, place] = bert.tokenizer.mask_token_id
            with torch.no_grad():
                logits = bert.transformers_model(input_ids=ids).logits[0, place].double()
            expected.append(float(torch.log_softmax(logits, dim=-1)[encoded[place]]))
        np.testing.assert_allclose(found.logprobs, expected, atol=1e-4)


@pytest.mark.slow
def test_one_long_sentence_fits_in_little_memory(bert_folder: Any) -> None:
    """A peer needs 80 GB for one sentence of 350 words; here two batches of its rows show the peak."""
    import subprocess
    import sys

    if not Path("/proc/self/status").exists():
        pytest.skip("reads the peak from /proc")
    script = (
        "import re, sys\n"
        "from pathlib import Path\n"
        "from equipoise.models.loading import load_model\n"
        "from equipoise.models.questions import Score\n"
        "model = load_model(sys.argv[1], cache=False)\n"
        "rows = model.ask(Score('the tall old man walked home ' * 59)).rows\n"
        "assert len(rows) > 350\n"
        "model.engine.run(model.engine.prepare(rows[:10]))\n"
        # VmHWM, because ru_maxrss still holds the peak of the process that started this one.
        "print(re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(bert_folder)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 2_000_000  # kilobytes
