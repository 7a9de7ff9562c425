"""Several at once: two models in two threads, two processes on one row, a store that is cleared in use."""

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
import tiny
import torch
from tiny import wrapped

from equipoise.models.engine.local import side_by_side
from equipoise.models.engine.rows import RowAnswer, VectorSpec
from equipoise.models.engine.store import AnswerStore, RowCodec, clear_store, stored_models
from equipoise.models.questions import Fill, Score


def threads_of_a_new_thread() -> int:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(torch.get_num_threads).result()


def test_two_models_at_once_leave_the_process_its_threads(tmp_path: Path) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        models = [wrapped(family, tmp_path / family) for family in ("bert", "roberta", "distilbert")]
        for model in models:
            model.engine.budget = 128
        questions = [Score(text) for text in tiny.CORPUS[:10]]
        with ThreadPoolExecutor(3) as visitors:
            list(visitors.map(lambda model: model.answer(questions), models))
            left = list(visitors.map(lambda _: torch.get_num_threads(), range(6)))
        assert torch.get_num_threads() == 2
        assert set(left) == {2}
        assert threads_of_a_new_thread() == 2
    finally:
        torch.set_num_threads(before)


def test_a_thread_begun_while_lanes_are_at_work_has_all_threads() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    seen: list[tuple[int, int]] = []
    try:
        work = [lambda _: seen.append((torch.get_num_threads(), threads_of_a_new_thread()))] * 2
        list(side_by_side(work, range(6)))
    finally:
        torch.set_num_threads(before)
    assert seen == [(1, 2)] * 6


WRITER = """
import sys; from pathlib import Path
from equipoise.models.engine.store import RowCodec
from equipoise.models.engine.rows import RowAnswer
from equipoise.models.engine.store import AnswerStore
store = AnswerStore(Path(sys.argv[1]), RowCodec(), fingerprint='f', name='n')
own = int(sys.argv[2])
for number in range(300):
    store.write([(b'one row', RowAnswer({(own, number): -float(number)}))])
"""


def test_two_processes_that_write_one_row_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(own)], env=environment)
        for own in (1, 2)
    ]
    assert [writer.wait(timeout=120) for writer in writers] == [0, 0]
    kept = AnswerStore(path, RowCodec(), fingerprint="f", name="n").read([b"one row"])[b"one row"].logprobs
    assert kept == {(own, number): -float(number) for own in (1, 2) for number in range(300)}


def test_what_is_written_between_reading_and_writing_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second writer comes while the first joins its answer with what it read: it has to wait."""
    stores = (AnswerStore(tmp_path / "a.sqlite", RowCodec(), fingerprint="f", name="n") for _ in range(2))
    first, second = stores
    read, late = first._stored, Thread(target=second.write, args=([(b"k", RowAnswer({(0, 2): -2.0}))],))

    def slow(keys: Any) -> Any:
        rows = list(read(keys))
        late.start()
        late.join(0.3)
        return iter(rows)

    monkeypatch.setattr(first, "_stored", slow)
    first.write([(b"k", RowAnswer({(0, 1): -1.0}))])
    late.join()
    assert second.read([b"k"])[b"k"].logprobs == {(0, 1): -1.0, (0, 2): -2.0}


def test_what_two_writers_know_of_a_row_is_joined(tmp_path: Path) -> None:
    first, second = (
        AnswerStore(tmp_path / "a.sqlite", RowCodec(), fingerprint="f", name="n") for _ in range(2)
    )
    vector = np.arange(3, dtype=np.float32)
    assert first.read([b"k"]) == second.read([b"k"]) == {}
    first.write([(b"k", RowAnswer({(0, 1): -1.0}, {2: [(5, -0.1), (6, -0.2)]}, vectors={}))])
    second.write([(b"k", RowAnswer({(0, 2): -2.0}, {2: [(5, -0.1)]}, [0.5]))])
    first.write([(b"k", RowAnswer(vectors={VectorSpec(1, (2, 3)): vector}))])
    joined = second.read([b"k"])[b"k"]
    assert joined.logprobs == {(0, 1): -1.0, (0, 2): -2.0}
    assert joined.tops == {2: [(5, -0.1), (6, -0.2)]}
    assert joined.weights == [0.5]
    np.testing.assert_array_equal(joined.vectors[VectorSpec(1, (2, 3))], vector)


def test_a_store_cleared_in_use_goes_on_and_mixes_no_models_up(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    model = wrapped("bert", tmp_path)
    question = [Fill("[MASK] is a doctor.", ("he", "she"))]
    before = model.answer(question)
    inode = path.stat().st_ino
    assert clear_store(path) > 0
    assert path.stat().st_ino == inode
    assert stored_models(path) == []
    other = wrapped("distilbert", tmp_path)  # would take the first model's number, were that free
    theirs = other.answer(question)
    assert model.answer(question) == before
    assert model.engine.rows_run == 2
    assert theirs != before
    assert {stored.name for stored in stored_models(path)} == {"bert", "distilbert"}
    again = wrapped("bert", tmp_path)
    assert again.answer(question) == before
    assert again.engine.rows_run == 0


def test_clearing_waits_for_a_writer(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    store = AnswerStore(path, RowCodec(), fingerprint="f", name="n")
    store.write([(b"k", RowAnswer({(0, 1): -1.0}))])
    store._connection.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.3, store._connection.rollback)
    release.start()
    assert clear_store(path) > 0
    release.join()
    assert store.read([b"k"]) == {}


def test_a_file_that_is_no_database_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    path.write_bytes(b"not a database at all" * 100)
    assert clear_store(path) == 2100
    assert not path.exists()
    assert clear_store(path) == 0


@pytest.mark.parametrize("count", [1, 2])
def test_two_engines_on_one_set_of_weights(count: int, tmp_path: Path) -> None:
    models = [wrapped("bert", tmp_path / str(number)) for number in range(count)]
    questions = [Score(text) for text in tiny.CORPUS[:4]]
    with ThreadPoolExecutor(count) as visitors:
        totals = list(visitors.map(lambda m: [a.total for a in m.answer(questions)], models))
    for ours in totals:
        np.testing.assert_allclose(ours, totals[0], atol=1e-5)


def test_draws_of_random_weights_at_once_are_the_draws_one_by_one() -> None:
    from equipoise.models.loading.networks import random_parts

    alone = [random_parts(draw)[0].state_dict() for draw in (1, 2)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda place: random_parts(place % 2 + 1)[0].state_dict(), range(8)))
    for place, weights in enumerate(together):
        assert all(torch.equal(weights[name], alone[place % 2][name]) for name in weights)
