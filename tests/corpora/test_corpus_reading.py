"""Reading corpora: every format, every kind of bad row by file and line, and positions to go on from."""

import json
import sys
import tracemalloc
from pathlib import Path

import pandas as pd
import pytest

import equipoise as eq
from equipoise.corpora.documents import (
    BEGUN_ANEW,
    NO_VALUE,
    NOT_IN_MAP,
    REPEATED,
    Document,
    Grouping,
    Position,
    Problem,
    Problems,
    read_group_map,
)
from equipoise.corpora.formats import LONGEST, NOT_UTF8, TOO_LONG
from equipoise.corpora.opening import CorpusChoice, read_corpus
from equipoise.corpora.reading import ReadSettings, open_corpus
from equipoise.corpora.survey import survey_corpus
from equipoise.errors import UserError


def read(path: Path, settings: ReadSettings | None = None) -> tuple[list[Document], list[Problem]]:
    problems = Problems()
    documents = list(open_corpus(path, settings).documents(problems))
    return documents, problems.kept


def texts(path: Path, settings: ReadSettings | None = None) -> list[str]:
    return [document.text for document in read(path, settings)[0]]


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


def test_plain_text_by_line_paragraph_and_file(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "\ufeffOne.\nTwo.\n\n\nThree.\r\n")
    assert [text.strip() for text in texts(path)] == ["One.", "Two.", "Three."]
    assert texts(path, ReadSettings(split="paragraph")) == ["One.\nTwo.\n\n", "Three.\r\n"]
    assert texts(path, ReadSettings(split="file")) == ["One.\nTwo.\n\n\nThree.\r\n"]
    assert texts(
        write(tmp_path / "b.txt", "He ran. She sat.\n\nIt fell."), ReadSettings(split="sentence")
    ) == [
        "He ran.",
        "She sat.",
        "It fell.",
    ]
    assert [document.where.line for document in read(path)[0]] == [1, 2, 5]
    assert [document.where.line for document in read(path, ReadSettings(split="paragraph"))[0]] == [1, 5]
    with pytest.raises(UserError, match="no way to split"):
        open_corpus(path, ReadSettings(split="page"))


def test_csv_with_quoted_lines_and_tsv(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", 'id,text,author\n7,"Two\nlines, ""quoted""",Ann\n8,One,Bob\n')
    documents, problems = read(path, ReadSettings(grouping=Grouping(("author",))))
    assert documents == [
        Document("7", 'Two\nlines, "quoted"', {"author": "Ann"}, ("a.csv", 2)),
        Document("8", "One", {"author": "Bob"}, ("a.csv", 4)),
    ]
    assert problems == []
    assert texts(write(tmp_path / "b.tsv", "text\tx\na, b\t1\n")) == ["a, b"]


def test_a_quotation_mark_that_is_never_closed_costs_its_own_line(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", 'text,x\nfine,1\n"lost,2\nstill read,3\ntoo,4\n')
    documents, problems = read(path)
    assert [document.text for document in documents] == ["fine", "still read", "too"]
    assert problems == [Problem("a.csv", 3, "a quotation mark that is not closed")]


def test_a_quotation_mark_closed_rows_later_costs_what_it_broke(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", 'text,x\n"lost,2\nstill read,3\n"quoted",4\nlast,5\n')
    documents, problems = read(path)
    assert [document.text for document in documents] == ["still read", "quoted", "last"]
    assert problems == [Problem("a.csv", 2, "a quotation mark that is not closed")]


def test_a_broken_header_is_a_problem(tmp_path: Path) -> None:
    for header, reason in (('id,"text', "is not closed"), ("id,text\r1,one\r", "a line end within a field")):
        (tmp_path / "a.csv").write_text(f"{header}\n2,two\n", newline="")
        (tmp_path / "b.txt").write_text("three")
        problems = Problems()
        assert [one.text for one in open_corpus(tmp_path).documents(problems)] == ["three"]
        assert reason in problems.kept[0].reason


def test_marks_within_a_field_and_rows_of_another_length(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", 'text,x\n"a "b" c",1\nshort\n"one\ntwo",2,3\nlast,4\n')
    documents, problems = read(path)
    assert [document.text for document in documents] == ['a b" c"', "last"]
    assert [(problem.line, problem.reason) for problem in problems] == [
        (3, "more or fewer fields than the header"),
        (4, "more or fewer fields than the header"),
        (5, "more or fewer fields than the header"),
    ]


def test_every_bad_json_line_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    rows = [
        b'{"text": "She ran."}',
        b'{"text": "broken',
        b'["no object"]',
        b'{"body": "other column"}',
        b'{"text": "\xff\xfe"}',
        b'{"text": "\\ud800 alone"}',
        b'{"text": "   "}',
        b'{"text": null}',
        b'{"text": 7}',
        b'{"text": "zero \x00 byte"}',
        b"",
        b'{"text": "He ran."}',
    ]
    # A zero byte near the beginning would make it a binary file.
    path = write(tmp_path / "a.jsonl", b"\n".join([b'{"text": "%s"}' % (b"x" * 9000), *rows]))
    documents, problems = read(path)
    assert [document.text for document in documents[1:]] == ["She ran.", "He ran."]
    assert documents[-1].where == ("a.jsonl", 13)
    assert [(problem.line, problem.reason) for problem in problems] == [
        (3, "not a JSON object"),
        (4, "not a JSON object"),
        (5, "no column 'text'"),
        (6, NOT_UTF8),
        (7, "half a surrogate pair"),
        (8, "an empty document"),
        (9, "an empty document"),
        (10, "the text is not a string"),
        (11, "a zero byte"),
    ]


def test_deep_json_is_a_bad_row(tmp_path: Path) -> None:
    deep = "[" * 200_000
    path = write(tmp_path / "a.jsonl", f'{{"text": "a"}}\n{{"text": {deep}\n{{"text": "b"}}\n')
    assert texts(path) == ["a", "b"]


def test_mixed_encodings_are_bad_rows(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", b"text\nplain\n" + "café\n".encode("latin-1") + "naïve\n".encode())
    documents, problems = read(path)
    assert [document.text for document in documents] == ["plain", "naïve"]
    assert problems == [Problem("a.csv", 3, NOT_UTF8)]


def test_a_line_of_fifty_megabytes_is_passed_over_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with path.open("wb") as file:
        file.write(b"first\n")
        for _ in range(50):
            file.write(b"word " * 200_000)
        file.write(b"\nlast\n")
    tracemalloc.start()
    documents, problems = read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [document.text for document in documents] == ["first\n", "last\n"]
    assert problems == [Problem("a.txt", 2, TOO_LONG)]
    assert peak < 3 * LONGEST


def test_a_folder_names_what_it_passes_over(tmp_path: Path) -> None:
    folder = tmp_path / "news"
    (folder / "left").mkdir(parents=True)
    (folder / ".git").mkdir()
    write(folder / ".git" / "x.txt", "hidden")
    write(folder / "left" / "a.txt", "She ran.\nHe ran.")
    write(folder / "b.txt", b"\x00\x01binary")
    write(folder / "c.pdf", "no")
    write(folder / "d.txt", "He sat.".encode("utf-16"))
    documents, problems = read(folder, ReadSettings(grouping=Grouping(("folder", "file"))))
    assert documents == [
        Document(
            f"{Path('left') / 'a.txt'}:1",
            "She ran.\nHe ran.",
            {"folder": "left", "file": "a.txt"},
            (str(Path("left") / "a.txt"), 1),
        )
    ]
    assert problems == [
        Problem("b.txt", 0, "a binary file"),
        Problem("c.pdf", 0, "not a kind of file that is read"),
        Problem("d.txt", 0, "a UTF-16 file: save it as UTF-8"),
    ]


def test_a_missing_column_is_an_error_that_names_those_there_are(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"body": "x", "author": "Ann"}\n')
    with pytest.raises(UserError, match="no column 'text'; it has file, folder, body, author"):
        open_corpus(path)
    with pytest.raises(UserError, match="no column 'publisher'"):
        open_corpus(path, ReadSettings("body", Grouping(("publisher",))))
    assert texts(path, ReadSettings("body")) == ["x"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"\x00\x00", "a binary file"),
        ("a.csv", b"", "no row that can be read"),
        ("a.docx", b"x", "not a kind of file"),
    ],
)
def test_nothing_to_read(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    with pytest.raises(UserError, match=message):
        open_corpus(write(tmp_path / name, content))
    with pytest.raises(UserError, match="no file or folder"):
        open_corpus(tmp_path / "absent.txt")


def test_a_map_of_groups_and_years(tmp_path: Path) -> None:
    rows = [
        {"text": "a", "publisher": "Herald", "date": "2016-03-01"},
        {"text": "b", "publisher": "Globe", "date": 2017},
        {"text": "c", "publisher": None, "date": "unknown"},
    ]
    path = write(tmp_path / "a.jsonl", "\n".join(map(json.dumps, rows)))
    mapped = read_group_map(write(tmp_path / "map.csv", "publisher,side\nHerald,left\n(none),nobody\n"))
    documents, _ = read(path, ReadSettings(grouping=Grouping(("publisher",), mapped, "date")))
    assert [document.groups for document in documents] == [
        {"publisher": "Herald", "side": "left", "year": "2016"},
        {"publisher": "Globe", "side": NOT_IN_MAP, "year": "2017"},
        {"publisher": NO_VALUE, "side": "nobody", "year": NO_VALUE},
    ]
    with pytest.raises(UserError, match="is in 'left' and in 'right'"):
        read_group_map(write(tmp_path / "twice.csv", "publisher,side\nHerald,left\nHerald,right\n"))
    with pytest.raises(UserError, match="3 columns"):
        read_group_map(write(tmp_path / "wide.csv", "publisher,side,x\nHerald,left,1\n"))


def test_cleaning(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "She&apos;s  here &amp; won’t go; they’re Ann's. Can't he?")
    assert texts(path, ReadSettings(clean=True)) == ["She is here & will not go; they are Ann's. Can not he?"]


@pytest.mark.parametrize("split", ["sentence", "line", "paragraph"])
def test_reading_goes_on_from_any_block(tmp_path: Path, split: str) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    write(folder / "a.txt", "\n".join(f"Line {n}. It ran. So.\n" * (n % 3) for n in range(20)))
    write(folder / "b.csv", "text,x\n" + "".join(f'"row\n{n}",1\n' if n % 2 else '"bad\n' for n in range(9)))
    write(folder / "c.jsonl", "".join(f'{{"text": "object {n}"}}\nbad\n' for n in range(5)))
    corpus = open_corpus(folder, ReadSettings(split=split))
    blocks = list(corpus.blocks(size=10))
    assert len(blocks) > 10
    assert blocks[-1].position == Position(3)
    assert corpus.bytes_before(blocks[-1].position) == corpus.ends[-1]
    for number, block in enumerate(blocks[:-1]):
        rest = list(corpus.blocks(block.position, size=10))
        assert [item for later in rest for item in later.documents] == [
            item for later in blocks[number + 1 :] for item in later.documents
        ]
        assert sum(len(later.problems) for later in rest) == sum(
            len(later.problems) for later in blocks[number + 1 :]
        )


def test_rows_of_one_document_are_put_together(tmp_path: Path) -> None:
    titles = ["Emma", "Emma", "Persuasion", "Emma", "Emma"]
    rows = [json.dumps({"title": title, "text": str(number)}) for number, title in enumerate(titles)]
    path = write(tmp_path / "a.jsonl", "\n".join([rows[0], "bad", *rows[1:]]))
    settings = ReadSettings(document="title")
    documents, problems = read(path, settings)
    assert [(document.id, document.text, document.where.line) for document in documents] == [
        ("Emma", "0\n\n1", 1),
        ("Persuasion", "2", 4),
        ("Emma (2)", "3\n\n4", 5),
    ]
    assert problems == [Problem("a.jsonl", 2, "not a JSON object"), Problem("a.jsonl", 5, BEGUN_ANEW)]
    corpus = open_corpus(path, settings)
    blocks = list(corpus.blocks(size=1))
    for number, block in enumerate(blocks[:-1]):
        rest = list(corpus.blocks(block.position))
        places = [document.where for later in rest for document in later.documents]
        assert places == [document.where for document in documents[number + 1 :]]
        assert not any(problem.reason != BEGUN_ANEW for later in rest for problem in later.problems)
    assert blocks[0].problems == problems[:1]
    with pytest.raises(UserError, match="no column 'book'"):
        open_corpus(path, ReadSettings(document="book"))


@pytest.mark.parametrize("document", ["title", None])
def test_every_command_counts_the_same_documents(tmp_path: Path, document: str | None) -> None:
    """Rows of one title that are not adjacent were one document in `contexts`, and several in `corpus`."""
    titles = ["Emma", "Emma", "Persuasion", "Emma", "Persuasion", "Persuasion", "Emma"]
    table = pd.DataFrame({"title": titles, "id": titles, "text": [f"She saw {n}." for n in range(7)]})
    path = tmp_path / "a.csv"
    table.to_csv(path, index=False)
    survey = survey_corpus(open_corpus(path, ReadSettings(document=document)), tmp_path / "out")
    choice = CorpusChoice(document=document)
    measured = [eq.measure("random", "contexts", data=data, corpus=choice) for data in (path, table)]
    numbers = [survey.documents, *(one.items["document"].nunique() for one in measured)]
    read = read_corpus(path, choice)
    numbers.append(len({document.id for document in read.documents}))
    expected, repeats, notice = (
        (5, 3, "not adjacent: 3 times") if document else (7, 5, "5 rows have the id of")
    )
    assert numbers == [expected] * 4
    assert survey.problems.counts == {BEGUN_ANEW if document else REPEATED: repeats}
    assert survey.problems.total == 0
    for notices in (survey.notices, *(one.notices for one in measured), read.problems.notices):
        assert any(notice in said for said in notices)


def test_the_same_name_in_two_files_is_two_documents(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        write(tmp_path / name, "id,text\n1,one\n2,two\n")
    documents, problems = read(tmp_path)
    assert [document.id for document in documents] == ["1", "2", "1 (2)", "2 (2)"]
    assert problems == []


def test_sentences_are_documents_of_their_own_everywhere(tmp_path: Path) -> None:
    """`corpus --split sentence` counted each, where `mitigate` saw one document for each line."""
    path = write(tmp_path / "a.txt", "She came. He went. They stayed.\nIt rained.\n")
    names = [one.id for one in read_corpus(path, CorpusChoice(split="sentence")).documents]
    assert names == ["a.txt:1", "a.txt:1 (2)", "a.txt:1 (3)", "a.txt:2"]
    (other,) = [
        block.position for block in open_corpus(path, ReadSettings(split="sentence")).blocks(size=15)
    ][:1]
    rest = open_corpus(path, ReadSettings(split="sentence")).blocks(other)
    assert [one.id for block in rest for one in block.documents] == names[2:]


def test_a_repeated_document_and_its_problem_are_in_one_block(tmp_path: Path) -> None:
    corpus = open_corpus(write(tmp_path / "a.csv", "id,text\n1,one\n1,two\n1,three\n"))
    blocks = list(corpus.blocks(size=1))
    assert [len(block.documents) for block in blocks] == [1, 1, 1, 0]
    assert [len(block.problems) for block in blocks] == [0, 1, 1, 0]


def test_parquet_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(UserError, match="needs the package pyarrow"):
        open_corpus(write(tmp_path / "a.parquet", b"PAR1"))


def test_parquet(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="needs the extra parquet")
    from pyarrow import parquet

    path = tmp_path / "a.parquet"
    names = [f"text {number}" for number in range(3000)]
    parquet.write_table(arrow.table({"text": [*names, None], "year": [1999] * 3001}), path)
    settings = ReadSettings(grouping=Grouping(year="year"))
    documents, problems = read(path, settings)
    assert [document.text for document in documents] == names
    assert documents[0].groups == {"year": "1999"}
    assert problems == [Problem("a.parquet", 3001, "an empty document")]
    corpus = open_corpus(path, settings)
    first = next(corpus.blocks(size=20_000))
    rest = [document for block in corpus.blocks(first.position) for document in block.documents]
    assert [*first.documents, *rest] == documents
    assert 0 < corpus.bytes_before(first.position) < corpus.ends[-1]
    with pytest.raises(UserError, match="not a parquet file"):
        open_corpus(write(tmp_path / "b.parquet", b"no"))


def test_gap_can_be_trained_on_without_its_test_file(tmp_path: Path) -> None:
    from equipoise.corpora.opening import read_corpus

    (tmp_path / "gap").mkdir()
    for number, part in enumerate(("development", "test", "validation")):
        path = tmp_path / "gap" / f"gap-{part}.tsv"
        path.write_text(f"ID\tText\n{part}-1\tText {number}.\n", encoding="utf-8")
    names = {
        name: [one.id for one in read_corpus(name, data_dir=tmp_path).documents]
        for name in ("gap", "gap-train")
    }
    assert names == {
        "gap": ["development-1", "test-1", "validation-1"],
        "gap-train": ["development-1", "validation-1"],
    }
