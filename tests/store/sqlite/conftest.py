"""A file of the test's own, with either library, and a disk under it that fails when the test says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.c_libraries import build
from tests.faults.diskshim import SOURCE, Disk
from tests.places.place import SqlitePlace


@pytest.fixture(params=["", "?driver=stdlib"], ids=["apsw", "stdlib"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> SqlitePlace:
    """A file that does not exist yet."""
    return SqlitePlace(tmp_path / "jobs.db", request.param)


@pytest.fixture(scope="session")
def disk_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("diskshim") / "diskshim.so"
    build(SOURCE, library)
    return library


@pytest.fixture
def disk(place: SqlitePlace, disk_library: Path, tmp_path: Path) -> Disk:
    """For processes that are started ``under`` it."""
    return Disk(place.path, library=disk_library, folder=tmp_path / "disk")
