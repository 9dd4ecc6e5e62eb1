"""The caller's transactions: jobs become part of one, and a running job guards one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING

from windlass.client.job_changes import find_record
from windlass.core.state import State
from windlass.errors import ConfigError, JobNotFound, LeaseLost
from windlass.options import NO_OPTIONS
from windlass.store.caller.joined import Joined
from windlass.store.operation import Operation
from windlass.store.operations import jobs
from windlass.task import Request

if TYPE_CHECKING:
    from windlass.client.client import Client

_entered: ContextVar[tuple[Transaction, ...]] = ContextVar("windlass_transactions", default=())
"""The blocks that this thread or task is in, of all apps, the innermost last."""


class Transaction:
    """The block of ``with app.transaction(connection)``: what it enqueues belongs to the connection's transaction.

    >>> import sqlite3
    >>> from windlass import Windlass
    >>> app = Windlass("sqlite:///shop.db?driver=stdlib")
    >>> @app.task
    ... def receipt(order: int) -> None: ...
    >>> shop = sqlite3.connect("shop.db")
    >>> with shop, app.transaction(shop):
    ...     job = receipt.enqueue(7)
    >>> app.job(job.id).state
    <State.PENDING: 'pending'>
    >>> shop.close()
    >>> app.close()
    """

    def __init__(self, owner: Transactions, connection: object, joined: Joined) -> None:
        self._owner = owner
        self.connection = connection
        self.joined = joined
        self.is_over = False
        """A task that was started in the block may live longer than it, and must not use the connection then."""

    def __enter__(self) -> None:
        _entered.set((*_entered.get(), self))

    def __exit__(self, *exception: object) -> None:
        self.is_over = True
        if any(exception):
            self.joined.abandon()
        # Not by a token: frameworks may leave a block in another context than they entered it.
        _entered.set(tuple(block for block in _entered.get() if block is not self))

    async def __aenter__(self) -> None:
        self.__enter__()

    async def __aexit__(self, *exception: object) -> None:
        self.__exit__()

    def is_of(self, owner: Transactions) -> bool:
        return self._owner is owner and not self.is_over


class Transactions:
    """One app's part in its callers' transactions."""

    def __init__(self, join: Callable[[object], Joined]) -> None:
        self.join = join
        """Where a connection's transaction is joined; refuses one that the store cannot use."""

    def begin(self, connection: object) -> Transaction:
        """A block for this connection; refuses one that the store cannot use."""
        return Transaction(self, connection, self.join(connection))

    def joined(self, requests: Sequence[Request]) -> Joined | None:
        """The transaction that these requests belong to: their own connection's, else that of the innermost block."""
        if not _entered.get() and _are_plain(requests):
            return None  # nearly every enqueue
        block = next((block for block in reversed(_entered.get()) if block.is_of(self)), None)
        around = None if block is None else block.connection
        own = {id(request.options.connection): request.options.connection for request in requests}
        [meant, *others] = [around if connection is None else connection for connection in own.values()] or [around]
        if any(other is not meant for other in others):
            raise ConfigError("enqueue_many stores all jobs or none, so all its requests need the same connection")
        if meant is None:
            return None
        return block.joined if block is not None and meant is around else self.join(meant)


def _are_plain(requests: Sequence[Request]) -> bool:
    for request in requests:  # noqa: SIM110  # a generator for all() would take longer than the check itself
        if request.options is not NO_OPTIONS:
            return False
    return True


class Guard:
    """The block of ``with job.guard(connection)``, or ``async with`` where the connection is an async one.

    From its beginning to the end of the connection's transaction no other run can take the job over: what the
    transaction writes is committed by the job's owner, or not at all. Raises ``LeaseLost`` where the job has another
    owner already, or none. Begins, commits and rolls back nothing.

    >>> import sqlite3
    >>> from windlass import ActiveJob, Windlass
    >>> app = Windlass("sqlite:///shop.db?driver=stdlib")
    >>> shop = sqlite3.connect("shop.db", check_same_thread=False)
    >>> _ = shop.execute("CREATE TABLE paid (customer INTEGER)")
    >>> @app.task
    ... def charge(customer: int, job: ActiveJob) -> None:
    ...     with shop, job.guard(shop):  # the transaction is committed at the end
    ...         shop.execute("INSERT INTO paid VALUES (?)", [customer])
    >>> job = app.enqueue(charge, 7)
    >>> app.worker().run_until_empty()
    1
    >>> shop.execute("SELECT customer FROM paid").fetchall()
    [(7,)]
    >>> shop.close()
    >>> app.close()
    """

    def __init__(
        self, client: Client, connection: object, *, id: str, fence: int, is_over: Callable[[], bool] = lambda: False
    ) -> None:
        """``is_over`` says whether the worker has ended the run without waiting for its code."""
        self._client = client
        self._connection = connection
        self._id = id
        self._fence = fence
        self._is_over = is_over

    def __enter__(self) -> None:
        joined = self._client.transactions.join(self._connection)
        if joined.is_async:
            raise ConfigError("the connection is an async one: use `async with job.guard(connection)`")
        seq = self._client.session.run(self._held())
        joined.run(jobs.guard(seq))
        self._client.session.run(self._held())

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if kind is None and self._is_over():
            raise self._lost("the worker has ended this run, which did not stop when it had to")

    async def __aenter__(self) -> None:
        joined = self._client.transactions.join(self._connection)
        if not joined.is_async:
            raise ConfigError(
                "the connection is not an async one and would block the event loop: use `with job.guard(connection)`, "
                "on a thread if need be"
            )
        seq = await self._client.session.arun(self._held())
        await joined.arun(jobs.guard(seq))
        await self._client.session.arun(self._held())

    async def __aexit__(self, kind: object, error: object, trace: object) -> None:
        self.__exit__(kind, error, trace)

    def _held(self) -> Operation[int]:
        """The job's seq, if it runs under our fence.

        It is read before the guard, so that a run that has lost its lease does not touch the transaction, and again
        under the guard, when no other run can take the job over. It is read on a connection of our own: the caller's
        may see the store as it was when its transaction began.
        """
        try:
            record = yield from find_record(self._id)
        except JobNotFound:
            raise self._lost("it was deleted") from None
        if record.state is not State.RUNNING or record.fence != self._fence:
            raise self._lost(f"it is {record.state} under fence {record.fence}")
        return record.seq

    def _lost(self, why: str) -> LeaseLost:
        return LeaseLost(f"job {self._id}: this run (fence {self._fence}) does not hold it any more, {why}; roll back")
