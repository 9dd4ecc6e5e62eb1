"""Runs operations inside the caller's transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from windlass.errors import ConfigError
from windlass.store.caller.adopt import channel_of
from windlass.store.caller.channel import AsyncChannel, Channel
from windlass.store.caller.script import Script
from windlass.store.operation import Answer, Call, Operation, adrive, drive

A = TypeVar("A")


class Joined:
    """One connection of the caller's, and how the store carries out a call on it. Commits and rolls back nothing."""

    def __init__(self, channel: Channel | AsyncChannel, carry_out: Callable[[Call], Script[Answer]]) -> None:
        self._channel = channel
        self._carry_out = carry_out

    @property
    def is_async(self) -> bool:
        """Whether the connection is one that is awaited."""
        return isinstance(self._channel, AsyncChannel)

    def run(self, operation: Operation[A]) -> A:
        """Run an operation on a connection that blocks."""
        channel = self._channel
        if isinstance(channel, AsyncChannel):
            operation.close()
            raise ConfigError("the transaction's connection is an async one: await aenqueue(...) or aenqueue_many(...)")
        with _explaining_the_encoding():
            return drive(operation, lambda call: drive(self._carry_out(call), channel.take))

    def abandon(self) -> None:
        """The block of this transaction was left by an exception; the caller's own rollback takes the jobs along."""

    async def arun(self, operation: Operation[A]) -> A:
        """Run an operation on a connection that is awaited."""
        channel = self._channel
        if isinstance(channel, Channel):
            operation.close()
            raise ConfigError(
                "the transaction's connection is not an async one and would block the event loop: call enqueue(...) or "
                "enqueue_many(...), on a thread if need be"
            )
        with _explaining_the_encoding():
            return await adrive(operation, lambda call: adrive(self._carry_out(call), channel.take))


@contextmanager
def _explaining_the_encoding() -> Iterator[None]:
    """Our own connections speak UTF-8; a caller's speaks what its database or its application has chosen."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise ConfigError(
            f"the connection's client_encoding cannot write {error.object[error.start]!r}, which is in the job; "
            "set it to UTF8, or enqueue without the connection"
        ) from None


def join(connection: object, carry_out: Callable[[Call], Script[Answer]], *, database: str, store: str) -> Joined:
    """Join the caller's transaction, if its connection is to the kind of database that the store is made of."""
    channel = channel_of(connection)
    if channel.database != database:
        raise ConfigError(
            f"{store}: the store is in another database than the connection {connection!r}, which is to "
            f"{channel.database}; enqueue without it, or keep the jobs in the same database as your data"
        )
    return Joined(channel, carry_out)
