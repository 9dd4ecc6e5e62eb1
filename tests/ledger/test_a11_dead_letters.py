"""Jobs that ended for good: kept, found, run again, removed."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from tests.ledger.apps import work
from tests.places.raw_store import RawStore
from windlass import IllegalTransition, Job, JobNotFound, PermanentError, Retry, State, Windlass
from windlass.testing import ManualClock

AT_ONCE = Retry(attempts=25, base=0, floor=0, jitter=0)


@pytest.fixture(autouse=True)
def _tasks(app: Windlass) -> None:
    @app.task(name="fail")
    def fail(text: str = "broken") -> None:
        raise OSError(text)

    @app.task(name="refuse")
    def refuse() -> None:
        raise PermanentError("no such user")

    @app.task(name="noop")
    def noop() -> None: ...


def dead(app: Windlass, *args: Any, queue: str = "default") -> Job[Any]:
    """A dead letter."""
    [job] = app.enqueue_many([app.request("fail", args, attempts=1, queue=queue)])
    work(app, queues=[queue])
    return job


def test_the_reason_is_that_attempts_are_used_up(app: Windlass) -> None:
    """A11: attempts."""
    assert dead(app).refresh().reason == "attempts"


def test_the_reason_is_permanent(app: Windlass) -> None:
    """A11: permanent."""
    job = app.enqueue("refuse")
    work(app)
    assert (job.refresh().state, job.reason) == (State.FAILED, "permanent")


def test_the_reason_is_the_time_limit(app: Windlass) -> None:
    """A11: timeout."""

    @app.task
    async def for_ever() -> None:
        await asyncio.Event().wait()

    job = for_ever.options(attempts=1, timeout="20ms").enqueue()
    work(app)
    assert (job.refresh().state, job.reason) == (State.FAILED, "timeout")


def test_the_reason_is_a_payload_that_nobody_can_read(app: Windlass, raw_store: RawStore) -> None:
    """A11: undecodable."""
    job = app.enqueue("noop")
    raw_store.damage(job, payload="{")
    work(app)
    assert (job.refresh().state, job.reason) == (State.FAILED, "undecodable")


def test_the_reason_is_a_result_that_cannot_be_stored(app: Windlass) -> None:
    """A11: result."""

    @app.task
    def unstorable() -> object:
        return object()

    job = unstorable.enqueue()
    work(app)
    assert (job.refresh().state, job.reason, job.attempt) == (State.FAILED, "result", 1)


def test_the_reason_is_that_nobody_knows_the_task(app: Windlass, clock: ManualClock) -> None:
    """A11: unknown_task, after a day."""
    job = app.enqueue("nobody.knows")
    work(app)
    clock.advance("24h")
    work(app)
    assert (job.refresh().state, job.reason) == (State.FAILED, "unknown_task")


def test_dead_letters_are_filtered_by_reason(app: Windlass) -> None:
    """A11: lists, retries and purges take a reason."""
    used_up = dead(app)
    refused = app.enqueue("refuse")
    work(app)
    assert app.jobs(state="failed", reason="attempts") == [used_up]
    assert app.jobs(state="failed", reason="permanent") == [refused]
    assert app.retry_all(reason="permanent") == 1
    assert app.purge(state="failed", reason="attempts") == 1
    assert app.jobs() == [refused]


def test_an_error_tells_all_there_is(app: Windlass, clock: ManualClock) -> None:
    """A11: time, worker, attempt, type, message, cause chain and traceback."""

    @app.task
    def chained() -> None:
        try:
            raise KeyError("id")
        except KeyError as error:
            raise LookupError("no such user") from error

    job = chained.options(attempts=1).enqueue()
    work(app, name="alpha", version="1", id="2")
    [error] = job.refresh().errors
    assert (error.type, error.message, error.attempt) == ("LookupError", "no such user", 1)
    assert (error.at, error.worker) == (clock(), "alpha-worker-1-2")
    assert error.cause == ("KeyError: 'id'",)
    assert 'raise LookupError("no such user") from error' in error.traceback
    assert 'raise KeyError("id")' in error.traceback


def test_the_history_keeps_the_first_and_the_newest(app: Windlass) -> None:
    """A11: the first error, the newest, and how many were left out between them."""

    @app.task(retry=AT_ONCE)
    def always() -> None:
        raise OSError

    job = always.enqueue()
    work(app)
    attempts = [error.attempt for error in job.refresh().errors]
    assert job.attempt == 25
    assert attempts[0] == 1
    assert attempts[1:] == list(range(26 - len(attempts[1:]), 26))
    assert len(attempts) >= 20
    assert len(attempts) + job.errors_left_out == 25


def test_dead_letters_are_listed_by_filter(app: Windlass, clock: ManualClock) -> None:
    """A11: by state, queue, task, time and text, the newest first."""
    first = dead(app, "card declined")
    clock.advance("1h")
    noon = clock.now()
    second = dead(app, "no route", queue="mail")
    app.enqueue("noop")
    assert app.jobs(state="failed") == [second, first]
    assert app.jobs(state="failed", queue="mail") == [second]
    assert app.jobs(state="failed", task="fail") == [second, first]
    assert app.jobs(state="failed", task="noop") == []
    assert app.jobs(state="failed", since=noon) == [second]
    assert app.jobs(state="failed", until=noon) == [first]
    assert app.jobs(state="failed", text="DECLINED") == [first]


def test_dead_letters_come_in_pages(app: Windlass) -> None:
    """A11: each page tells where the next one begins; nothing is missing, nothing comes twice."""
    jobs = app.enqueue_many([app.request("fail", attempts=1) for _ in range(7)])
    work(app)
    page = app.jobs(state="failed", limit=3)
    listed = list(page)
    while page.next is not None:
        page = app.jobs(state="failed", limit=3, cursor=page.next)
        listed += page
    assert listed == jobs[::-1]


def test_dead_letters_are_grouped_by_what_went_wrong(app: Windlass) -> None:
    """A11, F7: by task, reason and error, the largest group first."""
    dead(app)
    dead(app)
    app.enqueue("refuse")
    work(app)
    groups = [(group.task, group.reason, group.error, group.count) for group in app.dead_groups()]
    assert groups == [("fail", "attempts", "OSError", 2), ("refuse", "permanent", "windlass.errors.PermanentError", 1)]


def test_a_dead_letter_is_retried_by_hand(app: Windlass) -> None:
    """A11: same id, fresh budget of attempts, history kept."""
    job = dead(app)
    assert job.retry().state is State.PENDING
    assert (job.attempt, job.reason, len(job.errors), job.finished_at) == (0, None, 1, None)
    work(app)
    job.refresh()
    assert (job.state, job.attempt, len(job.errors)) == (State.FAILED, 1, 2)


def test_a_dead_letter_is_retried_in_another_queue(app: Windlass) -> None:
    """A11: optionally."""
    job = dead(app)
    job.retry(queue="second-chance")
    assert job.queue == "second-chance"
    assert work(app) == 0
    assert work(app, queues=["second-chance"]) == 1


@pytest.mark.parametrize("state", ["cancelled", "retrying", "scheduled"])
def test_other_states_are_retried_too(app: Windlass, state: str) -> None:
    """A11: what was cancelled runs again, what waits runs now."""
    job = {
        "cancelled": lambda: app.enqueue("noop"),
        "retrying": lambda: app.enqueue("fail"),
        "scheduled": lambda: app.tasks[-1].options(delay="1h").enqueue(),
    }[state]()
    if state == "cancelled":
        job.cancel()
    work(app)
    assert job.refresh().state == state
    job.retry(by="ada")
    assert (job.state, job.attempt) == (State.PENDING, 0)
    [entry] = [entry for entry in job.timeline() if entry.kind == "retried"]
    assert (entry.detail["by"], entry.detail["from"]) == ("ada", state)
    assert work(app) == 1


def test_what_is_done_or_waits_for_its_turn_is_not_retried(app: Windlass) -> None:
    """A11: IllegalTransition names the state; an unknown id is JobNotFound."""
    completed = app.enqueue("noop")
    work(app)
    pending = app.enqueue("noop")
    for job in (completed, pending):
        before = job.refresh().record
        with pytest.raises(IllegalTransition, match=str(job.state)):
            job.retry()
        assert job.refresh().record == before
    with pytest.raises(JobNotFound):
        app.retry("nobody")


def test_many_are_retried_by_filter(app: Windlass) -> None:
    """A11: by queue, task and text; others stay."""
    jobs = [dead(app, "no route", queue="mail"), dead(app, "declined", queue="mail"), dead(app, "no route")]
    assert app.retry_all(state="failed", queue="mail", text="no route", by="ada") == 1
    assert [job.refresh().state for job in jobs] == [State.PENDING, State.FAILED, State.FAILED]
    assert app.retry_all(task="fail", to_queue="later") == 2
    assert [job.refresh().queue for job in jobs] == ["mail", "later", "later"]


def test_more_than_a_page_is_retried(app: Windlass) -> None:
    """A11: bulk operations work in batches until nothing is left."""
    app.enqueue_many([app.request("fail", attempts=1) for _ in range(1100)])
    work(app)
    assert app.retry_all() == 1100
    assert app.counts()[State.PENDING] == 1100


def test_a_dead_letter_is_deleted(app: Windlass) -> None:
    """A11: and is gone."""
    job = dead(app)
    job.delete()
    assert app.jobs() == []


def test_dead_letters_are_purged_by_age(app: Windlass, clock: ManualClock) -> None:
    """A11: only those that failed longer ago than that, and only they."""
    old = dead(app)
    clock.advance("31d")
    young, waiting = dead(app), app.enqueue("noop")
    assert app.purge(state="failed", older_than="30d") == 1
    assert app.jobs() == [waiting, young]
    with pytest.raises(JobNotFound):
        old.refresh()
    assert app.purge(state="failed", older_than=timedelta(0)) == 0
    assert app.purge(state="failed") == 1


@pytest.mark.asyncio
async def test_async_code_handles_dead_letters_too(app: Windlass) -> None:
    """A11: list, retry one, retry all, purge."""
    first, second = await asyncio.to_thread(dead, app), await asyncio.to_thread(dead, app)
    assert await app.ajobs(state="failed") == [second, first]
    assert (await first.aretry()).state is State.PENDING
    assert await app.aretry_all() == 1
    await asyncio.to_thread(work, app)
    await app.aretry(first.id)
    assert await app.apurge(state="failed") == 1
