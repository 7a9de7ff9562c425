"""Pairs from a corpus: sentences as written and turned, clustered by document, read by sbe and the linter."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from command_line import run

from equipoise.corpora.documents import Document, Where
from equipoise.data.lint import lint_pairs
from equipoise.data.sets.pairs import load_pairs
from equipoise.data.sources import resolve
from equipoise.measuring import measure
from equipoise.models.table import TableModel
from equipoise.results.result import top_items

pytest.importorskip("equipoise.text.rewriting.rewriter")

TEXTS = (
    "The clerk said that he was late. Nobody answered the phone. She lost her keys at the station.",
    "The nurse told us that she had seen him. He left.",
)


def documents() -> list[Document]:
    return [Document(f"d{n}", text, {}, Where("a.txt", n)) for n, text in enumerate(TEXTS)]


def test_changed_sentences_become_pairs_of_their_document() -> None:
    from equipoise.corpora.mining import mine_pairs

    mined = mine_pairs(documents())
    assert mined.table[["cluster", "stereotype", "counterpart"]].to_numpy().tolist() == [
        ["d0", "The clerk said that he was late.", "The clerk said that she was late."],
        ["d0", "She lost her keys at the station.", "He lost his keys at the station."],
        ["d1", "The nurse told us that she had seen him.", "The nurse told us that he had seen her."],
    ]
    assert mined.table["id"].tolist() == ["d0 @0", "d0 @60", "d1 @0"]
    assert mined.available == 3
    assert dict(mined.left_out) == {"fewer than 6 words": 1}
    assert set(mined.table["category"]) == {"own:mined"}


def test_pairs_of_documents_of_one_name_are_told_apart() -> None:
    """Two folders may hold a file of one name; `sbe` refuses two items of one name."""
    from equipoise.corpora.mining import mine_pairs

    namesake = Document("d1", "The porter told us that he had seen her.", {}, Where("b.txt", 1))
    ids = mine_pairs([*documents(), namesake]).table["id"].tolist()
    assert ids == ["d0 @0", "d0 @60", "d1 @0", "d1 @0 (2)"]


def test_flags_make_categories_and_a_sample_is_a_part_of_all() -> None:
    from equipoise.corpora.mining import mine_pairs

    text = "The clerk closed his old book. She lost her keys at the station."
    of_one = [Document("d", text, {}, Where("a.txt", 1))]
    flagged = mine_pairs(of_one, by_flag=True).table.set_index("id")["category"]
    assert flagged.to_dict() == {"d @0": "own:mined-occupation", "d @31": "own:mined"}
    several = [
        Document(
            f"{n}",
            TEXTS[0].replace("at", f"{n} times at").replace("late", f"late for {n} days"),
            {},
            Where("a.txt", n),
        )
        for n in range(20)
    ]
    first, again, other = (mine_pairs(several, sample=8, seed=seed) for seed in (1, 1, 2))
    assert first.available == 40
    assert len(first.table) == 8
    assert first.table["id"].tolist() == again.table["id"].tolist() != other.table["id"].tolist()


def test_a_pair_that_the_linter_would_report_is_left_out() -> None:
    from equipoise.corpora.mining import mine_pairs

    texts = (
        "The clerk said that he was late.",
        "the clerk said that he was late again.",  # no capital
        "He told his son that his uncle and his father knew her.",  # six words are replaced
        "The clerk said that he was late .",
        "The clerk said that he was late.",
    )
    mined = mine_pairs([Document(f"d{n}", text, {}, Where("a.txt", n)) for n, text in enumerate(texts)])
    assert mined.table["id"].tolist() == ["d0 @0"]
    assert lint_pairs(mined.table) == []
    assert sum(mined.left_out.values()) == 4


def test_the_file_is_read_by_sbe_and_the_linter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus, pairs = tmp_path / "news.txt", tmp_path / "pairs.csv"
    corpus.write_text("\n".join(TEXTS), encoding="utf-8")
    assert run("corpus", corpus, "--pairs", pairs) == 0
    assert "3 of 3 pairs" in capsys.readouterr().err
    table = pd.read_csv(pairs)
    assert table["cluster"].tolist() == ["news.txt:1", "news.txt:1", "news.txt:2"]
    read = load_pairs(resolve(pairs, (), reader="sbe")).table
    assert read.loc[read["part"] == "pair", "cluster"].tolist() == table["cluster"].tolist()
    assert run("lint", pairs) == 0
    assert run("corpus", corpus, "--pairs", pairs) == 2
    assert "exists" in capsys.readouterr().err
    assert run("corpus", corpus) == 0, "the summary needs no folder"
    assert "women" in capsys.readouterr().out


def test_the_pairs_that_drive_the_score_come_first(tmp_path: Path) -> None:
    """As written -1 a word; turned -2, -1 and -4: SLD 7 x 1, 0 and 9 x 3 by hand."""
    from equipoise.corpora.mining import mine_pairs

    pairs = mine_pairs(documents()).table
    cost = dict(zip(pairs["counterpart"], (2.0, 1.0, 4.0), strict=True))

    class Costly(TableModel):
        def _told(self, table: Any, key: str) -> Any:
            return [-cost.get(key, 1.0)] * len(key.split())

    result = measure(Costly(), "sbe", data=pairs)
    top = top_items(result, 2)
    assert top["score"].tolist() == pytest.approx([9 * 3.0, 7 * 1.0])
    assert top["stereotype"].tolist() == [pairs["stereotype"][2], pairs["stereotype"][0]]
    assert set(result.items.loc[result.items["part"] == "pair", "cluster"]) == {"d0", "d1"}
