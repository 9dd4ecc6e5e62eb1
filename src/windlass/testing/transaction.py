"""Jobs of the caller's transactions in a test."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from windlass.store.caller.adopt import channel_of
from windlass.store.caller.joined import Joined
from windlass.store.caller.script import Own, Script
from windlass.store.driver import Driver
from windlass.store.operation import Answer, Call, Operation, drive
from windlass.store.operations import jobs, queries
from windlass.store.operations.enqueue import Enqueued

A = TypeVar("A")


def join_for(driver: Driver) -> Callable[[object], Joined]:
    """How transactions are joined in a block: a connection of any supported library is accepted."""
    return lambda connection: JoinedInTest(connection, driver)


class JoinedInTest(Joined):
    """Stores jobs at once, beside the caller's transaction, whose commit cannot be seen from here.

    Only a block that ends by an exception can be seen: its jobs are deleted. Arguments that it gave to a job of before
    (``Unique(on_conflict=...)``) stay with that job.
    """

    def __init__(self, connection: object, driver: Driver) -> None:
        def carry_out(call: Call) -> Script[Answer]:
            answer: Answer = yield Own(partial(driver.execute, call))
            return answer

        super().__init__(channel_of(connection), carry_out)
        self._execute = driver.execute
        self._stored: list[str] = []

    def run(self, operation: Operation[A]) -> A:
        return self._noted(super().run(operation))

    async def arun(self, operation: Operation[A]) -> A:
        return self._noted(await super().arun(operation))

    def abandon(self) -> None:
        drive(_delete(self._stored), self._execute)
        self._stored.clear()

    def _noted(self, answer: A) -> A:
        if isinstance(answer, list):
            self._stored += [job.id for job in answer if isinstance(job, Enqueued) and not job.is_duplicate]
        return answer


def _delete(ids: list[str]) -> Operation[None]:
    found = yield from queries.find(ids)
    yield from jobs.delete([(record.seq, record.id) for record in found.values()])
