"""The attempts of a job below each other, on one axis of time. Places on it are percents: they stretch without the
text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from windlass import clock
from windlass.core.fault import read_attempts
from windlass.core.state import DUE_LATER, FINISHED, State
from windlass.job import Job
from windlass.web.site import formats

_LEFT, _RIGHT = 12.0, 97.0
"""Where the time axis begins and ends, in percent; the lanes are named to the left of it."""
_LANE = 34
_FIRST = 28
_TICKS = (1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400, 604_800)
_MOST_LANES = 12
_MOST_TICKS = 8
_SHOWN_AS = {"cancelled": "cancelled"}
"""In whose colour an attempt without an error is drawn, by its outcome."""


@dataclass(frozen=True, slots=True)
class Lane:
    """One attempt: it waits, then it runs."""

    name: str
    wait_from: float
    run_from: float
    run_to: float
    state: str
    text: str
    waited: str
    y: int
    is_planned: bool = False


@dataclass(frozen=True, slots=True)
class Tick:
    x: float
    text: str
    moment: datetime
    form: str
    """How scripts write it in the zone that was chosen."""


@dataclass(frozen=True, slots=True)
class TimelineDrawing:
    """The attempts of a job below each other, on one axis of time."""

    lanes: Sequence[Lane]
    ticks: Sequence[Tick]
    now: float | None
    """Where the present is, if it is on the axis."""
    span: str
    height: int
    left_out: int


@dataclass(frozen=True, slots=True)
class _Run:
    number: int
    waits_since: datetime
    began: datetime
    ended: datetime
    state: str
    text: str
    is_planned: bool = False


def draw_timeline(job: Job[object], now: datetime) -> TimelineDrawing | None:
    """None for a job that has never run and is not about to."""
    runs = _runs(job, now)
    if not runs:
        return None
    shown = runs[-_MOST_LANES:]
    # A worker whose clock is slow tells of runs that began before their job was made.
    first = min(min(run.waits_since, run.began) for run in shown)
    last = max([run.ended for run in shown] + ([now] if job.state not in FINISHED else []))
    span = max(last - first, timedelta(milliseconds=1))

    def x(moment: datetime) -> float:
        return round(_LEFT + (moment - first) / span * (_RIGHT - _LEFT), 2)

    lanes = [
        Lane(
            name=str(run.number),
            wait_from=x(min(run.waits_since, run.began)),
            run_from=x(run.began),
            run_to=max(x(run.ended), x(run.began) + 0.4),
            state=run.state,
            text=run.text,
            waited=formats.length(max(run.began - run.waits_since, timedelta())),
            y=_FIRST + index * _LANE,
            is_planned=run.is_planned,
        )
        for index, run in enumerate(shown)
    ]
    return TimelineDrawing(
        lanes,
        _ticks(first, span, x),
        x(now) if first <= now <= last else None,
        formats.length(span),
        _FIRST + len(shown) * _LANE - 10,
        len(runs) - len(shown),
    )


def _runs(job: Job[object], now: datetime) -> list[_Run]:
    record = job.record
    faults = {fault.fence: fault for fault in job.errors}
    waits_since, found = job.created_at, []
    for attempt in read_attempts(record.attempts).attempts:
        began = clock.instant(attempt.started_at or attempt.claimed_at or attempt.ended_at)
        ended = clock.instant(attempt.ended_at)
        fault = faults.get(attempt.fence)
        told = fault.type.rpartition(".")[2] if fault else attempt.reason or attempt.outcome
        state = "failed" if fault or attempt.outcome == "lost" else _SHOWN_AS.get(attempt.outcome, "pending")
        found.append(_Run(attempt.number, waits_since, began, ended, state, f"{formats.length(ended - began)}, {told}"))
        waits_since = ended
    number = found[-1].number + 1 if found else 1
    if job.state is State.RUNNING and record.claimed_at is not None:
        began = clock.instant(record.started_at or record.claimed_at)
        found.append(_Run(number, waits_since, began, now, "running", f"{formats.length(now - began)} so far"))
    elif job.state is State.COMPLETED and job.finished_at is not None:
        began = job.started_at or job.finished_at
        found.append(
            _Run(number, waits_since, began, job.finished_at, "completed", formats.length(job.finished_at - began))
        )
    elif job.state in DUE_LATER and job.run_at > now - timedelta(seconds=1) and not record.is_never_due:
        due = max(job.run_at, now)
        found.append(
            _Run(number, waits_since, due, due, str(job.state), f"due {formats.ahead(due, now)}", is_planned=True)
        )
    return found


def _ticks(first: datetime, span: timedelta, x: Callable[[datetime], float]) -> list[Tick]:
    seconds = span.total_seconds()
    if seconds < 5:
        return [Tick(x(first), f"{first:%H:%M:%S}", first, "second")]
    step = next((step for step in _TICKS if seconds / step <= 5), _TICKS[-1])
    form = "day" if step >= 86_400 else "minute" if step >= 60 else "second"
    written = {"day": "%d %b", "minute": "%H:%M", "second": "%H:%M:%S"}[form]
    moments = [first + timedelta(seconds=number * step) for number in range(_MOST_TICKS)]
    return [Tick(x(at), at.strftime(written), at, form) for at in moments if at <= first + span]
