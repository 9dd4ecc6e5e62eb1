"""Compares what limits count with the jobs that run; a difference is a defect, which it reports and mends."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import msgspec

from windlass.client.session import Session
from windlass.core.limits.concurrency import shown_key, task_of_key
from windlass.store.driver import Topic
from windlass.store.operations.events import record_store_events
from windlass.store.operations.limits.concurrency import KeyDrift, mend_keys
from windlass.store.operations.queues import ALL, CounterDrift, mend_counters

log = logging.getLogger("windlass.duties")

_EVERY = 60.0
_WHY = "it is right again, but this is a defect of Windlass, or workers of an older version run beside this one"


class CounterCheck:
    """The leader does it: of limits on queues and the app, and of concurrency keys."""

    name = "limits"
    needs_lead = True

    def __init__(self, *, session: Session, by: str) -> None:
        self._session = session
        self._by = by
        self.did = ""

    def tick(self) -> float:
        limits, keys = self._session.run(mend_counters()), self._session.run(mend_keys())
        report_limits(self._session, limits, by=self._by)
        report_keys(self._session, keys, by=self._by)
        if number := len(limits) + len(keys):
            self.did = f"mended {number} counter{'s' * (number > 1)}"
            self._session.notify(Topic.WORK)  # there may be room that was not known of
        return _EVERY


def report_limits(session: Session, wrong: Sequence[CounterDrift], *, by: str) -> None:
    """Tell of counters of running jobs that were wrong: in the log, and in the store."""
    for drift in wrong:
        where = "all queues" if drift.name == ALL else f"queue {drift.name}"
        counted = "nothing" if drift.counted is None else drift.counted
        log.error("the counter of running jobs of %s said %s while %s ran; %s", where, counted, drift.running, _WHY)
    _record(
        session,
        [{"queue": drift.name, "counted": drift.counted, "running": drift.running} for drift in wrong],
        by=by,
    )


def report_keys(session: Session, wrong: Sequence[KeyDrift], *, by: str) -> None:
    """Tell of concurrency keys whose counters were wrong: in the log, and in the store."""
    details: list[dict[str, object]] = [
        {
            "task": task_of_key(drift.name),
            "key": shown_key(drift.name),
            "counted": drift.counted,
            "running": drift.held,
        }
        for drift in wrong
    ]
    for detail in details:
        log.error(
            "concurrency key %r of task %s was held by %s jobs by its counter, and by %s in truth; %s",
            *(detail["key"], detail["task"], detail["counted"], detail["running"], _WHY),
        )
    _record(session, details, by=by)


def _record(session: Session, details: Sequence[dict[str, object]], *, by: str) -> None:
    if details:
        events = [(by, msgspec.json.encode(detail).decode()) for detail in details]
        session.run(record_store_events("miscounted", events))
