"""Lets go jobs that were left waiting for a concurrency key that is free."""

from __future__ import annotations

import logging

from windlass.client.session import Session
from windlass.store.driver import Topic
from windlass.store.operations.limits.concurrency import unblock_page
from windlass.worker.duties.limits.counter_check import report_keys

log = logging.getLogger("windlass.duties")

_EVERY = 10.0


class StuckKeys:
    """The leader looks at all keys that jobs wait for. Whatever frees a key lets the next job go by itself; what is
    found here was left by a process of an earlier release, or by a change past us.
    """

    name = "stuck keys"
    needs_lead = True

    def __init__(self, *, session: Session, by: str) -> None:
        self._session = session
        self._by = by
        self._after = ""
        self.did = ""

    def tick(self) -> float:
        page = self._session.run(unblock_page(self._after))
        report_keys(self._session, page.drifted, by=self._by)
        if page.let_go:
            log.warning("let %s jobs go that waited for a concurrency key although it was free", page.let_go)
            self._session.notify(Topic.WORK)
            self.did = f"let {page.let_go} jobs go"
        self._after = page.next or ""
        return _EVERY if page.next is None else 0.0
