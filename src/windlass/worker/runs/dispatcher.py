"""Starts runs in order, on all executors, within one number of slots."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from threading import Lock
from typing import Protocol

from windlass import clock
from windlass.core.ending import Ending, has_failed
from windlass.core.outcome import StopReason
from windlass.core.records import Claimed
from windlass.worker.runs.run import Run
from windlass.worker.runs.run_buffer import RunBuffer
from windlass.worker.runs.slots import Slots

log = logging.getLogger("windlass.worker")


class Executor(Protocol):
    """Starts runs at once, and reports each ending to the dispatcher."""

    def start(self, runs: list[Run]) -> list[Run]:
        """Start runs; returns those for which the system refuses a thread or a process. None of them has begun."""

    def interrupt(self, run: Run) -> None:
        """Stop a run as soon as possible; its ``stop`` says why."""

    def abandon(self, run: Run) -> None:
        """Go on without a run that does not stop; what it occupies is lost."""

    def close(self) -> None:
        """End what is idle; what does not stop is left behind."""


class RoomyExecutor(Executor, Protocol):
    """An executor that cannot start everything at once."""

    @property
    def room(self) -> int:
        """How many more runs would begin soon."""


class Dispatcher:
    """Starts runs in the order in which they were claimed, never more than ``concurrency`` at once.

    The thread that ends a run takes the next one, so a busy worker hands nothing over between threads.
    """

    def __init__(
        self, *, concurrency: int, on_ended: Callable[[], None], on_run: Callable[[Run, float, float], None]
    ) -> None:
        self.concurrency = concurrency
        self._on_ended = on_ended
        self._on_run = on_run
        self._lock = Lock()
        self._slots = Slots(concurrency)
        self._buffer = RunBuffer(lambda: self.processes.room)
        self._running: dict[Run, None] = {}
        """By run, not by job: a job whose lease was lost and that was claimed again may still occupy its first slot."""
        self._endings: list[tuple[Ending, Claimed]] = []
        self._low = 0
        self.refill_at = 0
        """With so few waiting runs more are to be fetched, if there are many: the executors need the rest of them while
        the store is asked.
        """
        self._may_start = True
        self.may_fetch = True
        """Whether the store may have more; if not, a low buffer is no reason to wake the pump."""
        self.ended_count = 0
        self.failed_count = 0
        """Runs that ended with an error, whether their jobs run again or not; also abandoned ones."""
        self._stuck: set[Run] = set()
        """Abandoned runs that still execute."""
        self.abandoned_count = 0
        self.threads: Executor
        self.loop: Executor
        self.processes: RoomyExecutor

    @property
    def in_flight(self) -> int:
        """How many runs are started or wait for their turn."""
        return len(self._running) + len(self._buffer)

    def waiting_for_child(self) -> list[Run]:
        """Runs that wait for a child process; they take no slot from runs on other executors."""
        if not self._buffer:
            return []
        with self._lock:
            return self._buffer.waiting_for_child()

    @property
    def missing_slots(self) -> int:
        """How many slots are out of use because the system refuses threads or processes."""
        return self._slots.missing

    def startable(self, runs: Iterable[Run]) -> list[Run]:
        """Those of these runs that would start at once."""
        free = self._slots.count - self.in_flight + len(self.waiting_for_child())
        children = self.processes.room
        found: list[Run] = []
        for run in runs:
            if len(found) >= free:
                break
            if run.task.is_isolated:
                if not children:
                    continue
                children -= 1
            found.append(run)
        return found

    @property
    def stuck_count(self) -> int:
        """Abandoned runs that still execute, without those whose lease was lost."""
        return sum(run.stop is not StopReason.LOST for run in self._stuck.copy())

    @property
    def running_count(self) -> int:
        return len(self._running)

    @property
    def buffered(self) -> int:
        return len(self._buffer)

    @property
    def has_plenty(self) -> bool:
        """Whether the executors have enough runs for a while."""
        return len(self._buffer) > self._low

    @property
    def has_endings(self) -> bool:
        return bool(self._endings)

    @property
    def is_busy(self) -> bool:
        return bool(self._running or self._buffer or self._endings)

    def has(self, run: Run) -> bool:
        """Whether a run is started or waits for its turn."""
        with self._lock:
            return run in self._running or run in self._buffer

    def in_hand(self) -> list[Run]:
        """What runs and what waits for its turn."""
        with self._lock:
            return [*self._running, *self._buffer]

    def running(self) -> list[Run]:
        """What runs at this moment."""
        with self._lock:
            return list(self._running)

    def start_no_more(self) -> None:
        """Start nothing more; the pump releases what waits in the buffer."""
        with self._lock:
            self._may_start = False

    def add(self, runs: Iterable[Run]) -> None:
        """Add runs; those that find a slot start at once."""
        with self._lock:
            self._buffer.extend(runs)
            started = self._fill_slots()
            self._low = max(len(self._buffer) // 3, self.refill_at)
        self._start(started)

    def holds(self) -> set[tuple[int, int]]:
        """The seq and fence of every job that runs, waits, or has ended and was not collected yet."""
        with self._lock:
            jobs = [run.job for run in (*self._running, *self._buffer)] + [job for _, job in self._endings]
        return {(job.seq, job.fence) for job in jobs}

    def add_endings(self, endings: Iterable[tuple[Ending, Claimed]]) -> None:
        """Add endings of jobs that never ran, or of runs that were abandoned."""
        added = list(endings)
        with self._lock:
            self._endings += added
            self.failed_count += sum(ending.ran_for is not None and has_failed(ending) for ending, _ in added)
        self._on_ended()

    def finished(self, run: Run, ending: Ending, executor: Executor) -> Run | None:
        """Add the ending of a run; returns the next run if it is for the same executor."""
        with self._lock:
            if run not in self._running:
                self._stuck.discard(run)
                return None  # it was dropped, and another run has its slot by now
            del self._running[run]
            is_first = not self._endings
            self._endings.append((ending, run.job))
            self.ended_count += 1
            if has_failed(ending):
                self.failed_count += 1
            following = self._take_next()
            if self.may_fetch:
                is_urgent = len(self._buffer) <= self._low
            else:
                is_urgent = not self._buffer and (is_first or not self._running)
        if run.started is not None:
            now = clock.monotonic()
            self._on_run(run, now - run.started, now)
        if is_urgent:
            self._on_ended()
        if following is None or self._executor(following) is executor:
            return following
        self._start([following])
        return None

    def take_endings(self) -> list[tuple[Ending, Claimed]]:
        """The endings since the last call."""
        with self._lock:
            endings, self._endings = self._endings, []
        return endings

    def unmarked(self, *, running_since: float) -> list[Run]:
        """Runs that started before then and have no start mark in the store yet."""
        with self._lock:
            return [
                run
                for run in self._running
                if not run.is_marked and run.started is not None and run.started <= running_since
            ]

    def oldest_unmarked(self, *, now: float) -> float | None:
        """When the oldest run without a start mark was started; one that is about to start counts as now."""
        with self._lock:
            return min((run.started or now for run in self._running if not run.is_marked), default=None)

    def remove_buffered(self, is_wanted: Callable[[Run], bool]) -> list[Run]:
        """Take runs out of the buffer."""
        with self._lock:
            return self._buffer.withdraw(is_wanted)

    def requeue(self, runs: Iterable[Run]) -> None:
        """Put runs that their executor has not begun at the head of the buffer."""
        with self._lock:
            self._requeue(runs)
            started = self._fill_slots()
        self._start(started)

    def check(self, now: float) -> None:
        """Use more slots again, some time after the system refused a thread or a process."""
        with self._lock:
            if not self._slots.grow(now):
                return
            is_over = not self._slots.missing
            started = self._fill_slots()
        if is_over:
            log.info("trying to run %s jobs at once again", self.concurrency)
        self._start(started)
        self._on_ended()  # there are free slots

    def drop(self, runs: Iterable[Run]) -> list[Run]:
        """Free the slots of runs that do not end in time; their endings are dropped from now on."""
        with self._lock:
            given_up = [run for run in runs if run in self._running]
            for run in given_up:
                del self._running[run]
            started = self._fill_slots()
        self._start(started)
        return given_up

    def stop(self, runs: Iterable[Run], why: StopReason) -> None:
        """Ask runs to stop; the first reason counts. A cooperative run checks for itself and is not interrupted.

        All are marked before any is interrupted, and the newest is interrupted first: a run that waits in a child must
        not begin when the run before it has stopped.
        """
        with self._lock:
            asked = [run for run in runs if run.stop is None]
            for run in asked:
                run.stop = why
                run.stop_asked = run.last_asked = clock.monotonic()
        for run in reversed(asked):
            if not run.is_cooperative:
                self._executor(run).interrupt(run)

    def interrupt_again(self, run: Run) -> None:
        """Ask a run once more that has not stopped."""
        run.last_asked = clock.monotonic()
        self._executor(run).interrupt(run)

    def abandon(self, run: Run) -> bool:
        """Go on without a run that does not stop: its slot is free, its ending is dropped; false if it has ended."""
        with self._lock:
            if run not in self._running:
                return False
            del self._running[run]
            self._stuck.add(run)
            self.abandoned_count += 1
            started = self._fill_slots()
        self._executor(run).abandon(run)  # first: the next run must not wait for what it occupies
        self._start(started)
        return True

    def _fill_slots(self) -> list[Run]:
        started: list[Run] = []
        isolated = 0
        while len(self._running) < self._slots.count:
            run = self._take_next(before=isolated)
            if run is None:
                break
            isolated += run.task.is_isolated
            started.append(run)
        return started

    def _take_next(self, *, before: int = 0) -> Run | None:
        if not (self._buffer and self._may_start):
            return None
        run = self._buffer.take(before=before)
        if run is not None:
            self._running[run] = None
        return run

    def _executor(self, run: Run) -> Executor:
        if run.task.is_isolated:
            return self.processes
        return self.loop if run.task.is_async else self.threads

    def _start(self, runs: list[Run]) -> None:
        refused: list[Run] = []
        for executor in (self.loop, self.threads, self.processes):
            theirs = [run for run in runs if self._executor(run) is executor]
            if theirs:
                refused += executor.start(theirs)
            if len(theirs) == len(runs):
                break  # one kind of task is the usual case
        if refused:
            self._put_off(refused)

    def _put_off(self, runs: list[Run]) -> None:
        """Put runs that could not be started back into the buffer; the pump releases those that wait for too long."""
        with self._lock:
            self._requeue(runs)
            is_new = self._slots.refuse(running=len(self._running), now=clock.monotonic())
            count = self._slots.count
        if is_new:
            log.error(
                "the system refuses a thread or a file that another run needs; running %s jobs at once instead of %s "
                "until it gives more. Its limits of threads, open files and memory may be too low",
                count,
                self.concurrency,
            )

    def _requeue(self, runs: Iterable[Run]) -> None:
        back = [run for run in runs if run in self._running]
        for run in back:
            del self._running[run]
        self._buffer.rejoin(back)
