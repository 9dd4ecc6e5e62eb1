"""All changes of many jobs of this process: begins them, keeps what came of them for a while."""

from __future__ import annotations

from threading import Lock
from weakref import WeakKeyDictionary

from windlass.app import Windlass
from windlass.threads.start import start_thread
from windlass.web.bulk.change import BulkChange
from windlass.web.bulk.order import BulkOrder
from windlass.web.problems import RETRY_AFTER, Problem

KEPT = 50
"""How many changes are kept, with those under way."""
MOST_AT_ONCE = 4


class BulkChanges:
    """The changes of one app."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: dict[str, BulkChange] = {}

    def begin(self, app: Windlass, order: BulkOrder, *, by: str, via: str) -> tuple[BulkChange, bool]:
        """Begin a change, and whether it is new; ``Problem`` where too many are under way.

        An order that was begun already is not begun again: a form may be sent twice.
        """
        with self._lock:
            known = self._known.get(order.id)
            if known is not None:
                return known, False
            self._require_room()
            change = BulkChange(app, order, by=by, via=via)
            start_thread(change.run, name=f"windlass-bulk-{order.id}")
            self._known[order.id] = change
            self._forget_oldest()
            return change, True

    def find(self, id: str) -> BulkChange | None:
        """A change of this process; None for those of others, and those that are no longer kept."""
        return self._known.get(id)

    def newest_first(self) -> list[BulkChange]:
        """All that are kept."""
        with self._lock:
            return list(reversed(self._known.values()))

    def _require_room(self) -> None:
        if sum(not change.is_over for change in self._known.values()) >= MOST_AT_ONCE:
            raise Problem(
                429,
                "Too many changes",
                f"{MOST_AT_ONCE} changes of many jobs are under way here; wait for one of them, or stop it",
                headers={"Retry-After": RETRY_AFTER},
            )

    def _forget_oldest(self) -> None:
        over = [id for id, change in self._known.items() if change.is_over]
        for id in over[: max(0, len(self._known) - KEPT)]:
            del self._known[id]


_BY_APP: WeakKeyDictionary[Windlass, BulkChanges] = WeakKeyDictionary()
_LOCK = Lock()


def bulk_changes(app: Windlass) -> BulkChanges:
    """Those of an app in this process."""
    with _LOCK:
        return _BY_APP.setdefault(app, BulkChanges())
