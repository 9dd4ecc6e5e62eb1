"""Starts, watches and kills the operating system's process."""

from __future__ import annotations

import os
import select
import signal
from contextlib import suppress
from multiprocessing import process
from multiprocessing.context import SpawnProcess
from threading import Lock

from windlass.core.exitcode import how_it_ended
from windlass.worker.process.resources import cpu_of, memory_of


class OsProcess:
    """One process from its start until it is reaped. Nothing is signalled after that: its number may be another's."""

    def __init__(self, spawned: SpawnProcess) -> None:
        self._process = spawned
        self._lock = Lock()
        self._is_running = False
        self._number = 0
        """Its process id; kept here because the process object, once closed, does not tell it any more."""
        self._death: int | None = None
        self.code: int | None = None
        """After its end: its exit code, negative for a signal."""
        self.cpu: float | None = None
        """After its end: the processor time that it used in its life."""

    def begin(self) -> None:
        """Start it. The thread that calls this has to live as long: on Linux the child dies with it."""
        self._process.start()
        assert self._process.pid is not None
        self._number = self._process.pid
        # Out of the module's list of children: of these each start of another one reaps the dead, whose exit code
        # would be lost for us, and a fork of this process that ends would wait for them as if they were its own.
        process._children.discard(self._process)  # type: ignore[attr-defined]
        if hasattr(os, "pidfd_open"):
            self._death = self._open_death()
        with self._lock:
            self._is_running = True

    def _open_death(self) -> int:
        try:
            return os.pidfd_open(self._number)
        except OSError:
            # Without it nothing would tell of its death: it must not live on as if it had been started.
            self._process.kill()
            self._process.join()
            self._process.close()
            raise

    @property
    def death(self) -> int:
        """A file that can be read as soon as the process is dead, whoever else holds its pipes open."""
        return self._process.sentinel if self._death is None else self._death

    def ask_to_stop(self) -> None:
        with self._lock:
            if self._is_running:
                os.kill(self._number, signal.SIGTERM)

    def kill(self) -> None:
        """At once, with everything that its jobs started."""
        with self._lock:
            if self._is_running:
                self._kill_group()
                os.kill(self._number, signal.SIGKILL)

    def await_death(self) -> None:
        gone = select.poll()
        gone.register(self.death, select.POLLIN)
        gone.poll()

    def end(self) -> str:
        """Reap it, when it is dead; how it ended."""
        with self._lock:
            self._is_running = False
            if self._death is not None:
                os.close(self._death)
        self.cpu = cpu_of(self._number)  # while there is something left to ask about
        self._process.join()
        self.code = self._process.exitcode
        self._process.close()
        return how_it_ended(self.code)

    def memory(self) -> int:
        """Resident bytes, 0 where the system does not tell."""
        return memory_of(self._number) or 0

    def _kill_group(self) -> None:
        with suppress(ProcessLookupError, PermissionError):  # it had no time yet to make a group of its own
            os.killpg(self._number, signal.SIGKILL)
