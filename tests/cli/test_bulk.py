"""What is done to many jobs: the filters of ``jobs list``, a count, a question."""

from __future__ import annotations

import pytest

from tests.cli.program import Program
from windlass import State


@pytest.fixture
def full(windlass: Program) -> Program:
    app = windlass.app
    app.enqueue_many(
        [
            *(app.request("mail.welcome", [n], queue="mail", id=f"mail-{n}") for n in range(3)),
            app.request("mail.welcome", [9], queue="mail", id="later", delay="1h"),
            app.request("report", [], id="report"),
        ]
    )
    return windlass


def test_cancel_counts_and_asks(full: Program) -> None:
    answer = full.at_terminal("jobs", "cancel", "--queue", "mail", answer="n\n")
    assert "Cancel 4 jobs? [y/N]" in answer.out
    assert answer.code == 1
    assert full.app.counts()["cancelled"] == 0
    answer = full.at_terminal("jobs", "cancel", "--queue", "mail", answer="y\n")
    assert "cancelled 4 jobs" in answer.out
    assert full.app.counts()["cancelled"] == 4
    assert full.app.job("report").state is State.PENDING


def test_why_many_were_cancelled_is_kept_with_each(full: Program) -> None:
    answer = full("jobs", "cancel", "--queue", "mail", "--reason", "sent twice", "--yes")
    assert (answer.code, answer.out) == (0, "cancelled 4 jobs\n")
    for id in ("mail-0", "later"):
        assert "sent twice" in [entry.detail.get("reason") for entry in full.app.job(id).timeline()]


def test_without_a_terminal_yes_has_to_be_said(full: Program) -> None:
    assert full("jobs", "delete", "--task", "report").is_error(2, "delete 1 job?", "--yes")
    assert full.json("jobs", "delete", "--task", "report", "--yes") == {"deleted": 1}
    assert full.json("jobs", "delete", "--state", "scheduled", "--yes") == {"deleted": 1}
    assert full.json("jobs", "delete", "--text", "nowhere") == {"deleted": 0}
    assert full.json("jobs", "delete", "--all", "--yes") == {"deleted": 3}


def test_retry_takes_failed_ones_unless_a_state_is_given(full: Program) -> None:
    full.app.cancel_all(state="pending", queue="mail")
    assert full.json("jobs", "retry", "--queue", "mail", "--yes") == {"retried": 0}
    given = ("--queue", "mail", "--state", "cancelled", "--since", "1h", "--to-queue", "vip")
    assert full.json("jobs", "retry", *given, "--yes") == {"retried": 3}
    assert full.app.counts(queue="vip")["pending"] == 3


def test_a_state_for_which_it_cannot_be_done_is_refused(full: Program) -> None:
    assert full("jobs", "cancel", "--state", "completed", "--yes").is_error(2, "completed cannot be cancelled")
    assert full("jobs", "delete", "--state", "running", "--yes").is_error(2, "running cannot be deleted")


def test_which_jobs_has_to_be_said_in_one_way(full: Program) -> None:
    for verb in ("cancel", "retry", "delete"):
        assert full("jobs", verb).is_error(2, "say which")
        assert full("jobs", verb, "report", "--queue", "mail").is_error(2, "say which")
