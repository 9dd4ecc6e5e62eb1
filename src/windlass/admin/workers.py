"""Pauses, resumes and stops workers, and takes lost ones off the lists."""

from __future__ import annotations

from windlass.errors import IllegalTransition
from windlass.store.operation import Operation
from windlass.store.operations import leases, queues
from windlass.store.operations.leases import WorkerRecord


def pause_worker(worker: str, *, by: str) -> Operation[list[str]]:
    """Let the workers of this id or name claim no more; returns their ids."""
    return _signal(worker, signal=leases.PAUSE, by=by)


def resume_worker(worker: str, *, by: str) -> Operation[list[str]]:
    """Let paused workers claim again; returns their ids."""
    return _signal(worker, signal=None, by=by)


def _signal(worker: str, *, signal: str | None, by: str) -> Operation[list[str]]:
    yield from queues.settings(queues.ALL)  # read only: a search in the wrong place must not make a store
    reached = yield from leases.signal(worker, signal=signal, by=by)
    return reached


def stop_worker(worker: str, *, by: str) -> Operation[list[str]]:
    """Ask the workers of this id or name to stop; returns their ids. ``IllegalTransition`` if the worker is lost."""
    found = yield from _called(worker)
    if not found:
        return []
    if not any(one.is_alive for one in found):
        raise IllegalTransition(
            f"worker {worker} is lost and cannot be asked to stop: its jobs are rescued without it, and "
            f"`windlass workers forget {worker}` takes it off the lists"
        )
    reached = yield from leases.signal(worker, signal=leases.STOP, by=by)
    return reached


def forget_worker(worker: str) -> Operation[int]:
    """Take the lost workers of this id or name off the lists; how many. ``IllegalTransition`` if one is alive."""
    found = yield from _called(worker)
    if not found:
        return 0
    if all(one.is_alive for one in found):
        raise IllegalTransition(
            f"worker {worker} is {found[0].state}, and only lost workers are forgotten; stop it first: "
            f"windlass workers stop {worker}"
        )
    forgotten = yield from leases.forget_workers(worker)
    return len(forgotten)


def forget_lost_workers() -> Operation[int]:
    """Take all lost workers off the lists; how many."""
    found = yield from leases.workers()
    if all(worker.is_alive for worker in found):
        return 0
    forgotten = yield from leases.forget_workers(None)
    return len(forgotten)


def _called(worker: str) -> Operation[list[WorkerRecord]]:
    """Read only: a search in the wrong place must not make a store."""
    found = yield from leases.workers()
    return [one for one in found if worker in (one.id, one.name)]
