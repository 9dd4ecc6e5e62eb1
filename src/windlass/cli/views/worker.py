"""Workers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from windlass.cli.moments import age, iso, length
from windlass.cli.screen import Cell, Column, Screen, Styled
from windlass.workers import WorkerView

_STYLES = {"lost": "bold red", "paused": "yellow", "draining": "yellow", "busy": "cyan", "idle": "green"}
_INFO = ("host", "pid", "queues", "concurrency", "python", "version", "uptime", "running", "ended", "refused")


@dataclass(frozen=True, slots=True)
class WorkerList:
    """The workers that live, and those that were lost within a day."""

    workers: Sequence[WorkerView]

    def data(self) -> object:
        return {"workers": [worker_data(worker) for worker in self.workers]}

    def draw(self, screen: Screen) -> None:
        if not self.workers:
            screen.line("no workers")
        else:
            draw_workers(screen, self.workers)


def draw_workers(screen: Screen, workers: Sequence[WorkerView]) -> None:
    """The table of workers."""
    columns = [
        Column(title="WORKER"),
        Column(title="STATE"),
        Column(title="RUNNING", is_number=True),
        Column(title="ENDED", is_number=True),
        Column(title="UP", is_number=True),
        Column(title="SEEN", is_number=True),
        Column(title="QUEUES", gives_way=True),
    ]
    screen.table(columns, [_row(worker) for worker in workers])


def _row(worker: WorkerView) -> list[Cell]:
    info = worker.info
    return [
        worker.name,
        Styled(worker.state, _STYLES.get(worker.state, "")),
        f"{info.get('running_count', '?')}/{info.get('concurrency', '?')}",
        str(info.get("ended", "?")),
        length(timedelta(seconds=_number(info.get("uptime")))),
        age(worker.seen_at),
        ", ".join(map(str, info.get("queues") or ())) + _signal(worker),
    ]


def _number(value: object) -> float:
    return value if isinstance(value, int | float) else 0


def _signal(worker: WorkerView) -> str:
    return f" ({worker.signal} asked by {worker.signalled_by})" if worker.signal else ""


def worker_data(worker: WorkerView) -> dict[str, object]:
    """A worker for programs; what it did not tell is null."""
    return {
        "id": worker.id,
        "name": worker.name,
        "state": worker.state,
        "started_at": iso(worker.started_at),
        "seen_at": iso(worker.seen_at),
        "signal": worker.signal,
        "signalled_by": worker.signalled_by,
        **{name: worker.info.get(name) for name in _INFO},
    }
