"""Sentences by group: every word once, in its group's file, also after a kill."""

from pathlib import Path
from typing import Any

import pytest
from made_corpora import write_decades

from equipoise.corpora import sentence_files
from equipoise.corpora.documents import Grouping
from equipoise.corpora.reading import Corpus, ReadSettings, open_corpus
from equipoise.corpora.sentence_files import NOTE, read_sentence_files, write_sentences
from equipoise.errors import UserError

TEXT = """publisher,text
a,"She left. ""Why?"" he asked, isn't it?"
b,Mary-Jane's father-in-law came.
,Nobody's.
a,—
a,They met again.
"""


def test_a_line_is_a_sentence_and_an_empty_one_ends_a_document(tmp_path: Path) -> None:
    (tmp_path / "corpus.csv").write_text(TEXT)
    corpus = open_corpus(tmp_path / "corpus.csv", ReadSettings(grouping=Grouping(("publisher",))))
    written = write_sentences(corpus, tmp_path / "out", by="publisher")
    texts = {one.group: (tmp_path / "out" / one.file).read_text() for one in written.ordered()}
    assert texts["a"] == "she left\nwhy he asked isn it\n\n\nthey met again\n\n"
    assert texts["b"] == "mary-jane father-in-law came\n\n"
    assert written.ungrouped == 1
    assert [(one.documents, one.words) for one in written.ordered()] == [(3, 10), (1, 3)]
    assert read_sentence_files(tmp_path / "out") == written


def blocks_of(corpus: Corpus, size: int, stop_after: int | None = None) -> Any:
    """The corpus in small blocks, and killed in one of them."""

    def small(start: Any = None) -> Any:
        for number, block in enumerate(Corpus.blocks(corpus, start, size)):
            if number == stop_after:
                raise KeyboardInterrupt
            yield block

    return small


def test_a_killed_run_goes_on_without_a_seam(tmp_path: Path) -> None:
    """Killed after three blocks, with half a line written after the last note."""
    path = write_decades(tmp_path / "corpus.csv", sentences=300)
    corpus = open_corpus(path, ReadSettings("body", Grouping(year="date", span=10)))
    whole = write_sentences(corpus, tmp_path / "whole", by="year")
    object.__setattr__(corpus, "blocks", blocks_of(corpus, 2000, stop_after=3))
    with pytest.raises(KeyboardInterrupt):
        write_sentences(corpus, tmp_path / "parts", by="year")
    begun = read_sentence_files(tmp_path / "parts")
    assert 0 < sum(one.words for one in begun.groups) < sum(one.words for one in whole.groups)
    with (tmp_path / "parts" / begun.groups[0].file).open("a") as file:
        file.write("half a sent")
    object.__setattr__(corpus, "blocks", blocks_of(corpus, 2000))
    told: list[tuple[int, int]] = []
    resumed = write_sentences(corpus, tmp_path / "parts", by="year", advance=lambda *way: told.append(way))
    assert resumed.ordered() == whole.ordered()
    assert told[-1][0] == told[-1][1] == path.stat().st_size
    for one in whole.groups:
        assert (tmp_path / "parts" / one.file).read_bytes() == (tmp_path / "whole" / one.file).read_bytes()


def test_files_that_were_being_moved_are_written_anew(tmp_path: Path) -> None:
    (tmp_path / "corpus.csv").write_text(TEXT)
    corpus = open_corpus(tmp_path / "corpus.csv")
    written = write_sentences(corpus, tmp_path / "out")
    (tmp_path / "out" / written.groups[0].file).unlink()
    assert write_sentences(corpus, tmp_path / "out").groups == written.groups
    (tmp_path / "out" / NOTE).write_text("{")
    with pytest.raises(UserError, match="cannot be read"):
        write_sentences(corpus, tmp_path / "out")


def test_too_many_groups_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentence_files, "MOST_GROUPS", 1)
    (tmp_path / "corpus.csv").write_text(TEXT)
    corpus = open_corpus(tmp_path / "corpus.csv", ReadSettings(grouping=Grouping(("publisher",))))
    with pytest.raises(UserError, match="more than 1 groups, such as 'a' and 'b'"):
        write_sentences(corpus, tmp_path / "out", by="publisher")


@pytest.mark.parametrize(
    ("span", "group"), [(1, "1997"), (10, "1990-1999"), (25, "1975-1999"), (100, "1900-1999")]
)
def test_years_are_grouped_by_their_span(span: int, group: str) -> None:
    assert Grouping(year="date", span=span).of({"date": "3 May 1997"}) == {"year": group}


def test_a_span_of_no_years_is_refused() -> None:
    with pytest.raises(UserError, match="0 years were to make a group"):
        Grouping(year="date", span=0)
