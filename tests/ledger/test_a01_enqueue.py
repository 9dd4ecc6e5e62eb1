"""Enqueueing: what can be said about a job."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.ledger.apps import nothing_stored, work
from windlass import ActiveJob, Windlass
from windlass.testing import ManualClock


def test_positional_and_keyword_arguments_reach_the_task(app: Windlass) -> None:
    """A1: a task is called with the arguments it was enqueued with."""

    @app.task
    def collect(*args: int, **kwargs: str) -> list[object]:
        return [*args, *sorted(kwargs.items())]

    job = collect.enqueue(1, 2, b="two", a="one")
    work(app)
    assert job.result() == [1, 2, ("a", "one"), ("b", "two")]


@pytest.mark.parametrize("enqueue", ["enqueue", "delay"])
def test_delay_is_another_name_for_enqueue(app: Windlass, enqueue: str) -> None:
    """A1: both spellings store a job."""

    @app.task
    def echo(value: int) -> int:
        return value

    job = getattr(echo, enqueue)(7)
    work(app)
    assert job.result() == 7


@pytest.mark.asyncio
async def test_async_code_enqueues_too(app: Windlass) -> None:
    """A1: the async forms store the same jobs."""

    @app.task
    def echo(value: int) -> int:
        return value

    jobs = [await echo.aenqueue(1), await echo.options(priority=3).aenqueue(2), await app.aenqueue(echo, 3)]
    assert [(await job.arefresh()).priority for job in jobs] == [0, 3, 0]


def test_a_task_is_enqueued_by_itself_by_name_or_through_the_app(app: Windlass) -> None:
    """A1: the app takes a task, a task under options, or a name."""

    @app.task(name="echo")
    def echo(value: int) -> int:
        return value

    jobs = [app.enqueue(echo, 1), app.enqueue("echo", 2), app.enqueue(echo.options(queue="other"), 3)]
    assert [(job.task, job.queue) for job in jobs] == [("echo", "default"), ("echo", "default"), ("echo", "other")]


@pytest.mark.parametrize(
    ("options", "column", "stored"),
    [
        ({"priority": 9}, "priority", 9),
        ({"priority": -100}, "priority", -100),
        ({"priority": 100}, "priority", 100),
        ({"attempts": 1}, "max_attempts", 1),
        ({"timeout": 30}, "timeout", 30_000),
        ({"timeout": "2m"}, "timeout", 120_000),
        ({"timeout": timedelta(hours=1)}, "timeout", 3_600_000),
        ({"timeout": None}, "timeout", None),
        ({"queue": "vip"}, "queue", "vip"),
        ({"id": "welcome-42"}, "id", "welcome-42"),
    ],
)
def test_an_option_is_stored_with_the_job(app: Windlass, options: Any, column: str, stored: object) -> None:
    """A1: priority, attempts, timeout, queue and own id are the job's."""

    @app.task
    def noop() -> None: ...

    job = app.job(noop.options(**options).enqueue().id)
    assert getattr(job.record, column) == stored


def test_metadata_travels_with_the_job(app: Windlass) -> None:
    """A1: metadata is stored and the task can read it."""

    @app.task
    def tenant(job: ActiveJob) -> object:
        return job.meta["tenant"]

    job = app.enqueue(tenant.options(meta={"tenant": "a", "limits": [1, 2]}))
    work(app)
    assert app.job(job.id).meta == {"tenant": "a", "limits": [1, 2]}
    assert job.result() == "a"


def job_first(job: ActiveJob, name: str, number: int = 0) -> list[object]:
    return [job.attempt, name, number]


def job_between(name: str, job: ActiveJob, number: int = 0) -> list[object]:
    return [job.attempt, name, number]


def job_by_name(name: str, number: int = 0, *, job: ActiveJob) -> list[object]:
    return [job.attempt, name, number]


@pytest.mark.varied_on("sqlite")
@pytest.mark.parametrize("function", [job_first, job_between, job_by_name])
@pytest.mark.parametrize(
    ("args", "kwargs"), [(("Ada", 7), {}), (("Ada",), {"number": 7}), ((), {"name": "Ada", "number": 7})]
)
def test_a_task_may_ask_for_its_job(app: Windlass, function: Any, args: Any, kwargs: Any) -> None:
    """A1: a parameter annotated ActiveJob is filled in, wherever it stands; callers do not count it."""
    job = app.enqueue(app.task(function), *args, **kwargs)
    work(app)
    assert job.result() == [1, "Ada", 7]


def test_what_a_task_says_holds_for_its_jobs_unless_they_say_otherwise(app: Windlass) -> None:
    """A1: options of the task are defaults; options of the job win, and the later of two wins."""

    @app.task(queue="mail", priority=5, timeout="1m")
    def noop() -> None: ...

    plain_job = noop.enqueue().refresh()
    special = noop.options(queue="vip", priority=1).options(priority=-1).enqueue().refresh()
    assert (plain_job.queue, plain_job.priority, plain_job.record.timeout) == ("mail", 5, 60_000)
    assert (special.queue, special.priority, special.record.timeout) == ("vip", -1, 60_000)


def test_calling_a_task_just_calls_the_function(app: Windlass) -> None:
    """A1: a registered function stays a function."""

    @app.task
    def double(number: int) -> int:
        """Twice as much."""
        return 2 * number

    assert double(21) == 42
    assert (double.__name__, double.__doc__) == ("double", "Twice as much.")
    assert nothing_stored(app)


def test_ids_sort_by_the_time_they_were_made(app: Windlass, clock: ManualClock) -> None:
    """A1: a job without an id of its own gets one that grows."""

    @app.task
    def noop() -> None: ...

    ids = []
    for _ in range(3):
        ids.append(noop.enqueue().id)
        clock.advance("1s")
    assert ids == sorted(ids)
    assert len(set(ids)) == 3
