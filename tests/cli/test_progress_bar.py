"""The progress bar: silent at first, then in words or drawn; a time left only when it can be told."""

import io
import time

import pytest

from equipoise.cli import progress_bar
from equipoise.cli.progress_bar import ProgressBar, Rate, line
from equipoise.errors import UserError
from equipoise.models.loading import load_model
from equipoise.models.options import LOADING, PLANNING, SCORING, STOPPED, Progress


def scoring(done: int, rows: int, total: int = 1000) -> Progress:
    return Progress(SCORING, done, total, "bert", rows)


def test_no_time_left_before_enough_was_seen() -> None:
    rate = Rate()
    for second, done in enumerate((100, 200, 300)):
        rate.note(scoring(done, done // 10), now=float(second))
        assert rate.seconds_left(1000) is None
    rate.note(scoring(400, 40), now=3.0)
    assert rate.seconds_left(1000) == pytest.approx(6.0)
    assert rate.rows_per_second() == pytest.approx(10.0)


def test_the_slow_first_batch_is_left_out_of_the_rate() -> None:
    """Ten seconds to the first hundred tokens, then a hundred a second: nine hundred take nine."""
    rate = Rate()
    for moment, done in ((10.0, 100), (11.0, 200), (12.0, 300), (13.0, 400)):
        rate.note(scoring(done, 1), now=moment)
    assert rate.seconds_left(1300) == pytest.approx(9.0)


def test_long_rows_first_do_not_mislead() -> None:
    """Tokens take the same time throughout, rows do not: two long ones take as long as twenty short."""
    rate = Rate()
    for moment, done, rows in ((1.0, 100, 2), (2.0, 200, 4), (3.0, 300, 6), (4.0, 400, 8)):
        rate.note(scoring(done, rows), now=moment)
    state = scoring(400, 8)
    assert rate.seconds_left(state.total) == pytest.approx(6.0)
    assert line(state, rate) == "bert: scoring, 40% done, 8 rows, 2 rows/s, 6 s left"


def test_other_phases_in_words() -> None:
    assert line(Progress(LOADING, 0, 2, "bert"), Rate()) == "bert: loading"
    assert line(Progress(PLANNING, 400, 1600, "bert"), Rate()) == "bert: planning, 25% done"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress_bar, "PATIENCE", 0.1)
    monkeypatch.setattr(progress_bar, "LOOK_EVERY", 0.02)


@pytest.mark.usefixtures("quick")
def test_lines_end_at_the_whole(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressBar() as bar:
        bar(scoring(900, 90))
        time.sleep(0.4)
        bar(scoring(1000, 100))
    assert [one.split(", ")[1] for one in capsys.readouterr().err.splitlines()] == ["90% done", "100% done"]


class Terminal(io.StringIO):
    """Something to draw on."""

    def isatty(self) -> bool:
        return True


@pytest.mark.usefixtures("quick")
def test_a_phase_that_says_nothing_is_shown_after_a_while(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressBar() as bar:
        bar(Progress(LOADING, 0, 2, "bert"))
        time.sleep(0.4)
        bar(Progress(LOADING, 2, 2, "bert"))
    assert capsys.readouterr().err == "bert: loading\n"
    assert bar._drawing is None


@pytest.mark.usefixtures("quick")
def test_a_quick_run_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressBar() as bar:
        bar(Progress(LOADING, 0, 2, "bert"))
        bar(Progress(LOADING, 2, 2, "bert"))
        bar(scoring(10, 1))
        bar(scoring(1000, 10))
        time.sleep(0.3)
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("last", [scoring(1000, 10), Progress(STOPPED, 10, 1000, "bert")])
def test_a_bar_is_drawn_on_a_terminal_and_taken_off(last: Progress, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    bar = ProgressBar()
    bar(scoring(300, 3))
    time.sleep(0.5)
    bar(last)
    bar.close()
    assert "scoring" in screen.getvalue()
    assert "30%" in screen.getvalue()
    assert bar._bar is None


def test_a_model_that_cannot_be_loaded_leaves_no_bar() -> None:
    heard: list[Progress] = []
    with pytest.raises(UserError):
        load_model("./nowhere", progress=heard.append)
    assert heard[-1].phase == STOPPED


def test_a_closed_bar_does_not_wait_for_its_next_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress_bar, "LOOK_EVERY", 4.0)
    bar = ProgressBar()
    for _ in range(2):  # a closed bar can be used again
        bar(Progress(LOADING, 0, 2, "model"))
        began = time.monotonic()
        bar.close()
        assert time.monotonic() - began < 3
        assert bar._drawing is None
