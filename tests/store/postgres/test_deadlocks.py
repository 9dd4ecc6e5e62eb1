"""Locks are taken in one order everywhere, so that our own statements never wait for each other in a circle.

A driver repeats a statement that PostgreSQL ended because of a deadlock, so only the server's own count can tell.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Barrier, Event
from typing import TypeVar

import psycopg
from psycopg.errors import DeadlockDetected

from tests.manual_clock import manual_clock
from tests.store.builders import HOUR, OWN_ID, RETURNED, SECOND, ending, mark, new_job, raised
from tests.store.cleaning import prunable, tidy
from tests.store.postgres.database import Database
from tests.store.stores import Store, open_store
from tests.waiting import PATIENCE, eventually
from windlass.core.ending import Ending
from windlass.core.outcome import Outcome
from windlass.core.rates.rate import Rate
from windlass.core.state import FINISHED
from windlass.store.operation import Operation
from windlass.store.operations import jobs, leases, queues
from windlass.store.operations.enqueue import Uniqueness
from windlass.store.operations.limits.concurrency import unblock_all
from windlass.store.operations.queries import Filter
from windlass.store.operations.rates.tasks import declare_rates
from windlass.store.operations.upkeep.prune import FinishedLine, archive, prune, prune_oldest
from windlass.store.pages import Found

T = TypeVar("T")
Role = Callable[[Store, Random], None]

OUTCOMES: tuple[Outcome, ...] = (RETURNED, raised(delay=0), raised(delay=HOUR))
JOBS = 400
ROUNDS = 15
QUEUES = ("default", "slow")


HELD = """
    SELECT held.gate, count(*) AS number
    FROM (SELECT gate FROM windlass.running UNION ALL SELECT gate FROM windlass.ready) AS held
    WHERE held.gate IS NOT NULL GROUP BY held.gate
"""
WRONGLY_COUNTED = f"""
    SELECT held.gate, held.number, gate.name, gate.running
    FROM ({HELD}) AS held FULL JOIN windlass.key_gate AS gate ON gate.name = held.gate
    WHERE coalesce(held.number, 0) <> coalesce(gate.running, 0) OR held.number > 1
"""
"""Concurrency keys whose counter is not what jobs hold, or that are held twice."""
LEFT_WAITING = f"""
    SELECT blocked.gate FROM windlass.blocked LEFT JOIN ({HELD}) AS held ON held.gate = blocked.gate
    WHERE held.gate IS NULL
"""


def deadlocks(database: Database) -> int:
    """How many there were in this database. A session tells its part at its end, so this waits until all have ended."""
    with psycopg.connect(database.under("postgres"), autocommit=True) as elsewhere:

        def number(query: str) -> int:
            row = elsewhere.execute(query.encode(), [database.name]).fetchone()
            assert row is not None
            return int(row[0])

        eventually(lambda: number("SELECT count(*) FROM pg_stat_activity WHERE datname = %s") == 0)
        return number("SELECT deadlocks FROM pg_stat_database WHERE datname = %s")


def shuffled(items: list[T], random: Random) -> list[T]:
    return random.sample(items, len(items))


# Who does something to the same jobs at the same time.


def work(store: Store, random: Random, *, is_over: Event) -> None:
    """Ends runs in another order than it took them, and takes new ones."""
    worker = store.a_worker(queues=QUEUES)
    endings: list[Ending] = []
    while not is_over.is_set():
        cycled = worker.cycle(endings=endings, requests=[(queue, 20) for queue in shuffled(list(QUEUES), random)])
        claimed = shuffled(cycled.claimed, random)
        worker.cycle(marks=[mark(job) for job in claimed])
        endings = [ending(job, random.choice(OUTCOMES)) for job in claimed]
        worker.renew()


def lose(store: Store, random: Random, *, is_over: Event) -> None:
    """Takes jobs under leases that are over as the others see it, so that somebody rescues them."""
    late = store.another(now=lambda: store.clock() - HOUR, deadline=30)
    while not is_over.is_set():
        worker = late.a_worker()
        worker.take(10, queue=random.choice(QUEUES))
        worker.renew()


def in_bulk(store: Store, act: Callable[[list[Found]], Operation[int]]) -> None:
    store.run(jobs.for_each_page(Filter(), act))


def cancel(store: Store, random: Random) -> None:
    def act(page: list[Found]) -> Operation[int]:
        cancelled = yield from jobs.cancel(shuffled([job.seq for job in page], random), by="me")
        return len(cancelled)

    in_bulk(store, act)


def retry(store: Store, random: Random) -> None:
    def act(page: list[Found]) -> Operation[int]:
        seqs = shuffled([job.seq for job in page], random)
        retried = yield from jobs.retry(seqs, by="me", queue=random.choice([None, *QUEUES]))
        return len(retried.seqs)

    in_bulk(store, act)


def replace(store: Store, random: Random) -> None:
    """Deletes jobs and stores others with their ids and keys."""

    def act(page: list[Found]) -> Operation[int]:
        deleted = yield from jobs.delete(shuffled([(job.seq, job.id) for job in page], random))
        return len(deleted)

    in_bulk(store, act)
    fill(store)


def postpone(store: Store, random: Random) -> None:
    """Gives jobs that wait other arguments and other times."""
    new = [new_job(queue=QUEUES[number % 2], key=f"key {number}", delay=number % 3 * HOUR) for number in range(300)]
    store.enqueue(*shuffled(new, random), naming=Uniqueness(on_conflict="postpone"))


def tidy_up(store: Store, random: Random) -> None:
    """What the duties do, and a setting that an operator changes."""
    store.run(jobs.promote(limit=50))
    store.rescue()
    for state in shuffled(sorted(FINISHED), random):
        found = store.run(prunable(queue="default", state=state, age=0, keep=20))
        store.run(archive(shuffled([(job.seq, "2026-W01") for job in found], random)))
        store.run(prune(FinishedLine("default", state), shuffled(found, random)))
        store.run(prune_oldest(FinishedLine("slow", state), age=0, beyond=None, limit=20))
    store.run(tidy())
    store.run(queues.change(random.choice(QUEUES), {"weight": 2}, by="me"))
    limited = random.choice([*QUEUES, queues.ALL])
    store.run(queues.change(limited, {"max_running": random.choice([None, 5, 50])}, by="me"))
    store.run(queues.ensure([queues.QueueSeed(queue, None, None) for queue in shuffled(list(QUEUES), random)]))
    store.run(leases.signal(None, signal=None, by="me"))
    store.run(leases.forget_workers(None))
    store.run(unblock_all())


def fill(store: Store) -> None:
    """Half of the jobs have one of a few concurrency keys, a third of them a rate."""
    store.run(declare_rates({"greet": Rate(1, SECOND, 100_000)}))
    new = [
        new_job(
            f"job {number}",
            queue=QUEUES[number % 2],
            key=f"key {number % 300}",
            one_of=f"{number % 12}" if number % 4 > 1 else None,
            rate_key=f"{number % 7}" if number % 3 == 1 else None,
        )
        for number in range(JOBS)
    ]
    store.enqueue(*new, naming=OWN_ID)


def all_at_once(store: Store) -> None:
    """Workers go on until those who do so many rounds are through."""
    rounds: list[Role] = [cancel, retry, replace, postpone, retry, cancel, tidy_up, replace, postpone, tidy_up]
    is_over, start = Event(), Barrier(len(rounds))

    def take_part(number: int, own: Store) -> None:
        random = Random(number)  # the same orders in every run
        for _ in range(ROUNDS):
            start.wait(timeout=PATIENCE)  # every round at the same moment, so that they meet
            rounds[number](own, random)

    drivers = [store.another(deadline=30) for _ in rounds]
    with ThreadPoolExecutor(len(rounds) + 4) as threads:
        tireless = [
            threads.submit(role, store, Random(number), is_over=is_over)
            for number, role in enumerate((work, work, work, lose))
        ]
        try:
            list(threads.map(take_part, range(len(rounds)), drivers))
        finally:
            is_over.set()
        for one in tireless:
            one.result(PATIENCE)


def test_nobody_waits_in_a_circle(database: Database) -> None:
    """G2: bulk operations, duties and workers on the same jobs, keys and queues, each in an order of its own."""
    with open_store(database.url, clock=manual_clock(), deadline=30) as store:
        fill(store)
        all_at_once(store)
        assert store.run(queues.mend_counters()) == []
    assert deadlocks(database) == 0
    assert database.run(WRONGLY_COUNTED) == []
    assert database.run(LEFT_WAITING) == []


def test_a_circle_would_be_counted(database: Database) -> None:
    """The test above can fail: two who lock two rows in opposite orders are counted."""
    database.run("CREATE TABLE thing AS SELECT generate_series(1, 2) AS number")
    both_have_one = Barrier(2)

    def lock(first: int, second: int) -> type[Exception] | None:
        with database.connected() as connection, connection.transaction():
            query = "SELECT 1 FROM thing WHERE number = %s FOR UPDATE"
            connection.execute(query, [first])
            both_have_one.wait(timeout=PATIENCE)
            try:
                connection.execute(query, [second])
            except DeadlockDetected as error:
                return type(error)
            return None

    with ThreadPoolExecutor(2) as threads:
        ends = list(threads.map(lock, (1, 2), (2, 1)))
    assert ends.count(DeadlockDetected) == 1
    assert deadlocks(database) == 1
