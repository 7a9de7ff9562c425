"""The answer store: found again by content, never by chance; damage and refusal in words."""

import os
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import tiny
import torch
from hypothesis import given
from hypothesis import strategies as st
from tiny import wrapped

from equipoise.errors import UserError
from equipoise.models.engine.rows import Row, RowAnswer
from equipoise.models.engine.store import AnswerStore, RowCodec, clear_store, stored_models
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.questions import Embed, Fill, Score, TopFill

QUESTIONS = [
    Fill("[MASK] is a doctor.", ("he", "she")),
    TopFill("[MASK] is a doctor.", 5),
    Score("Her mother was a pilot."),
    Score("Her mother was a pilot.", "unmasked-attention"),
    Embed("Her mother was a pilot."),
]

finite = st.floats(allow_nan=False, allow_infinity=False, width=64)
places = st.integers(0, 2**31 - 1)


@given(
    st.dictionaries(st.tuples(places, places), finite, max_size=5),
    st.dictionaries(places, st.lists(st.tuples(places, finite), min_size=1, max_size=4), max_size=3),
    st.lists(finite, max_size=6),
)
def test_an_answer_comes_back_exactly(
    logprobs: dict[tuple[int, int], float],
    tops: dict[int, list[tuple[int, float]]],
    weights: list[float],
) -> None:
    answer = RowAnswer(logprobs, tops, weights)
    assert RowCodec().unpack(RowCodec().pack(answer)) == answer


def test_answers_asked_again_do_not_run_again(tmp_path: Path) -> None:
    first = wrapped("bert", tmp_path)
    before = first.answer(QUESTIONS)
    second = wrapped("bert", tmp_path)
    after = second.answer(QUESTIONS)
    assert first.engine.rows_run > 0
    assert second.engine.rows_run == 0
    assert before[:4] == after[:4]
    np.testing.assert_array_equal(before[4].vector, after[4].vector)


def test_new_words_at_an_old_blank_run_once_and_keep_the_old(tmp_path: Path) -> None:
    model = wrapped("bert", tmp_path)
    model.answer([Fill("[MASK] is a doctor.", ("he",))])
    model.answer([Fill("[MASK] is a doctor.", ("she",))])
    assert model.engine.rows_run == 2
    model.answer([Fill("[MASK] is a doctor.", ("he", "she"))])
    assert model.engine.rows_run == 2


def test_a_fine_tuned_copy_never_reads_the_old_answers(tmp_path: Path) -> None:
    network, words = tiny.network("bert", seed=11), tiny.tokenizer("wordpiece")
    settings = RunOptions(store=tmp_path / "answers.sqlite")
    old = wrap_model(network, words, name="folder", options=settings)
    before, known_as = old.answer(QUESTIONS[:1])[0], old.fingerprint
    with torch.no_grad():
        network.cls.predictions.bias[:] += torch.linspace(-2, 2, len(words))
    new = wrap_model(network, words, name="folder", options=settings)
    after = new.answer(QUESTIONS[:1])[0]
    assert known_as != new.fingerprint
    assert new.engine.rows_run == 1
    assert before.logprobs != after.logprobs


def test_the_fingerprint_covers_tokenizer_and_configuration() -> None:
    from copy import deepcopy

    from equipoise.models.guards.weights import fingerprint

    network = tiny.network("bert")
    base = fingerprint(network, tiny.tokenizer("wordpiece"))
    other_words = fingerprint(network, tiny.tokenizer("cased-wordpiece"))
    changed = deepcopy(network)
    changed.config.layer_norm_eps = 1e-6
    other_config = fingerprint(changed, tiny.tokenizer("wordpiece"))
    renamed = deepcopy(network)
    renamed.config._name_or_path = "elsewhere"
    assert len({base, other_words, other_config}) == 3
    assert fingerprint(renamed, tiny.tokenizer("wordpiece")) == base


def test_without_a_cache_nothing_is_left_behind(tmp_path: Path) -> None:
    model = wrap_model(
        tiny.network("bert"), tiny.tokenizer("wordpiece"), name="x", options=RunOptions(cache=False)
    )
    model.answer(QUESTIONS)
    assert not (tmp_path / "cache").exists()


def test_info_and_clear(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    assert stored_models(path) == []
    model = wrapped("bert", tmp_path)
    model.answer(QUESTIONS)
    (stored,) = stored_models(path)
    assert (stored.name, stored.answers) == ("bert", model.engine.rows_run)
    model.engine.store.close()
    assert clear_store(path) > 0
    assert stored_models(path) == []


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(UserError, match="damaged") as caught:
        wrapped("bert", tmp_path)
    assert "cache clear" in caught.value.hint


def test_a_damaged_answer_is_noticed(tmp_path: Path) -> None:
    wrapped("bert", tmp_path).answer(QUESTIONS[:1])
    connection = sqlite3.connect(tmp_path / "answers.sqlite")
    with connection:
        ((value,),) = connection.execute("SELECT value FROM answers")
        connection.execute("UPDATE answers SET value = ?", (value[:-1] + bytes([value[-1] ^ 1]),))
    connection.close()
    with pytest.raises(UserError, match="checksum"):
        wrapped("bert", tmp_path).answer(QUESTIONS[:1])


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UserError, match="cannot be opened"):
        AnswerStore(tmp_path / "file" / "answers.sqlite", RowCodec(), fingerprint="f", name="n")


def test_a_full_disk_is_said_and_finished_answers_stay(tmp_path: Path) -> None:
    store = AnswerStore(tmp_path / "answers.sqlite", RowCodec(), fingerprint="f", name="n")
    row = Row((1, 2, 3), ((1, 2),))
    store.write([(row.key, RowAnswer({(1, 2): -1.5}))])
    # SQLite's own limit on the number of pages behaves as a full disk does.
    (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    big = RowAnswer({(place, 1): -1.0 for place in range(20_000)})
    with pytest.raises(UserError, match="full"):
        store.write([(b"k" * 16, big)])
    assert store.read([row.key])[row.key].logprobs == {(1, 2): -1.5}


def test_two_models_keep_their_own_answers_to_one_row(tmp_path: Path) -> None:
    row = Row((1, 2, 3), ((1, 2),))
    stores = [
        AnswerStore(tmp_path / "answers.sqlite", RowCodec(), fingerprint=name, name=name) for name in "ab"
    ]
    for store, logprob in zip(stores, (-1.5, -2.5), strict=True):
        store.write([(row.key, RowAnswer({(1, 2): logprob}))])
    kept = [store.read([row.key])[row.key].logprobs[1, 2] for store in stores]
    assert kept == [-1.5, -2.5]


def test_a_store_that_may_not_be_written(tmp_path: Path) -> None:
    store = AnswerStore(tmp_path / "answers.sqlite", RowCodec(), fingerprint="f", name="n")
    store._connection.execute("PRAGMA query_only = ON")
    with pytest.raises(UserError, match="readonly") as caught:
        store.write([(b"k" * 16, RowAnswer({(1, 2): -1.0}))])
    assert "--no-cache" in caught.value.hint


def test_a_new_store_waits_for_another_process_that_is_making_it(tmp_path: Path) -> None:
    """SQLite would say that it is locked at once, however long it was told to wait."""
    path = tmp_path / "answers.sqlite"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("CREATE TABLE made_by_the_other (x)")
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.5, lambda: other.execute("COMMIT"))
    release.start()
    store = AnswerStore(path, RowCodec(), fingerprint="f", name="n")
    release.join()
    store.write([(b"key", RowAnswer({(0, 1): -1.5}))])
    assert store.read([b"key"])[b"key"].logprobs == {(0, 1): -1.5}


def test_two_processes_share_one_store(tmp_path: Path) -> None:
    """Both write a thousand answers at once; every one of them is there afterwards."""
    script = (
        "import sys; from pathlib import Path\n"
        "from equipoise.models.engine.store import AnswerStore\n"
        "from equipoise.models.engine.rows import RowAnswer\n"
        "from equipoise.models.engine.store import RowCodec\n"
        "store = AnswerStore(Path(sys.argv[1]), RowCodec(), fingerprint='f', name='n')\n"
        "for number in range(1000):\n"
        "    key = int(sys.argv[2]).to_bytes(8, 'big') + number.to_bytes(8, 'big')\n"
        "    store.write([(key, RowAnswer({(0, number): -float(number)}))])\n"
    )
    path = str(tmp_path / "answers.sqlite")
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    running = [
        subprocess.Popen([sys.executable, "-c", script, path, str(number)], env=environment)
        for number in (1, 2)
    ]
    assert [one.wait(timeout=60) for one in running] == [0, 0]
    (stored,) = stored_models(Path(path))
    assert stored.answers == 2000
