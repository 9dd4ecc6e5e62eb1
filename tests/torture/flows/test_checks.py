"""Each check of flows and steps finds what it is for, and nothing where all went well."""

from __future__ import annotations

from tests.torture.evidence import Evidence
from tests.torture.flows.checks import CHECKS
from tests.torture.test_invariants import ran, record
from tests.torture.witness import Kept, Line, Passed, Sent, Stepped
from windlass.core.records import JobRecord
from windlass.core.state import State

FIRST, SECOND = "quick@p0-1.0", "link@p0-1.1"
WAITING, SENDER = "stepping@p0-2.0", "sending@p0-2.1"


def broken(lines: list[Line], *records: JobRecord) -> set[str]:
    seen = Evidence(3.0, records={job.id: job for job in records})
    seen.hear(lines)
    return {finding.invariant for check in CHECKS for finding in check(seen)}


def chain(*, began: float = 3.0, given: int = 1) -> list[Line]:
    passed = Passed(SECOND, 1, FIRST, given, began)
    return [*ran(FIRST, at=1.0, until=2.0), *ran(SECOND, at=began, until=4.0), passed]


def test_a_link_begins_when_its_parent_has_ended() -> None:
    assert broken(chain(), record(FIRST), record(SECOND)) == set()
    assert broken(chain(began=1.5), record(FIRST), record(SECOND)) == {"I15"}


def test_a_link_gets_the_result_that_is_stored() -> None:
    assert broken(chain(given=2), record(FIRST), record(SECOND)) == {"I15"}
    assert broken(chain(), record(FIRST, state=State.FAILED, result=None), record(SECOND)) == {"I15"}


def test_only_what_failed_takes_others_along() -> None:
    taken = record(SECOND, state=State.CANCELLED, reason="dependency", result=None)
    assert broken([], record(FIRST, state=State.FAILED, reason="attempts", result=None), taken) == set()
    assert broken([], record(FIRST), taken) == {"I15"}


def test_a_step_that_was_kept_is_not_done_again() -> None:
    kept: list[Line] = [Stepped(WAITING, "first", 1, "a", 1.0), Kept(WAITING, "first", 1, "a", 1.1)]
    assert broken([*kept, Kept(WAITING, "first", 3, "a", 2.0)]) == set()
    assert broken([*kept, Stepped(WAITING, "first", 3, "b", 2.0)]) == {"I16"}
    assert broken([*kept, Kept(WAITING, "first", 3, "b", 2.0)]) == {"I16"}


def test_a_step_that_was_lost_before_it_was_recorded_may_be_done_again() -> None:
    lines: list[Line] = [
        Stepped(WAITING, "first", 1, "a", 1.0),
        Stepped(WAITING, "first", 3, "b", 2.0),
        Kept(WAITING, "first", 3, "b", 2.1),
    ]
    assert broken(lines) == set()


def test_an_event_that_was_sent_arrives() -> None:
    run = ran(WAITING, at=3.0, until=4.0)
    assert broken([*run, Sent(SENDER, WAITING, 1.0), Kept(WAITING, "event", 1, SENDER, 3.5)]) == set()
    assert broken([*run, Sent(SENDER, WAITING, 1.0), Kept(WAITING, "timeout", 1, "None", 3.5)]) == {"I17"}
    assert broken([*run, Sent(SENDER, WAITING, 3.2), Kept(WAITING, "timeout", 1, "None", 3.5)]) == set()
    assert broken([*run, Kept(WAITING, "event", 1, "sending@p0-9.1", 3.5)]) == {"I17"}


def test_a_job_whose_event_was_sent_does_not_wait_any_more() -> None:
    waiting = record(WAITING, state=State.SCHEDULED, reason="event", result=None)
    assert broken([Sent(WAITING, WAITING, 1.0)], waiting) == {"I17"}
    assert broken([], waiting) == set()
    assert broken([Sent(WAITING, WAITING, 1.0)], record(WAITING)) == set()
