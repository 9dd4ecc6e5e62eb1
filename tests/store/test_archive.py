"""archive: copies finished jobs before retention deletes them."""

from __future__ import annotations

import pytest

from tests.store.every_state import a_job_in
from tests.store.stores import Store
from windlass.core.state import FINISHED, State
from windlass.store import jobs
from windlass.store.prune import archive


@pytest.mark.parametrize("state", sorted(FINISHED))
def test_a_finished_job_is_copied(store: Store, state: State) -> None:
    """A13: deleted only after the archive write succeeded, which the answer tells."""
    job = a_job_in(store, state)
    assert store.run(archive([(job.seq, "2026-W01")])) == [job.seq]
    assert store.job(job.id) == job


@pytest.mark.parametrize("state", sorted(set(State) - FINISHED))
def test_a_job_that_is_not_finished_is_not_copied(store: Store, state: State) -> None:
    job = a_job_in(store, state)
    assert store.run(archive([(job.seq, "2026-W01")])) == []


def test_a_second_copy_is_the_first(store: Store) -> None:
    """A13: repeated after a crash between archive and delete."""
    job = store.finished()
    weeks = [(job.seq, "2026-W01")]
    assert store.run(archive(weeks)) == store.run(archive(weeks)) == [job.seq]


def test_the_copy_stays_when_the_job_is_deleted(store: Store) -> None:
    job = store.finished()
    store.run(archive([(job.seq, "2026-W01")]))
    store.run(jobs.delete([(job.seq, job.id)]))
    assert store.run(archive([(job.seq, "2026-W01")])) == [job.seq]


def test_many_are_copied_each_into_its_week(store: Store) -> None:
    found = [store.finished() for _ in range(4)]
    weeks = [(job.seq, f"2026-W0{number % 2}") for number, job in enumerate(found)]
    assert sorted(store.run(archive(weeks))) == [job.seq for job in found]


def test_a_job_that_is_not_there_is_not_copied(store: Store) -> None:
    assert store.run(archive([(4711, "2026-W01")])) == []
    assert store.run(archive([])) == []
