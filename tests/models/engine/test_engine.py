"""Batched, deduplicated, head-on-asked-positions answers against a slow plain loop, for every family."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny
import torch
from tiny import plain_logprobs, wrapped

from equipoise.errors import UserError
from equipoise.models.engine.forward import LanguageForward
from equipoise.models.engine.plan import batches, tokens_in
from equipoise.models.engine.rows import Row, merge
from equipoise.models.options import RunReport
from equipoise.models.questions import Fill, Raw, Score

SENTENCES = [tiny.CORPUS[0], tiny.CORPUS[3], "He is a doctor.", "Her mother was a pilot."]
BLANKS = [
    ("[MASK] is a doctor and she is an engineer.", ("he", "she", "they")),
    ("The nurse said that [MASK] would help the patient.", ("he", "she", "phlebotomist")),
    ("The old carpenter lost [MASK] keys.", ("his", "her")),
]


def slow_masked_score(model: Any, text: str) -> list[float]:
    encoded = model.tokens.encode(text)
    values = []
    for place in encoded.content:
        ids = list(encoded.ids)
        ids[place] = model.mask_id
        values.append(float(plain_logprobs(model, ids)[place, encoded.ids[place]]))
    return values


def slow_causal_score(model: Any, text: str) -> list[float]:
    encoded = model.encode(text)
    logprobs = plain_logprobs(model, list(encoded.ids))
    return [float(logprobs[place - 1, encoded.ids[place]]) for place in encoded.content]


@pytest.mark.parametrize("family", tiny.FAMILIES)
def test_scores_equal_a_slow_loop(family: str, tmp_path: Path) -> None:
    model = wrapped(family, tmp_path)
    slow = slow_causal_score if model.kind == "causal" else slow_masked_score
    answers = model.answer([Score(text) for text in SENTENCES])
    for text, found in zip(SENTENCES, answers, strict=True):
        np.testing.assert_allclose(found.logprobs, slow(model, text), atol=1e-4)


@pytest.mark.parametrize("family", tiny.FAMILIES)
def test_the_head_runs_apart_from_the_encoder(family: str, tmp_path: Path) -> None:
    assert wrapped(family, tmp_path).engine.forward.network.splits


@pytest.mark.parametrize("family", [*tiny.MASKED_FAMILIES, "bart"])
def test_fills_equal_a_slow_chain_rule(family: str, tmp_path: Path) -> None:
    model = wrapped(family, tmp_path)
    answers = model.answer([Fill(text, words) for text, words in BLANKS])
    for (text, words), found in zip(BLANKS, answers, strict=True):
        for word, logprob in zip(words, found.logprobs, strict=True):
            left, right = text.split("[MASK]")
            written = word.capitalize() if not left else word
            encoded = model.tokens.encode(left + written + right)
            places = encoded.positions((len(left), len(left) + len(word)))
            ids = list(encoded.ids)
            for place in places:
                ids[place] = model.mask_id
            expected = 0.0
            for place in places:
                expected += float(plain_logprobs(model, ids)[place, encoded.ids[place]])
                ids[place] = encoded.ids[place]
            assert logprob == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("family", tiny.CAUSAL_FAMILIES)
def test_a_causal_fill_is_the_share_of_whole_sentences(family: str, tmp_path: Path) -> None:
    model = wrapped(family, tmp_path)
    (found,) = model.answer([Fill("The nurse said that [MASK] would help.", ("he", "she"))])
    totals = [
        sum(slow_causal_score(model, f"The nurse said that {word} would help.")) for word in ("he", "she")
    ]
    shares = np.exp(totals) / np.exp(totals).sum()
    np.testing.assert_allclose(np.exp(found.logprobs), shares, atol=1e-4)


def test_batches_of_mixed_lengths_equal_rows_alone(tmp_path: Path) -> None:
    model = wrapped("bert", tmp_path)
    rows = [Row(tuple(range(5, 5 + length)), ((length // 2, 9),)) for length in (4, 9, 9, 17, 23, 5, 4, 30)]
    together = model.engine.compute(rows)
    for row, found in zip(rows, together, strict=True):
        alone = model.engine.compute([row])[0]
        assert found.logprobs[row.asks[0]] == pytest.approx(alone.logprobs[row.asks[0]], abs=1e-5)


def test_each_distinct_row_runs_once(tmp_path: Path) -> None:
    model = wrapped("bert", tmp_path)
    questions = [Fill("[MASK] is a doctor.", ("he",)), Fill("[MASK] is a doctor.", ("she", "he"))] * 3
    answers = model.answer(questions)
    assert model.engine.rows_run == 1
    assert answers[0].logprobs[0] == answers[1].logprobs[1]


def test_a_raw_row_runs_exactly_as_it_stands(tmp_path: Path) -> None:
    model = wrapped("bert", tmp_path)
    pad, mask = model.tokenizer.pad_token_id, model.mask_id
    ids = (2, mask, 20, 21, 3, pad, pad, mask)
    (found,) = model.answer([Raw(ids, 1, (9, 10))])
    expected = plain_logprobs(model, list(ids))[1, [9, 10]]
    np.testing.assert_allclose(found.logprobs, expected, atol=1e-4)


def test_batches_hold_the_budget_and_every_row_once() -> None:
    rows = [Row(tuple(range(length)), ((0, 1),)) for length in range(2, 60)] * 2
    distinct = list(merge(rows).items())
    packed = batches(distinct, budget=128)
    assert sorted(key for batch in packed for key, _ in batch) == sorted(key for key, _ in distinct)
    for batch in packed:
        longest = max(len(row.ids) for _, row in batch)
        assert longest * len(batch) <= 128 or len(batch) == 1
    lengths = [len(batch[0][1].ids) for batch in packed]
    assert lengths == sorted(lengths, reverse=True)


def test_a_batch_that_is_half_full_takes_no_shorter_rows() -> None:
    """16 rows of six tokens fill 96 of 128; five rows of five would fit, but each with a token of padding."""
    rows = [Row(tuple(range(first, first + 6)), ((0, 1),)) for first in range(16)]
    rows += [Row(tuple(range(first, first + 5)), ((0, 1),)) for first in range(5)]
    packed = batches(list(merge(rows).items()), budget=128)
    assert [len(batch) for batch in packed] == [16, 5]
    assert sum(tokens_in(batch) for batch in packed) == 16 * 6 + 5 * 5


def test_out_of_memory_halves_the_batch_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = wrapped("bert", tmp_path)
    rows = [Row((2, token, 3), ((1, 9),)) for token in range(5, 30)]
    expected = [model.engine.compute([row])[0].logprobs for row in rows]
    sizes = limit_memory(monkeypatch, most=4)
    answers = model.engine.run(model.engine.prepare(rows))
    for ours, theirs in zip(answers, expected, strict=True):
        assert ours.logprobs[1, 9] == pytest.approx(theirs[1, 9], abs=1e-5)
    assert max(sizes) <= 4


def test_a_row_that_never_fits_is_a_user_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = wrapped("bert", tmp_path).engine
    limit_memory(monkeypatch, most=0)
    with pytest.raises(UserError, match="does not fit in memory"):
        engine.run(engine.prepare([Row((2, 9, 3), ((1, 9),))]))


def limit_memory(monkeypatch: pytest.MonkeyPatch, most: int) -> list[int]:
    """A device that holds only a few rows at once, as a small graphics card would; the sizes that it ran."""
    sizes: list[int] = []
    plain = LanguageForward.compute

    def compute(self: LanguageForward, rows: list[Row]) -> Any:
        if len(rows) > most:
            raise torch.OutOfMemoryError("CUDA out of memory")
        sizes.append(len(rows))
        return plain(self, rows)

    monkeypatch.setattr(LanguageForward, "compute", compute)
    return sizes


def test_memory_holds_a_window_of_rows_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from equipoise.models.neural import base as neural

    model = wrapped("bert", tmp_path)
    whole = [found.total for found in model.answer([Score(text) for text in SENTENCES])]
    monkeypatch.setattr(neural, "WINDOW", 10)
    again = wrapped("bert", tmp_path / "other")
    parts = [found.total for found in again.answer([Score(text) for text in SENTENCES])]
    np.testing.assert_allclose(parts, whole, atol=1e-4)


def test_a_window_counts_distinct_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same sentence a hundred times is one window; two that do not fit together are two."""
    from equipoise.models.neural import base as neural

    model = wrapped("bert", tmp_path)
    first, second = SENTENCES[:2]
    most = max(len(model.ask(Score(text)).rows) for text in (first, second))
    monkeypatch.setattr(neural, "WINDOW", most)
    repeated = [Score(first)] * 100 + [Score(second)]
    windows = list(model._windows(repeated, RunReport("bert", len(repeated))))
    assert [len(window) for window in windows] == [100, 1]


def test_what_is_still_to_come_is_judged_by_kind() -> None:
    from equipoise.models.neural.base import AsRows, expected_rows

    row = Row((1, 2, 3))
    window = [AsRows([row] * 10, list), AsRows([row] * 20, list), AsRows([row], list)]
    inside = [Score("a"), Score("b"), Fill("[MASK].", ("c",))]
    later = [Score("d"), Score("e"), Raw((1,), 0, (1,))]
    assert expected_rows(window, [*inside, *later]) == 15 + 15 + 1


def test_the_softmax_is_over_the_vocabulary(tmp_path: Path) -> None:
    """D3: a peer normalises over positions."""
    model = wrapped("bert", tmp_path)
    everything = tuple(range(len(model.tokenizer)))
    (found,) = model.answer([Raw((2, model.mask_id, 20, 3), 1, everything)])
    assert np.exp(found.logprobs).sum() == pytest.approx(1.0, abs=1e-6)
