"""Each check finds what it is for, and nothing in a story where all went well."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from tests.torture.evidence import Evidence
from tests.torture.faults import Incident
from tests.torture.invariants import broken, broken_so_far
from tests.torture.plan import Fault, Kind
from tests.torture.witness import (
    Acked,
    Alive,
    Asked,
    Began,
    CancelAccepted,
    CancelAsked,
    Dying,
    Ended,
    KeyHeld,
    Line,
    Refused,
    Saw,
)
from windlass.core.records import JobRecord
from windlass.core.state import State

LEASE = 3.0


def record(id: str, **fields: Any) -> JobRecord:
    """A job that was completed by its first run, but for these fields."""
    fence = fields.pop("fence", 1)
    plain: dict[str, Any] = dict.fromkeys(JobRecord.__struct_fields__)
    plain |= {"seq": 1, "id": id, "task": "quick", "queue": "default", "state": State.COMPLETED, "priority": 0}
    plain |= {"payload": "{}", "attempt": 1, "max_attempts": 10, "crashes": 0, "rescues": 0, "fence": fence}
    plain |= {"run_at": 0, "created_at": 0, "result": json.dumps({"fence": fence, "value": 1})}
    return JobRecord(**(plain | fields))


def ran(id: str, *, fence: int = 1, pid: int = 100, at: float = 1.0, until: float | None = 2.0) -> list[Line]:
    """A run that returned, or of which no end was seen."""
    began: list[Line] = [Began(id, fence, 1, pid, at)]
    return began if until is None else [*began, Ended(id, fence, pid, until, "returned")]


def alive(pid: int, *, since: float = 0.0, to: float = 40.0, parent: int = 1) -> list[Line]:
    return [Alive(pid, parent, since + step / 2) for step in range(int((to - since) * 2))]


def asked(id: str) -> list[Line]:
    return [Asked([id], 0.5), Acked([id], 0.6)]


def evidence(lines: list[Line], *records: JobRecord, incidents: Sequence[Incident] = ()) -> Evidence:  # no test
    seen = Evidence(LEASE, records={job.id: job for job in records}, incidents=incidents)
    seen.hear(lines)
    return seen


def found(lines: list[Line], *records: JobRecord, **options: Any) -> set[str]:
    return {finding.invariant for finding in broken(evidence(lines, *records, **options))}


def test_a_story_without_trouble_breaks_nothing() -> None:
    assert found([*asked("a"), *ran("a"), Saw("a", "completed", 1, 3.0)], record("a")) == set()


def test_an_acknowledged_job_that_is_gone() -> None:
    assert found([*asked("a"), *ran("a")]) == {"I1"}


def test_a_job_that_was_cleaned_away_must_have_run_to_its_end() -> None:
    assert found([*asked("brief-1"), *ran("brief-1")]) == set()
    assert found([*asked("brief-1"), *ran("brief-1", until=None)]) == {"I1"}


def test_a_key_that_a_finished_job_holds_on() -> None:
    assert found([KeyHeld("b", "a", 1.0)]) == {"I1"}


def test_two_runs_under_one_fence() -> None:
    assert "I2" in found([*asked("a"), *ran("a"), *ran("a", pid=200)], record("a"))


@pytest.mark.parametrize(("until", "expected"), [(40.0, {"I2"}), (5.5, set())], ids=["alive", "dead"])
def test_a_run_beside_one_that_was_well(until: float, expected: set[str]) -> None:
    lines = [
        *asked("a"),
        *alive(100, since=-5, to=until),
        *ran("a", until=None),
        *ran("a", fence=3, pid=200, at=8.0, until=9.0),
    ]
    seen = evidence(lines, record("a", fence=3, attempt=2))
    seen.kinds = {"a": ["rescued"]}
    assert {finding.invariant for finding in broken(seen)} == expected


@pytest.mark.parametrize("rescued", [{1}, set()])
def test_a_rescue_from_a_run_that_was_well(rescued: set[int]) -> None:
    interrupted = Ended("a", 1, 100, 6.0, "JobInterrupted")
    lines = [
        *asked("a"),
        *alive(100, since=-5),
        *ran("a", until=None),
        interrupted,
        *ran("a", fence=3, at=8.0, until=9.0),
    ]
    seen = evidence(lines, record("a", fence=3, attempt=2))
    seen.rescued = {"a": rescued}
    assert [finding.invariant for finding in broken(seen)] == (["I2"] if rescued else [])


@pytest.mark.parametrize(("resumed", "expected"), [(4.0, ["I2"]), (9.0, [])], ids=["well", "paused"])
def test_a_run_in_a_child_has_the_lease_of_its_worker(resumed: float, expected: list[str]) -> None:
    lines = [
        *asked("a"),
        *asked("b"),
        *alive(100, since=-5, to=4),
        *alive(100, since=resumed),
        *alive(150, since=-5, parent=100),
        *ran("b", at=0.7, until=0.8),
        *ran("a", pid=150),
        *ran("a", fence=3, pid=200, at=8.0, until=9.0),
    ]
    seen = evidence(lines, record("a", fence=3, attempt=2), record("b"))
    seen.rescued = {"a": {1}}
    assert [finding.invariant for finding in broken(seen)] == expected


def test_an_outage_after_a_run_excuses_the_loss_of_its_ending() -> None:
    outage = Incident(Fault(4.0, Kind.STORE_AWAY, 2.0, 0.5, 0.5), 4.0, 5.0)
    lines = [*asked("a"), *alive(100, since=-5), *ran("a"), *ran("a", fence=3, pid=200, at=9.0, until=9.5)]
    seen = evidence(lines, record("a", fence=3, attempt=2), incidents=[outage])
    seen.rescued = {"a": {1}}
    assert broken(seen) == []


def test_an_outage_excuses_a_lost_lease() -> None:
    outage = Incident(Fault(4.0, Kind.STORE_AWAY, 2.0, 0.5, 0.5), 4.0, 6.0)
    lines = [*asked("a"), *alive(100), *ran("a", until=20.0), *ran("a", fence=3, pid=200, at=8.0, until=9.0)]
    assert found(lines, record("a", fence=3, attempt=2), incidents=[outage]) == set()


def test_a_result_of_another_fence_than_the_job_has() -> None:
    job = record("a", fence=3, attempt=2, result=json.dumps({"fence": 1, "value": 1}))
    assert found([*asked("a"), *ran("a"), *ran("a", fence=3, at=5.0, until=6.0)], job) == {"I3"}


def test_a_completion_without_a_run_that_returned() -> None:
    assert found([*asked("a"), *ran("a", until=None)], record("a")) == {"I3"}


def test_a_run_that_was_claimed_after_a_cancel_was_taken() -> None:
    lines = [*asked("a"), *ran("a"), CancelAccepted("a", 1, 1.5), *ran("a", fence=2, at=4.0, until=5.0)]
    assert "I3" in found(lines, record("a", fence=2, attempt=2))


def test_an_ending_that_changed_after_it_was_told() -> None:
    assert found([*asked("a"), *ran("a"), Saw("a", "failed", None, 3.0)], record("a")) == {"I4"}
    second = record("a", fence=3, attempt=2)
    lines = [*asked("a"), *ran("a"), Saw("a", "completed", 1, 3.0), *ran("a", fence=3, at=5.0, until=6.0)]
    assert found(lines, second) == {"I4"}


def test_charges_for_runs_that_never_began() -> None:
    assert found([*asked("a"), *ran("a")], record("a", attempt=2)) == {"I5"}


def test_more_runs_than_one_attempt_allows() -> None:
    lines = [*asked("a"), *ran("a"), *ran("a", fence=2, at=4.0, until=5.0)]
    assert found(lines, record("a", fence=2, max_attempts=1, task="once")) == {"I5"}


def test_a_job_that_never_ends() -> None:
    assert found([*asked("a"), *ran("a", until=None)], record("a", state=State.RUNNING, result=None)) == {"I6"}


def test_that_a_job_has_not_ended_yet_proves_nothing_in_the_middle_of_a_run() -> None:
    running, charged = record("a", state=State.RUNNING, result=None), record("b", attempt=2)
    seen = evidence([*asked("a"), *ran("a", until=None), *asked("b"), *ran("b")], running, charged)
    assert [finding.invariant for finding in broken_so_far(seen)] == ["I5"]


def test_a_refused_job_that_is_there_after_all() -> None:
    assert found([Asked(["a"], 0.5), Refused(["a"], 0.6, "away"), *ran("a")], record("a")) == {"I10"}


def three_deaths(*killers: str, alive_to: float = 10.0) -> list[Line]:
    """Job a runs in three processes in turn, which die; ``killers`` are the poisonous jobs that take them down."""
    deaths: list[Line] = [Dying(killer, number, 100 + number, 10.0) for number, killer in enumerate(killers)]
    runs = [ran("a", fence=number + 1, pid=100 + number, at=9.5, until=None) for number in range(3)]
    pulses = [alive(100 + number, to=alive_to) for number in range(3)]
    return [*asked("a"), *deaths, *(line for lines in (*runs, *pulses) for line in lines)]


def crashed(*, crashes: int, rescues: int) -> JobRecord:
    fields: dict[str, Any] = {"crashes": crashes, "rescues": rescues, "attempt": crashes, "fence": 6}
    return record("a", state=State.FAILED, reason="crashed", result=None, **fields)


@pytest.mark.parametrize(("crashes", "rescues"), [(3, 0), (2, 4)], ids=["all marked", "the first not marked"])
def test_an_innocent_job_that_failed_for_a_poisonous_one(crashes: int, rescues: int) -> None:
    """The first death of a poisonous job may count against all that ran beside it, and so may the first that a job
    meets; after that a job has no other suspect beside it.
    """
    job = crashed(crashes=crashes, rescues=rescues)
    assert "I11" in found(three_deaths("poison", "poison", "poison"), job)
    assert found(three_deaths("poison", "poison"), job) == set()
    assert found(three_deaths("poison", "another", "third"), job) == set()
    assert found(three_deaths(), job) == set()


def test_two_deaths_fail_no_innocent_job() -> None:
    assert "I11" in found(three_deaths(), crashed(crashes=1, rescues=7))


def test_deaths_before_the_first_line_of_a_run_are_known_from_the_story() -> None:
    seen = evidence(asked("a"), crashed(crashes=2, rescues=1))
    seen.rescued = {"a": {1, 3, 5}}
    assert broken(seen) == []


def test_a_suspect_whose_own_lease_was_lost_is_not_known_to_be_one() -> None:
    """What runs beside it then is in another lease, and nobody tells the two apart."""
    lines = three_deaths("poison", "poison", "poison", alive_to=6.0)
    assert found(lines, crashed(crashes=3, rescues=0)) == set()


def test_a_death_that_left_no_line_is_not_a_charge_for_nothing() -> None:
    job = record("a", attempt=2, task="failing")
    seen = evidence([*asked("a"), *ran("a")], job)
    seen.kinds = {"a": ["created", "rescued", "completed"]}
    assert broken(seen) == []


@pytest.mark.parametrize(("until", "expected"), [(40.0, {"I8"}), (15.0, set())], ids=["idle", "restarting"])
def test_workers_that_do_not_go_on_after_an_outage(until: float, expected: set[str]) -> None:
    """Only workers count that could have gone on: not those that run a job, are gone, or are callers."""
    outage = Incident(Fault(4.0, Kind.STORE_AWAY, 2.0, 0.5, 0.5), 4.0, 6.0)
    lines = [
        *(line for pid in (100, 200) for line in alive(pid, to=until)),
        *(line for pid in (300, 400) for line in alive(pid)),
        *(line for id, pid in (("a", 100), ("b", 200)) for line in [*asked(id), *ran(id, pid=pid)]),
        Asked(["c"], 8.0),
        Acked(["c"], 8.1),
        *ran("c", pid=500, at=38.0, until=39.0),
    ]
    assert found(lines, *map(record, "abc"), incidents=[outage]) == expected


def beside_open_transaction(id: str, *incidents: Incident) -> set[str]:
    """What is found where a job that was there before begins only when a caller's transaction is over."""
    left_open = Incident(Fault(10.0, Kind.OPEN_TRANSACTION, 8.0, 0.5, 0.5), 10.0, 18.0)
    lines = [
        *(line for pid in (100, 200) for line in alive(pid)),
        *(line for of, pid in (("a", 100), ("b", 200)) for line in [*asked(of), *ran(of, pid=pid)]),
        Asked([id], 9.0),
        Acked([id], 9.1),
        *ran(id, at=18.1, until=18.2),
    ]
    seen = evidence(lines, *map(record, ("a", "b", id)), incidents=[left_open, *incidents])
    seen.longest_lease = 12.0
    return {finding.invariant for finding in broken(seen)}


@pytest.mark.parametrize(("id", "expected"), [("quick-1", {"I11"}), ("keyed-1", set())], ids=["free", "limited"])
def test_a_caller_that_holds_up_workers_and_callers(id: str, expected: set[str]) -> None:
    """Where nobody can enqueue meanwhile either, what was there before tells that workers stand still."""
    assert beside_open_transaction(id) == expected


@pytest.mark.parametrize(("until", "expected"), [(3.0, {"I11"}), (5.0, set())], ids=["long ago", "just before"])
def test_a_store_that_was_away_excuses_workers_for_as_long_as_a_call_takes(until: float, expected: set[str]) -> None:
    """Not for as long as the longest lease: a mix of faults has hardly a moment without such an excuse."""
    outage = Incident(Fault(2.5, Kind.STORE_AWAY, until - 2.5, 0.5, 0.5), 2.5, until)
    assert beside_open_transaction("quick-1", outage) == expected


def test_a_worker_that_waits_for_a_caller_needs_no_stall_to_be_found() -> None:
    left_open = Incident(Fault(10.0, Kind.OPEN_TRANSACTION, 8.0, 0.5, 0.5), 10.0, 18.0, held_up=["UPDATE job"])
    assert found([*asked("a"), *ran("a")], record("a"), incidents=[left_open]) == {"I11"}


def test_a_run_without_a_recorded_cause() -> None:
    seen = evidence([*asked("a"), *ran("a"), *ran("a", fence=2, at=4.0, until=5.0)], record("a", fence=2))
    seen.kinds = {"a": ["created", "completed"]}
    assert [finding.invariant for finding in broken(seen)] == ["I12"]


@pytest.mark.parametrize(("lines", "expected"), [([CancelAsked("a", 1.0)], set()), ([], {"I11"})], ids=["asked", "not"])
def test_a_job_is_cancelled_only_if_that_was_asked_for(lines: list[Line], expected: set[str]) -> None:
    """The call may have failed and the cancel been taken all the same."""
    assert found([*asked("a"), *lines], record("a", state=State.CANCELLED, result=None, attempt=0)) == expected


@pytest.mark.parametrize(("told", "expected"), [({1}, []), (set(), ["I12"])], ids=["told", "not"])
def test_a_run_that_returned_and_whose_ending_is_nowhere(told: set[int], expected: list[str]) -> None:
    """Its charges may hide that: here the first run was paid for by an attempt that failed."""
    lines = [*asked("a"), *ran("a"), *ran("a", fence=2, at=4.0, until=5.0)]
    seen = evidence(lines, record("a", fence=2, attempt=2))
    seen.kinds, seen.told = {"a": ["created", "completed"]}, {"a": told}
    assert [finding.invariant for finding in broken(seen)] == expected


@pytest.mark.parametrize(("at", "expected"), [(1.5, []), (2.5, ["I12"])], ids=["while it ran", "after it"])
def test_only_a_stop_before_its_end_excuses_a_run_without_a_cause(at: float, expected: list[str]) -> None:
    stop = Incident(Fault(at, Kind.STOP_WORKER, 0.0, 0.5, 0.5), at, at, pid=100)
    lines = [*asked("a"), *ran("a"), *ran("a", fence=2, pid=200, at=4.0, until=5.0)]
    seen = evidence(lines, record("a", fence=2), incidents=[stop])
    seen.kinds = {"a": ["created", "completed"]}
    assert [finding.invariant for finding in broken(seen)] == expected
