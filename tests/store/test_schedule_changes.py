"""schedule_save, schedule_list, schedule_delete: schedules live in the store, and no change overwrites another."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.manual_clock import START
from tests.store.builders import DAY, HOUR, MINUTE, SECOND
from tests.store.schedules import TEN, a_definition, a_schedule, fire_all, leads, ledger, stored, verdicts
from tests.store.stores import Store
from tests.store.watched_calls import WatchedCalls
from windlass.core.schedules.zones import zone_data_version
from windlass.errors import ConfigError, ScheduleNotFound
from windlass.store.operation import Call
from windlass.store.operations import jobs
from windlass.store.operations.schedules.changes import (
    add,
    change,
    delete,
    every_schedule,
    fires,
    recompute,
    runs,
    save,
    schedule,
    schedules,
    schedules_by_name,
)
from windlass.store.operations.schedules.definition import read_definition, write_definition
from windlass.store.operations.schedules.edits import edited, new_schedule, paused, recomputed, reset, resumed
from windlass.store.operations.schedules.records import Origin, ScheduleRecord


def test_a_schedule_is_kept_as_it_was_given(store: Store) -> None:
    """B16."""
    definition = a_definition(cron="30 9 * * mon-fri", key="\u00fcn\u00efque", jitter=5)
    record = store.run(add("a schedule, with \u00fcmlauts", definition))
    assert record == stored(store, "a schedule, with \u00fcmlauts")
    assert read_definition(record.definition) == definition
    assert (record.origin, record.declared, record.revision, record.created_at) == (Origin.HAND, None, 1, START)
    assert (record.planned_at, record.zone_data) == (START, zone_data_version())


def test_every_field_is_kept(store: Store) -> None:
    full = ScheduleRecord(
        "full", "greet", Origin.CODE, "{}", "{}", 0, 1, 2, "me", 3, "you", "why", 4, 5, 6, 7, "job", 8, None, 9, "2026a"
    )
    assert store.run(save([full])) == {"full"}
    assert stored(store, "full") == replace(full, revision=1)
    bare = ScheduleRecord("full", "greet", Origin.HAND, "{}", None, 1, 1)
    assert store.run(save([bare])) == {"full"}
    assert stored(store, "full") == replace(bare, revision=2)


def test_a_name_that_is_taken(store: Store) -> None:
    a_schedule(store, name="digest")
    assert store.run(add("digest", a_definition())).revision == 1, "a repeat after a lost reply"
    with pytest.raises(ConfigError, match="there is a schedule 'digest' already"):
        store.run(add("digest", a_definition(every=MINUTE)))
    assert stored(store, "digest").revision == 1


def test_there_is_none_of_that_name(store: Store) -> None:
    with pytest.raises(ScheduleNotFound, match="'digest'"):
        store.run(schedule("digest"))
    with pytest.raises(ScheduleNotFound, match="'digest'"):
        store.run(change("digest", resumed()))
    assert not store.run(delete("digest"))
    assert store.run(fires("digest")) == []


def test_a_change_that_was_computed_from_an_older_state_is_not_stored(store: Store) -> None:
    record = a_schedule(store)
    store.run(change(record.name, paused(by="me", reason=None)))
    assert store.run(save([replace(record, task="other")])) == set()
    assert store.run(save([replace(record, revision=0)])) == set()
    assert stored(store, record.name).paused_by == "me"


def test_a_change_is_made_again_when_a_fire_came_first(store: Store) -> None:
    lead, name, tries = leads(store, ttl=DAY), a_schedule(store).name, list[int]()
    store.advance(TEN)

    def edit(record: ScheduleRecord, now: int) -> ScheduleRecord:
        tries.append(record.revision)
        if len(tries) == 1:
            assert verdicts(fire_all(store.another(), lead)) == ["made"]
        return paused(by="me", reason="quiet")(record, now)

    changed = store.run(change(name, edit))
    assert tries == [1, 2]
    assert changed == stored(store, name)
    assert (changed.paused_by, changed.planned_at, changed.revision) == ("me", START + TEN, 3)


def test_a_change_that_changes_nothing_writes_nothing(store: Store) -> None:
    name = a_schedule(store).name
    assert store.run(change(name, resumed())).revision == 1
    assert stored(store, name).revision == 1


def test_pages_are_in_the_order_of_names(store: Store) -> None:
    names = [f"s{number:02}" for number in range(25)]
    for name in reversed(names):
        a_schedule(store, a_definition(task="even" if int(name[1:]) % 2 == 0 else "odd"), name)
    found, after = list[str](), ""
    while True:
        page = store.run(schedules(after=after, limit=10))
        assert page.now == START
        assert len(page.schedules) <= 10
        found += [record.name for record in page.schedules]
        if page.next is None:
            break
        after = page.next
    assert found == names
    assert [record.name for record in store.run(every_schedule())] == names
    assert [record.name for record in store.run(schedules(task="odd")).schedules] == names[1::2]
    page = store.run(schedules_by_name(["s03", "s01", "none", "s03"]))
    assert [record.name for record in page.schedules] == ["s01", "s03"]


def test_a_page_of_one_task_goes_on_behind_the_others(store: Store) -> None:
    for number in range(12):
        a_schedule(store, a_definition(task="rare" if number == 11 else "common"), f"s{number:02}")
    found, after = list[str](), ""
    while True:
        page = store.run(schedules(task="rare", after=after, limit=5))
        found += [record.name for record in page.schedules]
        if page.next is None:
            break
        after = page.next
    assert found == ["s11"]


def test_a_page_ends_at_what_one_call_can_carry(store: Store) -> None:
    for number in range(3):
        a_schedule(store, replace(a_definition(), payload="x" * 2_500_000), f"s{number}")
    page = store.run(schedules())
    assert ([record.name for record in page.schedules], page.next) == (["s0"], "s0")
    assert [record.name for record in store.run(every_schedule())] == ["s0", "s1", "s2"]


def test_editing_counts_from_now_on(store: Store) -> None:
    """B16: what an operator changed is shown as changed."""
    name = a_schedule(store).name
    store.advance(5 * SECOND)
    changed = store.run(change(name, edited(a_definition(every=MINUTE), by="me")))
    assert (changed.changed_at, changed.changed_by) == (START + 5 * SECOND, "me")
    assert (changed.planned_at, changed.next_at) == (START + 5 * SECOND, START // MINUTE * MINUTE + MINUTE)


def test_editing_what_is_not_about_time_moves_no_slot(store: Store) -> None:
    """A slot that is due at this moment is not lost."""
    lead, name = leads(store, ttl=DAY), a_schedule(store).name
    store.advance(TEN)
    changed = store.run(change(name, edited(a_definition(queue="other"), by="me")))
    assert (changed.planned_at, changed.due_at) == (START, START + TEN)
    assert verdicts(fire_all(store, lead)) == ["made"]
    assert store.job(stored(store, name).last_job or "").queue == "other"


def test_the_way_back_to_what_the_code_says(store: Store) -> None:
    definition = a_definition()
    store.run(save([new_schedule("digest", definition, now=START, origin=Origin.CODE)]))
    store.run(change("digest", edited(a_definition(every=HOUR), by="me")))
    back = store.run(change("digest", reset()))
    assert back.definition == write_definition(definition) == back.declared
    assert (back.changed_at, back.changed_by, back.next_at) == (None, None, START + TEN)
    name = a_schedule(store).name
    assert store.run(change(name, reset())).revision == 1, "one that was made by hand stays as it is"


def test_other_zone_data_moves_the_next_slot(store: Store) -> None:
    """B16: recompute says which have moved."""
    name, other = a_schedule(store, name="a").name, a_schedule(store, name="b").name
    record = stored(store, name)
    store.run(save([replace(record, next_at=START + HOUR, due_at=START + HOUR, zone_data="1999a")]))
    assert store.run(recompute()) == [name]
    assert (stored(store, name).next_at, stored(store, name).zone_data) == (START + TEN, zone_data_version())
    assert stored(store, other).revision == 1
    assert store.run(change(name, recomputed())).revision == 3


def test_one_that_is_deleted_meanwhile_keeps_no_other_from_being_recomputed(store: Store) -> None:
    """B16: nor does it fail the leader, which recomputes when it has other zone data."""
    for name in ("a", "b"):
        record = a_schedule(store, name=name)
        store.run(save([replace(record, next_at=START + HOUR, due_at=START + HOUR, zone_data="1999a")]))

    def delete_one(call: Call) -> None:
        if call.name == "schedule_save":
            store.run(delete("a"))

    assert "b" in WatchedCalls(store, before=delete_one).run(recompute())
    assert stored(store, "b").next_at == START + TEN


def test_deleting_takes_the_ledger_along(store: Store) -> None:
    lead, name = leads(store, ttl=DAY), a_schedule(store, name="digest").name
    store.advance(TEN)
    fire_all(store, lead)
    assert len(ledger(store, name)) == 1
    assert store.run(delete(name))
    assert store.run(schedules()).schedules == []
    assert ledger(store, name) == []
    store.advance(TEN)
    assert fire_all(store, lead) == []
    assert a_schedule(store, name="digest").planned_at == START + 2 * TEN


def test_the_ledger_in_pages(store: Store) -> None:
    lead, name = leads(store, ttl=DAY), a_schedule(store).name
    for _ in range(5):
        store.advance(TEN)
        fire_all(store, lead)
    first = store.run(fires(name, limit=3))
    rest = store.run(fires(name, limit=3, before=first[-1].planned_at))
    assert [row.planned_at - START for row in (*first, *rest)] == [TEN * number for number in (5, 4, 3, 2, 1)]


def test_the_last_runs_of_several_schedules_at_once(store: Store) -> None:
    """B16: each slot with the state of its job, the newest first; what has not fired is left out."""
    lead = leads(store, ttl=DAY)
    often, seldom = a_schedule(store).name, a_schedule(store, a_definition(every=3 * TEN)).name
    quiet = a_schedule(store, a_definition(every=DAY)).name
    for _ in range(4):
        store.advance(TEN)
        fire_all(store, lead)
    store.a_worker(ttl=DAY).take(1)
    gone = store.job(str(ledger(store, often)[1].job))
    store.run(jobs.delete([(gone.seq, gone.id)]))
    found = store.run(runs([often, seldom, quiet, "no such schedule"], limit=3))
    assert {name: [(run.planned_at - START, run.state) for run in rows] for name, rows in found.items()} == {
        often: [(4 * TEN, "pending"), (3 * TEN, "pending"), (2 * TEN, None)],
        seldom: [(4 * TEN, "pending"), (TEN, "pending")],
    }
    assert {run.outcome for run in found[often]} == {"on_time"}
    assert [run.state for run in store.run(runs([often], limit=9))[often]][-1] == "running"
    assert store.run(runs([], limit=3)) == {}
