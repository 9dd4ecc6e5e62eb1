"""What happens to enqueued jobs in a test: they run at once, or they are collected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    from windlass.app import Windlass
    from windlass.job import Job


class Collected(Sequence["Job[Any]"]):
    """The jobs that were stored since a moment, in order; reads the store whenever it is asked."""

    def __init__(self, app: Windlass) -> None:
        self._app = app
        newest = app.jobs(limit=1)
        self._before = newest[0].record.seq if newest else 0

    def __len__(self) -> int:
        return len(self._jobs())

    @overload
    def __getitem__(self, index: int) -> Job[Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[Job[Any]]: ...
    def __getitem__(self, index: int | slice) -> Job[Any] | list[Job[Any]]:
        return self._jobs()[index]

    def __repr__(self) -> str:
        return repr(self._jobs())

    def _jobs(self) -> list[Job[Any]]:
        newest_first: list[Job[Any]] = []
        cursor: int | None = None
        while True:
            page = self._app.jobs(limit=500, cursor=cursor)
            newest_first += [job for job in page if job.record.seq > self._before]
            cursor = page.next
            if cursor is None or cursor <= self._before:
                return newest_first[::-1]


@contextmanager
def inline(app: Windlass) -> Iterator[None]:
    """Run jobs at once: when ``enqueue`` returns, the job has run, on the thread that enqueued it.

    Everything goes through the store, so that ``job.result()``, retries by hand, unique keys and timelines are real. A
    failed attempt is repeated without its delay; a job with ``delay=`` or ``at=`` waits for the app's clock and
    ``drain``. What a task raises is kept with its job, and raised by ``job.result()``. Jobs that were ready before run
    with the first one; workers of this app rest meanwhile.

    >>> from windlass import Windlass
    >>> app = Windlass("sqlite:///:memory:")
    >>> @app.task
    ... def double(number: int) -> int:
    ...     return 2 * number
    >>> with inline(app):
    ...     double.enqueue(21).result()
    42
    """
    from windlass.core.record import JobRecord
    from windlass.core.state import State
    from windlass.store.jobs import reschedule
    from windlass.testing.runner import Runner

    def repeat_at_once(job: JobRecord) -> None:
        if job.state is State.RETRYING:
            app._session.run(reschedule(job.seq, delay=0))

    def run_what_is_ready() -> None:
        Runner(app).run_ready(repeat_at_once)

    with _resting_workers(app):
        stop = app._session.follow(run_what_is_ready)
        try:
            yield
        finally:
            stop()


@contextmanager
def manual(app: Windlass) -> Iterator[Collected]:
    """Store jobs and run none of them until ``drain(app)``; gives the jobs stored since, in order.

    The workers of this app rest meanwhile, also those that are made in between; other processes know nothing of it.

    >>> from windlass import Windlass
    >>> from windlass.testing import drain
    >>> app = Windlass("sqlite:///:memory:")
    >>> @app.task(name="greet")
    ... def greet(name: str) -> str:
    ...     return f"hello {name}"
    >>> with app.worker(), manual(app) as jobs:
    ...     job = greet.enqueue("Ada")
    ...     print([job.task for job in jobs], drain(app), job.result())
    ['greet'] 1 hello Ada
    >>> app.close()
    """
    with _resting_workers(app):
        yield Collected(app)


@contextmanager
def _resting_workers(app: Windlass) -> Iterator[None]:
    resting_before = app._workers_rest
    app._workers_rest = True
    working = [worker for worker in app._workers if not worker.is_paused]
    known = list(app._workers)
    for worker in working:
        worker.pause()
    try:
        yield
    finally:
        app._workers_rest = resting_before
        made_meanwhile = [worker for worker in app._workers if worker not in known]
        if not resting_before:
            for worker in working + made_meanwhile:
                worker.resume()
