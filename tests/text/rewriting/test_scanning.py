"""The quick scan finds what a slow loop finds, and looks around as the plain way does."""

import json
import re
from collections.abc import Callable
from pathlib import Path

from equipoise.text.rewriting import Rewriter, rewrite
from equipoise.text.rewriting.find.document import Document
from equipoise.text.rewriting.find.lexicon import load_lexicon
from equipoise.text.rewriting.find.scanning import WORD, Scanner
from equipoise.text.rewriting.find.tokens import Surroundings, neighbours

TEXT = "She said:\n“Her mother's   hat, his (and hers)—he’s late.”\n\nThe ladies' man, Mr. King, saw HER."


def test_hits_are_where_a_slow_loop_finds_them() -> None:
    lexicon = load_lexicon()
    scanner = Scanner(lexicon, names=False)
    hits = [hit for hit in scanner.hits(TEXT.split(" ")) if hit.part.what == WORD]
    slow = [
        (match.start(), match[0])
        for match in re.finditer(r"[A-Za-z]+", TEXT)
        if match[0].lower() in lexicon.words
    ]
    assert [(hit.start, TEXT[hit.start : hit.end]) for hit in hits] == slow


def test_surroundings_are_the_neighbours() -> None:
    document, around = Document(TEXT), Surroundings()
    for hit in Scanner(load_lexicon(), names=False).hits(document.chunks):
        end = hit.end + len(hit.part.suffix)
        before, after = neighbours(TEXT, hit.start, end)
        assert (list(before), list(after)) == around.of(
            document.chunks, hit.chunk, (hit.part.inside_before, hit.part.inside_after)
        )


def test_rewriting_gap_twice_gives_it_back(shared_data: Callable[[str], Path]) -> None:
    lines = shared_data("gap/gap-validation.tsv").read_text(encoding="utf-8").splitlines()[1:]
    texts = [line.split("\t")[1] for line in lines]
    rewriter = Rewriter(names=False)
    titled = re.compile(r"\b(?:Mrs|Miss|Ms)\b")
    kept = [text for text in texts if not titled.search(text)]
    images = [result.text for result in rewriter.rewrite_many(kept)]
    back = [result.text for result in rewriter.rewrite_many(images)]
    sentences = [len(re.split(r"(?<=[.!?]) ", text)) for text in kept]
    broken = sum(one != two for one, two in zip(kept, back, strict=True))
    assert broken / sum(sentences) < 0.04


def test_pairs_written_by_people(shared_data: Callable[[str], Path]) -> None:
    lines = shared_data("mt-geneval/pairs.jsonl").read_text(encoding="utf-8").splitlines()
    pairs = [json.loads(line) for line in lines]
    for source, target in (("feminine", "masculine"), ("masculine", "feminine")):
        exact = sum(rewrite(pair[source], names=False).text == pair[target] for pair in pairs)
        assert exact / len(pairs) > 0.84
