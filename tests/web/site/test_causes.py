"""How pages group failed jobs: few of them now, many beside the requests."""

from __future__ import annotations

import asyncio

from tests.ledger.apps import work
from tests.waiting import eventually
from windlass import Windlass
from windlass.insight.diagnostics.failures import FailureGroups
from windlass.web.site.failures.causes import Causes


def read(causes: Causes, app: Windlass) -> FailureGroups:
    return asyncio.run(causes.read(app))


def fail(app: Windlass, number: int) -> None:
    app.enqueue_many([app.request("broken", ["bad"]) for _ in range(number)])
    work(app)


def test_few_failed_jobs_are_grouped_for_each_request(app: Windlass) -> None:
    """B20: what is shown is what there is."""
    causes = Causes(newest=10)
    for number in (1, 2):
        fail(app, 1)
        groups = read(causes, app)
        assert ([group.count for group in groups], groups.is_whole) == ([number], True)


def test_of_many_failed_jobs_the_newest_are_grouped_until_all_were(app: Windlass) -> None:
    """B20: no request waits until all of them are grouped, and the page says how many were looked at."""
    fail(app, 5)
    causes = Causes(newest=2)
    first = read(causes, app)
    assert ([group.count for group in first], first.examined, first.is_whole) == ([2], 2, False)
    eventually(lambda: read(causes, app).is_whole)
    assert [group.count for group in read(causes, app)] == [5]
