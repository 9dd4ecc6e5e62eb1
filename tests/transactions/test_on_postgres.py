"""What holds on PostgreSQL besides, whatever the library."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Barrier
from typing import Any

import asyncpg  # type: ignore[import-untyped]  # it brings no types
import psycopg
import psycopg2.extras  # type: ignore[import-untyped]  # nor does it
import pytest
from psycopg.rows import dict_row

from tests.places.place import wipe_postgres
from tests.transactions.callers.caller import Caller
from tests.transactions.places import POSTGRES, Shop
from tests.transactions.shop import Scene
from windlass import ConfigError, IdConflict, Job, StoreUnavailable, Unique, Windlass


def heard(listener: psycopg.Connection[Any]) -> list[str]:
    """The channels of all news that has come; asking the server something brings it along."""
    listener.execute("SELECT 1")
    return [notify.channel for notify in listener.notifies(timeout=0)]


@pytest.fixture
def listener(scene: Scene, opened: ExitStack) -> psycopg.Connection[Any]:
    listener = opened.enter_context(psycopg.connect(scene.shop.database, autocommit=True))
    listener.execute(f'LISTEN "{scene.shop.namespace}.work"')
    return listener


def test_news_goes_out_once_and_with_the_commit(
    scene: Scene, caller: Caller, listener: psycopg.Connection[Any]
) -> None:
    caller.enqueue(scene.app, scene.receipt, 7)
    caller.enqueue(scene.app, scene.receipt, 8)
    assert heard(listener) == []
    caller.commit()
    assert heard(listener) == [f"{scene.shop.namespace}.work"]


def test_no_news_of_what_was_rolled_back(scene: Scene, caller: Caller, listener: psycopg.Connection[Any]) -> None:
    caller.enqueue(scene.app, scene.receipt, 7)
    caller.rollback()
    assert heard(listener) == []


def test_a_store_that_does_not_listen_tells_nothing(
    scene: Scene, caller: Caller, listener: psycopg.Connection[Any], opened: ExitStack
) -> None:
    """For PostgreSQL refuses a two-phase commit after a NOTIFY."""
    app = opened.enter_context(Windlass(f"{scene.shop.url}?news=poll", namespace=scene.shop.namespace))
    with app.transaction(caller.connection):
        app.enqueue("receipt", 7)
    caller.commit()
    assert heard(listener) == []


def test_the_first_use_of_the_store_may_be_inside_a_transaction(shop: Shop, opened: ExitStack) -> None:
    new = f"{shop.namespace}_new"
    opened.callback(wipe_postgres, shop.database, new)
    app = opened.enter_context(Windlass(shop.url, namespace=new))
    with psycopg.connect(shop.database) as connection, app.transaction(connection):
        job = app.enqueue("receipt", 7)
    assert [found.id for found in app.jobs()] == [job.id]


def test_a_server_that_was_started_anew_is_still_the_same(scene: Scene, caller: Caller) -> None:
    home: Any = scene.app.client.driver
    home._home._known = "16384 as it was before"  # noqa: SLF001
    job = caller.enqueue(scene.app, scene.receipt, 7)
    caller.commit()
    assert scene.stored() == [job.id]


def test_a_serialisation_failure_says_that_the_transaction_must_begin_anew(scene: Scene, caller: Caller) -> None:
    once = scene.receipt.options(id="seven")
    caller.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    caller.execute(f"SELECT count(*) FROM {scene.shop.orders}")
    once.enqueue(7)
    with pytest.raises(StoreUnavailable, match="roll the transaction back and begin it anew"):
        caller.enqueue(scene.app, once, 7)
    caller.rollback()
    assert caller.enqueue(scene.app, once, 7).duplicate


def test_a_read_only_transaction_is_named_as_such(scene: Scene, caller: Caller) -> None:
    caller.execute("SET TRANSACTION READ ONLY")
    with pytest.raises(StoreUnavailable, match="the transaction is read-only; begin one that may write"):
        caller.enqueue(scene.app, scene.receipt, 7)
    caller.rollback()
    job = caller.enqueue(scene.app, scene.receipt, 7)
    caller.commit()
    assert scene.stored() == [job.id]


def test_a_closed_connection_is_a_clear_error(scene: Scene) -> None:
    caller = POSTGRES["psycopg"].open(scene.shop)
    caller.close()
    with pytest.raises(StoreUnavailable, match="connection is closed"):
        caller.enqueue(scene.app, scene.receipt, 7)


def test_a_connection_that_breaks_means_that_nothing_was_stored(scene: Scene, caller: Caller) -> None:
    caller.enqueue(scene.app, scene.receipt, 7)
    [(pid,)] = caller.connection.execute("SELECT pg_backend_pid()").fetchall()
    scene.shop.execute(f"SELECT pg_terminate_backend({pid}, 5000)")
    with pytest.raises(StoreUnavailable) as caught:
        caller.enqueue(scene.app, scene.receipt, 8)
    assert type(caught.value) is StoreUnavailable  # not OutcomeUnknown: nobody has asked for a commit
    assert scene.stored() == []


def test_a_cancelled_enqueue_leaves_the_transaction_usable(scene: Scene) -> None:
    async def story() -> None:
        async with await psycopg.AsyncConnection.connect(scene.shop.database) as theirs:
            async with await psycopg.AsyncConnection.connect(scene.shop.database) as ours:
                once = scene.receipt.options(unique="seven")
                await once.options(connection=theirs).aenqueue(7)
                waiting = asyncio.ensure_future(once.options(connection=ours).aenqueue(7))
                while not scene.shop.execute("SELECT 1 FROM pg_locks WHERE NOT granted"):
                    await asyncio.wait([waiting], timeout=0.005)
                waiting.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await waiting
                await ours.execute(scene.order)
                await ours.commit()
            await theirs.rollback()

    asyncio.run(story())
    assert scene.shop.order_count() == 1
    assert scene.stored() == []


def test_connections_that_make_something_else_of_rows_and_json(scene: Scene) -> None:
    once = scene.receipt.options(id="seven")
    with psycopg.connect(scene.shop.database, row_factory=dict_row, cursor_factory=psycopg.RawCursor) as connection:
        assert not once.options(connection=connection).enqueue(7).duplicate
    older = psycopg2.connect(scene.shop.database, cursor_factory=psycopg2.extras.RealDictCursor)
    assert once.options(connection=older).enqueue(7).duplicate
    older.close()

    async def with_codecs() -> None:
        connection = await asyncpg.connect(scene.shop.database)
        for name in ("json", "jsonb"):
            await connection.set_type_codec(name, encoder=json.dumps, decoder=json.loads, schema="pg_catalog")
        async with connection.transaction():
            assert (await once.options(connection=connection).aenqueue(7)).duplicate
            await scene.receipt.options(connection=connection, id="eight").aenqueue(8)
        await connection.close()

    asyncio.run(with_codecs())
    assert scene.stored() == ["eight", "seven"]


def test_a_pipeline_of_the_callers_is_joined(scene: Scene) -> None:
    taken = scene.receipt.options(id="seven").enqueue(7)
    with psycopg.connect(scene.shop.database) as connection, connection.pipeline():
        connection.execute(scene.order)
        with pytest.raises(IdConflict):
            scene.receipt.options(connection=connection, id="seven").enqueue(8)
        connection.execute(scene.order)
        job = scene.receipt.options(connection=connection).enqueue(8)
        assert scene.stored() == [taken.id]
    assert scene.shop.order_count() == 2
    assert scene.stored() == sorted([taken.id, job.id])


def test_an_async_pipeline_of_the_callers_is_joined(scene: Scene) -> None:
    async def story() -> None:
        async with await psycopg.AsyncConnection.connect(scene.shop.database) as connection, connection.pipeline():
            await connection.execute(scene.order)
            await scene.receipt.options(connection=connection).aenqueue_many([(7,), (8,)])
            assert scene.stored() == []

    asyncio.run(story())
    assert len(scene.stored()) == 2
    assert scene.shop.order_count() == 1


def test_what_failed_in_a_pipeline_before_is_not_taken_for_a_failure_of_the_store(scene: Scene) -> None:
    with psycopg.connect(scene.shop.database) as connection, connection.pipeline():
        connection.execute("INSERT INTO orderz VALUES (1)")
        with pytest.raises(StoreUnavailable, match=r"earlier statement of this pipeline .*orderz"):
            scene.receipt.options(connection=connection).enqueue(7)
    assert scene.stored() == []


def test_a_connection_without_an_encoding_is_like_any_other(scene: Scene) -> None:
    with psycopg.connect(scene.shop.database, client_encoding="SQL_ASCII") as connection:
        job = scene.receipt.options(connection=connection, meta={"for": "Zoë"}).enqueue(7)
    assert scene.app.job(job.id).meta == {"for": "Zoë"}


@pytest.mark.parametrize("connect", [psycopg.connect, psycopg2.connect])
def test_an_encoding_that_lacks_a_character_of_the_job_is_named(scene: Scene, connect: Callable[..., Any]) -> None:
    connection = connect(scene.shop.database, client_encoding="LATIN1")
    with pytest.raises(ConfigError, match="client_encoding cannot write '☃'"):
        scene.receipt.options(connection=connection, meta={"for": "☃"}).enqueue(7)
    job = scene.receipt.options(connection=connection, meta={"for": "Zoë"}).enqueue(7)
    connection.commit()
    connection.close()
    assert scene.app.job(job.id).meta == {"for": "Zoë"}


def test_a_connection_to_another_kind_of_database_is_refused(scene: Scene) -> None:
    caller = POSTGRES["sqlalchemy-connection-psycopg"].make("sqlite://")
    with pytest.raises(ConfigError, match="which is to sqlite"):
        scene.app.transaction(caller.connection)
    caller.close()


def test_fifty_transactions_debounce_one_job(scene: Scene) -> None:
    """B17: each waits for the commit of the one before it, and none gives up."""
    producers = 50
    together = Barrier(producers)

    @scene.app.task(unique=Unique(by=("user",), until="started", on_conflict="postpone", max_wait="10m"))
    def sync(user: int, number: int) -> None: ...

    def produce(number: int) -> Job[None]:
        with psycopg.connect(scene.shop.database) as connection:
            together.wait(60)
            with scene.app.transaction(connection):
                return sync.options(delay="1h").enqueue(1, number)

    with ThreadPoolExecutor(producers) as threads:
        jobs = list(threads.map(produce, range(producers)))
    assert sorted((job.duplicate, job.replaced) for job in jobs) == [(False, False)] + [(True, True)] * 49
    assert len(scene.app.jobs()) == 1
