"""``windlass bench``: a short benchmark of this store, from this machine."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from types import FrameType
from typing import Any

import click

from windlass import clock
from windlass.app import Windlass
from windlass.cli.app_option import with_app
from windlass.cli.errors import Interrupted, Problem
from windlass.cli.output import Output, with_output
from windlass.cli.terminal.screen import Column, Screen, Styled
from windlass.cli.views.message import jobs_counted
from windlass.errors import WindlassError
from windlass.queue import Queue

QUEUE = "windlass-bench"
TASK = "windlass.bench"
_ONE_BY_ONE = 200
_PAGE = 1000
_PATIENCE = 30.0
"""Seconds for which a single job is waited for."""


@dataclass(frozen=True, slots=True)
class Rate:
    """How many jobs in which time."""

    jobs: int
    seconds: float

    @property
    def a_second(self) -> float:
        return self.jobs / max(self.seconds, 1e-9)

    def data(self) -> dict[str, object]:
        return {"jobs": self.jobs, "seconds": round(self.seconds, 4), "jobs_per_second": round(self.a_second, 1)}


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured."""

    store: str
    one_by_one: Rate
    in_bulk: Rate
    drain: Rate
    concurrency: int
    pick_ups: list[float]
    """Seconds from before the call of enqueue until user code runs; sorted."""

    def percentile(self, share: float) -> float:
        """Milliseconds."""
        return self.pick_ups[min(len(self.pick_ups) - 1, int(share * len(self.pick_ups)))] * 1000

    def data(self) -> object:
        return {
            "store": self.store,
            "enqueue": self.one_by_one.data(),
            "enqueue_many": self.in_bulk.data(),
            "drain": self.drain.data() | {"concurrency": self.concurrency},
            "pick_up": {
                "jobs": len(self.pick_ups),
                "p50_ms": round(self.percentile(0.5), 2),
                "p95_ms": round(self.percentile(0.95), 2),
                "max_ms": round(self.pick_ups[-1] * 1000, 2),
            },
        }

    def draw(self, screen: Screen) -> None:
        screen.line(Styled(self.store, "bold"))
        columns = [Column(title="MEASURED"), Column(title="JOBS", is_number=True), Column(title="FIGURE")]
        bulk, drain = self.in_bulk, self.drain
        latency = f"{self.percentile(0.5):.1f} ms median, {self.percentile(0.95):.1f} ms p95, "
        screen.table(
            columns,
            [
                ["enqueue, one by one", f"{self.one_by_one.jobs:,}", f"{self.one_by_one.a_second:,.0f} jobs/s"],
                ["enqueue_many", f"{bulk.jobs:,}", f"{bulk.a_second:,.0f} jobs/s"],
                ["drain, one worker", f"{drain.jobs:,}", f"{drain.a_second:,.0f} jobs/s, {self.concurrency} slots"],
                ["pick-up", f"{len(self.pick_ups):,}", f"{latency}{self.pick_ups[-1] * 1000:.1f} ms at most"],
            ],
        )


@click.command()
@click.option(
    "--jobs",
    "number",
    default=2000,
    show_default=True,
    type=click.IntRange(_ONE_BY_ONE, 1_000_000),
    help="How many are drained.",
)
@click.option(
    "--pick-ups", default=100, show_default=True, type=click.IntRange(1, 10_000), help="How many single jobs are timed."
)
@click.option("--with-other-jobs", is_flag=True, help="Measure although the store has other jobs: both get slower.")
@with_output
@with_app
def bench(app: Windlass, *, out: Output, number: int, pick_ups: int, with_other_jobs: bool) -> None:
    """Measure what this store does from this machine: enqueue, drain, pick-up.

    All jobs do nothing and lie in the queue windlass-bench, which is removed afterwards, also after Ctrl-C. Refused on
    a store with other jobs, unless --with-other-jobs says so.
    """
    _refuse(app, with_other_jobs)
    with _removed_afterwards(app), _both_apps(app) as (near, far):
        figures = _measured(near, far, number, pick_ups)
    out.show(figures)


def _refuse(app: Windlass, with_other_jobs: bool) -> None:
    overview = app.overview()
    others = sum(sum(queue.counts.values()) for queue in overview.queues if queue.name != QUEUE)
    if any(queue.workers for queue in overview.queues if queue.name == QUEUE):
        raise Problem(f"another windlass bench runs on {app.store}; wait until it has ended")
    if others and not with_other_jobs:
        raise Problem(
            f"{app.store} has {jobs_counted(others)}; a benchmark and they would slow each other down: take "
            "another store, or say --with-other-jobs"
        )


@contextmanager
def _both_apps(app: Windlass) -> Iterator[tuple[Windlass, Windlass]]:
    """Two apps, as in two processes: one notifies the other of new jobs through the store only."""
    namespace = app.client.session.namespace
    with (
        closing(Windlass(app.url, namespace=namespace)) as near,
        closing(Windlass(app.url, namespace=namespace)) as far,
    ):
        yield near, far


def _measured(near: Windlass, far: Windlass, number: int, pick_ups: int) -> Figures:
    begun: SimpleQueue[float] = SimpleQueue()

    def work(at: float | None = None) -> None:
        if at is not None:
            begun.put(clock.monotonic() - at)

    near_task = near.task(name=TASK, queue=QUEUE)(work)
    far.task(name=TASK, queue=QUEUE)(work)
    one_by_one = _timed(_ONE_BY_ONE, lambda: [near_task.enqueue() for _ in range(_ONE_BY_ONE)])
    pages = [min(_PAGE, number - start) for start in range(_ONE_BY_ONE, number, _PAGE)]
    in_bulk = _timed(
        sum(pages) + (_PAGE if not pages else 0),
        lambda: [near_task.enqueue_many([()] * page) for page in pages or [_PAGE]],
    )
    worker = far.worker(queues=[QUEUE], duties=False)
    drain = _timed(_ONE_BY_ONE + in_bulk.jobs, lambda: worker.run_until_empty())
    with far.worker(queues=[QUEUE], duties=False):
        found = [_pick_up(near_task, begun) for _ in range(pick_ups)]
    return Figures(near.store, one_by_one, in_bulk, drain, worker.concurrency, sorted(found))


def _timed(jobs: int, act: Callable[[], object]) -> Rate:
    began = clock.monotonic()
    act()
    return Rate(jobs, clock.monotonic() - began)


def _pick_up(task: Any, begun: SimpleQueue[float]) -> float:
    task.enqueue(clock.monotonic())
    try:
        return begun.get(timeout=_PATIENCE)
    except Empty:
        raise Problem(f"a job was not picked up within {_PATIENCE:g} s; windlass doctor may say why") from None


@contextmanager
def _removed_afterwards(app: Windlass) -> Iterator[None]:
    """Remove the queue, on every way out; what an earlier benchmark left that was killed goes before."""
    former = signal.signal(signal.SIGTERM, _interrupt)
    try:
        _remove(app)
        yield
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted; the queue {QUEUE} is removed") from None
    finally:
        # A second Ctrl-C must not leave jobs behind.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        asked = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            _remove(app)
        finally:
            signal.signal(signal.SIGINT, asked)
            signal.signal(signal.SIGTERM, former)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _remove(app: Windlass) -> None:
    """Delete the queue with all of its jobs; those of a benchmark that was killed are rescued first."""
    if QUEUE not in {queue.name for queue in app.overview().queues}:
        return
    app.rescue()
    queue = Queue(app, QUEUE)
    queue.purge()
    with suppress(WindlassError):
        queue.delete()
        return
    raise Problem(f"queue {QUEUE} still has running jobs of a benchmark that was killed; try again in half a minute")
