"""One child process, as its worker sees it."""

from __future__ import annotations

import logging
import os
import select
from collections.abc import Callable
from contextlib import ExitStack
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext

from windlass import clock
from windlass.core.outcome import StopReason
from windlass.errors import StartRefused
from windlass.threads.start import start_thread
from windlass.worker.executors.processes.child_side.main import REFUSED, ChildPipes, main
from windlass.worker.executors.processes.child_side.messages import (
    AnswerReader,
    Exit,
    FromChild,
    Ready,
    ReleaseWaiting,
    ToChild,
    encode_orders,
)
from windlass.worker.executors.processes.child_side.name import CHILD_NAME
from windlass.worker.executors.processes.child_side.shared_memory import SharedRunState
from windlass.worker.executors.processes.os_process import OsProcess
from windlass.worker.executors.processes.outbox import Outbox
from windlass.worker.executors.processes.recycling import ChildLimits, ChildUsage
from windlass.worker.runs.run import Run

log = logging.getLogger("windlass.worker")

_SHORT = 0.005
_AHEAD = 16
"""How many jobs a child that runs short ones may hold beyond the one it runs."""
_ENOUGH = 2
_IMPORT_PATIENCE = 60.0
"""After so many seconds the import of a task's module counts as part of its run, which has a time limit."""


class ChildProcess:
    """A process, its pipes, and the runs it was given. One thread reads from it; no other thread ever waits for it."""

    def __init__(
        self,
        context: SpawnContext,
        *,
        limits: ChildLimits,
        worker: str,
        heard: Callable[[ChildProcess, list[FromChild]], None],
        died: Callable[[ChildProcess, str], None],
    ) -> None:
        self.runs: dict[int, Run] = {}
        """Runs that were sent to it and not answered yet, by seq, in order."""
        self.usage = ChildUsage(limits)
        self.is_up = False
        self.was_refused = False
        """After its death: whether the system did not let it start."""
        self.is_retiring = False
        self.is_leaving = False
        self._leaving_since = 0.0
        self._mean = 1.0
        self._memory = 0
        self._killed_for: Run | None = None
        self._importing: tuple[int, float] = (0, 0.0)
        self._received = heard
        self._died = died
        with ExitStack() as opened:
            try:
                self._shared = SharedRunState(context)
                theirs, to_child = map(opened.enter_context, context.Pipe(duplex=False))
                self._from_child, answers = map(opened.enter_context, context.Pipe(duplex=False))
            except (OSError, MemoryError) as error:
                raise StartRefused(f"the system refuses the files of a child process: {error}") from error
            self._outbox = Outbox(to_child)
            pipes = ChildPipes(theirs, answers, self._shared, os.getpid(), worker)
            self._os_process = OsProcess(context.Process(target=main, args=(pipes,), name=CHILD_NAME))
            self._thread = start_thread(self._live, theirs, answers, name="windlass-child")
            opened.pop_all()  # the thread closes them from here on

    @property
    def has_no_reader(self) -> bool:
        """Whether the thread that reads from it is gone."""
        return not self._thread.is_alive()

    @property
    def is_open(self) -> bool:
        """Whether it may be given more."""
        return not (self.is_retiring or self.is_leaving)

    @property
    def most(self) -> int:
        """How many runs it may hold: one, or a few when they are short."""
        return 1 + _AHEAD if self._mean < _SHORT else 1

    @property
    def wants_work(self) -> bool:
        """Whether it will soon have nothing to do; other children get several jobs at once later. A child that is not
        up yet wants none: what is sent to it cannot be taken back.
        """
        return self.is_up and self.is_open and len(self.runs) <= _ENOUGH

    def has_room_for(self, run: Run) -> bool:
        return len(self.runs) < self.most and self.usage.allows(run, self.runs.values())

    def send(self, messages: list[ToChild]) -> None:
        self._outbox.send(encode_orders(messages))

    def release_waiting(self) -> None:
        """Have it release the jobs that it has not begun."""
        self.send([ReleaseWaiting()])

    def retire(self) -> None:
        """Give it no more, and have it end as soon as nothing is left to do."""
        self.is_retiring = True
        if self.runs:
            self.release_waiting()
        else:
            self.leave()

    def leave(self) -> None:
        """Have it exit when it is done."""
        if not self.is_leaving:
            self.is_leaving = True
            self._leaving_since = clock.monotonic()
            self.send([Exit()])

    def stop(self, run: Run, why: StopReason) -> None:
        """Raise in the run if it has begun; otherwise have the child release it."""
        if self._shared.running == run.job.seq:
            self._shared.want_stop(run.job, why)
            self._os_process.ask_to_stop()
        else:
            self.release_waiting()

    def kill(self, run: Run | None = None) -> None:
        """Kill it at once; ``run`` is the one that did not stop, if it is killed for one."""
        self._killed_for = run
        self._os_process.kill()

    def answered(self, seq: int, started: float | None) -> Run | None:
        """The run that this is the answer to."""
        run = self.runs.pop(seq, None)
        if run is not None:
            self.usage.count(run)
            if started is not None:
                self._mean += (clock.monotonic() - started - self._mean) / 8
        return run

    def check(self, now: float) -> None:
        """Read the shared state of the run under way, and stop it if it began after it was to stop."""
        self._outbox.check()
        seq = self._shared.running
        run = self.runs.get(seq)
        if run is None:
            return
        self._note_start(run, now)
        self._memory = self._os_process.memory() or self._memory  # a dying process has none
        if run.stop is not None and self._shared.wanted_stop(run.job) is None:
            self.stop(run, run.stop)

    def has_overdue_run(self, now: float, patience: float) -> Run | None:
        """The run that goes on although it was asked to stop so long ago."""
        run = self.runs.get(self._shared.running)
        return run if run is not None and run.stop is not None and now - run.stop_asked >= patience else None

    def will_not_leave(self, now: float, patience: float) -> bool:
        """Whether it is still there although it was to exit so long ago."""
        return self.is_leaving and now - self._leaving_since >= patience

    def is_blocking(self, now: float, patience: float) -> bool:
        """Whether runs wait in it behind one that turned out to be long."""
        if len(self.runs) < 2 or not self._shared.running:
            return False
        if self._shared.started and now - self._shared.started < patience:
            return False
        self._mean = 1.0
        return True

    def memory(self) -> int:
        """Resident bytes; 0 where the system does not say."""
        return self._os_process.memory()

    def victim(self) -> Run | None:
        """After its death: the run that was under way."""
        return self.runs.get(self._shared.running)

    def last_output(self) -> str:
        """After its death: the newest output of the run that was under way."""
        return self._shared.last_output.text()

    def was_collateral(self, victim: Run) -> bool:
        """After its death: whether we killed it for a run that had just ended, and hit the next one."""
        return self._killed_for is not None and self._killed_for is not victim

    def _note_start(self, run: Run, now: float) -> None:
        started, ends = self._shared.started, self._shared.ends
        if self._shared.running != run.job.seq:
            return  # it has ended meanwhile, and the state may be that of the next run
        if run.started is None:
            if not started and self._importing[0] != run.job.seq:
                self._importing = (run.job.seq, now)
            if started or now - self._importing[1] >= _IMPORT_PATIENCE:
                run.begin(started or now)
        if run.ends_at is not None:
            run.ends_at = max(run.ends_at, ends)

    def _live(self, theirs: Connection, answers: Connection) -> None:
        """Start it, read its answers until its end, and report how it ended."""
        try:
            self._os_process.begin()
        except Exception as error:  # too many processes, too many files, no memory
            self.was_refused = isinstance(error, OSError | MemoryError)
            how = f"could not be started: {error}"
        else:
            theirs.close()
            answers.close()
            self._read_answers()
            how = self._os_process.end() + self._circumstances()
            self.was_refused = self._os_process.code == REFUSED and not self.is_up
        for pipe in (theirs, answers, self._from_child):
            pipe.close()
        self._outbox.close()
        self._died(self, how)

    def _read_answers(self) -> None:
        """Pass on its answers until it is dead and none is left."""
        reader = AnswerReader(self._from_child.fileno())
        ready = select.poll()
        ready.register(self._from_child.fileno(), select.POLLIN)
        ready.register(self._os_process.death, select.POLLIN)
        try:
            while any(file == self._from_child.fileno() for file, _ in ready.poll()):
                answers = reader.read()
                self.is_up = self.is_up or any(isinstance(answer, Ready) for answer in answers)
                self._received(self, answers)
        except EOFError:
            pass
        except Exception:  # whatever went wrong on the pipe, its jobs must not hang
            log.exception("the answer of a child process cannot be read; replacing it")
        if not self.is_leaving:
            self._os_process.kill()  # what its jobs have started dies with it
        self._os_process.await_death()

    def _circumstances(self) -> str:
        used = "" if self._os_process.cpu is None else f", after {self._os_process.cpu:.1f} s of processor time"
        return used + (f", with {self._memory / 1e6:.0f} MB of memory when last seen" if self._memory else "")
