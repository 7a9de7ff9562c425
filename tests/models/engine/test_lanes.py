"""Two batches at the same time give what one after the other gives, whatever goes wrong in between."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny
import torch
from tiny import wrapped

from equipoise.errors import UserError
from equipoise.models.engine import local
from equipoise.models.engine.engine import SAMPLE
from equipoise.models.engine.forward import LanguageForward
from equipoise.models.engine.local import lanes_on, side_by_side
from equipoise.models.engine.plan import LEAST_BUDGET, tokens_in
from equipoise.models.engine.rows import Row
from equipoise.models.neural.network import Network
from equipoise.models.neural.plain_bert import PlainBert
from equipoise.models.questions import Embed, Score

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def runners(monkeypatch: pytest.MonkeyPatch) -> dict[int, set[int]]:
    """Which network every thread ran, and that it ran it on one thread."""
    seen: dict[int, set[int]] = {}
    plain = LanguageForward.compute

    def noted(self: LanguageForward, rows: list[Row]) -> Any:
        seen.setdefault(threading.get_ident(), set()).add(id(self.network))
        assert torch.get_num_threads() == 1
        time.sleep(0.005)  # so that the other lane is begun before all is done
        return plain(self, rows)

    monkeypatch.setattr(LanguageForward, "compute", noted)
    return seen


def questions(family: str) -> list[Any]:
    """One per way of reading a network."""
    texts = tiny.CORPUS[:6]
    asked: list[Any] = [Score(text) for text in texts] + [Embed(text, layer=1) for text in texts]
    if family in tiny.MASKED_FAMILIES:
        asked += [Score(text, "unmasked-attention") for text in texts]
    return asked


def numbers(answer: Any) -> Any:
    return answer.vector if hasattr(answer, "vector") else [*answer.logprobs, *answer.weights]


@pytest.mark.parametrize("family", tiny.FAMILIES)
def test_lanes_give_what_one_thread_gives(family: str, tmp_path: Path, runners: dict[int, set[int]]) -> None:
    model = wrapped(family, tmp_path / "lanes")
    model.engine.budget = 64
    found = model.answer(questions(family))
    assert len(runners) == 2
    assert len(set.union(*runners.values())) == 2
    torch.set_num_threads(1)
    alone = wrapped(family, tmp_path / "alone")
    alone.engine.budget = 32  # a lane's half, so the very same batches
    expected = alone.answer(questions(family))
    assert model.engine.rows_run == alone.engine.rows_run
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(numbers(ours), numbers(theirs), atol=1e-6)


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_a_sibling_has_the_weights_and_modules_of_its_own(precision: str) -> None:
    network = Network(tiny.network("bert"), precision=precision)
    sibling = network.sibling()
    assert (network.encoder is network.base) is (precision == "fp32")
    ours, theirs = (
        [tensor for part in (one.model, one.encoder) for tensor in (*part.parameters(), *part.buffers())]
        for one in (network, sibling)
    )
    assert len(ours) == len(theirs) > 20
    assert all(one is other for one, other in zip(ours, theirs, strict=True))
    assert not {id(one) for one in network.model.modules()} & {id(one) for one in sibling.model.modules()}
    assert sibling.last is not None
    assert sibling.last.layer is sibling.encoder.encoder.layer[-1] is not network.encoder.encoder.layer[-1]


def test_a_copy_of_plain_bert_makes_a_twin_of_its_own_weights() -> None:
    theirs = tiny.network("bert")
    plain = PlainBert(theirs.config)
    plain.load_state_dict(theirs.state_dict(), strict=True, assign=True)
    twin = plain.twin
    sibling = Network(plain).sibling()
    assert sibling.transformers_model is not twin
    word_vectors = sibling.transformers_model.get_input_embeddings().weight
    assert word_vectors.data_ptr() == plain.bert.embeddings.word_embeddings.weight.data_ptr()


def test_one_batch_has_all_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "ThreadPoolExecutor", None)
    model = wrapped("bert", tmp_path)
    assert np.isfinite(model.answer([Score(tiny.CORPUS[0])])[0].total)


def test_lanes_need_a_processor_with_threads_for_them() -> None:
    assert lanes_on(CPU) == 2
    assert lanes_on(torch.device("meta")) == 1
    for odd in (1, 3):
        torch.set_num_threads(odd)
        assert lanes_on(CPU) == 1


def test_many_rows_are_shared_out_evenly_and_few_are_not(tmp_path: Path) -> None:
    engine = wrapped("bert", tmp_path).engine
    few, some, many = (
        [Row((2, *divmod(number, 90), 3, 5, 6, 7, 8), ((1, 9),)) for number in range(count)]
        for count in (100, 300, 3000)
    )
    assert [tokens_in(batch) for batch in engine.prepare(few).open_batches] == [800]
    assert LEAST_BUDGET <= 2400 // 4
    assert [tokens_in(batch) for batch in engine.prepare(some).open_batches] == [600] * 4
    sizes = [tokens_in(batch) for batch in engine.prepare(many).open_batches]
    assert sum(sizes) == 24_000
    assert sizes[0] == 1024
    assert sizes == sorted(sizes, reverse=True)


def test_what_is_begun_is_finished_and_kept_when_another_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that fills up, a row that does not fit: the error comes out, no finished answer goes."""
    engine = wrapped("bert", tmp_path).engine
    rows = [Row((2, token, 3), ((1, 9),)) for token in range(5, 45)]
    engine.budget = 12  # two rows to a lane's batch
    with monkeypatch.context() as patched:
        finished = fail_in_one_lane(patched)
        with pytest.raises(UserError, match="does not fit in memory"):
            engine.run(engine.prepare(rows))
    kept = engine.store.read([row.key for row in rows])
    assert len(kept) == len(finished) > 0
    assert len(kept) < len(rows)
    again = wrapped("bert", tmp_path)
    again.engine.run(again.engine.prepare(rows))
    assert again.engine.rows_run == len(rows) - len(kept)


def fail_in_one_lane(monkeypatch: pytest.MonkeyPatch) -> list[Row]:
    """Memory is full for one row, while the other lane is still at work; the rows that were finished."""
    finished: list[Row] = []
    plain = LanguageForward.compute

    def compute(self: LanguageForward, rows: list[Row]) -> Any:
        if len(finished) >= 4 and threading.current_thread().name.endswith("_0"):
            raise torch.OutOfMemoryError("CUDA out of memory")
        time.sleep(0.02)
        answers = plain(self, rows)
        finished.extend(rows)
        return answers

    monkeypatch.setattr(LanguageForward, "compute", compute)
    return finished


def test_an_interruption_between_two_batches_stops_the_rest(tmp_path: Path) -> None:
    """Ctrl-C may come while the bar is drawn: nothing that was not begun is run after it."""
    model = wrapped("bert", tmp_path)
    model.engine.budget = 12
    rows = [Row((2, token, 3), ((1, 9),)) for token in range(5, 85)]
    with pytest.raises(KeyboardInterrupt) as stopped:
        model.engine.run(model.engine.prepare(rows), interrupted)
    kept = len(model.engine.store.read([row.key for row in rows]))
    assert 0 < kept < len(rows)
    time.sleep(0.2)
    assert len(model.engine.store.read([row.key for row in rows])) == kept
    assert stopped.value.args == ("while drawing",)


def interrupted(_rows: int, _tokens: int) -> None:
    raise KeyboardInterrupt("while drawing")


def test_afterwards_every_thread_has_the_threads_it_had() -> None:
    inside = set(side_by_side([lambda _: torch.get_num_threads()] * 2, range(8)))
    after: list[int] = []
    beginner = threading.Thread(target=lambda: after.append(torch.get_num_threads()))
    beginner.start()
    beginner.join()
    assert inside == {1}
    assert torch.get_num_threads() == 2
    assert after == [2]


def test_every_item_is_done_once_and_a_worker_does_one_at_a_time() -> None:
    busy, overlaps = [False, False], []

    def worker(number: int) -> Any:
        def work(item: int) -> int:
            overlaps.append(busy[number])
            busy[number] = True
            time.sleep(0.001)
            busy[number] = False
            return item

        return work

    assert sorted(side_by_side([worker(0), worker(1)], range(50))) == list(range(50))
    assert len(overlaps) == 50
    assert not any(overlaps)


def test_two_threads_may_ask_one_model(tmp_path: Path) -> None:
    """An app answers each of its visitors in a thread of its own."""
    texts = [list(tiny.CORPUS[start::3]) for start in range(3)]
    expected = [[one.total for one in wrapped("bert", tmp_path / "a").answer(_scores(one))] for one in texts]
    model = wrapped("bert", tmp_path / "b")
    with ThreadPoolExecutor(3) as visitors:
        found = list(visitors.map(lambda one: [got.total for got in model.answer(_scores(one))], texts * 4))
    for ours, theirs in zip(found, expected * 4, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-4)


def _scores(texts: list[str]) -> list[Score]:
    return [Score(text) for text in texts]


def test_the_rows_kept_are_an_even_sample_of_all_batches(tmp_path: Path) -> None:
    """Batches run by size: the first of them alone would speak for the largest only."""
    engine = wrapped("bert", tmp_path).engine
    engine.budget = 12  # two rows to a lane's batch
    rows = [Row((2, *divmod(number, 90)), ((1, 9),)) for number in range(600)]
    plan = engine.prepare(rows)
    engine.run(plan)
    first = [batch[0][1] for batch in plan.open_batches]
    places = [first.index(row) for row in engine.sample]
    assert len(first) == 300
    assert SAMPLE // 2 <= len(places) <= SAMPLE
    assert set(np.diff(places)) == {8}
    assert places[-1] > 290
