"""Rows that somebody or something has damaged: each harms its own job only."""

from __future__ import annotations

from typing import Any

import pytest

from tests.places.raw_store import RawStore
from tests.waiting import PATIENCE
from windlass import Job, JobFailed, PayloadError, Retry, State, Windlass
from windlass.task import Task

GARBAGE = {
    "empty": b"",
    "no json": b"{{{",
    "cut": b'{"v":1,"args":[1',
    "wrong type": b"[1,2,3]",
    "no utf-8": b'{"v":1,"args":["\xff\xfe"],"kwargs":{}}',
    "cut utf-8": b'{"\xe6\xbc',
    "surrogate": b'{"\xed\xa0\x80":1}',
    "nul": b'{"v":1,\x00}',
    "deep": b"[" * 100_000,
}


NO_TEXT = {"no utf-8", "cut utf-8", "surrogate", "nul"}
"""What a PostgreSQL server never lets in."""


@pytest.fixture(
    params=[
        pytest.param(name, marks=pytest.mark.only_on("sqlite", "redis") if name in NO_TEXT else ()) for name in GARBAGE
    ],
    ids=str,
)
def garbage(request: pytest.FixtureRequest) -> bytes:
    return GARBAGE[request.param]


def a_task(app: Windlass) -> Task[..., int]:
    @app.task(name="echo")
    def echo(number: int) -> int:
        return number

    return echo


def lists_work(app: Windlass, job: Job[Any]) -> None:
    """Everything that shows jobs shows this one too."""
    assert job in app.jobs()
    assert job in app.jobs(state=app.job(job.id).state)
    assert app.jobs(text="no such text") == []
    assert app.job(job.id) == job
    assert job.timeline()
    assert job.why()
    assert app.dead_groups() is not None


@pytest.mark.parametrize("column", ["payload", "meta", "errors"])
def test_a_job_that_cannot_be_read_fails_and_its_text_is_kept(
    app: Windlass, raw_store: RawStore, column: str, garbage: bytes
) -> None:
    """B32: failed(undecodable), raw text kept, no retry, no attempt charged; the others go on."""
    first, broken, last = a_task(app).enqueue_many([(1,), (2,), (3,)])
    raw_store.damage(broken, **{column: garbage})
    lists_work(app, broken)
    assert len(app.queue("default").peek()) == 3
    app.worker(concurrency=1).run_until_empty()
    assert (broken.refresh().state, broken.reason, broken.attempt) == (State.FAILED, "undecodable", 0)
    assert raw_store.text(broken, column) == garbage
    assert (first.result(timeout=PATIENCE), last.result(timeout=PATIENCE)) == (1, 3)
    with pytest.raises(JobFailed, match="undecodable"):
        broken.result(timeout=PATIENCE)
    lists_work(app, broken)


def test_a_result_that_cannot_be_read_is_an_error_for_whoever_asks(
    app: Windlass, raw_store: RawStore, garbage: bytes
) -> None:
    """B32: the job has completed; its text is kept, and others who wait get their results."""
    broken, other = a_task(app).enqueue_many([(1,), (2,)])
    app.worker().run_until_empty()
    raw_store.damage(broken, result=garbage)
    if garbage != GARBAGE["wrong type"]:
        with pytest.raises(PayloadError):
            broken.result(timeout=PATIENCE)
    assert other.result(timeout=PATIENCE) == 2
    assert raw_store.text(broken, "result") == garbage
    lists_work(app, broken)


@pytest.mark.parametrize("column", ["retry", "progress"])
def test_what_is_not_needed_to_run_a_job_does_not_fail_it(
    app: Windlass, raw_store: RawStore, column: str, garbage: bytes
) -> None:
    broken, other = a_task(app).enqueue_many([(1,), (2,)])
    raw_store.damage(broken, **{column: garbage})
    lists_work(app, broken)
    app.worker().run_until_empty()
    assert (broken.result(timeout=PATIENCE), other.result(timeout=PATIENCE)) == (1, 2)


def test_a_history_that_breaks_while_the_job_runs_is_kept(app: Windlass, raw_store: RawStore, garbage: bytes) -> None:
    """B32: the raw text of the errors is not overwritten by the next one."""

    @app.task(retry=Retry(attempts=1))
    def spoil() -> None:
        raw_store.damage(job, errors=garbage)
        raise ValueError("no")

    job = spoil.enqueue()
    app.worker().run_until_empty()
    assert (job.refresh().state, job.reason) == (State.FAILED, "attempts")
    lists_work(app, job)


def test_a_job_of_a_dead_worker_whose_history_is_broken_is_rescued(
    app: Windlass, raw_store: RawStore, garbage: bytes
) -> None:
    """B32, A9: rescue gets past it, and past the others."""
    jobs = a_task(app).enqueue_many([(1,), (2,)])
    app.claim(2)
    raw_store.forget_leases()
    raw_store.damage(jobs[0], errors=garbage)
    assert len(app.rescue()) == 2
    assert [job.refresh().state for job in jobs] == [State.PENDING, State.PENDING]
