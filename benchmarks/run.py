"""`make bench`: every ratio in one run, printed as a table and written to `latest.json`."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks import memory, minicons_way
from benchmarks.bert import SHARED, THREADS, bec_pro_rows, crows_sentences, parts
from benchmarks.encoder import Multiplication, Pass, TimedNetwork, average
from benchmarks.other_ways import one_forward_per_token, padded_batches_of_twenty
from equipoise.models.loading.networks import wrap_model
from equipoise.models.neural.devices import bf16_speed
from equipoise.models.options import RunOptions
from equipoise.models.questions import Raw, Score

LATEST = Path(__file__).parent / "latest.json"
SHARE = 6
"""The slow loop over BEC-Pro runs on one row in six, and its time is multiplied."""

Row = dict[str, Any]


def main(chosen: list[str]) -> None:
    """Run the named parts, or all, and say whether each ratio was reached."""
    if not SHARED.is_dir():
        sys.exit("The benchmarks read CrowS-Pairs, BEC-Pro and BERT's vocabulary from ../shared.")
    parts_to_run = [part for part in PARTS if not chosen or part.__name__ in chosen]
    rows = {}
    for part in parts_to_run:
        for one in part():
            rows[one["work"], one["against"]] = one
            print(_line(one), flush=True)
    earlier = json.loads(LATEST.read_text()) if chosen and LATEST.exists() else []
    kept = {(one["work"], one["against"]): one for one in earlier} | rows
    LATEST.write_text(json.dumps(list(kept.values()), indent=2) + "\n")
    if any(one["ratio"] < one["at_least"] for one in rows.values()):
        sys.exit("Some ratios were not reached.")


def sentences() -> list[Row]:
    """Pseudo-log-likelihood of 80 CrowS-Pairs sentences against the official loop and minicons."""
    texts = crows_sentences(80)
    network, tokenizer = parts()
    official = partial(one_forward_per_token, network, tokenizer, texts)
    before, expected = timed(official)
    ours = {precision: score_timed(texts, precision) for precision in precisions()}
    slow = min(before, timed(official)[0])
    theirs = {size: minicons_way.score(size, expected) for size in (len(texts), 8, 1)}
    rows = []
    for precision, (fast, found) in ours.items():
        tolerance = 1e-2 if precision == "fp32" else 1.0
        np.testing.assert_allclose([one.total for one in found], expected, atol=tolerance)
        goal = {"fp32": (4.5, 2.0, 0.75), "bf16": (8.5, 4.0, 0.6)}[precision]
        work = f"PLL of 80 CrowS-Pairs sentences, {precision}"
        rows.append(row(work, "one forward per token, full vocabulary", slow / fast, goal[0]))
        ways = {len(texts): "the whole list, as its README does", 8: "lists of eight", 1: "one by one"}
        for size, way in ways.items():
            goal_here = goal[1] if size == len(texts) else 1.0
            rows.append(row(work, f"minicons 0.3.39, {way}", theirs[size] / fast, goal_here))
        rows += encoder_rows(texts, precision, goal[2])
    return rows


def score_timed(texts: list[str], precision: str) -> tuple[float, list[Any]]:
    """The best of three fresh runs, each without any stored answer."""
    questions = [Score(text) for text in texts]
    runs = (timed(partial(fresh(precision).answer, questions)) for _ in range(3))
    return min(runs, key=itemgetter(0))


def encoder_rows(texts: list[str], precision: str, goal: float) -> list[Row]:
    """The encoder's average FLOP/s over three runs, against a multiplication timed before and after each.

    The floor of the second row is our own: the quickest window lies above the average by the machine's drift.
    """
    turns = Multiplication(torch.float32 if precision == "fp32" else torch.bfloat16)
    passes: list[Pass] = []
    for _ in range(3):
        model = fresh(precision)
        engine = model.engine
        timed = replace(engine.forward, network=TimedNetwork(engine.forward.network, passes))
        engine.open(timed, engine.store, engine.fingerprint)
        turns.take_turn()
        model.answer([Score(text) for text in texts])
        turns.take_turn()
    work, reached = f"encoder FLOP/s, {precision}", average(passes)
    return [
        row(work, "2048x768x3072 multiplications in turns", reached / turns.average, goal),
        row(work, "the quickest 0.15 s of those", reached / turns.best, goal - 0.05),
    ]


def bec_pro() -> list[Row]:
    """The rows of BEC-Pro: 5,400 sentences, target masked, and target and attribute masked."""
    network, tokenizer = parts()
    asked = [
        (line[column], tokenizer.convert_tokens_to_ids(line["Person"].lower().split()[-1]))
        for line in bec_pro_rows()
        for column in ("Sent_TM", "Sent_TAM")
    ]
    chosen = [one for start in range(0, len(asked), SHARE * 20) for one in asked[start : start + 20]]
    authors = partial(padded_batches_of_twenty, network, tokenizer, chosen)
    questions = [raw_question(tokenizer, text, target) for text, target in asked]
    before, expected = timed(authors)
    fast, found = min((timed(partial(fresh("fp32").answer, questions)) for _ in range(3)), key=itemgetter(0))
    slow = min(before, timed(authors)[0]) * len(asked) / len(chosen)
    ours = {one: answer.logprobs[0] for one, answer in zip(asked, found, strict=True)}
    pairs = zip(chosen, expected, strict=True)
    short = [(value, ours[one]) for one, value in pairs if fits(tokenizer, one[0])]
    np.testing.assert_allclose(*zip(*short, strict=True), atol=1e-2)
    return [row("the rows of BEC-Pro, 5,400 sentences x 2 maskings", "the authors' loop", slow / fast, 20)]


def fits(tokenizer: Any, text: str) -> bool:
    """Whether the authors' loop does not cut the sentence."""
    return len(tokenizer(text)["input_ids"]) <= 16


def raw_question(tokenizer: Any, text: str, target: int) -> Raw:
    """The sentence as it is in the file, its first mask asked for the person word."""
    ids = tuple(tokenizer(text)["input_ids"])
    return Raw(ids, ids.index(tokenizer.mask_token_id), (target,))


def answered_again() -> list[Row]:
    """Rows that the store holds, asked by another process's model."""
    questions = [Score(text) for text in crows_sentences(80)]
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "answers.sqlite"
        first, before = timed(lambda: fresh("fp32", store).answer(questions))
        model = fresh("fp32", store)
        second, after = timed(lambda: model.answer(questions))
        assert before == after
        assert model.engine.rows_run == 0
    return [row("rows already answered, asked again", "first time", first / second, 50)]


def peak_memory() -> list[Row]:
    """Peaks of processes of their own, in gigabytes.

    How much of the freed memory a batch can use again is a matter of luck, so the few are scored in four
    processes: as many batches as the many take in one.
    """
    few = max(memory.peak("400") for _ in range(4))
    many, long = memory.peak("2400"), memory.peak("long")
    return [
        row("peak memory of 2,400 sentences", "of 400 sentences", few / many, 0.95),
        row("peak memory of one 350-word sentence", "2 GB", 2.0 / long, 1.0),
    ]


def first_answer() -> list[Row]:
    """One probe of the shipped model in a process of its own, beyond importing torch and transformers."""
    imports = [sys.executable, "-c", "import torch, transformers"]
    probe = [sys.executable, "-m", "equipoise", "probe", "[MASK] is a nurse.", "--no-cache"]
    beyond = best_of_three(probe) - best_of_three(imports)
    return [row("a probe of the shipped model, beyond imports", "2 s", 2.0 / beyond, 1.0)]


def first_help() -> list[Row]:
    """What every command waits for before it does anything."""
    seconds = best_of_three([sys.executable, "-m", "equipoise", "--help"])
    return [row("equipoise --help", "0.3 s", 0.3 / seconds, 1.0)]


def best_of_three(command: list[str]) -> float:
    """Seconds of the quickest of three runs."""
    return min(timed(partial(subprocess.run, command, check=True, capture_output=True))[0] for _ in range(3))


def fresh(precision: str, store: Path | None = None) -> Any:
    """The model with no answers stored, or with those of a file."""
    network, tokenizer = parts()
    settings = RunOptions(precision=precision, cache=store is not None, store=store)
    return wrap_model(network, tokenizer, name="bert-base", options=settings)


def precisions() -> list[str]:
    """bf16 only where the processor makes it faster."""
    return ["fp32", "bf16"] if bf16_speed() > 1 else ["fp32"]


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds and result."""
    torch.set_num_threads(THREADS)
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def row(work: str, against: str, ratio: float, at_least: float) -> Row:
    """One line of the table."""
    return {"work": work, "against": against, "ratio": round(ratio, 3), "at_least": at_least}


def _line(one: Row) -> str:
    reached = "reached" if one["ratio"] >= one["at_least"] else "NOT REACHED"
    return f"{one['work']:<52} {one['against']:<42} {one['ratio']:>8} >= {one['at_least']:<6} {reached}"


PARTS = (sentences, bec_pro, answered_again, peak_memory, first_answer, first_help)

if __name__ == "__main__":
    main(sys.argv[1:])
