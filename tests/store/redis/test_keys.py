"""The keys in the store are those of ``KEYS.md``, and agree with each other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from uuid import uuid4

import pytest
import redis
from hypothesis import Phase

from tests.model.histories import run_histories
from tests.model.tally import Tally
from tests.places.place import ServerPlace, wipe_redis
from tests.store.builders import DAY, HOUR, SECOND, TTL, ending, new_job, raised
from tests.store.cleaning import tidy
from tests.store.every_state import a_job_in
from tests.store.redis.keyspace import BLOCK, Keyspace, documented
from tests.store.stores import Store
from windlass import clock
from windlass.core.outcome import FailedPermanently, Postponed
from windlass.core.rates.rate import Rate
from windlass.core.state import State
from windlass.store.driver import Driver
from windlass.store.operations import jobs, queries, queues
from windlass.store.operations.enqueue import Uniqueness
from windlass.store.operations.manual_claim import claim
from windlass.store.operations.rates.tasks import declare_rates
from windlass.store.operations.upkeep import leader
from windlass.store.redis.scripts import load_scripts
from windlass.testing import ManualClock

READS = {
    "BITCOUNT", "EXISTS", "GET", "GETBIT", "HEXISTS", "HGET", "HGETALL", "HKEYS", "HLEN", "HMGET", "HSCAN", "HSTRLEN",
    "HVALS", "INFO", "LINDEX", "LLEN", "LRANGE", "MGET", "PTTL", "SCAN", "SCARD", "SISMEMBER", "SMEMBERS",
    "SRANDMEMBER", "STRLEN", "TIME",
    "TYPE", "ZCARD", "ZCOUNT", "ZLEXCOUNT", "ZRANGE", "ZRANGEBYLEX", "ZRANGEBYSCORE", "ZRANK", "ZREVRANGE",
    "ZREVRANGEBYLEX", "ZREVRANGEBYSCORE", "ZSCORE",
}  # fmt: skip
LONG = '"' + "x" * 100 + '"'


def keys_of(store: Store) -> Keyspace:
    return Keyspace(store.place.url, store.place.namespace)


def test_every_call_of_a_life_leaves_keys_that_agree(store: Store) -> None:
    for state in State:
        a_job_in(store, state)
        a_job_in(store, state, expires=HOUR)
        keys_of(store).check()
    store.enqueue(
        new_job("long", payload=LONG, meta=LONG, retry=LONG, key="k", priority=-7, timeout=5, delay=SECOND),
        new_job("window", key="w"),
        naming=Uniqueness(until="window", window=HOUR),
    )
    store.run(tidy())
    store.run(queues.pause(queues.ALL, by="me", reason="x"))
    store.run(queues.pause(queues.ALL, by="me", reason=None, is_paused=False))
    store.run(leader.take_lead("prune", holder="a", ttl=TTL))
    keys_of(store).check()


def test_a_worker_and_a_puller_leave_keys_that_agree(store: Store) -> None:
    worker = store.a_worker()
    store.enqueue(*(new_job(key=f"k{number}") for number in range(6)))
    taken = worker.take(4)
    pulled = store.run(claim(2, queues=["default"], worker="me", token="t", ttl=TTL))
    store.run(jobs.cancel([taken[0].seq, taken[1].seq, pulled[0].seq], by="me"))
    keys_of(store).check()
    worker.mark(*taken)
    worker.end(taken[0])
    worker.end(taken[1], raised())
    worker.end(taken[2], Postponed(SECOND, "unknown_task"))
    store.run(jobs.progress(taken[3].seq, taken[3].fence, LONG, worker="w"))
    store.end(pulled[0], FailedPermanently(raised().fault, "permanent"))
    keys_of(store).check()
    worker.close()
    keys_of(store).check()
    store.advance(TTL)
    store.rescue()
    store.run(jobs.promote())
    keys_of(store).check()


def test_a_job_that_is_retried_by_hand_leaves_keys_that_agree(store: Store) -> None:
    job = store.claimed()
    store.run(jobs.progress(job.seq, job.fence, LONG, worker="w"))
    store.end(job, FailedPermanently(raised().fault, "permanent"))
    keys_of(store).check()
    store.run(jobs.retry([job.seq], by="me", queue="other"))
    keys_of(store).check()


def test_concurrency_keys_leave_keys_that_agree_and_none_behind(store: Store) -> None:
    """C3: an idle key leaves nothing behind."""
    store.enqueue(*(new_job(one_of=f"k{number % 3}") for number in range(12)))
    worker = store.a_worker()
    while running := worker.take():
        keys_of(store).check()
        worker.cycle(endings=[ending(job) for job in running])
        keys_of(store).check()
    left = [name for name in keys_of(store).values if name.startswith(("holders:", "blocked:"))]
    assert left == []


def test_rates_leave_keys_that_agree_and_none_behind(store: Store) -> None:
    """C6: an idle key leaves nothing behind."""
    store.run(declare_rates({"greet": Rate(1, SECOND, 2)}))
    store.enqueue(*(new_job(rate_key=f"k{number % 3}", one_of=f"k{number % 2}") for number in range(12)))
    worker = store.a_worker(ttl=DAY)
    for _ in range(30):
        running = worker.take()
        keys_of(store).check()
        worker.cycle(endings=[ending(job) for job in running])
        store.advance(SECOND)
        store.run(jobs.promote())
        keys_of(store).check()
    store.advance(DAY - SECOND * 30)
    store.run(tidy())
    rest = ("rate:", "let_go:", "blocked:", "holders:", "rated", "opening", "gates")
    assert [name for name in keys_of(store).values if name.startswith(rest)] == []


def test_nothing_is_left_of_jobs_leases_and_workers_that_are_gone(store: Store) -> None:
    """A13: everything that grows is bounded."""
    found = [a_job_in(store, state) for state in State]
    store.manually_claimed(new_job(key="k", payload=LONG))
    store.advance(DAY)
    store.rescue()
    store.advance(DAY + 1)
    store.rescue()
    store.run(tidy())
    page = store.run(queries.page(queries.Filter(), limit=100)).jobs
    assert len(page) == len(found) + 1
    store.run(jobs.delete([(job.seq, job.id) for job in page]))
    assert keys_of(store).types.keys() == {"epoch", "seq", "queues", "counts", "notices"}
    for queue in {job.queue for job in page}:
        assert store.run(queues.remove(queue))
    assert keys_of(store).types.keys() == {"epoch", "seq", "notices"}  # those are bounded by their number


@pytest.mark.parametrize("before", [0, 5, BLOCK - 2])
@pytest.mark.parametrize("number", [1, 9, BLOCK + 9])
def test_jobs_are_found_by_their_number_wherever_a_call_begins(store: Store, before: int, number: int) -> None:
    """Their index is written byte by byte."""
    if before:
        store.enqueue(*(new_job() for _ in range(before)))
    store.enqueue(*(new_job() for _ in range(number)))
    keys = keys_of(store)
    assert len(keys.jobs) == before + number
    keys._check_indexes()


def test_random_histories_leave_keys_that_agree(redis_url: str) -> None:
    """What is derived can be recomputed from the jobs: no orphan key, no job in two sets."""
    tally, checked = Tally(), 0

    @contextmanager
    def opened(now: ManualClock) -> Iterator[Driver]:
        nonlocal checked
        place = ServerPlace(redis_url, f"k_{uuid4().hex[:16]}", wipe_redis)
        with closing(place.open(now=now)) as driver:
            yield driver
        Keyspace(place.url, place.namespace).check()
        place.erase()
        checked += 1

    run_histories(opened, seed=clock.random_bits(31), steps=500, tally=tally, phases=(Phase.generate,))
    assert checked > 9


def test_a_job_of_usual_size_stays_one_small_hash(store: Store) -> None:
    """Memory: the server keeps a small hash in one piece, and short texts need no keys of their own."""
    job = store.finished(new=new_job("0" * 26, task="acme.mail.send_invoice", timeout=1_800_000))
    with redis.Redis.from_url(store.place.url) as client:
        key = f"{{{store.place.namespace}}}:job:{job.seq}"
        assert client.object("encoding", key) == b"listpack"
    assert not {name for name in keys_of(store).types if name.startswith(("payload:", "result:"))}


def test_only_scripts_that_write_nothing_go_without_an_epoch() -> None:
    """R1: whatever writes is refused after a loss until its caller knows of it."""
    for name, script in load_scripts().items():
        if "-- without epoch" in script.text and name != "begin_epoch":
            own = script.text.split("-- without epoch")[1]
            assert set(re.findall(r"(?:redis\.p?call|try|names)\(\s*'(\w+)'", own)) <= READS, name
    assert {name for name, script in load_scripts().items() if "KEY.epoch" in script.text} >= {"cycle", "enqueue"}


def test_every_fixed_key_that_a_script_declares_is_documented() -> None:
    declared = {key for script in load_scripts().values() for key in script.keys}
    assert declared <= documented().keys()


def test_a_script_under_another_epoch_writes_nothing(store: Store) -> None:
    """R1: refused before its first write, whatever it was going to do."""
    store.enqueue(new_job("a"))
    before = keys_of(store).values
    prefix = f"{{{store.place.namespace}}}:"
    with redis.Redis.from_url(store.place.url) as client:
        for name, script in load_scripts().items():
            if "KEY.epoch, 'epoch')" in script.text and name != "begin_epoch":
                keys = [prefix + key for key in script.keys]
                with pytest.raises(redis.ResponseError, match=r"^EPOCH \d+$"):
                    client.eval(script.text, len(keys), *keys, "", prefix, "7", b"\x80")
    assert keys_of(store).values == before
