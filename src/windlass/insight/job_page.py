"""Reads a page of jobs that a filter finds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from windlass import clock
from windlass.core import validate
from windlass.core.records import JobRecord
from windlass.job import Job
from windlass.store.operation import Operation
from windlass.store.operations import queries
from windlass.store.operations.queries import Filter

if TYPE_CHECKING:
    from windlass.client.client import Client

_WINDOWS = 20
"""How many windows a listing reads before it returns a short page."""

_PATIENCE = 0.6
"""Seconds after which it begins no other window: a search that no index serves answers within a second, as far as it
has come.
"""

_NEWER_WINDOWS = 4
"""How many windows are looked at for jobs that have come since; an open page asks twice a second."""

MOST_COUNTED = 1000
"""How many jobs of a filter are counted at the most."""


class JobPage(list[Job[Any]]):
    """Jobs, the newest first. ``next`` is the cursor of the next page, or None on the last one. After a search for a
    text, ``unsearched`` says how many other jobs were looked at whose texts are encrypted: only their ids, tasks,
    queues, workers and tags were searched.

    >>> from windlass import Windlass
    >>> app = Windlass("sqlite:///:memory:")
    >>> jobs = [app.enqueue("report") for _ in range(3)]
    >>> page = app.jobs(limit=2)
    >>> len(page), len(app.jobs(limit=2, cursor=page.next))
    (2, 1)
    >>> app.close()
    """

    def __init__(self, jobs: Iterable[Job[Any]], next: int | None, unsearched: int = 0) -> None:
        super().__init__(jobs)
        self.next = next
        self.unsearched = unsearched


def unsearched_note(unsearched: int) -> str:
    """What people are told of a search that could not look into all texts; empty where it could.

    >>> unsearched_note(1)
    'not searched: arguments, metadata and errors of 1 job, which are encrypted'
    """
    if not unsearched:
        return ""
    jobs = "1 job" if unsearched == 1 else f"{unsearched:,} jobs"
    return f"not searched: arguments, metadata and errors of {jobs}, which are encrypted"


def job_page(client: Client, filter: Filter, limit: int, cursor: int | None) -> Operation[JobPage]:
    """The next jobs after ``cursor``, the newest first."""
    validate.whole_number(limit, "limit", least=1, most=10_000)
    found: list[JobRecord] = []
    unsearched = 0
    until = clock.monotonic() + _PATIENCE
    for _ in range(_WINDOWS):
        page = yield from queries.page(filter, limit=limit - len(found), cursor=cursor)
        found += page.jobs
        unsearched += page.unsearched
        cursor = page.next
        if cursor is None or len(found) == limit or clock.monotonic() >= until:
            break
    return JobPage((Job.of(client, record) for record in found), cursor, unsearched)


def job_count(filter: Filter) -> Operation[int | str]:
    """How many jobs a filter finds: exact up to 1,000, then ``1000+``; where the search was ended before that, ``17+``
    for at least so many.
    """
    if filter == Filter(states=filter.states, queue=filter.queue) and filter.states is not None:
        totals = yield from queries.totals(filter.queue)
        known = sum(totals[state] for state in filter.states)
        return known if known <= MOST_COUNTED else f"{MOST_COUNTED}+"
    count, cursor, until = 0, None, clock.monotonic() + _PATIENCE
    for _ in range(_WINDOWS):
        page = yield from queries.matching(filter, limit=MOST_COUNTED + 1 - count, cursor=cursor)
        count += len(page.jobs)
        cursor = page.next
        if cursor is None:
            return count
        if count > MOST_COUNTED:
            return f"{MOST_COUNTED}+"
        if clock.monotonic() >= until:
            break
    return f"{count}+"


def newer_count(filter: Filter, *, top: int, most: int) -> Operation[int]:
    """How many jobs with a number of ``top`` or higher a filter finds, up to ``most``. Older ones are not looked at,
    apart from the rest of a window; of very many newer ones only the newest are.
    """
    count, cursor = 0, None
    for _ in range(_NEWER_WINDOWS):
        page = yield from queries.matching(filter, limit=most - count, cursor=cursor)
        count += sum(1 for job in page.jobs if job.seq >= top)
        cursor = page.next
        if cursor is None or cursor <= top or count >= most:
            break
    return count
