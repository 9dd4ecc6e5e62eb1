"""Each check of limits, rates and schedules finds what it is for, and nothing where all went well."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.torture.evidence import Evidence
from tests.torture.faults import Incident
from tests.torture.finding import Finding
from tests.torture.plan import Fault, Kind
from tests.torture.test_invariants import record
from tests.torture.traffic.checks import CHECKS
from tests.torture.traffic.setting import MOST_NARROW, MOST_OF_APP, NARROW, QUEUE_RATE, RATED, UPSTREAM_RATE
from tests.torture.traffic.slots import Slots
from tests.torture.traffic.timelines import StoreClock
from tests.torture.witness import Began, Ended, Fired, Line, Token
from windlass.core.records import JobRecord
from windlass.core.schedules.policies import FireOutcome
from windlass.core.state import State
from windlass.store.operations.schedules.records import FireRecord

SLOT = 1_700_000_000_000
AHEAD = 1_000_000.0
"""Seconds by which the clocks of these tests show more than the monotonic one."""


def ran(id: str, *, at: float, until: float, fence: int = 1, how: str = "returned") -> list[Line]:
    return [Began(id, fence, 1, 100, at), Ended(id, fence, 100, until, how)]


def found(lines: list[Line], *records: JobRecord, **known: Any) -> list[Finding]:
    seen = Evidence(3.0, records={job.id: job for job in records}, wall_clock=AHEAD, **known)
    seen.hear(lines)
    return [finding for check in CHECKS for finding in check(seen)]


def broken(lines: list[Line], *records: JobRecord, **known: Any) -> set[str]:
    return {finding.invariant for finding in found(lines, *records, **known)}


def side_by_side(number: int, **fields: Any) -> tuple[list[Line], list[JobRecord]]:
    """So many jobs whose runs overlap."""
    names = [f"job-{one}" for one in range(number)]
    lines = [line for index, name in enumerate(names) for line in ran(name, at=1.0 + index / 100, until=2.0)]
    return lines, [record(name, **fields) for name in names]


@pytest.mark.parametrize(
    ("most", "fields"),
    [
        (MOST_NARROW, {"queue": NARROW}),
        (MOST_OF_APP, {}),
        (1, {"task": "keyed", "concurrency_key": "keyed\nkey-1"}),
        (2, {"task": "apaired", "concurrency_key": "apaired\nkey-1"}),
        (1, {"meta": '{"schedule": "one-at-a-time"}'}),
    ],
    ids=["queue", "app", "key", "shared key", "schedule"],
)
def test_more_runs_at_once_than_a_limit_allows(most: int, fields: dict[str, Any]) -> None:
    lines, records = side_by_side(most, **fields)
    assert broken(lines, *records) == set()
    lines, records = side_by_side(most + 1, **fields)
    assert broken(lines, *records) == {"I13"}


def test_keys_are_counted_apart() -> None:
    lines, records = side_by_side(2, task="keyed", concurrency_key="keyed\nkey-1")
    _, others = side_by_side(2, task="keyed", concurrency_key="keyed\nkey-2")
    assert broken(lines, records[0], others[1]) == set()


def test_a_run_that_was_lost_does_not_count_as_long_as_its_code_goes_on() -> None:
    """A rescue has given its place away."""
    lines = [*ran("a", at=1.0, until=9.0), *ran("a", at=5.0, until=6.0, fence=3), *ran("b", at=5.5, until=6.5)]
    lost = json.dumps([0, [1, 1, 0, 0, 4000, "worker", "lost", None, None]])
    narrow: dict[str, Any] = {"queue": NARROW}
    one_more = [*lines, *ran("c", at=5.6, until=6.0)]
    assert broken(lines, record("a", fence=3, attempts=lost, **narrow), record("b", **narrow)) == set()
    jobs = [record("a", fence=3, attempts=lost, **narrow), record("b", **narrow), record("c", **narrow)]
    assert broken(one_more, *jobs) == {"I13"}


def test_a_run_that_failed_by_itself_counts() -> None:
    failed = json.dumps([0, [1, 1, 0, 0, 4000, "worker", "retrying", None, 200]])
    lines = [*ran("a", at=1.0, until=3.0, how="ValueError"), *ran("a", at=5.0, until=6.0, fence=2)]
    lines += [*ran("b", at=1.1, until=3.0), *ran("c", at=1.2, until=3.0)]
    jobs = [record("a", fence=2, attempts=failed, queue=NARROW), *(record(id, queue=NARROW) for id in "bc")]
    assert broken(lines, *jobs) == {"I13"}


def claimed(number: int, *, every: float) -> tuple[list[Line], list[JobRecord]]:
    """So many jobs of the queue with a rate, claimed at equal distances."""
    instants = [10.0 + index * every for index in range(number)]
    lines = [line for at in instants for line in ran(f"job-{at}", at=at + 0.01, until=at + 0.02)]
    showed = [round((AHEAD + at) * 1000) for at in instants]
    return lines, [record(f"job-{at}", queue=RATED, claimed_at=then) for at, then in zip(instants, showed, strict=True)]


def test_more_claims_than_a_rate_allows() -> None:
    least = QUEUE_RATE.period / QUEUE_RATE.amount / 1000
    lines, records = claimed(20, every=least)
    assert broken(lines, *records) == set()
    lines, records = claimed(20, every=least / 2)
    assert broken(lines, *records) == {"I14"}


def step(at: float, target: float, amount: float) -> Incident:
    return Incident(Fault(at, Kind.CLOCK_STEP, 0.0, target, amount), at, at)


def test_what_a_clock_skips_fills_the_bucket() -> None:
    lines, records = claimed(QUEUE_RATE.burst, every=0.0001)
    later = [(at, round((AHEAD + at + 3600) * 1000)) for at in (10.51, 10.52)]
    lines += [line for at, _ in later for line in ran(f"later-{at}", at=at + 0.01, until=at + 0.02)]
    records += [record(f"later-{at}", queue=RATED, claimed_at=showed) for at, showed in later]
    assert broken(lines, *records, incidents=[step(10.5, 0.0, 0.0)]) == set()


def test_an_instant_that_the_clock_showed_twice_tells_nothing() -> None:
    seen = Evidence(3.0, wall_clock=AHEAD, incidents=[step(20.0, 0.5, 0.1)])  # four seconds back
    clock = StoreClock(seen)

    def instant(showed: float) -> float | None:
        return clock.instant(round((AHEAD + showed) * 1000), before=30.0)

    assert instant(10.0) == pytest.approx(10.0)
    assert instant(18.0) is None
    assert instant(21.0) == pytest.approx(25.0)


def test_more_tokens_than_a_limit_gives() -> None:
    burst = [Token("job", 5.0, 5.01) for _ in range(UPSTREAM_RATE.burst)]
    next = UPSTREAM_RATE.period / UPSTREAM_RATE.amount / 1000
    assert broken([*burst, Token("job", 5.0, 5.0 + next)]) == set()
    assert broken([*burst, Token("job", 5.0, 5.0 + next / 2)]) == {"I14"}


def slots(*rows: FireRecord, until: int = SLOT + 3000) -> Slots:
    return Slots({"each-second": {row.planned_at: row for row in rows}}, {"each-second": until})


def fired(slot: int, job: str | None = None, *, last: int | None = None) -> FireRecord:
    outcome = FireOutcome.ON_TIME if job else FireOutcome.MISSED
    return FireRecord("each-second", slot, slot, outcome, None, job, last, 1)


def planned(id: str, slot: int) -> JobRecord:
    return record(id, meta=json.dumps({"schedule": "each-second", "planned_at": slot}))


def test_a_ledger_that_knows_every_slot() -> None:
    ledger = slots(fired(SLOT, "a"), fired(SLOT + 1000, last=SLOT + 3000))
    assert broken([], planned("a", SLOT), slots=ledger) == set()


def test_a_slot_of_which_the_ledger_says_nothing() -> None:
    ledger = slots(fired(SLOT, "a"), fired(SLOT + 2000, last=SLOT + 3000))
    assert broken([], planned("a", SLOT), slots=ledger) == {"I7"}


def test_a_slot_with_two_jobs() -> None:
    """The second may have been cleaned away by then, but it ran."""
    ledger = slots(fired(SLOT, "a"), fired(SLOT + 1000, last=SLOT + 3000))
    lines: list[Line] = [Fired("b", "each-second", SLOT, 1.0)]
    assert broken(lines, planned("a", SLOT), slots=ledger) == {"I7"}


def test_a_job_that_the_ledger_made_and_that_is_not_there() -> None:
    assert broken([], slots=slots(fired(SLOT, "a"), until=SLOT)) == {"I7"}


def test_a_job_of_a_slot_that_was_missed() -> None:
    assert broken([], planned("a", SLOT), slots=slots(fired(SLOT), until=SLOT)) == {"I7"}


def test_what_is_still_counted_when_all_jobs_have_ended() -> None:
    known: dict[str, Any] = {"still_counted": ["the limit of queue narrow counts 1 jobs, and none runs"]}
    assert broken([], record("a"), **known) == {"I13"}
    assert broken([], record("a", state=State.RUNNING, result=None), **known) == set()


def test_what_had_to_be_put_right() -> None:
    assert broken([], record("a"), mended=["a counter was wrong"]) == {"I13"}
