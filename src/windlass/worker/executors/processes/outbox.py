"""The worker's end of the pipe to a child; never waits for a child that does not read."""

from __future__ import annotations

import os
import select
from multiprocessing.connection import Connection
from threading import Lock

from windlass.errors import StartRefused
from windlass.threads.start import start_thread


class Outbox:
    """Writes at once what the pipe takes; a thread writes the rest."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        os.set_blocking(pipe.fileno(), False)
        self._lock = Lock()
        self._rest = bytearray()
        self._is_writing = False
        self._is_closed = False

    def send(self, data: bytes) -> None:
        """Returns at once. What is sent to a dead child is lost; its reader reports the runs."""
        with self._lock:
            if self._is_closed:
                return
            if self._rest:
                self._rest += data
                self._see_to_rest()
                return
            written = self._write(data)
            if written == len(data):
                return
            self._rest += memoryview(data)[written:]
            self._see_to_rest()

    def check(self) -> None:
        """Write what is left over where no thread could be started."""
        with self._lock:
            self._see_to_rest()

    def close(self) -> None:
        """Called when the child is gone, so that a thread that waits for it ends."""
        with self._lock:
            self._is_closed = True
            self._rest.clear()
            if not self._is_writing:
                self._pipe.close()

    def _see_to_rest(self) -> None:
        if not self._rest or self._is_writing:
            return
        try:
            start_thread(self._write_rest, name="windlass-orders")
        except StartRefused:
            del self._rest[: self._write(self._rest)]  # the rest waits for the next check
        else:
            self._is_writing = True

    def _write(self, data: bytes | bytearray) -> int:
        try:
            return os.write(self._pipe.fileno(), data)
        except BlockingIOError:
            return 0
        except OSError:  # gone; its reader notices
            return len(data)

    def _write_rest(self) -> None:
        writable = select.poll()
        writable.register(self._pipe.fileno(), select.POLLOUT)
        while True:
            writable.poll(1000)
            with self._lock:
                del self._rest[: self._write(self._rest)]
                if not self._rest:
                    self._is_writing = False
                    if self._is_closed:
                        self._pipe.close()
                    return
