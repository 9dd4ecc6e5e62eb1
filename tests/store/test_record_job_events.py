"""record_job_events: something unusual that a worker saw."""

from __future__ import annotations

from tests.store.stores import Store
from windlass.store.operations import jobs
from windlass.store.operations.events import record_job_events


def test_a_note_is_told_with_the_job(store: Store) -> None:
    """A12: with worker and fence."""
    job = store.claimed()
    store.run(record_job_events([(job.seq, job.fence, "abandoned", {"why": 'its "time" was over'})], worker="me"))
    [event] = store.events(job.seq)
    assert (event.at, event.kind, event.worker, event.fence) == (store.clock(), "abandoned", "me", job.fence)
    assert event.detail == '{"why":"its \\"time\\" was over"}'


def test_a_note_about_a_job_that_is_gone_leaves_no_trace(store: Store) -> None:
    job = store.finished()
    store.run(jobs.delete([(job.seq, job.id)]))
    store.run(record_job_events([(job.seq, 1, "abandoned", {})], worker="me"))
    assert store.events(job.seq) == []
