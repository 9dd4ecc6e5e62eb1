"""Which transaction a job becomes part of."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from threading import Thread

import psycopg
import pytest

from tests.transactions.callers.caller import Caller
from tests.transactions.places import SQLITE, Shop
from tests.transactions.shop import Scene
from windlass import AppClosed, ConfigError, Windlass


@pytest.fixture
def kind_name() -> str:
    return "sqlite3"


@pytest.fixture
def other(other_shop: Shop, opened: ExitStack) -> Scene:
    """A second app, on a database of its own."""
    return opened.enter_context(Scene(other_shop))


@pytest.fixture
def elsewhere(other: Scene) -> Iterator[Caller]:
    caller = SQLITE["sqlite3"].open(other.shop)
    yield caller
    caller.close()


def test_a_block_inside_a_block_of_the_same_connection_changes_nothing(scene: Scene, caller: Caller) -> None:
    with scene.app.transaction(caller.connection):
        with scene.app.transaction(caller.connection):
            scene.receipt.enqueue(1)
        scene.receipt.enqueue(2)
    assert scene.stored() == []
    caller.commit()
    assert len(scene.stored()) == 2


def test_the_inner_block_wins(scene: Scene, caller: Caller, opened: ExitStack) -> None:
    inner = SQLITE["sqlite3"].open(scene.shop)
    opened.callback(inner.close)
    with scene.app.transaction(caller.connection):
        with scene.app.transaction(inner.connection):
            kept = scene.receipt.enqueue(1)
        inner.commit()
        scene.receipt.enqueue(2)
    caller.rollback()
    assert scene.stored() == [kept.id]


def test_an_option_wins_over_a_block(scene: Scene, caller: Caller, opened: ExitStack) -> None:
    own = SQLITE["sqlite3"].open(scene.shop)
    opened.callback(own.close)
    with scene.app.transaction(caller.connection):
        kept = scene.receipt.options(connection=own.connection).enqueue(1)
    own.commit()
    caller.rollback()
    assert scene.stored() == [kept.id]


def test_a_block_ends_with_an_exception_too(scene: Scene, caller: Caller) -> None:
    with pytest.raises(ZeroDivisionError), scene.app.transaction(caller.connection):
        raise ZeroDivisionError
    assert scene.stored() == []
    job = scene.receipt.enqueue(1)
    assert scene.stored() == [job.id]


def test_two_apps_have_each_their_own(scene: Scene, caller: Caller, other: Scene, elsewhere: Caller) -> None:
    with scene.app.transaction(caller.connection), other.app.transaction(elsewhere.connection):
        ours, theirs = scene.receipt.enqueue(1), other.receipt.enqueue(1)
    assert scene.stored() == other.stored() == []
    caller.commit()
    elsewhere.commit()
    assert (scene.stored(), other.stored()) == ([ours.id], [theirs.id])


def test_another_thread_is_not_in_the_block(scene: Scene, caller: Caller) -> None:
    with scene.app.transaction(caller.connection):
        thread = Thread(target=scene.receipt.enqueue, args=(1,))
        thread.start()
        thread.join()
        assert len(scene.stored()) == 1


def test_a_task_that_outlives_the_block_does_not_use_its_connection(scene: Scene, caller: Caller) -> None:
    async def story() -> None:
        is_over = asyncio.Event()

        async def later() -> None:
            await is_over.wait()
            scene.receipt.options(id="later").enqueue(2)

        async with scene.app.transaction(caller.connection):
            started = asyncio.ensure_future(later())
            await asyncio.wait([started], timeout=0)
            scene.receipt.enqueue(1)
        caller.rollback()
        is_over.set()
        await started

    asyncio.run(story())
    assert scene.stored() == ["later"]


def test_one_call_cannot_be_split_over_two_connections(scene: Scene, caller: Caller, elsewhere: Caller) -> None:
    requests = [
        scene.receipt.options(connection=caller.connection).request(1),
        scene.receipt.options(connection=elsewhere.connection).request(2),
    ]
    with pytest.raises(ConfigError, match="need the same connection"):
        scene.app.enqueue_many(requests)
    with pytest.raises(ConfigError, match="need the same connection"):
        scene.app.enqueue_many([requests[0], scene.receipt.request(3)])
    with scene.app.transaction(caller.connection):
        scene.app.enqueue_many([requests[0], scene.receipt.request(3)])
    caller.commit()
    assert len(scene.stored()) == 2


def test_an_empty_call_in_a_block_waits_for_nobody(scene: Scene, caller: Caller) -> None:
    caller.execute(scene.order)
    with scene.app.transaction(caller.connection):
        assert scene.receipt.enqueue_many([]) == []


def test_every_way_to_enqueue_joins(scene: Scene, caller: Caller) -> None:
    with scene.app.transaction(caller.connection):
        scene.receipt.enqueue(1)
        scene.receipt.delay(2)
        scene.app.enqueue(scene.receipt, 3)
        scene.app.enqueue("elsewhere.task", 4)
        scene.app.enqueue_many([scene.receipt.request(5), scene.app.request("elsewhere.task", [6])])
    assert scene.stored() == []
    caller.commit()
    assert len(scene.stored()) == 6


@pytest.mark.parametrize("thing", [None, "conn", object(), 7])
def test_what_is_no_connection_is_refused_and_the_message_names_what_is(scene: Scene, thing: object) -> None:
    with pytest.raises(ConfigError, match=r"psycopg, psycopg2, asyncpg or sqlite3 .* got"):
        scene.app.transaction(thing)


def test_a_closed_app_joins_nothing(scene: Scene, caller: Caller) -> None:
    scene.app.close()
    with pytest.raises(AppClosed):
        scene.app.transaction(caller.connection)


def test_redis_says_that_it_cannot_and_what_to_do(redis_url: str, caller: Caller, opened: ExitStack) -> None:
    app = opened.enter_context(Windlass(redis_url))
    with pytest.raises(ConfigError, match=r"a Redis store cannot .* after your commit"):
        app.transaction(caller.connection)


def test_sqlite_says_that_a_connection_to_a_server_is_another_database(postgres_dsn: str, scene: Scene) -> None:
    with psycopg.connect(postgres_dsn) as connection, pytest.raises(ConfigError, match="which is to postgresql"):
        scene.app.transaction(connection)


def test_a_subclass_of_a_connection_is_one(scene: Scene) -> None:
    class Ours(sqlite3.Connection):
        pass

    with closing(sqlite3.connect(scene.shop.database, factory=Ours)) as connection:
        job = scene.receipt.options(connection=connection).enqueue(7)
        connection.commit()
    assert scene.stored() == [job.id]
