"""What became of the slots of schedules: the ledger of fires, read often enough that nothing of it is lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tests.torture.traffic.setting import TIMETABLES, Timetable
from tests.torture.witness import now
from windlass import StoreUnavailable, Windlass
from windlass.errors import ScheduleNotFound
from windlass.store.operations.schedules.changes import fires
from windlass.store.operations.schedules.records import FireRecord

_EVERY = 30.0
"""Seconds between two looks. The ledger keeps the newest 200 rows of a schedule."""
_PAGE = 250
Rows = dict[int, FireRecord]
"""Of one schedule, by slot."""


@dataclass(slots=True)
class Slots:
    """The ledgers of all schedules, and how far each has come."""

    rows: dict[str, Rows] = field(default_factory=dict)
    decided_until: dict[str, int] = field(default_factory=dict)
    _looked_at: float = float("-inf")

    def look(self, app: Windlass, *, is_last: bool = False) -> None:
        """Read what has come, now and then."""
        if not is_last and now() < self._looked_at + _EVERY:
            return
        try:
            for table in TIMETABLES:
                self._read(app, table)
        except (StoreUnavailable, ScheduleNotFound):  # away, or not declared yet
            if is_last:
                raise
            return
        self._looked_at = now()

    def _read(self, app: Windlass, table: Timetable) -> None:
        schedule = app.schedule(table.name)
        rows = self.rows.setdefault(table.name, {})
        found = app.client.session.run(fires(table.name, limit=_PAGE))
        rows.update({fire.planned_at: fire for fire in found})
        self.decided_until[table.name] = schedule.record.planned_at


def undecided(table: Timetable, rows: Mapping[int, FireRecord], *, until: int) -> Iterator[int]:
    """The slots, from the first that the ledger knows on, about which it says nothing."""
    if not rows:
        return
    period, decided = table.seconds * 1000, set(rows)
    for row in rows.values():
        if row.last_at is not None:
            decided.update(range(row.planned_at, row.last_at + 1, period))
    yield from (slot for slot in range(min(rows), until + 1, period) if slot not in decided)


def pause_all(app: Windlass) -> None:
    """Let no schedule fire any more."""
    for schedule in app.schedules():
        schedule.pause("the end of the run", by="the rack")


def behind(app: Windlass, *, instant: int) -> list[str]:
    """The schedules that have decided about nothing after this instant of the store's clock; those that fire only now
    and then aside.
    """
    decided = {schedule.name: schedule.record.planned_at for schedule in app.schedules()}
    return [table.name for table in TIMETABLES if table.seconds < 60 and decided.get(table.name, 0) <= instant]
