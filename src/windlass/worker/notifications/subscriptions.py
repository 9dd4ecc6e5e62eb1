"""What a worker is notified of."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from windlass.client.session import Session
from windlass.store.driver import Topic

Unsubscribe = Callable[[], None]


class Subscriptions:
    """Of jobs that this process stores and of orders always, of jobs that others store unless the worker is on standby.

    ``backlog`` is called for jobs that no worker has claimed, ``orders`` for orders.
    """

    def __init__(
        self,
        session: Session,
        *,
        notified: Callable[[], None],
        from_elsewhere: Callable[[str | None], None],
        backlog: Callable[[], None],
        orders: Callable[[], None],
    ) -> None:
        self._session = session
        self._notified = notified
        self._from_elsewhere = from_elsewhere
        self._backlog = backlog
        self._orders = orders
        self._lock = Lock()
        self._always: list[Unsubscribe] = []
        self._of_others: Unsubscribe | None = None

    def open(self) -> None:
        """Subscribe to everything."""
        for topic, wake in ((Topic.CONTROL, self._orders), (Topic.BACKLOG, self._backlog)):
            self._always.append(self._session.subscribe(wake, topic))
        self._always.append(self._session.subscribe_here(self._notified, Topic.WORK))
        self.stand_by(False)

    def close(self) -> None:
        """Unsubscribe from everything; what ``stand_by`` is told from now on changes nothing."""
        while self._always:
            self._always.pop()()
        self._leave_others()

    def stand_by(self, is_on_standby: bool) -> None:
        """Leave notifications of the jobs of other processes to other workers, or take part in them again."""
        if is_on_standby == (self._of_others is None):
            return
        if is_on_standby:
            self._leave_others()
            return
        with self._lock:
            if self._always:  # else it was closed
                self._of_others = self._session.subscribe_elsewhere(self._from_elsewhere, Topic.WORK)

    def _leave_others(self) -> None:
        with self._lock:
            unsubscribe, self._of_others = self._of_others, None
        if unsubscribe is not None:
            unsubscribe()
