"""How pages count jobs: few of them now, many beside the requests."""

from __future__ import annotations

import asyncio

import pytest

from tests.waiting import eventually
from tests.web.site.pages import Pages
from windlass import State, Windlass
from windlass.web.readings.counts import Counts, JobCounts


def read(counts: JobCounts, app: Windlass) -> Counts:
    return asyncio.run(counts.read(app.client.session))


def fill(app: Windlass, **queues: int) -> None:
    for queue, number in queues.items():
        app.enqueue_many([app.request("mail.welcome", [1], queue=queue) for _ in range(number)])


def test_few_jobs_are_counted_for_each_request(app: Windlass) -> None:
    """B20: what is shown is what there is."""
    counts = JobCounts(most=20)
    for number in (1, 2):
        fill(app, mail=1)
        assert read(counts, app) == Counts({"mail": {State.PENDING: number}})


def test_of_many_jobs_a_page_shows_a_part_until_they_are_counted(app: Windlass) -> None:
    """B20: no request waits until all jobs are counted, and the page does not claim to know how many there are."""
    fill(app, mail=9, other=1)
    counts = JobCounts(most=6)
    first = read(counts, app)
    if first.is_whole:  # this store has counters
        assert first == Counts({"mail": {State.PENDING: 9}, "other": {State.PENDING: 1}})
        return
    assert first.by_queue["other"] == {State.PENDING: 1}
    assert 3 <= first.by_queue["mail"][State.PENDING] <= 4
    eventually(lambda: read(counts, app).is_whole)
    assert read(counts, app).by_queue == {"mail": {State.PENDING: 9}, "other": {State.PENDING: 1}}


def test_a_queue_that_has_shrunk_shows_what_it_has(app: Windlass) -> None:
    """B20: an old count holds only where there are more jobs than a request counts."""
    fill(app, mail=9)
    counts = JobCounts(most=6)
    eventually(lambda: read(counts, app).is_whole)
    app.queue("mail").purge()
    fill(app, mail=2)
    assert read(counts, app).total()[State.PENDING] == 2


@pytest.mark.parametrize("path", ["/", "/jobs", "/queues", "/queues/mail"])
def test_pages_say_nothing_of_counting_beside_few_jobs(app: Windlass, pages: Pages, path: str) -> None:
    fill(app, mail=3)
    assert "counted" not in pages.read(path).text
