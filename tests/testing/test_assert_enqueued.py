"""assert_enqueued: finds the job, or tells what was enqueued instead."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ledger import plain_functions
from windlass import ActiveJob, Windlass
from windlass.task import Task
from windlass.testing import assert_enqueued, drain


@pytest.fixture
def welcome(windlass_app: Windlass) -> Task[..., None]:
    @windlass_app.task(name="mail.welcome", queue="mail")
    def welcome(user_id: int, language: str = "en", *, retries: int = 0, **extra: str) -> None: ...

    return welcome


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((), {}),
        ((42,), {}),
        ((), {"user_id": 42}),
        ((42, "en"), {}),
        ((), {"language": "en", "retries": 0}),
        ((), {"channel": "sms"}),
        ((), {"queue": "mail"}),
    ],
)
def test_what_is_named_must_match(windlass_app: Windlass, welcome: Task[..., None], args: Any, kwargs: Any) -> None:
    job = welcome.enqueue(42, channel="sms")
    assert assert_enqueued(windlass_app, welcome, *args, **kwargs) == job


def test_the_newest_match_is_given(windlass_app: Windlass, welcome: Task[..., None]) -> None:
    welcome.enqueue(42)
    newest = welcome.enqueue(42, "de")
    welcome.enqueue(43)
    assert assert_enqueued(windlass_app, welcome, user_id=42) == newest


def test_a_job_that_has_run_was_enqueued_too(windlass_app: Windlass, welcome: Task[..., None]) -> None:
    welcome.enqueue(42)
    drain(windlass_app)
    assert assert_enqueued(windlass_app, welcome, 42).done


def test_a_task_by_name_or_as_a_plain_function(windlass_app: Windlass, welcome: Task[..., None]) -> None:
    welcome.enqueue(42)
    assert_enqueued(windlass_app, "mail.welcome", 42)
    windlass_app.enqueue(plain_functions.greet, "Ada")
    assert_enqueued(windlass_app, plain_functions.greet, name="Ada")
    windlass_app.enqueue("elsewhere", 1, key="value")
    assert_enqueued(windlass_app, "elsewhere", 1, key="value")


def test_the_job_parameter_does_not_count(windlass_app: Windlass) -> None:
    @windlass_app.task
    def send(job: ActiveJob, user_id: int) -> None: ...

    windlass_app.enqueue(send, 42)
    assert_enqueued(windlass_app, send, 42)
    assert_enqueued(windlass_app, send, user_id=42)


def message(app: Windlass, *args: Any, **kwargs: Any) -> str:
    with pytest.raises(AssertionError) as raised:
        assert_enqueued(app, *args, **kwargs)
    return str(raised.value)


def test_near_misses_are_told(windlass_app: Windlass, welcome: Task[..., None]) -> None:
    welcome.options(id="a").enqueue(41)
    welcome.options(id="b").enqueue(42, "de")
    welcome.options(id="c", queue="vip").enqueue(42, "fr")
    assert message(windlass_app, welcome, 42, language="fr", queue="mail") == (
        "no job of 'mail.welcome' with user_id=42, language='fr' in queue 'mail' was enqueued; near misses:\n"
        "  c: in queue 'vip'\n"
        "  b: language='de'\n"
        "  a: user_id=41, language='en'"
    )


def test_only_some_near_misses_are_told(windlass_app: Windlass, welcome: Task[..., None]) -> None:
    welcome.enqueue_many([(number,) for number in range(8)])
    lines = message(windlass_app, welcome, 42).splitlines()
    assert len(lines) == 7
    assert lines[-1] == "  and 3 more"


def test_other_tasks_are_told(windlass_app: Windlass, welcome: Task[..., None]) -> None:
    assert message(windlass_app, welcome) == "no job of 'mail.welcome' was enqueued; there are no jobs at all"
    windlass_app.enqueue_many([windlass_app.request("a"), windlass_app.request("b"), windlass_app.request("b")])
    assert message(windlass_app, welcome).endswith("there are jobs of 'b' (2), 'a' (1)")


def test_an_argument_that_was_not_given_is_told(windlass_app: Windlass) -> None:
    windlass_app.enqueue_many([windlass_app.request("elsewhere", (1,), id="mine")])
    assert "mine: argument 1=1, key='not given'" in message(windlass_app, "elsewhere", 2, key="value")


def test_a_call_that_the_task_would_not_take_is_a_type_error(windlass_app: Windlass) -> None:
    @windlass_app.task
    def send(user_id: int) -> None: ...

    with pytest.raises(TypeError, match="colour"):
        assert_enqueued(windlass_app, send, colour="red")
