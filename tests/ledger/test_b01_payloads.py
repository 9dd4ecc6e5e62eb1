"""What a job carries, and that it comes back exactly."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Any
from uuid import UUID

import pydantic
import pytest

from tests.ledger.apps import Apps, work
from windlass import PayloadError, Windlass, current_job
from windlass.testing import ManualClock


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Size(IntEnum):
    SMALL = 1


@dataclass(frozen=True)
class Address:
    street: str
    number: int


@dataclass
class Person:
    name: str
    home: Address
    born: date | None = None


class Order(pydantic.BaseModel):
    sku: str
    amount: Decimal


VALUES = [
    None,
    True,
    42,
    2**80,
    1.5,
    "grüße 🚀",
    "",
    [1, [2, "three"]],
    {"a": {"b": [1]}},
    {"$": "not a tag", "#": 1},
    {1: "one", (2, 3): "pair"},
    datetime(2026, 3, 1, 12, 30, 15, 123456, tzinfo=UTC),
    datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=5, minutes=30))),
    datetime(2026, 3, 1, 12, fold=1),  # noqa: DTZ001  # arguments may be naive: only instants of ours may not
    date(2026, 3, 1),
    time(12, 30),
    timedelta(days=-1, microseconds=1),
    b"\x00\xff",
    Decimal("1.10"),
    UUID("12345678-1234-5678-1234-567812345678"),
    {1, 2, 3},
    frozenset({"a"}),
    (1, "two", (3.0,)),
    [(1,), {2}, b"3", {"when": date(2026, 1, 1)}],
]


@pytest.mark.varied_on("sqlite")
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_comes_back_exactly(app: Windlass, value: Any) -> None:
    """B1: as an argument and as a result, with its type."""
    seen: list[object] = []

    @app.task
    def echo(value: Any, *, again: Any) -> Any:
        seen.extend([value, again])
        return value

    job = echo.enqueue(value, again=value)
    work(app)
    for copy in (*seen, job.result()):
        assert copy == value
        assert type(copy) is type(value)
        assert repr(copy) == repr(value)


def test_classes_come_back_by_annotation(app: Windlass) -> None:
    """B1: Enum, dataclass and Pydantic model are rebuilt from what the task says of its parameters."""
    person = Person("Ada", Address("Main Street", 7), date(1815, 12, 10))

    @app.task
    def echo(person: Person, colours: list[Colour], size: Size, order: Order) -> Person:
        assert colours == [Colour.RED, Colour.BLUE]
        assert size is Size.SMALL
        assert order == Order(sku="A-1", amount=Decimal("9.90"))
        return person

    job = echo.enqueue(person, [Colour.RED, Colour.BLUE], Size.SMALL, order=Order(sku="A-1", amount=Decimal("9.90")))
    work(app)
    assert job.result() == person
    assert type(job.result()) is Person


def test_classes_come_back_by_registration(new_app: Apps) -> None:
    """B1: types=[...] of the app serves where there is no annotation."""
    app = new_app(types=[Address, Colour])

    @app.task
    def echo(anything: Any) -> Any:
        return anything

    job = echo.enqueue({"home": Address("Main Street", 7), "colour": Colour.RED})
    work(app)
    assert job.result() == {"home": Address("Main Street", 7), "colour": Colour.RED}


def test_a_class_that_nobody_named_is_refused(app: Windlass) -> None:
    """B1: with the two ways to name it."""

    @app.task
    def echo(anything: Any) -> None: ...

    with pytest.raises(PayloadError, match=r"Address.*annotate.*types=\["):
        echo.enqueue(Address("Main Street", 7))


def test_a_payload_is_json_that_others_can_read(app: Windlass) -> None:
    """B1: a format version, args and kwargs; never pickle."""

    @app.task
    def send(user_id: int, *, at: datetime, to: str) -> None: ...

    job = send.enqueue(42, to="ada", at=datetime(2026, 3, 1, tzinfo=UTC)).refresh()
    payload = json.loads(job.record.payload)
    assert (payload["v"], payload["args"], payload["kwargs"]["to"]) == (1, [42], "ada")
    assert payload["kwargs"]["at"]["$"] == "datetime"


def test_a_job_carries_what_it_was_given(app: Windlass) -> None:
    """B1: type, queue, priority, attempts, time limit, metadata, tags and correlation id."""

    @app.task(name="noop", queue="mail", priority=5, timeout="2m")
    def noop() -> None: ...

    job = noop.options(attempts=2, meta={"tenant": "a"}, tags=("one", "two"), correlation_id="request-7").enqueue()
    job.refresh()
    assert (job.task, job.queue, job.priority, job.max_attempts) == ("noop", "mail", 5, 2)
    assert (job.record.timeout, job.meta, job.tags) == (120_000, {"tenant": "a"}, ("one", "two"))
    assert job.correlation_id == "request-7"


def test_ids_are_ulids(app: Windlass, clock: ManualClock) -> None:
    """B1: 26 characters that begin with the time, unless the user gives one."""

    @app.task
    def noop() -> None: ...

    job = noop.enqueue()
    assert re.fullmatch(r"[0-7][0-9A-HJKMNP-TV-Z]{25}", job.id)
    alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    milliseconds = 0
    for letter in job.id[:10]:
        milliseconds = milliseconds * 32 + alphabet.index(letter)
    assert milliseconds == clock()
    assert noop.options(id="my own").enqueue().id == "my own"


def test_a_job_without_a_correlation_id_has_its_own(app: Windlass) -> None:
    """B1: so that there always is one to search for."""

    @app.task
    def noop() -> None: ...

    job = noop.enqueue()
    assert job.correlation_id == job.id


@pytest.mark.parametrize("kind", ["thread", "loop"])
def test_jobs_that_a_job_enqueues_inherit_its_correlation_id(app: Windlass, kind: str) -> None:
    """B1: through any number of generations, from functions and coroutines."""

    @app.task(name="noop")
    def noop() -> str:
        return current_job().correlation_id

    if kind == "thread":

        @app.task(name="parent")
        def parent(generations: int) -> None:
            if generations:
                parent.options(id=f"parent-{generations - 1}").enqueue(generations - 1)
            else:
                noop.options(id="child").enqueue()
    else:

        @app.task(name="parent")
        async def async_parent(generations: int) -> None:
            if generations:
                await async_parent.options(id=f"parent-{generations - 1}").aenqueue(generations - 1)
            else:
                await noop.options(id="child").aenqueue()

    [ancestor] = app.enqueue_many([app.request("parent", (2,), correlation_id="request-7")])
    work(app)
    assert ancestor.correlation_id == "request-7"
    assert app.job("parent-0").correlation_id == "request-7"
    assert app.job("child").result() == "request-7"


def test_an_own_correlation_id_wins_over_the_inherited_one(app: Windlass) -> None:
    """B1: a job may begin a request of its own."""

    @app.task(name="noop")
    def noop() -> None: ...

    @app.task(name="parent")
    def parent() -> None:
        noop.options(id="child", correlation_id="another").enqueue()

    parent.options(correlation_id="request-7").enqueue()
    work(app)
    assert app.job("child").correlation_id == "another"
