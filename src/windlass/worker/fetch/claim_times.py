"""When the pump asks for jobs again: notified of some, by polling, for room under a limit, for a token."""

from __future__ import annotations

from collections.abc import Callable

from windlass import clock
from windlass.worker.fetch.capacity import Capacity
from windlass.worker.notifications.wake_ups import WakeUps

_POLL = 1.0
_POLL_WHEN_WATCHED = 10.0


class ClaimTimes:
    """Brings together what wakes a pump that has no endings to write. ``poll_soon`` may be called from any thread, the
    rest from the pump's.

    ``is_watched`` says whether some worker checks for unclaimed jobs, and we would be notified of them: then polls are
    rare.
    """

    def __init__(self, capacity: Capacity, wake_ups: WakeUps, *, is_watched: Callable[[], bool]) -> None:
        self._capacity = capacity
        self._wake_ups = wake_ups
        self._is_watched = is_watched
        self._polled = float("-inf")
        self._jitter = 1.0
        self.is_poll_wanted = False
        """Whether the promotion duty (``Backlog``) found jobs that no worker has claimed."""
        self.surveys_at: float | None = None
        """When to ask which queues have work, if jobs fit and it is too early to ask again."""

    def poll_soon(self) -> None:
        """Poll in the next round."""
        self.is_poll_wanted = True

    def wait(self, now: float, *, soonest: float, at_most: float | None = None) -> float:
        """How many seconds until the first of them is due; none counts before ``soonest``. ``at_most`` is how long to
        wait instead of until the next poll.
        """
        longest = min(_POLL, max(0.0, self._polls_at - now)) if at_most is None else at_most
        limits_at, tokens_at = self._capacity.running_limits.asks_again_at, self._capacity.rates.asks_again_at
        notified_at = 0.0 if self._wake_ups.is_waiting else None
        for due in (self.surveys_at, notified_at, limits_at, tokens_at):
            longest = longest if due is None else min(longest, max(due, soonest) - now)
        return longest

    def take(self, now: float, *, is_going: bool) -> bool:
        """Take in which queues may have work by now; whether a notification is the only reason for a cycle.

        ``is_going`` says that there will be a cycle anyway.
        """
        notified = self._wake_ups.take(is_going=is_going)
        if notified is not None:
            self._capacity.may_have_work(notified.queues)
        if notified is not None and notified.is_any:
            self._capacity.recheck_all()
        elif self.is_poll_wanted or now >= self._polls_at:
            self._capacity.ask_where()
        else:
            return notified is not None and notified.is_only_reason
        # With jitter: of workers that poll at different times one will soon find what others have missed.
        self._polled, self._jitter, self.is_poll_wanted = now, 0.75 + clock.roll() / 4, False
        return notified is not None and notified.is_only_reason

    @property
    def _polls_at(self) -> float:
        return self._polled + (_POLL_WHEN_WATCHED if self._is_watched() else _POLL) * self._jitter
