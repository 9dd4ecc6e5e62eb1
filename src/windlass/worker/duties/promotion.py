"""Makes jobs pending whose time has come, and sees to it that workers go for pending jobs."""

from __future__ import annotations

from collections.abc import Callable

from windlass import clock
from windlass.errors import StoreUnavailable
from windlass.session import Session
from windlass.store.driver import Topic
from windlass.store.jobs import promote_page
from windlass.worker.duties.backlog import CHECK_AFTER, Backlog, Call
from windlass.worker.duties.outlook import Outlook


class Promotion:
    """Every worker does it. A round promotes one page."""

    name = "promotion"
    needs_lead = False

    def __init__(
        self, *, session: Session, by: str, outlook: Outlook, poll_here: Callable[[], None] = lambda: None
    ) -> None:
        """``poll_here`` sends the worker of this process, if it has one, to the store for jobs."""
        self._session = session
        self._by = by
        self._outlook = outlook
        self._backlog = Backlog()
        self._poll_here = poll_here

    def tick(self) -> float:
        ahead = self._outlook.look()
        self._call(self._backlog.judge(has_work=ahead.has_work, now=clock.monotonic()))
        if ahead.next_due is not None and ahead.next_due <= 0 and self._promote():
            return 0.0
        pause = self._outlook.pause(ahead.next_due)
        return min(pause, CHECK_AFTER) if self._backlog.is_to_be_checked else pause

    def _call(self, call: Call) -> None:
        if call is not Call.NONE:
            self._poll_here()
        if call is Call.ALL:
            self._session.tell(Topic.BACKLOG)

    def _promote(self) -> bool:
        """Promote a page; whether there may be more."""
        try:
            promoted, is_full = self._session.run(promote_page(by=self._by))
        except StoreUnavailable:
            self._outlook.note_outage()
            raise
        if promoted:
            self._session.tell(Topic.WORK)
        return is_full
