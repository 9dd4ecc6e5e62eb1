"""Each check of suspects finds what it is for, and nothing where the right job paid."""

from __future__ import annotations

import pytest

from tests.torture.evidence import Evidence
from tests.torture.faults import Incident
from tests.torture.plan import Fault, Kind
from tests.torture.suspects.checks import CHECKS
from tests.torture.test_invariants import LEASE, alive, record
from tests.torture.witness import Began, Dying, Ended, Line


def run(
    id: str, *, at: float, until: float | None = None, fence: int = 1, attempt: int = 1, pid: int = 100
) -> list[Line]:
    began: list[Line] = [Began(id, fence, attempt, pid, at)]
    return began if until is None else [*began, Ended(id, fence, pid, until, "returned")]


def broken(seen: Evidence) -> list[str]:
    return [finding.invariant for check in CHECKS for finding in check(seen)]


def second_death(*, charged: int, deaths: int = 2, since: float = 0.0) -> Evidence:
    """A poisonous job takes a process down once more, and a neighbour runs again elsewhere."""
    lines = [
        *(Dying("poison", 2 * number + 1, 100 * (2 - deaths + number), 10.0) for number in range(deaths)),
        *alive(100, since=since, to=10.0),
        *run("a", at=9.5),
        *run("a", at=14.0, until=15.0, fence=3, attempt=1 + charged, pid=200),
    ]
    seen = Evidence(LEASE, records={"a": record("a", fence=3)}, rescued={"a": {1}})
    seen.hear(lines)
    return seen


def test_a_neighbour_pays_only_for_the_first_death_of_another() -> None:
    assert broken(second_death(charged=1)) == ["I11"]
    assert broken(second_death(charged=0)) == []
    assert broken(second_death(charged=1, deaths=1)) == []


def test_a_process_that_has_just_come_up_has_lost_no_lease() -> None:
    assert broken(second_death(charged=1, since=8.0)) == ["I11"]


def test_an_outage_before_a_death_may_have_taken_the_lease_first() -> None:
    seen = second_death(charged=1)
    seen.incidents = [Incident(Fault(4.0, Kind.STORE_AWAY, 2.0, 0.5, 0.5), 7.0, 8.0)]
    assert broken(seen) == []


def test_a_neighbour_that_had_been_lost_before_is_a_suspect_too() -> None:
    seen = second_death(charged=1)
    seen.rescued = {"a": {-1, 1}}
    assert broken(seen) == []


@pytest.mark.parametrize(("culprit", "charged", "expected"), [("b", 1, ["I11"]), ("b", 0, []), ("a", 1, [])])
def test_a_job_does_not_pay_for_what_the_store_blames_on_another(
    culprit: str, charged: int, expected: list[str]
) -> None:
    seen = Evidence(LEASE, rescued={"a": {1}}, blamed={"a": {1: culprit}})
    seen.hear([*run("a", at=1.0), *run("a", at=5.0, until=6.0, fence=3, attempt=1 + charged, pid=200)])
    assert broken(seen) == expected


@pytest.mark.parametrize(
    ("at", "pid", "until", "expected"),
    [
        (6.0, 100, 8.0, ["I11"]),
        (6.0, 200, 8.0, []),
        (9.0, 100, 8.0, []),
        (16.0, 100, 30.0, []),
    ],
    ids=["beside it", "in another process", "after it", "beside one that ran for long"],
)
def test_a_process_runs_one_suspect_at_a_time(at: float, pid: int, until: float, expected: list[str]) -> None:
    seen = Evidence(LEASE, records={id: record(id, fence=3) for id in "ab"}, rescued={"a": {1}, "b": {1}})
    seen.hear([*run("a", at=5.0, until=until, fence=3), *run("b", at=at, until=40.0, fence=3, pid=pid)])
    assert broken(seen) == expected


def test_a_suspect_in_a_child_belongs_to_the_worker_of_the_child() -> None:
    seen = Evidence(LEASE, records={id: record(id, fence=3) for id in ("a", "ib")}, rescued={"a": {1}, "ib": {1}})
    of_child = run("ib", at=6.0, until=7.0, fence=3, pid=150)
    seen.hear([*alive(150, parent=100), *run("a", at=5.0, until=8.0, fence=3), *of_child])
    assert broken(seen) == ["I11"]


def test_jobs_that_were_never_lost_run_side_by_side() -> None:
    seen = Evidence(LEASE, records={id: record(id, fence=3) for id in "ab"}, rescued={"a": {1}})
    seen.hear([*run("a", at=5.0, until=8.0, fence=3), *run("b", at=6.0, until=7.0, fence=3)])
    assert broken(seen) == []
