"""Counts how runs end, and how long they waited and ran.

The pump adds all endings of a cycle at once, by two counters that C code fills: a job costs it some tenths of a
microsecond. What the counters say becomes points when a row is made, on another thread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from copy import deepcopy
from threading import Lock

from windlass.core.ending import Ending, has_failed
from windlass.core.fault import read_faults
from windlass.core.figures.levels import FINEST
from windlass.core.figures.point import OTHER, RUN, WAIT, Point, commonest
from windlass.core.figures.row import SERIES_AT_MOST, Arrival, Row
from windlass.core.records import Claimed
from windlass.core.state import State

_STEP = FINEST.step
_DAY = 24 * 3600 * 1000
_MOST_KEYS = 20_000
"""How many different keys a counter has before it is made into points."""
_ERRORS_READ = 20
"""Of how many failures of one cycle the error is read."""
_PAYLOADS_READ = 200
"""Of how many runs of one row the size of the payload is taken; the mean of many rows is right all the same."""

_COUNTED = {
    State.COMPLETED: "completed",
    State.FAILED: "failed",
    State.RETRYING: "retried",
    State.CANCELLED: "cancelled",
    State.PENDING: "released",
    State.SCHEDULED: "snoozed",
}
_CHARGED = (State.COMPLETED, State.FAILED, State.RETRYING, State.CANCELLED)
"""After such an ending of its first attempt a job counts as enqueued: it does not come back as a first attempt."""

Pair = tuple[str, str]


class Gatherer:
    """The figures of one process. ``ended`` is called by one thread, the pump's; ``take`` by another."""

    def __init__(self, *, worker: str = "") -> None:
        self._worker = worker
        self._lock = Lock()
        self._muted: frozenset[str] = frozenset()
        self._totals: dict[Pair, Point] = {}
        """Everything since the process started, as far as it was taken."""
        self._begin()

    def _begin(self) -> None:
        self._runs: Counter[tuple[str, str, State, int, int | None, int]] = Counter()
        """By queue, task, state, attempts before, milliseconds, and when the job was enqueued, in steps."""
        self._waits: Counter[tuple[str, str, int]] = Counter()
        self._points: dict[Pair, Point] = {}
        self._arrivals: dict[tuple[int, str, str], int] = {}
        self._schedules: dict[str, Point] = {}
        self._payloads_left = _PAYLOADS_READ

    def follow_muted(self, causes: frozenset[str]) -> None:
        """Take in which causes of failures are muted, as the store says now. Alerts leave these failures out."""
        self._muted = causes

    def ended(self, ended: Sequence[tuple[Ending, Claimed]], refused: Collection[int] = ()) -> None:
        """Count endings that the store has accepted; those in ``refused`` were stale writes."""
        if refused:
            ended = [(ending, job) for ending, job in ended if job.seq not in refused]
        if not ended:
            return
        failed = [each for each in ended if each[0].errors is not None]
        with self._lock:
            self._runs.update(
                [
                    (job.queue, job.task, ending.state, job.attempt, ending.ran_for, job.created_at // _STEP)
                    for ending, job in ended
                ]
            )
            self._waits.update(
                [(job.queue, job.task, job.waited) for ending, job in ended if ending.ran_for is not None]
            )
            if self._payloads_left > 0:
                for _, job in ended[: self._payloads_left]:
                    self._note_payload(job)
                self._payloads_left -= len(ended)
            if self._muted:
                self._count_muted(ended)
            for ending, job in failed[:_ERRORS_READ]:
                self._note_error(ending, job)
            if len(self._runs) > _MOST_KEYS or len(self._waits) > _MOST_KEYS:
                self._make_points()

    def fired(self, schedule: str, outcome: str, number: int = 1) -> None:
        """Count what became of slots of a schedule."""
        with self._lock:
            if schedule not in self._schedules and len(self._schedules) >= SERIES_AT_MOST:
                schedule = OTHER
            self._schedules.setdefault(schedule, Point()).count(outcome, number)

    def take(self) -> Row | None:
        """What was gathered since the last call; None if that is nothing."""
        with self._lock:
            self._make_points()
            points, arrivals, schedules = self._points, self._arrivals, self._schedules
            self._begin()
            for pair, point in points.items():
                _bounded(self._totals, pair).merge(point)
        if not (points or arrivals or schedules):
            return None
        return Row(
            self._worker,
            [(*pair, point) for pair, point in points.items()],
            [Arrival(at, queue, task, number) for (at, queue, task), number in arrivals.items()],
            schedules,
        )

    def totals(self) -> dict[Pair, Point]:
        """By queue and task: everything since the process started, but for the last two seconds."""
        with self._lock:
            return {pair: deepcopy(point) for pair, point in self._totals.items()}

    def _note_payload(self, job: Claimed) -> None:
        point = self._point(job.queue, job.task)
        point.count("payloads")
        point.count("payload_bytes", len(job.payload))

    def _count_muted(self, ended: Iterable[tuple[Ending, Claimed]]) -> None:
        for ending, job in ended:
            if ending.cause in self._muted:
                self._point(job.queue, job.task).count(f"{_COUNTED[ending.state]}_muted")

    def _note_error(self, ending: Ending, job: Claimed) -> None:
        faults = read_faults(ending.errors).faults
        if faults and has_failed(ending):
            point = self._point(job.queue, job.task)
            point.errors = commonest(point.errors, {faults[-1].type: 1})

    def _make_points(self) -> None:
        for (queue, task, state, attempt, ran_for, created), number in self._runs.items():
            point = self._point(queue, task)
            point.count(_COUNTED.get(state, state.value), number)
            if ran_for is not None:
                point.time(RUN, ran_for, number)
            if state is State.COMPLETED and attempt:
                point.count("recovered", number)
            if state is State.COMPLETED or state is State.FAILED:
                point.count("attempts", (attempt + 1) * number)
            if attempt == 0 and state in _CHARGED:
                self._arrive(created * _STEP, queue, task, number)
        for (queue, task, waited), number in self._waits.items():
            self._point(queue, task).time(WAIT, waited, number)
        self._runs, self._waits = Counter(), Counter()

    def _point(self, queue: str, task: str) -> Point:
        return _bounded(self._points, (queue, task))

    def _arrive(self, at: int, queue: str, task: str, number: int) -> None:
        key = (at, queue, task)
        if key not in self._arrivals and len(self._arrivals) >= SERIES_AT_MOST:
            key = (at - at % _DAY, OTHER, OTHER)
        self._arrivals[key] = self._arrivals.get(key, 0) + number


def _bounded(points: dict[Pair, Point], pair: Pair) -> Point:
    """The point of a pair; that of all others where there are too many."""
    if pair not in points:
        if len(points) >= SERIES_AT_MOST:
            pair = (OTHER, OTHER)
        points.setdefault(pair, Point())
    return points[pair]
