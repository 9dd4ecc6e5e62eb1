"""Fetching ahead: short jobs wait in the worker, but neither long nor at anybody's expense."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ledger.apps import gate, raises
from tests.waiting import eventually
from tests.worker.prefetched_task import all_are, enqueue_behind, learned, teach
from windlass import State, Windlass

OTHERS = [f"other-{number}" for number in range(30)]


def test_short_jobs_are_fetched_ahead_once_they_are_known_to_be_short(app: Windlass) -> None:
    with gate() as first:
        task = learned(app, {"first": first})
        with app.worker(concurrency=1) as worker:
            teach(worker, task)
            enqueue_behind(app, task, ["first", *OTHERS])
            first.await_entered()
            eventually(lambda: worker.status().buffered == len(OTHERS), "the others are fetched ahead")
            first.open()
            eventually(lambda: task.ran == ["first", *OTHERS], "they run in their order")


@pytest.mark.parametrize(
    ("of_worker", "of_task"), [({"prefetch": False}, {}), ({}, {"prefetch": 0})], ids=["worker", "task"]
)
def test_without_prefetch_only_what_can_start_is_taken(
    app: Windlass, of_worker: dict[str, Any], of_task: dict[str, Any]
) -> None:
    """Strict priority, up to the start, where the worker or the task asks for it."""
    with gate() as first:
        task = learned(app, {"first": first}, **of_task)
        with app.worker(concurrency=1, **of_worker) as worker:
            teach(worker, task)
            others = enqueue_behind(app, task, ["first", *OTHERS])[1:]
            first.await_entered()
            assert worker.status().buffered == 0
            assert all_are(others, State.PENDING)()
            first.open()


def test_what_does_not_start_within_a_second_goes_back_uncharged_and_stays_there(app: Windlass) -> None:
    """A9: nothing is charged for a claim; and the worker does not fetch the same jobs again while it is stuck."""
    with gate() as first:
        task = learned(app, {"first": first})
        with app.worker(concurrency=1) as worker:
            teach(worker, task)
            others = enqueue_behind(app, task, ["first", *OTHERS])[1:]
            eventually(lambda: worker.status().buffered == len(OTHERS), "the others are fetched ahead")
            eventually(all_are(others, State.PENDING), "they are handed back")
            assert {(job.attempt, raises(job.fence), job.record.rescues) for job in others} == {(0, 1, 0)}
            with app.worker(concurrency=4):
                eventually(all_are(others, State.COMPLETED), "another worker runs them")
            first.open()
    assert {(job.refresh().attempt, raises(job.fence)) for job in others} == {(1, 2)}


def test_last_attempts_that_wait_in_the_worker_are_not_marked_as_started(app: Windlass) -> None:
    """A9: neighbours that had not started are charged nothing, also when this attempt is their last."""
    with gate() as first:
        task = learned(app, {"first": first})
        with app.worker(concurrency=1) as worker:
            teach(worker, task)
            others = enqueue_behind(app, task, ["first", *OTHERS], attempts=1)[1:]
            eventually(all_are(others, State.RUNNING), "the others are fetched ahead")
            first.await_entered()
            assert {job.refresh().started_at for job in others} == {None}
            first.open()
            eventually(all_are(others, State.COMPLETED), "all have run")
    assert {job.attempt for job in others} == {1}
