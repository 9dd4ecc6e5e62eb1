"""A program and everything it starts."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from threading import Lock

from windlass.errors import StartRefused
from windlass.programs.pipes import Pipes
from windlass.programs.reaper import Reaper
from windlass.programs.reaper_main import MARKER

_EXHAUSTED = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)
_CAN_LEAVE_UNREAPED = hasattr(os, "waitid")
"""Not on macOS before Python 3.13: there its number could, in theory, be reused before its group is killed."""


class ProcessGroup:
    """Signals go to the whole group, and when the program ends, the rest of its group ends with it."""

    def __init__(self, process: subprocess.Popen[bytes], *, reaper: Reaper) -> None:
        assert process.stdout is not None
        assert process.stderr is not None
        self._process = process
        self._reaper = reaper
        self._lock = Lock()
        self._code: int | None = None
        self.pipes = Pipes(process.pid, stdin=process.stdin, stdout=process.stdout, stderr=process.stderr)

    @classmethod
    def start(
        cls,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: str | None,
        has_stdin: bool,
        reaper: Reaper,
    ) -> ProcessGroup:
        """Start a program in a session of its own; raises the system's error if that fails, ``StartRefused`` if it
        lacks resources at this moment.
        """
        try:
            return cls._started(argv, env=env, cwd=cwd, has_stdin=has_stdin, reaper=reaper)
        except OSError as error:
            if error.errno in _EXHAUSTED:
                raise StartRefused(f"the system refuses what {argv[0]} needs to start: {error}") from error
            raise

    @classmethod
    def _started(
        cls, argv: Sequence[str], *, env: Mapping[str, str], cwd: str | None, has_stdin: bool, reaper: Reaper
    ) -> ProcessGroup:
        mark = reaper.expect()
        process: subprocess.Popen[bytes] | None = None
        try:
            process = subprocess.Popen(
                list(argv),
                env={**env, MARKER: mark},
                cwd=cwd,
                stdin=subprocess.PIPE if has_stdin else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                bufsize=0,
            )
            group = cls(process, reaper=reaper)
            reaper.settle(mark, process.pid)
            return group
        except BaseException:  # too many open files, say
            if process is not None:
                with process:
                    process.kill()
                reaper.forget(process.pid)
            with suppress(OSError):  # a reaper that could not be started does not have the mark
                reaper.settle(mark, None)
            raise

    @property
    def has_ended(self) -> bool:
        """Whether the program has ended; its number is not reused before ``reap``."""
        return self._code is not None or self._has_exited(os.WNOHANG)

    def terminate(self) -> None:
        """Send SIGTERM to the group."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    def reap(self) -> int:
        """Kill what is left of the group and clean up; the exit code, negative after a signal. May be called again."""
        if self._code is None:
            self.kill()
            self._has_exited(0)
            with self._lock:
                self._reaper.forget(self._process.pid)
                self._code = self._process.wait()
            self.pipes.close()
        return self._code

    def _has_exited(self, flags: int) -> bool:
        if not _CAN_LEAVE_UNREAPED:
            return (self._process.poll() if flags else self._process.wait()) is not None
        return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT | flags) is not None

    def _signal(self, number: signal.Signals) -> None:
        # A number that was reaped may belong to another process by now.
        with self._lock, suppress(ProcessLookupError, PermissionError):
            if self._code is None:
                os.killpg(self._process.pid, number)
