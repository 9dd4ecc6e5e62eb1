"""Who does the upkeep; the command line is in tests/cli."""

from __future__ import annotations

from tests.ledger.apps import LONG_LEASE, work
from tests.waiting import PATIENCE, eventually
from windlass import State, Windlass
from windlass.testing import ManualClock


def test_duties_can_be_switched_off(app: Windlass, clock: ManualClock) -> None:
    """B30: such a worker runs what is ready, and leaves promoting and rescuing to others."""

    @app.task
    def noop() -> int:
        return 1

    delayed, claimed = noop.options(delay="1m").enqueue(), noop.enqueue()
    app.claim(lease="1m")
    clock.advance("2m")
    with app.worker(duties=False, lease=LONG_LEASE):
        assert noop.enqueue().result(timeout=PATIENCE) == 1
        assert (delayed.refresh().state, claimed.refresh().state) == (State.SCHEDULED, State.RUNNING)
        app.promote()
        app.rescue()
        assert (delayed.result(timeout=PATIENCE), claimed.result(timeout=PATIENCE)) == (1, 1)


def test_a_worker_does_them_for_queues_it_does_not_serve(app: Windlass, clock: ManualClock) -> None:
    """B30: upkeep is for all, so that any one worker keeps the store moving."""

    @app.task
    def noop() -> None: ...

    delayed, claimed = noop.options(delay="1m").enqueue(), noop.enqueue()
    app.claim(lease="1m")
    clock.advance("2m")
    with app.worker(queues=["elsewhere"], lease=LONG_LEASE):
        eventually(lambda: delayed.refresh().state == claimed.refresh().state == "pending", "both are ready again")


def test_any_number_may_do_them_at_once(app: Windlass, clock: ManualClock) -> None:
    """B30: a job is promoted once, and runs once."""
    runs: list[int] = []

    @app.task
    def note() -> None:
        runs.append(1)

    note.options(delay="1m").enqueue_many([()] * 50)
    clock.advance("1m")
    with app.worker(lease=LONG_LEASE), app.worker(lease=LONG_LEASE), app.worker(lease=LONG_LEASE):
        app.promote()
        eventually(lambda: len(runs) >= 50, "all have run")
    work(app)
    assert len(runs) == 50
