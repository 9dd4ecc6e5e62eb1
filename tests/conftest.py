"""What all tests share: servers and places as fixtures, and Hypothesis settings that make a failure repeatable."""

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.bytecode import compile_once

compile_once()  # before anything else of the tests is imported
os.environ.pop("PYTHONUNBUFFERED", None)  # it cuts the lines that processes print side by side into pieces

from tests.records import Records  # noqa: E402

pytest_plugins = ["tests.quick", "tests.servers.fixtures", "tests.places.fixtures", "tests.faults.fixtures"]

# New examples in every run; a failure prints how to repeat it. Deadlines would measure the machine, not us.
settings.register_profile("ci", print_blob=True, derandomize=False, deadline=None)
settings.load_profile("ci")


@pytest.fixture(scope="session", autouse=True)
def _signals_reach_programs() -> None:
    """Also under ``nohup`` or in the background: that a signal is ignored is inherited by what we start, a handler is
    not.
    """
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda number, frame: None)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def caplog(request: pytest.FixtureRequest) -> Iterator[pytest.LogCaptureFixture]:
    """What was logged so far, also by threads that do not wait for handlers."""
    records = Records(request.node, _ispytest=True)
    yield records
    records._finalize()  # noqa: SLF001


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes long, so that no process is left alone with it at the end."""
    items.sort(key=lambda item: item.get_closest_marker("timeout") is None)
