"""Draws a list in place, again and again."""

from __future__ import annotations

import os
import signal
import sys
from datetime import datetime
from io import StringIO
from types import FrameType, TracebackType

from windlass import clock
from windlass.cli.output import HumanOutput, View
from windlass.cli.terminal.escape import escaped_line
from windlass.cli.terminal.screen import TerminalScreen, cut_line, terminal
from windlass.cli.times import now, second
from windlass.errors import StoreUnavailable

_ENTER = "\x1b[?1049h\x1b[?25l"
"""The alternate screen, without a cursor: the contents of the terminal stay."""
_LEAVE = "\x1b[?25h\x1b[?1049l"
_ENDING = {signal.SIGINT, signal.SIGTERM}
_PIECE = 0.1
"""Seconds within which the window follows a change of its size."""


class Window(HumanOutput):
    """Shows the beginning of a view, as much as fits, below a line with its age."""

    def __init__(self, interval: float) -> None:
        self._interval = interval
        self._view: View | None = None
        self._at = now()
        self._lines: list[str] = []
        self._outage: str | None = None
        self._size = _size()
        self._is_entered = False

    def __enter__(self) -> Window:
        self._former_handler = signal.signal(signal.SIGTSTP, self._suspended)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # A second Ctrl-C must not prevent the reset of the terminal.
        former = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
        self._leave()
        signal.signal(signal.SIGTSTP, self._former_handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, former)

    def show(self, view: View) -> None:
        """Replace the shown view."""
        self._view, self._at, self._outage = view, now(), None
        self._render()
        self._draw()

    def show_outage(self, since: datetime, error: StoreUnavailable) -> None:
        """Show the outage above the last view, which stays."""
        self._outage = outage(since, error)
        self._draw()

    def wait(self, seconds: float) -> None:
        """Wait, and follow the terminal when its size changes."""
        until = clock.monotonic() + seconds
        while (left := until - clock.monotonic()) > 0:
            # The system may deliver a signal to any thread, and then nothing wakes this one to handle it.
            clock.sleep(min(left, _PIECE))
            if _size() != self._size:
                self._render()
                self._draw()

    def _render(self) -> None:
        """Draw the view for the size that the terminal has now."""
        self._size = _size()
        width, rows = self._size
        text = StringIO()
        shown = TerminalScreen(terminal(text, width=width), rows=rows)
        if self._view is not None:
            self._view.draw(shown)
        self._lines = text.getvalue().splitlines()

    def _draw(self) -> None:
        self._enter()
        _, rows = self._size
        lines = self._heading()
        room = max(0, rows - len(lines))
        left_out = len(self._lines) - room
        if left_out > 0:
            kept = max(0, room - 1)
            more = f"... {len(self._lines) - kept} more lines; a taller window shows them"
            lines += [*self._lines[:kept], self._cut(more, "dim")]
        else:
            lines += self._lines
        shown = lines[:rows]
        # Each line is cleared before it is written: after a line as wide as the terminal that would clear its end.
        parts = [f"\x1b[{row};1H\x1b[2K{line}" for row, line in enumerate(shown, start=1)]
        below = f"\x1b[{len(shown) + 1};1H\x1b[J" if len(shown) < rows else ""
        _write("".join(parts) + below)

    def _heading(self) -> list[str]:
        about = f"{second(self._at)}, every {self._interval:g} s; Ctrl-C ends"
        return [self._cut(about, "dim"), *([] if self._outage is None else [self._cut(self._outage, "bold red")])]

    def _cut(self, line: str, style: str) -> str:
        return cut_line(escaped_line(line), style, width=self._size[0])

    def _enter(self) -> None:
        if not self._is_entered:
            self._is_entered = True
            _write(_ENTER)

    def _leave(self) -> None:
        if self._is_entered:
            self._is_entered = False
            _write(_LEAVE)

    def _suspended(self, number: int, frame: FrameType | None) -> None:
        """Ctrl-Z: reset the terminal for the shell, and take it again when the shell continues us."""
        was_entered = self._is_entered
        self._leave()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.signal(number, self._suspended)
        if was_entered:
            self._render()
            self._draw()


def outage(since: datetime, error: StoreUnavailable) -> str:
    """The message while a store does not answer."""
    return f"store unavailable since {second(since)}; trying again ({error})"


def _size() -> tuple[int, int]:
    """Columns and rows; a default where the terminal does not know them."""
    size = os.get_terminal_size(sys.stdout.fileno())
    return size.columns or 80, size.lines or 24


def _write(text: str) -> None:
    """Write all of it without the buffer: a signal handler may interrupt a write and write itself."""
    sys.stdout.flush()
    left = text.encode(sys.stdout.encoding or "utf-8", errors="backslashreplace")
    while left:
        left = left[os.write(sys.stdout.fileno(), left) :]
