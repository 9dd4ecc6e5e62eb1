"""The processes of a helper."""

from __future__ import annotations

from threading import Condition

from windlass.errors import JobInterrupted
from windlass.programs.helpers.helper_process import HelperProcess
from windlass.programs.helpers.helper_settings import Program
from windlass.programs.reaper import Reaper
from windlass.programs.wait import LOOK_AGAIN, wanted_stop


class HelperPool:
    """Never more than the program's ``processes`` at once."""

    def __init__(self, program: Program, *, reaper: Reaper) -> None:
        self._program = program
        self._reaper = reaper
        self.reset_after_fork()

    def reset_after_fork(self) -> None:
        """Make it empty; also in a forked child, where the processes belong to the parent."""
        self._changed = Condition()
        self._free: list[HelperProcess] = []
        self._count = 0
        self._is_closed = False

    def take(self) -> HelperProcess:
        """A process for one question; waits until there is one, or until the run on this thread has to stop."""
        process = self._place()
        if process is not None and process.is_fit:
            return process
        try:
            if process is not None:
                process.close()
            return HelperProcess.start(self._program, self._reaper)
        except BaseException:
            self._leave_place()
            raise

    def give_back(self, process: HelperProcess) -> None:
        """Return a process that has answered and may be asked again."""
        with self._changed:
            if not self._is_closed:
                self._free.append(process)
                self._changed.notify()
                return
        self.drop(process)

    def drop(self, process: HelperProcess) -> None:
        """End a process that cannot be asked again."""
        process.close()
        self._leave_place()

    def close(self) -> None:
        """End all free processes now, and the others when they are given back."""
        with self._changed:
            self._is_closed = True
            free, self._free = self._free, []
        for process in free:
            self.drop(process)

    def _place(self) -> HelperProcess | None:
        """A free process, or None with the right to start one."""
        with self._changed:
            while True:
                if self._free:
                    return self._free.pop()
                if self._count < self._program.processes:
                    self._count += 1
                    return None
                if wanted_stop() is not None:
                    raise JobInterrupted
                self._changed.wait(LOOK_AGAIN)

    def _leave_place(self) -> None:
        with self._changed:
            self._count -= 1
            self._changed.notify()
