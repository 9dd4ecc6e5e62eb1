"""Reads archived jobs: by time, task, queue and state, or one by its id."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from windlass.core.state import State
from windlass.errors import ConfigError
from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation
from windlass.store.pages import PAGE, PAGE_BYTES, portions

_STEPS = 4000
"""How many pages are looked through for an id where there is no index of them (see Redis)."""


class ArchivedPlace(Struct, frozen=True, array_like=True):
    """Where an archived job lies."""

    week: str
    seq: int
    size: int
    cursor: str
    """A page that begins here has this job, and perhaps others before it."""


class ArchiveFilter(Struct, frozen=True, kw_only=True):
    """Which archived jobs are meant; what is None does not matter. Instants are milliseconds since 1970."""

    task: str | None = None
    queue: str | None = None
    state: State | None = None
    since: int | None = None
    """Finished then or later."""
    until: int | None = None
    """Finished before that."""


class PlacePage(Struct, frozen=True):
    """Where jobs lie that match, and where the next page begins; a page may be empty and still have a next one."""

    places: list[ArchivedPlace]
    next: str | None


def archived_weeks(weeks: Sequence[str]) -> Operation[list[str]]:
    """Those of the given ISO weeks that have archived jobs, in the same order."""
    answer = yield Call("archived_weeks", {"weeks": list(weeks)}, Lane.READ)
    there = {week for (week,) in answer["weeks"]}
    return [week for week in weeks if week in there]


def archived_page(
    week: str, filter: ArchiveFilter, *, cursor: str | None = None, window: int = PAGE
) -> Operation[PlacePage]:
    """The next jobs of a week that match: those with the highest numbers first; on Redis in no order."""
    params = {
        "week": week,
        "cursor": cursor,
        "task": filter.task,
        "queue": filter.queue,
        "state": filter.state,
        "since": filter.since,
        "until": filter.until,
        "window": window,
        "bytes": 8 * PAGE_BYTES,
    }
    answer = yield Call("archived_page", params, Lane.READ)
    return PlacePage(records(answer["jobs"], ArchivedPlace), answer["next"][0][0])


def find_archived(id: str, weeks: Iterable[str], *, steps: int = _STEPS) -> Operation[ArchivedPlace | None]:
    """Where the archive has the job with this id.

    Only where ids have no index (see Redis) are these weeks gone through, one after the other; ``ConfigError`` where
    they have too many jobs.
    """
    for week in weeks:
        cursor: str | None = None
        while True:
            if not steps:
                raise ConfigError(
                    f"job {id!r} was not found in a part of the archive, and there are too many jobs in it to look at "
                    "each: say when it finished, with since and until"
                )
            steps -= 1
            params = {"week": week, "id": id, "cursor": cursor, "window": PAGE, "bytes": 8 * PAGE_BYTES}
            answer = yield Call("archived_find", params, Lane.READ)
            found = records(answer["jobs"], ArchivedPlace)
            if found or "next" not in answer:
                return found[0] if found else None
            cursor = answer["next"][0][0]
            if cursor is None:
                break
    return None


def archived_texts(places: Sequence[ArchivedPlace]) -> Operation[list[tuple[ArchivedPlace, str]]]:
    """Archived jobs as JSON, in order, read in portions that a call can carry; without what is gone meanwhile."""
    found: list[tuple[ArchivedPlace, str]] = []
    for portion in portions(places):
        answer = yield Call("archived_jobs", {"places": [(place.week, place.seq) for place in portion]}, Lane.READ)
        texts = {(week, seq): text for week, seq, text in records(answer["jobs"], tuple[str, int, str])}
        found += [(place, texts[place.week, place.seq]) for place in portion if (place.week, place.seq) in texts]
    return found
