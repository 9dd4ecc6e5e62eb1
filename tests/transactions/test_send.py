"""An event is sent when the caller's transaction commits, and not before."""

from __future__ import annotations

import pytest

from tests.ledger.apps import work
from tests.transactions.callers.caller import Caller
from tests.transactions.shop import Scene
from windlass import ActiveJob, State, this_job


@pytest.mark.parametrize("kind_name", ["sqlite3", "psycopg"])
def test_an_event_is_part_of_the_transaction(scene: Scene, caller: Caller) -> None:
    """F4: rolled back it was never sent; committed it wakes the job; a worker waits for neither."""
    app = scene.app

    @app.task(name="ask")
    def ask(*, job: ActiveJob = this_job) -> object:
        return job.wait_for("approved")

    job = ask.enqueue()
    work(app)
    with app.transaction(caller.connection):
        app.send("approved", "no")
    caller.rollback()
    assert app.promote() == 0
    with app.transaction(caller.connection):
        app.send("approved", "yes")
        assert job.refresh().state is State.SCHEDULED
    caller.commit()
    assert app.promote() == 1
    work(app)
    assert job.result(timeout=0) == "yes"


@pytest.mark.parametrize("kind_name", ["psycopg"])
def test_a_wait_beside_an_open_transaction_that_sends_misses_nothing(scene: Scene, caller: Caller) -> None:
    """F4: the wait begins before the commit, and all is told that can be told; then the commit comes."""
    app = scene.app

    @app.task(name="ask")
    def ask(*, job: ActiveJob = this_job) -> object:
        return job.wait_for("approved")

    with app.transaction(caller.connection):
        app.send("approved", "yes")
    job = ask.enqueue()
    work(app)
    assert app.promote() == 0
    assert job.refresh().state is State.SCHEDULED
    caller.commit()
    assert app.promote() == 1
    work(app)
    assert job.result(timeout=0) == "yes"
