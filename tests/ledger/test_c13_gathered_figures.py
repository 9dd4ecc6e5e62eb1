"""Figures are gathered off the hot path: nothing is lost by a clean stop, counted twice, or sent when idle."""

from __future__ import annotations

import pytest

from tests.ledger.apps import Apps, work
from tests.waiting import eventually
from tests.worker.call_interceptor import intercept
from windlass import OutcomeUnknown, StoreUnavailable, Windlass
from windlass.store.operation import Call

pytestmark = pytest.mark.only_on("sqlite")


@pytest.fixture(autouse=True)
def _tasks(app: Windlass) -> None:
    @app.task(name="noop")
    def noop() -> None: ...


def completed(app: Windlass) -> int:
    return app.figures(range="10m").total.completed


def test_a_clean_stop_loses_nothing(app: Windlass) -> None:
    """C13."""
    for number in (1, 2, 3):
        app.tasks[0].enqueue_many([()] * 40)
        work(app)
        assert completed(app) == 40 * number
    app.roll_up()
    assert completed(app) == 120


def test_no_cycle_carries_figures_and_an_idle_worker_sends_none(app: Windlass) -> None:
    """C13: what was gathered goes by a call of its own, one for many runs."""
    calls = intercept(app).calls
    app.tasks[0].enqueue_many([()] * 100)
    work(app)
    assert 1 <= calls["append_figures"] <= 2
    calls.clear()
    work(app)
    assert calls["append_figures"] == 0


@pytest.mark.parametrize("error", [StoreUnavailable, OutcomeUnknown])
def test_a_row_that_got_no_reply_is_sent_again_and_counted_once(app: Windlass, error: type[StoreUnavailable]) -> None:
    """C13."""
    failures = iter([True, True])
    interceptor = intercept(app)

    def fail(call: Call) -> None:
        if call.name == "append_figures" and next(failures, False):
            raise error("no reply")

    if error is OutcomeUnknown:
        interceptor.after.append(lambda call, _: fail(call))
    else:
        interceptor.before.append(fail)
    app.tasks[0].enqueue_many([()] * 10)
    with app.worker():
        eventually(lambda: completed(app) == 10, "it was sent again")
    assert completed(app) == 10


def test_two_roll_ups_at_once_count_nothing_twice(app: Windlass, new_app: Apps) -> None:
    """C13: as with two processes that both believe to lead."""
    other = new_app()
    app.tasks[0].enqueue_many([()] * 10)
    work(app)
    struck = iter([True])
    interceptor = intercept(app)

    def strike(call: Call) -> None:
        if call.name == "merge_figures" and next(struck, False):
            other.roll_up()

    interceptor.before.append(strike)
    app.roll_up()
    assert completed(app) == 10
