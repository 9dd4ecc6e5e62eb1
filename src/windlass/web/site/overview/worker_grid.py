"""All workers in a small room: one cell each, by state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from windlass.insight.workers import WorkerView

_MOST = 60
_SHOWN_AS = {
    "lost": "failed",
    "draining": "retrying",
    "paused": "blocked",
    "starting": "scheduled",
    "idle": "pending",
    "busy": "running",
}
"""In whose colour and shape a worker of each state is shown; those that need a look come first."""


@dataclass(frozen=True, slots=True)
class WorkerCell:
    """One worker."""

    id: str
    name: str
    state: str
    shown_as: str
    slots: str
    """How many of its slots are busy, of how many; empty where that is not known."""


@dataclass(frozen=True, slots=True)
class WorkerGrid:
    """As many workers as there is room for."""

    cells: Sequence[WorkerCell]
    counts: Sequence[tuple[str, int]]
    """How many workers are in each state, of all that there are."""
    left_out: int


def worker_grid(workers: Sequence[WorkerView]) -> WorkerGrid:
    """Those that are lost or stop first, then the others by state and name."""
    counts = Counter(worker.state for worker in workers)
    order = list(_SHOWN_AS)
    ordered = sorted(workers, key=lambda worker: (_rank(order, worker.state), worker.name, worker.id))
    return WorkerGrid(
        [_cell(worker) for worker in ordered[:_MOST]],
        sorted(counts.items(), key=lambda one: (_rank(order, one[0]), one[0])),
        max(0, len(workers) - _MOST),
    )


def _rank(order: list[str], state: str) -> int:
    """A state of a later version comes last."""
    return order.index(state) if state in order else len(order)


def _cell(worker: WorkerView) -> WorkerCell:
    slots = reported_count(worker.info.get("concurrency"))
    return WorkerCell(
        worker.id,
        worker.name,
        worker.state,
        _SHOWN_AS.get(worker.state, "pending"),
        f"{reported_count(worker.info.get('running'))}/{slots}" if worker.is_alive and slots else "",
    )


def reported_count(value: object) -> int:
    """What a worker says of itself is data of the store: a number, or a list of what runs."""
    return len(value) if isinstance(value, list) else value if isinstance(value, int) else 0
