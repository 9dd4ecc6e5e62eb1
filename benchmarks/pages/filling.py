"""A store with many jobs in all states, of several queues and tasks, and the figures of a day.

Jobs are claimed and ended by the store's own calls, hundreds at once, so that a million of them are there in minutes.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import TypeVar

from windlass import State, Windlass
from windlass.core.codec import Codec
from windlass.core.decide import decide
from windlass.core.fault import Fault
from windlass.core.figures.bucket import write_bucket
from windlass.core.figures.fold import fold
from windlass.core.figures.point import RUN, WAIT, Point
from windlass.core.figures.row import Row
from windlass.core.outcome import Cancelled, FailedPermanently, Outcome, Raised, Returned
from windlass.core.records import Claimed
from windlass.core.retry import Retry
from windlass.store.operation import Operation
from windlass.store.operations.cycle import Claimant, cycle, finish
from windlass.store.operations.enqueue import NewJob, enqueue
from windlass.store.operations.figures.buckets import FigureBucket, merge
from windlass.store.operations.figures.rows import unmerged
from windlass.store.operations.leases import WorkerReport, open_lease
from windlass.web.bulk.changes import bulk_changes
from windlass.web.bulk.order import BulkAction, order_by_ids

_R = TypeVar("_R")

QUEUES = tuple(f"queue-{number}" for number in range(20))
TASKS = tuple(f"shop.task_{number}" for number in range(40))
CAUSES = 30
"""How many different errors there are."""
TAG = "vip"
SCHEDULE, RULE = "nightly", "deep"

_ENDED = 70
"""Percent of the jobs that a worker has had: 60 completed, 5 failed, 3 to be retried, 2 cancelled. Of the others two
thirds are pending, one third is scheduled.
"""
_RUNNING = 20
_BULK = 10_000
_CLAIMED = 500
_BUCKETS = 100
_DAY = 24 * 3600 * 1000
_MINUTE = 60_000
_WORKER, _LEASE = "bench-worker", "bench-lease"
_PAYLOAD = Codec().encode_call(None, (1, "ada@example.com"), {"retry": True})
_TRACEBACK = "\n".join(f'  File "shop/module_{line}.py", line {line}, in call\n    go({line})' for line in range(20))


@dataclass(frozen=True, slots=True)
class Filled:
    """What of a filled store pages are asked for."""

    jobs: dict[State, str]
    """The id of one job in each state."""
    failed_task: str
    """The task of the one that failed."""
    worker: str
    change: str
    """The id of a change of several jobs."""


def fill(app: Windlass, number: int) -> Filled:
    """Put so many jobs into an empty store, as they are in one that has worked for a day."""
    filling = _Filling(app)
    ended = number * _ENDED // 100
    for first in range(0, ended, _BULK):
        filling.enqueue(min(_BULK, ended - first))
        filling.end_all()
    for first in range(ended, number, _BULK):
        filling.enqueue(min(_BULK, number - first), delayed=3)
    filling.begin(_RUNNING)
    filling.add_figures(minutes=min(24 * 60, number // 100))
    app.add_schedule(SCHEDULE, TASKS[0], cron="30 2 * * *")
    app.alerts.add_rule(RULE, "queue_depth > 100000000")
    counted = sum(app.counts().values())
    if counted != number:
        raise RuntimeError(f"{number} jobs were stored, the store counts {counted}")
    failed = app.job(filling.samples[State.FAILED])
    return Filled(filling.samples, failed.task, _WORKER, _retry_some(app, failed.id))


def _retry_some(app: Windlass, but: str) -> str:
    """Run failed jobs again, as an operator does."""
    ids = [job.id for job in app.jobs(state=State.FAILED, limit=3) if job.id != but]
    order = order_by_ids(BulkAction.RETRY, ids, now=app.client.now())
    change, _ = bulk_changes(app).begin(app, order, by="bench", via="local")
    while not change.is_over:
        time.sleep(0.01)
    return change.id


class _Filling:
    """Writes as a client and as a worker do."""

    def __init__(self, app: Windlass) -> None:
        self._app = app
        self._numbers = count()
        self.samples: dict[State, str] = {}
        """The newest job in each state: no index finds it in a store with very many others."""
        info = json.dumps({"queues": QUEUES, "concurrency": 40, "running": _RUNNING, "host": "bench", "duties": True})
        self._run(open_lease(WorkerReport(_WORKER, _WORKER, "busy", info), lease=_LEASE, ttl=_DAY))

    def enqueue(self, number: int, *, delayed: int = 0) -> None:
        """Store jobs; with ``delayed`` one in so many is for tomorrow."""
        jobs = [self._new_job(delayed) for _ in range(number)]
        stored = self._run(enqueue(jobs, {}))
        self.samples |= {job.state: job.id for job in stored}

    def end_all(self) -> None:
        """Claim and end what is pending."""
        for queue in QUEUES:
            while claimed := self._claim(queue, _CLAIMED):
                endings = [decide(job, self._outcome(job), retry=Retry(), ran_for=job.seq % 900) for job in claimed]
                self._run(finish(endings, worker=_WORKER))
                self.samples |= {ending.state: job.id for ending, job in zip(endings, claimed, strict=True)}

    def begin(self, number: int) -> None:
        """Claim jobs and leave them running, one of each queue."""
        for queue in QUEUES[:number]:
            self._claim(queue, 1)

    def add_figures(self, *, minutes: int) -> None:
        """What was counted and timed in so many minutes up to now."""
        found = self._run(unmerged(limit=0))
        rows = [(found.now - minute * _MINUTE, _row(minute)) for minute in range(minutes, 0, -1)]
        buckets = [
            FigureBucket(step, at, write_bucket(bucket)) for (step, at), bucket in fold(rows, now=found.now).items()
        ]
        for first in range(0, len(buckets), _BUCKETS):
            portion = buckets[first : first + _BUCKETS]
            revision = self._run(unmerged(limit=0)).revision
            self._run(merge(portion, rows=[], revision=revision, grown=sum(len(bucket.data) for bucket in portion)))

    def _claim(self, queue: str, number: int) -> list[Claimed]:
        claimant = Claimant(_WORKER, _LEASE, f"token-{next(self._numbers)}")
        return self._run(cycle(claimant, requests=[(queue, number)])).claimed

    def _outcome(self, job: Claimed) -> Outcome:
        share = job.seq % _ENDED
        if share < 60:
            return Returned("null")
        if share < 65:
            return FailedPermanently(_fault(job), "permanent")
        return Raised(_fault(job), delay=_DAY) if share < 68 else Cancelled("not needed")

    def _new_job(self, delayed: int) -> NewJob:
        number = next(self._numbers)
        task, queue = TASKS[number % len(TASKS)], QUEUES[number % len(QUEUES)]
        delay = _DAY if delayed and number % delayed == 0 else 0
        tags = json.dumps([TAG]) if number % 100 == 0 else None
        return NewJob(
            f"bench-{number:020}", task, queue, 0, _PAYLOAD, None, 4, delay, None, None, None, None, tags=tags
        )

    def _run(self, operation: Operation[_R]) -> _R:
        return self._app.client.session.run(operation)


def _fault(job: Claimed) -> Fault:
    cause = job.seq % CAUSES
    return Fault(
        at=0,
        attempt=1,
        worker=_WORKER,
        type=f"shop.errors.Error{cause}",
        message=f"service {cause} did not answer",
        traceback=_TRACEBACK,
    )


def _row(minute: int) -> Row:
    return Row(_WORKER, list(_counted(minute)))


def _counted(minute: int) -> Iterator[tuple[str, str, Point]]:
    for number, task in enumerate(TASKS):
        point = Point({"completed": 50 + minute % 7, "failed": minute % 3})
        point.time(WAIT, 20 + number, 50)
        point.time(RUN, 100 + number, 50)
        yield QUEUES[number % len(QUEUES)], task, point
