"""The gates before a job: a claim is held back if and only if ``gates`` names what holds it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from importlib.resources import files
from itertools import chain, combinations

import pytest

from tests.store.builders import HOUR, TTL, ending, new_job, raised
from tests.store.stores import Store, Worker
from windlass.core.rates.cooldown import Cooldown
from windlass.core.records import JobRecord
from windlass.store.operations import queues
from windlass.store.operations.gates import Gate, gates
from windlass.store.operations.manual_claim import claim
from windlass.store.operations.queries import next_due, waiting
from windlass.store.operations.rates.cooldowns import Scope, cool_down
from windlass.store.statement_files import load_calls

Situation = Callable[[Store, Worker], None]


def pause(store: Store, queue: str) -> None:
    store.run(queues.pause(queue, by="me", reason="maintenance"))


def throttle(store: Store, worker: Worker) -> None:
    """A run of another queue says so: which run it is does not matter to the store."""
    everything = store.run(queues.settings(queues.ALL)).get(queues.ALL)
    store.run(queues.pause(queues.ALL, by="me", reason=None, is_paused=False))
    run = store.claimed(new_job(queue="other"))
    if everything is not None and everything.paused_at is not None:
        pause(store, queues.ALL)
    store.run(cool_down(Scope.QUEUE, "default", run, rule=Cooldown(), chosen=HOUR, reason="429"))


def enqueue_before_it(store: Store, worker: Worker) -> None:
    store.enqueue(new_job("before", priority=1))


def expire(store: Store, worker: Worker) -> None:
    store.advance(TTL)


def close(store: Store, worker: Worker) -> None:
    worker.close()


def limit(store: Store, name: str) -> None:
    """Of the queue of all these tests, or of the app; ``hold`` has taken a job."""
    store.run(queues.change(name, {"max_running": 1}, by="me"))


def hold(store: Store) -> None:
    """A job that runs all the time, and is no worker's."""
    store.manually_claimed(ttl=24 * HOUR)


SHUT: dict[Gate, Situation] = {
    Gate.EVERYTHING_PAUSED: lambda store, worker: pause(store, queues.ALL),
    Gate.QUEUE_PAUSED: lambda store, worker: pause(store, "default"),
    Gate.QUEUE_COOLING: throttle,
    Gate.NO_WORKER: expire,
    Gate.APP_AT_LIMIT: lambda store, worker: limit(store, queues.ALL),
    Gate.QUEUE_AT_LIMIT: lambda store, worker: limit(store, "default"),
    Gate.SUSPECT_WAITS: enqueue_before_it,
}
"""How each gate is shut for a suspect that a worker could take."""
ORDINARY = [gate for gate in SHUT if gate is not Gate.SUSPECT_WAITS]
"""Those of a job that is no suspect."""
OF_WORKERS = {Gate.NO_WORKER, Gate.NO_WILLING_WORKER}
"""The gates that are shut because of the workers; stores count these, and name all others."""
OF_RATES = {Gate.RATE_COOLING, Gate.RATE_OUT_OF_TOKENS}
"""The gates of single jobs: a claim that meets a job for which one is shut blocks it."""
BY_HAND = {
    Gate.EVERYTHING_PAUSED,
    Gate.QUEUE_PAUSED,
    Gate.QUEUE_COOLING,
    Gate.APP_AT_LIMIT,
    Gate.QUEUE_AT_LIMIT,
}
"""The gates that also hold a manual claim."""


def several(some: Iterable[Gate]) -> list[tuple[Gate, ...]]:
    """None of them, each, each two, and all together."""
    known = list(some)
    return list(chain.from_iterable(combinations(known, number) for number in (0, 1, 2, len(known))))


def a_suspect(store: Store) -> JobRecord:
    """A job whose worker died; it is pending again."""
    hold(store)
    job = store.claimed()
    store.advance(TTL)
    store.rescue()
    return store.job(job.id)


def shut_gates(store: Store, job: JobRecord) -> list[Gate]:
    found = store.run(gates(job.seq))
    assert found is not None
    return found.names()


def manually_claimed(store: Store) -> list[int]:
    return [job.seq for job in store.run(claim(9, queues=["default"], worker="me", token="t", ttl=HOUR))]


def test_every_gate_has_a_situation() -> None:
    # tests/worker has the gate that workers check themselves, test_rates that of tokens, which runs use up, and
    # test_task_rates those of single jobs.
    assert {*SHUT, Gate.NO_WILLING_WORKER, Gate.QUEUE_OUT_OF_TOKENS, *OF_RATES} == set(Gate)


@pytest.mark.parametrize("shut", several(SHUT), ids=lambda shut: "+".join(shut) or "none")
def test_a_worker_gets_a_suspect_if_and_only_if_no_gate_is_shut(store: Store, shut: tuple[Gate, ...]) -> None:
    """F2: the claim and `why` read one list."""
    job, worker = a_suspect(store), store.a_worker()
    for gate in shut:
        SHUT[gate](store, worker)
    named = shut_gates(store, job)
    assert named == list(shut)
    assert (job.seq in [taken.seq for taken in worker.take()]) is (not named)


@pytest.mark.parametrize("room", [1, 9])
@pytest.mark.parametrize("shut", several(ORDINARY), ids=lambda shut: "+".join(shut) or "none")
def test_a_worker_gets_a_job_if_and_only_if_no_gate_is_shut(store: Store, shut: tuple[Gate, ...], room: int) -> None:
    """F2: whether it asks for one job or for several, which are claimed in different ways."""
    hold(store)
    job, worker = store.a_job(), store.a_worker()
    for gate in shut:
        SHUT[gate](store, worker)
    named = shut_gates(store, job)
    assert named == list(shut)
    assert (job.seq in [taken.seq for taken in worker.take(room)]) is (not named)


@pytest.mark.parametrize("shut", several(ORDINARY), ids=lambda shut: "+".join(shut) or "none")
def test_gates_hold_where_a_cycle_writes_an_ending_too(store: Store, shut: tuple[Gate, ...]) -> None:
    hold(store)
    worker = store.a_worker()
    run, job = store.claimed(new_job(queue="other"), by=worker), store.a_job()
    for gate in shut:
        SHUT[gate](store, worker)
    named = shut_gates(store, job)
    taken = worker.cycle(endings=[ending(run, raised())], requests=[("default", 9)]).claimed
    assert (job.seq in [each.seq for each in taken]) is (not named)


@pytest.mark.parametrize("shut", several(SHUT), ids=lambda shut: "+".join(shut) or "none")
def test_a_manual_claim_is_held_by_the_gates_of_its_queue(store: Store, shut: tuple[Gate, ...]) -> None:
    """F2: nor does a manual claim pass a gate that is shut for it."""
    job, worker = a_suspect(store), store.a_worker()
    for gate in shut:
        SHUT[gate](store, worker)
    is_held = not BY_HAND.isdisjoint(shut_gates(store, job))
    assert (job.seq in manually_claimed(store)) is not is_held


def set_the_clock_back(store: Store, worker: Worker) -> None:
    store.advance(-TTL - 1)


def lose_and_rescue(store: Store, worker: Worker) -> None:
    store.claimed(new_job(queue="other"), by=worker)
    store.advance(TTL)
    store.rescue()


@pytest.mark.parametrize("end", [expire, set_the_clock_back, close, lose_and_rescue])
def test_a_lease_that_is_not_live_claims_nothing_and_serves_nothing(store: Store, end: Situation) -> None:
    job, worker = store.a_job(), store.a_worker()
    assert shut_gates(store, job) == []
    end(store, worker)
    assert shut_gates(store, job) == [Gate.NO_WORKER]
    assert worker.take() == []


def test_a_lease_on_the_last_millisecond_is_live(store: Store) -> None:
    job, worker = store.a_job(), store.a_worker()
    store.advance(TTL - 1)
    assert shut_gates(store, job) == []
    assert [taken.seq for taken in worker.take()] == [job.seq]


@pytest.mark.parametrize("priority", [-1, 0, 1])
def test_a_suspect_waits_for_higher_priorities_alone(store: Store, priority: int) -> None:
    job, worker = a_suspect(store), store.a_worker()
    store.enqueue(new_job(priority=priority))
    named = shut_gates(store, job)
    assert named == [Gate.SUSPECT_WAITS] * (priority > 0)
    assert (job.seq in [taken.seq for taken in worker.take()]) is (not named)


@pytest.mark.parametrize("queue", ["default", queues.ALL])
@pytest.mark.parametrize("enqueue", [Store.a_job, a_suspect], ids=["job", "suspect"])
def test_a_queue_with_a_gate_that_is_shut_has_no_work(
    store: Store, enqueue: Callable[[Store], JobRecord], queue: str
) -> None:
    """Workers that look for queues with jobs to claim ask the same gates."""
    enqueue(store)
    assert store.run(waiting()) == store.run(waiting(["default"])) == {"default"}
    assert store.run(next_due()).has_work
    pause(store, queue)
    assert store.run(waiting()) == store.run(waiting(["default"])) == set()
    assert not store.run(next_due()).has_work


def test_a_queue_that_has_cooled_down_gives_its_jobs_again(store: Store) -> None:
    """C7: and others were never held back."""
    job, worker = store.a_job(), store.a_worker(ttl=2 * HOUR)
    throttle(store, worker)
    other = store.a_job(new_job(queue="third"))
    assert store.run(waiting()) == {"third"}
    assert [taken.seq for taken in worker.take(queue="third")] == [other.seq]
    found = store.run(gates(job.seq))
    assert found is not None
    [shut] = found.shut
    assert (shut.reason, shut.since, shut.ends_at) == ("429", store.clock(), store.clock() + HOUR)
    store.advance(HOUR)
    assert shut_gates(store, job) == []
    assert store.run(next_due()).has_work
    assert [taken.seq for taken in worker.take()] == [job.seq]


# The texts of the stores.


def names_in(text: str) -> set[str]:
    """The gates that a statement names: what stands between SELECT and AS gate."""
    columns = re.findall(r"SELECT ((?:(?!SELECT)[^,])*) AS gate", text)
    return {name for column in columns for name in re.findall(r"'(\w+)'", column)}


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_a_database_has_the_gates_that_are_known(database: str) -> None:
    calls = load_calls(f"windlass.store.{database}", prefix="windlass_", left_open="tell")
    named = {name: names_in("".join(statement.text for statement in calls[name])) for name in calls}
    assert named["gates"] == set(Gate) - OF_WORKERS
    for call in ("manual_claim", "cycle", "waiting", "waiting_of", "next_due"):
        assert named[call] == named["gates"] - {Gate.SUSPECT_WAITS} - OF_RATES, call


def test_redis_has_the_gates_that_are_known() -> None:
    shared = files("windlass.store.redis").joinpath("shared")
    text = "".join(shared.joinpath(f"{name}.lua").read_text(encoding="utf-8") for name in ("gates", "rate_keys"))
    assert set(re.findall(r"\{'(\w+)', ", text)) == set(Gate) - OF_WORKERS
