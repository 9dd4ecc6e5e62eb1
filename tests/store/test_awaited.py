"""awaited: those of many awaited jobs that need no more waiting."""

from __future__ import annotations

import pytest

from tests.store.builders import raised
from tests.store.every_state import a_job_in
from tests.store.stores import Store
from windlass.core.outcome import FailedPermanently, Returned
from windlass.core.state import FINISHED, State
from windlass.store.operations import queries
from windlass.store.operations.queries import FinishedJob


@pytest.mark.parametrize("state", sorted(State))
def test_only_finished_jobs_are_settled(store: Store, state: State) -> None:
    """A3: waiting goes on through retries."""
    job = a_job_in(store, state)
    assert [settled.state for settled in store.run(queries.awaited([job.id]))] == [state] * (state in FINISHED)


def test_a_completed_job_gives_its_result(store: Store) -> None:
    """A3: wait for a result."""
    job = store.finished(Returned("[1]"))
    assert store.run(queries.awaited([job.id])) == [FinishedJob(job.id, State.COMPLETED, None, "[1]", None, "greet")]


def test_a_failed_job_gives_reason_and_errors(store: Store) -> None:
    """A3: a failed job's exception carries the original type name and message."""
    job = store.finished(FailedPermanently(raised().fault, "permanent"))
    assert store.run(queries.awaited([job.id])) == [
        FinishedJob(job.id, State.FAILED, "permanent", None, job.errors, "greet")
    ]


def test_a_job_that_is_not_there_is_settled_without_a_state(store: Store) -> None:
    """A3: unknown."""
    assert store.run(queries.awaited(["nobody"])) == [FinishedJob("nobody", None, None, None, None, None)]


def test_many_are_asked_for_in_one_read(store: Store) -> None:
    done = [store.finished() for _ in range(3)]
    waiting = store.a_job()
    settled = store.run(queries.awaited([waiting.id, *(job.id for job in done), "nobody"]))
    assert {one.id for one in settled} == {*(job.id for job in done), "nobody"}
    assert store.run(queries.awaited([])) == []
