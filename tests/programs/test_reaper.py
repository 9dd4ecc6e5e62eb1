"""The process that ends what a dead worker has started."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator

import pytest

from tests.programs.running_programs import await_end, children, is_alive
from tests.waiting import PATIENCE
from windlass.programs.reaper import Reaper
from windlass.programs.reaper_main import MARKER

Start = Callable[[str], subprocess.Popen[bytes]]


@pytest.fixture
def reaper() -> Iterator[Reaper]:
    made = Reaper()
    yield made
    made.close()


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts a program with a mark, in a group of its own."""
    started: list[subprocess.Popen[bytes]] = []

    def make(mark: str) -> subprocess.Popen[bytes]:
        started.append(subprocess.Popen(["sleep", "1000"], env={MARKER: mark}, start_new_session=True))
        return started[-1]

    yield make
    for process in started:
        with process:
            process.kill()


def test_what_it_watches_ends_with_it(reaper: Reaper, start: Start) -> None:
    mark = reaper.expect()
    process = start(mark)
    reaper.settle(mark, process.pid)
    reaper.close()
    assert process.wait(PATIENCE) == -signal.SIGKILL


def test_what_was_just_starting_ends_with_it(reaper: Reaper, start: Start) -> None:
    """Nobody was there any more to tell its number."""
    process = start(reaper.expect())
    reaper.close()
    assert process.wait(PATIENCE) == -signal.SIGKILL


def test_what_has_ended_is_no_business_of_its_own_any_more(reaper: Reaper, start: Start) -> None:
    """Its number may be another's by then."""
    mark = reaper.expect()
    process = start(mark)
    reaper.settle(mark, process.pid)
    reaper.forget(process.pid)
    reaper.close()
    assert is_alive(process.pid)


def test_what_could_not_be_started_is_not_looked_for(reaper: Reaper, start: Start) -> None:
    mark = reaper.expect()
    process = start(mark)
    reaper.settle(mark, None)
    reaper.close()
    assert is_alive(process.pid)


def test_one_that_was_killed_is_replaced(reaper: Reaper, start: Start) -> None:
    """By one that knows what the first one knew."""
    before = children()
    mark = reaper.expect()
    [first] = children() - before
    process, starting = start(mark), start(reaper.expect())
    reaper.settle(mark, process.pid)
    os.kill(first, signal.SIGKILL)
    await_end(first)
    reaper.forget(1_000_000_000)
    [second] = {pid for pid in children() - before - {process.pid, starting.pid} if is_alive(pid)}
    assert second != first
    reaper.close()
    assert [process.wait(PATIENCE), starting.wait(PATIENCE)] == [-signal.SIGKILL] * 2
