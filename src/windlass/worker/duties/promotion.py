"""Makes jobs pending that are due, or whose event, token or parents they waited for; ends those that are too late."""

from __future__ import annotations

import logging
from collections.abc import Callable

from windlass import clock
from windlass.client.session import Session
from windlass.errors import StoreUnavailable
from windlass.store.driver import Topic
from windlass.store.operations.jobs import promote_page
from windlass.store.operations.steps.sent_events import deliver_events
from windlass.worker.duties.backlog import CHECK_AFTER, Backlog, WakeUpCall
from windlass.worker.duties.rescue_deferral import RescueDeferral
from windlass.worker.duties.store_watch import StoreWatch

log = logging.getLogger("windlass.duties")


class Promotion:
    """Every worker does it. A round promotes one page."""

    name = "promotion"
    needs_lead = False

    def __init__(
        self,
        *,
        session: Session,
        by: str,
        store_watch: StoreWatch,
        deferral: RescueDeferral,
        poll_here: Callable[[], None] = lambda: None,
    ) -> None:
        """``poll_here`` has the worker of this process, if there is one, claim jobs."""
        self._session = session
        self._by = by
        self._store_watch = store_watch
        self._deferral = deferral
        self._backlog = Backlog()
        self._poll_here = poll_here
        self.did = ""

    def tick(self) -> float:
        ahead = self._store_watch.read()
        self._call(self._backlog.judge(has_work=ahead.has_work, now=clock.monotonic()))
        left = ahead.next_promotion
        if ahead.has_events:
            self._deliver()
        if left is not None and left <= 0 and self._promote():
            return 0.0
        pause = self._store_watch.pause(left)
        return min(pause, CHECK_AFTER) if self._backlog.is_to_be_checked else pause

    def _call(self, call: WakeUpCall) -> None:
        if call is not WakeUpCall.NONE:
            self._poll_here()
        if call is WakeUpCall.ALL:
            self._session.notify(Topic.BACKLOG)

    def _deliver(self) -> None:
        """Wake jobs whose event has come."""
        woken = self._session.run(deliver_events())
        if woken:
            self.did = f"woke {woken:,}"
            self._session.notify(Topic.WORK)

    def _promote(self) -> bool:
        """Promote a page; true when there may be more, soon."""
        try:
            page = self._session.run(promote_page(by=self._by))
        except StoreUnavailable:
            self._deferral.note_outage()
            raise
        if page.promoted + page.released:
            self.did = f"promoted {page.promoted + page.released:,}"
            log.debug("%s", self.did, extra={"event": "jobs_promoted"})
        if page.let_go:
            self.did = f"let {page.let_go:,} go that had waited for a token"
        if page.promoted or page.let_go or page.released:
            self._session.notify(Topic.WORK)
        if page.expired:
            log.warning("jobs that had not started in time, and were cancelled (expired): %s", page.expired)
            self._session.notify(Topic.FINISHED)
        if page.cancelled:
            log.warning(
                "jobs that waited for one which did not complete, and were cancelled (dependency): %s", page.cancelled
            )
            self._session.notify(Topic.FINISHED)
        return page.is_full or page.let_go > 0
