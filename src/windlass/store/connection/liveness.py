"""Asks a silent connection whether its server still answers.

A network may drop a connection without notice to either side, and a proxy in between may hang. A worker would then wait
for notifications that cannot arrive.
"""

from __future__ import annotations

from enum import Enum

QUIET = 0.6
"""Seconds without a message after which the server is asked for one: each idle worker asks so often."""
_LATE = 0.3
"""Seconds after which an answer is late. Together with ``QUIET`` and a check of the store it stays below one second,
the most that a lost notification may cost.
"""
_OVER = 3.0
"""Seconds without an answer after which the connection is given up."""


class Finding(Enum):
    """What there is to do about a connection."""

    NOTHING = "nothing"
    ASK = "ask"
    """Ask the server for an answer."""
    DOUBT = "doubt"
    """Its answer is late: notifications may be lost, and the store has to be checked."""
    OVER = "over"


class ConnectionLiveness:
    """Judges one connection by what came in and when; all times are on the monotonic clock.

    A late answer ends no connection: the server, or this machine, may only be busy. A message that comes after all ends
    the doubt, because messages of a server keep their order.
    """

    def __init__(self, now: float, *, quiet: float = QUIET) -> None:
        self._quiet = quiet
        self._heard = now
        self._asked: float | None = None
        self.is_doubted = False

    def note_word(self, now: float) -> None:
        """Something came in."""
        self._heard, self._asked, self.is_doubted = now, None, False

    def note_question(self, now: float) -> None:
        """The server was asked for an answer."""
        self._asked = now

    def pause(self, now: float) -> float:
        """The seconds until ``judge`` has a finding, if nothing comes in."""
        if self._asked is None:
            due = self._heard + self._quiet
        else:
            due = self._asked + (_OVER if self.is_doubted else _LATE)
        return max(0.0, due - now)

    def judge(self, now: float) -> Finding:
        """Called when nothing can be read; a doubt is found once."""
        if self.pause(now):
            return Finding.NOTHING
        if self._asked is None:
            return Finding.ASK
        if self.is_doubted:
            return Finding.OVER
        self.is_doubted = True
        return Finding.DOUBT
