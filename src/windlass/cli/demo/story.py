"""The acts of the story."""

from __future__ import annotations

from windlass import clock
from windlass.app import Windlass
from windlass.cli.demo.report import Figures, Summary
from windlass.cli.demo.screens import Show
from windlass.cli.demo.tasks import Role, declare, enqueue_cast
from windlass.cli.errors import Problem
from windlass.core.state import State
from windlass.task import Task
from windlass.version import VERSION

_CONCURRENCY = 3
_BURST = 5000
_BURST_QUEUE = "burst"
_FRAME = 0.08
_LONGEST = 30.0
"""Seconds after which something is wrong: the story takes about five."""


def tell(app: Windlass, show: Show) -> None:
    """Run the demo from its beginning to its end."""
    tasks = declare(app)
    show.title(f"Windlass {VERSION}, a demo", app.store)
    cast = enqueue_cast(tasks)
    show.scene(
        f"{len(cast)} jobs are enqueued; no worker runs yet. The receipt was asked for twice,",
        "but it is unique: the second call got the first job back.",
        f"Now a worker starts that runs {_CONCURRENCY} jobs at once, the highest priority first.",
    )
    with app.worker(["default"], concurrency=_CONCURRENCY):
        _watch(app, cast, show)
    show.scene(f"And how fast? {_BURST:,} jobs that do nothing, enqueued in one call, then run.")
    figures = _burst(app, tasks.noop, show)
    show.summary(Summary.of(app, cast, figures))


def _watch(app: Windlass, cast: list[Role], show: Show) -> None:
    """Show the jobs as the store has them, until all are finished."""
    until = clock.monotonic() + _LONGEST
    with show.live_cast() as frame:
        while True:
            jobs = {job.id: job for job in app.jobs(limit=100)}
            cast[:] = [role.now(jobs[role.job.id]) for role in cast]
            frame(cast)
            if all(role.job.done for role in cast):
                return
            _pause_before_next(until)


def _burst(app: Windlass, noop: Task[[int], None], show: Show) -> Figures:
    began = clock.monotonic()
    noop.options(queue=_BURST_QUEUE).enqueue_many([(number,) for number in range(_BURST)])
    enqueued = clock.monotonic()
    until = enqueued + _LONGEST
    with show.live_burst(_BURST) as frame, app.worker([_BURST_QUEUE]):
        while (completed := app.counts(queue=_BURST_QUEUE)[State.COMPLETED]) < _BURST:
            frame(completed)
            _pause_before_next(until)
        frame(completed)
        ran = clock.monotonic()
    return Figures(_BURST, enqueueing=enqueued - began, running=ran - enqueued)


def _pause_before_next(until: float) -> None:
    if clock.monotonic() > until:
        raise Problem(f"the demo has not finished within {_LONGEST:.0f} s; is the machine very busy?")
    clock.sleep(_FRAME)
