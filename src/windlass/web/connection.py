"""A connection of the server, which a client that sends or reads nothing cannot hold."""

from __future__ import annotations

from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

_SECONDS = {"head": 10.0, "body": 30.0, "unread": 30.0, "closing": 5.0}
"""How long a connection may be in each of the situations in which it waits for its client."""


class Connection(H11Protocol):
    """Cut off when it waits for the same step of its client for too long; the server looks every second."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._waits_for: tuple[object, ...] | None = None
        self._since = 0.0

    def check(self, now: float) -> None:
        """Cut it off if its client has made no step for too long; ``now`` is by the monotonic clock."""
        waits_for = self._situation()
        if waits_for != self._waits_for:
            self._waits_for, self._since = waits_for, now
        elif waits_for is not None and now - self._since >= _SECONDS[str(waits_for[0])]:
            # Not closed, which would wait until the client has read what is left.
            self.transport.abort()

    def _situation(self) -> tuple[object, ...] | None:
        """What it waits for, and of which request; bytes that trickle in make no difference to it."""
        if self.transport.is_closing():
            return ("closing",)
        left = self.transport.get_write_buffer_size()
        if left:
            return "unread", left
        if self.conn.their_state is h11.SEND_BODY:
            return "body", id(self.cycle)
        if self.conn.their_state is h11.IDLE and self.timeout_keep_alive_task is None:
            return "head", id(self.cycle)
        return None
