"""An app with the tasks that the measurements run."""

from __future__ import annotations

import logging
import time
from array import array
from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.isolated import noop_process
from benchmarks.place import Place
from windlass import ActiveJob, Job, State, Windlass

_BULK = 10_000

_log = logging.getLogger("bench")
_log.setLevel(logging.INFO)
_log.propagate = False
_log.addHandler(logging.NullHandler())


class Subject:
    """A ``Windlass`` on one store: jobs that do nothing, and one that notes how long it took to be picked up."""

    def __init__(self, place: Place, *, hooked: bool = False) -> None:
        self.app = Windlass(place.url, namespace=place.namespace)
        self.delays = array("q")
        """Nanoseconds from just before the enqueue to the first line of the task."""

        @self.app.task(name="bench.async")
        async def noop_async(index: int) -> None:
            pass

        @self.app.task(name="bench.thread")
        def noop_thread(index: int) -> None:
            pass

        @self.app.task(name="bench.stamp")
        async def stamp(sent: int) -> None:
            # The monotonic clock is the same in all processes of a machine.
            self.delays.append(time.monotonic_ns() - sent)

        @self.app.task(name="bench.planned")
        async def planned(job: ActiveJob) -> None:
            # By the wall clock, as schedules are; servers are on the same machine.
            assert job.planned_at is not None
            self.delays.append(time.time_ns() - int(job.planned_at.timestamp() * 1000) * 1_000_000)

        @self.app.task(name="bench.bare", timeout=None)
        async def bare(index: int) -> None:
            pass

        @self.app.task(name="bench.logging")
        async def logging_one_line(index: int) -> None:
            _log.info("job %s", index)

        @self.app.task(name="bench.keeping", keep_log=True)
        async def keeping_one_line(index: int) -> None:
            _log.info("job %s", index)

        if hooked:
            self.app.around_run(_hook)
        in_a_child = self.app.task(name=noop_process.name, isolation="process")(noop_process.function)
        self.noops = {
            "async": noop_async,
            "threads": noop_thread,
            "processes": in_a_child,
            "bare": bare,
            "logging": logging_one_line,
            "keeping": keeping_one_line,
        }
        self.stamp = stamp
        self.planned = planned

    def preload(self, count: int, *, executor: str = "async") -> list[Job[Any]]:
        """Enqueue jobs in large batches; they come back in the order in which they will be claimed."""
        stored: list[Job[Any]] = []
        for first in range(0, count, _BULK):
            calls = [(index,) for index in range(first, min(count, first + _BULK))]
            stored += self.noops[executor].enqueue_many(calls)
        return stored

    def preload_queues(self, count: int, *, queues: int) -> list[Job[Any]]:
        """Enqueue as many jobs into each of so many queues, one queue after the other."""
        stored: list[Job[Any]] = []
        each = count // queues
        requests = [
            self.noops["async"].options(queue=name).request(index)
            for name in queue_names(queues)
            for index in range(each)
        ]
        for first in range(0, len(requests), _BULK):
            stored += self.app.enqueue_many(requests[first : first + _BULK])
        return stored

    def preload_keys(self, count: int, *, keys: int) -> list[Job[Any]]:
        """Enqueue jobs with so many concurrency keys in turn, or none."""
        stored: list[Job[Any]] = []
        noop = self.noops["async"]
        keyed = [noop.options(concurrency_key=f"key-{number}") for number in range(keys)] or [noop]
        for first in range(0, count, _BULK):
            requests = [keyed[index % len(keyed)].request(index) for index in range(first, min(count, first + _BULK))]
            stored += self.app.enqueue_many(requests)
        return stored

    def wait_for_completed(self, expected: int) -> None:
        """Wait until so many jobs have returned, by counting them seldom."""
        while self.app.counts()[State.COMPLETED] < expected:
            time.sleep(0.2)

    def check_pending(self, expected: int) -> None:
        """Make sure that what was timed is there: a store that loses jobs is not fast."""
        counted = self.app.counts()
        if counted[State.PENDING] != expected:
            raise RuntimeError(f"{expected} jobs were enqueued and nobody works, the store says {counted}")

    def wait_for(self, job: Job[Any]) -> None:
        """Wait until a job has ended, by reading that one row now and then: the least that disturbs nobody."""
        while not job.refresh().done:
            time.sleep(0.02)

    def wait_for_all(self, jobs: Sequence[Job[Any]], *, completed: int) -> None:
        """Wait for the last of these jobs, then until the store counts ``completed`` jobs that returned."""
        self.wait_for(jobs[-1])
        until = time.monotonic() + 30
        while (counted := self.app.counts())[State.COMPLETED] != completed:
            if time.monotonic() > until:
                raise RuntimeError(f"{completed} jobs should have completed, the store says {counted}")
            time.sleep(0.02)


def queue_names(count: int) -> list[str]:
    return [f"tenant-{number}" for number in range(count)]


def _hook(job: ActiveJob) -> Iterator[None]:
    yield
