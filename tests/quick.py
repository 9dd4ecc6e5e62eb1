"""``--quick``: only the tests that need one SQLite file and no other process, for a run between two edits.

The rules are about what a test asks for, so a new test falls on the right side by itself; only modules that start
processes without a fixture are named here. ``make test`` runs everything.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

_TESTS = Path(__file__).parent
_FOLDERS = ("api", "core", "ledger", "store", "testing", "worker")
_OTHER_STORES = tuple(f"store/{folder}" for folder in ("pooler", "postgres", "redis"))
_FIXTURES = frozenset(
    "disk far far_app node pooled_dsn postgres_dsn processes program proxy redis_url shop".split()  # noqa: SIM905
)
"""Of servers, of other processes, and of disks that are made for a test."""
_PROCESSES = (
    "api/test_extras.py",
    "ledger/test_b11_",
    "ledger/test_b38_health.py",
    "ledger/test_c11_commands.py",
    "store/sqlite/test_fork.py",
    "store/sqlite/test_killed_openings.py",
    "store/sqlite/test_power_loss.py",
    "store/test_processes.py",
    "testing/test_plugin.py",
    "worker/test_children.py",
    "worker/test_processes.py",
)
"""Tests that start processes without a fixture."""
_CHILD = re.compile(r"child|isolated|process")
"""In the name of a test that is about child processes."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="only tests on SQLite that start no server and no process")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Reading ten thousand tests takes longer than running most of them: leave out what no rule would keep."""
    if not config.getoption("--quick") or _TESTS not in collection_path.parents:
        return None
    return True if not _is_kept(collection_path) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--quick"):
        return
    slow = [item for item in items if not _is_quick(item)]
    config.hook.pytest_deselected(items=slow)
    items[:] = [item for item in items if _is_quick(item)]


def _is_kept(path: Path) -> bool:
    """Whether a folder or a module may hold such tests."""
    place = path.relative_to(_TESTS).as_posix()
    return place.startswith(_FOLDERS) and not place.startswith((*_OTHER_STORES, *_PROCESSES))


def _is_quick(item: pytest.Item) -> bool:
    if item.get_closest_marker("timeout") is not None or not isinstance(item, pytest.Function):
        return False
    if not _is_kept(item.path) or _CHILD.search(item.name):
        return False
    return _FIXTURES.isdisjoint(item.fixturenames) and _is_on_sqlite(item)


def _is_on_sqlite(item: pytest.Function) -> bool:
    """Whether none of its parameters names another store, another driver or an executor of processes."""
    values = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return not any(value in ("postgres", "redis", "sqlite-stdlib", "processes", "process") for value in values)
