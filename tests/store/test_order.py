"""The order within a queue: strict priority, then the time at which a job became ready, then its number."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.store.builders import HOUR, INTERRUPTED, SECOND, TTL, ids, new_job, raised
from tests.store.stores import Store
from windlass.core.outcome import Outcome, Postponed
from windlass.core.records import Claimed
from windlass.core.state import State
from windlass.store.operations import gates, jobs, queries
from windlass.store.operations.manual_claim import claim
from windlass.store.operations.transfer import Batch, store_batch

SNOOZED = Postponed(SECOND, None)


def by_a_worker(store: Store) -> list[str]:
    return ids(store.a_worker().take())


def one_by_one(store: Store) -> list[str]:
    worker, taken = store.a_worker(), list[Claimed]()
    while found := worker.take(1):
        taken += found
    return ids(taken)


def by_hand(store: Store) -> list[str]:
    return ids(store.run(claim(100, queues=["default"], worker="me", token="t", ttl=TTL)))


def by_a_repeated_claim(store: Store) -> list[str]:
    """After a lost answer."""
    by_hand(store)
    return by_hand(store)


def by_a_repeated_cycle(store: Store) -> list[str]:
    """After a lost answer."""
    worker = store.a_worker()
    worker.take(token="t")
    return ids(worker.cycle(token="t").claimed)


def by_a_peek(store: Store) -> list[str]:
    return ids(store.run(queries.peek("default", limit=100)))


def by_the_number_ahead(store: Store) -> list[str]:
    """What `why` counts."""

    def ahead(seq: int) -> int:
        found = store.run(gates.gates(seq))
        assert found is not None
        return found.ahead

    waiting = store.run(queries.page(queries.Filter(states=(State.PENDING,)), limit=100)).jobs
    return [job.id for job in sorted(waiting, key=lambda job: ahead(job.seq))]


LOOKS = [by_a_worker, one_by_one, by_hand, by_a_repeated_claim, by_a_repeated_cycle, by_a_peek, by_the_number_ahead]


@pytest.mark.parametrize("look", LOOKS)
def test_priority_comes_first_then_the_time_then_the_number(store: Store, look: Callable[[Store], list[str]]) -> None:
    """B3."""
    store.enqueue(new_job("due third", delay=3), new_job("due first", delay=1))
    store.enqueue(new_job("due third too", delay=3), new_job("urgent, late", delay=3, priority=5))
    store.enqueue(new_job("not urgent", priority=-1), new_job("now"))
    store.advance(2)
    store.enqueue(new_job("second"), new_job("second too"))
    store.enqueue(new_job("urgent", priority=5))
    store.advance(1)
    store.run(jobs.promote())
    assert look(store) == [
        "urgent", "urgent, late", "now", "due first", "second", "second too", "due third", "due third too",
        "not urgent",
    ]  # fmt: skip


def a_run_that_ended(outcome: Outcome) -> Callable[[Store], str]:
    def come_back(store: Store) -> str:
        job = store.claimed(new_job("back"))
        store.end(job, outcome)
        return job.id

    return come_back


def a_rescued_run(store: Store) -> str:
    job = store.claimed(new_job("back"))
    store.advance(TTL)
    [rescued] = store.rescue()
    assert rescued.state is State.PENDING
    return job.id


def a_manual_claim_that_ran_out(store: Store) -> str:
    job = store.manually_claimed(new_job("back"))
    store.advance(TTL)
    store.rescue()
    return job.id


def a_released_manual_claim(store: Store) -> str:
    job = store.manually_claimed(new_job("back"))
    store.end(job, INTERRUPTED)
    return job.id


def a_job_that_is_to_run_now_and_was_ready(store: Store) -> str:
    job = store.a_job(new_job("back"))
    store.advance(SECOND)
    assert store.run(jobs.reschedule(job.seq, delay=0))
    return job.id


@pytest.mark.parametrize(
    "come_back",
    [
        a_run_that_ended(INTERRUPTED),
        a_rescued_run,
        a_manual_claim_that_ran_out,
        a_released_manual_claim,
        a_job_that_is_to_run_now_and_was_ready,
    ],
    ids=["released", "rescued", "timed out", "released by hand", "run now"],
)
@pytest.mark.parametrize("look", [by_a_worker, by_a_peek])
def test_a_job_that_was_ready_keeps_its_place(
    store: Store, come_back: Callable[[Store], str], look: Callable[[Store], list[str]]
) -> None:
    """B3: released, rescued or asked to run now, it comes before those that became ready after it."""
    store.enqueue(new_job("older", queue="other"))
    id = come_back(store)
    store.advance(1)
    store.enqueue(new_job("younger"))
    assert look(store) == [id, "younger"]


def test_a_rescued_job_stands_before_younger_ones(store: Store) -> None:
    """B3, A9: also before those that came while it ran."""
    job = store.claimed(new_job("old"))
    store.advance(1)
    store.enqueue(new_job("young"))
    store.advance(TTL)
    store.rescue()
    assert by_a_worker(store) == [job.id, "young"]


def retry_by_hand(store: Store) -> None:
    job = store.claimed(new_job("back", attempts=1))
    store.end(job, raised())
    store.advance(SECOND)
    store.enqueue(new_job("younger"))
    store.advance(SECOND)
    store.run(jobs.retry([job.seq], by="me"))


def run_now(store: Store) -> None:
    job = store.a_job(new_job("back", delay=HOUR))
    store.advance(SECOND)
    store.enqueue(new_job("younger"))
    store.advance(SECOND)
    store.run(jobs.reschedule(job.seq, delay=0))


def retry_later(store: Store) -> None:
    store.end(store.claimed(new_job("back")), raised(delay=SECOND))
    store.enqueue(new_job("younger"))
    store.advance(SECOND)
    store.run(jobs.promote())


def snooze(store: Store) -> None:
    store.end(store.claimed(new_job("back")), SNOOZED)
    store.enqueue(new_job("younger"))
    store.advance(SECOND)
    store.run(jobs.promote())


def put_off(store: Store) -> None:
    job = store.a_job(new_job("back"))
    store.run(jobs.reschedule(job.seq, delay=SECOND))
    store.enqueue(new_job("younger"))
    store.advance(SECOND)
    store.run(jobs.promote())


@pytest.mark.parametrize("come_back", [retry_by_hand, run_now, retry_later, snooze, put_off])
def test_a_job_that_waited_for_its_time_lines_up_when_that_has_come(
    store: Store, come_back: Callable[[Store], None]
) -> None:
    """B3: its age does not count."""
    come_back(store)
    assert by_a_worker(store) == ["younger", "back"]


def test_jobs_that_poll_do_not_starve_others(store: Store) -> None:
    """B3: however many come back again and again, a new job is behind each of them once."""
    store.enqueue(*(new_job(f"poll {number}") for number in range(20)))
    worker, polls = store.a_worker(ttl=HOUR), 0
    store.advance(1)
    store.enqueue(new_job("new"))
    while "new" not in ids(taken := worker.take(2)):
        for job in taken:
            worker.end(job, Postponed(1, None))
        polls += len(taken)
        store.advance(1)
        store.run(jobs.promote())
        assert polls <= 20, "those that have polled come first again"
    assert polls == 20


def test_a_move_keeps_the_order(store: Store) -> None:
    """B3: what waited in another store lines up by its time here."""
    store.enqueue(new_job("late", delay=2), new_job("early"))
    store.advance(2)
    store.run(jobs.promote())
    moved = store.run(queries.find(["late", "early"]))
    assert store.run(jobs.delete([(job.seq, job.id) for job in moved.values()]))
    store.run(store_batch(Batch([moved["late"], moved["early"]], keys=[], events=[])))
    assert by_a_worker(store) == ["early", "late"]


def test_one_that_came_back_can_be_cancelled_moved_and_deleted(store: Store) -> None:
    """Whoever looks for a pending job finds it in its new place."""
    seqs = []
    for name in ("a", "b", "c"):
        job = store.claimed(new_job(name))
        store.end(job, SNOOZED)
        seqs.append(job.seq)
    store.advance(SECOND)
    store.run(jobs.promote())
    assert store.run(jobs.cancel(seqs[:1], by="me")) == {seqs[0]: State.CANCELLED}
    assert store.run(jobs.reschedule(seqs[1], delay=SECOND))
    assert store.run(jobs.delete([(seqs[2], "c")])) == [seqs[2]]
    assert by_a_worker(store) == []
