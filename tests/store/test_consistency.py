"""check: what a store holds compared with itself; every kind of damage is found, and repaired where that is safe."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.places.raw_postgres import RawPostgres
from tests.places.raw_redis import RawRedis
from tests.places.raw_sqlite import RawSqlite
from tests.places.raw_store import RawStore
from tests.store.builders import HOUR, ids, new_job, raised
from tests.store.every_state import a_job_in
from tests.store.flows import child_of
from tests.store.stores import Store
from windlass.core.encryption.encryption import Encryption
from windlass.core.limits.concurrency import stored_key
from windlass.core.state import State
from windlass.insight.diagnostics.consistency import LOST_FOR_GOOD, examine, look_again, sentence
from windlass.store.operations import jobs, queries, queues
from windlass.store.operations.diagnostics.consistency import Damage, repair
from windlass.store.operations.limits.concurrency import mend_keys, unblock_page
from windlass.store.operations.queues import mend_counters
from windlass.store.operations.upkeep.tidy import FIRST_KEY, tidy_keys


def found(store: Store) -> list[Damage]:
    damages, _ = store.run(examine(Encryption()))
    assert store.run(look_again(damages, Encryption())) == damages
    assert all(sentence(one) for one in damages)
    return damages


def kinds(store: Store) -> list[str]:
    return [one.kind for one in found(store)]


def sql(store: Store, statement: str) -> None:
    raw: Any = RawStore(store.place)._raw  # past every operation
    execute = raw.execute if isinstance(raw, RawSqlite) else raw._execute
    execute(statement)


def redis(store: Store, *command: object) -> None:
    raw: Any = RawStore(store.place)._raw
    key, *rest = [str(word) for word in command[1:]]
    with raw._connected() as client:
        client.execute_command(command[0], raw._prefix + key, *rest)


def kind_of(store: Store) -> str:
    raw = RawStore(store.place)._raw
    return {RawSqlite: "sqlite", RawPostgres: "postgres", RawRedis: "redis"}[type(raw)]


def test_a_sound_store_has_no_damage(store: Store) -> None:
    """F8: jobs in every state, with keys, tags, limits, retries."""
    for state in State:
        if state is not State.BLOCKED:  # which the test's own store would force without a gate
            a_job_in(store, state)
    store.run(queues.change("default", {"max_running": 5}, by="me"))
    worker = store.a_worker(ttl=HOUR)
    store.enqueue(new_job("a", one_of="u"), new_job("b", one_of="u"), new_job("c", key="k", tags=("vip", "x")))
    worker.take()
    store.end(store.claimed(new_job("d", attempts=1)), raised())
    assert found(store) == []
    assert store.run(examine(Encryption()))[1] == sum(store.run(queries.totals()).values())


def damaged_text(store: Store) -> Damage:
    job = store.a_job(new_job("a"))
    RawStore(store.place).damage(_Handle(job), payload="{broken")  # type: ignore[arg-type]
    return Damage("text", "a", "payload", job.seq)


class _Handle:
    def __init__(self, record: Any) -> None:
        self.record, self.id = record, record.id


def running_without_a_lease(store: Store) -> Damage:
    store.enqueue(new_job("a"))
    [job] = store.a_worker().take()
    lease = store.job("a").lease
    match kind_of(store):
        case "redis":
            redis(store, "DEL", f"lease:{lease}")
        case _:
            sql(store, f"DELETE FROM windlass_lease WHERE id = '{lease}'")
    return Damage("no_lease", "a", str(lease), job.seq)


def tag_that_is_missing(store: Store) -> Damage:
    job = store.a_job(new_job("a", tags=("vip",)))
    match kind_of(store):
        case "redis":
            redis(store, "ZREM", "tag:vip", job.seq)
        case _:
            sql(store, "DELETE FROM windlass_tag")
    return Damage("no_tag", "a", "vip", job.seq)


def limit_that_is_miscounted(store: Store) -> Damage:
    store.run(queues.change("*", {"max_running": 9}, by="me"))
    RawStore(store.place).miscount("*", 3)
    return Damage("limit", "*", "counted 3, running 0")


def limit_without_a_counter(store: Store) -> Damage:
    store.run(queues.change("*", {"max_running": 9}, by="me"))
    RawStore(store.place).lose_counter("*")
    return Damage("limit", "*", "counted nothing, running 0")


def place_that_is_missing(store: Store) -> Damage:
    job = store.a_job(new_job("a"))
    if kind_of(store) == "redis":
        redis(store, "DEL", "pending:default")
    else:
        sql(store, "DELETE FROM windlass_ready")
    return Damage("no_place", "a", "pending", job.seq)


def place_of_another(store: Store, change: str) -> Damage:
    job = store.a_job(new_job("a"))
    sql(store, f"UPDATE windlass_ready SET {change}")
    return Damage("no_place", "a", "pending", job.seq)


def place_in_another_queue(store: Store) -> Damage:
    return place_of_another(store, "queue = 'elsewhere'")


def place_with_another_priority(store: Store) -> Damage:
    return place_of_another(store, "priority = 77")


def place_of_no_job(store: Store) -> Damage:
    store.a_job(new_job("a"))
    sql(store, "INSERT INTO windlass_ready (seq, since, priority, queue) VALUES (4711, 0, 0, 'default')")
    return Damage("stray_ready", "default", seq=4711)


def second_place(store: Store) -> Damage:
    job = store.a_job(new_job("a"))
    sql(
        store,
        f"INSERT INTO windlass_ready (seq, since, priority, queue) VALUES ({job.seq}, {job.run_at}, 7, 'default')",
    )
    return Damage("stray_ready", "default", seq=job.seq)


def queue_that_is_unknown(store: Store) -> Damage:
    store.a_job(new_job("a"))
    if kind_of(store) == "redis":
        redis(store, "SREM", "queues", "default")
    else:
        sql(store, "DELETE FROM windlass_queue WHERE name = 'default'")
    return Damage("no_queue", "default")


def record_that_is_none(store: Store) -> Damage:
    store.enqueue(new_job("b"), new_job("c"))
    job = store.a_job(new_job("a"))
    redis(store, "HSET", f"job:{job.seq}", "state", "lost")
    return Damage("record", "a", "Invalid enum value 'lost' - at `$[0][4]`", job.seq)


def two_places(store: Store) -> Damage:
    job = store.finished(new=new_job("a"))
    values = f"{job.seq}, {job.run_at}, {job.priority}, '{job.queue}'"
    sql(store, f"INSERT INTO windlass_ready (seq, since, priority, queue) VALUES ({values})")
    return Damage("two_places", "a", "ready finished", job.seq)


def lease_that_is_left(store: Store) -> Damage:
    job = store.a_job(new_job("a"))
    sql(store, "UPDATE windlass_job SET lease = 'old'")
    return Damage("left_lease", "a", "old", job.seq)


def gate_that_is_missing(store: Store) -> Damage:
    job = store.a_job(new_job("a"))
    sql(store, "UPDATE windlass_job SET state = 'blocked', gate = NULL, reason = 'key'")
    return Damage("no_gate", "a", "key", job.seq)


def end_that_is_missing(store: Store) -> Damage:
    job = store.finished(new=new_job("a"))
    sql(store, "UPDATE windlass_job SET finished_at = NULL")
    return Damage("no_end", "a", "completed", job.seq)


def tag_of_no_job(store: Store) -> Damage:
    store.a_job()
    sql(store, "INSERT INTO windlass_tag (tag, seq) VALUES ('vip', 4711)")
    return Damage("stray_tag", "vip", seq=4711)


def payload_of_no_job(store: Store) -> Damage:
    """As a process of an earlier release leaves it."""
    job = store.a_job(new_job(payload='{"v":1,"args":["' + "x" * 2000 + '"],"kwargs":{}}'))
    sql(store, "DELETE FROM windlass_job")
    return Damage("stray_payload", "2031", seq=job.seq)


def member_of_no_group(store: Store) -> Damage:
    member = store.a_job()
    sql(store, f"INSERT INTO windlass_member (callback, place, member) VALUES (4711, 0, {member.seq})")
    return Damage("stray_member", str(member.seq), seq=4711)


def edge_of_no_job_that_could_be(store: Store) -> Damage:
    """Its number is far behind that of any job."""
    parent = store.a_job(new_job("p"))
    columns = "child, parent, place, state, policy"
    sql(store, f"INSERT INTO windlass_edge ({columns}) VALUES ({2**40}, {parent.seq}, 0, 1, 'run')")
    return Damage("stray_edge", str(parent.seq), seq=2**40)


def tally_that_is_wrong(store: Store) -> Damage:
    store.finished(new=new_job("a"))
    sql(store, "INSERT INTO windlass_tally (number, state, queue) VALUES (5, 'completed', 'default')")
    return Damage("count", "completed in queue default", "counted 6, found 1")


def key_that_is_miscounted(store: Store) -> Damage:
    worker = store.a_worker(ttl=HOUR)
    store.enqueue(new_job("a", one_of="u"))
    worker.take()
    RawStore(store.place).miscount_key(stored_key("greet", "u"), 2)
    return Damage("key", stored_key("greet", "u"), "counted 3, held by 1")


def count_that_is_wrong(store: Store) -> Damage:
    store.a_job(new_job("a"))
    redis(store, "HSET", "counts", "pending:default", 7)
    return Damage("count", "pending in queue default", "counted 7, found 1")


def id_that_is_missing(store: Store) -> Damage:
    job = store.a_job(new_job("a"))
    redis(store, "HDEL", "ids", "a")
    return Damage("no_id", "a", "a", job.seq)


def id_of_no_job(store: Store) -> Damage:
    store.a_job(new_job("a"))
    redis(store, "HSET", "ids", "ghost", 4711)
    return Damage("stray_id", "ghost", seq=4711)


def bit_that_is_missing(store: Store) -> Damage:
    job = store.finished(raised(), new_job("a", attempts=1))
    redis(store, "DEL", "bits:failed:0")
    return Damage("no_bit", "a", "failed", job.seq)


def bit_without_which_no_walk_finds_a_job(store: Store) -> Damage:
    job = store.a_job(new_job("a"))
    redis(store, "DEL", "bits:all:0")
    return Damage("stray_bit", "a", seq=job.seq)


def block_without_which_no_walk_finds_a_job(store: Store) -> Damage:
    job = store.a_job(new_job("a"))
    redis(store, "DEL", "blocks:all")
    return Damage("stray_bit", "a", seq=job.seq)


def text_that_is_missing(store: Store) -> Damage:
    job = store.finished(raised(), new_job("a", attempts=1))
    redis(store, "DEL", f"errors:{job.seq}")
    return Damage("no_text", "a", "errors", job.seq)


def parent_that_is_gone(store: Store) -> Damage:
    """Deleted past every trigger."""
    parent = store.a_job(new_job("p"))
    child_of(store, "a", "p")
    if kind_of(store) == "redis":
        redis(store, "DEL", f"job:{parent.seq}")
        redis(store, "HDEL", "ids", "p")
    else:
        sql(store, "UPDATE windlass_edge SET parent = 4711, state = 1")
    return Damage("stale_edge", "a", str(parent.seq) if kind_of(store) == "redis" else "4711", store.job("a").seq)


def parent_that_has_ended(store: Store) -> Damage:
    """Its child was not told."""
    store.enqueue(new_job("p"))
    child_of(store, "a", "p")
    [parent] = store.a_worker().take()
    if kind_of(store) == "redis":
        redis(store, "SREM", "awaited", parent.seq)
        store.end(parent)
    else:
        sql(store, "UPDATE windlass_edge SET parent = 4711")
        store.end(parent)
        sql(store, f"UPDATE windlass_edge SET parent = {parent.seq}, state = 1")
    return Damage("stale_edge", "a", "p", store.job("a").seq)


def edges_that_are_missing(store: Store) -> Damage:
    parent = store.a_job(new_job("p"))
    child_of(store, "a", "p")
    job = store.job("a")
    if kind_of(store) == "redis":
        redis(store, "DEL", f"awaits:{job.seq}")
        redis(store, "DEL", f"children:{parent.seq}")
    else:
        sql(store, "DELETE FROM windlass_edge")
    return Damage("no_edges", "a", "parents", job.seq)


def edge_of_which_the_parent_knows_nothing(store: Store) -> Damage:
    parent = store.a_job(new_job("p"))
    child_of(store, "a", "p")
    redis(store, "DEL", f"children:{parent.seq}")
    return Damage("lost_edge", "a", "p", store.job("a").seq)


def key_of_no_job(store: Store) -> Damage:
    store.a_job()
    sql(store, "INSERT INTO windlass_key (key, id, until) VALUES ('k', 'ghost', 'finished')")
    return Damage("stray_key", "k")


PLANTS: dict[Callable[[Store], Damage], tuple[str, ...]] = {
    damaged_text: ("sqlite", "postgres", "redis"),
    running_without_a_lease: ("sqlite", "postgres", "redis"),
    tag_that_is_missing: ("sqlite", "postgres", "redis"),
    limit_that_is_miscounted: ("sqlite", "postgres", "redis"),
    limit_without_a_counter: ("sqlite", "postgres"),
    lease_that_is_left: ("sqlite",),
    gate_that_is_missing: ("sqlite",),
    end_that_is_missing: ("sqlite",),
    tag_of_no_job: ("sqlite", "postgres"),
    payload_of_no_job: ("sqlite",),
    member_of_no_group: ("sqlite",),
    edge_of_no_job_that_could_be: ("sqlite", "postgres"),
    key_of_no_job: ("sqlite", "postgres"),
    parent_that_is_gone: ("sqlite", "postgres", "redis"),
    parent_that_has_ended: ("sqlite", "postgres", "redis"),
    edges_that_are_missing: ("sqlite", "postgres", "redis"),
    edge_of_which_the_parent_knows_nothing: ("redis",),
    place_that_is_missing: ("postgres", "redis"),
    place_in_another_queue: ("postgres",),
    place_with_another_priority: ("postgres",),
    place_of_no_job: ("postgres",),
    second_place: ("postgres",),
    queue_that_is_unknown: ("sqlite", "postgres", "redis"),
    record_that_is_none: ("redis",),
    two_places: ("postgres",),
    tally_that_is_wrong: ("postgres",),
    key_that_is_miscounted: ("postgres", "redis"),
    count_that_is_wrong: ("redis",),
    id_that_is_missing: ("redis",),
    id_of_no_job: ("redis",),
    bit_that_is_missing: ("redis",),
    bit_without_which_no_walk_finds_a_job: ("redis",),
    block_without_which_no_walk_finds_a_job: ("redis",),
    text_that_is_missing: ("redis",),
}
"""By the stores in which it can be: SQLite finds jobs by their own columns, and counts them by its indexes."""


def mend(store: Store, damage: Damage) -> None:
    """As the app does."""
    store.run(repair([damage]))
    store.run(mend_counters())
    store.run(mend_keys())
    store.run(tidy_keys(FIRST_KEY))
    store.rescue()


@pytest.mark.parametrize(
    "plant",
    [pytest.param(plant, marks=pytest.mark.only_on(*stores), id=plant.__name__) for plant, stores in PLANTS.items()],
)
def test_every_kind_of_damage_is_found_and_repaired(store: Store, plant: Callable[[Store], Damage]) -> None:
    """F8."""
    expected = plant(store)
    assert expected in found(store)
    mend(store, expected)
    assert found(store) == ([expected] if expected.kind in LOST_FOR_GOOD else [])


@pytest.mark.only_on("postgres", "redis")
def test_a_job_that_stood_nowhere_runs_again(store: Store) -> None:
    """F8: SQLite finds a job by its own columns."""
    damage = place_that_is_missing(store)
    assert store.a_worker().take() == []
    mend(store, damage)
    assert ids(store.a_worker().take()) == ["a"]


@pytest.mark.only_on("redis")
def test_a_blocked_job_that_stood_nowhere_is_let_go_after_a_repair(store: Store) -> None:
    """F8: the job that held its key has ended meanwhile."""
    worker = store.a_worker()
    store.enqueue(new_job("a", one_of="u", attempts=1), new_job("b", one_of="u"))
    [first] = worker.take()
    gate = stored_key("greet", "u")
    redis(store, "DEL", f"blocked:{gate}")
    redis(store, "ZREM", "gates", gate)
    store.end(first, raised())
    mend(store, Damage("no_place", "b", "blocked", store.job("b").seq))
    store.run(unblock_page(""))
    assert ids(worker.take()) == ["b"]


@pytest.mark.parametrize(
    ("plant", "state"),
    [
        (parent_that_is_gone, State.CANCELLED),
        (parent_that_has_ended, State.PENDING),
        pytest.param(edge_of_which_the_parent_knows_nothing, State.BLOCKED, marks=pytest.mark.only_on("redis")),
    ],
)
def test_a_child_that_would_wait_for_ever_goes_on_after_a_repair(
    store: Store, plant: Callable[[Store], Damage], state: State
) -> None:
    """F8: as its policy says for a parent that ended like this."""
    damage = plant(store)
    store.run(jobs.promote())
    assert store.job("a").state is State.BLOCKED
    mend(store, damage)
    store.run(jobs.promote())
    assert store.job("a").state is state


def test_a_child_that_waits_for_a_person_is_no_damage(store: Store) -> None:
    """F8: its parent has failed, and its policy is to wait."""
    store.enqueue(new_job("p", attempts=1))
    child_of(store, "a", "p", policy="wait")
    [parent] = store.a_worker().take()
    store.end(parent, raised())
    store.run(jobs.promote())
    assert store.job("a").state is State.BLOCKED
    assert found(store) == []


@pytest.mark.only_on("postgres")
@pytest.mark.parametrize("plant", [place_in_another_queue, place_with_another_priority])
def test_a_job_that_stood_elsewhere_runs_once_after_a_repair(store: Store, plant: Callable[[Store], Damage]) -> None:
    """F8: two places of one job would have every claim of the queue refused."""
    mend(store, plant(store))
    assert ids(store.a_worker().take()) == ["a"]
    assert store.a_worker().take() == []
    assert sum(store.run(queries.totals()).values()) == 1


def test_what_has_moved_between_two_looks_is_no_damage(store: Store) -> None:
    job = store.a_job(new_job("a"))
    moved = [Damage("no_place", "a", "pending", job.seq), Damage("limit", "*", "counted 1")]
    assert store.run(look_again(moved, Encryption())) == []
