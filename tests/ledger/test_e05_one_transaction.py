"""A claim is one transaction with row locks; that no two get the same job is in test_e01_claims and tests/store."""

from __future__ import annotations

from threading import Thread

import psycopg
import pytest

from tests.places.place import Place
from tests.places.raw_store import RawStore
from tests.waiting import PATIENCE
from tests.worker.call_interceptor import intercept
from windlass import ClaimedJob, Windlass
from windlass.store.operation import Answer, Call


def test_a_claim_is_one_transaction(app: Windlass, raw_store: RawStore) -> None:
    """E5: one commit on SQLite and PostgreSQL, one script on Redis, for many jobs as for one."""
    app.enqueue_many([app.request("anything")] * 60)
    interceptor = intercept(app)
    before: list[int] = []
    commits: list[int] = []

    def look(call: Call) -> None:
        if call.name == "manual_claim":
            before.append(raw_store.commits())

    def count(call: Call, answer: Answer) -> None:
        if call.name == "manual_claim":
            commits.append(raw_store.commits() - before[-1])

    interceptor.before.append(look)
    interceptor.after.append(count)
    for _ in range(6):
        assert len(app.claim(10)) == 10
    # The least of several: a server may have transactions of its own.
    assert (len(commits), min(commits)) == (6, 1)


@pytest.mark.only_on("postgres")
def test_a_claim_passes_over_rows_that_are_locked(app: Windlass, place: Place) -> None:
    """E5: it neither waits for a job that another is just taking, nor takes it too."""
    jobs = app.enqueue_many([app.request("anything")] * 3)
    taken: list[ClaimedJob] = []
    claiming = Thread(target=lambda: taken.extend(app.claim(3)))
    with psycopg.connect(place.url) as other:
        first = f'SELECT FROM "{place.namespace}".ready ORDER BY seq LIMIT 1 FOR UPDATE'
        other.execute(first.encode())
        claiming.start()
        claiming.join(PATIENCE)
        assert [claimed.id for claimed in taken] == [jobs[1].id, jobs[2].id]
    assert [claimed.id for claimed in app.claim(3)] == [jobs[0].id]
