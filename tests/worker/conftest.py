"""Apps on one file of the test's own, by the real clock; two of them are two processes as far as the store can tell."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.worker.file import File
from tests.worker.tap import Tap, tapped
from windlass import Windlass


@pytest.fixture
def file(tmp_path: Path) -> Iterator[File]:
    """The test's database file."""
    with File(tmp_path / "jobs.db") as made:
        yield made


@pytest.fixture
def app(file: File) -> Windlass:
    return file.app()


@pytest.fixture
def tap(app: Windlass) -> Tap:
    """What lies between ``app`` and its store."""
    return tapped(app)
