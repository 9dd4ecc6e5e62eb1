"""Compares what limits count with the jobs that run; a difference is a defect, which it reports and mends."""

from __future__ import annotations

import logging

import msgspec

from windlass.client.session import Session
from windlass.store.driver import Topic
from windlass.store.operations.events import record_store_events
from windlass.store.operations.queues import ALL, CounterDrift, mend_counters

log = logging.getLogger("windlass.duties")

_EVERY = 60.0


class CounterCheck:
    """The leader does it. A store without limits is not looked at any further."""

    name = "limits"
    needs_lead = True

    def __init__(self, *, session: Session, by: str) -> None:
        self._session = session
        self._by = by
        self.did = ""

    def tick(self) -> float:
        wrong = self._session.run(mend_counters())
        for drift in wrong:
            log.error(
                "the counter of running jobs of %s said %s while %s ran; it is right again, but this is a defect of "
                "Windlass, or workers of an older version run beside this one",
                "all queues" if drift.name == ALL else f"queue {drift.name}",
                drift.counted,
                drift.running,
            )
        if wrong:
            self.did = f"mended {len(wrong)} counter{'s' * (len(wrong) > 1)}"
            self._session.run(record_store_events("miscounted", [(self._by, _detail(drift)) for drift in wrong]))
            self._session.notify(Topic.WORK)  # there may be room that was not known of
        return _EVERY


def _detail(drift: CounterDrift) -> str:
    detail = {"queue": drift.name, "counted": drift.counted, "running": drift.running}
    return msgspec.json.encode(detail).decode()
