"""An app in a file of its own, whose time is moved by hand; tests that need another app make it themselves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.slow_shutdown import unhurried
from windlass import Retry, Windlass
from windlass.testing import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def app(tmp_path: Path, clock: ManualClock) -> Iterator[Windlass]:
    with unhurried(Windlass(f"sqlite:///{tmp_path}/jobs.db", clock=clock)) as app:

        @app.task(name="noop")
        def noop() -> None: ...

        @app.task(name="fail", retry=Retry(attempts=2, base=60, jitter=0))
        def fail() -> None:
            raise OSError("broken")

        yield app
