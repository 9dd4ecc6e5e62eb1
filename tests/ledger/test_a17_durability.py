"""A returned enqueue is safe; kill -9 and power loss are in tests/faults."""

from __future__ import annotations

from tests.ledger.apps import Apps
from windlass import State, Windlass


def test_an_enqueue_that_returned_is_in_the_store(app: Windlass, new_app: Apps) -> None:
    """A17: another process sees it at once, and it outlives the app."""

    @app.task(name="noop")
    def noop() -> None: ...

    jobs = [noop.enqueue(), *noop.enqueue_many([()] * 3)]
    assert [new_app().job(job.id).state for job in jobs] == [State.PENDING] * 4
    app.close(wait=False)
    assert new_app().counts()[State.PENDING] == 4
