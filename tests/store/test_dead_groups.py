"""dead_groups: failed jobs by what went wrong."""

from __future__ import annotations

from tests.manual_clock import START
from tests.store.builders import CANCELLED, SECOND, new_job, raised
from tests.store.stores import Store
from windlass.core.outcome import FailedPermanently
from windlass.store.operations import jobs, queries
from windlass.store.operations.queries import DeadGroup


def fail(store: Store, task: str, type: str, *, reason: str | None = None) -> None:
    outcome = raised(type) if reason is None else FailedPermanently(raised(type).fault, reason)
    store.finished(outcome, new_job(task=task, attempts=1))


def test_failed_jobs_are_grouped_the_largest_first(store: Store) -> None:
    """A11: dead letters by task, reason and error type."""
    fail(store, "b", "KeyError")
    store.advance(SECOND)
    fail(store, "b", "KeyError")
    fail(store, "a", "KeyError")
    fail(store, "a", "OSError")
    fail(store, "a", "OSError", reason="permanent")
    assert store.run(queries.dead_groups()) == [
        DeadGroup("b", "attempts", "KeyError", 2, START + SECOND),
        DeadGroup("a", "attempts", "KeyError", 1, START + SECOND),
        DeadGroup("a", "attempts", "OSError", 1, START + SECOND),
        DeadGroup("a", "permanent", "OSError", 1, START + SECOND),
    ]


def test_the_newest_error_decides_the_group(store: Store) -> None:
    job = store.claimed(new_job(attempts=2))
    store.end(job, raised("First", delay=0))
    store.run(jobs.promote())
    [job] = store.a_worker().take()
    store.end(job, raised("Last"))
    [group] = store.run(queries.dead_groups())
    assert group.error == "Last"


def test_only_failed_jobs_count(store: Store) -> None:
    store.finished(CANCELLED)
    store.finished(raised())
    store.finished()
    assert store.run(queries.dead_groups()) == []


def test_at_most_so_many_groups_come(store: Store) -> None:
    for task in "abc":
        fail(store, task, "KeyError")
    assert [group.task for group in store.run(queries.dead_groups(2))] == ["a", "b"]
