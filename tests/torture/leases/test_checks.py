"""Each check of leases over HTTP finds what it is for, and nothing where all went well."""

from __future__ import annotations

from collections.abc import Sequence

from tests.torture.evidence import Evidence
from tests.torture.faults import Incident
from tests.torture.leases.checks import CHECKS, LOST
from tests.torture.plan import Fault, Kind
from tests.torture.test_invariants import ran, record
from tests.torture.witness import Answered, Leased, Line
from windlass.core.records import JobRecord
from windlass.core.state import State

JOB = "remote-p0-1"


def broken(lines: list[Line], *records: JobRecord, incidents: Sequence[Incident] = ()) -> set[str]:
    seen = Evidence(3.0, records={job.id: job for job in records}, incidents=incidents)
    seen.hear(lines)
    return {finding.invariant for check in CHECKS for finding in check(seen)}


def answered(status: int, *, verb: str = "complete", title: str = "", fence: int = 1, at: float = 2.0) -> Answered:
    return Answered(JOB, fence, verb, status, title, at - 0.1, at)


def test_a_job_that_is_claimed_and_completed() -> None:
    lines: list[Line] = [Leased(JOB, 1, 0.5, 3.0, 0.6), *ran(JOB), answered(204)]
    assert broken(lines, record(JOB)) == set()


def test_only_stated_answers() -> None:
    assert broken([answered(409, title="Illegal transition")], record(JOB)) == set()
    assert broken([answered(500, title="Internal error")], record(JOB)) == {"I18"}
    assert broken([answered(404)], record(JOB)) == {"I18"}


def test_an_ending_that_was_accepted_is_final() -> None:
    assert broken([answered(204)], record(JOB, fence=2)) == {"I18"}
    assert broken([answered(204)], record(JOB, state=State.FAILED, result=None)) == {"I18"}
    assert broken([answered(204, verb="fail")], record(JOB, fence=2)) == set()


def test_nothing_is_written_under_a_fence_that_was_lost() -> None:
    lost = answered(409, verb="extend", title=LOST, at=1.5)
    assert broken([lost, answered(409, title=LOST)], record(JOB, fence=2)) == set()
    assert broken([lost, answered(204)], record(JOB)) == {"I18"}
    assert broken([lost], record(JOB)) == {"I18"}


def test_a_lease_lasts_as_long_as_was_said() -> None:
    lines: list[Line] = [Leased(JOB, 1, 1.0, 3.0, 1.1), *ran(JOB, at=1.2, until=None)]
    assert broken([*lines, *ran(JOB, fence=2, at=4.1)], record(JOB, fence=2)) == set()
    early = [*lines, *ran(JOB, fence=2, at=3.5)]
    assert broken(early, record(JOB, fence=2)) == {"I18"}
    step = Incident(Fault(2.0, Kind.CLOCK_STEP, 0.0, 0.1, 0.1), 2.0, 2.0)
    assert broken(early, record(JOB, fence=2), incidents=[step]) == set()


def test_an_extension_makes_it_longer_and_an_end_shorter() -> None:
    lines: list[Line] = [Leased(JOB, 1, 1.0, 3.0, 1.1), Leased(JOB, 1, 3.0, 3.0, 3.1), *ran(JOB, at=1.2, until=None)]
    assert broken([*lines, *ran(JOB, fence=2, at=5.0)], record(JOB, fence=2)) == {"I18"}
    given_up: list[Line] = [Leased(JOB, 1, 1.0, 3.0, 1.1), *ran(JOB, at=1.2, until=1.5)]
    assert broken([*given_up, *ran(JOB, fence=2, at=2.0)], record(JOB, fence=2)) == set()
