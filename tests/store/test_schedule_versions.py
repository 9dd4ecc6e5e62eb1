"""schedule_declare, schedule_keep, schedule_versions: what the code declares, and which of its versions is in force."""

from __future__ import annotations

from collections.abc import Mapping

from tests.manual_clock import START
from tests.store.builders import DAY, HOUR, MINUTE, SECOND
from tests.store.schedules import TEN, a_definition, a_schedule, fire_all, leads, stored, verdicts
from tests.store.stores import Store
from windlass.store.operation import Call, Operation
from windlass.store.operations.schedules.changes import change, delete
from windlass.store.operations.schedules.definition import Definition, write_definition
from windlass.store.operations.schedules.edits import edited
from windlass.store.operations.schedules.fire import due
from windlass.store.operations.schedules.records import Origin
from windlass.store.operations.schedules.versions import (
    LIVE_FOR,
    Synchronised,
    declare,
    keep,
    synchronise,
    version_of,
    versions,
)

DIGEST = {"digest": a_definition()}


def runs(store: Store, declared: Mapping[str, Definition]) -> str:
    """A process with this code starts."""
    version = version_of(declared)
    store.run(declare(version, declared))
    return version


def test_the_first_version_adds_its_schedules(store: Store) -> None:
    """B16."""
    runs(store, DIGEST)
    assert store.run(synchronise()) == Synchronised(["digest"], [], [], [])
    record = stored(store, "digest")
    assert (record.origin, record.definition, record.next_at) == (Origin.CODE, record.declared, START + TEN)
    assert store.run(synchronise()) == Synchronised([], [], [], [])
    assert stored(store, "digest").revision == 1


def test_a_version_is_the_same_wherever_the_same_is_declared() -> None:
    one, two = a_definition(), a_definition(every=MINUTE)
    assert version_of({"a": one, "b": two}) == version_of({"b": two, "a": one})
    assert version_of({"a": one}) != version_of({"a": two})


def test_code_that_changed(store: Store) -> None:
    runs(store, DIGEST)
    store.run(synchronise())
    store.advance(SECOND)
    runs(store, {"digest": a_definition(every=MINUTE)})
    assert store.run(synchronise()) == Synchronised([], ["digest"], [], [])
    record = stored(store, "digest")
    assert (record.definition, record.changed_at) == (write_definition(a_definition(every=MINUTE)), None)


def test_what_an_operator_changed_stays_changed(store: Store) -> None:
    runs(store, DIGEST)
    store.run(synchronise())
    theirs = write_definition(a_definition(every=HOUR))
    store.run(change("digest", edited(a_definition(every=HOUR), by="me")))
    store.advance(SECOND)
    runs(store, {"digest": a_definition(every=MINUTE)})
    store.run(synchronise())
    record = stored(store, "digest")
    assert (record.definition, record.changed_by) == (theirs, "me")
    assert record.declared == write_definition(a_definition(every=MINUTE))


def test_two_versions_side_by_side_do_not_fight(store: Store) -> None:
    """B16: during a deploy the newer one is in force, however often the older one comes again."""
    old, new = DIGEST, {"digest": a_definition(every=MINUTE)}
    first = runs(store, old)
    store.run(synchronise())
    store.advance(MINUTE - SECOND)
    store.run(keep(first))
    second = runs(store, new)
    assert store.run(due()).live == (first, second)
    store.run(synchronise())
    for _ in range(3):
        store.advance(SECOND)
        runs(store, old)
        assert store.run(synchronise()) == Synchronised([], [], [], [])
    assert stored(store, "digest").definition == write_definition(new["digest"])


def test_a_rollback(store: Store) -> None:
    """B16: the older version comes back into force when the newer one is gone."""
    first, second = runs(store, DIGEST), ""
    store.run(synchronise())
    store.advance(SECOND)
    second = runs(store, {"digest": a_definition(every=MINUTE), "extra": a_definition()})
    store.run(synchronise())
    for _ in range(4):
        store.advance(LIVE_FOR // 3)
        assert store.run(keep(first))
    assert store.run(due()).live == (first,)
    assert store.run(synchronise()) == Synchronised([], ["digest"], ["extra"], [])
    assert stored(store, "digest").definition == write_definition(a_definition())
    assert store.run(keep(second))
    assert store.run(due()).live == (first, second)


def test_removed_from_the_code_is_orphaned(store: Store) -> None:
    """B16: shown, not fired, never deleted in silence; one made by hand goes on."""
    lead = leads(store, ttl=DAY)
    runs(store, DIGEST)
    by_hand = a_schedule(store).name
    store.run(synchronise())
    store.advance(LIVE_FOR)
    runs(store, {"other": a_definition(every=HOUR)})
    assert store.run(synchronise()) == Synchronised(["other"], [], ["digest"], [])
    record = stored(store, "digest")
    assert (record.orphaned_at, record.due_at, record.next_at) == (START + LIVE_FOR, None, None)
    assert {result.name for result in fire_all(store, lead)} == {by_hand}
    store.advance(SECOND)
    runs(store, DIGEST)
    assert store.run(synchronise()).changed == ["digest"]
    back = stored(store, "digest")
    assert (back.orphaned_at, back.planned_at) == (None, START), "it goes on where it stopped"
    assert "made" in verdicts(fire_all(store, lead))


def test_while_no_version_is_live_nothing_is_decided(store: Store) -> None:
    """All processes were down, or the only one was paused."""
    runs(store, DIGEST)
    store.run(synchronise())
    store.advance(DAY)
    assert store.run(due()).live == ()
    assert store.run(synchronise()) == Synchronised([], [], [], [])
    assert stored(store, "digest").orphaned_at is None


def test_a_schedule_that_is_only_in_the_older_version_goes_on(store: Store) -> None:
    """Until that version is gone: two programs may share a store."""
    runs(store, DIGEST)
    store.advance(SECOND)
    runs(store, {"other": a_definition()})
    assert store.run(synchronise()) == Synchronised(["digest", "other"], [], [], [])


def test_a_name_that_an_operator_took_becomes_the_codes(store: Store) -> None:
    """What the operator said stays, with a way to what the code says."""
    a_schedule(store, a_definition(every=HOUR), "digest")
    runs(store, DIGEST)
    store.run(synchronise())
    record = stored(store, "digest")
    assert (record.origin, record.declared) == (Origin.CODE, write_definition(a_definition()))
    assert (record.definition, record.changed_at) == (write_definition(a_definition(every=HOUR)), START)
    assert store.run(synchronise()).changed == []


def test_a_deleted_schedule_that_is_declared_comes_back(store: Store) -> None:
    runs(store, DIGEST)
    store.run(synchronise())
    store.run(delete("digest"))
    assert store.run(synchronise()).added == ["digest"]


def test_one_process_writes_for_all_of_its_version(store: Store) -> None:
    version = runs(store, DIGEST)
    [seen] = store.run(versions())[1]
    assert (seen.version, seen.first_seen, seen.seen_at) == (version, START, START)
    store.advance(5 * SECOND)
    assert store.run(keep(version))
    assert store.run(versions())[1] == [seen]
    store.advance(6 * SECOND)
    assert store.run(keep(version))
    assert store.run(versions())[1][0].seen_at == START + 11 * SECOND
    assert not store.run(keep("unknown"))


def test_versions_that_have_not_run_for_long_are_forgotten(store: Store) -> None:
    runs(store, DIGEST)
    store.advance(31 * DAY)
    version = runs(store, {})
    assert [known.version for known in store.run(versions())[1]] == [version]


def test_a_clock_that_was_set_back_keeps_no_version_alive(store: Store) -> None:
    runs(store, DIGEST)
    store.advance(-HOUR)
    assert store.run(due()).live == ()


def test_a_declaration_that_is_not_understood_harms_no_other(store: Store) -> None:
    """One of a newer release, say."""
    strange = '{"digest":' + write_definition(a_definition()) + ',"strange":{"cron":"when it rains"}}'
    store.run(_raw("newer", strange))
    assert store.run(synchronise()) == Synchronised(["digest"], [], [], ["strange"])
    assert store.run(synchronise()) == Synchronised([], [], [], ["strange"])


def _raw(version: str, declared: str) -> Operation[None]:
    """What another release may have written."""
    yield Call("schedule_declare", {"version": version, "declared": declared, "forgotten_after": DAY})
