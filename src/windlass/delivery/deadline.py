"""Ends a connection when its time is over, whatever the other side does."""

from __future__ import annotations

import socket
from contextlib import suppress
from types import TracebackType

from windlass import clock
from windlass.threads.start import start_thread
from windlass.threads.wakeup import Wakeup


class Deadline:
    """The time for one delivery as a whole. The time limit of a socket is for one call: a receiver that sends a byte
    now and then would hold a thread for ever.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._until = clock.monotonic() + seconds
        self._done = Wakeup()
        self._watched: list[socket.socket] = []

    def __enter__(self) -> Deadline:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._done.set()

    @property
    def is_over(self) -> bool:
        return clock.monotonic() >= self._until

    def remaining(self) -> float:
        """Seconds that are left; ``TimeoutError`` when there are none."""
        left = self._until - clock.monotonic()
        if left <= 0:
            raise TimeoutError(f"no answer within {self._seconds:g} s")
        return left

    def watch(self, connection: socket.socket) -> None:
        """Shut the connection when the time is over. TLS may be put on it afterwards: what is shut is below that."""
        start_thread(self._shut_in_time, connection.dup(), name="windlass-deadline")

    def _shut_in_time(self, connection: socket.socket) -> None:
        with connection:
            if not clock.wait(self._done, max(0.0, self._until - clock.monotonic())):
                with suppress(OSError):  # closed by the other side in the meantime
                    connection.shutdown(socket.SHUT_RDWR)
