"""The Ray executor on a real cluster of two nodes on this machine: same answers, and faults lose nothing."""

import json
import os
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equipoise.results import load_result

HERE = Path(__file__).parent
LIMIT = 120

pytestmark = pytest.mark.skipif(find_spec("ray") is None, reason="needs ray: pip install 'equipoise[ray]'")


def outcome(fault: str) -> dict[str, Any]:
    """What the driver printed, run in a process of its own."""
    done = subprocess.run(
        [sys.executable, HERE / "driver.py", fault],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert done.returncode == 0, done.stderr
    read: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return read


def check_complete(read: dict[str, Any]) -> None:
    """Every batch was answered with the right value and kept once."""
    assert read["said"] == ""
    assert read["sums"] == {str(number): number + 7 for number in range(40)}
    assert sorted(read["kept"]) == list(range(40))


def test_both_nodes_work_and_nothing_is_asked_twice() -> None:
    read = outcome("")
    check_complete(read)
    assert read["asked twice"] == 0
    assert read["nodes"] == 2


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["worker", "node"])
def test_a_lost_worker_or_node_costs_at_most_what_it_held(fault: str) -> None:
    """A worker holds two batches, so at most two of them are asked again; at least one is."""
    read = outcome(fault)
    check_complete(read)
    assert 1 <= read["asked twice"] <= 2
    assert read["seconds after the fault"] > 3


@pytest.mark.slow
def test_a_cluster_that_is_lost_ends_in_words_and_keeps_the_answers() -> None:
    """Both nodes that work are taken away; the driver waits for others in vain."""
    read = outcome("gone")
    problem, hint = read["said"].splitlines()
    assert "no longer answers" in problem
    assert "the same command continues" in hint
    assert 8 <= len(read["kept"]) < 40
    assert sorted(read["kept"]) == sorted(int(number) for number in read["sums"])
    assert all(total == int(number) + 7 for number, total in read["sums"].items())


@pytest.mark.slow
def test_workers_run_the_model_of_the_driver_and_nothing_else() -> None:
    """No worker could load these: the folder is gone, the weights were changed in memory, a hook was added.

    Five models take turns on two processors, so each must let go of its workers.
    """
    read = outcome("models")
    rows = {name: read[name] for name in ("folder gone", "before", "changed", "hooked")}
    for here, there in rows.values():
        assert np.allclose(here, there, atol=1e-5)
    before, changed, hooked = (np.asarray(rows[name][0]) for name in ("before", "changed", "hooked"))
    assert np.abs(before - changed).max() > 0.01
    assert np.abs(changed - hooked).max() > 0.01
    assert read["versions"].startswith(f"A worker has torch {version('torch')}, and this machine has 1.0.")
    for name, reason in (("unreadable", "weights.bin is not on this machine"), ("starving", "MemoryError")):
        problem, hint = read[name].splitlines()
        assert reason in problem
        assert "the same command continues" in hint


@pytest.mark.slow
def test_a_corpus_is_rewritten_and_counted_to_the_same_bytes_though_a_worker_is_lost() -> None:
    """The output, the account of flags and every table; a worker is lost at the twentieth of 40 pieces."""
    read = outcome("files")
    assert read["here pieces"] == [0, 0]
    assert min(read["cluster pieces"]) > 20
    assert len(read["here"]) > 5
    assert read["cluster"] == read["here"]


@pytest.mark.slow
def test_a_driver_that_is_killed_twice_and_started_again_asks_nothing_twice_that_was_kept() -> None:
    read = outcome("restart")
    assert read["asked again"] == []
    assert 40 <= read["asked"] <= 48  # two batches of two workers were under way at each kill
    assert read["sums"] == [number + 7 for number in range(40)]


@pytest.mark.slow
def test_a_cluster_that_ends_as_a_whole_is_said_though_ray_ends_the_driver() -> None:
    read = outcome("dead")
    problem, hint = read["said"].splitlines()[-2:]
    assert problem.startswith("Error: The cluster at 127.0.0.1")
    assert "the same command continues" in hint
    assert read["code"] != 0
    assert 10 <= read["kept"] < 40


def test_a_measurement_on_a_cluster_equals_one_on_this_machine(tmp_path: Path) -> None:
    """By the command line, with a cluster that it starts itself and that nobody else can reach."""
    rows = [f"occupation,He is a {job}.,She is a {job}." for job in ("doctor", "nurse", "pilot", "cook")]
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("\n".join(["category,stereotype,counterpart", *rows]) + "\n", "utf-8")
    measure = [sys.executable, "-m", "equipoise", "measure", "sbe", "--model", "random", "--no-cache"]
    measure += ["--data", str(pairs), "--no-neutral-pairs", "--out"]
    ways = {"here": [], "cluster": ["--executor", "ray", "--address", "local", "--workers", "2"]}
    for name, options in ways.items():
        done = subprocess.run(
            [*measure, str(tmp_path / name), *options], capture_output=True, text=True, timeout=LIMIT
        )
        assert done.returncode == 0, done.stderr
    here, cluster = (load_result(tmp_path / name).items for name in ways)
    assert cluster["item"].tolist() == here["item"].tolist()
    assert cluster["score"].tolist() == pytest.approx(here["score"].tolist(), abs=1e-5)


def test_no_cluster_is_said_in_two_lines(tmp_path: Path) -> None:
    measure = [sys.executable, "-m", "equipoise", "measure", "sbe", "--model", "random", "--executor", "ray"]
    for options, said in (([], "was given no address"), (["--address", "127.0.0.1:9"], "No Ray cluster")):
        done = subprocess.run(
            [*measure, "--out", str(tmp_path), *options], capture_output=True, text=True, timeout=LIMIT
        )
        assert done.returncode == 2
        assert said in done.stderr.splitlines()[-2]
