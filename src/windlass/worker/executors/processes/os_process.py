"""Starts, watches and kills the operating system's process."""

from __future__ import annotations

import os
import select
import signal
from contextlib import suppress
from multiprocessing import process
from multiprocessing.context import SpawnProcess
from threading import Lock

from windlass.core.fault.exit_code import how_it_ended
from windlass.worker.process.resources import cpu_of, memory_of


class OsProcess:
    """One process from its start until it is reaped. No signal is sent after that: its number may belong to another."""

    def __init__(self, spawned: SpawnProcess) -> None:
        self._process = spawned
        self._lock = Lock()
        self._is_running = False
        self._number = 0
        """Its process id; kept here because a closed process object no longer has it."""
        self._death: int | None = None
        self.code: int | None = None
        """After its end: its exit code, negative for a signal."""
        self.cpu: float | None = None
        """After its end: the processor time that it used."""

    def begin(self) -> None:
        """Start it. The thread that calls this has to live as long: on Linux the child dies with it."""
        self._process.start()
        assert self._process.pid is not None
        self._number = self._process.pid
        # Removed from the list of children in multiprocessing: each start of a child there reaps dead ones, and their
        # exit codes would be lost; and a fork of this process would wait for them at its end as if they were its own.
        process._children.discard(self._process)  # type: ignore[attr-defined]  # noqa: SLF001
        if hasattr(os, "pidfd_open"):
            self._death = self._open_death()
        with self._lock:
            self._is_running = True

    def _open_death(self) -> int:
        try:
            return os.pidfd_open(self._number)
        except OSError:
            # Without it its death would go unnoticed: it must not live on as if it had been started.
            self._process.kill()
            self._process.join()
            self._process.close()
            raise

    @property
    def death(self) -> int:
        """A file descriptor that becomes readable when the process is dead, even if other processes hold its pipes
        open.
        """
        return self._process.sentinel if self._death is None else self._death

    def ask_to_stop(self) -> None:
        with self._lock:
            if self._is_running:
                os.kill(self._number, signal.SIGTERM)

    def kill(self) -> None:
        """Kill it at once, with everything that its jobs started."""
        with self._lock:
            if self._is_running:
                self._kill_group()
                os.kill(self._number, signal.SIGKILL)

    def await_death(self) -> None:
        gone = select.poll()
        gone.register(self.death, select.POLLIN)
        gone.poll()

    def end(self) -> str:
        """Reap it after its death; how it ended."""
        with self._lock:
            self._is_running = False
            if self._death is not None:
                os.close(self._death)
        self.cpu = cpu_of(self._number)  # not available after it is reaped
        self._process.join()
        self.code = self._process.exitcode
        self._process.close()
        return how_it_ended(self.code)

    def memory(self) -> int:
        """Resident bytes; 0 where the system does not say."""
        return memory_of(self._number) or 0

    def _kill_group(self) -> None:
        with suppress(ProcessLookupError, PermissionError):  # it had no time yet to make its own group
            os.killpg(self._number, signal.SIGKILL)
