"""The entry of a child: takes jobs, runs user code on the main thread, answers."""

from __future__ import annotations

import os
import signal
from contextvars import Context, copy_context
from math import inf
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import get_ident, main_thread
from types import FrameType
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from windlass import clock
from windlass.active_job import running
from windlass.core.outcome import Outcome, StopReason
from windlass.errors import JobInterrupted, StartRefused
from windlass.steps.run_steps import StepStore
from windlass.task import Task
from windlass.threads.start import start_thread
from windlass.worker.executors.processes.child_side.inbox import Inbox
from windlass.worker.executors.processes.child_side.messages import (
    Answers,
    Progressed,
    Ready,
    RunDone,
    RunJob,
)
from windlass.worker.executors.processes.child_side.parent_death import die_with_parent
from windlass.worker.executors.processes.child_side.piped_store import PipedStore
from windlass.worker.executors.processes.child_side.reset import ProcessState, has_timer, stop_timer
from windlass.worker.executors.processes.child_side.run import ChildRun
from windlass.worker.executors.processes.child_side.shared_memory import SharedRunState
from windlass.worker.executors.processes.child_side.task_lookup import find
from windlass.worker.executors.user_code import is_user_code
from windlass.worker.process.forked_signals import reset_sigterm_in_forks
from windlass.worker.runs.attempt import AttemptRules
from windlass.worker.runs.attempt import Call as Arguments
from windlass.worker.runs.logs.job_log import capture_logs, capture_prints
from windlass.worker.runs.run import Run

if TYPE_CHECKING:
    import asyncio

_TRY_AGAIN = 0.005
_ONCE_WITHIN = 0.5
"""Seconds after an interrupt in which another signal is ignored, as one that was on its way already; the worker asks
again after one second.
"""
_WANTS_ALL_BACK = (StopReason.SHUTDOWN, StopReason.LOST)
"""Stop reasons for which the worker takes back all runs, also those that have not begun."""


REFUSED = 76
"""The exit code of a child for which the system had no thread."""


class ChildPipes(Struct, frozen=True):
    """What a worker gives its child."""

    orders: Connection
    answers: Connection
    shared: SharedRunState
    parent: int
    worker: str


def main(pipes: ChildPipes) -> None:
    """The whole life of a child."""
    die_with_parent(pipes.parent)
    # A group of its own: Ctrl-C at a terminal goes to the worker alone, and what jobs started can be killed with it.
    os.setpgid(0, 0)
    # A job that forks must not have its copy of this process answer, nor keep the pipes open.
    os.register_at_fork(after_in_child=pipes.orders.close)
    os.register_at_fork(after_in_child=pipes.answers.close)
    capture_logs()
    capture_prints()
    try:
        child = Child(pipes)
    except StartRefused:
        os._exit(REFUSED)
    child.live()


class Child:
    """Runs jobs one after the other."""

    def __init__(self, pipes: ChildPipes) -> None:
        self._answers = Answers(pipes.answers)
        self._shared = pipes.shared
        self._worker = pipes.worker
        self._inbox = Inbox(pipes.orders, self._answers)
        self._process_state = ProcessState(self._terminated)
        reset_sigterm_in_forks(self._terminated)
        self._inside: Run | None = None
        self._interrupted: tuple[Run | None, float] = (None, -inf)
        """The run that was interrupted last, and when, on the monotonic clock."""
        self._coroutine: asyncio.Task[Any] | None = None
        self._loop: asyncio.Runner | None = None
        self._attempts: dict[int, AttemptRules] = {}
        # A signal handler may put into this queue; it cannot start a thread.
        self._unheard: SimpleQueue[Run] = SimpleQueue()
        start_thread(self._try_again, name="windlass-interrupts")

    def live(self) -> None:
        self._process_state.restore()
        self._answers.send(Ready())
        while (order := self._inbox.next()) is not None:
            answer = self._answer(order)
            if self._shared.wanted_stop(order.job) in _WANTS_ALL_BACK:
                self._inbox.release_waiting()  # the worker's request to do so may still be on its way
            self._answers.send(answer)
            # Not before the answer is on its way: a death in between is charged to this job.
            self._shared.end()
            self._process_state.restore()

    def _terminated(self, number: int, frame: FrameType | None) -> None:
        """The worker wants a run to stop: raise in it, if it is still that run, and in user code.

        A run that calls our own code, or logs, is interrupted when it leaves that, or at a later try.
        """
        run = self._inside
        if run is None:
            return
        was_told = run.stop is not None
        run.stop = self._shared.wanted_stop(run.job)
        if run.stop is None or (run.is_cooperative and not was_told) or not run.task.is_interruptible:
            return
        if not run.task.is_async:
            self._interrupt(run, frame)
        elif self._coroutine is not None:
            # A signal alone does not wake a loop that sleeps.
            self._coroutine.get_loop().call_soon_threadsafe(self._coroutine.cancel)

    def _interrupt(self, run: Run, frame: FrameType | None) -> None:
        now = clock.monotonic()
        if not run.wants_interrupt and run is self._interrupted[0] and now - self._interrupted[1] < _ONCE_WITHIN:
            return  # it would interrupt the clean-up of a run that stops
        if is_user_code(frame):
            run.wants_interrupt, self._interrupted = False, (run, now)
            raise JobInterrupted
        if not run.wants_interrupt:
            run.wants_interrupt = True
            self._unheard.put(run)

    def _try_again(self) -> None:
        """Send the signal again, a few milliseconds later, for runs that were not in user code; on a thread."""
        while True:
            run = self._unheard.get()
            while run.wants_interrupt and self._inside is run:
                clock.sleep(_TRY_AGAIN)
                signal.pthread_kill(main_thread().ident or 0, signal.SIGTERM)

    def _answer(self, order: RunJob) -> RunDone:
        self._shared.prepare(order.job.seq)
        try:
            task = find(order.module, order.qualname, order.job.task)
        except BaseException as error:  # importing is user code too
            outcome: Outcome = self._plain_attempts().failed_to_start(order.job, error)
            return RunDone(order.job.seq, clock.monotonic(), outcome)
        run = ChildRun(
            order.job,
            task,
            claimed=order.claimed,
            report=self._report,
            steps=self._steps_of(task, order.job.seq),
            shared=self._shared,
        )
        return self._performed(run, task)

    def _performed(self, run: Run, task: Task[..., Any]) -> RunDone:
        attempts = self._attempts_of(task)
        run.stop = self._shared.wanted_stop(run.job)
        if run.stop is not None:
            return RunDone(run.job.seq, None, attempts.stopped(run))
        try:
            call = attempts.begin(run)
            if not isinstance(call, tuple):
                return RunDone(run.job.seq, None, call)
            self._shared.begin(clock.monotonic())
            outcome = attempts.returned(run, self._call(run, call))
        except BaseException as error:  # user code may raise anything; each is an outcome of its job alone
            outcome = attempts.raised(run, error)
        return RunDone(run.job.seq, run.started, outcome)

    def _call(self, run: Run, arguments: Arguments) -> object:
        is_done, value, is_timed = False, None, has_timer()
        try:
            run.thread = get_ident()
            self._inside = run
            try:
                self._stop_if_wanted(run)
                value = Context().run(self._enter, run, *arguments)
                is_done = True
            finally:
                self._inside = None
                if not is_timed:
                    stop_timer()
        except JobInterrupted:
            self._inside = None
            if not is_done:
                raise
        return value

    def _stop_if_wanted(self, run: Run) -> None:
        """Stop a run whose signal came before user code began, and so had no effect."""
        run.stop = self._shared.wanted_stop(run.job)
        if run.stop is not None:
            raise JobInterrupted

    def _enter(self, run: Run, args: tuple[object, ...], kwargs: dict[str, object]) -> object:
        running.set(run)
        if not run.task.is_async:
            return run.task.hooked(*args, **kwargs)
        if self._loop is None:
            from asyncio import Runner  # a sixth of the start of a child, for sync tasks in vain

            self._loop = Runner()
        # The context of this run: by default a runner would use one for all of them.
        return self._loop.run(self._follow(run, args, kwargs), context=copy_context())

    async def _follow(self, run: Run, args: tuple[object, ...], kwargs: dict[str, object]) -> object:
        from asyncio import current_task

        self._coroutine = current_task()
        try:
            self._stop_if_wanted(run)
            return await run.task.hooked(*args, **kwargs)
        finally:
            self._coroutine = None

    def _report(self, run: Run, value: float | None, text: str | None) -> bool:
        """Send progress to the worker; false when the worker has said that the lease is lost."""
        self._answers.send(Progressed(run.job.seq, value, text))
        return self._shared.wanted_stop(run.job) is not StopReason.LOST

    def _attempts_of(self, task: Task[..., Any]) -> AttemptRules:
        client = task.app.client
        if id(client) not in self._attempts:
            self._attempts[id(client)] = AttemptRules(
                codec=client.codec,
                retry=client.retry,
                give_up_on=client.give_up_on,
                worker=self._worker,
                now=client.now,
            )
        return self._attempts[id(client)]

    def _steps_of(self, task: Task[..., Any], seq: int) -> StepStore:
        return StepStore(
            PipedStore(self._inbox.replies, self._answers.send, seq=seq), task.app.client.codec, self._worker
        )

    def _plain_attempts(self) -> AttemptRules:
        from windlass.core.codec import Codec
        from windlass.core.retry import Retry

        return AttemptRules(codec=Codec(), retry=Retry(), give_up_on=(), worker=self._worker, now=clock.now)
