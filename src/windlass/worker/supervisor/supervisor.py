"""Starts worker processes, replaces dead ones, passes signals on."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable, Sequence
from math import inf

from msgspec import Struct

from windlass import clock
from windlass.core.fault.exit_code import how_it_ended
from windlass.worker.supervisor.reexec import EXIT_RESTART
from windlass.worker.supervisor.rolling_restart import RollingRestart
from windlass.worker.supervisor.slot import Slot
from windlass.worker.supervisor.wakeup import SupervisorWakeup
from windlass.worker.supervisor.worker_process import WorkerProcess

log = logging.getLogger("windlass.supervisor")

_WRONG_USE = 2
_AS_TOLD = (EXIT_RESTART, -signal.SIGTERM, -signal.SIGINT, 128 + signal.SIGINT)
"""Exit codes besides 0 that are normal after this process has asked one to stop: a signal may come before its handler
is set or after it is reset. The last one is that of the command line after Ctrl-C.
"""
_AFTER_GRACE = 1.8
"""Seconds after the grace time when a worker process that is still there is killed."""
_LONGEST_WAIT = 1.0
"""A death without SIGCHLD is noticed so many seconds later."""


class SupervisorSettings(Struct, frozen=True, kw_only=True):
    """How the processes are supervised."""

    grace: float
    """Seconds that running jobs may take after a signal."""
    is_burst: bool = False
    """Whether a process that ends by itself has done its work."""
    awaits_change: bool = False
    """Whether a process that cannot start is tried again when a replacement is asked for, which then comes at once."""


class Supervisor:
    """``run()`` blocks until a signal ends it, or until no process is left to supervise."""

    def __init__(
        self, commands: Sequence[Sequence[str]], *, manner: SupervisorSettings, wake: SupervisorWakeup
    ) -> None:
        self._manner = manner
        self._wake = wake
        self._slots = [Slot(_starter(command)) for command in commands]
        self._leave_within = manner.grace + _AFTER_GRACE
        self._rolling = RollingRestart(leave_within=self._leave_within)
        self._stops_passed_on = 0
        self._has_worked = False
        """Whether any process has started its worker: the command itself is right."""
        self._code = 0

    def run(self) -> int:
        """Supervise the processes; returns the worst exit code of those that were there at the end."""
        with self._wake:
            self._tick(clock.monotonic())
            while not self._is_over:
                talking = [process for process in self._processes() if process.is_talking]
                for process in self._wake.wait(self._pause(clock.monotonic()), talking):
                    process.read_reports()
                self._tick(clock.monotonic())
        return self._code

    def liveness_problem(self) -> str | None:
        """Why the supervisor is not healthy: a process is missing or stuck."""
        wanted = [slot for slot in self._slots if not slot.is_closed]
        live = sum(any(process.is_live for process in slot.processes) for slot in wanted)
        return None if live == len(wanted) else f"{live} of {len(wanted)} worker processes live"

    def readiness_problem(self) -> str | None:
        """Why the supervisor is not ready: no process is."""
        if self._is_stopping:
            return "draining"
        return None if any(process.is_ready for process in self._processes()) else "no worker process is ready"

    @property
    def _is_stopping(self) -> bool:
        return self._stops_passed_on > 0

    @property
    def _is_over(self) -> bool:
        if self._processes():
            return False
        awaits_more = any(slot.due < inf or (self._manner.awaits_change and not slot.is_closed) for slot in self._slots)
        return self._is_stopping or not awaits_more

    def _tick(self, now: float) -> None:
        """One round."""
        self._has_worked = self._has_worked or any(process.was_ready for process in self._processes())
        self._pass_stops_on(now)
        self._reap(now)
        if not self._is_stopping:
            self._replace(now)
            self._fill(now)
        for process in self._processes():
            if process.kill_at <= now:
                log.error("worker process %s does not stop; killing it", process.pid)
                process.kill()

    def _reap(self, now: float) -> None:
        for slot in self._slots:
            for process in slot.processes:
                code = process.ended()
                if code is not None:
                    slot.vacate(process)
                    self._after_end(slot, process, code, now)

    def _fill(self, now: float) -> None:
        for slot in self._slots:
            try:
                slot.fill(now)
            except (OSError, MemoryError) as error:
                slot.due = now + slot.backoff.pause(0, roll=clock.roll())
                log.error("cannot start a worker process, trying again in %.1f s: %s", slot.due - now, error)

    def _pause(self, now: float) -> float:
        dues = [process.kill_at for process in self._processes()]
        if not self._is_stopping:
            dues += [slot.due for slot in self._slots if slot.current is None]
        return min([_LONGEST_WAIT, *(max(0.0, due - now) for due in dues)])

    def _processes(self) -> list[WorkerProcess]:
        return [process for slot in self._slots for process in slot.processes]

    def _pass_stops_on(self, now: float) -> None:
        while self._stops_passed_on < min(self._wake.stops, 2):
            self._stop(now)

    def _stop(self, now: float) -> None:
        """The first time gently, the second time at once."""
        is_urgent = self._is_stopping
        self._stops_passed_on += 1
        if not is_urgent:
            hint = "; another SIGTERM or SIGINT stops them now" if self._wake.stops else ""
            log.info("stopping the worker processes%s", hint)
        for process in self._processes():
            if is_urgent:
                process.hurry(now + _AFTER_GRACE)
            else:
                process.retire(now + self._leave_within)

    def _after_end(self, slot: Slot, process: WorkerProcess, code: int, now: float) -> None:
        """Decide what comes after a process that has ended."""
        if self._is_stopping:
            self._note(0 if code in _AS_TOLD else code)
        elif process.was_asked_to_stop and not process.is_retiring:
            self._after_stop(slot, process, now)
        elif slot.current is not None:
            log.info("worker process %s %s", process.pid, how_it_ended(code))  # it had a successor, or was one
        elif process.is_retiring or code == EXIT_RESTART:
            slot.due = now
        elif code == 0 and self._manner.is_burst:
            slot.leave_empty()
        elif code == _WRONG_USE and process.was_misused:
            self._after_wrong_use(slot, process, code, now)
        else:
            self._after_death(slot, process, code, now)

    def _after_stop(self, slot: Slot, process: WorkerProcess, now: float) -> None:
        """An order has stopped its worker; a successor that is being started is stopped too."""
        log.info("worker process %s was asked to stop; its place stays empty", process.pid)
        slot.is_closed = True
        for successor in slot.processes:
            successor.retire(now + self._leave_within)

    def _after_wrong_use(self, slot: Slot, process: WorkerProcess, code: int, now: float) -> None:
        """The process has logged what is wrong. At the start a retry would change nothing; later the code on disk has
        changed, which is no reason to stop the processes that run.
        """
        if self._manner.awaits_change:
            slot.leave_empty()
        elif self._has_worked:
            self._after_death(slot, process, code, now)
        else:
            slot.leave_empty()
            self._note(code)
            self._stop(now)

    def _after_death(self, slot: Slot, process: WorkerProcess, code: int, now: float) -> None:
        pause = slot.backoff.pause(now - process.began, roll=clock.roll())
        log.error("worker process %s %s; starting another one in %.1f s", process.pid, how_it_ended(code), pause)
        slot.due = now + pause

    def _replace(self, now: float) -> None:
        if self._wake.take_renewals():
            if self._manner.awaits_change:
                self._replace_at_once(now)
            else:
                log.info("replacing the worker processes one after the other")
                self._rolling.begin(self._slots)
        if self._rolling.is_under_way:
            self._rolling.advance(now)

    def _replace_at_once(self, now: float) -> None:
        for slot in self._slots:
            if slot.current is None:
                slot.due = now
            else:
                slot.current.retire(now + self._leave_within)

    def _note(self, code: int) -> None:
        self._code = max(self._code, code if code >= 0 else 128 - code)


def _starter(command: Sequence[str]) -> Callable[[], WorkerProcess]:
    return lambda: WorkerProcess(command)
