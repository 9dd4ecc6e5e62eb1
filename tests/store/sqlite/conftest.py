"""A file of the test's own, with either library."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.store.places import SqlitePlace


@pytest.fixture(params=["", "?driver=stdlib"], ids=["apsw", "stdlib"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> SqlitePlace:
    """A file that does not exist yet."""
    return SqlitePlace(tmp_path / "jobs.db", request.param)
