"""A Ray cluster: workers hold the model, and the driver keeps the plan, the order and the store.

The driver owns recovery, because Ray's own restarts never finish when a killed worker had its weights as an
argument. A dead worker is dropped, its batches go back into the queue, and a new worker is started. An answer
may therefore arrive twice; only the first one is kept.
"""

import os
import pickle
import platform
import socket
import tempfile
from collections import deque
from collections.abc import Generator
from contextlib import suppress
from importlib.metadata import version
from time import monotonic
from typing import Any

import torch

from equipoise.errors import UserError
from equipoise.models.engine.executors import Job, Keep
from equipoise.models.engine.forward import Forward, answer_batch
from equipoise.models.engine.local import LANES
from equipoise.models.engine.plan import Answered, Batch
from equipoise.models.options import RunOptions

HERE = "local"
"""The address that starts a cluster on this machine."""

AHEAD = 2  # batches given to a worker at once: one to run and one that is ready when it has finished
PATIENCE = 60.0  # seconds without any living worker after which the cluster is given up
FAILURES = 5  # workers lost in a row, without an answer in between, after which the cluster is given up
OBJECT_STORE = 256 * 2**20

ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # Without this, Ray replaces 127.0.0.1 by the machine's address.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
}


def _versions() -> dict[str, str]:
    """What must be equal on all machines for answers to be equal."""
    packages = {name: version(name) for name in ("equipoise", "torch", "transformers")}
    return {"python": ".".join(platform.python_version_tuple()[:2]), **packages}


class Worker:
    """Answers batches on one machine of the cluster."""

    def __init__(self, model: bytes, threads: int) -> None:
        torch.set_num_threads(threads)
        self.forward: Forward = pickle.loads(model)

    def versions(self) -> dict[str, str]:
        """What this machine has installed."""
        return _versions()

    def answer(self, batch: Batch) -> list[Answered]:
        """The answers of one batch."""
        return answer_batch(self.forward, batch)


class RayExecutor:
    """Runs the batches on the workers of a Ray cluster; `address` names it, or `local` starts one here."""

    def __init__(self, options: RunOptions) -> None:
        if not options.address:
            raise UserError(
                "The executor 'ray' was given no address.",
                "Give --address HOST:PORT of your cluster, or --address local to start one on this machine.",
            )
        self.address, self.workers = options.address, options.workers
        self._ray: Any = None
        self._model: Any = None
        self._fingerprint = ""
        self._keep: Keep | None = None
        self._alive: dict[Any, list[int]] = {}

    def open(self, fingerprint: str, forward: Forward, keep: Keep) -> None:
        """Send the model to the cluster once; every machine fetches it from there."""
        self._connect()
        self._drop_workers()
        try:
            packed = self._ray.cloudpickle.dumps(forward)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise UserError(
                f"This model cannot be sent to a cluster: {error}.",
                "Remove hooks and replaced functions from the network, or run it on this machine.",
            ) from error
        self._model = self._ray.put(packed)
        self._fingerprint, self._keep = fingerprint, keep

    def lanes(self) -> int:
        """As on one machine: batches do not get smaller when the cluster grows."""
        return LANES

    def run(self, job: Job) -> Generator[list[Answered], None, None]:
        """Run every batch once, on whichever worker is free."""
        if job.fingerprint != self._fingerprint or self._keep is None:
            raise ValueError(f"the model {job.fingerprint[:8]} is not open")
        waiting, done, lost = deque(range(len(job.batches))), set[int](), 0
        running: dict[Any, tuple[Any, int]] = {}
        starting: dict[Any, Any] = {}
        last_life = monotonic()
        try:
            while len(done) < len(job.batches):
                missing = min(self._wanted(), len(job.batches) - len(done)) - len(self._alive) - len(starting)
                for _ in range(missing):
                    worker = self._start()
                    starting[worker.versions.remote()] = worker
                for worker, held in self._alive.items():
                    while waiting and len(held) < AHEAD:
                        number = waiting.popleft()
                        held.append(number)
                        running[worker.answer.remote(job.batches[number])] = (worker, number)
                ready, _ = self._ray.wait([*running, *starting], num_returns=1, timeout=1.0)
                for reference in ready:
                    if reference in starting:
                        lost += self._admit(starting.pop(reference), reference)
                        continue
                    worker, number = running.pop(reference)
                    try:
                        answered = self._fetch(reference)
                    except _LostError:
                        lost += 1
                        waiting.extendleft(self._drop(worker, running, done))
                        continue
                    last_life, lost = monotonic(), 0
                    if worker in self._alive:
                        self._alive[worker].remove(number)
                    if number not in done:
                        done.add(number)
                        self._keep(answered)
                        yield answered
                if lost > FAILURES or (not self._alive and monotonic() - last_life > PATIENCE):
                    raise UserError(
                        f"The cluster at {self.address} no longer answers.",
                        "What was answered is kept: the same command continues when the cluster is back.",
                    )
        finally:
            self._finish(running, job, done)

    def close(self) -> None:
        """Let go of the workers; a cluster that was started here ends with this process."""
        if self._ray is not None:
            self._drop_workers()

    def _connect(self) -> None:
        for name, value in ENVIRONMENT.items():
            os.environ.setdefault(name, value)
        if self._ray is None:
            try:
                import ray
            except ImportError as error:
                raise UserError(
                    "The executor 'ray' needs the package ray, which is not installed.",
                    "Install it: pip install 'equipoise[ray]'.",
                ) from error
            self._ray = ray
        if self._ray.is_initialized():
            return
        quiet = {"log_to_driver": False, "logging_level": "ERROR"}
        if self.address == HERE:
            self._ray.init(
                num_cpus=self.workers or os.cpu_count(),
                include_dashboard=False,
                _node_ip_address="127.0.0.1",
                _temp_dir=tempfile.mkdtemp(prefix="ray"),
                object_store_memory=OBJECT_STORE,
                **quiet,
            )
            return
        try:
            self._check_address()  # Ray itself waits for minutes
            self._ray.init(address=self.address, **quiet)
        # Ray raises what its transport does: ConnectionError, RuntimeError, ValueError, and errors of gRPC.
        except Exception as error:
            raise UserError(
                f"No Ray cluster can be reached at {self.address}: {str(error).splitlines()[0]}",
                "Check the address and that every machine has the same versions of Python and ray.",
            ) from error

    def _check_address(self) -> None:
        host, _, port = self.address.removeprefix("ray://").rpartition(":")
        if not host or not port.isdigit():
            raise ValueError(f"it is not HOST:PORT or {HERE}")
        socket.create_connection((host, int(port)), timeout=5.0).close()

    def _wanted(self) -> int:
        """The number of workers asked for, or one for each processor of the cluster."""
        self._connect()
        return self.workers or max(int(self._ray.cluster_resources().get("CPU", 1)), 1)

    def _start(self) -> Any:
        return self._ray.remote(num_cpus=1, max_restarts=0)(Worker).remote(self._model, 1)

    def _admit(self, worker: Any, reference: Any) -> int:
        """Give work to a worker that has answered with our versions; 1 if it was lost before that."""
        try:
            theirs = self._fetch(reference)
        except _LostError:
            return 1
        ours = _versions()
        differing = [name for name in ours if theirs[name] != ours[name]]
        if differing:
            name = differing[0]
            raise UserError(
                f"A worker has {name} {theirs[name]}, and this machine has {ours[name]}.",
                "Install the same versions on every machine of the cluster.",
            )
        self._alive[worker] = []
        return 0

    def _fetch(self, reference: Any) -> Any:
        """What a worker answered; an error of our own that it met is raised as it is."""
        errors = self._ray.exceptions
        try:
            return self._ray.get(reference)
        except errors.RayTaskError as error:
            if isinstance(error.cause, UserError):
                raise error.cause from error
            raise
        except errors.RayError as error:
            # A batch of an unavailable worker may or may not have been run: it is run again.
            raise _LostError from error

    def _drop(self, worker: Any, running: dict[Any, tuple[Any, int]], done: set[int]) -> list[int]:
        """Forget a worker, and give back the batches that it had not answered."""
        held = self._alive.pop(worker, [])
        for reference in [one for one, (owner, _) in running.items() if owner == worker]:
            del running[reference]
        self._kill(worker)
        return [number for number in reversed(held) if number not in done]

    def _finish(self, running: dict[Any, tuple[Any, int]], job: Job, done: set[int]) -> None:
        """Keep the answers of batches that were begun, as far as they still arrive."""
        if not running:
            return
        with suppress(Exception):
            ready, late = self._ray.wait([*running], num_returns=len(running), timeout=PATIENCE)
            for reference in ready:
                worker, number = running[reference]
                if worker in self._alive and number in self._alive[worker]:
                    self._alive[worker].remove(number)
                if number not in done and self._keep is not None:
                    with suppress(_LostError):
                        self._keep(self._fetch(reference))
            if late:
                self._drop_workers()

    def _drop_workers(self) -> None:
        for worker in self._alive:
            self._kill(worker)
        self._alive = {}

    def _kill(self, worker: Any) -> None:
        with suppress(Exception):
            self._ray.kill(worker)


class _LostError(Exception):
    """A worker died, or cannot be reached."""
