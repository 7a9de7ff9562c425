"""A survey of a corpus: tables, drivers, killed and started again, refused, out of space, memory."""

import csv
import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from equipoise.corpora import survey as state_module
from equipoise.corpora.documents import Grouping
from equipoise.corpora.reading import ReadSettings, open_corpus
from equipoise.corpora.survey import TABLES, SurveySettings, load_state, survey_corpus
from equipoise.errors import UserError

TEXTS = (
    "He was a strong leader. A doctor should know his patients.",
    "She stayed at home with the children, and she was afraid.",
    "His office was bright. He got the corner desk.",
    "Her dress was pretty; her hair was lovely.",
    "The dog ran.",
)

RUN = """
import sys
import time
from pathlib import Path
from equipoise.corpora import reading
from equipoise.corpora.documents import Grouping
from equipoise.corpora.survey import SurveySettings, survey_corpus
reading.Corpus.blocks.__defaults__ = (None, 20_000)
corpus = reading.open_corpus(sys.argv[1], reading.ReadSettings(grouping=Grouping(("side",))))
out, settings = Path(sys.argv[2]), SurveySettings(flag=FLAG)
survey_corpus(corpus, out, settings=settings, save_every=0, advance=lambda *_: print(flush=True))
"""


def write_corpus(path: Path, rows: int) -> Path:
    with path.open("w", encoding="utf-8") as file:
        for number in range(rows):
            fields = {"text": TEXTS[number % len(TEXTS)], "side": "left" if number % 3 else "right"}
            file.write(json.dumps(fields) + "\n" if number % 100 != 50 else "broken\n")
    return path


def grouped(path: Path) -> Any:
    return open_corpus(path, ReadSettings(grouping=Grouping(("side",))))


def outputs(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.csv"))}


def test_the_tables_of_a_small_corpus(tmp_path: Path) -> None:
    corpus = grouped(write_corpus(tmp_path / "a.jsonl", 300))
    survey = survey_corpus(corpus, tmp_path / "out", settings=SurveySettings(flag=True))
    assert survey.documents == 297
    assert survey.problems.counts == {"not a JSON object": 3}
    assert set(outputs(tmp_path / "out")) == {*TABLES, "flagged.csv"}
    saved = pd.read_csv(tmp_path / "out" / "cooccurrence.csv", keep_default_na=False, na_values=[""])
    assert len(saved) == len(survey.cooccurrence)
    problems = pd.read_csv(tmp_path / "out" / "problems.csv")
    assert problems.to_numpy().tolist() == [["a.jsonl", line, "not a JSON object"] for line in (51, 151, 251)]
    # "A doctor ... his" is in every fifth text; the broken lines 51, 151 and 251 would have held it.
    assert survey.flags == {"generic-pronoun": 57}
    with (tmp_path / "out" / "flagged.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 57
    assert {row["sentence"] for row in rows} == {"A doctor should know his patients."}
    career = survey.cooccurrence.query("by == 'all' and category == 'career' and word == ''").iloc[0]
    assert career["log_odds"] > 1
    assert career["log_odds_low"] > 0


def test_no_table_of_a_corpus_holds_a_formula_or_a_terminal_code(tmp_path: Path) -> None:
    names = ("=cmd|' /C calc'!A0", "+SUM(1)", "@x", "\x1b[31mred")
    texts = [{"text": "He met his brother.", "side": names[place % len(names)]} for place in range(40)]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, texts)), encoding="utf-8")
    survey_corpus(grouped(tmp_path / "a.jsonl"), tmp_path / "out", settings=SurveySettings(flag=True))
    for name, content in outputs(tmp_path / "out").items():
        assert b"\x1b" not in content, name
        for row in csv.reader(content.decode().splitlines()):
            texts_of_row = [cell for cell in row if not cell.replace(".", "").lstrip("-").isdigit()]
            assert not [cell for cell in texts_of_row if cell[:1] in ("=", "+", "@")], (name, row)


def test_the_documents_that_drive_the_lean(tmp_path: Path) -> None:
    """Two long documents outweigh the others; contributions sum to nothing over all documents."""
    rows = [*TEXTS, TEXTS[0] * 5, TEXTS[1] * 5]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(json.dumps({"id": f"d{n}", "text": text}) for n, text in enumerate(rows)))
    survey = survey_corpus(open_corpus(path), tmp_path / "out")
    mentions = survey.drivers[survey.drivers["category"] == "mentions"].set_index("document")
    assert mentions[mentions["leans"] == "male"].index[0] == "d5"
    assert mentions[mentions["leans"] == "female"].index[0] == "d6"
    # By hand: men he, his in d0 (2), his, he in d2 (2), 10 in d5; women 2 in d1, 2 in d3, 10 in d6.
    assert mentions.loc["d5", "contribution"] == pytest.approx(10 / 14)
    assert mentions.loc["d6", "contribution"] == pytest.approx(-10 / 14)
    assert mentions["contribution"].sum() == pytest.approx(0)
    family = survey.drivers[survey.drivers["category"] == "family"].iloc[0]
    assert (family["document"], family["leans"], family["line"]) == ("d6", "female", 7)


def test_killed_and_started_again_gives_the_same_files(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "a.jsonl", 6000)
    script = [sys.executable, "-c", RUN.replace("FLAG", "True"), str(corpus)]
    subprocess.run([*script, str(tmp_path / "whole")], check=True, stdout=subprocess.DEVNULL)
    killed = tmp_path / "killed"
    positions = [-1]
    for _ in range(3):
        process = subprocess.Popen([*script, str(killed)], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        for _ in range(3):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        known = load_state(killed)
        assert known is not None
        positions.append(known.position.offset)
    assert positions == sorted(set(positions)), "a run did not go on from the one before"
    assert not known.finished
    subprocess.run([*script, str(killed)], check=True, stdout=subprocess.DEVNULL)
    assert outputs(killed) == outputs(tmp_path / "whole")
    assert len(outputs(killed)["flagged.csv"].splitlines()) > 1000


def test_killed_with_pairs_asked_for_it_goes_on(tmp_path: Path) -> None:
    """Whatever was written when it was killed, the same command is not refused."""
    write_corpus(tmp_path / "a.jsonl", 30_000)
    command = [sys.executable, "-m", "equipoise", "corpus", "a.jsonl", "--out", "o", "--pairs", "p.csv"]
    quiet: dict[str, Any] = {"cwd": tmp_path, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, **quiet)
    while not (tmp_path / "o" / "state.npz").exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert subprocess.run(command, **quiet).returncode == 0
    assert (tmp_path / "p.csv").exists()
    assert outputs(tmp_path / "o")


def test_the_same_command_again_reads_nothing_and_another_is_refused(tmp_path: Path) -> None:
    path, out = write_corpus(tmp_path / "a.jsonl", 100), tmp_path / "out"
    first = survey_corpus(grouped(path), out)
    advanced: list[int] = []
    again = survey_corpus(grouped(path), out, advance=lambda done, _: advanced.append(done))
    assert advanced == []
    pd.testing.assert_frame_equal(first.cooccurrence, again.cooccurrence)
    with pytest.raises(UserError, match="output of another command"):
        survey_corpus(grouped(path), out, settings=SurveySettings(window=3))
    with pytest.raises(UserError, match="output of another command"):
        survey_corpus(open_corpus(path), out)
    write_corpus(path, 101)
    with pytest.raises(UserError, match="output of another command"):
        survey_corpus(grouped(path), out)
    assert survey_corpus(grouped(path), out, force=True).documents == 100
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.txt").write_text("keep")
    with pytest.raises(UserError, match="or other files"):
        survey_corpus(grouped(path), other)
    survey_corpus(grouped(path), other, force=True)
    assert (other / "mine.txt").read_text() == "keep"


def test_a_spoilt_state_is_named(tmp_path: Path) -> None:
    path, out = write_corpus(tmp_path / "a.jsonl", 10), tmp_path / "out"
    survey_corpus(grouped(path), out)
    (out / "state.npz").write_bytes(b"PK nonsense")
    with pytest.raises(UserError, match=r"state\.npz cannot be read"):
        survey_corpus(grouped(path), out)
    assert survey_corpus(grouped(path), out, force=True).documents == 10


def test_no_space_left_loses_nothing_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, out = write_corpus(tmp_path / "a.jsonl", 6000), tmp_path / "out"
    whole = survey_corpus(grouped(path), tmp_path / "whole")
    corpus = grouped(path)
    monkeypatch.setattr(type(corpus).blocks, "__defaults__", (None, 20_000))
    saves = 0
    save = np.savez

    def full_at_the_fifth(*arguments: Any, **arrays: Any) -> None:
        nonlocal saves
        saves += 1
        if saves == 5:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        save(*arguments, **arrays)

    with monkeypatch.context() as patched:
        patched.setattr(state_module.np, "savez", full_at_the_fifth)
        with pytest.raises(UserError, match="No space left") as refused:
            survey_corpus(corpus, out, save_every=0)
    assert "the same command again" in refused.value.hint
    begun = load_state(out)
    assert begun is not None
    assert begun.position.offset > 0
    done: list[tuple[int, int]] = []
    resumed = survey_corpus(corpus, out, advance=lambda *progress: done.append(progress))
    assert done[-1] == (path.stat().st_size - begun.position.offset,) * 2
    pd.testing.assert_frame_equal(resumed.cooccurrence, whole.cooccurrence)


def test_a_corpus_without_a_document(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": ""}\n{"text": " "}\n')
    with pytest.raises(UserError, match=r"no document that can be read \(an empty document: 2\)"):
        survey_corpus(open_corpus(path), tmp_path / "out")
    with pytest.raises(UserError, match="window is -1"):
        survey_corpus(open_corpus(path), tmp_path / "out", settings=SurveySettings(window=-1))


MEASURED = (
    RUN.replace(", 20_000)", ", 300_000)").replace("FLAG", "False")
    + """
import resource
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
)


def test_memory_does_not_grow_with_the_corpus(tmp_path: Path) -> None:
    """Six times the corpus may take at most 5 MB more."""
    peaks = []
    for rows in (15_000, 90_000):
        path = write_corpus(tmp_path / f"{rows}.jsonl", rows)
        script = [sys.executable, "-c", MEASURED, str(path), str(tmp_path / f"out{rows}")]
        printed = subprocess.run(script, check=True, capture_output=True, text=True).stdout
        peaks.append(int(printed.split()[-1]))
    assert peaks[1] - peaks[0] < 5_000


def test_progress_reaches_the_end(tmp_path: Path) -> None:
    path = write_corpus(tmp_path / "a.jsonl", 500)
    done: list[tuple[int, int]] = []
    survey_corpus(grouped(path), tmp_path / "out", advance=lambda *progress: done.append(progress))
    assert done[-1] == (path.stat().st_size,) * 2


class StoppedError(Exception):
    """Stands for a kill in the middle of a run."""


def test_two_processes_write_the_same_bytes_also_after_a_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_corpus(tmp_path / "a.jsonl", 3000)
    monkeypatch.setattr(type(grouped(path)).blocks, "__defaults__", (None, 20_000))
    survey_corpus(grouped(path), tmp_path / "one", settings=SurveySettings(flag=True))
    done: list[int] = []

    def stop_at_the_third(*_: int) -> None:
        done.append(1)
        if len(done) == 3:
            raise StoppedError

    shared, out = SurveySettings(flag=True, processes=2), tmp_path / "two"
    with pytest.raises(StoppedError):
        survey_corpus(grouped(path), out, settings=shared, save_every=0, advance=stop_at_the_third)
    survey_corpus(grouped(path), out, settings=shared, advance=lambda *_: done.append(1))
    assert len(done) > 5, "the corpus has several blocks"
    assert outputs(out) == outputs(tmp_path / "one")
