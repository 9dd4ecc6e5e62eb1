"""Jobs that have to start in time."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.ledger.apps import LONG_LEASE, gate, work
from tests.waiting import PATIENCE, eventually
from windlass import ConfigError, IllegalTransition, JobCancelled, Retry, State, Unique, Windlass
from windlass.testing import ManualClock, drain, inline, manual

pytestmark = pytest.mark.varied_on("sqlite")


@pytest.fixture(autouse=True)
def _tasks(app: Windlass) -> None:
    @app.task(name="code", expires="5m")
    def code() -> int:
        return 1


def is_expired(app: Windlass, id: str) -> bool:
    job = app.job(id)
    return (job.state, job.reason) == (State.CANCELLED, "expired")


@pytest.mark.parametrize("expires", ["5m", 300, timedelta(minutes=5)])
def test_a_job_that_has_not_started_in_time_is_cancelled(app: Windlass, clock: ManualClock, expires: Any) -> None:
    """A11: cancelled(expired); whoever waits for it learns that."""
    job = app.tasks[0].options(expires=expires).enqueue()
    assert job.expires_at == clock.now() + timedelta(minutes=5)
    clock.advance("299s")
    app.promote()
    assert job.refresh().state is State.PENDING
    clock.advance("1s")
    assert work(app) == 0
    assert is_expired(app, job.id)
    with pytest.raises(JobCancelled, match="expired"):
        job.result(timeout=PATIENCE)
    assert job.timeline()[-1].detail == {"reason": "expired"}
    assert "expired" in job.why()
    assert [found.id for found in app.jobs(state="cancelled", reason="expired")] == [job.id]


def test_one_that_starts_in_time_runs(app: Windlass, clock: ManualClock) -> None:
    """A11: at the last moment."""
    job = app.enqueue("code")
    clock.advance("299s")
    assert work(app) == 1
    assert job.result() == 1


def test_the_time_of_a_delayed_job_begins_when_it_is_due(app: Windlass, clock: ManualClock) -> None:
    """A11: not while it need not start yet."""
    job = app.tasks[0].options(delay="1h").enqueue()
    clock.advance("64m")
    app.promote()
    assert job.refresh().state is State.PENDING
    clock.advance("1m")
    app.promote()
    assert is_expired(app, job.id)


def test_a_job_may_say_that_it_does_not_expire(app: Windlass, clock: ManualClock) -> None:
    """A11: None in place of what the task says."""
    job = app.tasks[0].options(expires=None).enqueue()
    clock.advance("1h")
    assert work(app) == 1
    assert job.result() == 1


def test_a_retry_need_not_be_in_time(app: Windlass, clock: ManualClock) -> None:
    """A11: only the first start counts."""
    outcomes = iter((OSError("broken"), None))

    @app.task(expires="1m", retry=Retry(base=300, jitter=0))
    def flaky() -> int:
        if error := next(outcomes):
            raise error
        return 2

    job = flaky.enqueue()
    work(app)
    clock.advance("5m")
    work(app)
    assert job.result() == 2


def test_an_expired_job_can_be_retried_by_hand(app: Windlass, clock: ManualClock) -> None:
    """A11: it gets its time anew."""
    job = app.enqueue("code")
    clock.advance("5m")
    app.promote()
    job.retry()
    assert (job.state, job.reason, job.expires_at) == (State.PENDING, None, clock.now() + timedelta(minutes=5))
    assert work(app) == 1
    assert job.result() == 1


def test_its_unique_key_is_free_again(app: Windlass, clock: ManualClock) -> None:
    """A11, B17: the next request is no duplicate."""
    once = app.tasks[0].options(unique=Unique())
    first = once.enqueue()
    assert once.enqueue().duplicate
    clock.advance("5m")
    app.promote()
    assert not once.enqueue().duplicate
    with pytest.raises(IllegalTransition, match="key"):
        first.retry()


def test_a_manual_claim_does_not_hand_it_out(app: Windlass, clock: ManualClock) -> None:
    """A11, D6: a claim promotes, and so ends what is too late."""
    job = app.enqueue("code")
    clock.advance("5m")
    assert app.claim() == []
    assert is_expired(app, job.id)


def test_a_worker_does_not_start_what_expires_in_its_hands(app: Windlass, clock: ManualClock) -> None:
    """A11: claimed in time, with a slot too late. No duties, so that only the worker itself can end it."""
    ran: list[int] = []

    @app.task(expires="50ms")
    def second() -> None:
        ran.append(1)

    with gate() as busy:

        @app.task
        def first() -> None:
            busy.wait()

        first.enqueue()
        job = second.enqueue()
        with app.worker(concurrency=1, duties=False, lease=LONG_LEASE):
            busy.await_entered()
            clock.advance("1s")
            busy.open()
            eventually(lambda: is_expired(app, job.id), "it is ended")
    assert ran == []
    assert job.refresh().attempt == 0


def test_it_is_told_how_much_time_is_left(app: Windlass, clock: ManualClock) -> None:
    """A11: why, and the timeline."""
    job = app.enqueue("code")
    clock.advance("2m")
    assert job.why().endswith("; it expires in 0:03:00 unless it starts")
    assert [(entry.kind, entry.at) for entry in job.timeline()][-1] == ("expires", job.expires_at)
    clock.advance("1h")
    assert job.why().endswith("; it has expired, and the next promotion cancels it")


def test_a_worker_with_duties_ends_what_no_worker_serves(app: Windlass, clock: ManualClock) -> None:
    """A11, B30: promotion looks at all queues."""
    job = app.tasks[0].options(queue="elsewhere").enqueue()
    clock.advance("5m")
    with app.worker(queues=["default"], lease=LONG_LEASE), pytest.raises(JobCancelled):
        job.result(timeout=PATIENCE)
    assert is_expired(app, job.id)


@pytest.mark.parametrize("expires", [0, -1, "soon", "0s", True, [1]])
def test_nonsense_is_refused_where_it_is_said(app: Windlass, expires: Any) -> None:
    """A11: on tasks and options, with nothing stored."""
    with pytest.raises(ConfigError, match="expires"):
        app.tasks[0].options(expires=expires)
    with pytest.raises(ConfigError, match="expires"):
        app.task(name="other", expires=expires)(lambda: None)
    assert sum(app.counts().values()) == 0


def test_the_modes_for_tests_know_it(app: Windlass) -> None:
    """A11: by the clock of the block."""
    clock = ManualClock()
    with manual(app, clock=clock) as jobs:
        app.enqueue("code")
        clock.advance("5m")
        assert drain(app) == 0
        assert jobs[0].reason == "expired"
    with inline(app) as jobs:
        assert app.enqueue("code").result() == 1
