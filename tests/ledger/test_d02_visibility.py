"""Charged at the claim, and back when the time is over; no worker is needed."""

from __future__ import annotations

import pytest

from tests.ledger.manual_claims import claimed, declare
from windlass import State, Windlass
from windlass.testing import ManualClock


@pytest.fixture(autouse=True)
def _tasks(app: Windlass) -> None:
    declare(app)


def test_a_claim_is_charged_at_once(app: Windlass) -> None:
    """D2: nobody may tell whether a manually claimed job was started; an ending charges nothing more."""
    one = claimed(app)
    assert one.job.attempt == 1
    one.fail("broken")
    assert one.job.attempt == 1


def test_what_ran_out_of_time_comes_back_as_often_as_it_has_attempts(app: Windlass, clock: ManualClock) -> None:
    """D2: then it is a dead letter; the errors are kept as a list."""
    job = claimed(app, lease="1m", attempts=3).job
    for _ in range(2):
        clock.advance("1m")
        assert [rescued.state for rescued in app.rescue()] == [State.PENDING]
        assert len(app.claim(lease="1m")) == 1
    clock.advance("1m")
    assert [rescued.state for rescued in app.rescue()] == [State.FAILED]
    job.refresh()
    assert (job.reason, job.attempt, len(job.errors)) == ("attempts", 3, 3)
    assert {error.message for error in job.errors} == {"visibility time ran out"}
    assert app.claim() == []


def test_a_release_refunds(app: Windlass) -> None:
    """D2: as often as one likes."""
    one = claimed(app, attempts=1)
    for _ in range(5):
        one.release()
        [one] = app.claim()
    one.fail("broken")
    assert (one.job.state, one.job.attempt) == (State.FAILED, 1)


def test_a_claim_promotes_what_is_due(app: Windlass, clock: ManualClock) -> None:
    """D6: with no worker anywhere."""
    job = app.tasks[0].options(delay="1m").enqueue("hello")
    assert app.claim() == []
    clock.advance("1m")
    assert [one.id for one in app.claim()] == [job.id]


def test_a_claim_rescues_what_expired(app: Windlass, clock: ManualClock) -> None:
    """D6: the same call hands it out again."""
    one = claimed(app, lease="1m")
    assert app.claim() == []
    clock.advance("1m")
    [again] = app.claim()
    assert (again.id, again.fence > one.fence) == (one.id, True)


def test_a_retry_comes_back_without_a_worker(app: Windlass, clock: ManualClock) -> None:
    """D6: when its delay is over."""
    claimed(app).fail("broken")
    assert app.claim() == []
    clock.advance("1s")
    assert len(app.claim()) == 1
