"""Time makes a lease rescuable; only a rescue ends it."""

from __future__ import annotations

import pytest

from tests.ledger.apps import Apps, at_once, gate
from tests.waiting import PATIENCE
from windlass import LeaseLost, State, Windlass
from windlass.testing import ManualClock


def test_an_expired_claim_may_still_end_its_job(app: Windlass, clock: ManualClock) -> None:
    """E3: until somebody rescues it; work is not thrown away."""
    app.enqueue_many([app.request("anything")])
    [claimed] = app.claim(queues=["default"], lease="1m")
    clock.advance("1h")
    claimed.complete("late but fine")
    assert claimed.job.result() == "late but fine"
    assert app.rescue() == []


def test_an_expired_claim_may_still_be_extended(app: Windlass, clock: ManualClock) -> None:
    """E3: time makes it rescuable; only a rescue ends it."""
    app.enqueue_many([app.request("anything")])
    [claimed] = app.claim(queues=["default"], lease="1m")
    clock.advance("1h")
    claimed.extend("1m")
    assert app.rescue() == []
    claimed.complete()


def test_after_the_rescue_it_may_not(app: Windlass, clock: ManualClock) -> None:
    """E3: the owner's ending is refused, even before anybody has claimed the job again."""
    app.enqueue_many([app.request("anything")])
    [claimed] = app.claim(queues=["default"], lease="1m")
    clock.advance("1m")
    app.rescue()
    with pytest.raises(LeaseLost):
        claimed.complete()
    assert claimed.job.state is State.PENDING


def test_an_expired_worker_may_still_end_its_job(app: Windlass, clock: ManualClock) -> None:
    """E3: a worker that was late with its heartbeat, and was not rescued, loses nothing."""
    with gate() as busy:

        @app.task
        def slow() -> str:
            busy.wait()
            return "late but fine"

        job = slow.enqueue()
        with app.worker(lease="30s", duties=False):
            busy.await_entered()
            clock.advance("1h")
            busy.open()
            assert job.result(timeout=PATIENCE) == "late but fine"
        assert job.refresh().attempt == 1


def test_rescue_is_idempotent_and_safe_when_many_run_it(app: Windlass, new_app: Apps, clock: ManualClock) -> None:
    """E3: each job is rescued, and charged, once."""
    jobs = app.enqueue_many([app.request("anything")] * 50)
    assert len(app.claim(50, queues=["default"], lease="1m")) == 50
    clock.advance("1m")
    rescued: list[str] = []
    apps = [app, new_app(), new_app(), new_app()]
    at_once(*(lambda one=one: rescued.extend(job.id for job in one.rescue()) for one in apps))
    assert sorted(rescued) == sorted(job.id for job in jobs)
    for job in jobs[::10]:
        assert (job.refresh().state, job.attempt, len(job.errors)) == (State.PENDING, 1, 1)
        assert [entry.kind for entry in job.timeline()].count("rescued") == 1


def test_a_clock_that_was_set_back_holds_no_lease_longer_than_its_length(app: Windlass, clock: ManualClock) -> None:
    """E3: by the store's clock, whichever way it jumped."""
    app.enqueue_many([app.request("anything")])
    app.claim(queues=["default"], lease="1m")
    clock.set(clock.now().replace(year=2025))
    assert len(app.rescue()) == 1
