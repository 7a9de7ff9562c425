"""Terminals, pipes and encodings: the command line in a process of its own."""

import os
import pty
import re
import struct
import subprocess
import sys
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ

import numpy as np
import pandas as pd
import pytest
from command_line import run
from made_results import made_result

from equipoise.cli import printing
from equipoise.cli.printing import print_json, print_rows, print_table, say
from equipoise.results import Quantity

EQUIPOISE = (sys.executable, "-m", "equipoise")
QUANTITIES = (
    Quantity("lean", "mean lean of the share of the second pole", 0.05),
    Quantity("size", "mean |lean| of professions", 0.05, kind="size", better="lower"),
    Quantity("guard", "guard", 0.1, column="own_side", better="higher", part="guard"),
)


def environment(**changes: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    return kept | {"TERM": "xterm", "NO_COLOR": "1"} | changes


@pytest.fixture
def results(tmp_path: Path) -> list[Path]:
    """Results of two models with long names, as they are."""
    folders = []
    for place, model in enumerate(("some-owner/bert-base-uncased", "results/bert-base-uncased-rewritten-3")):
        rng = np.random.default_rng(place)
        columns = {
            "text": [f"t{number}" for number in range(30)],
            "score": rng.normal(0.4 * place, 0.1, 30),
            "own_side": rng.normal(0.7 - 0.6 * place, 0.05, 30),
        }
        result = made_result(columns, *QUANTITIES, model=model, instrument="stereotype-skew")
        folders.append(result.save(tmp_path / str(place)))
    return folders


def on_terminal(*arguments: object, columns: int = 80) -> str:
    """What a command shows on a terminal of this width."""
    outer, inner = pty.openpty()
    ioctl(inner, TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    command = [*EQUIPOISE, *map(str, arguments)]
    with subprocess.Popen(
        command, stdin=inner, stdout=inner, stderr=subprocess.DEVNULL, env=environment()
    ) as run:
        os.close(inner)
        shown = b""
        while True:
            try:
                part = os.read(outer, 4096)
            except OSError:  # how Linux says that the other end was closed
                break
            if not part:
                break
            shown += part
    os.close(outer)
    assert run.returncode == 0
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.decode()).replace("\r\n", "\n")


def test_a_comparison_is_readable_at_80_columns(results: list[Path]) -> None:
    shown = on_terminal("compare", *results)
    lines = shown.splitlines()
    assert max(map(len, lines)) <= 80
    for whole in ("95 % of difference", "leans the other way", "higher", "lower"):
        assert any(whole in line for line in lines), shown
    intervals = [line for line in lines if re.search(r"-?\d\.\d{3} to -?\d\.\d{3}", line)]
    assert len(intervals) >= len(QUANTITIES)
    assert "rewritten-3 is not less biased than bert-base-uncased" in " ".join(shown.split())
    assert len(lines) < 40


def test_estimates_are_readable_at_80_columns(tmp_path: Path) -> None:
    shown = on_terminal("measure", "traits", "--model", "random", "--all", "--out", tmp_path / "out")
    lines = shown.splitlines()
    assert max(map(len, lines)) <= 80
    header = next(line for line in lines if "estimate" in line and "95 % interval" in line)
    for name in ("estimate", "value", "n", "good"):
        assert name in header.split()
    number = r"-?\d+\.\d+(?:e-\d+)?"
    values = [line for line in lines if re.search(rf"\s{number}\s+{number} to {number}\s", line)]
    assert len(values) >= 8


def test_a_narrow_terminal_breaks_no_number(results: list[Path]) -> None:
    shown = on_terminal("compare", *results, columns=72)
    assert max(map(len, shown.splitlines())) <= 72
    assert re.search(r"-?\d\.\d{3} to -?\d\.\d{3}", shown)


def test_a_table_too_wide_for_the_terminal_loses_no_digit(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rich would cut columns that cannot be broken: 281 items would be read as 28."""
    numbers = [281.125 + place for place in range(12)]
    monkeypatch.setattr(printing, "is_terminal", lambda: True)
    monkeypatch.setattr(printing, "console", lambda: printing.TableConsole(width=60, soft_wrap=False))
    columns = ["model", "what it is", *(f"number {place}" for place in range(12))]
    print_rows("Wide", columns, [["path/to/a-model", "a long text " * 8, *numbers]])
    shown = capsys.readouterr().out
    for number in numbers:
        assert f" {number:.3f}\n" in shown
    assert "path/to/a-model" in shown
    assert " ".join(shown.split()).count("long") == 8


def test_a_word_is_not_broken_where_the_table_can_be_narrow(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(printing, "is_terminal", lambda: True)
    monkeypatch.setattr(printing, "console", lambda: printing.TableConsole(width=50, soft_wrap=False))
    print_rows("T", ["name", "what"], [["a", "equipoise-pairs, crows-pairs, stereoset and other sets " * 2]])
    shown = capsys.readouterr().out
    assert shown.count("equipoise-pairs") == 2
    assert max(map(len, shown.splitlines())) <= 50


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a file that is always full")
def test_an_error_that_cannot_be_told_keeps_its_exit_code() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*EQUIPOISE, "compare", "nowhere", "nowhere"],
            stdout=subprocess.PIPE,
            stderr=full,
            env=environment(),
            check=False,
        )
    assert done.returncode == 2


def test_a_frame_as_a_table_has_its_interval_in_one_column(capsys: pytest.CaptureFixture[str]) -> None:
    frame = pd.DataFrame(
        {"model_name": ["a"], "by": [""], "value": [0.5], "low": [0.25], "high": [0.75], "n": [7]}
    )
    print_table("One", frame)
    header, row = (line.split("\t") for line in capsys.readouterr().out.splitlines()[1:])
    assert header == ["model name", "value", "95 % interval", "n"]
    assert row == ["a", "0.500", "0.250 to 0.750", "7"]


@pytest.mark.parametrize("study", ["models", "control"])
def test_studies_are_readable_at_80_columns(study: str, tmp_path: Path) -> None:
    named = ["random", "random:2"] if study == "models" else ["--model", "random", "--draws", "3"]
    shown = on_terminal("study", study, *named, "-i", "traits", "--out", tmp_path / "out")
    assert max(map(len, shown.splitlines())) <= 80
    assert re.search(r"-?\d\.\d+ +-?\d\.\d+(e-\d+)? to -?\d\.\d+", shown)


def test_a_pipe_gets_whole_lines(results: list[Path]) -> None:
    """Nothing is cut or wrapped at any number of columns, and a sentence is one line."""
    done = subprocess.run(
        [*EQUIPOISE, "compare", *results, "--all"], capture_output=True, env=environment(), check=True
    )
    lines = done.stdout.decode().splitlines()
    table = [line.split("\t") for line in lines if "\t" in line]
    assert len(table) == 1 + len(QUANTITIES)
    assert {len(row) for row in table} == {5}
    assert any("stereotype-skew: mean lean of the share of the second pole" in line for line in lines)
    sentences = [line for line in lines if line.endswith(f"n = {30}.")]
    assert len(sentences) == 2
    assert max(map(len, sentences)) > 140
    listing = subprocess.run([*EQUIPOISE, "list", "data"], capture_output=True, env=environment(), check=True)
    assert max(map(len, listing.stdout.decode().splitlines())) > 140


def two_lines(error: bytes) -> list[str]:
    lines = error.decode("utf-8", "replace").strip().splitlines()
    assert len(lines) == 2, lines
    return lines


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a file that is always full")
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_full_disk_is_two_lines(results: list[Path], options: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*EQUIPOISE, "compare", *results, *options],
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment(),
            check=False,
        )
    assert done.returncode == 2
    said, advice = two_lines(done.stderr)
    assert "could not be written" in said
    assert "--out" not in advice


def run_unread(*arguments: object) -> "subprocess.CompletedProcess[bytes]":
    """Run a command as before `| head -c 0`: the reader is gone before the first byte."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*EQUIPOISE, *map(str, arguments)],
        stdout=writer,
        stderr=subprocess.PIPE,
        env=environment(),
        check=False,
    )
    os.close(writer)
    return done


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a file that is always full")
def test_what_was_saved_before_the_output_failed_is_said(tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("She left.\n", encoding="utf-8")
    out = tmp_path / "scores.csv"
    command = [*EQUIPOISE, "score", tmp_path / "s.txt", "--model", "random", f"--out={out}"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=environment(), check=False)
    assert done.returncode == 2
    assert done.stderr.decode().rstrip().endswith("what --out names was saved before it was printed.")
    assert out.read_text(encoding="utf-8").count("\n") == len(("heading", "she", "left", "."))


@pytest.mark.parametrize("command", [("list",), ("list", "--json"), ("compare",), ("compare", "--json")])
def test_a_reader_that_has_seen_enough_ends_it_quietly(results: list[Path], command: tuple[str, ...]) -> None:
    done = run_unread(*command, *(results if "compare" in command else []))
    assert done.returncode == 141
    assert done.stderr == b""


def test_names_and_texts_cannot_command_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "\x1b[2J\x07evil\x9b31m\u202etxt"
    say(hostile)
    print_rows(hostile, ["name", hostile], [[hostile, 1.0]])
    print_json({"name": hostile})
    assert run("probe", f"{hostile} no blank", "--model", "random") == 2
    shown = "".join(capsys.readouterr())
    assert shown.count("evil") == 6
    for character in "\x1b\x07\x9b\u202e":
        assert character not in shown


def test_no_stdout_at_all_is_no_traceback(results: list[Path]) -> None:
    command = " ".join([*EQUIPOISE, "compare", *map(str, results), ">&-"])
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, env=environment(), check=False)
    assert done.returncode == 2
    assert "stdout is closed" in two_lines(done.stderr)[0]


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_a_terminal_without_a_character_shows_a_stand_in(tmp_path: Path, encoding: str) -> None:
    for place, model in enumerate(("модель-α", "模型")):
        columns = {"text": [f"t{number}" for number in range(20)], "score": np.arange(20) * (place + 1.0)}
        made_result(columns, QUANTITIES[0], model=model).save(tmp_path / str(place))
    done = subprocess.run(
        [*EQUIPOISE, "compare", tmp_path / "0", tmp_path / "1"],
        capture_output=True,
        env=environment(PYTHONIOENCODING=encoding),
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "??" in done.stdout.decode(encoding)
    assert b"Traceback" not in done.stderr


def test_an_error_can_be_said_on_such_a_terminal_too(tmp_path: Path) -> None:
    done = subprocess.run(
        [*EQUIPOISE, "compare", tmp_path / "模型", tmp_path / "模型"],
        capture_output=True,
        env=environment(PYTHONIOENCODING="cp1252"),
        check=False,
    )
    assert done.returncode == 2
    assert "no folder" in two_lines(done.stderr)[0]


@pytest.mark.parametrize("arguments", [("compare", b"\xff\xfe", "x"), ("score", b"caf\xe9.txt")])
def test_an_argument_that_is_no_text_is_two_lines(arguments: tuple[str | bytes, ...]) -> None:
    done = subprocess.run([*EQUIPOISE, *arguments], capture_output=True, env=environment(), check=False)
    assert done.returncode == 2
    assert "Argument 2 is not UTF-8 text" in two_lines(done.stderr)[0]
