"""Orders that only locks can make: one transaction is held open while another waits for it.

A driver asks for the time once it has the lock, so a clock that stops whoever asks holds a transaction open.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

import pytest

from tests.store.builders import OWN_ID, TTL, ending, ids, new_job
from tests.store.step_by_step import Stepwise
from tests.store.stores import Store, Worker
from tests.waiting import PATIENCE
from windlass.core.state import State
from windlass.store.operations import jobs
from windlass.store.operations.cycle import Claimant, cycle, finish
from windlass.store.operations.rescue import Rescued, rescue


class Doorway:
    """A clock that stops whoever asks for the time, once it is shut."""

    def __init__(self, store: Store) -> None:
        self._clock = store.clock
        self._is_open = Event()
        self._is_open.set()
        self.is_reached = Event()

    def now(self) -> int:
        if not self._is_open.is_set():
            self.is_reached.set()
            assert self._is_open.wait(PATIENCE)
        return self._clock()

    @contextmanager
    def shut(self) -> Iterator[None]:
        self._is_open.clear()
        try:
            yield
        finally:
            self._is_open.set()


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as threads:
        yield threads


def expired_owner(store: Store) -> Worker:
    """An owner of one job whose clock runs behind, so that it believes its lease to be in time; another job waits."""
    owner = store.another(now=lambda: store.clock() - TTL).a_worker()
    store.enqueue(new_job("held"), new_job("waiting"))
    assert ids(owner.take(1)) == ["held"]
    return owner


def test_a_claim_that_waits_for_the_rescue_of_its_lease_takes_nothing(store: Store, pool: ThreadPoolExecutor) -> None:
    """E3: the rescue has the lock, the claim comes second."""
    owner = expired_owner(store)
    doorway = Doorway(store)
    rescuer = Stepwise(store.another(now=doorway.now), rescue(by="r", now=store.clock))
    rescuer.step("expired")
    with doorway.shut():
        rescuing = pool.submit(rescuer.end)
        assert doorway.is_reached.wait(PATIENCE), "the rescue is inside its transaction"
        claim = pool.submit(owner.take)
        assert not claim.done()
    assert rescuing.result(10) == [Rescued("held", State.PENDING)]
    assert claim.result(10) == []
    assert store.job("waiting").state is State.PENDING


def test_a_claim_that_the_rescue_of_its_lease_waits_for_is_rescued_next(store: Store, pool: ThreadPoolExecutor) -> None:
    """E3: the claim has the lock, the rescue comes second."""
    owner = expired_owner(store)
    doorway = Doorway(store)
    claimer = store.another(now=lambda: doorway.now() - TTL)
    rescuer = Stepwise(store, rescue(by="r", now=store.clock))
    rescuer.step("expired")
    with doorway.shut():
        claimant = Claimant(owner.name, owner.lease, "late")
        claim = pool.submit(claimer.run, cycle(claimant, requests=[("default", 9)]))
        assert doorway.is_reached.wait(PATIENCE), "the claim is inside its transaction"
        rescuing = pool.submit(rescuer.end)
        assert not rescuing.done()
    assert ids(claim.result(10).claimed) == ["waiting"]
    assert rescuing.result(10) == [Rescued("held", State.PENDING)]
    assert store.rescue() == [Rescued("waiting", State.PENDING)]


def test_two_claims_that_meet_at_the_lock_share_nothing(store: Store, pool: ThreadPoolExecutor) -> None:
    """E1, E5: one immediate transaction."""
    store.enqueue(new_job("a"), new_job("b"))
    doorway = Doorway(store)
    first = store.another(now=doorway.now).a_worker()
    second = store.a_worker()
    with doorway.shut():
        earlier = pool.submit(first.take, 1)
        assert doorway.is_reached.wait(PATIENCE)
        later = pool.submit(second.take, 2)
        assert not later.done()
    assert (ids(earlier.result(10)), ids(later.result(10))) == (["a"], ["b"])


def test_an_ending_that_waits_for_the_rescue_is_refused(store: Store, pool: ThreadPoolExecutor) -> None:
    """E3: after it, refused."""
    job = store.claimed()
    store.advance(TTL)
    doorway = Doorway(store)
    rescuer = Stepwise(store.another(now=doorway.now), rescue(by="r", now=store.clock))
    rescuer.step("expired")
    with doorway.shut():
        rescuing = pool.submit(rescuer.end)
        assert doorway.is_reached.wait(PATIENCE)
        finishing = pool.submit(store.run, finish([ending(job)], worker="w"))
        assert not finishing.done()
    assert (len(rescuing.result(10)), set(finishing.result(10))) == (1, {job.seq})


def test_a_renewal_that_waits_for_the_rescue_learns_that_it_came_too_late(
    store: Store, pool: ThreadPoolExecutor
) -> None:
    """E3: one refused renewal gives up at once."""
    worker = store.a_worker()
    store.claimed(by=worker)
    store.advance(TTL)
    doorway = Doorway(store)
    rescuer = Stepwise(store.another(now=doorway.now), rescue(by="r", now=store.clock))
    rescuer.step("expired")
    with doorway.shut():
        rescuing = pool.submit(rescuer.end)
        assert doorway.is_reached.wait(PATIENCE)
        renew = pool.submit(worker.renew)
        assert not renew.done()
    assert len(rescuing.result(10)) == 1
    assert not renew.result(10).is_open


def test_a_heartbeat_does_not_wait_for_a_writer_of_its_own_process(store: Store, pool: ThreadPoolExecutor) -> None:
    """It has a connection of its own; only the file's lock is between them."""
    doorway = Doorway(store)
    busy = store.another(now=doorway.now)
    worker = busy.a_worker()
    with doorway.shut():
        reading = pool.submit(worker.control)
        assert doorway.is_reached.wait(PATIENCE), "a reader is held up"
        beat = pool.submit(store.a_worker)
        assert beat.result(10).renew().is_open
    assert reading.result(10).is_open


def test_delete_and_enqueue_while_a_zombie_waits_for_the_lock(store: Store, pool: ThreadPoolExecutor) -> None:
    """A7: delete, enqueue, zombie finish, on three connections."""
    zombie = store.claimed(new_job("a"))
    store.advance(TTL)
    store.rescue()
    doorway = Doorway(store)
    deleter = store.another(now=doorway.now)
    deleter.job("a")
    with doorway.shut():
        delete = pool.submit(deleter.run, jobs.delete([(zombie.seq, "a")]))
        assert doorway.is_reached.wait(PATIENCE)
        finishing = pool.submit(store.run, finish([ending(zombie)], worker="zombie"))
        assert not finishing.done()
    assert delete.result(10) == [zombie.seq]
    assert set(finishing.result(10)) == {zombie.seq}
    store.enqueue(new_job("a"), naming=OWN_ID)
    assert set(store.end(zombie)) == {zombie.seq}
    assert store.job("a").state is State.PENDING
