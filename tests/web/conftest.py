"""An app with a few tasks, by a clock that the test moves, and a client of its API."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.ledger.apps import Apps
from tests.places.place import Place
from tests.web.http import Http
from windlass import Retry, Windlass
from windlass.testing import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def app(place: Place, clock: ManualClock) -> Iterator[Windlass]:
    with Apps(place, clock=clock) as new_app:
        app = new_app()

        @app.task(name="mail.welcome", queue="mail")
        def welcome(user_id: int, password: str = "") -> str:
            """Say hello."""
            return f"welcome {user_id}"

        @app.task(name="broken", retry=Retry(attempts=1))
        def broken(text: str = "bad") -> None:
            raise ValueError(text)

        yield app


@pytest.fixture
def http(app: Windlass) -> Http:
    return Http(app)
