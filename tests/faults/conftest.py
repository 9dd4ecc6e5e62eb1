"""A file, an app to look at it with, and processes that work on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.process import Processes
from tests.worker.file import File
from windlass import Windlass


@pytest.fixture
def file(tmp_path: Path) -> Iterator[File]:
    with File(tmp_path / "jobs.db") as made:
        yield made


@pytest.fixture
def app(file: File) -> Windlass:
    """The test's own app: it knows the tasks by name only."""
    return file.app()


@pytest.fixture
def processes(file: File, tmp_path: Path) -> Iterator[Processes]:
    """Starts processes; all of them are gone when the test ends."""
    gates = tmp_path / "gates"
    gates.mkdir()
    started = Processes(file.url(), gates)
    yield started
    started.close()
