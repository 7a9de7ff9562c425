"""Word vectors and permutations: seconds, memory and deals a second, beside the plain way to do the same.

    python -m benchmarks.vectors [--words 400000] [--out benchmarks/vectors.json]

Times are the processor's, so that a busy machine does not count; `wall` is beside them. The plain ways to
read are pandas on the file as a whole, in turns with ours, each in a process of its own (the least of several
times counts), and a loop over lines. The plain way to a p-value works every deal out in Python, as WEFE does.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.stats.permutation import _random_assignments, two_sample_permutation

WIDTH = 50
TURNS = 3
_READ = """
import re, sys, time
import pandas
from pathlib import Path
from equipoise.models.static.files import read_vectors
def memory(of):
    return 1024 * int(re.search(of + r":\\s*(\\d+)", Path("/proc/self/status").read_text()).group(1))
start, wall, before = time.process_time(), time.perf_counter(), memory("VmRSS")
if sys.argv[2] == "ours":
    vectors = read_vectors(Path(sys.argv[1]))
    len(vectors.rows)
else:
    table = pandas.read_csv(sys.argv[1], sep=" ", header=None, quoting=3, na_filter=False)
    rows = {word: row for row, word in enumerate(table[0])}
    matrix = table.iloc[:, 1:].to_numpy("float32")
print(time.process_time() - start, time.perf_counter() - wall, memory("VmHWM") - before)
"""
DRAWS = 200_000


def main() -> None:
    """Print the figures, and write them where that is asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--words", type=int, default=400_000)
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    figures = {"reading": reading(chosen.words), "permutations": permutations()}
    text = json.dumps(figures, indent=2)
    print(text)
    if chosen.out:
        chosen.out.write_text(text + "\n", encoding="utf-8")


def reading(words: int) -> dict[str, Any]:
    """Reading a text file and a binary one of so many words, each in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        text, binary = write_files(Path(folder), words)
        figures: dict[str, Any] = {}
        ways = {"vectors.txt": (text, "ours"), "vectors.bin": (binary, "ours")}
        ways["pandas on vectors.txt"] = (text, "pandas")
        turns = [{name: read_once(*way) for name, way in ways.items()} for _ in range(TURNS)]
        for name, (path, _) in ways.items():
            processor, wall, memory = np.min([turn[name] for turn in turns], axis=0).tolist()
            figures[name] = {
                "processor_seconds": round(processor, 2),
                "wall_seconds": round(wall, 2),
                "memory_per_byte_of_file": round(memory / path.stat().st_size, 2),
            }
        some = 20_000
        plain = seconds(lambda: plain_reading(text, some)) * words / some
        figures["plain loop"] = {"processor_seconds": round(plain, 2)}
    return {"words": words, "width": WIDTH, **figures}


def read_once(path: Path, way: str) -> tuple[float, ...]:
    """Processor's seconds, seconds and bytes of memory of reading a file in a new process."""
    command = [sys.executable, "-c", _READ, str(path), way]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return tuple(map(float, said.split()))


def write_files(folder: Path, words: int) -> tuple[Path, Path]:
    """The same random vectors as text and as word2vec binary."""
    matrix = np.random.default_rng(0).normal(0, 0.4, size=(words, WIDTH)).astype(np.float32)
    text, binary = folder / "vectors.txt", folder / "vectors.bin"
    with text.open("w") as file:
        for number, row in enumerate(matrix):
            file.write(f"w{number} " + " ".join(f"{value:.5g}" for value in row) + "\n")
    with binary.open("wb") as file:
        file.write(f"{words} {WIDTH}\n".encode())
        for number, row in enumerate(matrix):
            file.write(f"w{number} ".encode() + row.tobytes() + b"\n")
    return text, binary


def plain_reading(path: Path, lines: int) -> dict[str, Any]:
    """A dictionary of arrays, line by line."""
    vectors = {}
    with path.open() as file:
        for _, line in zip(range(lines), file, strict=False):
            word, *numbers = line.split(" ")
            vectors[word] = np.array([float(number) for number in numbers], dtype=np.float32)
    return vectors


def permutations() -> dict[str, Any]:
    """Deals a second by the number of values, and the time of an exact p."""
    rng = np.random.default_rng(1)
    figures: dict[str, Any] = {}
    for count in (16, 40, 128, 300):
        values = rng.normal(size=count)
        values -= values.mean()
        spent = seconds(partial(_random_assignments, values, count // 2, 1.0, draws=DRAWS, seed=0))
        plain = seconds(partial(plain_deals, values, 500))
        figures[f"{count} values"] = {
            "deals_per_processor_second": round(DRAWS / spent),
            "plain_deals_per_processor_second": round(500 / plain),
        }
    first, second = rng.normal(size=18), rng.normal(size=18)
    figures["exact p of 36 values"] = {
        "processor_seconds": round(seconds(lambda: two_sample_permutation(first, second)), 3)
    }
    return figures


def plain_deals(values: np.ndarray, draws: int) -> list[float]:
    """Shuffle, split, take two means: one deal after the other."""
    rng, half = np.random.default_rng(0), len(values) // 2
    differences = []
    for _ in range(draws):
        dealt = rng.permutation(values)
        differences.append(float(np.mean(dealt[:half]) - np.mean(dealt[half:])))
    return differences


def seconds(work: Callable[[], object]) -> float:
    """The processor's time for one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    main()
