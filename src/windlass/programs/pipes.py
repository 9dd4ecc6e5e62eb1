"""Reads and writes the pipes of a program at the same time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from enum import Enum
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector
from typing import IO

_CHUNK = 65536
_LAST_CHUNKS = 64
"""How many chunks are read after the program's end, at most: a process that left its group may write without end."""


class Stream(Enum):
    """The output streams of a program."""

    OUT = "stdout"
    ERR = "stderr"


class Pipes:
    """``turn()`` serves all pipes that are ready; it also wakes when the program ends, where the system supports it."""

    def __init__(self, process: int, *, stdin: IO[bytes] | None, stdout: IO[bytes], stderr: IO[bytes]) -> None:
        self._selector = DefaultSelector()
        self._stdin = stdin
        self._streams = {Stream.OUT: stdout, Stream.ERR: stderr}
        self._unsent = memoryview(b"")
        self._closes_stdin = False
        self._end: int | None = None
        if hasattr(os, "pidfd_open"):
            self._end = os.pidfd_open(process)
            self._selector.register(self._end, EVENT_READ)
        for stream, pipe in self._streams.items():
            os.set_blocking(pipe.fileno(), False)
            self._selector.register(pipe, EVENT_READ, stream)
        if stdin is not None:
            os.set_blocking(stdin.fileno(), False)

    @property
    def has_sent_all(self) -> bool:
        return not self._unsent

    def send(self, data: bytes, *, is_last: bool = False) -> None:
        """Write this as the program reads it; after the last data its stdin is closed."""
        assert self._stdin is not None
        self._unsent = memoryview(data)
        self._closes_stdin = is_last
        self._selector.register(self._stdin, EVENT_WRITE)

    def turn(self, seconds: float) -> Iterator[tuple[Stream, bytes]]:
        """Wait at most so long; the output that has come."""
        for key, _ in self._selector.select(seconds):
            if isinstance(key.data, Stream):
                chunk = self._read(key.data)
                if chunk:
                    yield key.data, chunk
            elif key.fd != self._end:
                self._write()

    def rest(self) -> Iterator[tuple[Stream, bytes]]:
        """Output that has not been read yet."""
        for stream in Stream:
            for _ in range(_LAST_CHUNKS):
                chunk = self._read(stream)
                if not chunk:
                    break
                yield stream, chunk

    def close(self) -> None:
        self._selector.close()
        if self._end is not None:
            os.close(self._end)
        for pipe in (self._stdin, *self._streams.values()):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()

    def _read(self, stream: Stream) -> bytes:
        """Read what is there; empty also at the end of the stream."""
        pipe = self._streams[stream]
        try:
            chunk = b"" if pipe.closed else os.read(pipe.fileno(), _CHUNK)
        except BlockingIOError:
            return b""
        if not chunk and not pipe.closed:
            self._selector.unregister(pipe)
            pipe.close()
        return chunk

    def _write(self) -> None:
        assert self._stdin is not None
        try:
            self._unsent = self._unsent[os.write(self._stdin.fileno(), self._unsent) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._unsent = memoryview(b"")  # a program may close its stdin early
        if not self._unsent:
            self._selector.unregister(self._stdin)
            if self._closes_stdin:
                self._stdin.close()
