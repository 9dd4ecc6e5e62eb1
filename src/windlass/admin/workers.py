"""The operator's methods for workers: list, pause, resume, stop, take lost ones off the lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windlass.client.owner import ClientOwner
from windlass.errors import IllegalTransition
from windlass.insight import reads
from windlass.store.driver import Topic
from windlass.store.operation import Operation
from windlass.store.operations import leases, queues
from windlass.store.operations.leases import WorkerRecord

if TYPE_CHECKING:
    from windlass.insight.workers import WorkerView

_ORDERS = (Topic.CONTROL,)
"""The topic of an order to a worker."""


class WorkersOperator(ClientOwner):
    """The part of ``Windlass`` that is about workers."""

    def workers(self) -> list[WorkerView]:
        """Live workers, and those that died within a day."""
        return self.client.session.run(reads.worker_views())

    async def aworkers(self) -> list[WorkerView]:
        """``workers`` for async code."""
        return await self.client.session.arun(reads.worker_views())

    def pause_worker(self, worker: str, *, by: str = "api") -> int:
        """Let one worker (its id or name) claim no more; how many workers that reaches."""
        return len(self.client.session.run(pause_worker(worker, by=by), notify=_ORDERS))

    async def apause_worker(self, worker: str, *, by: str = "api") -> int:
        """``pause_worker`` for async code."""
        return len(await self.client.session.arun(pause_worker(worker, by=by), notify=_ORDERS))

    def resume_worker(self, worker: str, *, by: str = "api") -> int:
        """Let a paused worker go on; how many workers that reaches."""
        return len(self.client.session.run(resume_worker(worker, by=by), notify=_ORDERS))

    async def aresume_worker(self, worker: str, *, by: str = "api") -> int:
        """``resume_worker`` for async code."""
        return len(await self.client.session.arun(resume_worker(worker, by=by), notify=_ORDERS))

    def stop_worker(self, worker: str, *, by: str = "api") -> int:
        """Ask one worker (its id or name) to stop in order, as SIGTERM does: it claims no more, gives what runs its
        grace time and releases the rest. Returns how many workers that reaches; it does not wait for them.

        It cannot be taken back. ``IllegalTransition`` when the worker is lost.
        """
        return len(self.client.session.run(stop_worker(worker, by=by), notify=_ORDERS))

    async def astop_worker(self, worker: str, *, by: str = "api") -> int:
        """``stop_worker`` for async code."""
        return len(await self.client.session.arun(stop_worker(worker, by=by), notify=_ORDERS))

    def forget_worker(self, worker: str) -> int:
        """Take a lost worker (its id or name) off the lists; how many there were. Its jobs are rescued all the same.

        ``IllegalTransition`` when the worker is alive. A lost worker that turns out to be alive is listed again.
        """
        return self.client.session.run(forget_worker(worker))

    async def aforget_worker(self, worker: str) -> int:
        """``forget_worker`` for async code."""
        return await self.client.session.arun(forget_worker(worker))

    def forget_lost_workers(self) -> int:
        """Take all lost workers off the lists; how many."""
        return self.client.session.run(forget_lost_workers())

    async def aforget_lost_workers(self) -> int:
        """``forget_lost_workers`` for async code."""
        return await self.client.session.arun(forget_lost_workers())


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
