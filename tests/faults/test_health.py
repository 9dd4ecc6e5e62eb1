"""The health of a worker that lost its lease; the rest is in tests/ledger/test_b38_health.py."""

from __future__ import annotations

from tests.faults.names import NOTE
from tests.faults.process import Processes
from tests.places.health_probe import asked
from tests.places.raw_store import RawStore
from tests.waiting import PATIENCE, eventually
from windlass import Windlass


def test_a_worker_that_lost_its_lease_is_ready_again_with_a_new_one(
    app: Windlass, raw_store: RawStore, processes: Processes
) -> None:
    """B38, W13: whoever deletes leases or workers finds them made anew."""
    worker = processes.start("healthy", '{"lease": "2s"}')
    address = worker.await_line("health")
    worker.await_line("ready")
    assert asked(address, "/readyz") == (200, "ok")
    raw_store.forget_leases()
    raw_store.forget_workers()
    eventually(lambda: [view.state for view in app.workers()] == ["idle"], "it registers again")
    eventually(lambda: asked(address, "/readyz") == (200, "ok"), "it is ready again")
    assert app.enqueue(NOTE, 7).result(timeout=PATIENCE) == 7
