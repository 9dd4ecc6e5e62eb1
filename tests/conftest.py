"""What all tests share: servers and places as fixtures, and Hypothesis settings that make a failure repeatable."""

from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.bytecode import compile_once

compile_once()  # before anything else of the tests is imported

from tests.records import Records  # noqa: E402
from windlass.worker import leaving  # noqa: E402

pytest_plugins = ["tests.quick", "tests.servers.fixtures", "tests.places.fixtures", "tests.faults.fixtures"]

# New examples in every run; a failure prints how to repeat it. Deadlines would measure the machine, not us.
settings.register_profile("ci", print_blob=True, derandomize=False, deadline=None)
settings.load_profile("ci")


@pytest.fixture
def caplog(request: pytest.FixtureRequest) -> Iterator[pytest.LogCaptureFixture]:
    """What was logged so far, also by threads that do not wait for handlers."""
    records = Records(request.node, _ispytest=True)
    yield records
    records._finalize()


@pytest.fixture(autouse=True)
def unhurried_workers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker of a test has the time to write what it must before it leaves, also on a machine that is busy. Tests of
    how soon it gives up on a store that does not answer are marked ``hurried``.
    """
    if request.node.get_closest_marker("hurried") is None:
        monkeypatch.setattr(leaving, "_LAST_WRITES", 10.0)
        monkeypatch.setattr(leaving, "_GOODBYE", 10.0)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes long, so that no process is left alone with it at the end."""
    items.sort(key=lambda item: item.get_closest_marker("timeout") is None)
