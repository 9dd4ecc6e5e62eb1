"""An operation: a generator that yields named calls and never sees a connection.

The generator holds what is common to all stores (encoding, decoding, deciding); how a call is carried out belongs to
the store. One call is one atomic unit. The same generator is driven by a thread, by an event loop, or inside the
caller's own transaction, so nothing is written twice.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Mapping
from enum import Enum
from typing import Any, TypeVar

from msgspec import Struct, field

A = TypeVar("A")
Q = TypeVar("Q")
S = TypeVar("S")


class Lane(Enum):
    """Which of a store's connections a call travels on, so that one kind of work cannot hold up another."""

    WRITE = "write"
    READ = "read"
    HEARTBEAT = "beat"
    """Heartbeats: must get through however busy the other lanes are."""
    CONTROL = "ask"
    """What a heartbeat asks: only reads, and must get through like it."""
    UPKEEP = "upkeep"
    """Writes that no caller waits for, and that may wait a moment for a commit to share."""

    @property
    def writes(self) -> bool:
        """Whether a call whose answer was lost may have left something behind."""
        return self is not Lane.READ and self is not Lane.CONTROL

    @property
    def is_of_heartbeats(self) -> bool:
        return self is Lane.HEARTBEAT or self is Lane.CONTROL


class Call(Struct, frozen=True, gc=False):
    """One named request to a store; the name is the name of its file in ``calls/``."""

    name: str
    params: Mapping[str, Any] = field(default_factory=dict)
    """Plain values by name; lists of rows stay lists, the store chooses how they travel."""
    lane: Lane = Lane.WRITE


Answer = Mapping[str, Any]
"""The rows each part of a call gave, by the part's name; `answers.py` turns them into records."""

Operation = Generator[Call, Answer, A]


def drive(operation: Generator[Q, S, A], execute: Callable[[Q], S]) -> A:
    """Run an operation, or any generator of its kind, to its end on the calling thread."""
    try:
        call = next(operation)
        while True:
            try:
                answer = execute(call)
            except BaseException as error:  # the operation may want to react: undo what is half done, split a batch
                call = operation.throw(error)
            else:
                call = operation.send(answer)
    except StopIteration as stop:
        result: A = stop.value
        return result


async def adrive(operation: Generator[Q, S, A], execute: Callable[[Q], Awaitable[S]]) -> A:
    """``drive`` for what has to be awaited: the caller's own async connection."""
    try:
        call = next(operation)
        while True:
            try:
                answer = await execute(call)
            except BaseException as error:
                call = operation.throw(error)
            else:
                call = operation.send(answer)
    except StopIteration as stop:
        result: A = stop.value
        return result
