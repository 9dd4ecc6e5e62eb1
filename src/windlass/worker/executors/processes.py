"""Functions in child processes: they may be killed, may leak, may crash, and take nobody along."""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass
from multiprocessing import get_context
from threading import Event, Lock, Thread

from windlass import clock
from windlass.core.outcome import Outcome
from windlass.worker.attempt import Attempts
from windlass.worker.dispatcher import Dispatcher
from windlass.worker.executors.child.finding import place_of
from windlass.worker.executors.child.wire import Answered, FromChild, Order, Progressed, Ready, Recalled
from windlass.worker.executors.process import ChildProcess
from windlass.worker.run import Run, Stop

log = logging.getLogger("windlass.worker")

_LOOK_EVERY = 0.05
_RECALL_AFTER = 0.05
_KILL_AFTER = 5.0
_STARTS_ALLOWED = 3
_LONGEST_BACK_OFF = 30.0


@dataclass(frozen=True, slots=True)
class ChildLimits:
    """How many children there are, and when one is replaced: after so many jobs, above so many bytes."""

    count: int
    max_jobs: int | None = None
    max_memory: int | None = None


class ProcessExecutor:
    """Children that are started when they are first needed and stay, one run at a time each."""

    def __init__(self, *, attempts: Attempts, dispatcher: Dispatcher, limits: ChildLimits, worker: str) -> None:
        self._attempts = attempts
        self._dispatcher = dispatcher
        self._limits = limits
        self._worker = worker
        self._context = get_context("spawn")
        self._lock = Lock()
        self._children: list[ChildProcess] = []
        self._waiting: deque[Run] = deque()
        self._failed_starts = 0
        self._next_start = 0.0
        self._closed = Event()
        self._tending: Thread | None = None

    @property
    def has_room(self) -> bool:
        """Whether one more run would begin soon."""
        with self._lock:
            held = sum(len(child.runs) for child in self._children) + len(self._waiting)
            room = sum(child.most for child in self._children if child.is_open)
            return held < max(room, self._limits.count)

    def start(self, runs: list[Run]) -> None:
        with self._lock:
            self._waiting.extend(runs)
            if self._tending is None:
                self._tending = Thread(target=self._tend, name="windlass-children", daemon=True)
                self._tending.start()
        self._assign()

    def interrupt(self, run: Run) -> None:
        """Ask the child politely; ``_tend`` kills one that does not listen."""
        child = self._child_of(run)
        if child is None:
            self._end_waiting(run)
        elif run.stop is not None:
            child.ask_to_stop(run, run.stop)

    def abandon(self, run: Run) -> None:
        """A process can always be stopped for good."""
        child = self._child_of(run)
        if child is not None:
            child.kill()

    def close(self) -> None:
        self._closed.set()
        with self._lock:
            children = list(self._children)
        for child in children:
            child.leave()

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
        """Give waiting runs to children that have room; start children as long as runs find none."""
        with self._lock:
            self._start_children()
            portions: dict[ChildProcess, list[Run]] = {}
            while self._waiting:
                open_ones = [child for child in self._children if child.is_open and len(child.runs) < child.most]
                if not open_ones:
                    break
                child = min(open_ones, key=lambda one: len(one.runs))
                run = self._waiting.popleft()
                child.runs[run.job.seq] = run
                portions.setdefault(child, []).append(run)
        for child, runs in portions.items():
            child.send([Order(run.job, *place_of(run.task)) for run in runs])

    def _start_children(self) -> None:
        busy = sum(bool(child.runs) for child in self._children)
        wanted = min(self._limits.count, busy + len(self._waiting))
        alive = sum(not child.is_leaving for child in self._children)
        if alive >= wanted or self._closed.is_set() or clock.monotonic() < self._next_start:
            return
        for _ in range(wanted - alive):
            self._children.append(ChildProcess(self._context, worker=self._worker, heard=self._heard, died=self._died))

    def _heard(self, child: ChildProcess, answers: list[FromChild]) -> None:
        """Answers of a child, on the thread that listens to it."""
        ended: list[tuple[Run, Outcome]] = []
        for answer in answers:
            match answer:
                case Answered(seq, started, outcome):
                    run = child.answered(seq, started)
                    if run is not None:
                        run.started = started if run.started is None else run.started
                        ended.append((run, outcome))
                case Recalled(seqs):
                    with self._lock:
                        self._waiting.extendleft(child.runs.pop(seq) for seq in reversed(seqs) if seq in child.runs)
                case Progressed(seq, value, text):
                    self._progressed(child, seq, value, text)
                case Ready():
                    self._failed_starts = 0
        child.is_retiring = child.is_retiring or self._is_used_up(child, ended)
        self._finish(ended)
        self._assign()

    def _progressed(self, child: ChildProcess, seq: int, value: float | None, text: str | None) -> None:
        run = child.runs.get(seq)
        if run is not None and not run.report_progress(value, text):
            self._dispatcher.stop(run, Stop.GIVEN_UP)

    def _finish(self, ended: list[tuple[Run, Outcome]]) -> None:
        for run, outcome in ended:
            following = self._dispatcher.finished(run, self._attempts.ending(run, outcome), self)
            if following is not None:
                with self._lock:
                    self._waiting.append(following)

    def _is_used_up(self, child: ChildProcess, ended: list[tuple[Run, Outcome]]) -> bool:
        settings = [run.task.settings for run, _ in ended]
        most_jobs = min(
            (limit for limit in (self._limits.max_jobs, *(s.recycle_after for s in settings)) if limit is not None),
            default=None,
        )
        return most_jobs is not None and child.answered_count >= most_jobs

    def _died(self, child: ChildProcess, how: str) -> None:
        """A child is gone: whom it ran is charged, whom it only held is not."""
        with self._lock:
            self._children.remove(child)
            victim = child.victim()
            self._waiting.extendleft(
                run for run in reversed(list(child.runs.values())) if run is not victim and run.stop is None
            )
            stopped = [run for run in child.runs.values() if run is not victim and run.stop is not None]
            child.runs.clear()
            has_never_been_up = not child.is_up
            if has_never_been_up:
                self._back_off()
        ended = [(run, self._attempts.stopped(run)) for run in stopped]
        if victim is not None:
            if victim.stop is None:
                log.error("job %s: its child process %s", victim.job.id, how)
            ended.append((victim, self._attempts.died(victim, how)))
        if has_never_been_up and self._failed_starts >= _STARTS_ALLOWED:
            ended += self._cannot_start(how)
        self._finish(ended)
        if not self._closed.is_set():
            self._assign()

    def _back_off(self) -> None:
        self._failed_starts += 1
        pause = min(_LONGEST_BACK_OFF, 0.2 * 2.0**self._failed_starts)
        self._next_start = clock.monotonic() + pause * (0.5 + clock.roll())

    def _cannot_start(self, how: str) -> list[tuple[Run, Outcome]]:
        """Children that never come up are nobody's crash: whoever waits for one has failed to start."""
        log.error("child processes do not start: the last one %s", how)
        with self._lock:
            runs, self._waiting = list(self._waiting), deque()
        error = ChildProcessError(f"no child process could be started: the last one {how}")
        return [(run, self._attempts.failed_to_start(run.job, error)) for run in runs]

    def _tend(self) -> None:
        """Look at the boards: who runs since when, who does not stop, who holds others up, who is too large."""
        while not clock.wait(self._closed, _LOOK_EVERY):
            with self._lock:
                children = list(self._children)
            now = clock.monotonic()
            for child in children:
                child.note_start()
                if child.has_outstayed(now, _KILL_AFTER):
                    child.kill()
                elif child.holds_others_up(now, _RECALL_AFTER):
                    child.recall()
                if self._is_too_large(child):
                    child.is_retiring = True
                if child.is_retiring and not child.runs:
                    child.leave()
            self._assign()

    def _is_too_large(self, child: ChildProcess) -> bool:
        limits = (self._limits.max_memory, *(run.task.settings.memory_limit for run in list(child.runs.values())))
        smallest = min((limit for limit in limits if limit is not None), default=None)
        return smallest is not None and not child.is_retiring and child.memory() > smallest
