"""Real processes for tests: started, waited for with a deadline, never left behind."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 60
"""How long a process may take; far more than it needs."""


class Process:
    """A Python module that runs beside the test and talks in lines."""

    def __init__(self, popen: subprocess.Popen[str]) -> None:
        self._popen = popen

    @property
    def pid(self) -> int:
        return self._popen.pid

    def line(self) -> str:
        """The next line it says."""
        assert self._popen.stdout is not None
        line = self._popen.stdout.readline()
        assert line, f"it ended with {self._popen.wait()}"
        return line.rstrip("\n")

    def lines(self) -> list[str]:
        """All that it has left to say."""
        assert self._popen.stdout is not None
        return self._popen.stdout.read().splitlines()

    def say(self, text: str) -> None:
        assert self._popen.stdin is not None
        self._popen.stdin.write(text + "\n")
        self._popen.stdin.flush()

    def kill(self) -> None:
        """SIGKILL: no time for any farewell."""
        self._popen.kill()
        self._popen.wait()

    def end(self) -> int:
        """Wait for its end; its exit code."""
        assert self._popen.stdin is not None
        self._popen.stdin.close()
        return self._popen.wait()


@contextmanager
def running(module: str, *arguments: str) -> Iterator[Process]:
    """Run ``python -m module arguments`` until the block ends; a process that hangs is killed, which ends its lines."""
    popen = subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    deadline = Timer(SECONDS, popen.kill)
    deadline.daemon = True
    deadline.start()
    with popen:
        try:
            yield Process(popen)
        finally:
            deadline.cancel()
            popen.kill()
