"""dead_groups: failed jobs by what went wrong."""

from __future__ import annotations

import msgspec
import pytest

from tests.manual_clock import START
from tests.store.builders import CANCELLED, HOUR, SECOND, ending, ids, new_job, raised
from tests.store.stores import Store
from windlass.core.fault import fingerprint
from windlass.core.outcome import FailedPermanently, Raised
from windlass.core.state import State
from windlass.store.operations import jobs, queries
from windlass.store.operations.cycle import finish
from windlass.store.operations.diagnostics import failures
from windlass.store.operations.diagnostics.failures import DeadGroup, dead_groups
from windlass.store.operations.queries import Filter


def said(message: str) -> Raised:
    return Raised(msgspec.structs.replace(raised().fault, message=message))


def fail(store: Store, task: str, type: str, *, reason: str | None = None) -> None:
    outcome = raised(type) if reason is None else FailedPermanently(raised(type).fault, reason)
    store.finished(outcome, new_job(task=task, attempts=1))


def fail_as_before(store: Store, **job: str) -> str:
    """As an earlier release, which kept no cause."""
    claimed = store.claimed(new_job(attempts=1, **job))  # type: ignore[arg-type]
    store.run(finish([msgspec.structs.replace(ending(claimed, raised()), cause=None)], worker="w"))
    return claimed.id


def groups(store: Store) -> list[DeadGroup]:
    return store.run(dead_groups()).groups


def counted(store: Store) -> list[tuple[str, str | None, str | None, int]]:
    return [(group.task, group.reason, group.cause, group.count) for group in groups(store)]


def test_failed_jobs_are_grouped_the_largest_first(store: Store) -> None:
    """A11, F7: dead letters by task, reason and cause."""
    fail(store, "b", "KeyError")
    store.advance(SECOND)
    fail(store, "b", "KeyError")
    fail(store, "a", "KeyError")
    fail(store, "a", "OSError", reason="permanent")
    key, os = fingerprint(raised("KeyError").fault), fingerprint(raised("OSError").fault)
    assert counted(store) == [("b", "attempts", key, 2), ("a", "attempts", key, 1), ("a", "permanent", os, 1)]
    largest = groups(store)[0]
    assert (largest.oldest, largest.newest) == (START, START + SECOND)
    assert store.job(largest.sample).finished_at == START + SECOND


def test_what_differs_from_job_to_job_makes_no_group(store: Store) -> None:
    """F7: numbers, ids and quoted parts of the message do not count."""
    for message in ("no user 17", "no user 18", "no group 17"):
        store.finished(said(message), new_job(attempts=1))
    assert [group.count for group in groups(store)] == [2, 1]


def test_the_last_error_decides_the_group(store: Store) -> None:
    job = store.claimed(new_job(attempts=2))
    store.end(job, raised("First", delay=0))
    store.run(jobs.promote())
    [job] = store.a_worker().take()
    store.end(job, raised("Last"))
    [group] = groups(store)
    assert group.cause == fingerprint(raised("Last").fault) == store.job(job.id).cause


def test_a_job_that_rescue_fails_has_a_cause(store: Store) -> None:
    worker = store.a_worker()
    store.enqueue(new_job("a", attempts=1))
    worker.mark(*worker.take())
    store.advance(HOUR)
    store.rescue()
    [group] = groups(store)
    assert (group.sample, group.cause is None) == ("a", False)


def test_jobs_that_an_earlier_release_has_failed_are_grouped_by_type(store: Store) -> None:
    fail_as_before(store)
    fail_as_before(store)
    fail(store, "greet", "ValueError")
    assert [(group.error, group.cause is None, group.count) for group in groups(store)] == [
        ("ValueError", True, 2),
        (None, False, 1),
    ]


def test_recent_failures_are_counted_apart(store: Store) -> None:
    fail(store, "a", "OSError")
    store.advance(HOUR)
    fail(store, "a", "OSError")
    [group] = groups(store)
    assert (group.count, group.recent) == (2, 1)
    assert group.hours == (*[0] * 22, 1, 1)
    store.advance(23 * HOUR)
    assert groups(store)[0].hours == (1, *[0] * 23)


def test_one_cause_is_told_apart_by_queue_or_worker(store: Store) -> None:
    """B20: the dashboard groups failed jobs by what failed, and by where."""
    for queue, worker in (("mail", "one"), ("mail", "two"), ("media", "two")):
        claimed = store.claimed(new_job(queue=queue, attempts=1))
        store.run(finish([ending(claimed, raised())], worker=worker))
    [whole] = groups(store)
    assert (whole.count, whole.part) == (3, None)
    by_queue = [(group.part, group.count) for group in store.run(dead_groups(by="queue")).groups]
    assert by_queue == [("mail", 2), ("media", 1)]
    workers = {job.worker for job in store.run(queries.page(Filter(), limit=9)).jobs}
    assert {group.part for group in store.run(dead_groups(by="worker")).groups} == workers


def test_only_failed_jobs_count(store: Store) -> None:
    store.finished(CANCELLED)
    store.finished(raised())
    store.finished()
    assert groups(store) == []


def test_a_retried_job_is_in_no_group(store: Store) -> None:
    job = store.finished(raised(), new_job(attempts=1))
    store.run(jobs.retry([job.seq], by="me"))
    assert groups(store) == []
    assert store.job(job.id).cause is None


def test_the_look_goes_on_in_windows_and_says_how_far(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """F7: a million failed jobs are not walked through at once."""
    monkeypatch.setattr(failures, "WINDOW", 2)
    for _ in range(5):
        fail(store, "a", "OSError")
    whole, part = store.run(dead_groups()), store.run(dead_groups(most=4))
    assert (whole.groups[0].count, whole.examined, whole.is_whole) == (5, 5, True)
    assert (part.groups[0].count, part.examined, part.is_whole) == (4, 4, False)
    assert whole.groups[0].sample == part.groups[0].sample


def test_the_samples_come_with_their_errors(store: Store) -> None:
    fail(store, "a", "OSError")
    [group] = groups(store)
    found = store.run(failures.samples([group]))
    assert '"OSError"' in (found[group.sample].errors or "")
    store.run(jobs.retry([store.job(group.sample).seq], by="me"))
    assert store.run(failures.samples([group])) == {}


def test_jobs_are_found_by_their_cause(store: Store) -> None:
    one = store.finished(said("no user 17"), new_job(attempts=1))
    store.finished(said("no group"), new_job(attempts=1))
    fail_as_before(store)
    wanted = Filter(states=(State.FAILED,), cause=fingerprint(said("no user 4711").fault))
    assert ids(store.run(queries.page(wanted, limit=9)).jobs) == [one.id]


def test_many_are_retried_at_a_rate(store: Store) -> None:
    """F7: they are scheduled that far apart, so no process has to stay up for it."""
    failed = [store.finished(raised(), new_job(attempts=1)) for _ in range(5)]
    store.advance(SECOND)
    filter = Filter(states=(State.FAILED,))
    assert store.run(jobs.retry_all(filter, to_queue=None, by="me", gap=250.0)) == 5
    found = [store.job(job.id) for job in reversed(failed)]
    assert [job.run_at - store.clock() for job in found] == [0, 250, 500, 750, 1000]
    assert [job.state for job in found] == [State.PENDING, *[State.SCHEDULED] * 4]
    store.advance(500)
    store.run(jobs.promote())
    assert ids(store.a_worker().take()) == [job.id for job in found[:3]]


def test_a_rate_may_be_faster_than_the_clock(store: Store) -> None:
    failed = [store.finished(raised(), new_job(attempts=1)) for _ in range(4)]
    store.run(jobs.retry([job.seq for job in failed], by="me", delay=10, gap=0.5))
    assert [store.job(job.id).run_at - store.clock() for job in failed] == [10, 10, 11, 11]


def test_one_that_never_started_gets_its_time_from_when_it_is_to_run(store: Store) -> None:
    store.enqueue(new_job("a", expires=HOUR))
    job = store.job("a")
    store.run(jobs.cancel([job.seq], by="me"))
    store.run(jobs.retry([job.seq], by="me", delay=SECOND))
    assert store.job("a").start_by == store.clock() + SECOND + HOUR
