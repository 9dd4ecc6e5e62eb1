"""Finds pending jobs that no worker has claimed although it was notified."""

from __future__ import annotations

from enum import Enum

CHECK_AFTER = 0.05
"""Seconds between a check that found claimable jobs and the next one, which shows whether a worker has claimed them."""
_NOTIFY_AFTER = 0.1
"""Seconds for which checks must find jobs before all workers are notified: in a stream of jobs each may be a new one,
and a claim takes a moment. Jobs that only workers on standby can take wait for so long, and where a notification was
lost.
"""
_NOTIFY_AGAIN = 1.0
"""Seconds between two notifications of jobs that still wait."""


class WakeUpCall(Enum):
    """Which workers are woken for jobs that were found."""

    NONE = "none"
    HERE = "here"
    """The worker of this process."""
    ALL = "all"


class Backlog:
    """Decides which workers to wake, from the checks of one process. The first check that finds jobs wakes the worker
    of this process. If the jobs still wait then, a notification got lost or the workers that got it are full: all
    workers are notified.
    """

    def __init__(self) -> None:
        self._since: float | None = None
        self._notified_at = float("-inf")

    @property
    def is_to_be_checked(self) -> bool:
        """Whether jobs were found and it is not known whether a worker has claimed them."""
        return self._since is not None and self._notified_at < self._since

    def judge(self, *, has_work: bool, now: float) -> WakeUpCall:
        """Take in what a check has found; which workers are to be woken."""
        if not has_work:
            self._since = None
            return WakeUpCall.NONE
        if self._since is None:
            self._since = now
            return WakeUpCall.HERE
        if now - self._since < _NOTIFY_AFTER or now - self._notified_at < _NOTIFY_AGAIN:
            return WakeUpCall.NONE
        self._notified_at = now
        return WakeUpCall.ALL
