"""How exact, reversible, fast and frugal rewriting is.

    python -m benchmarks.rewriting [exact] [twice] [judged] [speed] [line] [memory 30 3000]

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
from itertools import pairwise, product
from pathlib import Path

from equipoise.corpora.rewriting import rewrite_file
from equipoise.corpora.rewriting_progress import RewriteSettings
from equipoise.text.rewriting import Rewriter
from equipoise.text.rewriting.find.lexicon import load_lexicon
from equipoise.text.rewriting.find.sentences import sentence_starts
from equipoise.text.rewriting.pronouns.forms import Judge

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


def twice(judge: Judge | None = None) -> None:
    """Sentences of GAP that come back when they are rewritten twice."""
    sentences = [text for text in gap_sentences() if not ONE_WAY_TITLES.search(text)]
    for names in (False, True):
        rewriter = Rewriter(names=names, judge=judge)
        images = [result.text for result in rewriter.rewrite_many(sentences)]
        back = [result.text for result in rewriter.rewrite_many(images)]
        same = sum(one == two for one, two in zip(sentences, back, strict=True))
        kept = "names exchanged" if names else "names kept"
        print(f"GAP rewritten twice, {kept}: {same / len(sentences):.2%} of {len(sentences):,} come back")


def judged() -> None:
    """The same where the shipped BERT is asked for the forms that rules are unsure of."""
    from equipoise import load_model
    from equipoise.models.form_judge import form_judge

    twice(form_judge(load_model("embedded")))


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
        "rules": (texts, plain.rewrite),
        "rules and names": (texts, named.rewrite),
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


def memory(sizes: Sequence[int] = (30, 600)) -> None:
    """The peak memory of all processes while the novels are rewritten, repeated up to sizes in megabytes."""
    novels = (DATA / "books" / "paragraphs.jsonl").read_bytes()
    for size, account in product(sizes, (False, True)):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "books.jsonl"
            with source.open("wb") as file:
                for _ in range(max(1, round(size * 1e6 / len(novels)))):
                    file.write(novels)
            _print_peak(source, account=account)


def long_line(megabytes: int = 50) -> None:
    """The peak memory for a plain text that is one long line."""
    lines = (DATA / "books" / "paragraphs.jsonl").read_text(encoding="utf-8").splitlines()
    text = " ".join(json.loads(line)["text"].replace("\n", " ") for line in lines)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "line.txt"
        source.write_text((text * (megabytes * 10**6 // len(text) + 1))[: megabytes * 10**6] + "\n", "utf-8")
        _print_peak(source, account=False)


def _print_peak(source: Path, *, account: bool) -> None:
    arguments = [str(source), "account" if account else ""]
    done = subprocess.run(
        [sys.executable, "-c", _PEAK, *arguments], capture_output=True, text=True, check=True
    )
    peak, most, seconds = done.stdout.split()
    how = "with an account" if account else "without an account"
    print(
        f"{source.stat().st_size / 1e6:,.0f} MB {how}, two processes: peak {int(peak) / 1024:.0f} MiB, "
        f"the largest of the others {int(most) / 1024:.0f} MiB, {float(seconds):.0f} s",
        flush=True,
    )


_PEAK = """
import resource, sys, time
from pathlib import Path
from equipoise.corpora.rewriting import rewrite_file
from equipoise.corpora.rewriting_progress import RewriteSettings
source = Path(sys.argv[1])
account = source.with_name("account.csv") if sys.argv[2] else None
start = time.perf_counter()
settings = RewriteSettings(names=False, processes=2)
rewrite_file(source, source.with_name("out" + source.suffix), settings, account=account)
status = Path("/proc/self/status").read_text()  # getrusage would count what this process was forked from
peak = int(status.split("VmHWM:")[1].split()[0])
print(peak, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, time.perf_counter() - start)
"""


if __name__ == "__main__":
    chosen = [name for name in sys.argv[1:] if not name.isdigit()] or ["exact", "twice", "speed"]
    megabytes = [int(name) for name in sys.argv[1:] if name.isdigit()]
    for name in chosen:
        if name == "memory":
            memory(megabytes or (30, 600))
        else:
            {"exact": exact, "twice": twice, "judged": judged, "speed": speed, "line": long_line}[name]()
