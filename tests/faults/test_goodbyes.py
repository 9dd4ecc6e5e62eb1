"""Workers that leave while their store comes back: nobody takes them for lost, or has to wait for their lease."""

from __future__ import annotations

import pytest

from tests.faults.proxy import Proxy
from tests.ledger.apps import Apps
from tests.waiting import eventually
from windlass import StoreUnavailable, Windlass

pytestmark = pytest.mark.only_on("postgres", "redis")


def counts_as_down(app: Windlass) -> bool:
    """Whether calls fail without a try: one of them tries for all, about once a second."""
    try:
        app.counts()
    except StoreUnavailable as error:
        return "out of reach" in str(error)
    return False


def test_a_worker_says_goodbye_to_a_store_that_is_just_back(
    app: Windlass, far_app: Apps, proxy: Proxy, caplog: pytest.LogCaptureFixture
) -> None:
    """B7, B26: the store still counts as down when the worker is told to stop."""
    theirs = far_app()
    worker = theirs.worker(["default"])
    worker.start()
    worker.pause()  # its claims would find out first that the store is back, and a worker that drains waits for them
    proxy.turn_away()
    eventually(lambda: "heartbeat failed" in caplog.text, "no heartbeat is under way that would reach the store")
    eventually(lambda: counts_as_down(theirs), "the deadline of a call has passed in vain")
    proxy.restore()
    worker.stop()
    assert app.workers() == []
