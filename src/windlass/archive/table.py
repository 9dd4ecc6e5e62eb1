"""Reads the store's own archive."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import msgspec

from windlass.archive.protocol import ArchivedJob
from windlass.archive.query import ArchiveCursor, ArchivePage, in_search_order, weeks_between
from windlass.store.operation import Operation
from windlass.store.operations.archive.archived import (
    ArchivedPlace,
    ArchiveFilter,
    archived_page,
    archived_texts,
    archived_weeks,
    find_archived,
)

_WINDOWS = 20
"""How many pages of the store a listing reads before it returns a short one."""


class TableReader:
    """Reads the table, the newest week first. Within a week jobs come by their numbers, on Redis in no order; each page
    by itself has those first that finished last.
    """

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now

    def page(self, filter: ArchiveFilter, *, limit: int, cursor: ArchiveCursor | None) -> Operation[ArchivePage]:
        weeks = yield from archived_weeks(weeks_between(filter, now=self._now()))
        walk = _Walk(filter, limit, weeks, cursor)
        next = yield from walk.go()
        texts = yield from archived_texts(walk.places)
        found, damaged = _read(text for _, text in texts)
        found.sort(key=lambda job: (job.record.finished_at or 0, job.record.seq), reverse=True)
        return ArchivePage(found, None if next is None else str(next), damaged)

    def find(self, id: str, filter: ArchiveFilter) -> Operation[ArchivedJob | None]:
        weeks = yield from archived_weeks(weeks_between(filter, now=self._now()))
        place = yield from find_archived(id, in_search_order(weeks, id))
        texts = yield from archived_texts([] if place is None else [place])
        return ArchivedJob.from_json(texts[0][1].encode()) if texts else None

    def week_in_store(self, job: ArchivedJob) -> str | None:
        return job.week


@dataclass(slots=True)
class _Walk:
    """Collects places until there are enough of them, or enough was looked at."""

    filter: ArchiveFilter
    limit: int
    weeks: list[str]
    begin: ArchiveCursor | None
    places: list[ArchivedPlace] = field(default_factory=list)
    _left: int = _WINDOWS

    def go(self) -> Operation[ArchiveCursor | None]:
        """Where the next page begins."""
        for week in self.weeks:
            at = ArchiveCursor(week)
            if self.begin is not None and week >= self.begin.week:
                if week > self.begin.week:
                    continue
                at = self.begin
            stopped = yield from self._week(at)
            if stopped is not None:
                return stopped
        return None

    def _week(self, at: ArchiveCursor) -> Operation[ArchiveCursor | None]:
        """Where the walk ended in this week, or None if it goes on with the next one."""
        while self._left:
            self._left -= 1
            page = yield from archived_page(at.week, self.filter, cursor=at.place)
            known = {*at.given, *(place.seq for place in self.places if place.week == at.week)}
            # A walk over a hash that grows meanwhile may meet a job twice.
            new = list({place.seq: place for place in page.places if place.seq not in known}.values())
            room = self.limit - len(self.places)
            self.places += new[:room]
            if len(new) >= room:
                return self._behind(new[room - 1], at)
            if page.next is None:
                return None
            at = ArchiveCursor(at.week, page.next)
        return at

    def _behind(self, last: ArchivedPlace, at: ArchiveCursor) -> ArchiveCursor:
        """The cursor of a page that begins behind this job."""
        given = [place.seq for place in self.places if (place.week, place.cursor) == (last.week, last.cursor)]
        # Those of the page before, if this one has not come further.
        before = at.given if at.place == last.cursor else ()
        return ArchiveCursor(last.week, last.cursor, (*before, *given))


def _read(texts: Iterable[str]) -> tuple[list[ArchivedJob], int]:
    """Those that can be read, and how many cannot."""
    found: list[ArchivedJob] = []
    damaged = 0
    for text in texts:
        try:
            found.append(ArchivedJob.from_json(text.encode()))
        except (msgspec.MsgspecError, UnicodeError):
            damaged += 1
    return found, damaged
