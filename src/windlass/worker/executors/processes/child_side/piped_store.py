"""The store as a run in a child asks it: through the worker.

The worker knows where the store is, and has the connections.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from queue import SimpleQueue
from typing import TypeVar

from windlass.active_job import deliver_interrupt
from windlass.errors import StoreUnavailable, WindlassError
from windlass.store.operation import Answer, Call, Operation, drive
from windlass.threads.in_thread import in_thread
from windlass.worker.executors.processes.child_side.messages import StoreAnswer, StoreCall

A = TypeVar("A")


class PipedStore:
    """Asks for one run; may be used by several of its threads."""

    def __init__(self, replies: Replies, send: Callable[[StoreCall], None], *, seq: int) -> None:
        self._replies = replies
        self._send = send
        self._seq = seq

    def run(self, operation: Operation[A]) -> A:
        """Run an operation on the calling thread."""
        answer = drive(operation, self._execute)
        deliver_interrupt()
        return answer

    async def arun(self, operation: Operation[A]) -> A:
        """``run`` while the loop goes on."""
        return await in_thread(self.run, operation)

    def _execute(self, call: Call) -> Answer:
        number = self._replies.expect()
        try:
            self._send(StoreCall(self._seq, number, call.name, dict(call.params), call.lane.value))
            reply = self._replies.take(number)
        finally:
            self._replies.forget(number)
        if reply.answer is None:
            raise StoreUnavailable(reply.error) if reply.is_away else WindlassError(reply.error)
        return reply.answer


class Replies:
    """What the worker has answered; filled by the thread that reads its messages.

    It has no lock: an exception of a job's own signal handler could leave that taken, and the child would never again
    read what its worker sends.
    """

    def __init__(self) -> None:
        self._numbers = count(1)
        self._awaited: dict[int, SimpleQueue[StoreAnswer]] = {}
        """By number."""

    def expect(self) -> int:
        """The number of a new question."""
        number = next(self._numbers)
        self._awaited[number] = SimpleQueue()
        return number

    def take(self, number: int) -> StoreAnswer:
        """Wait for the answer."""
        return self._awaited[number].get()

    def forget(self, number: int) -> None:
        """Wait for this answer no more; it is dropped when it comes."""
        self._awaited.pop(number, None)

    def put(self, answer: StoreAnswer) -> None:
        awaited = self._awaited.get(answer.number)
        if awaited is not None:
            awaited.put(answer)
