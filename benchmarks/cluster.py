"""What the driver of a cluster costs: time a thousand rows, memory, workers against threads, many rows.

`python -m benchmarks.cluster` writes benchmarks/cluster.json. Processor time is given beside the clock's,
because other work on the machine changes the clock's alone. The rows are distinct and eight tokens long.
"""

import json
import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

os.environ |= {"OMP_NUM_THREADS": "1", "RAY_TMPDIR": tempfile.mkdtemp(prefix="r")}

import torch
from transformers import BertConfig, BertForMaskedLM

from equipoise.models.engine.engine import Engine, find_executor
from equipoise.models.engine.forward import Forward, LanguageForward
from equipoise.models.engine.rows import Row, RowAnswer
from equipoise.models.engine.store import AnswerStore, RowCodec
from equipoise.models.neural.network import Network
from equipoise.models.options import RunOptions

OUT = Path(__file__).with_name("cluster.json")
WINDOW, BATCH, TOKENS = 10_000, 64, 8
HERE = RunOptions(workers=1)
THERE = RunOptions(executor="ray", address="local", workers=2)


@dataclass
class Nothing:
    """Takes no time: what is left is the cost of planning, sending and keeping."""

    device: torch.device

    def sibling(self) -> "Nothing":
        """The same."""
        return self

    def compute(self, rows: list[Row]) -> list[RowAnswer]:
        """An answer of zeros for each row."""
        return [RowAnswer(logprobs=dict.fromkeys(row.asks, 0.0)) for row in rows]


def bert(width: int, layers: int) -> Forward:
    """A BERT with random weights."""
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=2000,
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=max(1, width // 64),
        intermediate_size=4 * width,
    )
    return LanguageForward(Network(BertForMaskedLM(config).eval()), 0)


def fresh_rows() -> Iterator[Row]:
    """Rows that were never asked before."""
    for number in count():
        ids = (number % 1000, number // 1000 % 1000, number // 1_000_000, *range(3, TOKENS))
        yield Row(ids, asks=((TOKENS - 1, 5),))


def engine(forward: Forward, options: RunOptions) -> Engine:
    """An engine with a store of its own."""
    path = Path(tempfile.mkdtemp()) / "answers.sqlite"
    store = AnswerStore(path, RowCodec(), fingerprint="rows", name="rows")
    executor = find_executor(options)
    return Engine(forward, store, fingerprint="rows", budget=2 * BATCH * TOKENS, executor=executor)


def ask(asking: Engine, rows: Iterator[Row], number: int) -> dict[str, float]:
    """Ask so many rows in windows: seconds of this process and of the clock, and its memory after it."""
    processor, clock = time.process_time(), time.perf_counter()
    for _ in range(number // WINDOW):
        asking.run(asking.prepare([next(rows) for _ in range(WINDOW)]))
    resident = int(Path("/proc/self/statm").read_text("utf-8").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return {
        "rows": number,
        "processor_ms_per_1000": (time.process_time() - processor) * 1e6 / number,
        "clock_ms_per_1000": (time.perf_counter() - clock) * 1e6 / number,
        "mb": resident / 2**20,
    }


def main() -> None:
    """Measure everything and write it down."""
    figures: dict[str, Any] = {"many rows": []}
    for number in (10_000, 100_000, 1_000_000):
        figures["many rows"].append(ask(engine(bert(16, 1), HERE), fresh_rows(), number))
        OUT.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    for name, options in (("one machine", HERE), ("cluster", THERE)):
        asking, rows = engine(Nothing(torch.device("cpu")), options), fresh_rows()
        ask(asking, rows, WINDOW)  # the first window starts the workers
        figures[f"overhead, {name}"] = [ask(asking, rows, 30_000) for _ in range(3)]
    ways = {"two workers of one thread": THERE, "one process of two threads": HERE}
    running = {name: (engine(bert(256, 4), options), fresh_rows()) for name, options in ways.items()}
    figures["workers against threads"] = {name: [] for name in ways}
    for _turn in range(3):
        for name, (asking, rows) in running.items():
            torch.set_num_threads(1 if ways[name] is THERE else 2)
            figures["workers against threads"][name].append(ask(asking, rows, WINDOW)["clock_ms_per_1000"])
    torch.set_num_threads(1)
    OUT.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
