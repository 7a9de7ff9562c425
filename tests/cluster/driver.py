"""Runs batches or models on a real Ray cluster of two nodes, with a fault on demand, and prints the outcome.

Run by tests/cluster/test_ray.py in a process of its own: Ray must be configured before it is imported.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ |= {
    "RAY_TMPDIR": tempfile.mkdtemp(prefix="r"),
    "RAY_USAGE_STATS_ENABLED": "0",
    "OMP_NUM_THREADS": "1",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_health_check_initial_delay_ms": "0",
    "RAY_health_check_period_ms": "500",
    "RAY_health_check_timeout_ms": "1000",
    "RAY_health_check_failure_threshold": "3",
}

import ray
import torch
from ray.cluster_utils import Cluster

from equipoise import cluster as engine
from equipoise.corpora import rewriting
from equipoise.corpora.reading import Corpus, open_corpus
from equipoise.corpora.rewriting_progress import RewriteProgress, RewriteSettings
from equipoise.corpora.survey import SurveySettings, survey_corpus
from equipoise.errors import UserError
from equipoise.models.engine.cluster import RayExecutor
from equipoise.models.engine.engine import Engine, Job
from equipoise.models.engine.rows import Row, RowAnswer
from equipoise.models.engine.store import AnswerStore, RowCodec
from equipoise.models.loading import load_model
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.questions import Fill
from equipoise.text.blank import BLANK
from tests.tiny import network, tokenizer

BATCHES, SECONDS = 40, 0.25
PORTS = {"object_store_memory": 80 * 2**20, "node_ip_address": "127.0.0.1"}


@dataclass
class SlowForward:
    """Takes a fixed time for a batch and answers each row with the sum of its ids."""

    log: Path
    device: torch.device

    def sibling(self) -> "SlowForward":
        return self

    def compute(self, rows: list[Row]) -> list[RowAnswer]:
        with self.log.open("a", encoding="utf-8") as log:
            log.write(f"{rows[0].ids[0]} {os.getpid()} {ray.get_runtime_context().get_node_id()}\n")
        time.sleep(SECONDS)
        return [RowAnswer(weights=[float(sum(row.ids))] * 2) for row in rows]


class Unreadable:
    """A model that no worker can read."""

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return _refuse, ("weights.bin is not on this machine",)


def _refuse(message: str) -> None:
    raise OSError(message)


def start(head: int) -> tuple[Cluster, list[Any]]:
    """A cluster of a head with so many processors and two nodes in all that work."""
    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": head, "include_dashboard": False, **PORTS}
    )
    nodes = [cluster.add_node(num_cpus=1, **PORTS) for _ in range(2 - head)]
    ray.init(
        address=cluster.address, _node_ip_address="127.0.0.1", log_to_driver=False, logging_level="ERROR"
    )
    return cluster, nodes


def run(fault: str) -> dict[str, Any]:
    """Answer every batch while the named fault happens."""
    cluster, nodes = start(head=0 if fault == "gone" else 1)
    log = Path(os.environ["RAY_TMPDIR"]) / "log"
    executor = RayExecutor(RunOptions(executor="ray", address=cluster.address))
    kept: list[bytes] = []
    executor.open(
        "weights",
        SlowForward(log, torch.device("cpu")),
        lambda answered: kept.extend(key for key, _ in answered),
    )
    rows = [Row(ids=(number, 7)) for number in range(BATCHES)]
    batches = tuple([(bytes([number]), row)] for number, row in enumerate(rows))
    answers: dict[bytes, RowAnswer] = {}
    begun = time.monotonic()
    struck = 0.0
    said = ""
    try:
        for answered in executor.run(Job("weights", batches)):
            answers.update(answered)
            if len(answers) == 8 and fault and not struck:
                struck = time.monotonic()
                strike(fault, log, cluster, nodes)
    except UserError as error:
        said = str(error)
    elapsed = time.monotonic() - begun
    executor.close()
    lines = [line.split() for line in log.read_text("utf-8").splitlines()]
    asked = Counter(number for number, _process, _node in lines)
    return {
        "said": said,
        "sums": {key[0]: answer.weights[0] for key, answer in answers.items()},
        "kept": [key[0] for key in kept],
        "asked twice": sum(count - 1 for count in asked.values()),
        "nodes": len({node for _number, _process, node in lines}),
        "seconds": elapsed,
        "seconds after the fault": time.monotonic() - struck if struck else 0.0,
    }


def strike(fault: str, log: Path, cluster: Cluster, nodes: list[Any]) -> None:
    """Kill the process of a worker at work, or take nodes away without warning."""
    if fault == "worker":
        os.kill(int(log.read_text("utf-8").splitlines()[-1].split()[1]), 9)
    if fault == "gone":
        engine.PATIENCE = 10.0
    for node in nodes if fault in ("node", "gone") else ():
        threading.Thread(target=cluster.remove_node, args=(node,), kwargs={"allow_graceful": False}).start()


def models(_fault: str) -> dict[str, Any]:
    """What a cluster answers for models that no worker could load by itself, and what it refuses."""
    cluster, _nodes = start(head=1)
    engine.FAILURES = 0
    there = RunOptions(executor="ray", address=cluster.address, cache=False)
    here = RunOptions(cache=False)
    questions = [Fill(f"{BLANK} is a {job}.", ("he", "she")) for job in ("pilot", "doctor", "teacher")]
    read: dict[str, Any] = {}

    def ask(models: list[Any]) -> list[Any]:
        return [[answer.logprobs for answer in model.answer(questions)] for model in models]

    folder = Path(os.environ["RAY_TMPDIR"]) / "model"
    plain = network("bert")
    plain.save_pretrained(folder)
    tokenizer("wordpiece").save_pretrained(folder)
    loaded = [load_model(str(folder), options) for options in (here, there)]
    shutil.rmtree(folder)
    read["folder gone"] = ask(loaded)

    changed = network("bert")
    wrapped = [
        wrap_model(changed, tokenizer("wordpiece"), name="bert", options=options) for options in (here, there)
    ]
    read["before"] = ask(wrapped)
    with torch.no_grad():
        changed.bert.embeddings.word_embeddings.weight[:, ::2] += 0.5
    read["changed"] = ask(wrapped)
    changed.bert.encoder.layer[0].register_forward_hook(lambda _module, _inputs, out: out * 0.5)
    read["hooked"] = ask(wrapped)

    engine._versions = lambda versions=engine._versions: {**versions(), "torch": "1.0"}
    read["versions"] = refusal(cluster, "any")
    read["unreadable"] = refusal(cluster, Unreadable())
    read["starving"] = refusal(cluster, Starving())
    return read


def refusal(cluster: Cluster, forward: Any) -> str:
    """What is said when one batch is to run on this cluster."""
    executor = RayExecutor(RunOptions(executor="ray", address=cluster.address))
    executor.open("weights", forward, lambda _answered: None)
    try:
        list(executor.run(Job("weights", ([(b"key", Row(ids=(1, 2)))],))))
    except UserError as error:
        return str(error)
    finally:
        executor.close()
    return ""


class Starving(Unreadable):
    """A model for which no worker has the memory."""

    def __reduce__(self) -> tuple[Any, tuple[()]]:
        return _starve, ()


def _starve() -> None:
    raise MemoryError


def files(_fault: str) -> dict[str, Any]:
    """A corpus rewritten and counted by one process, and by a cluster that loses a worker in the middle."""
    cluster, _nodes = start(head=1)
    folder = Path(os.environ["RAY_TMPDIR"])
    source = folder / "corpus.jsonl"
    with source.open("w", encoding="utf-8") as file:
        for number in range(4000):
            text = f"She told the nurse number {number} that his father had lost her keys in the street."
            file.write(json.dumps({"text": text}) + "\n" if number % 100 else "broken\n")
    rewriting.BATCH_BYTES = 8_000
    Corpus.blocks.__defaults__ = (None, 8_000)
    lost = []

    def note(*arguments: Any, **choices: Any) -> None:
        lose_a_worker()
        kept_note(*arguments, **choices)

    def lose_a_worker(*_sizes: int) -> None:
        for crew in engine._OPENED:
            if crew._alive and len(lost) < 40:
                lost.append(crew)
                if len(lost) == 20:
                    ray.kill(next(iter(crew._alive)))

    kept_note, RewriteProgress.note = RewriteProgress.note, note  # type: ignore[method-assign]
    read: dict[str, Any] = {}
    for name, address in (("here", ""), ("cluster", cluster.address)):
        lost.clear()
        out = folder / f"{name}.jsonl"
        rewriting.rewrite_file(source, out, RewriteSettings(address=address, processes=2 if address else 1))
        rewrite_lost = len(lost)
        lost.clear()
        settings = SurveySettings(flag=True, address=address, processes=2 if address else 1)
        survey_corpus(open_corpus(source), folder / name, settings=settings, advance=lose_a_worker)
        tables = sorted((folder / name).glob("*.csv"))
        read[name] = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (out, *tables)]
        read[f"{name} pieces"] = [rewrite_lost, len(lost)]
    return read


def restart(_fault: str) -> dict[str, Any]:
    """A driver is killed twice while it asks, and started again: which rows were asked although kept."""
    cluster, _nodes = start(head=1)
    folder = Path(os.environ["RAY_TMPDIR"])
    log, asked_again = folder / "log", []
    command = [sys.executable, __file__, "engine", cluster.address, str(folder)]
    for limit in (10, 22, None):
        kept = set(kept_in(folder))
        before = asked_in(log)
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        while limit is not None and len(kept_in(folder)) < limit:
            time.sleep(0.05)
        if limit is not None:
            process.kill()
        said, _ = process.communicate()
        asked_again += [row for row in asked_in(log)[len(before) :] if row in kept]
    return {
        "asked again": asked_again,
        "asked": len(asked_in(log)),
        "sums": json.loads(said.splitlines()[-1]),
    }


def asked_in(log: Path) -> list[int]:
    """The rows that workers were asked, by their first id."""
    return [int(line.split()[0]) for line in log.read_text("utf-8").splitlines()] if log.exists() else []


def kept_in(folder: Path) -> list[int]:
    """The rows whose answers are stored."""
    store = AnswerStore(folder / "answers.sqlite", RowCodec(), fingerprint="weights", name="slow")
    rows = {row.key: row.ids[0] for row in slow_rows()}
    kept = [rows[key] for key in store.read(list(rows))]
    store.close()
    return kept


def slow_rows() -> list[Row]:
    return [Row(ids=(number, 7), weighed=True) for number in range(BATCHES)]


def engine_alone(address: str) -> list[float]:
    """Answer every row on a cluster that is there, and keep the answers in a store."""
    folder = Path(sys.argv[3])
    store = AnswerStore(folder / "answers.sqlite", RowCodec(), fingerprint="weights", name="slow")
    asking = Engine(
        SlowForward(folder / "log", torch.device("cpu")),
        store,
        fingerprint="weights",
        budget=4,
        executor=RayExecutor(RunOptions(executor="ray", address=address)),
    )
    return [answer.weights[0] for answer in asking.run(asking.prepare(slow_rows()))]


def dead(_fault: str) -> dict[str, Any]:
    """The whole cluster ends while a driver asks: what it says, and how many answers it has kept."""
    cluster, _nodes = start(head=1)
    folder = Path(os.environ["RAY_TMPDIR"])
    command = [sys.executable, __file__, "engine", cluster.address, str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while len(kept_in(folder)) < 10:
        time.sleep(0.05)
    ray.shutdown()  # this process must not be connected when it ends the cluster
    cluster.shutdown()
    _out, said = process.communicate()
    return {"said": said, "code": process.returncode, "kept": len(kept_in(folder))}


OUTCOMES = {"models": models, "files": files, "restart": restart, "dead": dead, "engine": engine_alone}

if __name__ == "__main__":
    outcome = OUTCOMES.get(sys.argv[1], run)
    sys.stdout.write(json.dumps(outcome(sys.argv[-1 if len(sys.argv) < 3 else 2])) + "\n")
    sys.stdout.flush()
    os._exit(0)
