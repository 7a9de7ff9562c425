"""Corpora as streams: other columns untouched, bad rows reported, processes, resuming after a kill."""

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.corpora import rewriting
from equipoise.corpora.documents import Problems
from equipoise.corpora.processes import SHARE_BYTES
from equipoise.corpora.reading import open_corpus
from equipoise.corpora.rewriting import rewrite_file
from equipoise.corpora.rewriting_progress import RewriteSettings
from equipoise.corpora.rewriting_rows import RowEditor, records
from equipoise.errors import UserError


def run(source: Path, out: Path, **settings: object) -> rewriting.RewriteSummary:
    return rewrite_file(source, out, RewriteSettings(**settings))  # type: ignore[arg-type]


def test_plain_text_keeps_lines_and_bytes(tmp_path: Path) -> None:
    source, out = tmp_path / "a.txt", tmp_path / "b.txt"
    source.write_bytes(b"He left.\r\n\r\n  She stayed\xff.\n  She stayed.\nlast he")
    summary = run(source, out)
    assert out.read_bytes() == b"She left.\r\n\r\n  He stayed.\nlast she"
    assert [(row.line, "UTF-8" in row.message) for row in summary.bad] == [(3, True)]


def test_a_wrapped_sentence_is_read_across_lines(tmp_path: Path) -> None:
    source, out = tmp_path / "a.txt", tmp_path / "b.txt"
    source.write_text(
        "It was late in the evening when they saw her\nmother in the garden behind the house.\n"
    )
    run(source, out)
    assert (
        out.read_text()
        == "It was late in the evening when they saw his\nfather in the garden behind the house.\n"
    )


def test_other_columns_of_a_csv_stay(tmp_path: Path) -> None:
    source, out = tmp_path / "a.csv", tmp_path / "b.csv"
    source.write_bytes(
        b'id,who,text\r\n007,"he",He left.\r\n008,she,"She said ""no"",\nand he went."\r\n'
        b'009,it\r\n1.50,"x",Rain.\r\n'
    )
    summary = run(source, out)
    assert out.read_bytes() == (
        b'id,who,text\r\n007,"he",She left.\r\n008,she,"He said ""no"",\nand she went."\r\n1.50,"x",Rain.\r\n'
    )
    assert [(row.line, row.message) for row in summary.bad] == [
        (5, "2 columns where 3 are expected; left out")
    ]
    assert (summary.rows, summary.changes, summary.tally) == (3, 3, [2, 1, 1, 2])


def test_a_quotation_mark_that_is_not_closed_costs_one_row(tmp_path: Path) -> None:
    source, out = tmp_path / "a.csv", tmp_path / "b.csv"
    rows = [
        '1,He has a 5" pipe',
        '2,"He left',
        "3,She came.",
        '4,"He said ""so"",',
        'she said."',
        "5,He came.",
    ]
    source.write_text("\n".join(["id,text", *rows, *["6,She left."] * 2000]) + "\n", encoding="utf-8")
    summary = run(source, out)
    with out.open(newline="", encoding="utf-8") as file:
        written = [(row["id"], row["text"]) for row in csv.DictReader(file)]
    assert written[:4] == [
        ("1", 'She has a 5" pipe'),
        ("3", "He came."),
        ("4", 'She said "so",\nhe said.'),
        ("5", "She came."),
    ]
    assert written[4:] == [("6", "He left.")] * 2000
    assert [(row.line, row.message) for row in summary.bad] == [
        (3, "a quotation mark that is not closed; left out")
    ]


FIELDS = st.text(alphabet='ab",\n\r\u00e9', max_size=6)


@given(st.lists(st.tuples(FIELDS, FIELDS, FIELDS), min_size=1, max_size=5), st.booleans())
def test_rows_are_read_as_the_csv_module_writes_them(rows: list[tuple[str, ...]], marks: bool) -> None:
    written = io.StringIO(newline="")
    csv.writer(written, quoting=csv.QUOTE_ALL if marks else csv.QUOTE_MINIMAL, lineterminator="\n").writerows(
        rows
    )
    table = RowEditor("csv", "text", "id,text,more\n")
    found = list(records(io.BytesIO(written.getvalue().encode()), table))
    assert "".join(record.raw for record in found) == written.getvalue()
    assert [table.text_of(record) for record in found] == [row[1] for row in rows]
    for record, row in zip(found, rows, strict=True):
        changed = record._replace(raw=table.with_text(record.raw, row[1], 'he, "x"'))
        assert table.text_of(changed) == 'he, "x"'


def test_a_long_field_is_read_and_a_mark_at_the_start_of_a_file_is_no_letter(tmp_path: Path) -> None:
    source, out = tmp_path / "a.csv", tmp_path / "b.csv"
    source.write_text("id,text\n1," + "He left. " * 20_000 + "\n2,He came.\n", encoding="utf-8")
    run(source, out)
    assert out.read_text(encoding="utf-8") == "id,text\n1," + "She left. " * 20_000 + "\n2,She came.\n"
    for name, text in (("c.tsv", "text\tid\nHe\t1\n"), ("c.jsonl", '{"text": "He"}\n{"text": "He"}\n')):
        source, out = tmp_path / name, tmp_path / f"out-{name}"
        source.write_text(text, encoding="utf-8-sig")
        assert not run(source, out).bad
        assert out.read_text(encoding="utf-8-sig") == text.replace("He", "She")


def test_tsv_with_bare_quotes(tmp_path: Path) -> None:
    source, out = tmp_path / "a.tsv", tmp_path / "b.tsv"
    source.write_text('id\ttext\n1\t"He said\n2\tShe "left"\n', encoding="utf-8")
    run(source, out)
    assert out.read_text(encoding="utf-8") == 'id\ttext\n1\t"She said\n2\tHe "left"\n'


def test_jsonl_changes_only_the_text(tmp_path: Path) -> None:
    source, out = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    rows = [
        '{"n": 1.0e5, "text": "He met her caf\\u00e9.", "who": "he"}',
        '{"text":"h\u00e9 She left", "a":[1,  2]}',
        "{broken",
        '{"text": 3}',
        '{"text": "\\ud800 he"}',
        '{"text": ""}',
    ]
    source.write_text("\n".join(rows) + "\n", encoding="utf-8")
    summary = run(source, out)
    written = out.read_text(encoding="utf-8").splitlines()
    assert written[0] == '{"n": 1.0e5, "text": "She met his caf\\u00e9.", "who": "he"}'
    assert written[1] == '{"text":"h\u00e9 He left", "a":[1,  2]}'
    assert written[2:] == ['{"text": ""}']
    assert [row.line for row in summary.bad] == [3, 4, 5]
    assert "half a surrogate pair" in summary.bad[2].message


def test_jsonl_finds_the_text_among_fields_that_say_the_same(tmp_path: Path) -> None:
    source, out = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    rows = [
        '{"title": "He left.", "text": "He left.", "x": 1.00, "y": 12345678901234567890.123}',
        '{"title": "He left.", "text":"\\u0048e left.", "a": {"text": "He left."}}',
        '{ "text" : "He\\/she: he left \u00e9" , "a": [] }',
    ]
    source.write_bytes("\n".join(rows).encode() + b'\n{"text": "He is caf\xe9"}\n')
    run(source, out)
    assert out.read_bytes() == (
        b'{"title": "He left.", "text": "She left.", "x": 1.00, "y": 12345678901234567890.123}\n'
        b'{"title": "He left.", "text":"She left.", "a": {"text": "He left."}}\n'
        b'{ "text" : "He/she: she left \xc3\xa9" , "a": [] }\n'
    )


def test_augment_writes_twins_with_one_id(tmp_path: Path) -> None:
    source, out = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    source.write_text('{"text": "He left."}\n{"text": "Rain."}\n')
    run(source, out, mode="augment")
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(row["text"], row["copy"]) for row in rows] == [("He left.", 0), ("She left.", 1), ("Rain.", 0)]
    assert rows[0]["twin"] == rows[1]["twin"] != rows[2]["twin"]
    table, augmented = tmp_path / "a.csv", tmp_path / "b.csv"
    table.write_text("text,id\nHe left.,1\n")
    run(table, augmented, mode="augment")
    with augmented.open(newline="") as file:
        assert [row["copy"] for row in csv.DictReader(file)] == ["0", "1"]


@pytest.mark.parametrize("name", ["twice.csv", "twice.jsonl"])
def test_what_was_augmented_before_is_not_augmented_again(name: str, tmp_path: Path) -> None:
    source, out = tmp_path / name.replace("twice", "once"), tmp_path / name
    source.write_text("text,id\nHe left.,1\n" if name.endswith("csv") else '{"text": "He left.", "id": 1}\n')
    augmented = tmp_path / f"augmented{source.suffix}"
    run(source, augmented, mode="augment")
    with pytest.raises(UserError, match="There is a column 'twin' already"):
        run(augmented, out, mode="augment")
    assert not out.exists()
    run(augmented, out)
    assert out.exists()


def test_processes_keep_the_order(tmp_path: Path) -> None:
    source = tmp_path / "a.jsonl"
    with source.open("w") as file:
        for number in range(20_000):
            file.write(json.dumps({"id": number, "text": f"He saw her {number} times."}) + "\n")
    run(source, tmp_path / "one.jsonl")
    summary = run(source, tmp_path / "two.jsonl", processes=2)
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    assert summary.rows == 20_000


def test_the_account_is_a_table(tmp_path: Path) -> None:
    source, out, account = tmp_path / "a.txt", tmp_path / "b.txt", tmp_path / "account.csv"
    source.write_text("He left.\nKing's Cross\n")
    rewrite_file(source, out, RewriteSettings(), account=account)
    with account.open(newline="") as file:
        rows = [
            (row["line"], row["action"], row["old"], row["new"], row["rule"]) for row in csv.DictReader(file)
        ]
    assert rows == [("1", "change", "He", "She", "pronoun"), ("2", "skip", "King", "", "place")]


def test_existing_output_missing_column_and_binary_are_refused(tmp_path: Path) -> None:
    source, out = tmp_path / "a.csv", tmp_path / "b.csv"
    source.write_text("id,body\n1,He left.\n")
    with pytest.raises(UserError, match="no column 'text'; the file has id, body"):
        run(source, out)
    assert not out.exists()
    out.write_text("precious")
    with pytest.raises(UserError, match="exists"):
        run(source, out, text_column="body")
    assert out.read_text() == "precious"
    for taken in (source, tmp_path / "c.csv"):
        with pytest.raises(UserError, match="is the file that is read or written"):
            rewrite_file(
                source, tmp_path / "c.csv", RewriteSettings(text_column="body"), account=taken, force=True
            )
    with pytest.raises(UserError, match="cannot be read"):
        run(tmp_path / "none.txt", tmp_path / "c.txt")
    (tmp_path / "d.txt").write_bytes(b"ab\0c")
    with pytest.raises(UserError, match="is a binary file"):
        run(tmp_path / "d.txt", tmp_path / "e.txt")


SCRIPT = """
import sys
from pathlib import Path
from equipoise.corpora import rewriting, rewriting_progress
rewriting_progress.EVERY = 0.0
rewriting.BATCH_BYTES = 20_000
settings = rewriting.RewriteSettings(mode="substitute", seed=5)
folder = Path(sys.argv[1])
print("started", flush=True)
rewriting.rewrite_file(folder / "a.jsonl", folder / "b.jsonl", settings, account=folder / "account.csv")
"""


def test_a_killed_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    with (tmp_path / "a.jsonl").open("w") as file:
        for number in range(30_000):
            file.write(json.dumps({"id": number, "text": f"He saw her dog {number} times."}) + "\n")
    started = subprocess.Popen([sys.executable, "-c", SCRIPT, str(tmp_path)], stdout=subprocess.DEVNULL)
    note = tmp_path / "b.jsonl.progress"
    deadline = time.monotonic() + 60
    while not note.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(started.pid, signal.SIGKILL)
    started.wait()
    assert note.exists()
    with (tmp_path / "b.jsonl").open("ab") as file:
        file.write(b"half a row that was never fin")
    subprocess.run([sys.executable, "-c", SCRIPT, str(tmp_path)], check=True, stdout=subprocess.DEVNULL)
    assert not note.exists()
    whole = RewriteSettings(mode="substitute", seed=5)
    rewrite_file(tmp_path / "a.jsonl", tmp_path / "c.jsonl", whole, account=tmp_path / "whole.csv")
    assert (tmp_path / "b.jsonl").read_bytes() == (tmp_path / "c.jsonl").read_bytes()
    assert (tmp_path / "account.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="finds the workers in /proc")
def test_a_worker_that_is_killed_ends_in_two_lines_and_the_command_goes_on(tmp_path: Path) -> None:
    with (tmp_path / "a.jsonl").open("w") as file:
        for number in range(150_000):
            file.write(json.dumps({"id": number, "text": f"He saw her dog {number} times."}) + "\n")
    command = [
        sys.executable,
        "-m",
        "equipoise",
        "rewrite",
        "a.jsonl",
        "--out",
        "b.jsonl",
        "--processes",
        "2",
    ]
    started = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    workers, deadline = Path(f"/proc/{started.pid}/task/{started.pid}/children"), time.monotonic() + 60
    while not (begun := workers.read_text().split()) and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(int(begun[0]), signal.SIGKILL)
    _, said = started.communicate()
    assert started.returncode == 2
    assert "ended from outside" in said
    assert "Run the same command again" in said
    assert len(said.strip().splitlines()) == 2
    subprocess.run([*command[:-1], "1"], cwd=tmp_path, check=True, stderr=subprocess.DEVNULL)
    run(tmp_path / "a.jsonl", tmp_path / "c.jsonl")
    assert (tmp_path / "b.jsonl").read_bytes() == (tmp_path / "c.jsonl").read_bytes()


def test_every_core_is_used_for_a_large_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    path = tmp_path / "a.txt"
    for size, processes in ((10, 1), (SHARE_BYTES * 3, 3), (SHARE_BYTES * 30, 8)):
        path.write_bytes(b"x" * size)
        assert rewriting._processes_for(path, None) == processes
    assert rewriting._processes_for(path, lambda cases: []) == 1
    assert rewriting._processes_for(None, None) == 1


def test_parquet(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pyarrow.table({"id": [1, 2, 3], "text": ["He left.", None, "Rain."]})
    parquet.write_table(table, tmp_path / "a.parquet")
    summary = run(tmp_path / "a.parquet", tmp_path / "b.parquet")
    assert parquet.read_table(tmp_path / "b.parquet").to_pydict() == {
        "id": [1, 2, 3],
        "text": ["She left.", None, "Rain."],
    }
    assert (summary.rows, summary.changes, [row.line for row in summary.bad]) == (3, 1, [2])


PLAIN = '{"text": "He left."}\n{"text": "She stayed."}\n'
TURNED = [{"text": "She left."}, {"text": "He stayed."}]


def packed(folder: Path) -> list[Path]:
    """The same two texts in every kind of file."""
    raw = PLAIN.encode()
    for name, content in (
        ("a.jsonl.gz", gzip.compress(raw)),
        ("a.jsonl.bz2", bz2.compress(raw)),
        ("a.jsonl.xz", lzma.compress(raw)),
        ("a.json", b'[{"text": "He left."},\n {"text":\n "She stayed."}]'),
        ("b.json", raw),
        ("a.json.gz", gzip.compress(json.dumps([json.loads(line) for line in PLAIN.splitlines()]).encode())),
    ):
        (folder / name).write_bytes(content)
    with zipfile.ZipFile(folder / "one.zip", "w") as archive:
        archive.writestr("in/a.jsonl", raw)
    return [*(one for one in sorted(folder.iterdir())), folder / "one.zip" / "in" / "a.jsonl"]


def test_packed_files_and_arrays_are_read_alike(tmp_path: Path) -> None:
    (tmp_path / "given").mkdir()
    for number, source in enumerate(packed(tmp_path / "given")):
        out = tmp_path / f"{number}.jsonl"
        assert run(source, out).rows == 2
        assert [json.loads(line) for line in out.read_text().splitlines()] == TURNED, source
        texts = [document.text for document in open_corpus(source).documents()]
        assert texts == ["He left.", "She stayed."], source


def test_a_folder_is_rewritten_into_a_folder_and_goes_on(tmp_path: Path) -> None:
    given, out = tmp_path / "given", tmp_path / "out"
    given.mkdir()
    packed(given)
    (given / "notes.docx").write_bytes(b"x")
    summary = run(given, out)
    assert (summary.rows, summary.bad_rows) == (14, 1)
    written = sorted(str(path.relative_to(out)) for path in out.rglob("*.jsonl"))
    packed_too = [f"a-{number}.jsonl" for number in (2, 3, 4, 5)]
    assert written == [*packed_too, "a.jsonl", "b.jsonl", "one.zip/in/a.jsonl"]
    (out / "a.jsonl").unlink()
    note = out / ".rewritten"
    note.write_text(note.read_text().replace("a.jsonl\n", "", 1))
    assert run(given, out).rows == 2
    with pytest.raises(UserError, match="other settings"):
        run(given, out, names=False)


@pytest.mark.parametrize(("name", "mark"), [("a.csv", ";"), ("b.csv", ",")])
def test_the_header_says_what_stands_between_fields(tmp_path: Path, name: str, mark: str) -> None:
    source, out = tmp_path / name, tmp_path / f"out-{name}"
    source.write_text(f'id{mark}text{mark}n\n1{mark}"He, he; left."{mark}3\n\n2{mark}She came.{mark}4\n')
    assert not run(source, out).bad
    turned = (
        source.read_text().replace("He, he", "She, she").replace("She came", "He came").replace("\n\n", "\n")
    )
    assert out.read_text() == turned
    assert [document.text for document in open_corpus(source).documents()] == ["He, he; left.", "She came."]


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        ("He left.".encode("utf-16"), "UTF-16"),
        (b"a\0b", "binary"),
        (gzip.compress(PLAIN.encode(), mtime=0)[:-12], "unpacked|cannot be read"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_cause(tmp_path: Path, content: bytes, cause: str) -> None:
    source = tmp_path / ("a.jsonl.gz" if content[:1] == b"\x1f" else "a.txt")
    source.write_bytes(content)
    with pytest.raises(UserError, match=cause):
        run(source, tmp_path / "out.jsonl")
    with pytest.raises(UserError, match=cause):
        tuple(open_corpus(source).documents())


def test_rows_in_latin_1_and_halves_of_pairs_follow_one_rule(tmp_path: Path) -> None:
    source, out = tmp_path / "a.jsonl", tmp_path / "out.jsonl"
    rows = [
        b'{"text": "He left."}\n',
        b'{"text": "He caf\xe9"}',
        b'{"text": "\\udc80 he"}',
        b'{"text": "she"}\n',
    ]
    source.write_bytes(b"\n".join(rows))
    summary, problems = run(source, out), Problems()
    written = map(json.loads, out.read_text(encoding="utf-8").splitlines())
    assert [row["text"] for row in written] == ["She left.", "he"]
    texts = [document.text for document in open_corpus(source).documents(problems)]
    assert texts == ["He left.", "she"]
    assert [row.line for row in summary.bad] == [one.line for one in problems.kept] == [3, 4]
    for row, one in zip(summary.bad, problems.kept, strict=True):
        assert row.message == f"{one.reason}; left out"


@pytest.mark.parametrize("name", ["out.jsonl.gz", "out.zip", "out.json"])
def test_an_output_is_not_misnamed(tmp_path: Path, name: str) -> None:
    source = tmp_path / "a.jsonl"
    source.write_text(PLAIN)
    with pytest.raises(UserError, match="would"):
        run(source, tmp_path / name)
