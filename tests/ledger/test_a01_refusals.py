"""What is refused at the call, before anything is stored."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.ledger.apps import nothing_stored
from windlass import ActiveJob, ConfigError, PayloadError, Windlass

pytestmark = pytest.mark.varied_on("sqlite")


def job_first(job: ActiveJob, name: str, number: int = 0) -> list[object]:
    return [job.attempt, name, number]


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
        noop.options(prioritty=3)  # type: ignore[call-overload]
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
