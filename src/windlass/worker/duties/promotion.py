"""Makes jobs pending whose time has come."""

from __future__ import annotations

from windlass.errors import StoreUnavailable
from windlass.session import Session
from windlass.store.driver import Topic
from windlass.store.jobs import promote_page
from windlass.worker.duties.outlook import Outlook


class Promotion:
    """Every worker does it. A round promotes one page."""

    name = "promotion"
    needs_lead = False

    def __init__(self, *, session: Session, by: str, outlook: Outlook) -> None:
        self._session = session
        self._by = by
        self._outlook = outlook

    def tick(self) -> float:
        due = self._outlook.look().next_due
        if due is not None and due <= 0 and self._promote():
            return 0.0
        return self._outlook.pause(due)

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
