"""Apps and workers: what is the same in many tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Barrier, Event, Thread
from types import TracebackType
from typing import Any

from tests.places.place import Place
from tests.slow_shutdown import unhurried
from tests.waiting import PATIENCE, eventually
from windlass import Job, JobFailed, JobInterrupted, Windlass

LONG_LEASE = "30d"
"""For a worker that runs while the test moves the clock."""


class Apps:
    """Makes apps on one store and closes them; ``options`` are those of ``Windlass``, for all of them."""

    def __init__(self, place: Place, **options: Any) -> None:
        self._place = place
        self._options = {"namespace": place.namespace, **options}
        self._made: list[Windlass] = []

    def __enter__(self) -> Apps:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for app in self._made:
            app.close(wait=False)

    def __call__(self, **options: Any) -> Windlass:
        """An app as another process would have it."""
        app = unhurried(Windlass(self._place.url, **{**self._options, **options}))
        if not self._made:
            self._make()
        self._made.append(app)
        return app

    def _make(self) -> None:
        """Make the store, so that tests may look before anything is stored; the apps themselves stay unopened."""
        with Windlass(self._place.url, namespace=self._place.namespace) as maker:
            maker.migrate()


def work(app: Windlass, **options: Any) -> int:
    """Run a worker until nothing is ready; how many runs ended."""
    return app.worker(**options).run_until_empty()


def await_first_beat(app: Windlass) -> None:
    """Wait until all workers have told that they started; after that none renews its lease for seconds.

    A test that moves the clock while they are about to gives them a lease from then on.
    """
    eventually(lambda: all(seen.state != "starting" for seen in app.workers()), "the first heartbeat is over")


def until_interrupted(or_set: Event | None = None) -> None:
    """For a task in a thread: go on when the worker interrupts it, as if nothing were, or when the event is set."""
    end = or_set or Event()
    with suppress(JobInterrupted):
        while not end.wait(0.005):
            pass


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


def raises(fence: int) -> int:
    """How often a job was claimed or rescued: each time its fence grows by one, on Redis above a multiple of 4096."""
    return fence % 4096


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
