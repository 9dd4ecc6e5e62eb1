"""From an exit code to an outcome."""

from __future__ import annotations

from typing import Any

import pytest

from tests.programs.running_programs import run, shell
from windlass import State, Windlass


@pytest.mark.parametrize(
    ("code", "meanings", "ending"),
    [
        (0, {}, (State.COMPLETED, None, 1)),
        (1, {}, (State.RETRYING, None, 1)),
        (1, {"accept": [0, 1]}, (State.COMPLETED, None, 1)),
        (0, {"accept": [1]}, (State.RETRYING, None, 1)),
        (64, {"give_up_on": [64, 65]}, (State.FAILED, "permanent", 1)),
        (66, {"give_up_on": [64, 65]}, (State.RETRYING, None, 1)),
        (75, {"retry_on": [75]}, (State.RETRYING, None, 1)),
        (1, {"retry_on": [75]}, (State.FAILED, "permanent", 1)),
        (75, {"snooze_on": {75: "10m"}}, (State.SCHEDULED, None, 0)),
        (1, {"snooze_on": {75: "10m"}}, (State.RETRYING, None, 1)),
    ],
)
def test_a_code_means_what_was_agreed(
    app: Windlass, code: int, meanings: dict[str, Any], ending: tuple[State, str | None, int]
) -> None:
    """As a state, a reason and the number of runs that were charged."""
    run(app, shell("exit $1", code, **meanings))
    [job] = app.jobs()
    assert (job.state, job.reason, job.attempt) == ending


def test_a_code_of_success_is_part_of_the_result(app: Windlass) -> None:
    job = app.enqueue(shell("exit 1", accept=[0, 1]))
    run(app)
    assert job.result(timeout=0)["exit_code"] == 1


def test_a_snooze_lasts_as_long_as_was_agreed(app: Windlass) -> None:
    run(app, shell("exit 75", snooze_on={75: "10m"}))
    [job] = app.jobs()
    assert "due in 0:" in job.why()
    assert 590 < (job.run_at - job.created_at).total_seconds() < 620


def test_death_by_a_signal_is_a_failed_attempt(app: Windlass) -> None:
    run(app, shell("kill -SEGV $$", attempts=1))
    [job] = app.jobs()
    assert (job.state, job.reason, job.record.crashes) == (State.FAILED, "attempts", 0)
    assert job.errors[0].message == "sh was killed by SIGSEGV"


def test_without_stderr_the_end_of_stdout_is_shown(app: Windlass) -> None:
    run(app, shell("echo nothing to do; exit 1", attempts=1))
    [job] = app.jobs()
    assert job.errors[0].message == "sh exited with code 1: nothing to do"
