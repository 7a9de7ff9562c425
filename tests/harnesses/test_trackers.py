"""Real trackers get the headlines of the callback with their intervals."""

from pathlib import Path

import pytest
import tiny
from transformers import BertForMaskedLM, Trainer, TrainingArguments

import equipoise

event_files = pytest.importorskip(
    "tensorboard.backend.event_processing.event_accumulator", reason="make harness-test installs tensorboard"
)
pytestmark = pytest.mark.filterwarnings("ignore")


def test_tensorboard_shows_value_and_interval_beside_the_loss(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("TENSORBOARD_LOGGING_DIR", str(tmp_path / "board"))
    network, words = BertForMaskedLM(tiny.network("bert").config), tiny.tokenizer("wordpiece")
    rows = [words(text) for text in ("He was glad that she left early.", "She sold the roses.")] * 4
    arguments = TrainingArguments(
        str(tmp_path / "run"), max_steps=4, per_device_train_batch_size=1, report_to="tensorboard",
        use_cpu=True, save_strategy="no", logging_steps=2, disable_tqdm=True,
    )  # fmt: skip
    examples = [{**row, "labels": row["input_ids"]} for row in rows]
    trainer = Trainer(network, arguments, train_dataset=examples, processing_class=words)
    callback = equipoise.Callback(trainer, "traits", every=2)
    trainer.add_callback(callback)
    trainer.train()
    board = event_files.EventAccumulator(str(next((tmp_path / "board").rglob("events*")).parent))
    board.Reload()
    tags = board.Tags()["scalars"]
    assert "train/loss" in tags
    (result,) = callback.results[4]
    row = result.headlines().iloc[0]
    at = f"[{row['by']}={row['level']}]" if row["by"] else ""
    for end, column in (("", "value"), (".low", "low"), (".high", "high")):
        points = board.Scalars(f"eval/bias/traits.{row['key']}{at}{end}")
        assert [one.step for one in points] == [0, 2, 4]
        assert points[-1].value == pytest.approx(row[column], abs=1e-5)
