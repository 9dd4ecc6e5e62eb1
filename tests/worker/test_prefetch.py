"""Fetching ahead: short jobs wait in the worker, but neither long nor at anybody's expense."""

from __future__ import annotations

from tests.ledger.apps import eventually, gate, raises
from tests.worker.learning import all_are, enqueue_behind, learned, teach
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


def test_a_worker_without_prefetch_takes_only_what_it_can_start(app: Windlass) -> None:
    """prefetch=False: strict priority, up to the start."""
    with gate() as first:
        task = learned(app, {"first": first})
        with app.worker(concurrency=1, prefetch=False) as worker:
            teach(worker, task)
            others = enqueue_behind(app, task, ["first", *OTHERS])[1:]
            first.await_entered()
            assert worker.status().buffered == 0
            assert all_are(others, State.PENDING)()
            first.open()


def test_a_task_that_asks_for_it_is_never_fetched_ahead(app: Windlass) -> None:
    with gate() as first:
        task = learned(app, {"first": first}, prefetch=0)
        with app.worker(concurrency=1) as worker:
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
