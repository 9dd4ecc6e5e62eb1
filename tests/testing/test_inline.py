"""inline: a job has run when enqueue returns."""

from __future__ import annotations

import asyncio
from threading import Thread, current_thread

import pytest

from tests.ledger.apps import failure_of
from windlass import PermanentError, Retry, Snooze, State, Windlass, current_job
from windlass.testing import ManualClock, drain, inline


def test_a_job_runs_at_once_on_the_calling_thread(windlass_app: Windlass) -> None:
    @windlass_app.task
    def where() -> str:
        return current_thread().name

    with inline(windlass_app):
        job = where.enqueue()
        assert windlass_app.job(job.id).state is State.COMPLETED
    assert job.result() == current_thread().name


def test_whichever_thread_calls(windlass_app: Windlass) -> None:
    @windlass_app.task(name="where")
    def where() -> str:
        return current_thread().name

    with inline(windlass_app):
        thread = Thread(target=lambda: where.options(id="mine").enqueue(), name="web-1")
        thread.start()
        thread.join()
        assert windlass_app.job("mine").result() == "web-1"


def test_a_bulk_and_a_name_run_too(windlass_app: Windlass) -> None:
    @windlass_app.task(name="double", queue="numbers")
    def double(number: int) -> int:
        return 2 * number

    with inline(windlass_app):
        jobs = [*double.enqueue_many([(1,), (2,)]), windlass_app.enqueue("double", 3)]
    assert [job.result() for job in jobs] == [2, 4, 6]


def test_jobs_that_a_job_enqueues_run_inside_it(windlass_app: Windlass) -> None:
    order: list[str] = []

    @windlass_app.task(name="child")
    def child() -> str:
        order.append("child")
        return current_job().correlation_id

    @windlass_app.task(name="parent")
    def parent() -> str:
        order.append("parent begins")
        result = child.enqueue().result()
        order.append("parent ends")
        return result

    with inline(windlass_app):
        job = parent.options(correlation_id="request-7").enqueue()
    assert order == ["parent begins", "child", "parent ends"]
    assert job.result() == "request-7"


def test_a_coroutine_runs_on_a_loop_of_its_own(windlass_app: Windlass) -> None:
    @windlass_app.task
    async def answer() -> int:
        await asyncio.sleep(0)
        return 42

    with inline(windlass_app):
        assert answer.enqueue().result() == 42


@pytest.mark.asyncio
async def test_async_code_enqueues_inline_too(windlass_app: Windlass) -> None:
    @windlass_app.task
    async def answer() -> int:
        await asyncio.sleep(0)
        return 42

    @windlass_app.task
    def sync_answer() -> int:
        return 43

    with inline(windlass_app):
        assert await (await answer.aenqueue()).aresult() == 42
        assert await (await sync_answer.aenqueue()).aresult() == 43


def test_an_error_is_kept_with_its_job(windlass_app: Windlass) -> None:
    @windlass_app.task
    def refuse() -> None:
        raise PermanentError("no such user")

    with inline(windlass_app):
        job = refuse.enqueue()
    assert failure_of(job).message == "no such user"


def test_a_failed_attempt_is_repeated_without_its_delay(windlass_app: Windlass) -> None:
    @windlass_app.task(retry=Retry(attempts=3, base="1h"))
    def flaky() -> int:
        if current_job().attempt < 3:
            raise OSError("not yet")
        return current_job().attempt

    with inline(windlass_app):
        assert flaky.enqueue().result() == 3


def test_a_job_that_always_fails_ends_too(windlass_app: Windlass) -> None:
    @windlass_app.task
    def fail() -> None:
        raise OSError("broken")

    with inline(windlass_app):
        job = fail.enqueue()
    assert failure_of(job).reason == "attempts"
    assert job.refresh().attempt == 4


def test_what_is_due_later_waits_for_the_clock(windlass_app: Windlass, windlass_clock: ManualClock) -> None:
    @windlass_app.task
    def noop() -> None: ...

    @windlass_app.task
    def snoozes() -> None:
        raise Snooze("1h")

    with inline(windlass_app):
        delayed, snoozed = noop.options(delay="1h").enqueue(), snoozes.enqueue()
        assert (delayed.refresh().state, snoozed.refresh().state) == (State.SCHEDULED, State.SCHEDULED)
        windlass_clock.advance("1h")
        assert drain(windlass_app) == 2
    assert delayed.refresh().state is State.COMPLETED


def test_a_retry_by_hand_runs_at_once_too(windlass_app: Windlass) -> None:
    runs: list[int] = []

    @windlass_app.task
    def noop() -> None:
        runs.append(1)

    with inline(windlass_app):
        job = noop.options(delay="1h").enqueue()
        job.retry()
    assert runs == [1]


def test_a_task_that_nobody_knows_waits(windlass_app: Windlass) -> None:
    with inline(windlass_app):
        job = windlass_app.enqueue("elsewhere.noop")
    assert job.refresh().reason == "unknown_task"


def test_afterwards_jobs_wait_again(windlass_app: Windlass) -> None:
    @windlass_app.task
    def noop() -> None: ...

    with inline(windlass_app):
        noop.enqueue()
    assert noop.enqueue().refresh().state is State.PENDING


def test_workers_of_the_app_rest_meanwhile(windlass_app: Windlass) -> None:
    @windlass_app.task
    def where() -> str:
        return current_thread().name

    with windlass_app.worker(), inline(windlass_app):
        for _ in range(20):
            assert where.enqueue().result() == current_thread().name


def test_a_time_limit_holds_for_coroutines(windlass_app: Windlass) -> None:
    @windlass_app.task
    async def for_ever() -> None:
        await asyncio.Event().wait()

    with inline(windlass_app):
        job = for_ever.options(timeout="20ms", attempts=1).enqueue()
    assert failure_of(job).reason == "timeout"


def test_a_timeout_of_the_task_s_own_is_an_error_like_any_other(windlass_app: Windlass) -> None:
    @windlass_app.task
    async def impatient() -> None:
        async with asyncio.timeout(0.001):
            await asyncio.Event().wait()

    with inline(windlass_app):
        job = impatient.options(attempts=1).enqueue()
    assert (failure_of(job).type, job.refresh().reason) == ("TimeoutError", "attempts")


def test_an_interrupted_test_leaves_no_worker_behind(windlass_app: Windlass) -> None:
    @windlass_app.task
    def interrupted() -> None:
        raise KeyboardInterrupt

    with inline(windlass_app):
        with pytest.raises(KeyboardInterrupt):
            interrupted.enqueue()
        assert windlass_app.workers() == []
        assert [rescued.state for rescued in windlass_app.rescue()] == [State.PENDING]


def test_progress_and_metadata_are_real(windlass_app: Windlass) -> None:
    @windlass_app.task
    def report() -> object:
        job = current_job()
        job.progress(0.5, "half way")
        return [job.meta["tenant"], job.attempt, job.fence]

    with inline(windlass_app):
        job = report.options(meta={"tenant": "a"}).enqueue()
    assert job.result() == ["a", 1, 1]
    assert job.refresh().progress.text == "half way"


def test_a_cached_result_is_given_without_a_second_run(windlass_app: Windlass, windlass_clock: ManualClock) -> None:
    """B29: until its time is over."""
    runs: list[int] = []

    @windlass_app.task(name="draw", cache="10m")
    def draw(number: int) -> int:
        runs.append(number)
        return len(runs)

    with inline(windlass_app):
        assert [draw.enqueue(1).result(), draw.enqueue(1).result(), draw.enqueue(2).result()] == [1, 1, 2]
        draw.cache_clear()
        assert draw.enqueue(1).result() == 3
        windlass_clock.advance("10m")
        assert draw.enqueue(1).result() == 4
