"""How exact, reversible, fast and frugal rewriting is.

    python -m benchmarks.rewriting [exact] [twice] [speed] [memory]

Speed is given beside two other ways over the same words in the same run: one flat alternation in `re.sub`,
and `re.sub` over every word with a dictionary. Both only replace words; neither reads any context.
"""

import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

from equipoise.corpora.rewriting import RewriteSettings, rewrite_file
from equipoise.text.rewriting import Rewriter
from equipoise.text.rewriting.lexicon import load_lexicon
from equipoise.text.rewriting.sentences import sentence_starts

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"
ONE_WAY_TITLES = re.compile(r"\b(?:Mrs|Miss|Ms)\b")


def exact() -> None:
    """Sentence pairs written by people: the share that comes out letter for letter."""
    lines = (DATA / "mt-geneval" / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
    pairs = [json.loads(line) for line in lines]
    for names in (False, True):
        rewriter = Rewriter(names=names)
        for source, target in (("feminine", "masculine"), ("masculine", "feminine")):
            hits = sum(rewriter.rewrite(pair[source]).text == pair[target] for pair in pairs)
            kept = "names exchanged" if names else "names kept"
            print(f"MT-GenEval, {source} to {target}, {kept}: {hits / len(pairs):.1%} of {len(pairs)}")


def twice() -> None:
    """Sentences of GAP that come back when they are rewritten twice."""
    sentences = [text for text in gap_sentences() if not ONE_WAY_TITLES.search(text)]
    for names in (False, True):
        rewriter = Rewriter(names=names)
        images = [result.text for result in rewriter.rewrite_many(sentences)]
        back = [result.text for result in rewriter.rewrite_many(images)]
        same = sum(one == two for one, two in zip(sentences, back, strict=True))
        kept = "names exchanged" if names else "names kept"
        print(f"GAP rewritten twice, {kept}: {same / len(sentences):.2%} of {len(sentences):,} come back")


def gap_sentences() -> list[str]:
    """Every sentence of GAP once."""
    sentences: set[str] = set()
    for part in ("development", "validation", "test"):
        for line in (DATA / "gap" / f"gap-{part}.tsv").read_text(encoding="utf-8").splitlines()[1:]:
            text = line.split("\t")[1]
            edges = [*sentence_starts(text), len(text)]
            sentences.update(text[a:b].strip() for a, b in pairwise(edges))
    return sorted(sentences - {""})


def speed() -> None:
    """Megabytes a second on novels, in processor time, best of three turns; two processes by the clock."""
    lines = (DATA / "books" / "paragraphs.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["text"] for line in lines][::4]
    words = {word: entry.partner or word for word, entry in load_lexicon().words.items()}
    alternatives = "|".join(sorted(map(re.escape, words), key=len, reverse=True))
    flat, every = re.compile(rf"\b(?:{alternatives})\b", re.IGNORECASE), re.compile(r"\w+")
    few = texts[::20]
    plain, named = Rewriter(names=False), Rewriter()
    ways: dict[str, tuple[Sequence[str], Callable[[str], object]]] = {
        "rules": (texts, plain.turn),
        "rules and names": (texts, named.turn),
        "rules with an account": (texts, plain.rewrite),
        "rules and names with an account": (texts, named.rewrite),
        "flat alternation": (few, lambda text: flat.sub(lambda match: words[match[0].lower()], text)),
        "dictionary": (
            texts,
            lambda text: every.sub(lambda match: words.get(match[0].lower(), match[0]), text),
        ),
    }
    best = dict.fromkeys(ways, 0.0)
    for _ in range(3):
        for name, (some, way) in ways.items():
            best[name] = max(best[name], _rate(some, way))
    for name, rate in best.items():
        print(f"{name}: {rate:.2f} MB/s")
    for name in ("rules", "rules and names"):
        flat_ratio, ratio = best[name] / best["flat alternation"], best[name] / best["dictionary"]
        print(f"{name}: {flat_ratio:.1f}x a flat alternation, {ratio:.2f}x a dictionary")
    _processes(lines)


def _rate(texts: Sequence[str], way: Callable[[str], object]) -> float:
    size = sum(len(text.encode()) for text in texts) / 1e6
    start = time.process_time()
    for text in texts:
        way(text)
    return size / (time.process_time() - start)


def _processes(lines: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "books.jsonl"
        source.write_text("\n".join(lines) + "\n", encoding="utf-8")
        seconds = []
        for processes in (1, 2):
            start = time.perf_counter()
            rewrite_file(source, Path(folder) / f"{processes}.jsonl", RewriteSettings(processes=processes))
            seconds.append(time.perf_counter() - start)
        print(f"file, one process {seconds[0]:.1f} s, two {seconds[1]:.1f} s: {seconds[0] / seconds[1]:.2f}x")


def memory() -> None:
    """The peak memory of rewriting the novels once and twenty times over."""
    novels = (DATA / "books" / "paragraphs.jsonl").read_bytes()
    for times in (1, 20):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "books.jsonl"
            with source.open("wb") as file:
                for _ in range(times):
                    file.write(novels)
            done = subprocess.run(
                [sys.executable, "-c", _PEAK, str(source)], capture_output=True, text=True, check=True
            )
            peak, seconds = done.stdout.split()
            size = len(novels) * times / 1e6
            print(f"{size:,.0f} MB: peak {int(peak) / 1024:.0f} MiB, {float(seconds):.0f} s", flush=True)


_PEAK = """
import resource, sys, time
from pathlib import Path
from equipoise.corpora.rewriting import RewriteSettings, rewrite_file
source = Path(sys.argv[1])
start = time.perf_counter()
rewrite_file(source, source.with_name("out.jsonl"), RewriteSettings(names=False))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter() - start)
"""


if __name__ == "__main__":
    chosen = sys.argv[1:] or ["exact", "twice", "speed"]
    for name in chosen:
        {"exact": exact, "twice": twice, "speed": speed, "memory": memory}[name]()
