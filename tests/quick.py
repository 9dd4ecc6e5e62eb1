"""``--quick``: only the tests that need one SQLite file and no other process, for a run between two edits.

The rules are about what a test asks for, so a new test falls on the right side by itself; only modules that start
processes without a fixture, and tests that take long, are named here. Of several sets of parameters a test with a store
or a worker is tried with the first. ``make test`` runs everything.
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
    "api/test_imports.py",
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
_SLOW = (
    "api/test_strikes.py::",
    "core/test_codec_hostile.py::test_any_json_gives_a_value_or_a_payload_error",
    "core/test_cron.py::test_an_answer_is_always_later",
    "core/test_cron.py::test_every_minute_agrees",
    "core/test_fault.py::test_a_lower_limit_holds_too",
    "ledger/test_b08_time_limits.py::",
    "ledger/test_b35_groups.py::test_ten_thousand_members",
    "store/sqlite/test_group_commit.py::test_a_leader_that_is_struck_anywhere",
    "store/sqlite/test_writers.py::",
    "store/test_flow_graph.py::test_a_depth_of_10000_is_no_matter",
    "store/test_listener.py::test_a_server_that_does_not_answer",
    "worker/test_abandoned.py::",
    "worker/test_blocked_loop.py::",
    "worker/test_claim_size.py::test_a_worker_of_many_slots_takes_and_ends_large_jobs_in_portions",
    "worker/test_duties.py::test_a_slow_cleaning_holds_up_no_other_duty",
    "worker/test_fairness.py::test_a_weight_that_an_operator_changes_is_followed",
    "worker/test_figures.py::test_a_run_is_seen_long_before_the_next_heartbeat",
    "worker/test_heartbeat.py::test_busy_threads_do_not_delay_the_heartbeat",
    "worker/test_heartbeat.py::test_refusals_within_one_interval_are_one_missed_heartbeat",
    "worker/test_liveness.py::",
    "worker/test_many_queues.py::",
    "worker/test_run_log.py::test_runs_are_written_while_other_records_keep_coming",
    "worker/test_scheduling.py::test_no_other_duty_delays_a_fire",
    "worker/test_stopping.py::test_a_file_that_another_holds_locked_cannot_hold_the_worker",
    "worker/test_stopping.py::test_a_store_that_is_away_cannot_hold_the_worker",
    "worker/test_suspects.py::test_a_suspect_that_has_to_run_alone",
    "worker/test_suspects.py::test_what_comes_after_a_suspect",
    "worker/test_thread_limits.py::",
    "worker/test_vitals.py::",
)
"""Tests that compute for long, and tests of what happens after a second or more."""
_CHEAP = ("api", "core", "testing")
"""Folders whose tests run with all their parameters: most take less than a millisecond."""
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
    quick = _first_of_each([item for item in items if _is_quick(item)])
    kept = set(quick)
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = quick


def _first_of_each(items: list[pytest.Item]) -> list[pytest.Item]:
    """Once every test; in folders where that costs next to nothing once for each set of its parameters."""
    seen: dict[str, pytest.Item] = {}
    for item in items:
        is_cheap = _place(item.path).startswith(_CHEAP)
        seen.setdefault(item.nodeid if is_cheap else item.nodeid.partition("[")[0], item)
    return list(seen.values())


def _place(path: Path) -> str:
    return path.relative_to(_TESTS).as_posix()


def _is_kept(path: Path) -> bool:
    """Whether a folder or a module may hold such tests."""
    place = _place(path)
    return place.startswith(_FOLDERS) and not place.startswith((*_OTHER_STORES, *_PROCESSES))


def _is_quick(item: pytest.Item) -> bool:
    if item.get_closest_marker("timeout") is not None or not isinstance(item, pytest.Function):
        return False
    if not _is_kept(item.path) or _CHILD.search(item.name):
        return False
    if f"{_place(item.path)}::{item.name}".startswith(_SLOW):
        return False
    return _FIXTURES.isdisjoint(item.fixturenames) and _is_on_sqlite(item)


def _is_on_sqlite(item: pytest.Function) -> bool:
    """Whether none of its parameters names another store, another driver or an executor of processes."""
    values = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return not any(value in ("postgres", "redis", "sqlite-stdlib", "processes", "process") for value in values)
