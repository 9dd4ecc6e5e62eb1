"""Enqueueing: what can be said about a job, and what is refused before anything is stored."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.ledger import plain
from tests.ledger.apps import Apps, nothing_stored, work
from windlass import ActiveJob, ConfigError, PayloadError, Request, State, Windlass
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
    assert [job.priority for job in jobs] == [0, 3, 0]


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


def test_a_plain_function_is_registered_on_the_spot(app: Windlass) -> None:
    """A1: an undecorated function of a module is known as module:qualname and runs in this process's workers."""
    job = app.enqueue(plain.greet, "Ada", greeting="good day")
    assert job.task == "tests.ledger.plain:greet"
    work(app)
    assert job.result() == "good day Ada"


def test_another_process_resolves_a_plain_function_below_its_own_prefixes(app: Windlass, new_app: Apps) -> None:
    """A1: importable=[...] of the worker's app, not the producer's, lets it find the function."""
    job = app.enqueue(plain.greet, "Ada")
    work(new_app(importable=["tests.ledger."]), queues=["default"])
    assert job.result() == "hello Ada"


@pytest.mark.parametrize("importable", [[], ["tests.store."], ["tests.ledger.pla"], ["ledger."]])
def test_without_the_prefix_a_plain_function_waits_as_unknown(
    app: Windlass, new_app: Apps, importable: list[str]
) -> None:
    """A1: a worker that may not import it leaves the job, and why names the setting."""
    job = app.enqueue(plain.greet, "Ada")
    work(new_app(importable=importable), queues=["default"])
    job.refresh()
    assert (job.state, job.reason, job.attempt) == (State.SCHEDULED, "unknown_task", 0)
    assert "importable=" in job.why()


@pytest.mark.parametrize(
    "name",
    [
        "tests.ledger.unasked:run",  # a module that is not below the prefix
        "tests.ledger.unasked.run",  # no colon: the name of a declared task, or of nothing
        "tests.ledger.plain:getcwd",  # a name that the module only borrowed
        "tests.ledger.plain:missing",
        "tests.ledger.plain:greet.__globals__",
        "tests.ledger.plain:__doc__",
    ],
)
def test_no_other_stored_name_is_ever_imported(app: Windlass, new_app: Apps, name: str) -> None:
    """A1: what is not an own function of an allowed module waits as an unknown task."""
    [job] = app.enqueue_many([Request(name, (), {})])
    work(new_app(importable=["tests.ledger.plain"]), queues=["default"])
    assert job.refresh().reason == "unknown_task"
    assert "tests.ledger.unasked" not in sys.modules


class Greeter:
    def greet(self) -> None: ...

    def __call__(self) -> None: ...


def a_closure() -> Callable[[], int]:
    number = 1
    return lambda: number


@pytest.mark.parametrize("function", [lambda: None, a_closure(), Greeter().greet, Greeter(), 42])
def test_what_no_worker_could_find_is_refused(app: Windlass, function: Any) -> None:
    """A1: lambdas, closures and other nameless things are a clear error, with nothing stored."""
    with pytest.raises(ConfigError, match="top level of a module"):
        app.enqueue(function)
    assert nothing_stored(app)


@pytest.mark.parametrize("priority", [-101, 101, 1.5, "high", True])
def test_a_priority_out_of_range_is_refused(app: Windlass, priority: Any) -> None:
    """A1: the error names the bounds and the value; nothing is stored."""

    @app.task
    def noop() -> None: ...

    with pytest.raises(ConfigError, match=r"-100 to 100.*" + str(priority)):
        noop.options(priority=priority).enqueue()
    with pytest.raises(ConfigError, match="-100 to 100"):
        app.task(priority=priority)
    assert nothing_stored(app)


def test_an_unknown_option_is_refused_with_the_nearest_one(app: Windlass) -> None:
    """A1: a misspelt option of a job or of a task is an error that suggests the right one."""

    @app.task
    def noop() -> None: ...

    with pytest.raises(ConfigError, match="'prioritty'; did you mean 'priority'"):
        noop.options(prioritty=3)  # type: ignore[call-arg]
    with pytest.raises(ConfigError, match="unknown task option 'queu'; did you mean 'queue'"):
        app.task(queu="mail")  # type: ignore[call-overload]
    with pytest.raises(ConfigError, match="unknown option 'colour'; known are queue"):
        app.request(noop, colour="red")
    assert nothing_stored(app)


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"attempts": 0}, "attempts"),
        ({"attempts": 1.5}, "attempts"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": "soon"}, "timeout"),
        ({"timeout": -1}, "timeout"),
        ({"queue": "no spaces"}, "queue name"),
        ({"id": ""}, "job id"),
        ({"id": "x" * 129}, "job id"),
        ({"id": "two\nlines"}, "job id"),
        ({"unique": 42}, "unique"),
        ({"delay": "1m", "at": datetime(2026, 1, 1, tzinfo=UTC)}, "exclude each other"),
    ],
)
def test_an_option_with_a_wrong_value_is_refused(app: Windlass, options: Any, names: str) -> None:
    """A1: the error names the option; nothing is stored."""

    @app.task
    def noop() -> None: ...

    with pytest.raises(ConfigError, match=names):
        noop.options(**options).enqueue()
    assert nothing_stored(app)


def test_an_argument_that_cannot_be_stored_is_named(app: Windlass) -> None:
    """A1: the error names the argument and where in it the trouble lies; nothing is stored."""

    @app.task
    def send(user_id: int, settings: object = None) -> None: ...

    with pytest.raises(PayloadError, match=r"argument 'user_id'.*object"):
        send.enqueue(object())  # type: ignore[arg-type]
    with pytest.raises(PayloadError, match="argument 'name'"):
        app.enqueue(app.task(job_first), object())
    with pytest.raises(PayloadError, match=r"argument 'settings' \(at .colours\[1\]\)"):
        send.enqueue(1, settings={"colours": ["red", object()]})
    assert nothing_stored(app)


@pytest.mark.parametrize(
    ("args", "kwargs"), [((), {}), ((1, 2, 3), {}), ((1,), {"colour": "red"}), ((1,), {"user_id": 1})]
)
def test_a_call_that_the_function_would_not_take_is_refused(app: Windlass, args: Any, kwargs: Any) -> None:
    """A1: as when calling the function itself it is a TypeError, that names the task; nothing is stored."""

    @app.task(name="send")
    def send(user_id: int, subject: str = "") -> None: ...

    with pytest.raises(TypeError, match="task 'send'"):
        send.enqueue(*args, **kwargs)
    assert nothing_stored(app)


def test_two_functions_cannot_share_a_name(app: Windlass) -> None:
    """A1: a name means one function."""

    @app.task(name="send")
    def send() -> None: ...

    with pytest.raises(ConfigError, match="'send' is registered twice"):

        @app.task(name="send")
        def other() -> None: ...


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
