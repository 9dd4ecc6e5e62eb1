"""exists: whether there is a store, without making one."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.places.fixtures import PlaceOn
from tests.store.conftest import STORES
from windlass.store.open import open_driver
from windlass.store.operation import Call, Lane


@pytest.mark.parametrize("kind", STORES)
def test_a_store_exists_from_its_first_write_on(place_on: PlaceOn, kind: str) -> None:
    place = place_on(kind)
    with closing(place.open(now=None)) as driver:
        driver.execute(Call("queue_ensure", {"queues": [("mail", None, None)]}))
        assert driver.exists()
        driver.execute(Call("counts", {"queue": None}, Lane.READ))
    with closing(place.open(now=None)) as another:
        assert another.exists()


@pytest.mark.parametrize("kind", STORES)
def test_looking_for_a_store_makes_none(place_on: PlaceOn, kind: str) -> None:
    for _ in range(2):
        with closing(open_driver(place_on(kind).url, namespace="nobodys")) as driver:
            assert not driver.exists()


@pytest.mark.parametrize("library", ["apsw", "stdlib"])
def test_looking_into_the_file_of_another_program_leaves_it_as_it_is(tmp_path: Path, library: str) -> None:
    """Using it would switch it to WAL mode."""
    file = tmp_path / "shop.db"
    with closing(sqlite3.connect(file)) as shop:
        shop.execute("CREATE TABLE orders (number INTEGER)")
    before = file.read_bytes()
    with closing(open_driver(f"sqlite:///{file}?driver={library}")) as driver:
        assert not driver.exists()
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["shop.db"]


def test_a_folder_that_is_not_there_has_no_store(tmp_path: Path) -> None:
    with closing(open_driver(f"sqlite:///{tmp_path}/nowhere/jobs.db")) as driver:
        assert not driver.exists()
    assert list(tmp_path.iterdir()) == []
