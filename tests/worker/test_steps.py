"""Durable steps of a running job: what is called, what is answered from the record, what is refused."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from threading import Event, Thread
from typing import Any

import pytest

from tests.ledger.apps import work
from tests.places.place import Place
from tests.places.raw_store import RawStore
from tests.waiting import PATIENCE, eventually
from tests.worker.call_interceptor import CallInterceptor
from tests.worker.isolated import totals
from tests.worker.isolated.enqueue import enqueue
from tests.worker.isolated.tasks import isolated
from windlass import (
    ActiveJob,
    ConfigError,
    Job,
    LeaseLost,
    PermanentError,
    Retry,
    RetryableError,
    State,
    StepRejected,
    StoreUnavailable,
    Windlass,
    clock,
    current_job,
    group,
    this_job,
)
from windlass.steps import run_steps
from windlass.store.operation import Answer, Call

pytestmark = pytest.mark.only_on("sqlite")

AGAIN = RetryableError("once more", delay=0)


@dataclass(frozen=True)
class Receipt:
    number: int


class Calls:
    """Counts what functions are called, and gives numbers."""

    def __init__(self) -> None:
        self.made: list[Any] = []

    def __call__(self, value: Any = None) -> int:
        self.made.append(value)
        return len(self.made)


@pytest.fixture
def calls() -> Calls:
    return Calls()


def run(app: Windlass, body: Any, **options: Any) -> Job[Any]:
    """A job with this body, after a worker had it."""
    job: Job[Any] = app.task(name="body", **options)(body).enqueue()
    work(app)
    return job.refresh()


def is_first_run() -> bool:
    return not current_job()._app.client.session.run(_errors(current_job().id))


def _errors(id: str) -> Any:
    from windlass.store.operations.queries import find

    return bool((yield from find([id]))[id].errors)


def test_a_step_runs_once_in_all_runs(app: Windlass, calls: Calls) -> None:
    def body(*, job: ActiveJob = this_job) -> int:
        first = job.step("first", calls, "a")
        if is_first_run():
            raise AGAIN
        return first * 10 + job.step("second", calls, "b")

    job = run(app, body)
    assert (job.result(), calls.made) == (12, ["a", "b"])
    assert [(step.name, step.kind) for step in job.steps()] == [("first", "step"), ("second", "step")]


def test_values_come_back_as_they_were(app: Windlass) -> None:
    """The return annotation names classes, as for tasks."""

    def make() -> Receipt:
        return Receipt(7)

    class Maker:
        def made(self) -> tuple[Receipt, set[int]]:
            return Receipt(8), {1}

    def body(*, job: ActiveJob = this_job) -> bool:
        found = [job.step("a", make), job.step("b", Maker().made), job.step("c", partial(make)), job.step("d", print)]
        if is_first_run():
            raise AGAIN
        return found == [Receipt(7), (Receipt(8), {1}), Receipt(7), None]

    assert run(app, body).result() is True


def test_a_task_is_a_function_too(app: Windlass) -> None:
    @app.task
    def double(number: int) -> int:
        return 2 * number

    def body(*, job: ActiveJob = this_job) -> int:
        return job.step("double", double, 4)

    assert run(app, body).result() == 8
    assert app.jobs(task=double.name) == []


def test_the_same_call_twice_in_a_run_is_one_step(app: Windlass, calls: Calls) -> None:
    def body(*, job: ActiveJob = this_job) -> int:
        return job.step("a", calls, 1) + job.step("a", calls, 1)

    assert (run(app, body).result(), calls.made) == (2, [1])


def test_a_name_for_other_arguments_is_refused(app: Windlass, calls: Calls) -> None:
    def body(*, job: ActiveJob = this_job) -> None:
        job.step("a", calls, 1)
        for wrong in (lambda: job.step("a", calls, 2), lambda: job.step("a", print, 1)):
            with pytest.raises(ConfigError, match="step 'a' was called with another function or other arguments"):
                wrong()

    assert run(app, body).state is State.COMPLETED
    assert calls.made == [1]


@pytest.mark.parametrize(
    "made",
    [
        lambda calls, number: lambda: calls(number),
        lambda calls, number: lambda number=number: calls(number),
        lambda calls, number: partial(calls, number),
        lambda calls, number: partial(calls, value=number),
    ],
    ids=["lambda", "default", "partial", "partial by name"],
)
def test_what_a_lambda_or_a_partial_was_given_counts_as_its_arguments(
    app: Windlass, calls: Calls, made: Callable[[Calls, int], Callable[[], int]]
) -> None:
    """The functions of a loop have one name: without this each round would get the result of the first."""

    def body(*, job: ActiveJob = this_job) -> int:
        assert job.step("a", made(calls, 1)) == job.step("a", made(calls, 1))
        with pytest.raises(ConfigError, match="step 'a' was called with another function or other arguments"):
            job.step("a", made(calls, 2))
        return 1

    assert run(app, body).result() == 1
    assert len(calls.made) == 1


def test_a_later_run_gets_the_record_whatever_its_arguments(app: Windlass, calls: Calls) -> None:
    def body(*, job: ActiveJob = this_job) -> int:
        value = job.step("a", calls, is_first_run())
        if is_first_run():
            raise AGAIN
        return value

    assert (run(app, body).result(), calls.made) == (1, [True])


def test_arguments_that_cannot_be_stored_are_passed_on(app: Windlass, calls: Calls) -> None:
    lock = Event()

    def body(*, job: ActiveJob = this_job) -> int:
        return job.step("a", calls, lock) + job.step("a", calls, lock)

    assert (run(app, body).result(), calls.made) == (2, [lock])


@pytest.mark.parametrize("name", ["", "#1", "x" * 129, "a\nb", 7])
def test_names_are_checked(app: Windlass, name: Any) -> None:
    def body(*, job: ActiveJob = this_job) -> None:
        with pytest.raises(ConfigError, match="step name"):
            job.step(name, print)

    assert run(app, body).state is State.COMPLETED


def test_what_is_no_function_is_refused(app: Windlass) -> None:
    def body(*, job: ActiveJob = this_job) -> None:
        with pytest.raises(ConfigError, match=r"step 'a': its second argument must be a function, got 7"):
            job.step("a", 7)  # type: ignore[call-overload]
        with pytest.raises(ConfigError, match=r"step 'a': retry must be a Retry"):
            job.step("a", print, retry=3)  # type: ignore[call-overload]

    assert run(app, body).state is State.COMPLETED


def test_an_error_in_a_step_is_a_failed_attempt(app: Windlass) -> None:
    def fail() -> None:
        raise ValueError("no paper")

    def body(*, job: ActiveJob = this_job) -> None:
        job.step("a", fail)

    job = run(app, body, retry=Retry(attempts=1))
    assert (job.state, job.reason, job.errors[0].message, job.steps()) == (State.FAILED, "attempts", "no paper", [])


def test_a_step_with_a_rule_of_its_own_tries_again(app: Windlass) -> None:
    tried: list[int] = []

    def flaky() -> str:
        tried.append(1)
        if len(tried) < 3:
            raise RetryableError("wait", delay=0) if len(tried) == 1 else OSError("down")
        return "up"

    def body(*, job: ActiveJob = this_job) -> str:
        return job.step("a", flaky, retry=Retry(attempts=3, base=0, floor=0))

    job = run(app, body)
    assert (job.result(), job.attempt, len(tried)) == ("up", 1, 3)


def test_a_rule_of_a_step_ends(app: Windlass) -> None:
    tried: list[int] = []

    def broken() -> None:
        tried.append(1)
        raise PermanentError("never") if len(tried) == 3 else OSError("down")

    def body(*, job: ActiveJob = this_job) -> None:
        rule = Retry(attempts=2, base=0, floor=0)
        with pytest.raises(OSError, match="down"):
            job.step("a", broken, retry=rule)
        job.step("b", broken, retry=rule)

    job = run(app, body)
    assert (job.state, job.reason, len(tried)) == (State.FAILED, "permanent", 3)


def test_a_result_that_cannot_be_stored_fails_the_job_for_good(app: Windlass, calls: Calls) -> None:
    """A retry would do the step again."""

    def unstorable() -> object:
        calls()
        return object()

    def body(*, job: ActiveJob = this_job) -> None:
        job.step("a", unstorable)

    job = run(app, body)
    assert (job.state, job.reason, len(calls.made)) == (State.FAILED, "permanent", 1)
    assert "step 'a' has run, but its result" in job.errors[0].message


def test_steps_are_bounded(app: Windlass, calls: Calls, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_steps, "MOST_STEPS", 3)
    monkeypatch.setattr(run_steps, "MOST_BYTES", 1000)

    def body(*, job: ActiveJob = this_job) -> None:
        job.step("a", calls)
        with pytest.raises(StepRejected, match=r"result of 1,010 bytes .* larger than 1,000 bytes"):
            job.step("large", lambda: "x" * 1000)
        job.step("b", calls)
        job.step("c", calls)
        with pytest.raises(StepRejected, match="has recorded 3 steps"):
            job.step("d", calls)
        with pytest.raises(StepRejected, match="has recorded 3 steps"):
            job.sleep("1h")

    assert run(app, body).state is State.COMPLETED
    assert len(calls.made) == 3


def test_another_kind_under_a_name_fails_the_job(app: Windlass) -> None:
    """The code has changed under a job that is half done."""

    def body(*, job: ActiveJob = this_job) -> None:
        if is_first_run():
            job.step("pause", print)
            raise AGAIN
        job.sleep("1h", name="pause")

    job = run(app, body)
    assert (job.state, job.reason) == (State.FAILED, "steps_changed")
    assert "has recorded a step under the name 'pause', where this one has a sleep" in job.errors[-1].message


def test_a_zombie_gets_no_value(app: Windlass, raw_store: RawStore, calls: Calls) -> None:
    """F4: LeaseLost before the value; the step of a run that has lost its job is not recorded."""
    began, lost, seen = Event(), Event(), list[str]()

    @app.task
    def body(*, job: ActiveJob = this_job) -> None:
        job.step("first", calls)
        began.set()
        assert lost.wait(PATIENCE)
        try:
            seen.append(str(job.step("second", calls)))
        except LeaseLost as error:
            seen.append(f"lost: {error}")
            raise

    with app.worker(duties=False) as worker:
        job = body.enqueue()
        assert began.wait(PATIENCE)
        raw_store.take_away(job)
        lost.set()
        eventually(lambda: worker.status().refused == 1, "its ending is refused")
    assert seen[0].startswith(f"lost: job {job.id}: another run has taken over")
    assert [step.name for step in job.steps()] == ["first"]


def test_a_zombie_that_comes_to_its_first_step_does_not_begin_it(
    app: Windlass, raw_store: RawStore, calls: Calls
) -> None:
    began, lost = Event(), Event()

    @app.task
    def body(*, job: ActiveJob = this_job) -> None:
        began.set()
        assert lost.wait(PATIENCE)
        job.step("first", calls)

    with app.worker(duties=False) as worker:
        job = body.enqueue()
        assert began.wait(PATIENCE)
        raw_store.take_away(job)
        lost.set()
        eventually(lambda: worker.status().refused == 1, "its ending is refused")
    assert (calls.made, job.steps()) == ([], [])


def test_a_run_that_is_cancelled_begins_no_other_step(app: Windlass, calls: Calls) -> None:
    began, go_on = Event(), Event()

    @app.task(interrupt=False)
    def body(*, job: ActiveJob = this_job) -> None:
        began.set()
        assert go_on.wait(PATIENCE)
        job.step("first", calls)

    with app.worker():
        job = body.enqueue()
        assert began.wait(PATIENCE)
        job.cancel()
        eventually(lambda: _is_told(app), "the run knows")
        go_on.set()
        assert job.wait(PATIENCE).state is State.CANCELLED
    assert calls.made == []


def _is_told(app: Windlass) -> bool:
    return any(run.stop is not None for worker in app.client.workers for run in worker._dispatcher.running())  # type: ignore[attr-defined]


def test_a_store_that_is_away_is_waited_for(
    app: Windlass, interceptor: CallInterceptor, calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The function has run: to fail now would run it again for nothing. Also after an answer that was lost."""
    monkeypatch.setattr("windlass.steps.patience._ASK_AGAIN", 0.0)
    failures = iter(["before", "after"])

    def fail(call: Call) -> None:
        if call.name == "record_step" and next(failures, None) == "before":
            raise StoreUnavailable("gone fishing")

    def lose(call: Call, answer: Answer) -> None:
        if call.name == "record_step" and interceptor.calls["record_step"] == 2:
            raise StoreUnavailable("the line is cut")

    interceptor.before.append(fail)
    interceptor.after.append(lose)

    def body(*, job: ActiveJob = this_job) -> int:
        return job.step("a", calls)

    job = run(app, body)
    assert (job.result(), calls.made, len(job.steps())) == (1, [None], 1)
    assert interceptor.calls["record_step"] == 3


def test_a_job_without_steps_makes_no_call_more(app: Windlass, interceptor: CallInterceptor, calls: Calls) -> None:
    """What steps cost: one read at the first step of a run, one write for each."""

    def plain() -> None: ...

    run(app, plain)
    assert not {"steps", "record_step"} & set(interceptor.calls)

    @app.task(name="stepping")
    def stepping(*, job: ActiveJob = this_job) -> None:
        for number in range(5):
            job.step(f"{number}", calls)

    stepping.enqueue()
    work(app)
    assert (interceptor.calls["steps"], interceptor.calls["record_step"]) == (1, 5)


def test_the_budget_of_attempts_begins_anew_with_each_step(app: Windlass) -> None:
    """A job that gets on a little in each run does not run out of attempts."""
    runs: list[int] = []

    def body(*, job: ActiveJob = this_job) -> int:
        runs.append(job.attempt)
        for number in range(len(runs)):
            job.step(f"{number}", int)
        if len(runs) < 6:
            raise AGAIN
        return len(runs)

    job = run(app, body, retry=Retry(attempts=2))
    assert (job.result(), job.attempt, runs) == (6, 1, [1, 2, 2, 2, 2, 2])


def test_without_progress_attempts_run_out(app: Windlass) -> None:
    def body(*, job: ActiveJob = this_job) -> None:
        job.step("a", int)
        raise AGAIN

    job = run(app, body, retry=Retry(attempts=2))
    assert (job.state, job.reason, len(job.errors)) == (State.FAILED, "attempts", 2)


def test_several_threads_of_a_task_have_steps_at_once(app: Windlass) -> None:
    def body(*, job: ActiveJob = this_job) -> list[int]:
        found: list[int] = []
        threads = [
            Thread(target=lambda number=number: found.append(job.step(f"{number}", int, number))) for number in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sorted(found)

    job = run(app, body)
    assert job.result() == list(range(8))
    assert sorted(step.name for step in job.steps()) == [f"{number}" for number in range(8)]


def test_async_steps(app: Windlass, calls: Calls) -> None:
    async def aget(number: int) -> int:
        await asyncio.sleep(0)
        return calls(number)

    async def body(*, job: ActiveJob = this_job) -> list[int]:
        with pytest.raises(ConfigError, match=r"use `await job.astep\(\)`"):
            job.step("a", int)
        one = await job.astep("one", aget, 1)
        many = await asyncio.gather(*(job.astep(f"{number}", aget, number) for number in range(3)))
        plain = await job.astep("plain", calls, "plain")
        late = await job.astep("late", lambda: aget(9), retry=Retry(attempts=2))
        if is_first_run():
            raise AGAIN
        return sorted([one, *many, plain, late])

    job = run(app, body)
    assert (job.result(), len(calls.made)) == ([1, 2, 3, 4, 5, 6], 6)


def test_an_async_function_in_a_plain_task_is_refused(app: Windlass) -> None:
    async def aget() -> int:
        return 1

    def body(*, job: ActiveJob = this_job) -> None:
        with pytest.raises(ConfigError, match=r"its function is async; use `await job.astep\(...\)`"):
            job.step("a", aget).close()

    assert run(app, body).state is State.COMPLETED


@pytest.mark.parametrize("task", ["stepping", "astepping"])
def test_steps_of_a_child_process(app: Windlass, task: str) -> None:
    """They are asked for through the worker: the child's own app stands on no store."""
    isolated(app)
    with app.worker():
        job = enqueue(app, task)
        first, last = job.result(timeout=PATIENCE)
        assert first <= last
    assert [(step.name, step.kind) for step in job.steps()] == [("once", "step"), ("#1", "sleep")]
    assert (job.refresh().attempt, [entry.kind for entry in job.timeline()].count("started")) == (2, 3)


def test_a_child_reads_the_results_of_a_group(app: Windlass, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """B35: from the store on which its own app stands; in a step, and again in the run after that."""
    monkeypatch.setenv(totals.URL, place.url)
    for task in totals.app.tasks:
        app.task(name=task.name, isolation="process")(task.function)
    with app.worker():
        members = [app.request("double", (number,)) for number in range(4)]
        flow = group(members).then(app.request("total", ())).enqueue()
        process, numbers, last = flow.result(timeout=PATIENCE)
    assert (numbers, last) == ([0, 2, 4, 6], [4, 6])
    assert process != os.getpid()
    assert flow.callback is not None
    assert [step.name for step in flow.callback.steps()] == ["read"]
    assert flow.callback.refresh().attempt == 2


def test_a_child_that_dies_after_its_step_has_the_new_budget(app: Windlass) -> None:
    """It dies three times, which is as often as a job may, and gets on in each run: so it goes on."""
    isolated(app)
    with app.worker():
        job = enqueue(app, "step_and_die", attempts=3)
        assert job.result(timeout=PATIENCE) == 3
    assert (job.refresh().attempt, len(job.errors)) == (2, 3)


def test_a_name_that_is_under_way_is_refused(app: Windlass) -> None:
    def body(*, job: ActiveJob = this_job) -> None:
        with pytest.raises(ConfigError, match="step 'a' is under way in this run already"):
            job.step("a", lambda: job.step("a", int))

    assert run(app, body).state is State.COMPLETED


def test_a_sleep_gives_the_slot_back(app: Windlass, calls: Calls) -> None:
    """F4: another job runs in the only slot meanwhile; no attempt is charged."""
    others = Event()

    @app.task
    def sleeper(*, job: ActiveJob = this_job) -> int:
        calls(job.attempt)
        job.sleep(0.2)
        assert others.is_set()
        return job.attempt

    @app.task
    def other() -> None:
        others.set()

    with app.worker(concurrency=1):
        job = sleeper.options(attempts=1).enqueue()
        other.enqueue()
        assert job.result(timeout=PATIENCE) == 1
    assert (calls.made, job.refresh().attempt) == ([1, 1], 1)


def test_a_sleep_passes_handlers_of_exceptions(app: Windlass) -> None:
    cleaned: list[str] = []

    def body(*, job: ActiveJob = this_job) -> str:
        try:
            job.sleep(0.05)
        except Exception:
            cleaned.append("swallowed")
        finally:
            cleaned.append("finally")
        return "done"

    task: Any = app.task(name="body")(body)
    with app.worker():
        job: Job[str] = task.enqueue()
        assert job.result(timeout=PATIENCE) == "done"
    assert cleaned == ["finally", "finally"]


def test_a_sleep_that_is_woken_early_sleeps_on(app: Windlass, calls: Calls) -> None:
    def body(*, job: ActiveJob = this_job) -> None:
        calls()
        job.sleep("1h", name="long")

    job = run(app, body)
    due = job.run_at
    assert (job.state, job.reason, job.attempt) == (State.SCHEDULED, "sleep", 0)
    assert job.why().startswith(f"it sleeps (long), as its task asked for, until {due:%Y-%m-%d %H:}")
    job.retry()
    work(app)
    assert (job.refresh().state, len(calls.made)) == (State.SCHEDULED, 2)
    assert abs((job.run_at - due).total_seconds()) < 1
    assert job.cancel()
    assert job.refresh().state is State.CANCELLED


def test_no_sleep_at_all_goes_on_at_once(app: Windlass) -> None:
    def body(*, job: ActiveJob = this_job) -> int:
        job.sleep(0)
        return 1

    job = run(app, body)
    assert (job.result(), [entry.kind for entry in job.timeline()].count("sleep")) == (1, 1)


def test_a_name_of_a_sleep_is_used_once(app: Windlass) -> None:
    def body(*, job: ActiveJob = this_job) -> None:
        job.sleep(0, name="a")
        with pytest.raises(ConfigError, match="the name 'a' was used before in this run"):
            job.sleep(0, name="a")

    assert run(app, body).state is State.COMPLETED


def test_an_async_sleep(app: Windlass) -> None:
    async def body(*, job: ActiveJob = this_job) -> int:
        with pytest.raises(ConfigError, match=r"use `await job.asleep\(\)`"):
            job.sleep(1)
        await job.asleep(0.05)
        return job.attempt

    task: Any = app.task(name="body")(body)
    with app.worker():
        job: Job[int] = task.enqueue()
        assert job.result(timeout=PATIENCE) == 1
    assert clock.now() >= job.refresh().steps()[0].wake_at.timestamp() * 1000  # type: ignore[union-attr]
