"""What holds on SQLite besides."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, nullcontext
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine
from sqlalchemy.orm import Session, scoped_session, sessionmaker
from sqlalchemy.pool import NullPool

from tests.ledger.apps import work
from tests.transactions.callers.caller import Caller
from tests.transactions.places import Shop
from tests.transactions.shop import Scene
from windlass import ConfigError, StoreNotFound, StoreUnavailable, Windlass


@pytest.fixture
def kind_name() -> str:
    return "sqlite3"


@pytest.fixture
def connection(shop: Shop) -> Iterator[sqlite3.Connection]:
    """The application's own, to a file that may not be there yet."""
    with closing(sqlite3.connect(shop.database, timeout=0)) as connection:
        yield connection


def test_the_first_use_of_the_store_may_be_inside_a_transaction_that_has_written(
    shop: Shop, connection: sqlite3.Connection
) -> None:
    connection.execute("CREATE TABLE orders (id integer)")
    connection.execute("INSERT INTO orders VALUES (1)")
    with Windlass(shop.url) as app:
        with app.transaction(connection):
            job = app.enqueue("receipt", 7)
        connection.commit()
        assert [found.id for found in app.jobs()] == [job.id]


def test_a_store_whose_first_use_was_rolled_back_is_made_later(shop: Shop, connection: sqlite3.Connection) -> None:
    with Windlass(shop.url) as app:
        with app.transaction(connection):
            app.enqueue("receipt", 7)
        connection.rollback()
        with pytest.raises(StoreNotFound):
            app.jobs()
        assert app.enqueue("receipt", 8).state == "pending"
        assert len(app.jobs()) == 1


def test_a_transaction_that_has_read_and_lost_its_turn_says_how_to_begin(scene: Scene, caller: Caller) -> None:
    caller.execute("BEGIN")
    caller.connection.execute("SELECT count(*) FROM orders").fetchall()
    scene.receipt.enqueue(1)
    with pytest.raises(StoreUnavailable, match="BEGIN IMMEDIATE"):
        caller.enqueue(scene.app, scene.receipt, 2)
    caller.rollback()
    caller.enqueue(scene.app, scene.receipt, 3)
    caller.commit()
    assert len(scene.stored()) == 2


def test_a_writer_that_does_not_finish_is_not_waited_for_longer_than_the_connection_says(
    scene: Scene, caller: Caller, connection: sqlite3.Connection
) -> None:
    connection.execute(scene.order)
    caller.execute("PRAGMA busy_timeout = 0")
    with pytest.raises(StoreUnavailable, match="another connection is writing"):
        caller.enqueue(scene.app, scene.receipt, 1)
    connection.commit()
    assert caller.enqueue(scene.app, scene.receipt, 2).id


def test_the_module_s_own_block_commits_the_job(scene: Scene, connection: sqlite3.Connection) -> None:
    with connection, scene.app.transaction(connection):
        connection.execute(scene.order)
        job = scene.receipt.enqueue(7)
    assert scene.stored() == [job.id]
    assert work(scene.app) == 1


def test_a_row_factory_changes_nothing(scene: Scene, connection: sqlite3.Connection) -> None:
    connection.row_factory = lambda cursor, row: dict(enumerate(row))
    once = scene.receipt.options(connection=connection, id="seven")
    assert (once.enqueue(7).duplicate, once.enqueue(7).duplicate) == (False, True)
    connection.commit()
    assert scene.stored() == ["seven"]


def test_a_scoped_session_stands_for_the_session_of_this_thread(scene: Scene) -> None:
    sessions = scoped_session(sessionmaker(create_engine(f"sqlite:///{scene.shop.database}", poolclass=NullPool)))
    with scene.app.transaction(sessions):
        job = scene.receipt.enqueue(7)
    assert scene.stored() == []
    sessions.commit()
    sessions.remove()
    assert scene.stored() == [job.id]


def test_a_session_without_a_database_is_refused(scene: Scene) -> None:
    with Session() as session, pytest.raises(ConfigError, match="does not say which database"):
        scene.app.transaction(session)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the module has no such switch yet")
@pytest.mark.parametrize(("autocommit", "is_refused"), [(True, True), (False, False)])
def test_the_newer_switch_of_the_module_is_understood(scene: Scene, autocommit: bool, is_refused: bool) -> None:
    options: dict[str, Any] = {"autocommit": autocommit}
    with closing(sqlite3.connect(scene.shop.database, **options)) as connection:
        once = scene.receipt.options(connection=connection)
        with pytest.raises(ConfigError) if is_refused else nullcontext():
            once.enqueue(7)
        connection.commit()
    assert len(scene.stored()) == (not is_refused)


def test_the_same_file_by_another_name_is_the_same(scene: Scene, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    with closing(sqlite3.connect(tmp_path / "link" / "shop.db")) as connection:
        job = scene.receipt.options(connection=connection).enqueue(7)
        connection.commit()
    assert scene.stored() == [job.id]


def test_a_database_in_memory_is_another(scene: Scene) -> None:
    with closing(sqlite3.connect(":memory:")) as connection, pytest.raises(ConfigError, match=r"another .*in memory"):
        scene.receipt.options(connection=connection).enqueue(7)


@pytest.mark.parametrize("url", ["sqlite:///jobs.db", "sqlite:///:memory:"])
def test_stores_that_no_other_connection_can_reach_refuse_and_say_why(
    url: str, connection: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: ExitStack
) -> None:
    monkeypatch.chdir(tmp_path)
    app = opened.enter_context(Windlass(url))
    with pytest.raises(ConfigError, match=r"\?driver=stdlib|keep it in a file"):
        app.transaction(connection)
