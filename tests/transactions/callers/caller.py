"""What a test asks of an application that has a transaction open."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Coroutine
from typing import Any, ClassVar, TypeVar

from windlass import ActiveJob, ClaimedJob, Job, Windlass
from windlass.store.operation import Operation
from windlass.task import Enqueueable

T = TypeVar("T")

Jobs = list[Job[Any]]


class Caller(ABC):
    """One connection of one library, with its transaction begun unless it is in autocommit."""

    is_async: ClassVar[bool] = False
    connection: Any
    """What a user gives to ``app.transaction``."""

    @abstractmethod
    def execute(self, statement: str) -> None:
        """A statement of the application's own."""

    def commit(self) -> None:
        self.connection.commit()

    def rollback(self) -> None:
        self.connection.rollback()

    def close(self) -> None:
        """Let the connection go; what is not committed is undone."""
        self.connection.close()

    def enqueue(self, app: Windlass, task: Enqueueable[..., Any], *args: object) -> Job[Any]:
        """Enqueue in a block."""
        with app.transaction(self.connection):
            return task.enqueue(*args)

    def enqueue_many(self, task: Enqueueable[..., Any], calls: list[tuple[Any, ...]]) -> Jobs:
        """Enqueue several jobs by an option."""
        return task.options(connection=self.connection).enqueue_many(calls)

    def guarded(self, job: ActiveJob | ClaimedJob, statement: str) -> None:
        """A statement of the application's own, if the job is still the caller's."""
        with job.guard(self.connection):
            self.execute(statement)

    def run_in(self, app: Windlass, operation: Operation[T]) -> T:
        """Run an operation of the store's below the API."""
        return app.client.session.join(self.connection).run(operation)


class AsyncCaller(Caller):
    """A library that is awaited, behind the same face."""

    is_async = True

    def __init__(self) -> None:
        self._loop = asyncio.Runner()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._loop.run(work)

    def execute(self, statement: str) -> None:
        self.run(self.aexecute(statement))

    @abstractmethod
    async def aexecute(self, statement: str) -> None: ...

    def commit(self) -> None:
        self.run(self.connection.commit())

    def rollback(self) -> None:
        self.run(self.connection.rollback())

    def close(self) -> None:
        self.run(self.aclose())
        self._loop.close()

    async def aclose(self) -> None:
        await self.connection.close()

    def enqueue(self, app: Windlass, task: Enqueueable[..., Any], *args: object) -> Job[Any]:
        async def enqueue() -> Job[Any]:
            async with app.transaction(self.connection):
                return await task.aenqueue(*args)

        return self.run(enqueue())

    def enqueue_many(self, task: Enqueueable[..., Any], calls: list[tuple[Any, ...]]) -> Jobs:
        return self.run(task.options(connection=self.connection).aenqueue_many(calls))

    def guarded(self, job: ActiveJob | ClaimedJob, statement: str) -> None:
        async def write() -> None:
            async with job.guard(self.connection):
                await self.aexecute(statement)

        self.run(write())

    def run_in(self, app: Windlass, operation: Operation[T]) -> T:
        return self.run(app.client.session.join(self.connection).arun(operation))
