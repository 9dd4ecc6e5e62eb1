"""Jobs that somebody or something has damaged in the store, met by real workers: each harms nobody but itself."""

from __future__ import annotations

import pytest

from tests.faults.job_outcomes import notes
from tests.faults.process import Processes
from tests.places.raw_store import RawStore
from tests.waiting import PATIENCE, eventually
from windlass import State, Windlass

GARBAGE: dict[str, bytes] = {
    "empty": b"",
    "cut": b'{"v":1,"args":[1',
    "of another type": b"[1,2,3]",
    "nested": b"[" * 100_000,
}


@pytest.mark.varied_on("sqlite")
@pytest.mark.parametrize("column", ["payload", "meta", "errors"])
def test_a_job_that_cannot_be_read_fails_alone(
    app: Windlass, raw_store: RawStore, processes: Processes, column: str
) -> None:
    """P3: undecodable, its raw text kept, charged nothing, never retried; lists show it among the others."""
    sound = notes(app, 20)
    damaged = dict(zip(GARBAGE, notes(app, len(GARBAGE)), strict=True))
    for name, job in damaged.items():
        raw_store.damage(job, **{column: GARBAGE[name]})
    sound += notes(app, 20)
    processes.worker()
    for number, job in enumerate(sound):
        assert job.result(timeout=PATIENCE) == number % 20
    for name, job in damaged.items():
        eventually(lambda job=job: job.refresh().done, "it has failed")  # type: ignore[misc]
        assert (job.state, job.reason, job.attempt) == (State.FAILED, "undecodable", 0), name
        assert raw_store.text(job, column) == GARBAGE[name]
    assert len(app.jobs(limit=100)) == len(sound) + len(damaged)
