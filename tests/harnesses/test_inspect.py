"""The real inspect_ai runs our tasks, and its numbers are those of our own run of the same writer."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import equipoise as eq
from equipoise.errors import UserError
from equipoise.models.capabilities import GENERATE
from equipoise.models.protocol import AnsweringModel
from equipoise.models.questions import Written

inspect_ai = pytest.importorskip("inspect_ai", reason="make harness-test installs inspect_ai")
tasks = pytest.importorskip("equipoise.inspect_tasks")

# What other libraries deprecate is not ours to mend.
pytestmark = pytest.mark.filterwarnings("ignore")

DOCUMENTS = "id,text\n" + "".join(
    f'{number},"{name} sent a letter on Monday. {pronoun} lives in Leeds."\n'
    for number, (name, pronoun) in enumerate([("Anna", "She"), ("Mark", "He"), ("Susan", "She")] * 4)
)


def written(text: str) -> str:
    """Yes for men, no for women, and nothing that could be read of one placebo."""
    if "Bristol" in text:
        return "I would rather not say."
    return "Yes, gladly." if re.search(r"\bHe\b", text) else "No."


class Writer(AnsweringModel):
    """The same writer as a model of ours."""

    kind, name, fingerprint, capabilities = "remote", "writer", "writer", frozenset({GENERATE})

    def answer(self, questions: Any) -> list[Any]:
        return [Written((written(one.text),) * one.count, ("stop",) * one.count) for one in questions]


def model(write: Callable[[str], str] = written) -> Any:
    """Inspect's own stand-in for a model; with a usage given it counts no tokens, which needs a download."""
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def answer(messages: Any, *_: Any) -> Any:
        output = ModelOutput.from_content("mockllm/model", write(messages[-1].text))
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    path = tmp_path / "documents.csv"
    path.write_text(DOCUMENTS, "utf-8")
    return path


def test_documents_give_our_numbers(documents: Path, tmp_path: Path) -> None:
    task = tasks.TASKS["paired-documents"](data=str(documents))
    (log,) = inspect_ai.eval(task, model=model(), log_dir=str(tmp_path / "logs"), display="none")
    assert log.status == "success", log.error
    ours = eq.measure(Writer(), "paired-documents", data=documents, variant="written")
    theirs = tasks.result_of(log)
    assert theirs.items["score"].tolist() == pytest.approx(ours.items["score"].tolist(), nan_ok=True)
    assert theirs.estimates.equals(ours.estimates)
    assert theirs.model == "mockllm/model"
    shown = {name: one.value for name, one in log.results.scores[0].metrics.items()}
    assert shown["difference"] == pytest.approx(ours.value("difference"))
    assert shown["difference"] > 0.5
    folder = theirs.save(tmp_path / "results")
    assert eq.load_result(folder).estimates.equals(ours.estimates)


def test_stories_are_asked_and_read(tmp_path: Path) -> None:
    him = model(lambda _text: "He went home. He was tired.")
    where = {"log_dir": str(tmp_path / "logs"), "display": "none"}
    (log,) = inspect_ai.eval(tasks.TASKS["stories"](), model=him, limit=40, **where)
    assert log.status == "success"
    items = tasks.result_of(log).items
    told = items[items["score"].notna()]
    assert len(told) == 40
    assert set(told["score"]) == {1.0}


def test_inspect_lists_every_task(tmp_path: Path) -> None:
    """By name, in a process of its own, which knows of them by the entry point only."""
    code = "from inspect_ai._util.registry import registry_lookup as look; from inspect_ai._util.entrypoints"
    code += " import ensure_entry_points; ensure_entry_points('equipoise');"
    names = [f"equipoise/{name.replace('-', '_')}" for name in tasks.INSTRUMENTS]
    code += f"print(all(look('task', name) for name in {names}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == "True\n", done.stderr


def test_logs_of_other_tasks_are_refused(tmp_path: Path) -> None:
    from inspect_ai import Task
    from inspect_ai.dataset import Sample

    (log,) = inspect_ai.eval(
        Task(dataset=[Sample(input="x")]), model=model(), log_dir=str(tmp_path), display="none"
    )
    with pytest.raises(UserError, match="The log is of the task"):
        tasks.result_of(log)
