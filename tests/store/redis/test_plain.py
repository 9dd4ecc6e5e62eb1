"""Plain jobs are nothing but their hashes: their members among the completed say so, and a removal reads little."""

from __future__ import annotations

import pytest
import redis

from tests.store.builders import DAY, RETURNED, ending, new_job, raised
from tests.store.redis.keyspace import Keyspace
from tests.store.stores import Store, Worker
from windlass.core.outcome import Returned
from windlass.core.records import Claimed
from windlass.core.state import State
from windlass.store.operations import jobs, queries
from windlass.store.operations.enqueue import NewJob
from windlass.store.operations.upkeep.prune import FinishedLine, prunable, prune, prune_oldest, retention_position

LINE = FinishedLine("default", State.COMPLETED)
LONG = '"' + "x" * 100 + '"'


def keyspace(store: Store) -> Keyspace:
    found = Keyspace(store.place.url, store.place.namespace)
    found.check()
    return found


def completed(store: Store) -> list[str]:
    return sorted(keyspace(store).values.get("finished:completed:default", {}))


def prune_all(store: Store) -> int:
    pruned = store.run(prune_oldest(LINE, age=2**60, beyond=store.run(retention_position(LINE, keep=0))))
    return 0 if pruned is None else pruned.count


def many(store: Store, number: int) -> list[Claimed]:
    store.enqueue(*(new_job() for _ in range(number)))
    worker = store.a_worker()
    taken = worker.take(number)
    worker.cycle(endings=[ending(job, RETURNED) for job in taken])
    return taken


def commands(store: Store) -> dict[str, int]:
    with redis.Redis.from_url(store.place.url) as client:
        return {name: found["calls"] for name, found in client.info("commandstats").items()}


def test_few_commands_remove_many_of_them(store: Store) -> None:
    """S10: retention keeps up with workers that do nothing but end jobs. Only the id of each is asked for."""
    many(store, 200)
    before = commands(store)
    assert prune_all(store) == 200
    made = {name: calls - before.get(name, 0) for name, calls in commands(store).items()}
    assert 200 <= made.pop("cmdstat_hget") < 210
    del made["cmdstat_info"]
    assert sum(made.values()) < 40
    assert keyspace(store).jobs == {}


def take_and_return(store: Store, worker: Worker, outcome: Returned = RETURNED) -> None:
    [job] = worker.take()
    worker.cycle(endings=[ending(job, outcome)])


def assert_it_is_not_plain_and_goes_whole(store: Store) -> None:
    [member] = completed(store)
    assert not member.endswith("+")
    assert prune_all(store) == 1
    left = keyspace(store)
    assert not left.jobs
    assert not [name for name in left.values if name.startswith("unique:")]


@pytest.mark.parametrize(
    ("new", "outcome"),
    [
        (new_job(key="k"), RETURNED),
        (new_job(payload=LONG), RETURNED),
        (new_job(meta=LONG), RETURNED),
        (new_job(retry=LONG), RETURNED),
        (new_job(), Returned(LONG)),
    ],
    ids=["key", "payload", "meta", "retry", "result"],
)
def test_a_job_with_other_keys_is_not_plain_and_takes_them_along(store: Store, new: NewJob, outcome: Returned) -> None:
    """A13: everything that belongs to it goes with it."""
    store.enqueue(new)
    take_and_return(store, store.a_worker(), outcome)
    assert_it_is_not_plain_and_goes_whole(store)


def test_a_job_that_told_of_its_progress_is_not_plain(store: Store) -> None:
    store.enqueue(new_job())
    worker = store.a_worker()
    [job] = worker.take()
    for text in ("1", "2"):
        assert store.run(jobs.progress(job.seq, job.fence, text, worker="w"))
    worker.cycle(endings=[ending(job, RETURNED)])
    assert_it_is_not_plain_and_goes_whole(store)


def test_a_job_with_errors_of_earlier_runs_is_not_plain(store: Store) -> None:
    store.enqueue(new_job(attempts=2))
    worker = store.a_worker(ttl=2 * DAY)
    [job] = worker.take()
    worker.cycle(endings=[ending(job, raised())])
    store.advance(DAY)
    store.run(jobs.promote())
    take_and_return(store, worker)
    assert_it_is_not_plain_and_goes_whole(store)


def test_both_kinds_are_removed_in_the_order_of_their_ends(store: Store) -> None:
    worker = store.a_worker()
    for payload in ("1", LONG, "2", LONG):
        store.enqueue(new_job(payload=payload))
        take_and_return(store, worker)
    assert [member[-1] for member in completed(store)] == ["+", "2", "+", "4"]
    end = store.run(retention_position(LINE, keep=1))
    page = store.run(prunable(LINE, age=2**60, beyond=end, limit=2))
    assert [job.seq for job in page] == [1, 2]
    assert store.run(prune(LINE, page)) == 2
    pruned = store.run(prune_oldest(LINE, age=2**60, beyond=end))
    assert pruned is not None
    assert (pruned.count, pruned.seq) == (1, 3)
    assert [int(member[:14]) for member in completed(store)] == [4]


def test_they_are_listed_and_deleted_by_hand(store: Store) -> None:
    taken = many(store, 3)
    listed = store.run(queries.page(queries.Filter(states=(State.COMPLETED,)), limit=9)).jobs
    assert [job.id for job in listed] == [job.id for job in reversed(taken)]
    assert len(store.run(jobs.delete([(taken[0].seq, taken[0].id)]))) == 1
    assert len(completed(store)) == 2


def test_one_whose_body_is_gone_is_noticed_and_the_others_go(store: Store) -> None:
    taken = many(store, 3)
    with redis.Redis.from_url(store.place.url) as client:
        client.delete(f"{{{store.place.namespace}}}:job:{taken[1].seq}")
    assert prune_all(store) == 2
    noticed = [event for event in store.run(queries.notices()) if event.kind == "lost"]
    assert len(noticed) == 1
    assert prune_all(store) == 0
    found = Keyspace(store.place.url, store.place.namespace)
    assert "finished:completed:default" not in found.values
    assert found.values["counts"]["completed:default"] == "0"


def test_runs_that_an_earlier_release_claimed_end_as_before(store: Store) -> None:
    """Their entries do not say whether the jobs are plain, nor do their members; they are looked at."""
    store.enqueue(new_job("a"), new_job("b", payload=LONG))
    worker = store.a_worker()
    taken = worker.take()
    held = f"{{{store.place.namespace}}}:held:{worker.lease}"
    with redis.Redis.from_url(store.place.url) as client:
        for field, value in client.hgetall(held).items():
            client.hset(held, field, value.rstrip(b"\n"))
    worker.cycle(endings=[ending(job, RETURNED) for job in taken])
    assert completed(store) == [f"{job.seq:014}" for job in taken]
    assert prune_all(store) == 2
    assert not keyspace(store).jobs
