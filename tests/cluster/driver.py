"""Runs batches on a real Ray cluster of two nodes, with a fault on demand, and prints what came.

Run by tests/cluster/test_ray.py in a process of its own: Ray must be configured before it is imported.
"""

import json
import os
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

from equipoise.models.engine.cluster import RayExecutor
from equipoise.models.engine.executors import Job
from equipoise.models.engine.rows import Row, RowAnswer
from equipoise.models.options import RunOptions

BATCHES, SECONDS = 40, 0.25


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
        return [RowAnswer(weights=[float(sum(row.ids))]) for row in rows]


def run(fault: str) -> dict[str, Any]:
    """Answer every batch while the named fault happens."""
    ports = {"include_dashboard": False, "object_store_memory": 80 * 2**20, "node_ip_address": "127.0.0.1"}
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, **ports})
    del ports["include_dashboard"]
    second = cluster.add_node(num_cpus=1, **ports)
    ray.init(
        address=cluster.address, _node_ip_address="127.0.0.1", log_to_driver=False, logging_level="ERROR"
    )
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
    for answered in executor.run(Job("weights", batches)):
        answers.update(answered)
        if len(answers) == 8 and fault and not struck:
            struck = time.monotonic()
            strike(fault, log, cluster, second)
    elapsed = time.monotonic() - begun
    executor.close()
    lines = [line.split() for line in log.read_text("utf-8").splitlines()]
    asked = Counter(number for number, _process, _node in lines)
    return {
        "sums": [answers[bytes([number])].weights[0] for number in range(BATCHES)],
        "kept": [key[0] for key in kept],
        "asked twice": sum(count - 1 for count in asked.values()),
        "nodes": len({node for _number, _process, node in lines}),
        "seconds": elapsed,
        "seconds after the fault": time.monotonic() - struck if struck else 0.0,
    }


def strike(fault: str, log: Path, cluster: Cluster, second: Any) -> None:
    """Kill the process of a worker at work, or take a node away without warning."""
    if fault == "worker":
        os.kill(int(log.read_text("utf-8").splitlines()[-1].split()[1]), 9)
    else:
        threading.Thread(target=cluster.remove_node, args=(second,), kwargs={"allow_graceful": False}).start()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(run(sys.argv[1])) + "\n")
    sys.stdout.flush()
    os._exit(0)
