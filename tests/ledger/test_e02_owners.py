"""Only the owner may end a run."""

from __future__ import annotations

import pytest

from tests.ledger.apps import gate, until_interrupted
from tests.places.raw_store import RawStore
from tests.waiting import PATIENCE, eventually
from windlass import State, Windlass, current_job


def test_finishing_needs_the_running_state(app: Windlass) -> None:
    """E2: with the right id and fence, but after the end, nothing is written."""
    app.enqueue_many([app.request("anything")])
    [claimed] = app.claim(queues=["default"])
    claimed.complete("first")
    before = claimed.job.record
    with pytest.raises(Exception, match="completed already"):
        app.lease(claimed.id, claimed.fence).complete("second")
    assert claimed.job.record == before


def test_a_worker_that_lost_one_job_learns_which(app: Windlass, raw_store: RawStore) -> None:
    """E2: within one heartbeat; that run is told to stop and its ending dropped, the others go on."""
    with gate() as lost, gate() as kept:
        told: list[str] = []

        @app.task
        def loses() -> str:
            job = current_job()
            lost.entered.set()
            until_interrupted()
            told.extend(["told"] if job.cancelled else [])
            return "zombie"

        @app.task
        def keeps() -> str:
            kept.wait()
            return "done"

        losing, keeping = loses.enqueue(), keeps.enqueue()
        with app.worker(lease="5s", heartbeat="20ms", duties=False) as worker:
            lost.await_entered()
            kept.await_entered()
            raw_store.take_away(losing)
            eventually(lambda: worker.status().refused == 1, "its ending is refused")
            kept.open()
            assert keeping.result(timeout=PATIENCE) == "done"
        assert told == ["told"]
        losing.refresh()
        assert (losing.state, losing.record.result) == (State.RUNNING, None)
        assert "refused" in [entry.kind for entry in losing.timeline()]
