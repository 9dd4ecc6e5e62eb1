"""What code may declare as a schedule, and what is rejected where it is declared; nothing here needs a store."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from windlass import ConfigError, Retry, Task, Unique, Windlass, current_job
from windlass.schedules.edit import edited_definition
from windlass.schedules.settings import ScheduleSettings, settings_of
from windlass.schedules.stored import definitions
from windlass.store.operations.schedules.definition import Definition, read_definition, write_definition


@pytest.fixture
def app() -> Iterator[Windlass]:
    with Windlass("sqlite:///:memory:") as app:
        yield app


def settings(app: Windlass, name: str) -> ScheduleSettings:
    return settings_of(app.client, name, definitions(app.client)[name])


def test_a_function_becomes_a_task_with_a_schedule(app: Windlass) -> None:
    @app.cron("30 9 * * mon-fri", tz="Europe/Berlin")
    def digest() -> str:
        return "sent"

    assert isinstance(digest, Task)
    assert digest() == "sent"
    said = settings(app, "digest")
    assert (said.cron, said.every, said.tz) == ("30 9 * * mon-fri", None, "Europe/Berlin")
    assert (said.catch_up, said.catch_up_limit, said.overlap, said.jitter) == ("latest", 10, "allow", timedelta(0))
    assert definitions(app.client)["digest"].job.task == digest.name


def test_a_task_keeps_its_own_options_and_the_schedule_may_say_otherwise(app: Windlass) -> None:
    @app.cron("@daily", name="night", queue="slow", args=[3], tags=("nightly",), meta={"tenant": "a"})
    @app.every("15m", attempts=1)
    @app.task(name="reports.build", queue="reports", priority=5, timeout="2m", retry=Retry(attempts=7))
    def build(days: int = 1) -> None: ...

    day, night = settings(app, "reports.build"), settings(app, "night")
    assert (day.every, day.queue, day.priority, day.attempts) == (timedelta(minutes=15), "reports", 5, 1)
    assert (night.cron, night.queue, night.priority, night.attempts) == ("@daily", "slow", 5, 7)
    assert (day.args, night.args, night.kwargs) == ((), (3,), {})
    assert (night.tags, night.meta, night.timeout) == (("nightly",), {"tenant": "a"}, timedelta(minutes=2))


def test_async_tasks_may_have_schedules(app: Windlass) -> None:
    @app.every(30)
    async def poll() -> None: ...

    assert poll.is_async
    assert settings(app, "poll").every == timedelta(seconds=30)


def test_equal_declarations_have_equal_texts(app: Windlass) -> None:
    """So that processes of one version agree that they are one."""

    def declared(app: Windlass) -> dict[str, str]:
        @app.cron("0 3 * * *", kwargs={"b": 1, "a": 2}, unique=Unique(), jitter="30s")
        @app.task(name="tidy")
        def tidy(**_: int) -> None: ...

        return {name: write_definition(one) for name, one in definitions(app.client).items()}

    with Windlass("sqlite:///:memory:") as other:
        assert declared(app) == declared(other)


def test_a_unique_key_is_worked_out_from_the_arguments(app: Windlass) -> None:
    @app.cron("0 3 * * *", args=[7], unique=Unique(by=("customer",), window="1h"))
    @app.task(name="bill")
    def bill(customer: int) -> None: ...

    said = definitions(app.client)["bill"]
    assert (said.unique_key or "").startswith("bill#")
    assert said.uniqueness is not None
    assert (said.uniqueness.until, said.uniqueness.window) == ("window", 3_600_000)


def test_a_concurrency_key_is_worked_out_from_the_arguments(app: Windlass) -> None:
    """It follows them when they are edited; a key of the schedule's own stays."""

    @app.cron("0 3 * * *", args=[7])
    @app.cron("0 4 * * *", args=[7], name="own", concurrency_key="mine")
    @app.task(name="bill", concurrency=1, concurrency_key=lambda customer: f"customer-{customer}")
    def bill(customer: int) -> None: ...

    said, own = definitions(app.client)["bill"], definitions(app.client)["own"]
    assert (said.others, own.others) == ({"concurrency_key": "bill\ncustomer-7"}, {"concurrency_key": "bill\nmine"})
    later = edited_definition(app.client, "bill", said, {"args": [8]})
    assert later.others == {"concurrency_key": "bill\ncustomer-8"}
    mine = edited_definition(app.client, "bill", said, {"concurrency_key": "k"})
    assert mine.others == {"concurrency_key": "bill\nk"}
    assert edited_definition(app.client, "bill", said, {"priority": 3}).others == said.others


def test_a_job_that_declares_one_is_not_the_parent_of_its_jobs(app: Windlass) -> None:
    from windlass.testing import inline

    @app.task
    def declare() -> str:
        app.every("1h", name="declared-inside")(other)
        return current_job().correlation_id

    @app.task
    def other() -> None: ...

    with inline(app):
        declare.enqueue().result()
    assert definitions(app.client)["declared-inside"].meta is None


def _nothing() -> None: ...


def _takes_one(value: int) -> None: ...


@pytest.mark.parametrize(
    ("expression", "options", "told"),
    [
        ("61 * * * *", {}, "schedule 'nothing': cron expression '61 * * * *': '61' is no minute"),
        ("0 0 31 2 *", {}, "never comes true"),
        ("", {}, "has 5 fields"),
        ("* * * * * *", {}, "`every`"),
        (5, {}, "cron must be a text, got 5"),
        ("@daily", {"tz": "Europe/Berlni"}, "there is no time zone 'Europe/Berlni'"),
        ("@daily", {"tz": 3}, "tz must be a text, got 3"),
        ("@daily", {"timezone": "UTC"}, "unknown schedule option 'timezone'"),
        ("@daily", {"delay": "5m"}, "unknown schedule option 'delay'"),
        ("@daily", {"catch_up": "none"}, "catch_up must be one of 'skip', 'latest', 'all'; got 'none'"),
        ("@daily", {"catch_up_limit": 0}, "catch_up_limit must be a whole number from 1 to 1000, got 0"),
        ("@daily", {"overlap": "never"}, "overlap must be one of 'allow', 'skip', 'buffer'; got 'never'"),
        ("@daily", {"jitter": "2d"}, "jitter must be at most a day"),
        ("@daily", {"jitter": "soon"}, "jitter must look like"),
        ("@daily", {"args": "abc"}, "args takes a list"),
        ("@daily", {"args": [1]}, "too many positional arguments"),
        ("@daily", {"queue": "a b"}, "queue name 'a b'"),
        ("@daily", {"priority": 101}, "priority must be"),
        ("@daily", {"unique": 7}, "unique must be"),
        ("@daily", {"name": "a b"}, "schedule name 'a b'"),
    ],
)
def test_bad_input_is_rejected_where_it_is_declared(
    app: Windlass, expression: Any, options: dict[str, Any], told: str
) -> None:
    with pytest.raises(ConfigError) as raised:
        app.cron(expression, **options)(app.task(name="nothing")(_nothing))
    assert told in str(raised.value)
    assert len(app.client.schedules) == 0


def test_a_call_that_does_not_fit_the_task_is_rejected(app: Windlass) -> None:
    with pytest.raises(ConfigError, match="schedule 'one': task 'one': missing a required argument: 'value'"):
        app.cron("@daily")(app.task(name="one")(_takes_one))


def test_an_argument_that_cannot_be_stored_is_rejected(app: Windlass) -> None:
    with pytest.raises(ConfigError, match="schedule 'one'"):
        app.cron("@daily", args=[object()])(app.task(name="one")(_takes_one))


@pytest.mark.parametrize(
    ("interval", "options", "told"),
    [
        ("0.5s", {}, "every must be at least one second"),
        ("3000000d", {}, "every must be at most 18,250 days, got '3000000d'"),
        ("often", {}, "must look like"),
        ("1h", {"tz": "Europe/Berlin"}, "tz='Europe/Berlin' belongs to a cron expression"),
    ],
)
def test_a_bad_interval_is_rejected(app: Windlass, interval: str, options: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError) as raised:
        app.every(interval, **options)(_nothing)
    assert told in str(raised.value)


def test_two_schedules_need_two_names(app: Windlass) -> None:
    task = app.cron("@daily")(app.task(name="nothing")(_nothing))
    with pytest.raises(ConfigError, match="schedule 'nothing' is declared twice"):
        app.every("1h")(task)
    with pytest.raises(ConfigError, match="for the tasks 'nothing' and 'other'"):
        app.cron("@daily", name="nothing", args=[1])(app.task(name="other")(_takes_one))


def test_a_task_of_another_app_is_rejected(app: Windlass) -> None:
    with Windlass("sqlite:///:memory:") as other:
        task = other.task(_nothing)
        with pytest.raises(ConfigError, match="belongs to another app"):
            app.cron("@daily")(task)


@pytest.fixture
def said(app: Windlass) -> Definition:
    @app.cron("30 2 * * *", tz="Europe/Berlin", kwargs={"days": 2}, meta={"tenant": "a"}, tags=("x",), unique=Unique())
    @app.task(name="report", queue="reports")
    def report(days: int = 1) -> None: ...

    return definitions(app.client)["report"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"cron": "@daily"}, {"cron": "@daily", "tz": "Europe/Berlin"}),
        ({"tz": "UTC"}, {"cron": "30 2 * * *", "tz": "UTC"}),
        ({"every": "1h"}, {"cron": None, "every": timedelta(hours=1), "tz": "UTC"}),
        ({"catch_up": "all", "catch_up_limit": 3}, {"catch_up": "all", "catch_up_limit": 3}),
        ({"overlap": "buffer", "jitter": 5}, {"overlap": "buffer", "jitter": timedelta(seconds=5)}),
        ({"queue": "slow", "priority": -5}, {"queue": "slow", "priority": -5}),
        ({"attempts": 9}, {"attempts": 9}),
        ({"timeout": None}, {"timeout": None}),
        ({"meta": {"b": 1}}, {"meta": {"b": 1}, "tags": ("x",)}),
        ({"tags": ("y", "z")}, {"meta": {"tenant": "a"}, "tags": ("y", "z")}),
        ({"unique": "mine"}, {"unique": "mine"}),
    ],
)
def test_an_edit_changes_what_it_names_and_nothing_else(
    app: Windlass, said: Definition, changes: dict[str, Any], expected: dict[str, Any]
) -> None:
    before, after = settings_of(app.client, "s", said), settings_of(app.client, "s", edited(app, said, changes))
    names = ScheduleSettings.__dataclass_fields__
    assert {name: getattr(after, name) for name in names} == {
        name: expected.get(name, getattr(before, name)) for name in names
    }


def test_a_unique_key_follows_the_arguments_it_was_made_from(app: Windlass, said: Definition) -> None:
    with pytest.raises(ConfigError, match="give unique= together"):
        edited(app, said, {"kwargs": {"days": 5}})
    changed = edited(app, said, {"kwargs": {"days": 5}, "unique": Unique()})
    assert settings_of(app.client, "s", changed).kwargs == {"days": 5}
    assert changed.unique_key != said.unique_key


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, "schedule 'report': nothing to change"),
        ({"cron": "61 * * * *"}, "schedule 'report': cron expression '61 * * * *'"),
        ({"cron": "@daily", "every": "1h"}, "give one of cron= and every="),
        ({"tz": "Nowhere"}, "there is no time zone 'Nowhere'"),
        ({"args": [1, 2]}, "too many positional arguments"),
        ({"colour": "red"}, "unknown schedule option 'colour'"),
    ],
)
def test_a_bad_edit_is_rejected(app: Windlass, said: Definition, changes: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError) as raised:
        edited(app, said, changes)
    assert told in str(raised.value)


def test_a_schedule_of_an_unknown_task_can_be_edited(said: Definition) -> None:
    """An operator's program may not have the code."""
    with Windlass("sqlite:///:memory:") as plain:
        changed = edited(plain, said, {"args": [4], "kwargs": {}, "unique": "k"})
        assert settings_of(plain.client, "s", changed).args == (4,)


def edited(app: Windlass, said: Definition, changes: dict[str, Any]) -> Definition:
    return read_definition(write_definition(edited_definition(app.client, "report", said, changes)))
