"""Somebody who reads without an end: the log grows, which is told, and shrinks when they have ended."""

from __future__ import annotations

import logging
from contextlib import closing
from pathlib import Path

import pytest

from tests.places.place import SqlitePlace
from tests.store.builders import new_job
from tests.store.stores import Store
from tests.waiting import eventually
from windlass import clock
from windlass.store.sqlite.address import parse_address
from windlass.store.sqlite.driver import SqliteDriver

MIB = 1024 * 1024
LARGE = 8 * MIB
KEPT = 16 * MIB
PAYLOAD = "x" * MIB


def test_a_log_that_grows_is_told_of_and_gives_its_room_back(
    place: SqlitePlace, caplog: pytest.LogCaptureFixture
) -> None:
    """Q6: a warning, once; after the reader has ended the log is small again."""
    log = Path(f"{place.path}-wal")
    driver = SqliteDriver(parse_address(place.url), prefix="windlass_", now=clock.now, deadline=5, large_log=LARGE)
    with closing(driver), caplog.at_level(logging.WARNING, "windlass.store"):
        store = Store(driver)
        store.enqueue(new_job())
        with closing(place.connect()) as reader:
            reader.execute("BEGIN")
            assert list(reader.execute("SELECT count(*) FROM windlass_job")) == [(1,)]
            while log.stat().st_size <= KEPT + LARGE:
                store.enqueue(new_job(payload=PAYLOAD))

            def has_all_refusals() -> bool:
                store.enqueue(new_job())
                return bool(caplog.messages)

            eventually(has_all_refusals)
            assert list(reader.execute("SELECT count(*) FROM windlass_job")) == [(1,)]
        [told] = caplog.messages
        assert told.startswith(f"{log} has grown to ")

        def is_small() -> bool:
            store.enqueue(new_job())
            return log.stat().st_size <= KEPT

        eventually(is_small)
        assert len(caplog.messages) == 1
