"""Turns commits of other processes into notifications."""

from __future__ import annotations

from collections.abc import Callable, Collection

from windlass import clock
from windlass.store.driver import Topic

COMMITTED = (Topic.WORK, Topic.FINISHED)
"""What each commit of another process may be about. Other topics are rare, and checked every second."""
_LOOK = 0.15
"""Seconds between two checks for jobs that no worker has claimed."""
_LONGEST_LOOK = 0.8
"""The same where checks find jobs again and again that this process does not claim."""
_BACKLOG = 4
"""So many checks in a row that found jobs waiting make a backlog."""
_STILL = 0.02
"""Seconds for which a backlog counts without another check: with a backlog there are very many commits."""


class CommitTopics:
    """Notifies of the subscribed topics. Work is notified only where jobs wait: most commits are heartbeats, claims and
    endings, and a worker that tried to claim after each of them would keep others from writing.

    ``work`` says whether jobs wait to be claimed, and when the next one is due, in milliseconds.
    """

    def __init__(
        self, heard: Callable[[Topic], None], *, topics: Collection[Topic], work: Callable[[], tuple[bool, int | None]]
    ) -> None:
        self._heard = heard
        self._work = work
        self.followed = frozenset(topics)
        self._pause = _LOOK
        self._next_due: int | None = None
        self._found = 0
        self._known_until = 0.0

    @property
    def wants_commits(self) -> bool:
        """Whether it matters when there is a commit. If not, jobs that no worker has claimed are looked for now and
        then, see ``look_for_backlog``: a process that is woken by each commit of all others costs more than that.
        """
        return not self.followed.isdisjoint(COMMITTED) or Topic.BACKLOG not in self.followed

    def hears(self, topic: Topic) -> bool:
        if topic is Topic.BACKLOG:
            return not self.wants_commits
        return topic in COMMITTED and topic in self.followed

    def look_for_backlog(self) -> float:
        """Notify of jobs that no worker has claimed; how many seconds until the next check."""
        is_waiting, _ = self._work()
        if is_waiting:
            self._heard(Topic.BACKLOG)
        self._pause = min(self._pause * 2, _LONGEST_LOOK) if is_waiting else _LOOK
        return self._pause * (0.75 + clock.roll() / 2)

    def notify(self) -> None:
        """Another process has committed something."""
        if self.hears(Topic.WORK) and self._may_be_work():
            self._heard(Topic.WORK)
        if self.hears(Topic.FINISHED):
            self._heard(Topic.FINISHED)

    def _may_be_work(self) -> bool:
        if clock.monotonic() < self._known_until:
            return True
        is_waiting, due = self._work()
        self._found = self._found + 1 if is_waiting else 0
        if self._found >= _BACKLOG:
            self._known_until = clock.monotonic() + _STILL
        before, self._next_due = self._next_due, due
        return is_waiting or (due is not None and (before is None or due < before))
