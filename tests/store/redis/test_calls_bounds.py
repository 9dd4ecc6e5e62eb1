"""What a call looks at, and what is kept, does not grow with the number of jobs."""

from __future__ import annotations

from tests.store.builders import HOUR, SECOND, ids, new_job
from tests.store.stores import Store
from windlass.core.state import State
from windlass.store.operations import jobs, queries
from windlass.store.operations.events import record_stale_writes, record_store_events
from windlass.store.operations.queries import WINDOW, Depth, Filter, Page

MEBIBYTE = 2**20


def test_jobs_in_a_rare_state_are_found_at_once(store: Store) -> None:
    """S10: however many others are newer."""
    store.enqueue(new_job("later", delay=HOUR), new_job("running", priority=1))
    store.a_worker().take(1)
    for _ in range(2):
        store.enqueue(*(new_job() for _ in range(WINDOW // 2)))
    for id, state in (("later", State.SCHEDULED), ("running", State.RUNNING)):
        assert store.run(queries.page(Filter(states=(state,)), limit=10)) == Page([store.job(id)], None)
    both = Filter(states=(State.SCHEDULED, State.RUNNING))
    first = store.run(queries.page(both, limit=1))
    second = store.run(queries.page(both, limit=1, cursor=first.next))
    assert ids(first.jobs) + ids(second.jobs) == ["running", "later"]


def test_a_search_through_long_texts_gives_short_pages(store: Store) -> None:
    """S10: nobody else is served while a script runs, so a page looks at so many bytes and no more."""
    store.enqueue(new_job("old", payload='"needle"'))
    for _ in range(5):
        store.enqueue(*(new_job(payload='"' + "x" * MEBIBYTE + '"') for _ in range(8)))
    search = Filter(text="needle")
    first = store.run(queries.page(search, limit=10))
    assert (first.jobs, first.next is not None) == ([], True)
    second = store.run(queries.page(search, limit=10, cursor=first.next))
    assert (ids(second.jobs), second.next) == (["old"], None)


def test_the_newest_hundred_events_of_a_job_are_kept(store: Store) -> None:
    """A13: events are bounded."""
    job = store.a_job()
    for number in range(120):
        store.run(record_stale_writes([(job.seq, number + 1, "extend")], worker="w"))
    assert [event.fence for event in store.events(job.seq)] == list(range(21, 121))


def test_the_newest_thousand_notices_are_kept(store: Store) -> None:
    for number in range(1_005):
        store.run(record_store_events("cleaned", [("leader", str(number))]))
    found = [notice.detail for notice in store.run(queries.notices(2_000))]
    assert found == [str(number) for number in range(1_004, 4, -1)]


def test_the_longest_wait_is_found_behind_jobs_that_were_put_off(store: Store) -> None:
    """Those that were put off wait only since their time came."""
    store.enqueue(*(new_job(delay=10 * SECOND) for _ in range(50)), new_job(priority=5))
    store.advance(SECOND)
    store.enqueue(new_job("waits longest", priority=-5))
    store.enqueue(new_job())
    store.advance(20 * SECOND)
    store.run(jobs.promote())
    store.a_worker().take(1)
    assert store.run(queries.depth()) == {"default": Depth("default", 52, 20 * SECOND)}
