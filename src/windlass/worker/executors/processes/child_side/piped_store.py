"""The store as a run in a child asks it: through the worker.

The worker knows where the store is, and has the connections.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Condition
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
        self._send(StoreCall(self._seq, number, call.name, dict(call.params), call.lane.value))
        reply = self._replies.take(number)
        if reply.answer is None:
            raise StoreUnavailable(reply.error) if reply.is_away else WindlassError(reply.error)
        return reply.answer


class Replies:
    """What the worker has answered; filled by the thread that reads its messages."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._last = 0
        self._found: dict[int, StoreAnswer | None] = {}
        """By number; None until it has come."""

    def expect(self) -> int:
        """The number of a new question."""
        with self._changed:
            self._last += 1
            self._found[self._last] = None
            return self._last

    def take(self, number: int) -> StoreAnswer:
        """Wait for the answer. One that is not waited for any more is dropped when it comes."""
        try:
            with self._changed:
                while (found := self._found[number]) is None:
                    self._changed.wait()
                return found
        finally:
            self._found.pop(number, None)

    def put(self, answer: StoreAnswer) -> None:
        with self._changed:
            if answer.number in self._found:
                self._found[answer.number] = answer
                self._changed.notify_all()
