"""Fixtures for pytest; nothing is imported before a test uses one."""

from __future__ import annotations

from collections.abc import Iterator
from pkgutil import resolve_name
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from windlass.app import Windlass
    from windlass.testing.manual_clock import ManualClock


_SETTING = "windlass_app"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let pytest's settings name the app of ``windlass_app``."""
    parser.addini(_SETTING, "the app that the fixture windlass_app puts on a store of its own: shop.jobs:app")


@pytest.fixture
def windlass_clock() -> ManualClock:
    """The clock of ``windlass_app``: stands still until the test moves it."""
    from windlass.testing.manual_clock import ManualClock

    return ManualClock()


@pytest.fixture
def windlass_app(request: pytest.FixtureRequest, windlass_clock: ManualClock, tmp_path: Path) -> Iterator[Windlass]:
    """Your app, with its tasks, on an empty store that ends with the test; its own store is not touched.

    ``windlass_app = "shop.jobs:app"`` in pytest's settings names the app; without it, it is a new one.
    """
    from windlass.app import Windlass
    from windlass.testing.block import redirected

    url = f"sqlite:///{tmp_path}/windlass.db?durability=normal"
    named = request.config.getini(_SETTING)
    app = _resolved(str(named)) if named else Windlass(url)
    with redirected(app, url=url, clock=windlass_clock, pauses_workers=False) as block:
        app.migrate()  # so that a test may read before anything is enqueued
        yield app
    block.close()
    if not named:
        app.close()


def _resolved(name: str) -> Windlass:
    from windlass.app import Windlass

    try:
        found = resolve_name(name)
    except (ImportError, AttributeError, ValueError) as error:
        raise pytest.UsageError(
            f"{_SETTING} = {name!r} in pytest's settings: {error}; write a module that tests can import and the name "
            "of the app in it, as in shop.jobs:app"
        ) from error
    if not isinstance(found, Windlass):
        raise pytest.UsageError(f"{_SETTING} = {name!r} in pytest's settings: {found!r} is not a Windlass object")
    return found
