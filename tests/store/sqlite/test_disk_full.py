"""A full disk: calls fail with a clear word, nothing acknowledged is lost, and all works when space returns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.places.place import SqlitePlace
from tests.servers.small_disk import mounted
from tests.store.builders import new_job
from tests.store.sqlite.files import is_intact
from tests.store.stores import Store, open_store
from windlass.errors import StoreUnavailable
from windlass.store.operations import queries

PAYLOAD = "x" * 20_000


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one MiB."""
    with mounted(tmp_path / "disk", size="1m") as folder:
        yield folder


def fill(store: Store, prefix: str) -> list[str]:
    """Enqueue until the store refuses; the ids that were acknowledged."""
    acknowledged: list[str] = []
    refusal = ""
    for number in range(1000):
        id = f"{prefix}{number}"
        try:
            store.enqueue(new_job(id, payload=PAYLOAD))
        except StoreUnavailable as error:
            refusal = str(error)
            break
        acknowledged.append(id)
    assert "the disk is full" in refusal
    return acknowledged


@pytest.mark.parametrize("options", ["", "?driver=stdlib"])
def test_a_full_disk_loses_nothing_and_heals(small_disk: Path, options: str) -> None:
    """A17, Q2: StoreUnavailable, nothing lost, works again when space returns (I10)."""
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(300_000))
    reserve = small_disk / "reserve"
    reserve.write_bytes(bytes(100_000))
    place = SqlitePlace(small_disk / "jobs.db", options)
    with open_store(place) as store:
        stored = fill(store, "a")
        assert sorted(store.run(queries.find(stored))) == sorted(stored)
        assert store.count() == len(stored)
        ballast.unlink()
        stored += fill(store, "b")
        assert store.count() == len(stored) > 0
        assert any(id.startswith("b") for id in stored), "it went on when space returned"
        reserve.unlink()
        store.enqueue(new_job())
    assert is_intact(place)


def test_a_disk_that_is_full_for_the_first_call_may_be_used_later(small_disk: Path) -> None:
    """Q2: works again without a restart (I8)."""
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(1024 * 1024 - 4096))
    with open_store(SqlitePlace(small_disk / "jobs.db")) as store:
        with pytest.raises(StoreUnavailable):
            store.enqueue(new_job())
        ballast.unlink()
        store.enqueue(new_job())
        assert store.count() == 1
