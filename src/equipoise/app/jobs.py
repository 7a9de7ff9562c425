"""Jobs: measurements that run beside the page, tell how far they are, and can be cancelled."""

import itertools
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from equipoise.errors import Cancelled, UserError
from equipoise.models.options import Progress
from equipoise.results import Result

WAITING, RUNNING, DONE, FAILED, CANCELLED = "waiting", "running", "done", "failed", "cancelled"


@dataclass
class Job:
    """One measurement, as the page sees it."""

    number: int
    title: str
    state: str = WAITING
    phase: str = ""
    done: int = 0
    total: int = 0
    parts: tuple[str, ...] = ()
    answer: Any = None
    error: dict[str, str] | None = None
    stop: threading.Event = field(default_factory=threading.Event)

    def tell(self, progress: Progress) -> None:
        """Take note of how far the run is."""
        self.phase, self.done, self.total = progress.phase, progress.done, progress.total

    def add(self, result: Result) -> None:
        """Take note of a result of several."""
        self.parts = (*self.parts, result.instrument)

    def shown(self) -> dict[str, Any]:
        """What the page is told."""
        names = ("number", "title", "state", "phase", "done", "total", "parts", "answer", "error")
        state = "stopping" if self.stop.is_set() and self.state == RUNNING else self.state
        return {name: getattr(self, name) for name in names} | {"state": state}


class JobBoard:
    """Jobs in the order they were asked for, one at work at a time."""

    def __init__(self) -> None:
        self._jobs: dict[int, Job] = {}
        self._numbers = itertools.count(1)
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="equipoise-job")

    def start(self, title: str, work: Callable[[Job], Any]) -> Job:
        """Put work in the queue."""
        job = Job(next(self._numbers), title)
        self._jobs[job.number] = job
        self._worker.submit(_run, job, work)
        return job

    def job(self, number: int) -> Job:
        """The job of that number."""
        if number not in self._jobs:
            raise UserError(f"There is no job {number}.", "Start it again: the app was perhaps restarted.")
        return self._jobs[number]

    def cancel(self, number: int) -> Job:
        """Ask a job to stop; answers that were finished are kept."""
        job = self.job(number)
        job.stop.set()
        return job

    def close(self) -> None:
        """Stop everything."""
        for job in self._jobs.values():
            job.stop.set()
        self._worker.shutdown(wait=False, cancel_futures=True)


def _run(job: Job, work: Callable[[Job], Any]) -> None:
    """Do the work, and turn whatever it ends with into a state: a worker must outlive its jobs."""
    if job.stop.is_set():
        job.state = CANCELLED
        return
    job.state = RUNNING
    try:
        job.answer = work(job)
        job.state = DONE
    except Cancelled:
        job.state = CANCELLED
    except UserError as error:
        job.error, job.state = {"message": error.message, "hint": error.hint}, FAILED
    except Exception as error:  # shown to the user; the next job must still run
        job.error, job.state = {"message": f"{type(error).__name__}: {error}", "hint": ""}, FAILED
