"""When a job that is due goes on: that takes a process that does duties."""

from __future__ import annotations

from collections.abc import Sequence

from windlass.insight.why.texts import length, passed
from windlass.insight.workers import WorkerView
from windlass.store.operations.gates import ClaimSituation


def has_duties(workers: Sequence[WorkerView]) -> bool:
    """Whether a process does the duties; each is listed like a worker. Who leads says less: the lead of a process that
    has died may outlast its lease, and one that has just started does not lead yet.
    """
    return any(worker.does_upkeep for worker in workers)


def when_due(situation: ClaimSituation, workers: Sequence[WorkerView]) -> str:
    if situation.due_in > 0:
        return f"due in {length(situation.due_in)}"
    if has_duties(workers):
        return "due now, waiting to be promoted"
    which = "worker without --no-duties" if any(worker.is_alive for worker in workers) else "worker"
    return f"overdue by {passed(-situation.due_in)}: no {which} and no `windlass duties` runs that would promote it"
