"""Half precision: refused where it does not pay, its deviation measured where it runs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from equipoise.errors import UserError
from equipoise.models.neural import devices

CPU = torch.device("cpu")


@pytest.mark.parametrize(("speed", "message"), [(0.0, "illegal instruction"), (0.14, "0.14 times")])
def test_bf16_is_refused_with_the_reason(speed: float, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "bf16_speed", lambda: speed)
    with pytest.raises(UserError, match=message):
        devices.check_precision("bf16", CPU)


def test_bf16_is_taken_where_it_is_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "bf16_speed", lambda: 1.9)
    devices.check_precision("bf16", CPU)


def test_an_unknown_precision() -> None:
    with pytest.raises(UserError, match="fp32"):
        devices.check_precision("fp8", CPU)


def test_the_speed_is_measured_and_the_process_survives() -> None:
    """On a machine whose bf16 instructions fail, only the measuring process dies."""
    assert devices.bf16_speed() >= 0.0


def test_bf16_deviates_little_and_says_how_much(tmp_path: Path) -> None:
    """In a process of its own, with instructions that every x86 processor emulates."""
    script = f"""
import sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r})
import tiny
from pathlib import Path
from equipoise.models.questions import Score
from equipoise.models.neural.masked import MaskedModel
from equipoise.models.options import RunOptions
store = Path({str(tmp_path / "s.sqlite")!r})
network, words = tiny.network("bert"), tiny.tokenizer("wordpiece")
half = MaskedModel(network, words, name="b", options=RunOptions(precision="bf16", store=store))
exact = MaskedModel(network, words, name="b", options=RunOptions(store=store))
questions = [Score(text) for text in tiny.CORPUS[:6]]
ours, theirs = half.answer(questions), exact.answer(questions)
largest = max(abs(a - b) for x, y in zip(ours, theirs) for a, b in zip(x.logprobs, y.logprobs))
assert exact.engine.rows_run > 0, "bf16 answers were taken for fp32 ones"
print(half.deviation(), largest, exact.deviation())
"""
    environment = {**os.environ, "ONEDNN_MAX_CPU_ISA": "AVX2", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    sampled, largest, none = map(float, done.stdout.split())
    assert 0 < sampled <= largest + 1e-6
    assert largest < 0.5
    assert none == 0.0
