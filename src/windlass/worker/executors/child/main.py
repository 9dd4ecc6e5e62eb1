"""What a child process does: takes orders, runs user code on its main thread, answers."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import deque
from contextvars import Context
from dataclasses import dataclass
from multiprocessing.connection import Connection
from threading import Condition, Thread
from typing import Any

from windlass import clock
from windlass.active import running
from windlass.core.outcome import Outcome
from windlass.errors import JobInterrupted
from windlass.task import Task
from windlass.worker.attempt import Attempts
from windlass.worker.attempt import Call as Arguments
from windlass.worker.executors.child.board import Board
from windlass.worker.executors.child.finding import find
from windlass.worker.executors.child.orphan import die_with_parent
from windlass.worker.executors.child.wire import (
    Answered,
    Answers,
    Leave,
    Order,
    Progressed,
    Ready,
    Recall,
    Recalled,
    receive_orders,
)
from windlass.worker.run import Run


@dataclass(frozen=True, slots=True)
class Equipment:
    """What a worker gives its child."""

    orders: Connection
    answers: Connection
    board: Board
    parent: int
    worker: str


def main(equipment: Equipment) -> None:
    """The whole life of a child."""
    die_with_parent(equipment.parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the worker decides what it means
    child = Child(equipment)
    signal.signal(signal.SIGTERM, child.terminated)
    child.live()


class Inbox:
    """Orders that were not begun yet; filled by a thread, so that the worker never waits for user code."""

    def __init__(self, pipe: Connection, answers: Answers) -> None:
        self._pipe = pipe
        self._answers = answers
        self._orders: deque[Order] = deque()
        self._changed = Condition()
        self._is_over = False
        Thread(target=self._read, name="windlass-orders", daemon=True).start()

    def next(self) -> Order | None:
        """The next order, or None when there will be no more."""
        with self._changed:
            while not self._orders:
                if self._is_over:
                    return None
                self._changed.wait()
            return self._orders.popleft()

    def _read(self) -> None:
        try:
            while True:
                for message in receive_orders(self._pipe):
                    self._take(message)
        except (EOFError, OSError):
            os._exit(1)  # the worker is gone: nobody wants what we do

    def _take(self, message: Order | Recall | Leave) -> None:
        with self._changed:
            match message:
                case Order():
                    self._orders.append(message)
                case Recall():
                    recalled = [order.job.seq for order in self._orders]
                    self._orders.clear()
                    self._answers.send(Recalled(recalled))
                case Leave():
                    self._is_over = True
            self._changed.notify()


class Child:
    """Runs orders one after the other."""

    def __init__(self, equipment: Equipment) -> None:
        self._answers = Answers(equipment.answers)
        self._board = equipment.board
        self._worker = equipment.worker
        self._inbox = Inbox(equipment.orders, self._answers)
        self._inside: Run | None = None
        self._coroutine: asyncio.Task[Any] | None = None
        self._loop: asyncio.Runner | None = None
        self._attempts: dict[int, Attempts] = {}

    def live(self) -> None:
        self._answers.send(Ready())
        while (order := self._inbox.next()) is not None:
            answer = self._answer(order)
            self._answers.send(answer)
            # Not before the answer is on its way: a death in between must not be charged to nobody.
            self._board.end()

    def terminated(self, number: int, frame: object) -> None:
        """The worker wants a run to stop: raise in it, if it is still that run, and in user code."""
        run = self._inside
        if run is None:
            return
        run.stop = self._board.wanted_stop(run.job.seq)
        if run.stop is None:
            return
        if self._coroutine is not None:
            self._coroutine.cancel()
        else:
            raise JobInterrupted

    def _answer(self, order: Order) -> Answered:
        self._board.prepare(order.job.seq)
        try:
            task = find(order.module, order.qualname, order.job.task)
        except BaseException as error:  # importing is user code too
            outcome: Outcome = self._plain_attempts().failed_to_start(order.job, error)
            return Answered(order.job.seq, clock.monotonic(), outcome)
        run = Run(order.job, task, claimed=clock.monotonic(), report=self._report)
        return self._performed(run, task)

    def _performed(self, run: Run, task: Task[..., Any]) -> Answered:
        attempts = self._attempts_of(task)
        run.stop = self._board.wanted_stop(run.job.seq)
        if run.stop is not None:
            return Answered(run.job.seq, None, attempts.stopped(run))
        try:
            call = attempts.begin(run)
            if not isinstance(call, tuple):
                return Answered(run.job.seq, None, call)
            self._board.begin(clock.monotonic())
            outcome = attempts.returned(run, self._call(run, call))
        except BaseException as error:  # user code may raise anything; each is an outcome of its job alone
            outcome = attempts.raised(run, error)
        return Answered(run.job.seq, run.started, outcome)

    def _call(self, run: Run, arguments: Arguments) -> object:
        is_done, value = False, None
        try:
            self._inside = run
            try:
                value = Context().run(self._enter, run, *arguments)
                is_done = True
            finally:
                self._inside = None
        except JobInterrupted:
            self._inside = None
            if not is_done:
                raise
        return value

    def _enter(self, run: Run, args: tuple[object, ...], kwargs: dict[str, object]) -> object:
        running.set(run)
        if not run.task.is_async:
            return run.task.function(*args, **kwargs)
        if self._loop is None:
            self._loop = asyncio.Runner()
        return self._loop.run(self._follow(run, args, kwargs))

    async def _follow(self, run: Run, args: tuple[object, ...], kwargs: dict[str, object]) -> object:
        running.set(run)
        self._coroutine = asyncio.current_task()
        try:
            return await run.task.function(*args, **kwargs)
        finally:
            self._coroutine = None

    def _report(self, run: Run, value: float | None, text: str | None) -> bool:
        """Hand progress to the worker; a lease that is lost comes back as a stop."""
        self._answers.send(Progressed(run.job.seq, value, text))
        return self._board.wanted_stop(run.job.seq) is None

    def _attempts_of(self, task: Task[..., Any]) -> Attempts:
        app = task._app
        if id(app) not in self._attempts:
            self._attempts[id(app)] = Attempts(
                codec=app._codec,
                retry=app._default_retry,
                give_up_on=app._give_up_on,
                worker=self._worker,
                now=app._now,
            )
        return self._attempts[id(app)]

    def _plain_attempts(self) -> Attempts:
        from windlass.core.codec import Codec
        from windlass.core.retry import Retry

        return Attempts(codec=Codec(), retry=Retry(), give_up_on=(), worker=self._worker, now=clock.now)
