"""Fixtures for pytest. Nothing of Windlass is loaded before a test asks for one of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from windlass.app import Windlass
    from windlass.testing.manual_clock import ManualClock


@pytest.fixture
def windlass_clock() -> ManualClock:
    """The clock of ``windlass_app``: stands still until the test moves it."""
    from windlass.testing.manual_clock import ManualClock

    return ManualClock()


@pytest.fixture
def windlass_app(windlass_clock: ManualClock, tmp_path: Path) -> Iterator[Windlass]:
    """An app of the test's own, on an empty SQLite file that goes with the test; closed afterwards."""
    from windlass.app import Windlass

    with Windlass(f"sqlite:///{tmp_path}/windlass.db?durability=normal", clock=windlass_clock) as app:
        yield app
