"""A store that is away, or whose answer is lost: nothing is forgotten, nothing runs twice."""

from __future__ import annotations

import logging
from threading import Event

import pytest

from tests.ledger.apps import raises
from tests.places.raw_store import RawStore
from tests.waiting import PATIENCE, eventually
from tests.worker.call_interceptor import CallInterceptor, claims
from windlass import OutcomeUnknown, State, StoreUnavailable, Windlass, current_job
from windlass.store.operation import Answer, Call


def lose(interceptor: CallInterceptor, times: int) -> list[str]:
    """Lose the answers of the first cycle that takes jobs and of the calls that ask again; the tokens seen."""
    tokens: list[str] = []

    def forget(call: Call, answer: Answer) -> None:
        if call.name == "cycle" and (claims(call, answer) or tokens) and len(tokens) < times:
            tokens.append(call.params["token"])
            raise OutcomeUnknown("the line went dead")

    interceptor.after.append(forget)
    return tokens


@pytest.mark.parametrize("times", [1, 2, 5])
def test_jobs_that_were_taken_by_a_call_whose_answer_was_lost_are_run_once(
    app: Windlass, interceptor: CallInterceptor, times: int
) -> None:
    """E6: the same token reads the answer again, however often that takes (S3)."""
    tokens = lose(interceptor, times)
    fences: list[int] = []

    @app.task
    def note(number: int) -> int:
        fences.append(current_job().fence)
        return number

    with app.worker():
        jobs = note.enqueue_many([(number,) for number in range(5)])
        assert [job.result(timeout=PATIENCE) for job in jobs] == list(range(5))
    assert len(tokens) == times
    assert len(set(tokens)) == 1
    assert list(map(raises, fences)) == [1] * 5


def test_endings_whose_acknowledgement_was_lost_are_written_once(app: Windlass, interceptor: CallInterceptor) -> None:
    """E6: a finish may be repeated safely; it is not taken for another owner's."""
    lost: list[Call] = []

    def forget(call: Call, answer: Answer) -> None:
        if call.name == "cycle" and call.params["completed"] and len(lost) < 2:
            lost.append(call)
            raise OutcomeUnknown("the line went dead")

    interceptor.after.append(forget)

    @app.task
    def echo() -> int:
        return 1

    with app.worker() as worker:
        job = echo.enqueue()
        assert job.result(timeout=PATIENCE) == 1
        eventually(lambda: worker.status().state == "idle", "the pump has its answer")
        assert worker.status().refused == 0
    assert len(lost) == 2
    assert (job.refresh().attempt, raises(job.fence)) == (1, 1)
    assert [entry.kind for entry in job.timeline() if entry.kind == "refused"] == []


def test_a_store_that_comes_back_finds_everything_as_it_was(
    app: Windlass, interceptor: CallInterceptor, caplog: pytest.LogCaptureFixture
) -> None:
    """I8: the worker waits and goes on by itself; one line in the log for the whole outage."""
    caplog.set_level(logging.WARNING)
    failures = iter([True] * 6)

    def fail(call: Call) -> None:
        if call.name == "cycle" and call.params["completed"] and next(failures, False):
            raise StoreUnavailable("gone fishing")

    interceptor.before.append(fail)

    @app.task
    def echo(number: int) -> int:
        return number

    with app.worker():
        jobs = echo.enqueue_many([(number,) for number in range(20)])
        assert [job.result(timeout=PATIENCE) for job in jobs] == list(range(20))
    assert {(job.refresh().state, job.attempt) for job in jobs} == {(State.COMPLETED, 1)}
    assert caplog.text.count("gone fishing") == 1


def test_jobs_that_were_taken_and_never_arrived_are_handed_back(
    app: Windlass, interceptor: CallInterceptor, caplog: pytest.LogCaptureFixture
) -> None:
    """I6: not stuck in the hands of a worker that lives and does not know that it has them."""
    garbled: list[Call] = []

    def garble(call: Call, answer: Answer) -> None:
        if claims(call, answer) and not garbled:
            garbled.append(call)
            raise ValueError("an answer that nobody understands")

    interceptor.after.append(garble)

    @app.task
    def echo() -> int:
        return current_job().attempt

    with app.worker(lease="30s", heartbeat="0.05s"):
        job = echo.enqueue()
        assert job.result(timeout=PATIENCE) == 1
    assert garbled
    assert "releasing them" in caplog.text
    assert (job.refresh().attempt, job.state) == (1, State.COMPLETED)


def test_a_claim_under_way_is_not_taken_for_astray(
    app: Windlass, interceptor: CallInterceptor, caplog: pytest.LogCaptureFixture
) -> None:
    """I6: one look is not enough, and what waits or has ended here is known."""

    @app.task
    def echo(number: int) -> int:
        return number

    with app.worker(lease="30s", heartbeat="0.05s"):
        jobs = echo.enqueue_many([(number,) for number in range(300)])
        assert [job.result(timeout=PATIENCE) for job in jobs] == list(range(300))
        renewals = interceptor.calls["renew"]
        eventually(lambda: interceptor.calls["renew"] > renewals + 2, "some more heartbeats")
    assert "releasing them" not in caplog.text


@pytest.mark.only_on("sqlite")
def test_a_claim_that_takes_longer_than_many_heartbeats_is_not_taken_for_astray(
    app: Windlass, interceptor: CallInterceptor
) -> None:
    """I2: the job would run here and, handed back, once more beside it."""
    held: list[Call] = []

    def hold(call: Call, answer: Answer) -> None:
        if claims(call, answer) and not held:
            held.append(call)
            renewals = interceptor.calls["renew"]
            eventually(
                lambda: interceptor.calls["renew"] > renewals + 4, "more heartbeats while the answer is on its way"
            )

    interceptor.after.append(hold)

    @app.task
    def echo() -> int:
        return raises(current_job().fence)

    with app.worker(lease="30s", heartbeat="0.05s"):
        job = echo.enqueue()
        assert job.result(timeout=PATIENCE) == 1
        assert interceptor.calls["finish"] == 0
    assert held


def test_jobs_that_were_taken_while_an_ending_was_refused_are_run_though_the_store_went_away(
    app: Windlass, interceptor: CallInterceptor, raw_store: RawStore
) -> None:
    """E6: what comes after a cycle that was carried out is no failure of the cycle."""
    away: list[str] = []
    is_over = Event()

    def go_away(call: Call) -> None:
        if call.name == "record_stale_writes" and len(away) < 1:
            away.append(call.name)
            raise StoreUnavailable("it has just gone")

    @app.task
    def wait() -> None:
        is_over.wait(PATIENCE)

    @app.task
    def echo(number: int) -> int:
        return number

    interceptor.before.append(go_away)
    with app.worker(concurrency=1, lease="30s") as worker:
        first = wait.enqueue()
        eventually(lambda: first.refresh().started_at, "it runs")
        raw_store.take_away(first)
        second = echo.enqueue(2)
        is_over.set()
        assert second.result(timeout=PATIENCE) == 2
        assert second.refresh().record.rescues == 0, "it was run by the one who took it first"
        eventually(lambda: worker.status().refused == 1, "the refused ending is told of")
    assert away
    assert first.refresh().state is State.RUNNING
