"""Finds the caller's transaction that a job becomes part of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar

from windlass.errors import ConfigError
from windlass.options import NO_OPTIONS
from windlass.store.caller.joined import Joined
from windlass.task import Request

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
        self._join = join

    def begin(self, connection: object) -> Transaction:
        """A block for this connection; refuses one that the store cannot use."""
        return Transaction(self, connection, self._join(connection))

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
        return block.joined if block is not None and meant is around else self._join(meant)


def _are_plain(requests: Sequence[Request]) -> bool:
    for request in requests:  # noqa: SIM110  # a generator for all() would take longer than the check itself
        if request.options is not NO_OPTIONS:
            return False
    return True
