"""What all tests share: servers and places as fixtures, and Hypothesis settings that make a failure repeatable."""

import gc
import os
import signal
from collections.abc import Generator, Iterator

import pytest
from hypothesis import settings

from tests.bytecode import compile_once

compile_once()  # before anything else of the tests is imported
os.environ.pop("PYTHONUNBUFFERED", None)  # it cuts the lines that processes print side by side into pieces

from tests.leeway import watch_machine  # noqa: E402
from tests.records import Records  # noqa: E402

pytest_plugins = [
    "tests.memory_folder",
    "tests.quick",
    "tests.servers.fixtures",
    "tests.places.fixtures",
    "tests.faults.fixtures",
]

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


@pytest.fixture(scope="session", autouse=True)
def _standstills_are_noted() -> None:
    """A bound of time grows by those: no test fails because nobody got a turn."""
    watch_machine()


@pytest.fixture
def caplog(request: pytest.FixtureRequest) -> Iterator[pytest.LogCaptureFixture]:
    """What was logged so far, also by threads that do not wait for handlers."""
    records = Records(request.node, _ispytest=True)
    yield records
    records._finalize()  # noqa: SLF001


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays until the end: the garbage collector need not look through it again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes long, so that no process is left alone with it at the end.

    Each process of a parallel run is given one stretch of the list: each stretch begins with its share.
    """
    shares = _shares_of_long(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))
    others = [item for item in items if not _patience(item)]
    dealt: list[pytest.Item] = []
    for number, share in enumerate(shares, 1):
        length = (len(items) - len(dealt)) // (len(shares) - number + 1)
        room = max(0, length - len(share)) if number < len(shares) else len(others)
        dealt += [*share, *others[:room]]
        del others[:room]
    items[:] = dealt


def _shares_of_long(items: list[pytest.Item], processes: int) -> list[list[pytest.Item]]:
    """Of about the same length; one test with several parameters stays in one, for some of those fill a machine."""
    tests: dict[str, list[pytest.Item]] = {}
    for item in filter(_patience, items):
        tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    shares: list[list[pytest.Item]] = [[] for _ in range(processes)]
    for test in sorted(tests.values(), key=_patience_of_all, reverse=True):
        min(shares, key=_patience_of_all).extend(test)
    return shares


def _patience_of_all(items: list[pytest.Item]) -> float:
    return sum(map(_patience, items))


def _patience(item: pytest.Item) -> float:
    """Seconds that a test may take, if it says so: those are the long ones."""
    mark = item.get_closest_marker("timeout")
    return 0.0 if mark is None else float(mark.args[0])
