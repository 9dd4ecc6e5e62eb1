"""Counting jobs by state."""

from __future__ import annotations

import pytest

from tests.ledger.apps import work
from windlass import PermanentError, State, Windlass


@pytest.fixture(autouse=True)
def _jobs(app: Windlass) -> None:
    """In queue mail: one completed, one failed, one retrying; beside them two pending, one scheduled, one cancelled."""

    @app.task(name="noop")
    def noop(error: str = "") -> None:
        if error == "permanent":
            raise PermanentError
        if error:
            raise OSError

    mail = noop.options(queue="mail")
    mail.enqueue_many([("",), ("permanent",), ("temporary",)])
    work(app, queues=["mail"])
    noop.enqueue_many([(), (), ()])[0].cancel()
    noop.options(delay="1h").enqueue()


def test_every_state_is_counted(app: Windlass) -> None:
    """A5: over all queues, with every state present."""
    counts = app.counts()
    assert set(counts) == set(State)
    assert {state: count for state, count in counts.items() if count} == {
        State.COMPLETED: 1,
        State.FAILED: 1,
        State.RETRYING: 1,
        State.PENDING: 2,
        State.SCHEDULED: 1,
        State.CANCELLED: 1,
    }


def test_one_queue_is_counted(app: Windlass) -> None:
    """A5: only its own jobs, with every state present; plain text works as a key."""
    counts = app.counts(queue="mail")
    assert set(counts) == set(State)
    assert (counts["completed"], counts["failed"], counts["retrying"]) == (1, 1, 1)
    assert sum(counts.values()) == 3


def test_a_queue_that_nobody_knows_counts_nothing(app: Windlass) -> None:
    """A5: every state is present there too."""
    assert app.counts(queue="nowhere") == dict.fromkeys(State, 0)


@pytest.mark.asyncio
async def test_async_code_counts_too(app: Windlass) -> None:
    """A5: the same numbers."""
    assert await app.acounts() == app.counts()
    assert await app.acounts(queue="mail") == app.counts(queue="mail")
