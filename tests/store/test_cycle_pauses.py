"""cycle and claim on paused queues."""

from __future__ import annotations

from tests.store.builders import ending, ids, new_job
from tests.store.stores import Store
from windlass.core.state import State
from windlass.store.operations import queues
from windlass.store.operations.manual_claim import claim
from windlass.store.operations.queues import ALL


def pause(store: Store, queue: str) -> None:
    store.run(queues.pause(queue, by="me", reason="maintenance"))


def resume(store: Store, queue: str) -> None:
    store.run(queues.pause(queue, by="me", reason=None, is_paused=False))


def manual_claim(store: Store) -> list[str]:
    return ids(store.run(claim(9, queues=["default"], worker="me", token="t", ttl=1000)))


def test_a_paused_queue_gives_nothing(store: Store) -> None:
    """B10: a pause holds for everybody at once."""
    store.enqueue(new_job("a"), new_job("b", queue="other"))
    pause(store, "default")
    assert ids(store.a_worker().cycle(requests=[("default", 9), ("other", 9)]).claimed) == ["b"]
    assert manual_claim(store) == []


def test_a_pause_of_all_queues_holds_for_each(store: Store) -> None:
    """B10: a queue or all."""
    store.enqueue(new_job("a"), new_job("b", queue="other"))
    pause(store, ALL)
    assert store.a_worker().cycle(requests=[("default", 9), ("other", 9)]).claimed == []
    assert manual_claim(store) == []


def test_a_resumed_queue_goes_on_where_it_stood(store: Store) -> None:
    """B10: resume."""
    store.enqueue(new_job("a"), new_job("b", priority=1))
    pause(store, "default")
    resume(store, "default")
    assert ids(store.a_worker().take()) == ["b", "a"]


def test_resuming_one_queue_does_not_lift_the_pause_of_all(store: Store) -> None:
    store.enqueue(new_job("a"))
    pause(store, ALL)
    pause(store, "default")
    resume(store, "default")
    assert store.a_worker().take() == []
    resume(store, ALL)
    assert ids(store.a_worker().take()) == ["a"]


def test_what_runs_may_end_while_its_queue_is_paused(store: Store) -> None:
    """B10: a pause stops claiming, nothing else."""
    worker = store.a_worker()
    job = store.claimed(by=worker)
    pause(store, "default")
    assert list(worker.cycle(endings=[ending(job)]).refused) == []
    assert store.job(job.id).state is State.COMPLETED


def test_a_paused_queue_takes_new_jobs(store: Store) -> None:
    pause(store, "default")
    store.enqueue(new_job("a"))
    assert store.job("a").state is State.PENDING
