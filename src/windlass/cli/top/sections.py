"""Queues, workers, running jobs, failures: their rows, and by what they are sorted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from windlass.cli.terminal.screen import Cell, Column, Styled
from windlass.cli.times import age, length
from windlass.cli.top.snapshot import Section, Snapshot
from windlass.cli.views.style import count_cell
from windlass.core.state import State
from windlass.insight.diagnostics.failures import FailureGroup
from windlass.insight.overview import QueueView
from windlass.insight.redact import redacted_text
from windlass.insight.workers import WorkerView
from windlass.store.operations.diagnostics.runs import LongRun

_WORKER_STYLES = {"lost": "bold red", "paused": "yellow", "draining": "yellow", "busy": "cyan", "idle": "green"}
_TRENDS = {"new": "bold red", "rising": "bold red", "steady": "yellow", "falling": "yellow"}
_STATES = (
    (State.PENDING, "PENDING", False),
    (State.RUNNING, "RUNNING", False),
    (State.SCHEDULED, "SCHED", True),
    (State.RETRYING, "RETRY", False),
    (State.BLOCKED, "BLOCKED", True),
    (State.FAILED, "FAILED", False),
)


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a section."""

    key: str
    """What it is about, which stays the same from look to look."""
    opens: str
    """The name or id of what is opened."""
    cells: Sequence[Cell]
    order: Sequence[Any]
    """A value for each of the section's orders."""


@dataclass(frozen=True, slots=True)
class Order:
    """Something by which rows are sorted."""

    name: str
    falls: bool = True
    """Whether the largest comes first."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What a section is like."""

    columns: Sequence[Column]
    orders: Sequence[Order]
    empty: str
    """What is said where there are no rows."""
    rows: Callable[[Snapshot], Sequence[Row]]


def sorted_rows(section: Section, snapshot: Snapshot, *, order: int, reverse: bool) -> list[Row]:
    """The rows of a section; those that are equal stay in the order of their names."""
    kind = KINDS[section]
    rows = sorted(kind.rows(snapshot), key=lambda row: row.key)
    return sorted(rows, key=lambda row: row.order[order], reverse=kind.orders[order].falls is not reverse)


def _queues(snapshot: Snapshot) -> list[Row]:
    return [_queue(queue) for queue in snapshot.overview.queues]


def _queue(queue: QueueView) -> Row:
    counts = queue.counts
    cells: list[Cell] = [
        Styled(queue.name, "bold red" if queue.is_unserved else ""),
        *(count_cell(state, counts[state]) for state, _, _ in _STATES),
        "-" if queue.oldest is None else length(queue.oldest),
        str(queue.workers),
        _held(queue),
    ]
    oldest = queue.oldest or timedelta(0)
    order = (counts[State.PENDING], counts[State.RUNNING], counts[State.FAILED], oldest, queue.name)
    return Row(queue.name, queue.name, cells, order)


def _held(queue: QueueView) -> Cell:
    if queue.settings.paused:
        return Styled("paused", "yellow")
    if queue.cooldown is not None:
        return Styled("cools down", "yellow")
    return Styled("no worker", "bold red") if queue.is_unserved else ""


def _workers(snapshot: Snapshot) -> list[Row]:
    return [_worker(worker) for worker in snapshot.overview.workers]


def _worker(worker: WorkerView) -> Row:
    # What a worker says of itself is data of the store, and may be damaged.
    number = {name: _number(worker.info.get(name)) for name in ("ended", "failed", "memory", "cpu", "running_count")}
    queues = worker.info.get("queues")
    served = ", ".join(map(str, queues)) if isinstance(queues, list | tuple | dict) else ""
    cells: list[Cell] = [
        worker.name,
        Styled(worker.state, _WORKER_STYLES.get(worker.state, "")),
        f"{number['running_count']:.0f}/{worker.info.get('concurrency', '?')}" if worker.runs_jobs else "-",
        f"{number['ended']:,.0f}",
        Styled(f"{number['failed']:,.0f}", "bold red" if number["failed"] else "dim"),
        f"{number['memory'] / 2**20:,.0f}M" if number["memory"] else "-",
        f"{number['cpu']:.0f}%",
        length(worker.uptime),
        age(worker.seen_at),
        served,
    ]
    order = (number["running_count"], number["ended"], number["failed"], number["memory"], number["cpu"], worker.name)
    return Row(worker.id, worker.id, cells, order)


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _runs(snapshot: Snapshot) -> list[Row]:
    return [_run(run) for run in snapshot.runs or ()]


def _run(run: LongRun) -> Row:
    ran_for = timedelta(milliseconds=max(0, run.ran_for))
    cells: list[Cell] = [Styled(length(ran_for), "cyan"), run.task, run.queue, run.worker or "-", run.id]
    return Row(run.id, run.id, cells, (run.ran_for, run.task, run.queue, run.worker or ""))


def _failures(snapshot: Snapshot) -> list[Row]:
    return [_failure(group) for group in snapshot.failures or ()]


def _failure(group: FailureGroup) -> Row:
    said = f"{group.error or ''}: {group.message}" if group.message else group.error or group.reason or ""
    cells: list[Cell] = [
        Styled(f"{group.count:,}", "bold red"),
        f"{group.recent:,}",
        group.task,
        redacted_text(said),
        Styled("muted", "dim") if group.mute is not None else Styled(group.trend, _TRENDS.get(group.trend, "dim")),
        "-" if group.newest is None else age(group.newest),
        group.cause or "-",
    ]
    newest = 0.0 if group.newest is None else group.newest.timestamp()
    key = "\n".join((group.task, group.reason or "", group.error or "", group.cause or ""))
    return Row(key, group.sample, cells, (group.count, group.recent, newest, group.task))


KINDS = {
    Section.QUEUES: Kind(
        columns=(
            Column(title="QUEUE", least=10),
            *(Column(title=title, is_number=True, may_go=may_go) for _, title, may_go in _STATES),
            Column(title="OLDEST", is_number=True),
            Column(title="WORKERS", is_number=True),
            Column(title="HELD"),
        ),
        orders=(Order("pending"), Order("running"), Order("failed"), Order("oldest"), Order("name", falls=False)),
        empty="no queues yet",
        rows=_queues,
    ),
    Section.WORKERS: Kind(
        columns=(
            Column(title="WORKER", least=12, good=18),
            Column(title="STATE"),
            Column(title="RUNNING", is_number=True),
            Column(title="ENDED", is_number=True),
            Column(title="FAILED", is_number=True),
            Column(title="MEMORY", is_number=True, may_go=True),
            Column(title="CPU", is_number=True, may_go=True),
            Column(title="UP", is_number=True, may_go=True),
            Column(title="SEEN", is_number=True),
            Column(title="QUEUES", least=8, may_go=True),
        ),
        orders=(
            Order("running"),
            Order("ended"),
            Order("failed"),
            Order("memory"),
            Order("cpu"),
            Order("name", falls=False),
        ),
        empty="no workers",
        rows=_workers,
    ),
    Section.RUNNING: Kind(
        columns=(
            Column(title="RAN FOR", is_number=True),
            Column(title="TASK", least=12, good=16),
            Column(title="QUEUE", least=8),
            Column(title="WORKER", least=8),
            Column(title="ID", least=9, ends_tell=True),
        ),
        orders=(Order("time"), Order("task", falls=False), Order("queue", falls=False), Order("worker", falls=False)),
        empty="no job runs",
        rows=_runs,
    ),
    Section.FAILURES: Kind(
        columns=(
            Column(title="JOBS", is_number=True),
            Column(title="LAST 1H", is_number=True),
            Column(title="TASK", least=10),
            Column(title="ERROR", least=10, good=24),
            Column(title="TREND"),
            Column(title="NEWEST", is_number=True),
            Column(title="GROUP", may_go=True),
        ),
        orders=(Order("jobs"), Order("last hour"), Order("newest"), Order("task", falls=False)),
        empty="no dead letters",
        rows=_failures,
    ),
}
