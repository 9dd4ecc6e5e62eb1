"""schedule_fire: the job, the ledger and the advance of a schedule are one transaction, at most once for each slot."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec.structs import replace

from tests.manual_clock import START
from tests.store.builders import DAY, HOUR, MINUTE, SECOND, new_job, raised
from tests.store.schedules import (
    TEN,
    a_definition,
    a_schedule,
    fire_all,
    leads,
    ledger,
    make_job,
    planned,
    stored,
    verdicts,
)
from tests.store.stores import Store
from windlass.core.schedules.policies import CatchUp, FireOutcome, Overlap
from windlass.core.state import State
from windlass.store.operations import queries, queues
from windlass.store.operations.enqueue import NewJob, Uniqueness
from windlass.store.operations.schedules.changes import change, delete, save
from windlass.store.operations.schedules.definition import Definition, read_definition, write_definition
from windlass.store.operations.schedules.edits import new_schedule, paused, resumed
from windlass.store.operations.schedules.fire import FIRES_KEPT, due, fire
from windlass.store.operations.schedules.records import FireResult, HeldFor, Origin
from windlass.store.operations.schedules.steps import steps


def renewed(store: Store, milliseconds: int) -> None:
    """Time passes, and the leader goes on leading."""
    store.advance(milliseconds)
    leads(store)


def test_a_slot_makes_a_job_and_the_schedule_goes_on(store: Store) -> None:
    """B14."""
    lead, name = leads(store), a_schedule(store).name
    assert fire_all(store, lead) == [], "it is not due yet"
    renewed(store, TEN)
    assert fire_all(store, lead) == [FireResult(name, "made")]
    record = stored(store, name)
    [row] = ledger(store, name)
    assert (record.planned_at, record.next_at, record.due_at) == (START + TEN, START + 2 * TEN, START + 2 * TEN)
    assert (row.planned_at, row.at, row.outcome, row.job) == (START + TEN, START + TEN, "on_time", record.last_job)
    assert record.last_job is not None
    job = store.job(record.last_job)
    assert (job.state, job.task, job.queue, job.run_at) == (State.PENDING, "greet", "default", START + TEN)
    assert fire_all(store, lead) == []


def test_nothing_is_due_for_a_leader_at_rest(store: Store) -> None:
    a_schedule(store)
    store.advance(SECOND)
    found = store.run(due())
    assert (found.schedules, found.next_in, found.now) == ([], 9 * SECOND, START + SECOND)


def test_without_schedules_nothing_is_due(store: Store) -> None:
    found = store.run(due())
    assert (found.schedules, found.next_in, found.live) == ([], None, ())


def test_a_stale_term_fires_nothing(store: Store) -> None:
    """B14: a leader that was stopped beyond its lease, and another that leads by now."""
    old, name = leads(store, "old"), a_schedule(store).name
    store.advance(TEN)
    steps_of_old = [visit[0] for visit in planned(store)]
    assert store.run(fire(old, steps_of_old)) is None, "its time is over"
    new = leads(store, "new")
    assert store.run(fire(old, steps_of_old)) is None
    assert store.count() == 0
    assert ledger(store, name) == []
    assert verdicts(fire_all(store, new)) == ["made"]
    assert store.run(fire(old, steps_of_old)) is None
    assert store.count() == 1


def test_two_that_believe_to_lead_make_one_job(store: Store) -> None:
    """B14: the same term twice, as after a resumed copy of the process."""
    lead, name = leads(store), a_schedule(store).name
    renewed(store, TEN)
    first, second = planned(store), planned(store.another())
    assert store.run(fire(lead, [visit[0] for visit in first])) == [FireResult(name, "made")]
    assert store.another().run(fire(lead, [visit[0] for visit in second])) == []
    assert store.count() == 1
    assert len(ledger(store, name)) == 1


def test_a_repeat_after_a_lost_reply_does_nothing(store: Store) -> None:
    lead, name = leads(store), a_schedule(store).name
    renewed(store, TEN)
    [[step]] = planned(store)
    assert store.run(fire(lead, [step])) == [FireResult(name, "made")]
    before = stored(store, name)
    assert store.run(fire(lead, [step])) == []
    assert (stored(store, name), store.count()) == (before, 1)


def test_a_schedule_that_changed_since_is_passed_by(store: Store) -> None:
    lead, name, other = leads(store), a_schedule(store).name, a_schedule(store).name
    renewed(store, TEN)
    visits = planned(store)
    store.run(change(name, paused(by="me", reason=None)))
    assert store.run(fire(lead, [visit[0] for visit in visits])) == [FireResult(other, "made")]
    assert stored(store, name).last_job is None


def test_a_schedule_that_was_deleted_is_passed_by(store: Store) -> None:
    lead, name = leads(store), a_schedule(store).name
    renewed(store, TEN)
    [[step]] = planned(store)
    assert store.run(delete(name))
    assert store.run(fire(lead, [step])) == []
    assert store.count() == 0
    assert ledger(store, name) == []


def test_a_thousand_that_are_due_at_once(store: Store) -> None:
    """C9: each slot has one job, those without one are in the ledger with a reason."""
    lead = leads(store, ttl=DAY)
    store.run(queues.change("narrow", {"max_length": 3}, by="me"))
    wide, narrow = (a_definition(queue=queue) for queue in ("wide", "narrow"))
    names = [f"s{number:04}" for number in range(1000)]
    new = [
        new_schedule(name, wide if index % 10 else narrow, now=START, origin=Origin.CODE)
        for index, name in enumerate(names)
    ]
    assert store.run(save(new)) == set(names)
    store.advance(TEN)
    rounds, results = 0, list[FireResult]()
    while fired := fire_all(store, lead):
        results += fired
        rounds += 1
    assert rounds == 5
    assert Counter(verdicts(results)) == {"made": 903, "queue_full": 97}
    assert sorted(result.name for result in results) == names
    assert store.count() == 903
    rows = [row for name in names for row in ledger(store, name)]
    assert Counter((row.outcome, row.reason) for row in rows) == {
        ("on_time", None): 903,
        ("skipped", "queue_full"): 97,
    }


@pytest.mark.parametrize("step", [-HOUR, HOUR])
def test_a_clock_that_is_stepped_repeats_no_slot(store: Store, step: int) -> None:
    """C9: an hour back and forward again, and the other way: every slot has one job, or a row that says why not."""
    five = 5 * MINUTE
    name, shown = a_schedule(store, a_definition(every=five, catch_up=CatchUp.ALL, limit=5)).name, list[int]()
    for passed in [five] * 3 + [step] + [five] * 3 + [-step] + [five] * 14:
        store.advance(passed)
        shown.append(store.clock())
        fire_all(store, leads(store, f"leader at {shown[-1]}", ttl=1))
    rows = ledger(store, name)
    decided = [row.planned_at + five * number for row in rows for number in range(row.count)]
    assert decided == [START // five * five + five * number for number in range(1, (max(shown) - START) // five + 1)]
    assert store.count() == sum(row.job is not None for row in rows)
    assert [row for row in rows if row.job is None and row.outcome != FireOutcome.MISSED] == []


def test_slots_that_were_missed_are_caught_up_with(store: Store) -> None:
    """B15: all of them, up to the limit; what lies beyond it is one row of the ledger."""
    definition = a_definition(every=MINUTE, catch_up=CatchUp.ALL, limit=3)
    lead, name = leads(store, ttl=DAY), a_schedule(store, definition).name
    first = START // MINUTE * MINUTE + MINUTE
    store.advance(first - START + 10 * MINUTE)
    assert verdicts(fire_all(store, lead)) == ["made"] * 3
    missed, *rows = ledger(store, name)
    assert (missed.planned_at, missed.last_at, missed.count) == (first, first + 7 * MINUTE, 8)
    assert (missed.outcome, missed.job) == ("missed", None)
    assert [row.planned_at for row in rows] == [first + number * MINUTE for number in (8, 9, 10)]
    assert [row.outcome for row in rows] == ["caught_up", "late", "on_time"]
    assert stored(store, name).fires == 4
    assert fire_all(store, lead) == []


def test_a_leader_that_dies_between_two_steps(store: Store) -> None:
    """B14, C9: the next one takes the steps that are left, and no others."""
    definition = a_definition(every=MINUTE, catch_up=CatchUp.ALL, limit=5)
    lead, name = leads(store, ttl=DAY), a_schedule(store, definition).name
    store.advance(HOUR)
    [visit] = planned(store)
    for number, step in enumerate(visit, 1):
        assert store.run(fire(lead, [step])) is not None
        fired = [row.planned_at for row in ledger(store, name) if row.job]
        assert len(fired) == len(set(fired)) == number
        [rest] = planned(store) or [[]]
        left = [step.row.slot for step in rest if step.job is not None]
        assert left == [step.row.slot for step in visit[number:]]
    assert store.count() == 5


def test_catch_up_skip_only_notes_what_was_missed(store: Store) -> None:
    definition = a_definition(every=HOUR, catch_up=CatchUp.SKIP)
    lead, name = leads(store, ttl=DAY), a_schedule(store, definition).name
    store.advance(5 * HOUR + 30 * MINUTE)
    assert verdicts(fire_all(store, lead)) == ["noted"]
    [row] = ledger(store, name)
    assert (row.outcome, row.count, store.count()) == ("missed", 5, 0)
    assert stored(store, name).next_at == row.last_at + HOUR if row.last_at else False


def test_overlap_skip_looks_at_the_latest_job(store: Store) -> None:
    """B14: also one that waits for its next attempt is alive."""
    lead, name = leads(store, ttl=DAY), a_schedule(store, a_definition(overlap=Overlap.SKIP)).name
    worker = store.a_worker(ttl=DAY)
    store.advance(TEN)
    assert verdicts(fire_all(store, lead)) == ["made"]
    store.advance(TEN)
    assert verdicts(fire_all(store, lead)) == ["overlap"]
    [job] = worker.take(1)
    store.advance(TEN)
    assert verdicts(fire_all(store, lead)) == ["overlap"]
    store.end(job, raised(delay=HOUR))
    store.advance(TEN)
    assert verdicts(fire_all(store, lead)) == ["overlap"]
    store.advance(HOUR)
    store.run(queries.find([job.id]))
    assert [(row.outcome, row.reason) for row in ledger(store, name)[1:4]] == [("skipped", "overlap")] * 3


def test_overlap_skip_goes_on_when_the_job_has_finished(store: Store) -> None:
    lead, worker = leads(store, ttl=DAY), store.a_worker(ttl=DAY)
    a_schedule(store, a_definition(overlap=Overlap.SKIP))
    store.advance(TEN)
    fire_all(store, lead)
    [job] = worker.take(1)
    store.end(job)
    store.advance(TEN)
    assert verdicts(fire_all(store, lead)) == ["made"]


def test_overlap_buffer_keeps_one_slot_back(store: Store) -> None:
    """B15: until the job has finished; further slots are skipped, and it keeps its place before them."""
    lead, worker = leads(store, ttl=DAY), store.a_worker(ttl=DAY)
    name = a_schedule(store, a_definition(overlap=Overlap.BUFFER)).name
    store.advance(TEN)
    assert verdicts(fire_all(store, lead)) == ["made"]
    store.advance(TEN)
    assert verdicts(fire_all(store, lead)) == ["held"]
    held = stored(store, name)
    assert (held.held_at, held.held_for) == (START + 2 * TEN, HeldFor.OVERLAP)
    assert held.due_at == START + 2 * TEN + SECOND, "it is looked at every second"
    store.advance(SECOND)
    assert verdicts(fire_all(store, lead)) == ["stays"]
    store.advance(9 * SECOND)
    assert verdicts(fire_all(store, lead)) == ["stays", "overlap"]
    [job] = worker.take(1)
    store.end(job)
    store.advance(SECOND)
    assert verdicts(fire_all(store, lead)) == ["made"]
    after = stored(store, name)
    assert (after.held_at, after.held_for, after.due_at) == (None, None, START + 4 * TEN)
    rows = {row.planned_at - START: (row.outcome, row.reason, row.job is not None) for row in ledger(store, name)}
    assert rows == {
        TEN: ("on_time", None, True),
        2 * TEN: ("late", None, True),
        3 * TEN: ("skipped", "overlap", False),
    }


def test_a_slot_that_was_kept_back_before_a_pause_is_skipped_by_resume(store: Store) -> None:
    """B15: it will not fire any more, and the ledger does not promise it."""
    lead, name = leads(store, ttl=DAY), a_schedule(store, a_definition(overlap=Overlap.BUFFER)).name
    for verdict in ("made", "held"):
        store.advance(TEN)
        assert verdicts(fire_all(store, lead)) == [verdict]
    store.run(change(name, paused(by="ada", reason=None)))
    assert ledger(store, name)[-1].outcome == "buffered"
    store.run(change(name, resumed()))
    assert [(row.outcome, row.reason, row.job is not None) for row in ledger(store, name)] == [
        ("on_time", None, True),
        ("skipped", "overlap", False),
    ]


def test_a_buffer_catches_up_with_no_more_than_the_limit(store: Store) -> None:
    """B15: one runs, and one may be kept back, unless the limit is one."""
    definition = a_definition(every=HOUR, catch_up=CatchUp.ALL, overlap=Overlap.BUFFER, limit=1)
    lead, name = leads(store, ttl=DAY), a_schedule(store, definition).name
    store.advance(5 * HOUR + 30 * MINUTE)
    assert verdicts(fire_all(store, lead)) == ["made"]
    assert [(row.outcome, row.count) for row in ledger(store, name)] == [("missed", 4), ("caught_up", 1)]


def test_a_unique_key_that_is_held(store: Store) -> None:
    """B16: no job, and the ledger says why."""
    lead, name = leads(store, ttl=DAY), a_schedule(store, a_definition(key="one")).name
    store.a_job(new_job(key="one"))
    store.advance(TEN)
    assert verdicts(fire_all(store, lead)) == ["unique"]
    [row] = ledger(store, name)
    assert (row.outcome, row.reason, row.job) == ("skipped", "unique", None)
    [job] = store.a_worker(ttl=DAY).take(1)
    store.end(job)
    store.advance(TEN)
    assert verdicts(fire_all(store, lead)) == ["made"]
    assert store.enqueue(new_job(key="one"))[0].id == stored(store, name).last_job


def test_of_two_schedules_with_one_key_the_first_fires(store: Store) -> None:
    lead = leads(store, ttl=DAY)
    for name in "ab":
        a_schedule(store, a_definition(key="one"), name)
    store.advance(TEN)
    assert fire_all(store, lead) == [FireResult("a", "made"), FireResult("b", "unique")]


def test_a_key_whose_first_job_found_no_room_goes_to_the_next(store: Store) -> None:
    lead = leads(store, ttl=DAY)
    store.run(queues.change("narrow", {"max_length": 1}, by="me"))
    store.enqueue(new_job(queue="narrow"))
    a_schedule(store, a_definition(key="one", queue="narrow"), "a")
    a_schedule(store, a_definition(key="one"), "b")
    store.advance(TEN)
    assert fire_all(store, lead) == [FireResult("a", "queue_full"), FireResult("b", "made")]


def test_a_key_with_a_window(store: Store) -> None:
    lead = leads(store, ttl=DAY)
    a_schedule(store, a_definition(key="one", uniqueness=Uniqueness(until="window", window=MINUTE)))
    worker, found = store.a_worker(ttl=DAY), list[str]()
    for _ in range(8):
        store.advance(TEN)
        found += verdicts(fire_all(store, lead))
        for job in worker.take(1):
            store.end(job)
    assert found == ["made", "unique", "unique", "unique", "unique", "unique", "made", "unique"]


@pytest.mark.only_on("sqlite", "postgres", "redis")
def test_five_leaders_at_once_with_a_unique_key(store: Store) -> None:
    """B16: one job, whatever the order in which they come."""
    lead, name = leads(store, ttl=DAY), a_schedule(store, a_definition(key="one")).name
    others = [store.another() for _ in range(5)]
    for _ in range(5):
        store.advance(TEN)
        visits = [planned(other) for other in others]

        with ThreadPoolExecutor(5) as pool:
            answers = pool.map(lambda other, visit: other.run(fire(lead, visit[0][:1])), others, visits)
            results = [result for taken in answers for result in taken or []]
        assert len(results) == 1
    assert store.count() == 1
    assert [row.job is not None for row in ledger(store, name)] == [True, False, False, False, False]


def test_a_job_has_all_that_a_job_can_have(store: Store) -> None:
    """B16: tags and keys, whatever fields a job has, also those that later releases add."""
    wanted = replace(new_job(queue="other", priority=7, timeout=5, key="one", retry="{}"), tags='["red"]')
    definition = Definition.of(wanted, every=TEN)
    assert read_definition(write_definition(definition)) == definition
    assert replace(definition.new_job(wanted.id, meta=None)) == wanted
    lead, name = leads(store, ttl=DAY), a_schedule(store, definition).name
    store.advance(TEN)
    assert verdicts(fire_all(store, lead)) == ["made"]
    job = store.job(stored(store, name).last_job or "")
    assert (job.queue, job.priority, job.timeout, job.unique_key) == ("other", 7, 5, "one")
    assert (job.retry, job.tags) == ("{}", '["red"]')


def test_a_full_queue(store: Store) -> None:
    lead, name = leads(store, ttl=DAY), a_schedule(store, a_definition(queue="narrow")).name
    store.run(queues.change("narrow", {"max_length": 1}, by="me"))
    store.advance(TEN)
    assert verdicts(fire_all(store, lead)) == ["made"]
    store.advance(TEN)
    assert verdicts(fire_all(store, lead)) == ["queue_full"]
    [_, row] = ledger(store, name)
    assert (row.outcome, row.reason) == ("skipped", "queue_full")
    assert store.run(queries.counts())["narrow"][State.PENDING] == 1


def test_a_job_that_cannot_be_made_is_tried_again_until_the_next_slot(store: Store) -> None:
    """B15: the others go on."""
    lead = leads(store, ttl=DAY)
    name, well = (a_schedule(store, a_definition(every=MINUTE)).name for _ in range(2))
    slot = START // MINUTE * MINUTE + MINUTE
    store.advance(slot - START)

    def fail(schedule: str, definition: Definition, at: int) -> NewJob:
        if schedule == name:
            raise TypeError("greet() missing 1 required positional argument: 'name'")
        return make_job(schedule, definition, at)

    def failing_round() -> list[str]:
        found = store.run(due())
        visits = [steps(record, now=found.now, make=fail) for record in found.schedules]
        taken = store.run(fire(lead, [visit[0] for visit in visits]))
        return sorted(verdicts(taken or []))

    assert failing_round() == ["made", "noted"]
    record, [row] = stored(store, name), ledger(store, name)
    assert (record.held_at, record.held_for, record.due_at) == (slot, HeldFor.ERROR, slot + TEN)
    assert (row.outcome, row.job) == (FireOutcome.ERROR, None)
    assert row.reason == "TypeError: greet() missing 1 required positional argument: 'name'"
    store.advance(TEN)
    assert failing_round() == ["noted"]
    assert len(ledger(store, name)) == 1
    store.advance(TEN)
    assert verdicts(fire_all(store, lead)) == ["made"]
    [row] = ledger(store, name)
    assert (row.planned_at, row.outcome, row.reason, row.job) == (slot, "late", None, stored(store, name).last_job)
    assert stored(store, name).held_at is None
    assert stored(store, name).next_at == slot + MINUTE
    assert stored(store, well).fires == 1


def test_an_error_ends_with_the_next_slot(store: Store) -> None:
    lead, name = leads(store, ttl=DAY), a_schedule(store, a_definition(every=MINUTE)).name
    slot = START // MINUTE * MINUTE + MINUTE
    store.advance(slot - START)

    def fail(schedule: str, definition: Definition, at: int) -> NewJob:
        raise TypeError("no")

    [record] = store.run(due()).schedules
    store.run(fire(lead, steps(record, now=slot, make=fail)))
    store.advance(MINUTE)
    assert verdicts(fire_all(store, lead)) == ["made"]
    assert [(row.planned_at, row.outcome) for row in ledger(store, name)] == [
        (slot, "error"),
        (slot + MINUTE, "on_time"),
    ]
    assert stored(store, name).held_at is None


def test_a_definition_that_cannot_be_read_harms_no_other(store: Store) -> None:
    lead, name, well = leads(store, ttl=DAY), a_schedule(store, name="a").name, a_schedule(store, name="b").name
    store.advance(TEN)
    found = store.run(due())
    damaged = [replace(record, definition="{") if record.name == name else record for record in found.schedules]
    visits = [steps(record, now=found.now, make=make_job) for record in damaged]
    taken = store.run(fire(lead, [visit[0] for visit in visits]))
    assert taken == [FireResult(name, "noted"), FireResult(well, "made")]
    [row] = ledger(store, name)
    assert row.outcome == FireOutcome.ERROR
    assert "cannot be read" in (row.reason or "")
    assert stored(store, name).due_at == START + 2 * TEN


def test_the_ledger_of_a_schedule_is_bounded(store: Store) -> None:
    lead, name = leads(store, ttl=DAY), a_schedule(store).name
    for _ in range(FIRES_KEPT + 40):
        store.advance(TEN)
        fire_all(store, lead)
    rows = ledger(store, name)
    assert FIRES_KEPT <= len(rows) <= FIRES_KEPT + 20
    assert rows[-1].planned_at == stored(store, name).planned_at
    assert stored(store, name).fires == FIRES_KEPT + 40


def test_a_slot_that_the_ledger_has_is_not_fired_again(store: Store) -> None:
    """Also if a clock that was wrong for long has been set right, and an operator lets the schedule begin anew."""
    lead, name = leads(store, ttl=DAY), a_schedule(store).name
    store.advance(TEN)
    fire_all(store, lead)
    store.advance(-5 * SECOND)
    store.run(change(name, paused(by="me", reason=None)))
    store.run(change(name, resumed()))
    store.advance(5 * SECOND)
    assert verdicts(fire_all(store, lead)) == ["repeated"]
    assert store.count() == 1
    store.advance(TEN)
    assert verdicts(fire_all(store, lead)) == ["made"]


def test_a_paused_schedule_is_not_due(store: Store) -> None:
    lead, name = leads(store, ttl=DAY), a_schedule(store).name
    store.run(change(name, paused(by="me", reason="quiet")))
    store.advance(HOUR)
    assert store.run(due()).next_in is None
    store.run(change(name, resumed()))
    assert fire_all(store, lead) == []
    store.advance(TEN)
    assert verdicts(fire_all(store, lead)) == ["made"], "slots of the pause are not caught up with"
    assert len(ledger(store, name)) == 1


def test_a_long_payload_ends_a_page(store: Store) -> None:
    """So that no look carries more than a call can."""
    for number in range(3):
        a_schedule(store, replace(a_definition(), payload="x" * 2_500_000), f"s{number}")
    store.advance(TEN)
    assert [record.name for record in store.run(due()).schedules] == ["s0"]
