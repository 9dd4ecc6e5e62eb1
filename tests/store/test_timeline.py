"""story: a job's events in order, and the last heartbeat of its worker."""

from __future__ import annotations

from tests.manual_clock import START
from tests.store.builders import SECOND, TTL, new_job, raised
from tests.store.stores import Store
from windlass.core.outcome import FailedPermanently
from windlass.store.operations import jobs, queries
from windlass.store.operations.queries import JobHistory


def test_the_happy_path_writes_nothing(store: Store) -> None:
    """A12: the happy path costs no extra rows."""
    job = store.finished()
    retried = store.finished(raised())
    assert store.run(queries.history(job.seq)) == JobHistory([], None)
    assert store.run(queries.history(retried.seq)) == JobHistory([], None)


def test_the_unusual_is_told_in_order(store: Store) -> None:
    """A12: rescued, fenced write refused, cancelled and by whom, retried by hand."""
    lost = store.claimed()
    store.advance(TTL)
    store.rescue()
    store.end(lost)
    [job] = store.a_worker().take()
    store.run(jobs.cancel([job.seq], by="me"))
    store.end(job, raised())
    store.run(jobs.retry([job.seq], by="me"))
    assert store.kinds(job.seq) == ["rescued", "refused", "cancel_requested", "retried"]
    times = [event.at for event in store.events(job.seq)]
    assert times == sorted(times)


def test_each_job_has_a_story_of_its_own(store: Store) -> None:
    first, second = store.a_job(), store.a_job()
    store.run(jobs.cancel([first.seq], by="me"))
    assert (store.kinds(first.seq), store.kinds(second.seq)) == (["cancelled"], [])


def test_a_running_job_tells_when_its_worker_was_last_heard_of(store: Store) -> None:
    """A12: last heartbeat of its worker while running."""
    worker = store.a_worker()
    job = store.claimed(by=worker)
    assert store.run(queries.history(job.seq)).seen_at == START
    store.advance(SECOND)
    worker.renew()
    assert store.run(queries.history(job.seq)).seen_at == START + SECOND
    worker.end(job)
    assert store.run(queries.history(job.seq)).seen_at is None


def test_a_job_that_is_not_there_has_no_story(store: Store) -> None:
    assert store.run(queries.history(4711)) == JobHistory([], None)


def test_every_run_beyond_the_first_has_a_recorded_cause(store: Store) -> None:
    """E6: crash, lease lost, retry, by hand."""
    worker = store.a_worker()
    job = store.claimed(new_job("a"), by=worker)
    worker.mark(job)
    store.advance(TTL)
    store.rescue()
    worker = store.a_worker()
    [job] = worker.take()
    worker.end(job, raised(delay=0))
    store.run(jobs.promote())
    [job] = worker.take()
    worker.end(job, FailedPermanently(raised().fault, "permanent"))
    store.run(jobs.retry([job.seq], by="me"))
    found = store.job("a")
    assert store.kinds(job.seq) == ["rescued", "retried"]
    assert (found.errors or "").count('"type"') == 3, "crash, failed attempt and final error are all there"
