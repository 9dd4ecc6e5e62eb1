"""One worker process, as its parent sees it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from math import inf

from windlass import clock
from windlass.worker.supervisor.status_pipe import MISUSED, READY, STOPPED, STUCK

_SILENT = 30.0
"""Seconds without a report after which a process counts as stuck."""


class WorkerProcess:
    """The constructor starts it. It is spawned, never forked, and in a process group of its own, so that Ctrl-C at a
    terminal reaches the parent alone.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._reports, theirs = os.pipe()
        os.set_blocking(self._reports, False)
        try:
            self._process = subprocess.Popen(
                [*command, "--supervised", f"{os.getpid()}:{theirs}"],
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs,),
                process_group=0,
            )
        except BaseException:
            os.close(self._reports)  # each failed try would leak one, until none is left
            raise
        finally:
            os.close(theirs)
        self.began = self._heard = clock.monotonic()
        self._word = b""
        self.is_talking = True
        """Whether there may be more reports to read."""
        self.was_ready = False
        """Whether its worker has started."""
        self.is_retiring = False
        """Whether it was asked to exit."""
        self.kill_at = inf
        """When it is killed if it is still there, on the monotonic clock."""

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_ready(self) -> bool:
        return self._word == READY and not self._is_silent

    @property
    def was_misused(self) -> bool:
        """Whether an ended process could not start its worker; the exit code alone does not say it, for a job may exit
        with the same.
        """
        return self._word in (b"", MISUSED)

    @property
    def was_asked_to_stop(self) -> bool:
        """Whether an order had stopped the worker of an ended process; no job can cause that."""
        return self._word == STOPPED

    @property
    def is_live(self) -> bool:
        return self._word not in (b"", STUCK) and not self._is_silent

    @property
    def _is_silent(self) -> bool:
        return clock.monotonic() - self._heard >= _SILENT

    def fileno(self) -> int:
        """The pipe through which it reports, for ``select``."""
        return self._reports

    def read_reports(self) -> None:
        """Read its reports."""
        try:
            said = os.read(self._reports, 4096)
        except BlockingIOError:
            return
        if said:
            self.was_ready = self.was_ready or READY in said
            self._heard, self._word = clock.monotonic(), said[-1:]
        else:
            self.is_talking = False

    def signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            self._process.send_signal(number)

    def retire(self, kill_at: float) -> None:
        """Have it finish what runs and exit."""
        if not self.is_retiring:
            self.is_retiring, self.kill_at = True, kill_at
            self.signal(signal.SIGTERM)

    def hurry(self, kill_at: float) -> None:
        """Have it exit now, by another signal than that of ``retire``: the system merges equal signals, and only two of
        them mean now.
        """
        self.kill_at = min(self.kill_at, kill_at)
        self.signal(signal.SIGINT)

    def kill(self) -> None:
        self.kill_at = inf
        self.signal(signal.SIGKILL)

    def ended(self) -> int | None:
        """Its exit code, negative for a signal; None while it lives."""
        code = self._process.poll()
        if code is not None:
            self.read_reports()  # the last reports may be unread
        return code

    def close(self) -> None:
        """Close the pipe of a process that has ended."""
        os.close(self._reports)
