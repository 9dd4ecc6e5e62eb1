"""The life of a child process, as those see it who look at it from several threads."""

from __future__ import annotations

import multiprocessing
from signal import pause

from windlass.worker.executors.processes.os_process import OsProcess


def test_one_that_was_reaped_can_still_be_asked() -> None:
    """W5: one thread reaps it while another looks how much memory it has."""
    life = OsProcess(multiprocessing.get_context("spawn").Process(target=pause))
    life.begin()
    life.kill()
    life.await_death()
    assert "SIGKILL" in life.end()
    assert life.memory() == 0
    life.kill()
    life.ask_to_stop()
