"""Apps, workers and waiting: the pieces of a story that are the same in many tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Barrier, Event, Thread
from time import monotonic
from typing import Any

from windlass import Job, JobFailed, Windlass
from windlass.testing import ManualClock

PATIENCE = 20.0
"""Seconds after which a test that waits has failed; what it waits for takes milliseconds."""

LONG_LEASE = "30d"
"""For a worker that runs while the test moves the clock."""


class Apps:
    """Makes apps on one store and closes them."""

    def __init__(self, url: str, namespace: str, clock: ManualClock) -> None:
        self._url = url
        self._namespace = namespace
        self._clock = clock
        self._made: list[Windlass] = []

    def __call__(self, **options: Any) -> Windlass:
        """An app as another process would have it; ``options`` are those of ``Windlass``."""
        app = Windlass(self._url, **{"namespace": self._namespace, "clock": self._clock, **options})
        self._made.append(app)
        return app

    def close(self) -> None:
        for app in self._made:
            app.close(wait=False)


def work(app: Windlass, **options: Any) -> int:
    """Run a worker until nothing is ready; how many runs ended."""
    return app.worker(**options).run_until_empty()


def eventually(condition: Callable[[], object], what: str) -> None:
    """Look again and again until it is so; the test fails when that takes too long."""
    until, pause = monotonic() + PATIENCE, Event()
    while not condition():
        assert monotonic() < until, f"waited {PATIENCE:g} s in vain: {what}"
        pause.wait(0.005)


def at_once(*actions: Callable[[], object]) -> None:
    """Run all actions at the same moment, each in a thread of its own."""
    together = Barrier(len(actions))

    def run(action: Callable[[], object]) -> None:
        together.wait(PATIENCE)
        action()

    threads = [Thread(target=run, args=(action,)) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def failure_of(job: Job[Any]) -> JobFailed:
    """The exception that a waiter gets for a job that failed."""
    try:
        job.result(timeout=PATIENCE)
    except JobFailed as failed:
        return failed
    raise AssertionError(f"{job} did not fail")


def nothing_stored(app: Windlass) -> bool:
    return app.jobs() == [] and app.queues() == []


class Gate:
    """A task's body that waits until the test lets it go on, and tells that it has begun."""

    def __init__(self) -> None:
        self.entered = Event()
        self._opened = Event()

    def wait(self) -> None:
        self.entered.set()
        assert self._opened.wait(PATIENCE), "nobody opened the gate"

    def open(self) -> None:
        self._opened.set()

    def await_entered(self) -> None:
        assert self.entered.wait(PATIENCE), "no run has begun"


@contextmanager
def gate() -> Iterator[Gate]:
    """A gate that is open at the latest when the test ends, so that no thread is left behind."""
    made = Gate()
    try:
        yield made
    finally:
        made.open()
