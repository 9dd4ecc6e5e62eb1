"""restore: puts an archived job back."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from tests.store.builders import HOUR, new_job, raised
from tests.store.every_state import a_job_in
from tests.store.stores import Store
from windlass.archive.protocol import ArchivedJob, week_of
from windlass.clock import instant, iso
from windlass.core.records import JobRecord
from windlass.core.state import FINISHED, State
from windlass.insight.timeline import timeline
from windlass.store.operations import jobs
from windlass.store.operations.archive.archived import archived_texts, find_archived
from windlass.store.operations.archive.restore import Refusal, restore
from windlass.store.operations.queries import history
from windlass.store.operations.steps.steps import NewStep, record_step, steps_of
from windlass.store.operations.upkeep.prune import archive


def archived(store: Store, job: JobRecord) -> ArchivedJob:
    """The job as it lies in the archive, an hour after its end, and nowhere else."""
    week = week_of(job)
    assert store.run(archive([(job.seq, week)])) == [job.seq]
    store.run(jobs.delete([(job.seq, job.id)]))
    store.advance(HOUR)
    place = store.run(find_archived(job.id, [week]))
    assert place is not None
    [(_, text)] = store.run(archived_texts([place]))
    return ArchivedJob.from_json(text.encode())


def restored(store: Store, job: ArchivedJob, *, week: str | None = "its own") -> Refusal | None:
    return store.run(restore(job.record, job.steps, week=job.week if week == "its own" else week, by="me"))


def is_archived(store: Store, job: ArchivedJob) -> bool:
    return store.run(find_archived(job.id, [job.week])) is not None


@pytest.mark.parametrize("state", sorted(FINISHED))
def test_a_job_comes_back_as_it_was(store: Store, state: State) -> None:
    """A13: out of the archive and into the store, in one call; it ends now, or cleaning would take it."""
    job = a_job_in(store, state)
    before = store.count()
    kept = archived(store, job)
    assert kept.record == job
    assert restored(store, kept) is None
    back = store.job(job.id)
    assert back == replace(job, seq=back.seq, finished_at=store.clock())
    assert not is_archived(store, kept)
    assert store.count() == before


def test_its_texts_tags_and_steps_come_back(store: Store) -> None:
    long = json.dumps({"v": 1, "args": ["ü" * 3000], "kwargs": {}})
    job = store.claimed(new_job("a", payload=long, tags=("vip",), meta='{"tenant":"a"}'))
    for number, name in enumerate(("zulu", "alpha"), 1):
        store.run(record_step(job.seq, job.fence, NewStep(name, number, result=f'"ü {name}"'), worker="w"))
    store.end(job, raised())
    done = store.job("a")
    if done.state not in FINISHED:
        store.run(jobs.cancel([done.seq], by="me"))
        done = store.job("a")
    steps = store.run(steps_of(done.seq, results=True))
    assert restored(store, archived(store, done)) is None
    back = store.job("a")
    assert back == replace(done, seq=back.seq, finished_at=store.clock())
    assert store.run(steps_of(back.seq, results=True)) == steps


def test_its_timeline_has_the_end_of_before(store: Store) -> None:
    """A12: and that it was restored, by whom and when."""
    job = store.finished()
    assert job.finished_at is not None
    restored(store, archived(store, job))
    back = store.job(job.id)
    entries = timeline(back, store.run(history(back.seq)))
    ended = instant(job.finished_at)
    assert [(entry.kind, entry.at) for entry in entries][-2:] == [
        ("completed", ended),
        ("restored", instant(store.clock())),
    ]
    assert entries[-1].detail == {"by": "me", "finished_at": iso(ended)}


def test_a_restored_job_can_be_retried_and_deleted(store: Store) -> None:
    job = a_job_in(store, State.FAILED)
    restored(store, archived(store, job))
    back = store.job(job.id)
    store.run(jobs.retry([back.seq], by="me"))
    assert store.job(job.id).state is State.PENDING
    store.run(jobs.delete([(back.seq, back.id)]))
    assert store.count() == 0


def test_an_id_that_is_taken_is_refused(store: Store) -> None:
    """Neither the job in the store nor the archive changes."""
    kept = archived(store, store.finished(new=new_job("a")))
    other = store.a_job(new_job("a"))
    assert restored(store, kept) is Refusal.TAKEN
    assert restored(store, kept, week=None) is Refusal.TAKEN
    assert store.job("a").seq == other.seq
    assert is_archived(store, kept)


def test_what_the_archive_has_no_more_is_refused(store: Store) -> None:
    """A repetition after a lost reply, and one after the job was deleted again."""
    kept = archived(store, store.finished(new=new_job("a")))
    assert restored(store, kept) is None
    assert restored(store, kept) is Refusal.TAKEN
    back = store.job("a")
    store.run(jobs.delete([(back.seq, back.id)]))
    assert restored(store, kept) is Refusal.GONE
    assert store.count() == 0


def test_a_job_of_an_archive_elsewhere_comes_back_too(store: Store) -> None:
    job = store.finished(new=new_job("a", queue="mail"))
    store.run(jobs.delete([(job.seq, job.id)]))
    assert restored(store, ArchivedJob(job), week=None) is None
    back = store.job("a")
    assert (back.state, back.queue, back.result) == (State.COMPLETED, "mail", job.result)
