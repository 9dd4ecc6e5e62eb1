"""Backlog: jobs that no worker goes for are found by looks at the whole store."""

from __future__ import annotations

from windlass.worker.duties.backlog import Backlog, WakeUpCall


def test_a_store_without_jobs_to_claim_calls_nobody() -> None:
    backlog = Backlog()
    assert backlog.judge(has_work=False, now=0.0) is WakeUpCall.NONE
    assert not backlog.is_to_be_checked


def test_the_first_look_that_finds_jobs_sends_the_worker_of_its_own_process() -> None:
    backlog = Backlog()
    assert backlog.judge(has_work=True, now=0.0) is WakeUpCall.HERE
    assert backlog.is_to_be_checked


def test_all_are_called_for_jobs_that_stay() -> None:
    """The worker that was to go has died, or is full."""
    backlog = Backlog()
    called = [backlog.judge(has_work=True, now=tick * 0.05) for tick in range(8)]
    assert called.count(WakeUpCall.ALL) == 1
    assert not backlog.is_to_be_checked, "they know"


def test_a_stream_of_jobs_that_are_taken_calls_nobody_from_elsewhere() -> None:
    backlog = Backlog()
    called = [backlog.judge(has_work=tick % 3 != 0, now=tick * 0.05) for tick in range(300)]
    assert WakeUpCall.ALL not in called


def test_a_backlog_that_stays_is_told_once_a_second() -> None:
    backlog = Backlog()
    called = [backlog.judge(has_work=True, now=tick * 0.1) for tick in range(100)]
    assert 8 <= called.count(WakeUpCall.ALL) <= 10
