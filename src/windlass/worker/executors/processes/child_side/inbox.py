"""Jobs that a child holds and has not begun."""

from __future__ import annotations

import os
from collections import deque
from multiprocessing.connection import Connection
from threading import Condition

from windlass.threads.start import start_thread
from windlass.worker.executors.processes.child_side.messages import (
    Answers,
    Exit,
    Released,
    ReleaseWaiting,
    RunJob,
    StoreAnswer,
    ToChild,
    receive_orders,
)
from windlass.worker.executors.processes.child_side.piped_store import Replies


class Inbox:
    """Filled by a thread, so that the worker never waits for user code, and its death is noticed during a run."""

    def __init__(self, pipe: Connection, answers: Answers) -> None:
        self._pipe = pipe
        self._answers = answers
        self._orders: deque[RunJob] = deque()
        self._changed = Condition()
        self._is_over = False
        self.replies = Replies()
        """What the worker answers to runs that ask the store."""
        start_thread(self._read, name="windlass-orders")

    def next(self) -> RunJob | None:
        """The next job, or None when there will be no more."""
        with self._changed:
            while not self._orders:
                if self._is_over:
                    return None
                self._changed.wait()
            return self._orders.popleft()

    def release_waiting(self) -> None:
        """Release what has not begun, before the worker has asked for it."""
        self._take([ReleaseWaiting()])

    def _read(self) -> None:
        try:
            while True:
                self._take(receive_orders(self._pipe))
        except (EOFError, OSError):
            os._exit(1)  # the worker is gone

    def _take(self, messages: list[ToChild]) -> None:
        recalled: list[int] | None = None
        with self._changed:
            for message in messages:
                match message:
                    case RunJob():
                        self._orders.append(message)
                    case ReleaseWaiting():
                        recalled = [order.job.seq for order in self._orders]
                        self._orders.clear()
                    case StoreAnswer():
                        self.replies.put(message)
                    case Exit():
                        self._is_over = True
            self._changed.notify()
        # Outside of the lock: while the pipe is full the main thread must be able to take its next job.
        if recalled:
            self._answers.send(Released(recalled))
