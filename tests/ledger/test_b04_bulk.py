"""Many jobs in one call: all of them or none."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ledger.apps import Apps, nothing_stored, work
from windlass import IdConflict, PayloadError, QueueFull, Request, State, Windlass


@pytest.fixture(autouse=True)
def _tasks(app: Windlass) -> None:
    @app.task(name="double")
    def double(number: int) -> int:
        return 2 * number

    @app.task(name="mail", queue="mail")
    def mail(to: str, *, subject: str = "") -> str:
        return f"{to}: {subject}"


def test_jobs_come_back_in_order(app: Windlass) -> None:
    """B4: the third handle is the third call's."""
    jobs = app.tasks[0].enqueue_many([(number,) for number in range(20)])
    work(app)
    assert [job.result() for job in jobs] == [2 * number for number in range(20)]
    assert [job.id for job in jobs] == sorted(job.id for job in jobs)


def test_requests_of_different_tasks(app: Windlass) -> None:
    """B4: mixed, with options of their own, in one call."""
    double, mail = app.tasks
    jobs = app.enqueue_many(
        [double.request(1), mail.request("ada", subject="hi"), double.options(delay="1h").request(2)]
    )
    work(app)
    assert [job.refresh().state for job in jobs] == [State.COMPLETED, State.COMPLETED, State.SCHEDULED]
    assert jobs[1].result() == "ada: hi"


def test_thousands_in_one_call(app: Windlass) -> None:
    """B4: five thousand, each with its own handle."""
    jobs = app.tasks[0].options(queue="many").enqueue_many([(number,) for number in range(5000)])
    assert len({job.id for job in jobs}) == 5000
    assert app.counts(queue="many")[State.PENDING] == 5000


def test_nothing_is_an_empty_list(app: Windlass) -> None:
    """B4: an empty bulk stores nothing and is no error."""
    assert app.enqueue_many([]) == []
    assert app.tasks[0].enqueue_many([]) == []
    assert app.jobs() == []


def bad_argument(app: Windlass) -> list[Request]:
    return [app.tasks[0].request(1), app.tasks[0].request(object())]


def conflicting_id(app: Windlass) -> list[Request]:
    app.tasks[0].options(id="taken", queue="other").enqueue(7)
    return [app.tasks[0].request(1), app.tasks[0].options(id="taken").request(8)]


def conflicting_ids_in_one_call(app: Windlass) -> list[Request]:
    return [app.tasks[0].options(id="mine").request(1), app.tasks[0].options(id="mine").request(2)]


def full_queue(app: Windlass) -> list[Request]:
    app.queue("mail").configure(max_length=1)
    return [app.tasks[0].request(1), app.tasks[1].request("a"), app.tasks[1].request("b")]


@pytest.mark.parametrize(
    ("build", "error"),
    [
        (bad_argument, PayloadError),
        (conflicting_id, IdConflict),
        (conflicting_ids_in_one_call, IdConflict),
        (full_queue, QueueFull),
    ],
)
def test_one_that_cannot_be_stored_stores_none(app: Windlass, build: Any, error: type[Exception]) -> None:
    """B4: all or none, whatever is wrong with one of them."""
    requests = build(app)
    before = app.jobs()
    with pytest.raises(error):
        app.enqueue_many(requests)
    assert app.jobs() == before


def test_a_call_that_the_function_would_not_take_stores_none(app: Windlass) -> None:
    """B4: neither does a wrong tuple, or something that is none."""
    with pytest.raises(TypeError, match="double"):
        app.tasks[0].enqueue_many([(1,), (2, 3)])
    with pytest.raises(Exception, match="tuples of arguments"):
        app.tasks[0].enqueue_many([1, 2])  # type: ignore[list-item]
    assert nothing_stored(app)


def test_a_bulk_is_seen_as_one(app: Windlass, new_app: Apps) -> None:
    """B4: another process sees all of it at once, under one time."""
    app.tasks[0].enqueue_many([(number,) for number in range(100)])
    assert len({job.created_at for job in new_app().jobs(limit=100)}) == 1
    assert new_app().counts()[State.PENDING] == 100


@pytest.mark.asyncio
async def test_async_code_enqueues_in_bulk_too(app: Windlass) -> None:
    """B4: from a task, from a task under options and from the app."""
    double, mail = app.tasks
    jobs = await double.aenqueue_many([(1,), (2,)])
    jobs += await double.options(priority=1).aenqueue_many([(3,)])
    jobs += await app.aenqueue_many([mail.request("ada")])
    assert [(await job.arefresh()).priority for job in jobs] == [0, 0, 1, 0]
    with pytest.raises(PayloadError):
        await app.aenqueue_many([double.request(4), double.request(object())])
    assert (await app.acounts())[State.PENDING] == 4
