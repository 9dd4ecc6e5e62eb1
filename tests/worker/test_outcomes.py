"""What a task raises, and what becomes of its job. Nothing that user code does takes the worker down."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import Any

import pytest

from tests.ledger.apps import Apps
from tests.waiting import PATIENCE, eventually
from tests.worker.isolated.tasks import isolated
from tests.worker.odd_exceptions import ODD
from windlass import (
    PROGRAMMING_ERRORS,
    Cancel,
    Job,
    PermanentError,
    Retry,
    RetryableError,
    Snooze,
    State,
    Throttled,
    Windlass,
)
from windlass.testing import ManualClock

pytestmark = pytest.mark.only_on("sqlite")  # about executors; the ledger has the same promises on every store

KINDS = ["thread", "async"]


class Lazy(Snooze):
    """A subclass that forgot to say for how long."""

    def __init__(self) -> None:
        Exception.__init__(self)


def job_that_raises(app: Windlass, error: BaseException | type[BaseException], kind: str, **options: Any) -> Job[Any]:
    """A job of a task that raises this, after a worker with a single slot has run it and another job behind it."""

    @app.task(name="plain", **options)
    def plain() -> None:
        raise error

    @app.task(name="coroutine", **options)
    async def coroutine() -> None:
        raise error

    return after_a_run(app, plain if kind == "thread" else coroutine)


def after_a_run(app: Windlass, task: Any) -> Job[Any]:
    @app.task(name="neighbour", queue="beside")
    def neighbour() -> str:
        return "unharmed"

    job, behind = task.enqueue(), neighbour.enqueue()
    app.worker(concurrency=1).run_until_empty()
    assert behind.refresh().state == State.COMPLETED
    refreshed: Job[Any] = job.refresh()
    return refreshed


def has_run(job: Job[Any]) -> bool:
    return job.refresh().state is not State.RUNNING and job.attempt > 0


def due_in(job: Job[Any], clock: ManualClock) -> int:
    """Milliseconds."""
    return job.record.run_at - clock()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def app(new_app: Apps, clock: ManualClock) -> Windlass:
    return new_app(clock=clock, retry=Retry(base=7, jitter=0))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("error", ODD.values(), ids=ODD)
def test_whatever_is_raised_is_a_failed_attempt(
    app: Windlass, clock: ManualClock, error: BaseException, kind: str
) -> None:
    """A10: always a normal failed attempt: charged, retried by the rules, told in the history (W16)."""
    job = job_that_raises(app, error, kind)
    assert (job.state, job.attempt, due_in(job, clock)) == (State.RETRYING, 1, 7_000)
    [fault] = job.errors
    # Python itself turns it into a RuntimeError where it leaves a coroutine.
    is_replaced = kind == "async" and isinstance(error, StopIteration)
    assert fault.type.split(".")[-1] == ("RuntimeError" if is_replaced else type(error).__name__)


@pytest.mark.parametrize("task", ["odd", "aodd"])
def test_whatever_is_raised_in_a_child_is_a_failed_attempt(new_app: Apps, task: str) -> None:
    """A10: charged to that job alone; the child lives on (W16)."""
    app = new_app(retry=Retry(base=600))
    isolated(app)
    with app.worker(children=1):
        child, _ = app.enqueue("where").result(timeout=PATIENCE)
        jobs = {name: app.enqueue(task, name) for name in ODD}
        for name, job in jobs.items():
            eventually(partial(has_run, job), f"{name} has run")
            is_replaced = task == "aodd" and name == "StopIteration"
            assert (job.state, [fault.type.split(".")[-1] for fault in job.errors]) == (
                State.RETRYING,
                ["RuntimeError" if is_replaced else name],
            )
        assert app.enqueue("where").result(timeout=PATIENCE)[0] == child


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("error", "ending"),
    [
        (Snooze("10m"), (State.SCHEDULED, None, 0, 600_000)),
        (Throttled(), (State.SCHEDULED, "throttled", 0, 60_000)),
        (Throttled("429", retry_after="5s"), (State.SCHEDULED, "throttled", 0, 5_000)),
        (Throttled("429", retry_after=0), (State.SCHEDULED, "throttled", 0, 1_000)),
        (RetryableError("again"), (State.RETRYING, None, 1, 7_000)),
        (RetryableError("again", delay="30s"), (State.RETRYING, None, 1, 30_000)),
        (PermanentError("never"), (State.FAILED, "permanent", 1, 0)),
        (Cancel("enough"), (State.CANCELLED, None, 1, 0)),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_a_task_steers_its_own_job(
    app: Windlass, clock: ManualClock, error: Exception, ending: tuple[Any, ...], kind: str
) -> None:
    """A10: Snooze and Throttled charge nothing, RetryableError may say when, PermanentError and Cancel are final."""
    job = job_that_raises(app, error, kind)
    assert (job.state, job.reason, job.attempt, due_in(job, clock)) == ending


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("error", [Snooze("soon"), RetryableError(delay=-1), Throttled(retry_after="x"), Lazy()])
def test_an_impossible_wish_is_a_failed_attempt(app: Windlass, error: Exception, kind: str) -> None:
    """I11: a mistake in steering harms nobody else."""
    job = job_that_raises(app, error, kind)
    assert (job.state, job.attempt) == (State.RETRYING, 1)


@pytest.mark.parametrize(
    ("options", "error", "state"),
    [
        ({"give_up_on": (KeyError,)}, KeyError, State.FAILED),
        ({"give_up_on": (LookupError,)}, KeyError, State.FAILED),
        ({"give_up_on": (KeyError,)}, OSError, State.RETRYING),
        ({"retry_on": (OSError,)}, ConnectionResetError, State.RETRYING),
        ({"retry_on": (OSError,)}, ValueError, State.FAILED),
        ({"retry_on": ()}, OSError, State.FAILED),
        ({"retry_on": (OSError,), "give_up_on": (ConnectionError,)}, ConnectionResetError, State.FAILED),
        ({"retry_on": (OSError,)}, RetryableError, State.RETRYING),
        ({"give_up_on": (Exception,)}, RetryableError, State.RETRYING),
        ({"give_up_on": PROGRAMMING_ERRORS}, ModuleNotFoundError, State.FAILED),
        ({"give_up_on": (SystemExit,)}, SystemExit, State.FAILED),
    ],
    ids=str,
)
def test_a_task_says_which_errors_are_final(
    app: Windlass, options: dict[str, Any], error: type[BaseException], state: State
) -> None:
    """A10: retry_on and give_up_on lists."""
    job = job_that_raises(app, error, "thread", **options)
    assert (job.state, job.reason) == (state, "permanent" if state is State.FAILED else None)


@pytest.mark.parametrize("error", PROGRAMMING_ERRORS)
def test_programming_errors_may_be_final_for_the_whole_app(new_app: Apps, error: type[Exception]) -> None:
    """A10: one line per app; off by default."""
    assert job_that_raises(new_app(give_up_on=PROGRAMMING_ERRORS), error, "thread").reason == "permanent"


def test_programming_errors_are_retried_by_default(app: Windlass) -> None:
    """A10: off by default."""
    assert job_that_raises(app, TypeError, "thread").state == State.RETRYING


@pytest.mark.parametrize("custom", [lambda run: 1 / 0, lambda run: "soon", lambda run: None])
def test_a_custom_rule_that_fails_is_replaced_by_the_default_one(app: Windlass, custom: Callable[[int], Any]) -> None:
    """I11: the rule is user code too; the attempt is recorded and the slot is free again."""
    job = job_that_raises(app, ValueError("no"), "thread", retry=Retry(custom=custom))
    assert (job.state, job.attempt) == (State.RETRYING, 1)
    assert [fault.type for fault in job.errors] == ["ValueError"]


def cycle() -> list[object]:
    """A list that contains itself."""
    made: list[object] = []
    made.append(made)
    return made


class Sour:
    """A result that raises whatever way it is looked at."""

    def __getattribute__(self, name: str) -> object:
        raise RuntimeError("do not look at me")

    def __repr__(self) -> str:
        raise SystemExit("nor print me")


@pytest.mark.parametrize(
    "make",
    [
        object,
        lambda: float("nan"),
        lambda: {1, (2, open)},
        lambda: "\ud800",
        lambda: "x" * 2_000_000,
        lambda: Sour(),
        Lock,
        cycle,
        lambda: 10**1_000_000,
    ],
    ids=["object", "nan", "set", "surrogate", "large", "sour", "lock", "cycle", "digits"],
)
@pytest.mark.parametrize("kind", KINDS)
def test_a_result_that_cannot_be_stored_fails_the_job_without_another_run(
    app: Windlass, make: Callable[[], object], kind: str
) -> None:
    """P2: the work is done, so it is not done again; the error names what is wrong."""

    @app.task(name="plain")
    def plain() -> object:
        return make()

    @app.task(name="coroutine")
    async def coroutine() -> object:
        return make()

    job = after_a_run(app, plain if kind == "thread" else coroutine)
    assert (job.state, job.reason, job.attempt) == (State.FAILED, "result", 1)


def test_the_last_attempt_of_a_job_that_raises_fails_it(app: Windlass) -> None:
    """A10, A11: attempts=1 never retries; the reason can be filtered."""
    job = job_that_raises(app, ValueError("no"), "thread", retry=Retry(attempts=1))
    assert (job.state, job.reason) == (State.FAILED, "attempts")
    assert app.jobs(state="failed") == [job]
