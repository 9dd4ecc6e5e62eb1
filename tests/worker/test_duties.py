"""Duties: promote and rescue by everybody, cleaning by one, patience after an outage."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.ledger.apps import LONG_LEASE, PATIENCE, Apps, eventually
from tests.worker.tap import Tap, tapped
from windlass import State, StoreUnavailable, Windlass
from windlass.store import leader as store_leader
from windlass.store.operation import Call
from windlass.testing import ManualClock
from windlass.worker.build import build_duties, build_leading
from windlass.worker.duties.duties import Duties
from windlass.worker.duties.leading import Leading
from windlass.worker.identity import identity


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def app(new_app: Apps, clock: ManualClock) -> Windlass:
    app = new_app(clock=clock)

    @app.task(name="echo")
    def echo(number: int) -> int:
        return number

    return app


@pytest.fixture
def tap(app: Windlass) -> Tap:
    return tapped(app)


def some_duties(app: Windlass, beat: float = 0.0) -> Duties:
    return build_duties(app, identity(), beat=beat)


def a_leader(app: Windlass) -> Leading:
    return build_leading(app, identity())


def away(calls: set[str], times: int) -> Callable[[Call], None]:
    """A store that fails these calls a few times."""
    failures = iter([True] * times)

    def fail(call: Call) -> None:
        if call.name in calls and next(failures, False):
            raise StoreUnavailable("gone fishing")

    return fail


NOBODY = "nobody"


def leader(app: Windlass) -> tuple[str, int]:
    """Who leads, and in which term; where nobody does, whoever asks does for a moment."""
    lead = app._session.run(store_leader.lead("leader", holder=NOBODY, ttl=0))
    return lead.holder, lead.term


def test_a_job_that_is_due_is_promoted(app: Windlass, clock: ManualClock) -> None:
    """B12: invisible until due, then ready."""
    job = app.enqueue_many([app.request("echo", (1,), delay="10s")])[0]
    duties = some_duties(app)
    duties.tick()
    assert job.refresh().state == State.SCHEDULED
    clock.advance("10s")
    duties.tick()
    assert job.refresh().state == State.PENDING


def test_a_round_comes_back_when_the_next_job_is_due(app: Windlass) -> None:
    """B12: started within 1 s of the due time, and at the latest looked for after half a second."""
    assert some_duties(app).tick() == 0.5
    app.enqueue_many([app.request("echo", (1,), delay="0.2s")])
    assert some_duties(app).tick() == pytest.approx(0.2, abs=0.03)


def test_a_job_of_a_dead_worker_is_rescued_and_a_living_worker_is_told(app: Windlass, clock: ManualClock) -> None:
    """A9: found while running."""
    job = app.enqueue("echo", 7)
    app.claim(lease="10s")
    with app.worker(lease=LONG_LEASE):
        clock.advance("11s")
        assert job.result(timeout=PATIENCE) == 7
    assert [entry.kind for entry in job.timeline() if entry.kind == "rescued"] == ["rescued"]


def test_after_an_outage_nobody_is_declared_dead_for_one_heartbeat(app: Windlass, clock: ManualClock, tap: Tap) -> None:
    """Q1: whoever could not renew because the store was away gets the time to do it."""
    job = app.enqueue("echo", 1)
    app.claim(lease="10s")
    clock.advance("11s")
    tap.before.append(away({"upcoming"}, times=1))
    duties = some_duties(app, beat=0.3)
    duties.tick()
    duties.tick()
    duties.tick()
    assert job.refresh().state == State.RUNNING
    eventually(lambda: (duties.tick(), job.refresh().state == State.PENDING)[1], "it is rescued after all")


def test_a_store_that_takes_no_writes_is_an_outage_too(app: Windlass, clock: ManualClock, tap: Tap) -> None:
    job = app.enqueue("echo", 1)
    app.claim(lease="10s")
    clock.advance("11s")
    tap.before.append(away({"rescue"}, times=1))
    duties = some_duties(app, beat=3600)
    for _ in range(3):
        duties.tick()
    assert job.refresh().state == State.RUNNING


def test_one_leads_and_another_takes_over_when_it_is_gone(app: Windlass, clock: ManualClock) -> None:
    """B30: the leader's lease is 10 s; the term grows with each leader."""
    first, second, third = a_leader(app), a_leader(app), a_leader(app)
    first.tick()
    holder, term = leader(app)
    second.tick()
    assert leader(app) == (holder, term)
    clock.advance("11s")
    third.tick()
    successor, later = leader(app)
    assert (successor != holder, later) == (True, term + 1)


def test_a_leader_that_resigns_is_followed_at_once(app: Windlass) -> None:
    first, second = a_leader(app), a_leader(app)
    first.tick()
    holder, term = leader(app)
    first.resign()
    second.tick()
    successor, later = leader(app)
    assert (successor != holder, later > term) == (True, True)


def test_a_leader_that_was_replaced_cannot_resign_for_its_successor(app: Windlass, clock: ManualClock) -> None:
    """T6: a stale leader's write carries its term and is refused."""
    first, second = a_leader(app), a_leader(app)
    first.tick()
    clock.advance("11s")
    second.tick()
    now = leader(app)
    first.resign()
    assert leader(app) == now


def test_a_worker_that_stops_resigns(app: Windlass) -> None:
    with app.worker(lease=LONG_LEASE):
        eventually(lambda: leader(app)[0] != NOBODY, "it leads")
    assert leader(app)[0] == NOBODY
