"""A terminal with a command at it that draws over what it has drawn, and what can be read there."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from tests.cli.program import DEADLINE, Program, command_line

_CODES = re.compile(r"\x1b\[(\??)([0-9;]*)([A-Za-z])|([^\x1b]+)")
_HALF = re.compile(r"\x1b(\[[?0-9;]*)?$")


class Terminal:
    """Understands what a window of ours needs, and fails on everything else."""

    def __init__(self, ours: int, theirs: int, process: subprocess.Popen[bytes]) -> None:
        self._ours = ours
        self.device = theirs
        self.process = process
        self._decoder = getincrementaldecoder("utf-8")()
        self._unread = ""
        self._column = self._row = 0
        self.lines: list[str] = []
        self.main_lines: list[str] = []
        """What stands on the screen that is there before and after."""
        self.is_alternate = False
        self.has_cursor = True

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def resize(self, *, rows: int, columns: int) -> None:
        set_size(self.device, rows=rows, columns=columns)
        del self.lines[rows:]

    def type(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def wait_until(self, is_shown: Callable[[Terminal], bool]) -> None:
        """Read until this is to be seen."""
        until = monotonic() + DEADLINE
        while not is_shown(self):
            assert monotonic() < until, f"there is only:\n{self.text}"
            self._read()

    def wait_for(self, text: str) -> None:
        self.wait_until(lambda shown: text in shown.text)

    def code(self) -> int:
        """The exit code of the command, when it has ended and all that it wrote is read."""
        code = self.process.wait(DEADLINE)
        while self._read():
            pass
        return code

    def _read(self) -> bool:
        if not select.select([self._ours], [], [], 0.1)[0]:
            return False
        self._unread += self._decoder.decode(os.read(self._ours, 65_536))
        self._draw()
        return True

    def _draw(self) -> None:
        text = self._unread
        half = _HALF.search(text)
        self._unread = half.group() if half else ""
        for question, numbers, letter, plain in _CODES.findall(text.removesuffix(self._unread)):
            if plain:
                self._write(plain)
            else:
                self._obey(question + letter, numbers)

    def _obey(self, code: str, numbers: str) -> None:
        match code, numbers:
            case "m", _:
                pass
            case "H", position:
                self._row, self._column = (int(number) - 1 for number in position.split(";"))
            case "K", "2":
                self._put(self._row, "")
            case "J", "":
                del self.lines[self._row :]
            case (("?h" | "?l"), "1049"):
                self.is_alternate = code == "?h"
                if self.is_alternate:
                    self.main_lines, self.lines = self.lines, []
                else:
                    self.lines = self.main_lines
            case (("?h" | "?l"), "25"):
                self.has_cursor = code == "?h"
            case _:
                raise AssertionError(f"what is {code!r} {numbers!r}?")

    def _write(self, text: str) -> None:
        for number, part in enumerate(text.replace("\r", "").split("\n")):
            if number:
                self._row, self._column = self._row + 1, 0
            before = self.lines[self._row] if self._row < len(self.lines) else ""
            self._put(self._row, before[: self._column].ljust(self._column) + part)
            self._column += len(part)

    def _put(self, row: int, line: str) -> None:
        self.lines += [""] * (row + 1 - len(self.lines))
        self.lines[row] = line


def set_size(terminal: int, *, rows: int, columns: int) -> None:
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


@contextmanager
def terminal_with(
    program: Program,
    *arguments: str,
    rows: int = 24,
    columns: int = 80,
    kind: str = "xterm-256color",
    is_controlling: bool = True,
) -> Iterator[Terminal]:
    """A command at a terminal; killed if the test leaves it behind.

    A terminal that is controlling makes signals of keys. A command at such a one is alone in its session, and cannot be
    suspended.
    """
    ours, theirs = pty.openpty()
    set_size(theirs, rows=rows, columns=columns)

    def take_terminal() -> None:
        os.setsid()
        fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

    process = subprocess.Popen(
        command_line(arguments),
        cwd=program.folder,
        env=program.environment(TERM=kind),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        process_group=None if is_controlling else 0,
        preexec_fn=take_terminal if is_controlling else None,  # noqa: PLW1509  # two system calls, no lock
    )
    try:
        yield Terminal(ours, theirs, process)
    finally:
        process.kill()
        process.wait(DEADLINE)
        os.close(ours)
        os.close(theirs)
