"""Waiting for results."""

from __future__ import annotations

import asyncio
from threading import Thread

import pytest

from tests.ledger.apps import Apps, failure_of, gate, work
from tests.waiting import PATIENCE
from tests.worker.call_interceptor import intercept
from windlass import (
    ConfigError,
    JobCancelled,
    JobFailed,
    JobNotFound,
    JobTimeout,
    Retry,
    State,
    StoreUnavailable,
    Windlass,
    WindlassError,
    current_job,
)
from windlass.store.operation import Call

AT_ONCE = Retry(base=0, floor=0, jitter=0)


def test_a_result_is_waited_for(app: Windlass) -> None:
    """A3: result() returns when the job is done, with and without a limit."""
    with gate() as ready:

        @app.task
        def answer() -> int:
            ready.wait()
            return 42

        job = answer.enqueue()
        with app.worker():
            ready.await_entered()
            opener = Thread(target=ready.open)
            opener.start()
            assert job.result() == 42
            opener.join()
        assert job.result(timeout=PATIENCE) == 42


@pytest.mark.asyncio
async def test_async_code_waits_without_blocking_its_loop(app: Windlass) -> None:
    """A3: aresult() and await_done() wait while the loop goes on."""
    with gate() as ready:

        @app.task
        def answer() -> int:
            ready.wait()
            return 42

        job = await answer.aenqueue()
        with app.worker():
            waiting = [asyncio.ensure_future(job.aresult(timeout=PATIENCE)) for _ in range(3)]
            await asyncio.to_thread(ready.await_entered)
            assert not any(future.done() for future in waiting)
            ready.open()
            assert await asyncio.gather(*waiting) == [42, 42, 42]
        assert (await job.await_done(timeout=PATIENCE)).state is State.COMPLETED
        assert await job.aresult() == 42


def test_a_result_comes_from_another_process(app: Windlass, new_app: Apps) -> None:
    """A3: whoever knows the id can wait, wherever the job runs."""

    @app.task(name="double")
    def double(number: int) -> int:
        return 2 * number

    other = new_app()
    job = other.enqueue("double", 21)
    with app.worker():
        assert other.job(job.id).result(timeout=PATIENCE) == 42


def test_waiting_goes_on_through_retries(app: Windlass) -> None:
    """A3: a failed attempt that is repeated does not end the wait."""

    @app.task(retry=AT_ONCE)
    def third_time() -> int:
        if current_job().attempt < 3:
            raise OSError("not yet")
        return current_job().attempt

    job = third_time.enqueue()
    with app.worker():
        assert job.result(timeout=PATIENCE) == 3


def test_wait_returns_however_the_job_ends(app: Windlass) -> None:
    """A3: wait() raises for no ending."""

    @app.task
    def fail() -> None:
        raise OSError

    job = fail.options(attempts=1).enqueue()
    work(app)
    assert job.wait(timeout=PATIENCE).state is State.FAILED


def test_a_failed_job_raises_with_the_original_error_as_text(app: Windlass) -> None:
    """A3: JobFailed carries type name, message and traceback, and the reason."""

    class CardDeclined(Exception): ...

    @app.task(name="charge")
    def charge() -> None:
        raise CardDeclined("card 42")

    job = charge.options(attempts=1).enqueue()
    work(app)
    failed = failure_of(job)
    assert failed.type is not None
    assert failed.type.endswith("CardDeclined")
    assert (failed.id, failed.message, failed.reason) == (job.id, "card 42", "attempts")
    assert 'raise CardDeclined("card 42")' in str(failed.traceback)
    assert "charge" in str(failed)
    assert "card 42" in str(failed)


def test_a_cancelled_job_raises(app: Windlass) -> None:
    """A3: JobCancelled, whether it waited or ran."""

    @app.task
    def noop() -> None: ...

    job = noop.enqueue()
    job.cancel()
    with pytest.raises(JobCancelled, match=job.id):
        job.result(timeout=PATIENCE)


def test_waiting_too_long_raises_and_the_job_goes_on(app: Windlass) -> None:
    """A3: JobTimeout is a TimeoutError, and changes nothing."""

    @app.task
    def noop() -> int:
        return 1

    job = noop.enqueue()
    why = "it is pending: no worker serves queue 'default'"
    with pytest.raises(JobTimeout, match=f"^job {job.id} has not finished within 0.02 s; {why}$") as raised:
        job.result(timeout="20ms")
    assert isinstance(raised.value, TimeoutError)
    work(app)
    assert job.result(timeout=PATIENCE) == 1


def test_waiting_too_long_for_a_store_that_is_away_says_so(app: Windlass) -> None:
    job = app.enqueue("unknown")
    interceptor = intercept(app)

    def go_away(call: Call) -> None:
        if interceptor.calls["awaited"] > 1:
            raise StoreUnavailable("nobody there")

    interceptor.before.append(go_away)
    with pytest.raises(JobTimeout, match=r"within 0.02 s; where it stands is not known: nobody there"):
        job.result(timeout="20ms")


@pytest.mark.asyncio
async def test_async_waits_end_in_the_same_exceptions(app: Windlass) -> None:
    """A3: failed, cancelled, too long and unknown, in async code."""

    @app.task
    def fail() -> None:
        raise OSError

    failed, cancelled = await fail.options(attempts=1).aenqueue(), await fail.aenqueue()
    await cancelled.acancel()
    await asyncio.to_thread(work, app)
    waits_for_ever = await fail.aenqueue()
    with pytest.raises(JobFailed):
        await failed.aresult(timeout=PATIENCE)
    with pytest.raises(JobCancelled):
        await cancelled.aresult(timeout=PATIENCE)
    with pytest.raises(JobTimeout, match=r"within 0.02 s; it is pending"):
        await waits_for_ever.aresult(timeout="20ms")
    await waits_for_ever.adelete()
    with pytest.raises(JobNotFound):
        await waits_for_ever.aresult(timeout=PATIENCE)


def test_an_unknown_job_raises(app: Windlass) -> None:
    """A3: JobNotFound for a job that is gone, from result() and wait()."""

    @app.task
    def noop() -> None: ...

    job = noop.enqueue()
    job.delete()
    with pytest.raises(JobNotFound, match=job.id):
        job.result(timeout=PATIENCE)
    with pytest.raises(JobNotFound, match=job.id):
        job.wait(timeout=PATIENCE)


def test_the_four_exceptions_are_distinct() -> None:
    """A3: none of them is another of them, all are WindlassError."""
    four = (JobFailed, JobCancelled, JobTimeout, JobNotFound)
    assert all(issubclass(one, WindlassError) for one in four)
    assert not any(issubclass(one, other) for one in four for other in four if one is not other)


def test_a_job_that_ran_out_of_its_own_time_failed_with_timeout_error(app: Windlass) -> None:
    """A3: its waiter gets JobFailed with TimeoutError inside, not JobTimeout."""

    @app.task
    async def for_ever() -> None:
        await asyncio.Event().wait()

    job = for_ever.options(attempts=1, timeout="30ms").enqueue()
    with app.worker():
        failed = failure_of(job)
    assert (failed.type, failed.reason) == ("TimeoutError", "timeout")


@pytest.mark.asyncio
async def test_a_sync_wait_on_a_loop_is_refused(app: Windlass) -> None:
    """A3: it would stop the loop; the error names the async form."""

    @app.task
    def noop() -> None: ...

    job = await noop.aenqueue()
    with pytest.raises(ConfigError, match=r"await job\.aresult\(\)"):
        job.result()
    with pytest.raises(ConfigError, match=r"await job\.await_done\(\)"):
        job.wait()


def test_many_wait_for_one_job(app: Windlass) -> None:
    """A3: every waiter gets the result."""

    @app.task
    def answer() -> int:
        return 42

    job = answer.enqueue()
    results: list[int] = []
    waiters = [Thread(target=lambda: results.append(job.result(timeout=PATIENCE))) for _ in range(5)]
    for waiter in waiters:
        waiter.start()
    work(app)
    for waiter in waiters:
        waiter.join()
    assert results == [42] * 5
