"""Ends programs that outlive their worker."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING

from windlass import clock

if TYPE_CHECKING:
    import subprocess


class Reaper:
    """A small process beside ours. It has the list of process groups that we started and kills them when we are gone.

    The system's own way, a signal at the death of the parent, reaches only the program itself and not the processes it
    has started, and is also sent when only the starting thread ends.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._groups: set[int] = set()
        self._marks: set[str] = set()

    def expect(self) -> str:
        """A mark for the environment of a program that is about to start: by it the program is found if we die before
        its number is sent.
        """
        mark = f"{clock.random_bits(64):016x}"
        with self._lock:
            self._marks.add(mark)
            try:
                self._send(f"?{mark}")
            except BaseException:  # too many open files, say
                self._marks.discard(mark)
                raise
        return mark

    def settle(self, mark: str, group: int | None) -> None:
        """The program with this mark has started, as this group; or it has not, and is forgotten."""
        with self._lock:
            self._marks.discard(mark)
            if group is not None:
                self._groups.add(group)
                self._send(f"+{group}")
            self._send(f"!{mark}")

    def forget(self, group: int) -> None:
        """The group has ended; its number may soon be reused."""
        with self._lock:
            self._groups.discard(group)
            if self._process is not None:
                with suppress(OSError):  # if it cannot be started now, it is started for the next program
                    self._send(f"-{group}")

    def close(self) -> None:
        """End it; the groups that it still watches are killed."""
        with self._lock:
            self._end()
            self._groups.clear()
            self._marks.clear()

    def reset_after_fork(self) -> None:
        """In a forked child: forget what the parent started."""
        self._lock = Lock()
        self._groups, self._marks = set(), set()
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process.returncode = 0  # it is not a child of ours, so it cannot be waited for here
        self._process = None

    def _start(self) -> None:
        # Imported only where programs are started: every app has a reaper, few ever use it.
        import subprocess

        from windlass.programs import reaper_main

        self._end()
        self._process = process = subprocess.Popen(
            [sys.executable, "-I", "-S", reaper_main.__file__, str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,  # Ctrl-C must not reach it
            bufsize=0,
        )
        known = [*(f"+{group}" for group in self._groups), *(f"?{mark}" for mark in self._marks)]
        self._write(process, known)

    def _end(self) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._write(self._process, ["."])
            self._process.stdin.close()
            self._process.wait()
        self._process = None

    def _send(self, word: str) -> None:
        """Send one line to it; a new one, started because the old one was killed, is sent everything."""
        if self._process is None or not self._write(self._process, [word]):
            self._start()

    def _write(self, process: subprocess.Popen[bytes], words: Sequence[str]) -> bool:
        with suppress(BrokenPipeError):
            assert process.stdin is not None
            process.stdin.write("".join(f"{word}\n" for word in words).encode())
            return True
        return False
