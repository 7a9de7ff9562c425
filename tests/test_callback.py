"""The callback for transformers' Trainer logs what `audit` measures and keeps to its share of the time."""

from pathlib import Path
from typing import Any

import pytest
import tiny
import torch
from transformers import BertForMaskedLM, Trainer, TrainingArguments

import equipoise
from equipoise.data.sources import Data
from equipoise.errors import UserError
from equipoise.instruments.base import Settings


def trainer_of(folder: Path, steps: int) -> Trainer:
    """A Trainer that teaches a small BERT two sentences."""
    source = tiny.network("bert")
    network = BertForMaskedLM(source.config)
    network.load_state_dict(source.state_dict())
    words = tiny.tokenizer("wordpiece")
    rows = [words(text) for text in ("He was glad that she left early.", "She sold the roses.")]
    examples = [{**row, "labels": row["input_ids"]} for row in rows for _ in range(steps)]
    arguments = TrainingArguments(
        str(folder), max_steps=steps, per_device_train_batch_size=1, learning_rate=0.01,
        report_to="none", use_cpu=True, save_strategy="no", logging_strategy="no", disable_tqdm=True,
    )  # fmt: skip
    return Trainer(network, arguments, train_dataset=examples, processing_class=words)


@pytest.fixture
def pairs(tmp_path: Path) -> Data:
    path = tmp_path / "pairs.csv"
    path.write_text(
        "category,stereotype,counterpart\noccupation,He repairs every window.,She repairs every window.\n"
        "occupation,He sold the roses.,She sold the roses.\n",
        "utf-8",
    )
    return path


def test_every_two_steps_are_measured_and_logged(tmp_path: Path, pairs: Data) -> None:
    trainer = trainer_of(tmp_path, steps=5)
    settings = {"sbe": Settings(data=pairs, neutral_pairs=False)}
    callback = equipoise.Callback(trainer, "sbe", every=2, settings=settings)
    trainer.add_callback(callback)
    trainer.train()
    assert list(callback.results) == [0, 2, 4, 5]
    logged = [row for row in trainer.state.log_history if "eval_bias/sbe.asld" in row]
    assert [row["step"] for row in logged] == [0, 2, 4, 5]
    # The last line is what a fresh measurement of the trained network gives; training moved it.
    fresh = equipoise.measure(
        equipoise.wrap_model(trainer.model, tiny.tokenizer("wordpiece"), name="after"), "sbe", settings["sbe"]
    )
    assert logged[-1]["eval_bias/sbe.asld"] == pytest.approx(fresh.value("asld"), abs=1e-6)
    assert abs(logged[0]["eval_bias/sbe.asld"] - logged[-1]["eval_bias/sbe.asld"]) > 1e-3
    assert trainer.model.training


def test_measuring_between_the_ends_keeps_to_its_share(
    tmp_path: Path, pairs: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each step takes 1 s and each measurement 0.5 s by this clock: 3 % of 100 s allow six of them in all."""
    now = [0.0]
    monkeypatch.setattr("equipoise.callback.monotonic", lambda: now[0])
    trainer = trainer_of(tmp_path, steps=1)
    callback = equipoise.Callback(trainer, "sbe", settings={"sbe": Settings(data=pairs, neutral_pairs=False)})
    measured = []

    def audit(*_args: Any, **_more: Any) -> list[Any]:
        measured.append(now[0])
        now[0] += 0.5
        return []

    monkeypatch.setattr("equipoise.callback.audit", audit)
    monkeypatch.setattr(trainer, "log", lambda _row: None)
    state = trainer.state
    callback.on_train_begin(None, state, None)
    for step in range(1, 101):
        now[0] += 1.0
        state.global_step = step
        callback.on_step_end(None, state, None)
    callback.on_train_end(None, state, None)
    assert len(measured) == 6
    assert callback.spent == 3.0
    assert callback.spent <= 0.03 * now[0]
    # At no moment was the budget overdrawn, were training to end there with one measurement more.
    for number, moment in enumerate(measured[1:-1], start=2):
        assert 0.5 * (number + 1) <= 0.03 * moment


def test_a_sample_is_asked_of_every_step_and_the_whole_if_wanted(tmp_path: Path) -> None:
    trainer = trainer_of(tmp_path, steps=1)
    sampled, whole = (equipoise.Callback(trainer, "traits", whole=one) for one in (False, True))
    for callback in (sampled, whole):
        callback.on_train_begin(None, trainer.state, None)
    (part,), (all_of_it,) = sampled.results[0], whole.results[0]
    assert len(part.items) < 0.9 * len(all_of_it.items)
    sampled.on_train_begin(None, trainer.state, None)
    assert sampled.results[0][0].items["item"].tolist() == part.items["item"].tolist()


def test_the_loss_is_still_logged_at_a_measured_step(tmp_path: Path, pairs: Data) -> None:
    trainer = trainer_of(tmp_path, steps=4)
    trainer.args.logging_strategy, trainer.args.logging_steps = "steps", 2
    trainer.state.logging_steps = 2
    settings = {"sbe": Settings(data=pairs, neutral_pairs=False)}
    trainer.add_callback(equipoise.Callback(trainer, "sbe", every=2, settings=settings))
    trainer.train()
    assert [row["step"] for row in trainer.state.log_history if "loss" in row] == [2, 4]


def test_ctrl_c_in_a_measurement_stops_the_training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def audit(*_args: Any, stop: Any, **_more: Any) -> list[Any]:
        stop.interrupted = True
        return []

    monkeypatch.setattr("equipoise.callback.audit", audit)
    callback = equipoise.Callback(trainer_of(tmp_path, steps=1), "traits")
    with pytest.raises(KeyboardInterrupt):
        callback.on_train_begin(None, callback.trainer.state, None)


def test_what_cannot_be_measured_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="as the trainer"):
        equipoise.Callback(torch.nn.Linear(1, 1))
    with pytest.raises(UserError, match="every=0"):
        equipoise.Callback(trainer_of(tmp_path, 1), every=0)
