"""Finds pending jobs that no worker has claimed although it was notified."""

from __future__ import annotations

from enum import Enum

CHECK_AFTER = 0.05
"""Seconds after a look that has found jobs to claim, until another tells whether a worker has gone for them."""
_TELL_AFTER = 0.3
"""Seconds for which looks must find jobs before all workers are told: in a stream of jobs each may be a new one, and on
a busy machine a claim may take that long. With the pause between two looks it stays below one second, the most that a
lost wake-up may cost.
"""
_TELL_AGAIN = 1.0
"""Seconds between two pieces of news of jobs that still wait."""


class WakeUpCall(Enum):
    """Who is to go for jobs that were found."""

    NONE = "none"
    HERE = "here"
    """The worker of this process."""
    ALL = "all"


class Backlog:
    """Judges the looks of one process. The first that finds jobs sends the worker of this process for them. Where that
    does not help, the news got lost or all who heard it have no room: all workers are told.
    """

    def __init__(self) -> None:
        self._since: float | None = None
        self._told = float("-inf")

    @property
    def is_to_be_checked(self) -> bool:
        """Whether jobs were found and it is not known whether a worker has gone for them."""
        return self._since is not None and self._told < self._since

    def judge(self, *, has_work: bool, now: float) -> WakeUpCall:
        """Note what a look has found; who is to be called."""
        if not has_work:
            self._since = None
            return WakeUpCall.NONE
        if self._since is None:
            self._since = now
            return WakeUpCall.HERE
        if now - self._since < _TELL_AFTER or now - self._told < _TELL_AGAIN:
            return WakeUpCall.NONE
        self._told = now
        return WakeUpCall.ALL
