"""The terminal: taken, given back on every way out, its signals and its size."""

from __future__ import annotations

import logging
import os
import select
import signal
import sys
import termios
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from types import FrameType, TracebackType
from typing import Any

from windlass.cli.top.frame import Size
from windlass.cli.top.keys import KeyDecoder

_ENTER = "\x1b[?1049h\x1b[?25l"
"""The alternate screen, without a cursor: the contents of the terminal stay."""
_LEAVE = "\x1b[?25h\x1b[?1049l"
_ENDING = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGQUIT})
_WATCHED = (*_ENDING, signal.SIGTSTP, signal.SIGCONT, signal.SIGWINCH)
_ESCAPE_PAUSE = 0.05
"""Seconds after which an escape that nothing follows was the key of that name."""
_LOCAL_FLAGS = 3
_CONTROL_CHARACTERS = 6


@dataclass(frozen=True, slots=True)
class Happened:
    """What came while the terminal was waited for."""

    keys: list[str]
    is_over: bool = False
    """A signal asked to end, or the terminal is gone."""
    is_stale: bool = False
    """The size has changed, or the terminal was used by others meanwhile."""


class TopTerminal:
    """A context in which single keys can be read and the whole screen drawn.

    Signals only leave a note, which the next ``wait`` acts on: no exception strikes in the middle of a draw.
    """

    def __init__(self) -> None:
        self._input, self._output = sys.stdin.fileno(), sys.stdout.fileno()
        self._notes: deque[int] = deque()
        self._handlers: dict[int, Any] = {}
        self._decoder = KeyDecoder()
        self._is_taken = False
        self._former: list[Any] = []
        self._woken, self._waker = -1, -1
        self._former_waker = -1

    def __enter__(self) -> TopTerminal:
        self._woken, self._waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._former_waker = signal.set_wakeup_fd(self._waker, warn_on_full_buffer=False)
        self._handlers = {number: signal.signal(number, self._note) for number in _WATCHED}
        logging.disable(logging.CRITICAL)  # lines of a log would stand in the middle of the picture
        try:
            self._take()
        except BaseException:
            self._restore()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._restore()

    def _restore(self) -> None:
        # A second Ctrl-C must not prevent the reset of the terminal.
        former = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
        try:
            self._give_back()
        finally:
            logging.disable(logging.NOTSET)
            for number, handler in self._handlers.items():
                signal.signal(number, handler)
            signal.set_wakeup_fd(self._former_waker)
            signal.pthread_sigmask(signal.SIG_SETMASK, former)
            for end in (self._woken, self._waker):
                os.close(end)
            self._woken = self._waker = -1

    @property
    def size(self) -> Size:
        """A default where the terminal does not know its size."""
        found = os.get_terminal_size(self._output)
        return Size(found.columns or 80, found.lines or 24)

    def wake(self) -> None:
        """Have ``wait`` return; from any thread."""
        with suppress(OSError):  # it is full, or closed: the wait has been told, or is over
            os.write(self._waker, b"\0")

    def draw(self, picture: str) -> None:
        """Write all of it; a terminal that is gone is noticed by the next ``wait``."""
        with suppress(OSError):
            self._write(picture)

    def wait(self, seconds: float) -> Happened:
        """Wait for keys, signals and ``wake``, at most so long."""
        patience = _ESCAPE_PAUSE if self._decoder.is_waiting else max(0.0, seconds)
        ready, _, _ = select.select([self._input, self._woken], [], [], patience)
        if self._woken in ready:
            with suppress(BlockingIOError):
                while os.read(self._woken, 4096):
                    pass
        keys: list[str] = []
        if self._input in ready:
            try:
                data = os.read(self._input, 4096)
            except OSError:
                data = b""
            if not data:
                return Happened([], is_over=True)
            keys = list(self._decoder.feed(data))
        elif self._decoder.is_waiting:
            keys = self._decoder.flush()
        return self._heed(keys)

    def _heed(self, keys: list[str]) -> Happened:
        is_stale = False
        while self._notes:
            number = self._notes.popleft()
            if number in _ENDING:
                return Happened(keys, is_over=True)
            if number == signal.SIGTSTP:
                self._suspend()
            elif number == signal.SIGCONT:
                self._take()
            is_stale = True
        return Happened(keys, is_stale=is_stale)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._notes.append(number)

    def _suspend(self) -> None:
        """Ctrl-Z: the shell gets the terminal as it was; it is taken again when the shell continues us."""
        self._give_back()
        former = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        signal.raise_signal(signal.SIGTSTP)  # to this thread: it stops here, and nowhere later
        signal.signal(signal.SIGTSTP, former)
        self._take()

    def _take(self) -> None:
        if not self._is_taken:
            self._former = termios.tcgetattr(self._input)
        single_keys = [*self._former[:_CONTROL_CHARACTERS], list(self._former[_CONTROL_CHARACTERS])]
        single_keys[_LOCAL_FLAGS] &= ~(termios.ICANON | termios.ECHO)
        single_keys[_CONTROL_CHARACTERS][termios.VMIN] = 1
        single_keys[_CONTROL_CHARACTERS][termios.VTIME] = 0
        self._is_taken = True
        termios.tcsetattr(self._input, termios.TCSADRAIN, single_keys)
        self._write(_ENTER)

    def _give_back(self) -> None:
        if not self._is_taken:
            return
        self._is_taken = False
        with suppress(OSError, termios.error):  # the terminal may be gone
            self._write(_LEAVE)
        with suppress(OSError, termios.error):
            # What was typed and not read is not meant for the shell.
            termios.tcsetattr(self._input, termios.TCSAFLUSH, self._former)

    def _write(self, text: str) -> None:
        left = text.encode(sys.stdout.encoding or "utf-8", errors="backslashreplace")
        while left:
            left = left[os.write(self._output, left) :]
