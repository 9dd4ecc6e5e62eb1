"""Whether a worker lives and is ready, as its heartbeat tells."""

from __future__ import annotations

from threading import Event
from time import monotonic

import pytest

from tests.ledger.apps import eventually
from tests.worker.tap import Hold, Tap
from windlass import StoreUnavailable, Windlass
from windlass.store.operation import Call

pytestmark = pytest.mark.only_on("sqlite")  # about executors; the ledger has the same promises on every store


def test_a_worker_that_has_not_started_lives_but_is_not_ready(app: Windlass) -> None:
    """B38."""
    vitals = app.worker(["default"]).vitals
    assert (vitals.death(), vitals.unreadiness()) == (None, "starting")


def test_a_worker_that_runs_lives_and_is_ready(app: Windlass) -> None:
    """B38: and not any more when it has stopped."""
    with app.worker(["default"]) as worker:
        eventually(lambda: worker.vitals.unreadiness() is None, "it is ready")
        assert worker.vitals.death() is None
    assert worker.vitals.unreadiness() == "draining"


def test_a_store_that_hangs_is_told_before_the_call_has_failed(app: Windlass, tap: Tap) -> None:
    """B38: false within 5 s of the loss, however long the call takes; the worker lives."""
    hanging = Hold(lambda call, answer: call.name == "control")
    with app.worker(["default"], lease="1h") as worker:
        eventually(lambda: worker.vitals.unreadiness() is None, "it is ready")
        tap.before.append(hanging.before)
        hanging.await_reached()
        began = monotonic()
        eventually(lambda: worker.vitals.unreadiness() is not None, "the loss is told")
        assert monotonic() - began < 5
        assert "has not answered" in str(worker.vitals.unreadiness())
        assert worker.vitals.death() is None
        hanging.release()
        eventually(lambda: worker.vitals.unreadiness() is None, "the return is told")


def test_a_worker_without_a_lease_is_not_ready(app: Windlass, tap: Tap) -> None:
    """B38: until it has opened another."""
    is_lost, opens = Event(), Event()

    def refuse(call: Call) -> None:
        if is_lost.is_set() and not opens.is_set() and call.name in ("renew", "open", "control"):
            raise StoreUnavailable("gone fishing")

    tap.before.append(refuse)
    with app.worker(["default"], lease="300ms", heartbeat_failures=1) as worker:
        eventually(lambda: worker.vitals.unreadiness() is None, "it is ready")
        is_lost.set()
        eventually(lambda: worker.vitals.unreadiness() == "it lost its lease", "the loss is told")
        opens.set()
        eventually(lambda: worker.vitals.unreadiness() is None, "it is ready again")


def test_a_heart_that_stands_still_is_death(app: Windlass) -> None:
    """B38: after a minute; a probe then has the process replaced."""
    with app.worker(["default"]) as worker:
        pass
    assert worker.vitals.death() is None
    worker._heartbeat.ticked -= 61
    assert "stood still for 61 s" in str(worker.vitals.death())
