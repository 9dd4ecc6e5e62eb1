"""delete: removes jobs that do not run, with their events and indexes."""

from __future__ import annotations

import pytest

from tests.store.builders import OWN_ID, SECOND, new_job
from tests.store.every_state import a_job_in
from tests.store.stores import Store
from windlass.core.records import JobRecord
from windlass.core.state import State, Verb, allowed_from
from windlass.store.operations import enqueue, jobs, queries


def delete(store: Store, *found: JobRecord) -> list[int]:
    return store.run(jobs.delete([(job.seq, job.id) for job in found]))


@pytest.mark.parametrize("state", sorted(allowed_from(Verb.DELETE)))
def test_a_job_that_does_not_run_is_removed(store: Store, state: State) -> None:
    """B5: delete a job."""
    job = a_job_in(store, state)
    assert delete(store, job) == [job.seq]
    assert not store.exists(job.id)
    assert store.run(queries.counts()) == {}


def test_a_running_job_is_its_owners(store: Store) -> None:
    """B5: not a running one."""
    job = a_job_in(store, State.RUNNING)
    assert delete(store, job) == []
    assert store.job(job.id) == job


def test_only_jobs_in_the_named_states_are_removed(store: Store) -> None:
    failed, completed = a_job_in(store, State.FAILED), a_job_in(store, State.COMPLETED)
    asked = [(failed.seq, failed.id), (completed.seq, completed.id)]
    assert store.run(jobs.delete(asked, states=[State.FAILED])) == [failed.seq]
    assert store.exists(completed.id)


def test_many_are_removed_in_one_call(store: Store) -> None:
    found = [store.a_job() for _ in range(5)]
    assert sorted(delete(store, *found)) == [job.seq for job in found]
    assert delete(store, *found) == []


def test_what_is_told_of_a_job_goes_with_it(store: Store) -> None:
    """A13: everything else that grows is bounded too."""
    gone, kept = store.a_job(), store.a_job()
    store.run(jobs.cancel([gone.seq, kept.seq], by="me"))
    delete(store, gone)
    assert (store.kinds(gone.seq), store.kinds(kept.seq)) == ([], ["cancelled"])


def test_the_events_of_a_running_job_stay(store: Store) -> None:
    job = store.claimed()
    store.run(jobs.cancel([job.seq], by="me"))
    delete(store, store.job(job.id))
    assert store.kinds(job.seq) == ["cancel_requested"]


@pytest.mark.parametrize("until", ["started", "finished", "window"])
def test_its_key_is_free(store: Store, until: str) -> None:
    naming = enqueue.Uniqueness(until=until, window=SECOND if until == "window" else None)
    job = store.a_job(new_job("a", key="k"), naming=naming)
    delete(store, job)
    assert store.enqueue(new_job("b", key="k"), naming=naming)[0].id == "b"


def test_a_key_that_another_job_took_since_stays(store: Store) -> None:
    first = store.finished(new=new_job("first", key="k"))
    store.enqueue(new_job("second", key="k"))
    delete(store, first)
    assert store.enqueue(new_job("third", key="k"))[0].id == "second"


def test_its_id_is_free(store: Store) -> None:
    """B18: free again after retention, also for a different job."""
    job = store.a_job(new_job("a"), naming=OWN_ID)
    delete(store, job)
    [stored] = store.enqueue(new_job("a", task="other"), naming=OWN_ID)
    assert not stored.is_duplicate
    assert store.job("a").task == "other"


def test_its_seq_is_never_used_again(store: Store) -> None:
    """A7: a late writer must not meet another job under its number."""
    seqs = set()
    for _ in range(3):
        job = store.a_job(new_job("a"), naming=OWN_ID)
        delete(store, job)
        seqs.add(job.seq)
    assert len(seqs) == 3


def test_its_seq_is_never_used_again_after_a_restart(store: Store) -> None:
    job = store.a_job()
    delete(store, job)
    store.driver.close()
    assert store.another().a_job().seq > job.seq
