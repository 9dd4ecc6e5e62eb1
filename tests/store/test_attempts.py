"""The attempts of a job: each that does not complete it is kept, by the store's clock, with what ends it anyway."""

from __future__ import annotations

import pytest

from tests.manual_clock import START
from tests.store.builders import CANCELLED, INTERRUPTED, MINUTE, SECOND, TTL, ending, new_job, raised
from tests.store.stores import Store
from windlass.core.fault import Attempt, read_attempts
from windlass.core.outcome import FailedPermanently, Outcome, Postponed
from windlass.core.state import State
from windlass.store.operations import jobs
from windlass.store.operations.manual_claim import claim


def attempts(store: Store, id: str) -> tuple[Attempt, ...]:
    return read_attempts(store.job(id).attempts).attempts


def test_a_failed_attempt_is_kept_with_its_times_fence_worker_and_delay(store: Store) -> None:
    """A12: also after the next one has begun."""
    worker = store.a_worker("first")
    job = store.claimed(new_job("a"), by=worker)
    store.advance(SECOND)
    worker.cycle(endings=[ending(job, raised(delay=MINUTE), ran_for=400)])
    kept = Attempt(job.fence, 1, START, START + 600, START + SECOND, "first", "retrying", None, MINUTE)
    assert attempts(store, "a") == (kept,)
    store.advance(MINUTE)
    store.run(jobs.promote())
    other = store.a_worker("second")
    [again] = other.take()
    assert attempts(store, "a") == (kept,)
    other.end(again)
    assert (store.job("a").state, attempts(store, "a")) == (State.COMPLETED, (kept,))


def test_a_job_that_completes_keeps_nothing(store: Store) -> None:
    """A12: the happy path costs nothing."""
    assert store.finished().attempts is None
    worker = store.a_worker()
    marked = store.claimed(by=worker)
    worker.mark(marked)
    worker.end(marked)
    assert store.job(marked.id).attempts is None
    by_hand = store.manually_claimed()
    store.end(by_hand)
    assert store.job(by_hand.id).attempts is None


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        (Postponed(SECOND), ("scheduled", None, SECOND)),
        (Postponed(MINUTE, "throttled"), ("scheduled", "throttled", MINUTE)),
        (INTERRUPTED, ("pending", None, None)),
        (CANCELLED, ("cancelled", None, None)),
        (FailedPermanently(raised().fault, "permanent"), ("failed", "permanent", None)),
    ],
)
def test_every_way_to_end_without_completing_is_told(
    store: Store, outcome: Outcome, told: tuple[str, str | None, int | None]
) -> None:
    """A12: snoozed, throttled, released, cancelled, failed."""
    job = store.finished(outcome)
    [attempt] = attempts(store, job.id)
    assert (attempt.outcome, attempt.reason, attempt.delay) == told
    assert (attempt.number, attempt.fence) == (1, job.fence)


def test_a_start_mark_tells_when_it_began(store: Store) -> None:
    worker = store.a_worker()
    job = store.claimed(by=worker)
    store.advance(10)
    worker.mark(job)
    store.advance(SECOND)
    worker.end(job, raised())
    [attempt] = attempts(store, job.id)
    assert (attempt.claimed_at, attempt.started_at, attempt.ended_at) == (START, START + 10, START + 10 + SECOND)


def test_a_claim_that_never_began_is_no_attempt(store: Store) -> None:
    worker = store.a_worker()
    job = store.claimed(by=worker)
    worker.cycle(endings=[ending(job, INTERRUPTED, ran_for=None)])
    [job] = worker.take()
    worker.cycle(endings=[ending(job, Postponed(SECOND, "unknown_task"), ran_for=None)])
    assert store.job(job.id).attempts is None


@pytest.mark.parametrize("is_started", [True, False])
def test_an_attempt_that_was_lost_with_its_worker_is_kept(store: Store, is_started: bool) -> None:
    """A12, E6: rescue tells which claim it took away, and when that was made."""
    worker = store.a_worker("dead")
    job = store.claimed(new_job("a"), by=worker)
    if is_started:
        worker.mark(job)
    store.advance(TTL)
    store.rescue()
    began = START if is_started else None
    assert attempts(store, "a") == (Attempt(job.fence, 1, START, began, START + TTL, "dead", "lost", None, None),)


def test_a_loss_that_ends_the_job_has_its_reason(store: Store) -> None:
    worker = store.a_worker()
    job = store.claimed(new_job("a", attempts=1), by=worker)
    worker.mark(job)
    store.advance(TTL)
    store.rescue()
    [attempt] = attempts(store, "a")
    assert (attempt.outcome, attempt.reason, store.job("a").state) == ("lost", "crashed", State.FAILED)


def test_manual_claims_are_attempts_from_the_claim_on(store: Store) -> None:
    """D2: charged at the claim, so the number is that of the claim."""
    job = store.manually_claimed(new_job("a"), worker="me")
    store.advance(SECOND)
    store.end(job, raised(delay=0))
    store.run(jobs.promote())
    [again] = store.run(claim(1, queues=["default"], worker="me", token="again", ttl=TTL))
    store.end(again, INTERRUPTED)
    [lost] = store.run(claim(1, queues=["default"], worker="me", token="lost", ttl=TTL))
    store.advance(TTL)
    store.rescue()
    told = [(each.fence, each.number, each.outcome, each.worker) for each in attempts(store, "a")]
    assert told == [
        (job.fence, 1, "retrying", "me"),
        (again.fence, 2, "pending", "me"),
        (lost.fence, 2, "lost", "me"),
    ]


def test_a_cancel_request_decides_how_the_attempt_ended(store: Store) -> None:
    worker = store.a_worker()
    job = store.claimed(by=worker)
    store.run(jobs.cancel([job.seq], by="me"))
    worker.end(job, raised(delay=MINUTE))
    [attempt] = attempts(store, job.id)
    assert (attempt.outcome, attempt.reason, attempt.delay) == ("cancelled", None, None)


def test_attempts_stay_through_a_retry_by_hand(store: Store) -> None:
    """A11: the history is kept."""
    failed = store.finished(FailedPermanently(raised().fault, "permanent"))
    store.run(jobs.retry([failed.seq], by="me"))
    assert store.job(failed.id).attempts == failed.attempts
    [job] = store.a_worker().take()
    store.end(job, raised())
    assert [each.fence for each in attempts(store, job.id)] == [failed.fence, job.fence]


def test_a_stale_write_adds_none(store: Store) -> None:
    job = store.claimed()
    store.advance(TTL)
    store.rescue()
    [again] = store.a_worker().take()
    store.end(job, raised())
    store.end(again)
    assert [each.fence for each in attempts(store, job.id)] == [job.fence]


def test_the_first_and_the_newest_are_kept(store: Store) -> None:
    """A11: bounded, however often it fails."""
    worker = store.a_worker("w")
    store.enqueue(new_job("a", attempts=100))
    fences = []
    for _ in range(23):
        [job] = worker.take()
        fences.append(job.fence)
        worker.end(job, Postponed(0))
        store.run(jobs.promote())
    found = read_attempts(store.job("a").attempts)
    assert found.left_out == 3
    assert [each.fence for each in found.attempts] == [fences[0], *fences[4:]]
    assert {each.worker for each in found.attempts} == {"w"}


def test_a_name_of_a_worker_may_hold_anything(store: Store) -> None:
    name = 'a "quoted"], [name/\\ é\n'
    worker = store.a_worker(name)
    job = store.claimed(by=worker)
    worker.end(job, raised(delay=0))
    store.run(jobs.promote())
    [job] = worker.take()
    worker.end(job, raised())
    assert [each.worker for each in attempts(store, job.id)] == [name, name]


def test_attempts_go_with_their_job(store: Store) -> None:
    job = store.finished(Postponed(SECOND), new_job("a"))
    store.run(jobs.delete([(job.seq, job.id)]))
    store.enqueue(new_job("a"))
    assert store.job("a").attempts is None
