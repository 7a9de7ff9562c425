"""The table of tricky sentences: what each becomes, and whether rewriting twice gives it back."""

import csv
from pathlib import Path

import pytest

from equipoise.text.rewriting import rewrite, undo

with (Path(__file__).parent / "cases.csv").open(encoding="utf-8", newline="") as file:
    CASES = list(csv.DictReader(file))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['group']}: {case['text'][:40]!r}")
def test_case(case: dict[str, str]) -> None:
    names = case["names"] == "yes"
    rewritten = rewrite(case["text"], names=names)
    assert rewritten.text == case["inverted"]
    assert undo(rewritten) == case["text"]
    if case["back"] == "yes":
        assert rewrite(case["inverted"], names=names).text == case["text"]


def test_texts_are_not_listed_twice() -> None:
    texts = [case["text"] for case in CASES]
    assert len(texts) == len(set(texts)) >= 600
