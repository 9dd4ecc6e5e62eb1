"""Exceptions that a signal handler raises inside a call: the usual time limit by ``SIGALRM``, or Ctrl-C."""

from __future__ import annotations

import subprocess
import sys
from textwrap import dedent


def test_a_number_that_cannot_be_written_ends_no_process() -> None:
    """``tests/faults/test_alarms.py`` at the very place: a signal is looked at while a number is written."""
    code = dedent(
        """
        from types import SimpleNamespace
        from windlass.store.redis.connection import Connection

        class Struck(int):
            def __repr__(self):
                raise TimeoutError

        try:
            Connection(SimpleNamespace(_sock=None)).send("GET", Struck(1))
        except TimeoutError:
            print("raised")
        """
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=240, check=False)
    assert (ended.returncode, ended.stdout) == (0, "raised\n"), ended.stderr[-2000:]
