"""Workers at a glance, and one in detail."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from windlass.cli.terminal.screen import Cell, Column, Screen, Styled
from windlass.cli.times import age, length
from windlass.cli.views.style import state_cell
from windlass.core.state import State
from windlass.insight import json_forms
from windlass.insight.workers import WORKER_INFO, WorkerView, read_instant

_STYLES = {
    "lost": "bold red",
    "paused": "yellow",
    "draining": "yellow",
    "busy": "cyan",
    "idle": "green",
    "duties": "green",
}


@dataclass(frozen=True, slots=True)
class Stacks:
    """Where the threads and coroutines of workers are."""

    found: Mapping[str, str]
    """By the worker's id."""

    def data(self) -> object:
        return {"workers": [{"id": id, "stacks": text} for id, text in self.found.items()]}

    def draw(self, screen: Screen) -> None:
        for id, text in self.found.items():
            screen.line(Styled(f"worker {id}", "bold"))
            screen.block(text)


@dataclass(frozen=True, slots=True)
class WorkerList:
    """Live workers, and those that died within a day."""

    workers: Sequence[WorkerView]

    def data(self) -> object:
        return json_forms.workers(self.workers)

    def draw(self, screen: Screen) -> None:
        if not self.workers:
            screen.line("no workers")
        else:
            draw_workers(screen, self.workers)


@dataclass(frozen=True, slots=True)
class WorkerDetail:
    """One worker with everything that it reports."""

    worker: WorkerView

    def data(self) -> object:
        return json_forms.worker(self.worker)

    def draw(self, screen: Screen) -> None:
        worker = self.worker
        screen.line(Styled(worker.name, "bold"), "  ", Styled(worker.state, _STYLES.get(worker.state, "")))
        names = [name for name in WORKER_INFO if name not in _APART]
        shown = [(name, _FORMATS.get(name, _value)(worker.info.get(name))) for name in names]
        taken = ", ".join(f"{job.id} ({job.state})" for job in worker.taken)
        fields = [
            ("id", worker.id),
            *shown,
            ("taken", taken),
            ("uptime", length(worker.uptime)),
            ("seen", age(worker.seen_at)),
            ("signal", _signal(worker).strip()),
        ]
        screen.fields([(name, value) for name, value in fields if value])
        draw_rounds(screen, worker)
        _draw_last(screen, worker.info.get("last"))


def draw_rounds(screen: Screen, worker: WorkerView) -> None:
    """The newest rounds of its duties; the report may be damaged."""
    rounds = worker.info.get("rounds")
    rows = [_round(one) for one in rounds if isinstance(one, dict)] if isinstance(rounds, list) else []
    if rows:
        screen.line("")
        columns = [Column(title="DUTY"), Column(title="RAN", is_number=True), Column(title="TOOK", is_number=True)]
        screen.table([*columns, Column(title="DID LAST", least=10)], rows)


def _round(one: Mapping[str, object]) -> list[Cell]:
    took = one.get("took")
    return [
        str(one.get("duty")),
        age(read_instant(one.get("at"))),
        length(timedelta(seconds=took)) if isinstance(took, int | float) else "-",
        str(one.get("did") or "-"),
    ]


def _draw_last(screen: Screen, last: object) -> None:
    """The jobs that it ran last, the newest first; the report may be damaged."""
    rows = [_last(job) for job in last if isinstance(job, dict)] if isinstance(last, list) else []
    if rows:
        screen.line("")
        columns = [Column(title="LAST"), Column(title="TASK", least=10), Column(title="STATE")]
        screen.table([*columns, Column(title="RAN FOR", is_number=True, may_go=True)], rows)


def _last(job: Mapping[str, object]) -> list[Cell]:
    state, ran_for = str(job.get("state")), job.get("ran_for")
    shown = state_cell(State(state)) if state in set(State) else state
    took = length(timedelta(milliseconds=ran_for)) if isinstance(ran_for, int | float) else ""
    return [str(job.get("id")), str(job.get("task")), shown, took]


def _memory(size: object) -> str:
    """
    >>> _memory(38428672)
    '36.6 MB'
    """
    return f"{size / 2**20:,.1f} MB" if isinstance(size, int) else ""


def _cpu(percent: object) -> str:
    return f"{percent:.1f} %" if isinstance(percent, int | float) else ""


def _by_queue(numbers: object) -> str:
    """
    >>> _by_queue({"mail": 2, "bulk": 1})
    'mail 2, bulk 1'
    """
    return ", ".join(f"{queue} {number}" for queue, number in numbers.items()) if isinstance(numbers, dict) else ""


_FORMATS: Mapping[str, Callable[[object], str]] = {
    "caps": _by_queue,
    "reserves": _by_queue,
    "memory": _memory,
    "cpu": _cpu,
}
_APART = ("uptime", "last", "rounds")
"""Shown in another way: the reported uptime is as old as the last heartbeat, and the others are tables."""


def _value(value: object) -> str:
    """
    >>> _value([{"id": "a", "task": "mail"}, "default"])
    'mail a, default'
    >>> _value(True)
    'yes'
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return f"{value.get('task')} {value.get('id')}"
    if isinstance(value, list):
        return ", ".join(map(_value, value))
    return "" if value is None else str(value)


def draw_workers(screen: Screen, workers: Sequence[WorkerView]) -> None:
    """The table of workers."""
    columns = [
        Column(title="WORKER"),
        Column(title="STATE"),
        Column(title="RUNNING", is_number=True),
        Column(title="ENDED", is_number=True, may_go=True),
        Column(title="FAILED", is_number=True, may_go=True),
        Column(title="UP", is_number=True, may_go=True),
        Column(title="SEEN", is_number=True, may_go=True),
        Column(title="QUEUES", least=10),
    ]
    screen.table(columns, [_row(worker) for worker in workers])


def _row(worker: WorkerView) -> list[Cell]:
    info = worker.info
    return [
        worker.name,
        Styled(worker.state, _STYLES.get(worker.state, "")),
        f"{info.get('running_count', '?')}/{info.get('concurrency', '?')}" if worker.runs_jobs else "-",
        str(info.get("ended", "?")),
        _failed(info.get("failed")),
        length(worker.uptime),
        age(worker.seen_at),
        ", ".join(map(str, info.get("queues") or ())) + _signal(worker) + _abandoned(worker),
    ]


def _failed(count: object) -> Cell:
    """Red if there are any; workers of older versions do not report it."""
    return Styled(str(count), "red") if _number(count) else str(count if count is not None else "?")


def _number(value: object) -> float:
    return value if isinstance(value, int | float) else 0


def _signal(worker: WorkerView) -> str:
    return f" ({worker.signal} asked by {worker.signalled_by})" if worker.signal else ""


def _abandoned(worker: WorkerView) -> str:
    count = _number(worker.info.get("abandoned"))
    return f" ({count} abandoned: runs that would not stop)" if count else ""
