"""Groups of questions in turn: the same answers as at once, each row run once, early groups first."""

from typing import Any

import pytest
import tiny

from equipoise.errors import UserError
from equipoise.models.loading.networks import wrap_model
from equipoise.models.neural import base as neural
from equipoise.models.options import SCORING, STOPPED, Progress, RunOptions
from equipoise.models.questions import Fill, Question, Score, TopFill

BLANKS = [f"[MASK] is a {job}." for job in ("nurse", "pilot", "doctor", "teacher", "mechanic")]
GROUPS: list[list[Question]] = [
    [Fill(text, ("he", "she")) for text in BLANKS[:3]],
    [],
    [Fill(text, ("they",)) for text in BLANKS[1:]] + [TopFill(BLANKS[0], 3)],
    [Score("The nurse said that she would help."), Fill(BLANKS[4], ("he",))],
]


def model(**options: Any) -> Any:
    return wrap_model(
        tiny.network("bert"),
        tiny.tokenizer("wordpiece"),
        name="bert",
        options=RunOptions(cache=False, **options),
    )


@pytest.mark.parametrize("window", [3, 25_000])
def test_in_turn_as_at_once(window: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neural, "WINDOW", window)
    at_once, in_turn = model(), model()
    expected = at_once.answer([question for group in GROUPS for question in group])
    answers = list(in_turn.answer_in_turn(GROUPS))
    assert [len(group) for group in answers] == [3, 0, 5, 2]
    for one, other in zip((answer for group in answers for answer in group), expected, strict=True):
        assert one.logprobs == pytest.approx(other.logprobs, abs=1e-5)  # batches differ, so rounding does
    if window > 3:
        # Five blanks and one row for each of the sentence's tokens: none of them twice.
        assert in_turn.engine.rows_run == at_once.engine.rows_run == 5 + len(answers[3][0].tokens)


def test_a_group_is_not_run_before_it_is_taken() -> None:
    asked = model()
    answered = asked.answer_in_turn(GROUPS)
    next(answered)
    assert asked.engine.rows_run == 3
    next(answered)
    next(answered)
    assert asked.engine.rows_run == 5
    next(answered)
    assert asked.engine.rows_run > 5


def test_progress_counts_all_groups_and_an_early_end_is_told() -> None:
    told: list[Progress] = []
    asked = model(progress=told.append)
    list(asked.answer_in_turn(GROUPS))
    scoring = [one for one in told if one.phase == SCORING]
    assert len({one.total for one in scoring}) == 1
    assert scoring[-1].is_finished
    assert sum(one.is_finished for one in scoring) == 1
    stopped = asked.answer_in_turn(GROUPS)
    next(stopped)
    stopped.close()
    assert told[-1].phase == STOPPED


def test_progress_ends_at_the_whole_where_later_windows_lie_in_the_store(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(neural, "WINDOW", 10)
    told: list[Progress] = []
    asked = model(progress=told.append)
    texts = [Score(text) for text in dict.fromkeys(tiny.CORPUS)]
    asked.answer(texts[5:])
    told.clear()
    asked.answer(texts)
    last = [one for one in told if one.phase == SCORING][-1]
    assert last.done == last.total > 0
    assert last.is_finished


def test_a_callback_that_asks_its_own_model_is_refused_not_left_waiting() -> None:
    refused: list[UserError] = []

    def ask_again(progress: Progress) -> None:
        if progress.phase == SCORING and progress.done and not refused:
            with pytest.raises(UserError, match="asked while it was answering") as caught:
                asked.fill(BLANKS[3], ["he"])
            refused.append(caught.value)

    asked = model(progress=ask_again)
    asked.fill(BLANKS[0], ["he"])
    assert refused
    assert len(asked.fill(BLANKS[3], ["he"])) == 1
