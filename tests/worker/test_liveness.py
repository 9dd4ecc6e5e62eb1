"""Whether a worker lives and is ready, as its heartbeat tells."""

from __future__ import annotations

import logging
from threading import Event
from time import monotonic

import pytest

from tests.leeway import leeway
from tests.waiting import PATIENCE, eventually
from tests.worker.call_interceptor import CallInterceptor, Hold
from windlass import StoreUnavailable, Windlass
from windlass.store.operation import Call

pytestmark = pytest.mark.only_on("sqlite")  # about executors; the ledger has the same promises on every store


def test_a_worker_that_has_not_started_lives_but_is_not_ready(app: Windlass) -> None:
    """B38."""
    liveness = app.worker(["default"]).liveness
    assert (liveness.liveness_problem(), liveness.readiness_problem()) == (None, "starting")


def test_a_worker_that_runs_lives_and_is_ready(app: Windlass) -> None:
    """B38: and not any more when it has stopped."""
    with app.worker(["default"]) as worker:
        eventually(lambda: worker.liveness.readiness_problem() is None, "it is ready")
        assert worker.liveness.liveness_problem() is None
    assert worker.liveness.readiness_problem() == "draining"


def test_a_store_that_hangs_is_told_before_the_call_has_failed(app: Windlass, interceptor: CallInterceptor) -> None:
    """B38: false within 5 s of the loss, however long the call takes; the worker lives."""
    hanging = Hold(lambda call, answer: call.name == "control")
    with app.worker(["default"], lease="1h") as worker:
        eventually(lambda: worker.liveness.readiness_problem() is None, "it is ready")
        interceptor.before.append(hanging.before)
        hanging.await_reached()
        began = monotonic()
        eventually(lambda: worker.liveness.readiness_problem() is not None, "the loss is told")
        assert monotonic() - began < leeway(5)
        assert "has not answered" in str(worker.liveness.readiness_problem())
        assert worker.liveness.liveness_problem() is None
        hanging.release()
        eventually(lambda: worker.liveness.readiness_problem() is None, "the return is told")


def test_a_worker_without_a_lease_is_not_ready(app: Windlass, interceptor: CallInterceptor) -> None:
    """B38: until it has opened another."""
    is_lost, opens = Event(), Event()

    def refuse(call: Call) -> None:
        if is_lost.is_set() and not opens.is_set() and call.name in ("renew", "open_lease", "control"):
            raise StoreUnavailable("gone fishing")

    interceptor.before.append(refuse)
    with app.worker(["default"], lease="300ms", heartbeat_failures=1) as worker:
        eventually(lambda: worker.liveness.readiness_problem() is None, "it is ready")
        is_lost.set()
        eventually(lambda: worker.liveness.readiness_problem() == "it lost its lease", "the loss is told")
        opens.set()
        eventually(lambda: worker.liveness.readiness_problem() is None, "it is ready again")


def test_a_heart_that_stands_still_is_death(app: Windlass) -> None:
    """B38: after a minute; a probe then has the process replaced."""
    with app.worker(["default"]) as worker:
        pass
    assert worker.liveness.liveness_problem() is None
    worker._heartbeat.ticked -= 61
    assert "stood still for 61 s" in str(worker.liveness.liveness_problem())


def test_a_pump_that_stands_still_is_told(app: Windlass, interceptor: CallInterceptor) -> None:
    """B38: jobs are neither fetched nor ended then, however well the heartbeat goes."""
    hanging = Hold(lambda call, answer: call.name == "cycle")
    with app.worker(["default"], lease="1h") as worker:
        eventually(lambda: worker.liveness.readiness_problem() is None, "it is ready")
        interceptor.before.append(hanging.before)
        app.enqueue("unknown")  # an idle worker only looks
        hanging.await_reached()
        worker._pumping.ticked -= 20
        eventually(lambda: "the pump has stood still" in str(worker.liveness.readiness_problem()), "it is told")
        assert worker.liveness.liveness_problem() is None
        worker._pumping.ticked -= 60
        assert "the pump has stood still" in str(worker.liveness.liveness_problem())
        hanging.release()
        eventually(lambda: worker.liveness.readiness_problem() is None, "the next round is told")


def test_a_log_handler_that_hangs_holds_no_heartbeat_up(app: Windlass, interceptor: CallInterceptor) -> None:
    """B4: a handler is user code, and the lease of all jobs must not depend on it."""
    go_on, is_reached = Event(), Event()

    class Hanging(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            is_reached.set()
            go_on.wait()

    def refuse_once(call: Call) -> None:
        if call.name == "control" and not is_reached.is_set():
            raise StoreUnavailable("gone fishing")

    handler = Hanging()
    logging.getLogger("windlass.worker").addHandler(handler)
    try:
        with app.worker(["default"], heartbeat_failures=100) as worker:
            interceptor.before.append(refuse_once)
            assert is_reached.wait(PATIENCE)
            ticked = worker._heartbeat.ticked
            eventually(lambda: worker._heartbeat.ticked > ticked, "the heartbeat goes on")
            eventually(lambda: worker.liveness.readiness_problem() is None, "it is ready")
            go_on.set()
    finally:
        go_on.set()
        logging.getLogger("windlass.worker").removeHandler(handler)
