"""Readiness follows the store, whichever way it goes."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from time import monotonic

import pytest

from tests.faults.names import NOTE
from tests.faults.process import Process, Processes
from tests.faults.proxy import Proxy
from tests.ledger.apps import PATIENCE, eventually
from tests.places.asking import asked
from tests.places.behind import Behind
from tests.store.places import ServerPlace
from windlass import Windlass

TOLD = 5.0
BACK = 10.0
"""Seconds after a loss, and after the store's return, within which it is told."""


@pytest.fixture
def remote(far: ServerPlace, tmp_path: Path) -> Iterator[Processes]:
    """Starts processes behind the proxy, with the patience that workers have by default."""
    with closing(Processes(far, tmp_path / "remote")) as started:
        yield started


def healthy(processes: Processes, **options: object) -> tuple[Process, str]:
    """A worker that is ready, and where to ask it."""
    worker = processes.start("healthy", json.dumps(options))
    address = worker.await_line("health")
    worker.await_line("ready")
    assert asked(address, "/readyz") == (200, "ok")
    return worker, address


@pytest.mark.only_on("postgres", "redis")
@pytest.mark.parametrize("lose", [Proxy.refuse, Proxy.swallow], ids=["refused", "swallowed"])
def test_a_worker_without_its_store_is_unready_but_not_dead(
    app: Windlass, proxy: Proxy, remote: Processes, lose: Callable[[Proxy], None]
) -> None:
    """B38: false within 5 s of the loss, true within 10 s of the return. A restart would not help, so it lives."""
    _, address = healthy(remote)
    lose(proxy)
    began = monotonic()
    eventually(lambda: asked(address, "/readyz")[0] == 503, "the loss is told")
    assert monotonic() - began < TOLD
    assert asked(address, "/healthz") == (200, "ok")
    proxy.restore()
    began = monotonic()
    eventually(lambda: asked(address, "/readyz")[0] == 200, "the return is told")
    assert monotonic() - began < BACK
    assert app.enqueue(NOTE, 7).result(timeout=PATIENCE) == 7


def test_a_worker_that_lost_its_lease_is_ready_again_with_a_new_one(
    app: Windlass, behind: Behind, processes: Processes
) -> None:
    """B38, W13: whoever deletes leases or workers finds them made anew."""
    _, address = healthy(processes, lease="2s")
    behind.forget_leases()
    behind.forget_workers()
    eventually(lambda: [worker.state for worker in app.workers()] == ["idle"], "it registers again")
    eventually(lambda: asked(address, "/readyz") == (200, "ok"), "it is ready again")
    assert app.enqueue(NOTE, 7).result(timeout=PATIENCE) == 7


def test_a_worker_that_drains_is_not_ready(app: Windlass, processes: Processes) -> None:
    """B38, B7: nobody should count on it any more; but it must not be killed as dead either."""
    worker, address = healthy(processes, grace="1h")
    job = app.enqueue("tests.faults.programs.tasks.hold")
    worker.await_line("began")
    worker.signal(signal.SIGTERM)
    eventually(lambda: asked(address, "/readyz") == (503, "draining"), "it says so")
    assert asked(address, "/healthz") == (200, "ok")
    processes.open_gate(job.id, 1)
    assert worker.exit_code() == 0
