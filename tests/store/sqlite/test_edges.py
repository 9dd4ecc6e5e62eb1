"""Edges between jobs are settled by the calls that end jobs, so each of these calls has to do it."""

from __future__ import annotations

import re

import pytest

from tests.places.place import SqlitePlace
from tests.store.builders import new_job
from tests.store.flows import child_of, states
from tests.store.stores import open_store
from windlass.store.operations import jobs
from windlass.store.operations.limits.concurrency import unblock_all
from windlass.store.statement_files import load_calls

CALLS = load_calls("windlass.store.sqlite", prefix="windlass_")
ENDS_JOBS = re.compile(
    r"UPDATE windlass_job SET\s+state = (?:[^,]*\W)?(?:'completed'|'failed'|'cancelled'|ending\.state)", re.IGNORECASE
)
SETTLES_EDGES = "UPDATE windlass_edge SET state = 0"


def test_the_calls_that_end_jobs_are_known() -> None:
    assert {"cycle", "rescue", "cancel", "promote"} <= {name for name in CALLS if ends_jobs(name)}


@pytest.mark.parametrize("name", sorted(CALLS))
def test_a_call_that_ends_jobs_settles_their_edges(name: str) -> None:
    if ends_jobs(name):
        texts = [statement.text for statement in CALLS[name]]
        assert any(SETTLES_EDGES in text for text in texts), f"{name} leaves what waits for the jobs that it ends"
        assert any(statement.gives == "released" for statement in CALLS[name]), f"{name} has no `-- here settle_edges`"


def ends_jobs(name: str) -> bool:
    return any(ENDS_JOBS.search(statement.text) for statement in CALLS[name])


@pytest.mark.parametrize(("ended", "child"), [("completed", "p"), ("failed", "c")])
def test_what_an_earlier_release_has_ended_is_found(place: SqlitePlace, ended: str, child: str) -> None:
    """B36: a process that was started before calls settled edges says nothing of them."""
    with open_store(place) as store:
        store.enqueue(new_job("a"))
        child_of(store, "b", "a")
        place.execute(f"UPDATE windlass_job SET state = '{ended}', finished_at = 1 WHERE id = 'a'")
        store.run(jobs.promote())
        assert states(store, "b") == "b"
        store.run(unblock_all())
        store.run(jobs.promote())
        assert states(store, "b") == child
