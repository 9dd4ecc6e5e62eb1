"""Two who want the same, in every order that matters; a call is one atomic unit, so orders lie between calls."""

from __future__ import annotations

from tests.store.builders import INTERRUPTED, OWN_ID, SECOND, TTL, ending, fresh, ids, new_job, raised
from tests.store.step_by_step import Stepwise
from tests.store.stores import Store
from windlass.core.outcome import FailedPermanently
from windlass.core.state import State
from windlass.store.operations import enqueue, jobs, queries
from windlass.store.operations.cycle import Claimant, cycle, finish
from windlass.store.operations.jobs import Retried
from windlass.store.operations.manual_claim import claim
from windlass.store.operations.rescue import Rescued, rescue


def rescuing(store: Store) -> Stepwise[list[Rescued]]:
    """A rescuer that has looked and is about to act."""
    stepwise = Stepwise(store, rescue(by="rescuer", now=store.clock))
    stepwise.step("expired")
    return stepwise


# A rescue between its look and its deed.


def test_a_lease_that_is_renewed_after_the_look_keeps_its_jobs(store: Store) -> None:
    """E3: only a committed rescue ends a lease."""
    worker = store.a_worker()
    job = store.claimed(by=worker)
    store.advance(TTL)
    rescuer = rescuing(store.another())
    worker.renew()
    assert rescuer.end() == []
    assert worker.renew().held == {(job.seq, job.fence)}
    assert not worker.end(job)


def test_an_ending_that_comes_after_the_look_stands(store: Store) -> None:
    """E3: work is not thrown away, and there is one completion."""
    job = store.claimed()
    store.advance(TTL)
    rescuer = rescuing(store.another())
    store.end(job)
    before = store.job(job.id)
    assert rescuer.end() == []
    assert store.job(job.id) == before


def test_two_rescuers_that_looked_at_once_free_each_job_once(store: Store) -> None:
    """E3: safe when many run it at once."""
    job = store.claimed()
    store.advance(TTL)
    first, second = rescuing(store), rescuing(store.another())
    assert [first.end(), second.end()] == [[Rescued(job.id, State.PENDING)], []]
    assert (store.job(job.id).rescues, store.job(job.id).fence) == (1, job.fence + 1)


def test_a_job_that_went_to_a_new_owner_after_the_look_stays_there(store: Store) -> None:
    """One live lease; the rescuer neither takes it nor says that it did (I2)."""
    job = store.claimed()
    store.advance(TTL)
    rescuer = rescuing(store.another())
    store.end(job, INTERRUPTED)
    successor = store.a_worker()
    [again] = successor.take()
    assert rescuer.end() == []
    assert successor.renew().held == {(again.seq, again.fence)}


# Claim and rescue of one lease.


def test_a_lease_that_was_just_rescued_claims_nothing(store: Store) -> None:
    """E3: rescue commits first. The owner's clock runs behind, so that it believes its lease to be in time."""
    owner = store.another(now=lambda: store.clock() - TTL).a_worker()
    store.enqueue(new_job("held"), new_job("waiting"))
    assert ids(owner.take(1)) == ["held"]
    assert store.rescue() == [Rescued("held", State.PENDING)]
    assert owner.take() == []
    assert store.job("waiting").state is State.PENDING


def test_a_claim_that_commits_while_its_lease_is_being_rescued_is_rescued_next(store: Store) -> None:
    """E3: the claim commits between look and deed; nothing may stay under a lost lease."""
    owner = store.another(now=lambda: store.clock() - TTL).a_worker()
    store.enqueue(new_job("held"), new_job("late"))
    owner.take(1)
    rescuer = rescuing(store)
    assert ids(owner.take()) == ["late"]
    assert rescuer.end() == [Rescued("held", State.PENDING)]
    assert store.rescue() == [Rescued("late", State.PENDING)]
    assert owner.renew().held == frozenset()


# Zombies.


def test_delete_enqueue_zombie_finish(store: Store) -> None:
    """A7, B18: a seq is never used again, so the zombie cannot meet the new job of the same id."""
    zombie = store.claimed(new_job("a"))
    store.advance(TTL)
    store.rescue()
    store.run(jobs.delete([(zombie.seq, "a")]))
    store.enqueue(new_job("a"), naming=OWN_ID)
    [young] = store.a_worker().take()
    before = store.job("a")
    assert set(store.another().end(zombie)) == {zombie.seq}
    assert store.job("a") == before
    assert young.seq > zombie.seq
    assert not store.end(young)


def test_delete_enqueue_zombie_finish_before_anybody_claims(store: Store) -> None:
    zombie = store.claimed(new_job("a", key="k"))
    store.advance(TTL)
    store.rescue()
    store.run(jobs.delete([(zombie.seq, "a")]))
    store.enqueue(new_job("a", key="k"), naming=OWN_ID)
    before = store.job("a")
    assert set(store.end(zombie)) == {zombie.seq}
    assert store.job("a") == before
    assert store.enqueue(new_job("b", key="k"))[0].id == "a", "nor does it release the new job's key"


def test_a_zombie_meets_a_job_that_was_deleted_while_it_asked(store: Store) -> None:
    """The write was refused, then the job vanished: still refused, with nothing left to tell it on."""
    zombie = store.claimed()
    store.advance(TTL)
    store.rescue()
    finishing = Stepwise(store, finish([ending(zombie)], worker="zombie"))
    finishing.step("cycle")
    store.run(jobs.delete([(zombie.seq, zombie.id)]))
    assert set(finishing.end()) == {zombie.seq}
    assert store.kinds(zombie.seq) == []


# Keys.


def test_key_released_taken_first_job_retried(store: Store) -> None:
    """B17: reported, not forced; free again when the second has ended."""
    permanent = FailedPermanently(raised().fault, "permanent")
    first = store.finished(permanent, new_job("first", key="k"))
    other = store.another()
    other.enqueue(new_job("second", key="k"))
    assert store.run(jobs.retry([first.seq], by="me")) == Retried([], {first.seq: "second"})
    [second] = other.a_worker().take()
    other.end(second)
    assert store.run(jobs.retry([first.seq], by="me")) == Retried([first.seq], {})


def test_key_released_first_job_retried_then_taken(store: Store) -> None:
    """B17: the retried job runs without its key, so the second may take it and neither ends the other's hold."""
    permanent = FailedPermanently(raised().fault, "permanent")
    first = store.finished(permanent, new_job("first", key="k"))
    store.run(jobs.retry([first.seq], by="me"))
    store.another().enqueue(new_job("second", key="k", queue="other"))
    [again] = store.a_worker().take()
    store.end(again)
    assert store.enqueue(new_job("third", key="k"))[0].id == "second"


# Bulk operations between their look and their deed.


def test_a_job_that_was_claimed_since_it_was_found_is_not_deleted(store: Store) -> None:
    job = store.a_job()
    deleting = Stepwise(store, jobs.delete([(job.seq, job.id)]))
    store.another().a_worker().take()
    assert deleting.end() == []
    assert store.job(job.id).state is State.RUNNING


def test_a_job_that_finished_since_it_was_found_is_not_cancelled(store: Store) -> None:
    """A4: a job that finished first stays completed."""
    job = store.claimed()
    cancelling = Stepwise(store, jobs.cancel([job.seq], by="me"))
    store.another().end(job)
    assert cancelling.end() == {}
    assert store.job(job.id).state is State.COMPLETED


def test_a_request_to_cancel_that_comes_before_the_ending_decides_it(store: Store) -> None:
    job = store.claimed()
    finishing = Stepwise(store, finish([ending(job, raised())], worker="w"))
    store.another().run(jobs.cancel([job.seq], by="me"))
    assert not finishing.end()
    assert store.job(job.id).state is State.CANCELLED


# Lost answers.


def test_an_enqueue_whose_answer_was_lost(store: Store) -> None:
    """Repeating with the same ids is safe (I10)."""
    new = [new_job(), new_job(key="k"), new_job(delay=SECOND)]
    namings = {1: enqueue.Uniqueness()}
    Stepwise(store, enqueue.enqueue(new, namings)).lose_answer()
    again = store.run(enqueue.enqueue(new, namings))
    assert [stored.id for stored in again] == [job.id for job in new]
    assert store.run(queries.counts()) == {"default": {State.PENDING: 2, State.SCHEDULED: 1}}


def test_a_cycle_whose_answer_was_lost(store: Store) -> None:
    """E5: endings stay written, and what the first try took is handed out again, not twice (I10)."""
    worker = store.a_worker()
    store.enqueue(*(new_job(f"{number}") for number in range(6)))
    done = worker.take(2)
    claimant = Claimant(worker.name, worker.lease, fresh("token"))
    endings = [ending(job) for job in done]
    Stepwise(store, cycle(claimant, endings=endings, requests=[("default", 2)])).lose_answer()
    again = store.run(cycle(claimant, endings=endings))
    assert (ids(again.claimed), list(again.refused)) == (["2", "3"], [])
    assert store.run(queries.counts()) == {"default": {State.COMPLETED: 2, State.RUNNING: 2, State.PENDING: 2}}


def test_an_ending_whose_answer_was_lost_and_whose_job_went_on(store: Store) -> None:
    """The repetition must not end the next owner's run (I4)."""
    job = store.claimed()
    released = finish([ending(job, INTERRUPTED)], worker="w")
    Stepwise(store, released).lose_answer()
    successor = store.a_worker()
    [again] = successor.take()
    store.end(job, INTERRUPTED)
    assert successor.renew().held == {(again.seq, again.fence)}


def test_a_rescue_whose_answer_was_lost(store: Store) -> None:
    """Charged once (I5)."""
    job = store.claimed()
    store.advance(TTL)
    rescuing(store).lose_answer()
    assert store.rescue() == []
    assert store.job(job.id).rescues == 1


def test_a_manual_claim_whose_answer_was_lost(store: Store) -> None:
    """D2: charged once (I5)."""
    store.enqueue(new_job("a"), new_job("b"))
    Stepwise(store, claim(1, queues=["default"], worker="me", token="t", ttl=TTL)).lose_answer()
    [job] = store.run(claim(1, queues=["default"], worker="me", token="t", ttl=TTL))
    assert (job.id, job.attempt) == ("a", 1)
    assert store.job("b").state is State.PENDING
