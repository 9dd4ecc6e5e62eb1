"""Runs functions in child processes."""

from __future__ import annotations

import atexit
import logging
import os
from collections import deque
from contextlib import suppress
from multiprocessing import get_context
from threading import Lock, Thread

from windlass import clock
from windlass.core.outcome import Interrupted, Outcome, StopReason
from windlass.errors import ConfigError, StartRefused
from windlass.threads.start import start_thread
from windlass.threads.wakeup import Wakeup
from windlass.worker.executors.processes.child import ChildProcess
from windlass.worker.executors.processes.child_side.messages import (
    FromChild,
    Progressed,
    Ready,
    Released,
    RunDone,
    RunJob,
    StoreCall,
)
from windlass.worker.executors.processes.child_side.task_lookup import place_of
from windlass.worker.executors.processes.recycling import ChildLimits
from windlass.worker.executors.processes.store_calls import answered
from windlass.worker.runs.attempt import AttemptRules
from windlass.worker.runs.dispatcher import Dispatcher
from windlass.worker.runs.logs.job_fields import about
from windlass.worker.runs.run import Run

log = logging.getLogger("windlass.worker")

_LOOK_EVERY = 0.05
_RECALL_AFTER = 0.05
_KILL_AFTER = 5.0
_LEAVE_WITHIN = 5.0
_IDLE_CLEAN_UP = 0.3
"""How long idle children have for their own clean-up when the worker ends."""
_AFTER_FAILURE = 1.0
_STARTS_ALLOWED = 3
_LONGEST_BACK_OFF = 30.0


class ProcessExecutor:
    """Children that are started when they are first needed and stay, one run at a time each."""

    def __init__(self, *, attempts: AttemptRules, dispatcher: Dispatcher, limits: ChildLimits, worker: str) -> None:
        self._attempts = attempts
        self._dispatcher = dispatcher
        self._limits = limits
        self._worker = worker
        self._context = get_context("spawn")
        self._lock = Lock()
        self._children: list[ChildProcess] = []
        self._waiting: deque[Run] = deque()
        self._failed_starts = 0
        """How many children in a row did not come up."""
        self._refused_starts = 0
        """How many times in a row the system could not start a child: that is no fault of any job."""
        self._next_start = 0.0
        self._owner = os.getpid()
        self._is_closed = False
        self._wake = Wakeup()
        self._watcher: Thread | None = None
        self._is_at_rest = False
        """Whether the thread that watches the children sleeps until it is woken."""

    @property
    def room(self) -> int:
        """How many more runs would begin soon."""
        with self._lock:
            return max(0, self._places())

    def _places(self) -> int:
        """How many more runs the children can hold; below zero if runs wait for each other."""
        held = sum(len(child.runs) for child in self._children) + len(self._waiting)
        startable = 0 if self._refused_starts and clock.monotonic() < self._next_start else self._limits.count
        return max(sum(child.most for child in self._children if child.is_open), startable) - held

    def start(self, runs: list[Run]) -> list[Run]:
        with self._lock:
            try:
                self._ensure_watcher()
            except StartRefused:
                return runs
            self._waiting.extend(runs)
        self._assign()
        self._wake.set()
        return []

    def check(self, now: float) -> None:
        """Restart the thread that watches the children, and the reader of each child, where one is missing."""
        with self._lock:
            if self._watcher is None or self._is_closed:
                return
            with suppress(StartRefused):  # it is tried again at the next check
                self._ensure_watcher()
            deaf = [child for child in self._children if child.has_no_reader]
            may_try_again = self._refused_starts and now >= self._next_start
        for child in deaf:
            log.error("the thread of a child process has ended unexpectedly; replacing the child")
            child.kill()
            self._died(child, "lost the thread that listened to it")
        if may_try_again:
            self._dispatcher.requeue([])  # what waits there for a child fits again

    def _ensure_watcher(self) -> None:
        """Start the thread that watches the children if it does not run; raises ``StartRefused``."""
        if self._watcher is not None and self._watcher.is_alive():
            return
        if self._watcher is not None:
            log.error("%s has ended unexpectedly; starting it again", self._watcher.name)
        watcher = start_thread(self._watch, name="windlass-children")
        if self._watcher is None:
            atexit.register(self._end_with_interpreter)
        self._watcher = watcher

    def interrupt(self, run: Run) -> None:
        """Ask the child to stop the run; ``_watch`` kills a child that does not."""
        child = self._child_of(run)
        if child is None:
            self._end_waiting(run)
        elif run.stop is not None:
            child.stop(run, run.stop)

    def abandon(self, run: Run) -> None:
        """A process can always be stopped for good."""
        child = self._child_of(run)
        if child is not None:
            child.kill(run)

    def close(self) -> None:
        """Let idle children end by themselves; the others are killed, for their runs no longer count."""
        with self._lock:
            self._is_closed = True
            children = list(self._children)
        for child in children:
            if child.runs or not child.is_up:
                child.kill()
            else:
                child.leave()
        self._wake.set()

    def _child_of(self, run: Run) -> ChildProcess | None:
        with self._lock:
            return next((child for child in self._children if run.job.seq in child.runs), None)

    def _end_waiting(self, run: Run) -> None:
        with self._lock:
            if run not in self._waiting:
                return
            self._waiting.remove(run)
        self._finish([(run, self._attempts.stopped(run))])

    def _assign(self) -> None:
        """Give waiting runs to children that have a place for them; start children while runs find none."""
        hindered: list[tuple[Run, Outcome]] = []
        portions: dict[ChildProcess, list[Run]] = {}
        with self._lock:
            self._start_children()
            hungry = [child for child in self._children if child.wants_work]
            while self._waiting:
                run = self._waiting[0]
                obstacle = self._obstacle(run)
                if obstacle is not None:
                    hindered.append((self._waiting.popleft(), obstacle))
                    continue
                roomy = [child for child in hungry if child.has_room_for(run)]
                if not roomy:
                    break
                child = min(roomy, key=lambda one: len(one.runs))
                child.runs[run.job.seq] = self._waiting.popleft()
                portions.setdefault(child, []).append(run)
            # Not after the lock: another thread that sees the run may take it back, and that message must come after
            # this one.
            for child, runs in portions.items():
                child.send([RunJob(run.job, *place_of(run.task), run.claimed) for run in runs])
        if hindered:
            self._finish(hindered)

    def _obstacle(self, run: Run) -> Outcome | None:
        """Why a run is not given to any child."""
        if run.stop is not None:
            return self._attempts.stopped(run)
        try:
            place_of(run.task)
        except ConfigError as error:
            return self._attempts.failed_to_start(run.job, error)
        return None

    def _start_children(self) -> None:
        if not self._waiting:
            return
        busy = sum(bool(child.runs) for child in self._children)
        wanted = min(self._limits.count, busy + len(self._waiting))
        alive = sum(not child.is_leaving for child in self._children)
        if alive >= wanted or self._is_closed or clock.monotonic() < self._next_start:
            return
        try:
            for _ in range(wanted - alive):
                child = ChildProcess(
                    self._context, limits=self._limits, worker=self._worker, heard=self._received, died=self._died
                )
                # Its thread cannot report its death before: for that it needs this lock.
                self._children.append(child)
        except StartRefused as refused:
            self._note_refusal(str(refused))

    def _received(self, child: ChildProcess, answers: list[FromChild]) -> None:
        """Handle the answers of a child, on the thread that reads from it."""
        ended: list[tuple[Run, Outcome]] = []
        self._show_progress(child, answers)
        for answer in answers:
            match answer:
                case RunDone(seq, started, outcome):
                    run = child.answered(seq, started)
                    if run is not None:
                        run.started = started if run.started is None else run.started
                        ended.append((run, outcome))
                case Released(seqs):
                    self._take_back(child, seqs)
                case StoreCall(seq):
                    child.send([answered(child.runs.get(seq), answer)])
                case Ready():
                    self._failed_starts = self._refused_starts = 0
                case Progressed():
                    pass  # shown already
        if child.is_open and any(child.usage.is_over(run, child.memory) for run, _ in ended):
            child.retire()
        self._finish(ended)
        if child.is_retiring and not child.runs:
            child.leave()
            self._end_rest()
        self._assign()

    def _take_back(self, child: ChildProcess, seqs: list[int]) -> None:
        with self._lock:
            self._waiting.extendleft(child.runs.pop(seq) for seq in reversed(seqs) if seq in child.runs)

    def _show_progress(self, child: ChildProcess, answers: list[FromChild]) -> None:
        """Write the newest progress of each run, before any of them ends: a task may report it faster than it can be
        written.
        """
        newest = {answer.seq: answer for answer in answers if isinstance(answer, Progressed)}
        for seq, progress in newest.items():
            run = child.runs.get(seq)
            if run is not None and not run.report_progress(progress.value, progress.text):
                self._dispatcher.stop([run], StopReason.LOST)

    def _finish(self, ended: list[tuple[Run, Outcome]]) -> None:
        for run, outcome in ended:
            following = self._dispatcher.finished(run, self._attempts.ending(run, outcome), self)
            if following is not None:
                with self._lock:
                    self._waiting.append(following)
                self._end_rest()

    def _end_rest(self) -> None:
        """Wake the thread that watches the children: one of them has work again."""
        with self._lock:
            is_at_rest = self._is_at_rest
        if is_at_rest:
            self._wake.set()

    def _died(self, child: ChildProcess, how: str) -> None:
        """A child died: the job it ran is charged, jobs that waited in it are not."""
        victim = child.victim()
        with self._lock:
            if child not in self._children:
                return  # known already
            self._children.remove(child)
            self._waiting.extendleft(run for run in reversed(child.runs.values()) if run is not victim)
            child.runs.clear()
            if child.was_refused:
                self._note_refusal(f"a child process {how}")
            elif not child.is_up:
                self._failed_starts += 1
                self._back_off(self._failed_starts)
        ended = [] if victim is None else [(victim, self._outcome_of_death(child, victim, how))]
        if not child.is_up and self._failed_starts >= _STARTS_ALLOWED:
            ended += self._cannot_start(how)
        self._finish(ended)
        self._assign()
        self._wake.set()

    def _outcome_of_death(self, child: ChildProcess, victim: Run, how: str) -> Outcome:
        if child.was_collateral(victim) or self._is_closed:
            return Interrupted()
        if victim.stop is None:
            log.error("job %s: its child process %s", victim.job.id, how, extra=about(victim.job, "child_died"))
        victim.printed(child.last_output())
        return self._attempts.died(victim, how)

    def _note_refusal(self, why: str) -> None:
        """The system cannot start a child: the runs that wait for one are released, and it is tried again later."""
        self._refused_starts += 1
        self._back_off(self._refused_starts)
        if self._refused_starts == 1:
            log.error("child processes cannot be started at present, trying again: %s", why)

    def _back_off(self, failures: int) -> None:
        pause = min(_LONGEST_BACK_OFF, 0.2 * 2.0 ** min(failures, 10))
        self._next_start = clock.monotonic() + pause * (0.5 + clock.roll())

    def _cannot_start(self, how: str) -> list[tuple[Run, Outcome]]:
        """Children that never came up are no crash of a job: the runs that wait for one fail to start."""
        if self._is_closed:
            return []
        log.error("child processes do not start: the last one %s", how)
        with self._lock:
            runs, self._waiting = list(self._waiting), deque()
        error = ChildProcessError(
            f"no child process could be started: the last one {how}; what it wrote to stderr says why. A program that "
            "runs a worker is imported by its children and needs `if __name__ == '__main__':` around that"
        )
        return [(run, self._attempts.failed_to_start(run.job, error)) for run in runs]

    def _watch(self) -> None:
        """Check the children while any of them has work; sleep while all of them are idle."""
        while not (self._is_closed and not self._children):
            self._wake.clear()
            try:
                self._check_children()
            except Exception:  # the top of a service: it must outlive a check that fails
                log.exception("watching child processes failed, trying again")
                clock.wait(self._wake, _AFTER_FAILURE)
            clock.wait(self._wake, None if self._may_rest() else _LOOK_EVERY)
        atexit.unregister(self._end_with_interpreter)

    def _may_rest(self) -> bool:
        with self._lock:
            self._is_at_rest = not self._waiting and not any(one.runs or one.is_leaving for one in self._children)
            return self._is_at_rest

    def _check_children(self) -> None:
        """Check each child: how long its run lasts, whether it stops, blocks others, exits."""
        with self._lock:
            children = list(self._children)
        now = clock.monotonic()
        for child in children:
            if self._is_closed:
                child.leave()  # a child that was being started could not be killed
            child.check(now)
            overdue = child.has_overdue_run(now, _KILL_AFTER)
            if overdue is not None:
                child.kill(overdue)
            elif child.will_not_leave(now, _IDLE_CLEAN_UP if self._is_closed else _LEAVE_WITHIN):
                child.kill()
            elif child.is_blocking(now, _RECALL_AFTER):
                child.release_waiting()
        self._assign()
        self._requeue()

    def _requeue(self) -> None:
        """Requeue runs that no child will begin soon, because short jobs have become long: they must not take the slots
        of runs that could start elsewhere.
        """
        with self._lock:
            too_many = min(-self._places(), len(self._waiting))
            back = [self._waiting.pop() for _ in range(too_many)]
        if back:
            self._dispatcher.requeue(reversed(back))

    def _end_with_interpreter(self) -> None:
        """Kill all children: the interpreter ends, whether or not the worker was stopped, and nothing may hang."""
        if self._owner != os.getpid():
            return  # in a fork of the worker's process these are not its children
        self.close()
        until = clock.monotonic() + _IDLE_CLEAN_UP
        while self._children and clock.monotonic() < until:
            clock.sleep(0.005)
        for child in list(self._children):
            child.kill()
