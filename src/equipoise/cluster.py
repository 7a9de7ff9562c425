"""A Ray cluster: workers on its machines share pieces of work, and this process keeps the results.

This process (the driver) owns recovery, because Ray's own restarts never finish when a killed worker had its
weights as an argument. A dead worker is dropped, its pieces go back into the queue, and a new worker is
started. A result may therefore arrive twice; only the first one counts.
"""

import atexit
import os
import pickle
import platform
import socket
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from importlib.metadata import version
from itertools import islice
from time import monotonic
from typing import Any
from weakref import WeakSet

from equipoise.errors import UserError

HERE = "local"
"""The address that starts a cluster on this machine."""

AHEAD = 2  # pieces given to a worker at once: one to run and one that is ready when it has finished
PATIENCE = (
    180.0  # seconds without any living worker after which the cluster is given up: a first start is slow
)
FAILURES = 5  # workers lost in a row, without a result in between, after which the cluster is given up
OBJECT_STORE = 256 * 2**20
COUNT_AGAIN = 5.0  # seconds after which the processors of the cluster are counted again

ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # Without this, Ray replaces 127.0.0.1 by the machine's address.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
}

WITNESS = """
import socket, sys, time
address, message = sys.argv[1:]
for _ in range(0 if sys.stdin.buffer.read() else 20):
    try:
        socket.create_connection(address.rsplit(":", 1), timeout=5).close()
    except OSError:
        sys.exit(message)
    time.sleep(0.5)
"""
"""Ray ends the process of a driver whose whole cluster is gone, without a word: another process says it."""

CONTINUE = "What was finished is kept: the same command continues when the cluster is back."

Work = Callable[[Any], Any]


def _versions() -> dict[str, str]:
    """What must be equal on all machines for results to be equal."""
    packages = {name: version(name) for name in ("equipoise", "torch", "transformers")}
    return {"python": ".".join(platform.python_version_tuple()[:2]), **packages}


class Worker:
    """Does pieces of work on one machine of the cluster; `begin` makes what does them."""

    def __init__(self, begin: bytes) -> None:
        self.work: Work = pickle.loads(begin)()

    def versions(self) -> dict[str, str]:
        """Return the versions of what this machine has installed."""
        return _versions()

    def do(self, item: Any) -> Any:
        """The result of one piece."""
        return self.work(item)


class Crew:
    """Workers on a Ray cluster for one kind of work; `address` names it, or `local` starts one here."""

    def __init__(self, address: str, workers: int = 0) -> None:
        self.address, self.workers = address, workers
        self._gone = f"The cluster at {address} no longer answers"
        self._ray: Any = None
        self._begin: Any = None
        self._last_loss = ""
        self._is_running = False
        self._alive: dict[Any, list[int]] = {}
        self._counted = (float("-inf"), 0)
        _OPENED.add(self)

    def open(self, begin: Callable[[], Work]) -> None:
        """Send what makes the work to the cluster once; every machine fetches it from there."""
        self._connect()
        self._drop_workers()
        self._begin = self._ray.put(self._ray.cloudpickle.dumps(begin))

    def run(
        self, items: Iterable[Any], *, window: int = 0, keep: Callable[[Any], None] | None = None
    ) -> Generator[tuple[int, Any], None, None]:
        """The number and the result of every piece, as they are done.

        With a `window` no piece is begun that is so many places after the first unfinished one. Every
        result is given to `keep` first, and so are those of pieces begun when the generator is closed.
        """
        for idle in [other for other in _OPENED if other is not self and not other._is_running]:
            idle._drop_workers()  # work that waits for its turn must not hold the processors
        queue, lost, last_life = _Queue(items, window), 0, monotonic()
        starting: dict[Any, Any] = {}
        self._is_running = True
        try:
            while queue.fill(AHEAD * max(self.size(), len(self._alive))):
                for _ in range(min(self.size(), len(queue.held)) - len(self._alive) - len(starting)):
                    worker = self._start()
                    starting[worker.versions.remote()] = worker
                for worker, begun in self._alive.items():
                    while queue.waiting and len(begun) < AHEAD:
                        number = queue.waiting.popleft()
                        begun.append(number)
                        queue.running[worker.do.remote(queue.held[number])] = (worker, number)
                ready, _ = self._ray.wait([*queue.running, *starting], num_returns=1, timeout=1.0)
                for reference in ready:
                    if reference in starting:
                        lost += self._admit(starting.pop(reference), reference)
                        continue
                    worker, number = queue.running.pop(reference)
                    try:
                        result = self._fetch(reference)
                    except _LostError:
                        lost += 1
                        queue.give_back(self._drop(worker, queue))
                        continue
                    last_life, lost = monotonic(), 0
                    self._alive[worker].remove(number)
                    if keep is not None:
                        keep(result)
                    del queue.held[number]
                    yield number, result
                if lost > FAILURES or (not self._alive and monotonic() - last_life > PATIENCE):
                    raise UserError(f"{self._gone}{self._last_loss}.", CONTINUE)
        finally:
            self._finish(queue, keep)
            self._is_running = False

    def size(self) -> int:
        """The number of workers asked for, or one for each processor of the cluster."""
        counted, count = self._counted
        if monotonic() - counted > COUNT_AGAIN:
            count = self.workers or max(int(self._ray.cluster_resources().get("CPU", 1)), 1)
            self._counted = monotonic(), count
        return count

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
                    "Install it with: pip install 'ray==2.60.0'",
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
            self._call_witness()
            return
        try:
            self._check_address()  # Ray itself waits for minutes
            self._ray.init(address=self.address, **quiet)
            self._call_witness()
        # Ray raises what its transport does: ConnectionError, RuntimeError, ValueError, and errors of gRPC.
        except Exception as error:
            raise UserError(
                f"No Ray cluster can be reached at {self.address}: {str(error).splitlines()[0]}",
                "Check the address and that every machine has the same versions of Python and ray.",
            ) from error

    def _call_witness(self) -> None:
        """Start the process that says what happened, should Ray end this one."""
        address, message = self._ray.get_runtime_context().gcs_address, f"Error: {self._gone}.\n{CONTINUE}"
        # In a session of its own, so that Ctrl-C is for this process alone.
        witness = subprocess.Popen(
            [sys.executable, "-S", "-c", WITNESS, address, message],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        atexit.register(witness.communicate, b"ended by itself")

    def _check_address(self) -> None:
        host, _, port = self.address.removeprefix("ray://").rpartition(":")
        if not host or not port.isdigit():
            raise ValueError(f"it is not HOST:PORT or {HERE}")
        socket.create_connection((host, int(port)), timeout=5.0).close()

    def _start(self) -> Any:
        return self._ray.remote(num_cpus=1, max_restarts=0)(Worker).remote(self._begin)

    def _admit(self, worker: Any, reference: Any) -> int:
        """Give work to a worker whose versions match ours; return 1 if it was lost before it answered."""
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
        """What a worker gave back; an error of our own that it met is raised as it is."""
        errors = self._ray.exceptions
        try:
            return self._ray.get(reference)
        except errors.RayTaskError as error:
            if isinstance(error.cause, UserError):
                raise error.cause from error
            if not isinstance(error.cause, MemoryError):
                raise
            self._last_loss = " (the last lost worker had no memory left)"
            raise _LostError from error
        except errors.RayError as error:
            # A piece of an unavailable worker may or may not have been done: it is done again.
            self._last_loss = f" (the last lost worker: {str(error).strip().splitlines()[-1].strip()[:200]})"
            raise _LostError from error

    def _drop(self, worker: Any, queue: "_Queue") -> list[int]:
        """Forget a worker, and say which pieces it had begun."""
        for reference in [one for one, (owner, _) in queue.running.items() if owner == worker]:
            del queue.running[reference]
        self._kill(worker)
        return self._alive.pop(worker)

    def _finish(self, queue: "_Queue", keep: Callable[[Any], None] | None) -> None:
        """Keep the results of pieces that were begun, as far as they still arrive and are wanted."""
        if not queue.running:
            return
        if keep is None:
            self._drop_workers()
            return
        with suppress(Exception):
            ready, late = self._ray.wait([*queue.running], num_returns=len(queue.running), timeout=PATIENCE)
            for reference in ready:
                worker, number = queue.running[reference]
                self._alive[worker].remove(number)
                with suppress(_LostError):
                    keep(self._fetch(reference))
            if late:
                self._drop_workers()

    def _drop_workers(self) -> None:
        for worker in self._alive:
            self._kill(worker)
        self._alive = {}

    def _kill(self, worker: Any) -> None:
        with suppress(Exception):
            self._ray.kill(worker)


_OPENED: "WeakSet[Crew]" = WeakSet()
"""The crews of this process: their work shares the cluster."""


class _Queue:
    """Numbered pieces: those that are held, those of them that wait, and those that a worker has."""

    def __init__(self, items: Iterable[Any], window: int) -> None:
        self.window = window
        self.held: dict[int, Any] = {}
        self.waiting: deque[int] = deque()
        self.running: dict[Any, tuple[Any, int]] = {}
        self._fresh = enumerate(items)

    def fill(self, count: int) -> bool:
        """Hold so many pieces, as far as there are more and the window allows; whether any is held."""
        while len(self.held) < count and not (self.window and self._spread() >= self.window):
            for number, item in islice(self._fresh, 1):
                self.held[number] = item
                self.waiting.append(number)
                break
            else:
                break
        return bool(self.held)

    def give_back(self, numbers: list[int]) -> None:
        """Let pieces wait again, before all others."""
        self.waiting.extendleft(reversed(numbers))

    def _spread(self) -> int:
        return max(self.held) - min(self.held) + 1 if self.held else 0


class _LostError(Exception):
    """A worker died, or cannot be reached."""
