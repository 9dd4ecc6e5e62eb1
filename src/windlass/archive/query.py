"""Which archived jobs are wanted, in which order, and the page that answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Protocol, TypedDict

from msgspec import Struct

from windlass.archive.protocol import ArchivedJob, week_at
from windlass.core import validate
from windlass.core.codec import storable
from windlass.core.state import FINISHED, State
from windlass.core.ulid import made_at
from windlass.errors import ConfigError
from windlass.options import check_known
from windlass.store.operation import Operation
from windlass.store.operations.archive.archived import ArchiveFilter

WEEK = 7 * 86_400_000
_YEARS = 10
"""How far a search goes back that has no ``since``."""

_CURSOR = re.compile(r"(\d{4}-W\d\d)(?:\.(\d{1,20})(?:\.(\d{1,20}(?:-\d{1,20})*))?)?", re.ASCII)


class ArchiveOptions(TypedDict, total=False):
    """The keywords that find archived jobs; None, or a missing one, finds all."""

    task: str | None
    queue: str | None
    state: str | State | None
    since: datetime | None
    """Finished at this instant or later."""
    until: datetime | None
    """Finished before this instant."""


_NAMES = tuple(ArchiveOptions.__annotations__)


class ArchivePage(list[ArchivedJob]):
    """Archived jobs, the newest weeks first. ``next`` is the cursor of the next page, or None on the last one.

    ``damaged`` counts what could not be read: jobs, and parts of files.

    >>> from windlass import Windlass
    >>> app = Windlass("sqlite:///:memory:", archive="table")
    >>> page = app.archive.jobs(limit=20)
    >>> list(page), page.next, page.damaged
    ([], None, 0)
    >>> app.close()
    """

    def __init__(self, jobs: Iterable[ArchivedJob] = (), next: str | None = None, damaged: int = 0) -> None:
        super().__init__(jobs)
        self.next = next
        self.damaged = damaged


class ArchiveReader(Protocol):
    """An archive that can be read."""

    def page(self, filter: ArchiveFilter, *, limit: int, cursor: ArchiveCursor | None) -> Operation[ArchivePage]:
        """The next jobs that match, at most ``limit`` of them."""

    def find(self, id: str, filter: ArchiveFilter) -> Operation[ArchivedJob | None]:
        """The job with an id; ``since`` and ``until`` of the filter say where to look."""

    def week_in_store(self, job: ArchivedJob) -> str | None:
        """The week under which the store's own archive has a job that was found; None for an archive elsewhere."""


class ArchiveCursor(Struct, frozen=True):
    """Where a page begins: in a week, from a place on, without the jobs that were given already."""

    week: str
    place: str | None = None
    given: tuple[int, ...] = ()

    def __str__(self) -> str:
        parts = [self.week, self.place, "-".join(map(str, self.given)) or None]
        return ".".join(part for part in parts if part is not None)


def cursor_of(text: object) -> ArchiveCursor | None:
    """A cursor that a page gave as its ``next``."""
    if text is None:
        return None
    found = _CURSOR.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise ConfigError(f"cursor must be the next of the page before, as in '2026-W46.512'; got {text!r}")
    week, place, given = found.groups()
    return ArchiveCursor(week, place, tuple(map(int, given.split("-"))) if given else ())


def filter_of(given: ArchiveOptions) -> ArchiveFilter:
    """The filter for an archive; an unknown name or state is an error."""
    check_known(given, _NAMES, "filter")
    since, until = given.get("since"), given.get("until")
    return ArchiveFilter(
        task=_text(given.get("task"), "task"),
        queue=_text(given.get("queue"), "queue"),
        state=_state(given.get("state")),
        since=None if since is None else validate.milliseconds_since_1970(since, "since"),
        until=None if until is None else validate.milliseconds_since_1970(until, "until"),
    )


def _text(value: object, name: str) -> str | None:
    if value is None or (isinstance(value, str) and storable(value) == value):
        return value
    raise ConfigError(f"{name} must be a text without NUL and lone surrogates, got {value!r}")


def _state(state: str | State | None) -> State | None:
    if state is None or state in FINISHED:
        return None if state is None else State(state)
    raise ConfigError(f"state must be one of {', '.join(sorted(FINISHED))}: others are not archived; got {state!r}")


def weeks_between(filter: ArchiveFilter, *, now: int) -> list[str]:
    """The ISO weeks in which jobs may have finished, the newest first: of the last ten years, unless there is a
    ``since``.
    """
    # A host's clock may be ahead.
    newest = now + WEEK if filter.until is None else min(filter.until, now + WEEK)
    oldest = max(0, newest - _YEARS * 53 * WEEK) if filter.since is None else filter.since
    weeks = [week_at(at) for at in range(newest, oldest, -WEEK)]
    last = week_at(oldest)
    return weeks if last in weeks[-1:] or newest < oldest else [*weeks, last]


def in_search_order(weeks: Sequence[str], id: str) -> list[str]:
    """In which order to look for an id: an id of ours tells when its job was made, and most finish soon after that."""
    made = made_at(id)
    if made is None:
        return list(weeks)
    first = week_at(made)
    return [week for week in reversed(weeks) if week >= first] + [week for week in weeks if week < first]
