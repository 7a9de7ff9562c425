"""Run options, devices and progress: one object, checked once, told to whoever asked."""

import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import tiny
import torch
from tiny import wrapped

from equipoise.choices import choices_of
from equipoise.errors import Cancelled, UserError
from equipoise.models.engine.engine import EXECUTORS, find_executor
from equipoise.models.engine.local import LocalExecutor
from equipoise.models.loading import load_model
from equipoise.models.neural import devices
from equipoise.models.neural.devices import find_device, token_budget
from equipoise.models.options import LOADING, PLANNING, SCORING, STOPPED, Progress, RunOptions, choose_options
from equipoise.models.questions import Score


def test_choices_by_name_are_the_object() -> None:
    assert choose_options(None, {"precision": "bf16", "cache": False}) == RunOptions("bf16", cache=False)
    assert choose_options(None, {}) == RunOptions()
    given = RunOptions(token_budget=9)
    assert choose_options(given, {}) is given


def test_an_unknown_choice_is_refused_with_the_nearest() -> None:
    with pytest.raises(UserError, match="'precison'") as caught:
        load_model("random", precison="fp32")
    assert "Did you mean 'precision'?" in caught.value.hint


def test_options_given_twice_or_out_of_range_are_refused() -> None:
    with pytest.raises(UserError, match="given twice"):
        load_model("random", RunOptions(), cache=False)
    with pytest.raises(UserError, match="-5"):
        RunOptions(token_budget=-5)


def test_a_command_line_can_be_made_of_the_options() -> None:
    """Everything but callbacks and the place of the store; a flag of its own where the name would mislead."""
    offered = {each.name: each for each in choices_of(RunOptions)}
    rest = {each.name for each in fields(RunOptions)} - set(offered)
    assert rest == {"progress", "is_cancelled", "store"}
    assert offered["cache"].flag == "--no-cache"
    assert all(each.help.endswith(".") for each in offered.values())


def test_importing_the_options_costs_no_torch() -> None:
    import subprocess

    script = (
        "import sys, equipoise.models.options\n"
        "assert not {'torch', 'pandas', 'numpy', 'transformers'} & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_devices_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "devices_here", lambda: ["cuda:0", "cuda:1", "cpu"])
    assert find_device("auto") == find_device("cuda") == torch.device("cuda:0")
    assert find_device("cuda:1") == torch.device("cuda:1")
    assert find_device("cpu") == torch.device("cpu")
    for absent in ("cuda:2", "mps", "tpu"):
        with pytest.raises(UserError, match=absent) as caught:
            find_device(absent)
        assert "cuda:0, cuda:1, cpu" in caught.value.hint


def test_a_device_that_is_not_here_is_refused_before_anything_is_loaded() -> None:
    assert "cpu" in devices.devices_here()
    with pytest.raises(UserError, match="cuda:7"):
        load_model("random", device="cuda:7")
    assert load_model("random", device="cpu", cache=False).engine.forward.network.device.type == "cpu"


@pytest.mark.parametrize(
    ("free", "expected"), [(0, 16_384), (2 << 30, 16_384), (8 << 30, 32_768), (80 << 30, 65_536)]
)
def test_the_token_budget_grows_with_the_memory_of_a_card(
    free: int, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda _device: (free, 96 << 30))
    card = torch.device("cuda:0")
    assert token_budget(card) == expected
    assert token_budget(card, 777) == 777
    assert token_budget(torch.device("cpu")) == 2048


def test_a_given_budget_is_the_engines(tmp_path: Path) -> None:
    model = wrapped("bert", tmp_path, token_budget=300)
    assert model.engine.budget == 300
    assert wrapped("bert", tmp_path).engine.budget == 2048


def test_executors_are_looked_up_by_name() -> None:
    assert isinstance(find_executor(RunOptions()), LocalExecutor)
    assert set(EXECUTORS.ours) == {"local", "ray"}
    with pytest.raises(UserError, match="'locale'") as caught:
        load_model("random", executor="locale")
    assert "Did you mean 'local'?" in caught.value.hint


def heard_by(tmp_path: Path, **choices: Any) -> tuple[Any, list[Progress]]:
    heard: list[Progress] = []
    return wrapped("bert", tmp_path, progress=heard.append, token_budget=64, **choices), heard


def test_every_phase_is_reported_and_ends_whole(tmp_path: Path) -> None:
    model, heard = heard_by(tmp_path)
    model.answer([Score(text) for text in tiny.CORPUS[:10]])
    phases = list(dict.fromkeys(each.phase for each in heard))
    assert phases == [PLANNING, SCORING]
    scoring = [each for each in heard if each.phase == SCORING]
    assert (scoring[0].done, scoring[-1].done) == (0, scoring[-1].total)
    assert scoring[-1].is_finished
    assert scoring[-1].rows == model.engine.rows_run
    assert len(scoring) == model.engine.passes + 1
    assert len({each.total for each in scoring}) == 1
    assert [each.done for each in scoring] == sorted(each.done for each in scoring)
    assert {each.subject for each in heard} == {"bert"}


def test_tokens_are_counted_with_their_padding(tmp_path: Path) -> None:
    model, heard = heard_by(tmp_path)
    questions = [Score("He is a doctor."), Score("She is an engineer.")]
    rows = [row for question in questions for row in model.ask(question).rows]
    plan = model.engine.prepare(rows)
    by_hand = sum(len(batch) * max(len(row.ids) for _, row in batch) for batch in plan.open_batches)
    model.answer(questions)
    assert heard[-1].total == by_hand


def test_what_the_store_knows_is_no_work(tmp_path: Path) -> None:
    questions = [Score(text) for text in tiny.CORPUS[:4]]
    wrapped("bert", tmp_path).answer(questions)
    model, heard = heard_by(tmp_path)
    model.answer(questions)
    assert {each.phase for each in heard} == {PLANNING}
    assert heard[-1].is_finished


def test_loading_is_reported() -> None:
    heard: list[Progress] = []
    load_model("random", cache=False, progress=heard.append)
    assert {each.phase for each in heard} == {LOADING}
    assert [each.is_finished for each in heard] == [False, False, True]


def test_a_run_that_is_cancelled_keeps_what_it_finished(tmp_path: Path) -> None:
    questions = [Score(text) for text in tiny.CORPUS[:10]]
    heard: list[Progress] = []
    model = wrapped(
        "bert",
        tmp_path,
        token_budget=64,
        progress=heard.append,
        is_cancelled=lambda: any(each.rows > 20 for each in heard),
    )
    with pytest.raises(Cancelled):
        model.answer(questions)
    assert heard[-1].phase == STOPPED
    rows = [row for question in questions for row in model.ask(question).rows]
    kept = len(model.engine.store.read(list({row.key for row in rows})))
    assert 20 < kept < len(rows)
    again = wrapped("bert", tmp_path, token_budget=64)
    again.answer(questions)
    assert again.engine.rows_run == len({row.key for row in rows}) - kept


def test_a_run_may_be_cancelled_while_it_is_planned(tmp_path: Path) -> None:
    model = wrapped("bert", tmp_path, is_cancelled=lambda: True)
    with pytest.raises(Cancelled, match="planned"):
        model.answer([Score("He is a doctor.")] * 3)
    assert model.engine.rows_run == 0
