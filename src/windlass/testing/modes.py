"""``inline`` and ``manual``: jobs run at once, or are collected."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    from windlass.app import Windlass
    from windlass.job import Job
    from windlass.testing.block import Block


class Collected(Sequence["Job[Any]"]):
    """The jobs that were enqueued in a block, in order; reads the block's store at each access."""

    def __init__(self, block: Block) -> None:
        self._block = block

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
        return [*self._block.jobs()][::-1]


@contextmanager
def inline(app: Windlass, *, clock: Callable[[], int] | None = None) -> Iterator[Collected]:
    """Run jobs at once: when ``enqueue`` returns, the job has run, on the thread that enqueued it.

    Everything goes through a store, so that ``job.result()``, retries by hand, unique keys and timelines are real. It
    is an empty one in memory; the app's own is not touched. A failed attempt is repeated without its delay; a job with
    ``delay=`` or ``at=`` waits for the clock and ``drain``. What a task raises is kept with its job, and raised by
    ``job.result()``. ``clock`` is a ``ManualClock``; without one the app's own clock counts.

    Gives the jobs that were enqueued, in order. They can be looked at until the app's next block begins.

    >>> from windlass import Windlass
    >>> app = Windlass("sqlite:///never-made.db")
    >>> @app.task
    ... def double(number: int) -> int:
    ...     return 2 * number
    >>> with inline(app) as jobs:
    ...     double.enqueue(21).result()
    42
    >>> jobs[0].state
    <State.COMPLETED: 'completed'>
    """
    from windlass.core.records import JobRecord
    from windlass.core.state import State
    from windlass.store.operations.jobs import reschedule
    from windlass.testing.block import redirected
    from windlass.testing.runner import Runner

    with redirected(app, clock=clock, pauses_workers=True) as block:
        session = block.client.session

        def repeat_at_once(job: JobRecord) -> None:
            if job.state is State.RETRYING:
                session.run(reschedule(job.seq, delay=0))

        def run_what_is_ready() -> None:
            Runner(block.client).run_ready(repeat_at_once)

        stop = session.follow(run_what_is_ready)
        try:
            yield Collected(block)
        finally:
            stop()


@contextmanager
def manual(app: Windlass, *, clock: Callable[[], int] | None = None) -> Iterator[Collected]:
    """Collect jobs in a store of the block's own and run none of them until ``drain(app)``; gives them, in order.

    The store is an empty one in memory; the app's own is not touched. It holds for the whole app, on all threads of
    this process. Blocks may be nested: each has its own store. ``clock`` is a ``ManualClock``; without one the app's
    own clock counts. The jobs can be looked at until the app's next block begins.

    Workers of the app claim nothing meanwhile; those that are made in the block stop with it.

    >>> from windlass import Windlass
    >>> from windlass.testing import drain
    >>> app = Windlass("sqlite:///never-made.db")
    >>> @app.task(name="greet")
    ... def greet(name: str) -> str:
    ...     return f"hello {name}"
    >>> with manual(app) as jobs:
    ...     job = greet.enqueue("Ada")
    ...     print([job.task for job in jobs], drain(app), job.result())
    ['greet'] 1 hello Ada
    """
    from windlass.testing.block import redirected

    with redirected(app, clock=clock, pauses_workers=True) as block:
        yield Collected(block)
