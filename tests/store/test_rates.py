"""The rate of a queue: every claim takes a token, and none is given back."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from random import Random

import pytest

from tests.store.builders import DAY, HOUR, SECOND, TTL, ending, new_job, raised
from tests.store.processes import running
from tests.store.rate_bound import assert_within
from tests.store.stores import Store, Worker, open_store
from windlass.core.rates.rate import Rate, write_rate
from windlass.core.records import Claimed
from windlass.core.state import State
from windlass.store.operations import queries, queues
from windlass.store.operations.cycle import CycleResult, RateState
from windlass.store.operations.gates import Gate, gates
from windlass.store.operations.jobs import delete
from windlass.store.operations.manual_claim import claim
from windlass.store.operations.queries import next_due, waiting
from windlass.store.operations.queues import QueueSeed


def set_rate(store: Store, rate: Rate | None, queue: str = "default") -> None:
    store.run(queues.change(queue, {"rate": None if rate is None else write_rate(rate)}, by="me"))


def fill(store: Store, count: int, queue: str = "default") -> None:
    store.enqueue(*(new_job(queue=queue) for _ in range(count)))


def asked(worker: Worker, *requests: tuple[str, int]) -> CycleResult:
    return worker.cycle(requests=list(requests or [("default", 9)]))


def by_hand(
    store: Store,
    limit: int,
    queues: Sequence[str] = ("default",),
    *,
    token: str = "t",  # noqa: S107  # no secret
) -> list[Claimed]:
    return store.run(claim(limit, queues=list(queues), worker="me", token=token, ttl=HOUR))


def test_a_claim_gets_no_more_jobs_than_there_are_tokens(store: Store) -> None:
    """C6: ``rate=`` on a queue."""
    set_rate(store, Rate(1, SECOND, 3))
    fill(store, 9)
    worker = store.a_worker(ttl=DAY)
    found = asked(worker)
    assert (len(found.claimed), found.rates) == (3, [RateState("default", 0, SECOND)])
    assert asked(worker).claimed == []
    store.advance(999)
    assert asked(worker).rates == [RateState("default", 0, 1)]
    store.advance(1)
    assert len(asked(worker).claimed) == 1
    store.advance(HOUR)
    found = asked(worker, ("default", 2))
    assert (len(found.claimed), found.rates) == (2, [RateState("default", 1, 0)])


@pytest.mark.parametrize("room", [1, 9])
def test_the_gate_is_shut_while_there_is_no_token(store: Store, room: int) -> None:
    """C6, F2: the claim and `why` agree, and workers that look for work find none."""
    set_rate(store, Rate(1, SECOND, 1))
    fill(store, 1)
    worker = store.a_worker(ttl=DAY)
    assert len(asked(worker, ("default", room)).claimed) == 1
    job = store.a_job()
    found = store.run(gates(job.seq))
    assert found is not None
    assert found.names() == [Gate.QUEUE_OUT_OF_TOKENS]
    assert found.shut[0].ends_at == store.clock() + SECOND
    assert (store.run(waiting()), store.run(waiting(["default"]))) == (frozenset(), frozenset())
    assert not store.run(next_due()).has_work
    assert asked(worker, ("default", room)).claimed == by_hand(store, room) == []
    store.advance(SECOND)
    found = store.run(gates(job.seq))
    assert found is not None
    assert found.names() == []
    assert store.run(next_due()).has_work
    assert store.run(waiting()) == store.run(waiting(["default"])) == {"default"}
    assert [each.seq for each in asked(worker, ("default", room)).claimed] == [job.seq]


def test_other_queues_are_not_held_back(store: Store) -> None:
    """C6: in the same call, too."""
    set_rate(store, Rate(1, HOUR, 1))
    fill(store, 3)
    fill(store, 3, "other")
    worker = store.a_worker(queues=["default", "other"])
    found = asked(worker, ("default", 9), ("other", 9))
    assert sorted(job.queue for job in found.claimed) == ["default", "other", "other", "other"]
    assert found.rates == [RateState("default", 0, HOUR)]


def test_a_queue_without_a_rate_tells_of_none(store: Store) -> None:
    set_rate(store, Rate(1, HOUR, 1), "limited")
    fill(store, 3)
    assert asked(store.a_worker()).rates == []


def test_claims_by_hand_take_tokens_too(store: Store) -> None:
    """C6: of each queue its own."""
    set_rate(store, Rate(1, HOUR, 2))
    fill(store, 5)
    fill(store, 5, "other")
    found = by_hand(store, 6, ["default", "other"])
    assert sorted(job.queue for job in found) == ["default"] * 2 + ["other"] * 4
    assert by_hand(store, 6, ["default", "other"]) == found, "a repeat takes nothing twice"
    assert asked(store.a_worker()).claimed == []
    store.advance(HOUR)
    assert len(by_hand(store, 5, token="u")) == 1


def test_a_token_is_not_given_back(store: Store) -> None:
    """C6: neither by a retry nor by a release, nor by a rescue; a retry takes another."""
    set_rate(store, Rate(1, HOUR, 2))
    fill(store, 1)
    worker = store.a_worker()
    [job] = asked(worker).claimed
    store.end(job, raised())
    store.advance(10 * SECOND)
    store.run(queues.change("default", {"weight": 2}, by="me"))
    fill(store, 2)
    assert len(asked(worker).claimed) == 1
    store.advance(TTL)
    store.rescue()
    assert asked(store.a_worker()).claimed == []


@pytest.mark.parametrize("is_by_hand", [False, True], ids=["worker", "by hand"])
def test_a_job_that_is_blocked_by_its_key_takes_no_token(store: Store, is_by_hand: bool) -> None:
    """C6: only claims do."""
    set_rate(store, Rate(1, HOUR, 3))
    store.enqueue(*(new_job(one_of="u") for _ in range(4)), new_job(one_of="v"))
    worker = store.a_worker()
    taken: list[Claimed] = []
    for turn in range(3):
        taken += by_hand(store, 9, token=f"t{turn}") if is_by_hand else asked(worker).claimed
    assert len(taken) == 2
    fill(store, 2)
    assert len(asked(worker).claimed) == 1


def test_a_suspect_takes_a_token(store: Store) -> None:
    store.claimed()
    store.advance(TTL)
    store.rescue()
    set_rate(store, Rate(1, HOUR, 1))
    fill(store, 3)
    worker = store.a_worker()
    assert len(worker.cycle(requests=[("default", 9)], takes_suspect=True).claimed) == 1
    assert worker.cycle(requests=[("default", 9)], takes_suspect=True).claimed == []


def test_a_rate_may_be_changed_and_taken_back(store: Store) -> None:
    """C10: while jobs wait."""
    set_rate(store, Rate(1, HOUR, 5))
    fill(store, 20)
    worker = store.a_worker()
    assert len(asked(worker, ("default", 2)).claimed) == 2
    set_rate(store, Rate(1, SECOND, 2))
    assert len(asked(worker).claimed) == 2, "tokens beyond the burst are gone"
    set_rate(store, None)
    found = asked(worker)
    assert (len(found.claimed), found.rates) == (9, [])


def test_code_declares_and_operators_decide(store: Store) -> None:
    """C10."""
    for rate in (Rate(1, HOUR, 1), Rate(9, HOUR, 9)):
        store.run(queues.ensure([QueueSeed("default", rate=write_rate(rate))]))
        assert store.run(queues.settings("default"))["default"].rate == write_rate(rate)
    set_rate(store, Rate(1, HOUR, 1))
    store.run(queues.ensure([QueueSeed("default", rate=write_rate(Rate(9, HOUR, 9)))]))
    fill(store, 3)
    worker = store.a_worker()
    assert len(asked(worker).claimed) == 1
    set_rate(store, None)
    store.run(queues.ensure([QueueSeed("default", rate=write_rate(Rate(9, HOUR, 9)))]))
    assert len(asked(worker).claimed) == 2


def test_a_queue_that_is_removed_takes_its_bucket_along(store: Store) -> None:
    set_rate(store, Rate(1, HOUR, 1), "gone")
    job = store.claimed(new_job(queue="gone"))
    store.end(job)
    store.run(delete([(job.seq, job.id)]))
    assert store.run(queues.remove("gone"))
    set_rate(store, Rate(1, HOUR, 1), "gone")
    store.claimed(new_job(queue="gone"))


def test_a_clock_that_was_set_back_stops_no_queue(store: Store) -> None:
    """E7."""
    set_rate(store, Rate(1, SECOND, 1))
    fill(store, 3)
    worker = store.a_worker(ttl=DAY)
    assert len(asked(worker).claimed) == 1
    store.advance(-HOUR)
    assert asked(worker).claimed == []
    store.advance(SECOND)
    assert len(asked(worker).claimed) == 1


def test_a_clock_that_was_set_back_stops_no_claim_by_hand(store: Store) -> None:
    """E7: where no worker asks."""
    set_rate(store, Rate(1, SECOND, 1))
    fill(store, 3)
    assert len(by_hand(store, 1)) == 1
    store.advance(-HOUR)
    assert by_hand(store, 1, token="u") == []
    store.advance(SECOND)
    assert len(by_hand(store, 1, token="u")) == 1


def test_only_the_queues_that_are_asked_are_filled(store: Store) -> None:
    """E7: an ending asks for no token, so it does not say either from when on a bucket is filled."""
    set_rate(store, Rate(1, SECOND, 1))
    fill(store, 2)
    worker = store.a_worker(ttl=DAY)
    [job] = asked(worker).claimed
    store.advance(-HOUR)
    found = worker.cycle(endings=[ending(job)], requests=[("other", 1)])
    assert (list(found.refused), found.rates) == ([], [])
    store.advance(SECOND)
    assert asked(worker).rates == [RateState("default", 0, SECOND)]


def test_a_change_keeps_the_whole_tokens_that_fit(store: Store) -> None:
    """C10: a change of the rate must not mint tokens, nor does one that is taken back."""
    set_rate(store, Rate(1, HOUR, 5))
    fill(store, 20)
    worker = store.a_worker(ttl=DAY)
    asked(worker, ("default", 1))
    set_rate(store, Rate(1, HOUR, 2))
    set_rate(store, Rate(1, HOUR, 5))
    assert len(asked(worker).claimed) == 2
    set_rate(store, Rate(2, HOUR, 5))
    assert asked(worker).claimed == []


def test_a_rate_that_was_taken_back_begins_anew(store: Store) -> None:
    set_rate(store, Rate(1, HOUR, 2))
    fill(store, 20)
    worker = store.a_worker(ttl=DAY)
    assert len(asked(worker).claimed) == 2
    set_rate(store, None)
    assert len(asked(worker, ("default", 3)).claimed) == 3
    set_rate(store, Rate(1, HOUR, 2))
    assert len(asked(worker).claimed) == 2


@pytest.mark.parametrize("seed", range(2))
def test_the_bound_holds_for_the_instants_of_claims(store: Store, seed: int) -> None:
    """C6: in any span never more than rate × time + burst, by ``claimed_at``."""
    random, rate, seen = Random(seed), Rate(3, 700, 4), []
    set_rate(store, rate)
    fill(store, 150)
    worker = store.a_worker(ttl=DAY)
    for turn in range(60):
        store.advance(random.choice([0, 1, 90, 400, 1500]))
        number = random.choice([1, 2, 5])
        if random.random() < 0.3:
            taken = by_hand(store, number, token=f"t{turn}")
        else:
            taken = asked(worker, ("default", number)).claimed
        seen += [store.clock()] * len(taken)
    assert len(seen) > 30
    assert_within(rate, seen)


@pytest.mark.only_on("sqlite", "postgres", "redis")
def test_the_bound_holds_over_four_processes(store: Store) -> None:
    """C6: whatever the order in which their claims get the bucket, by the instants that the jobs keep."""
    rate = Rate(200, 1000, 10)
    with open_store(store.place) as real, ExitStack() as started:
        set_rate(real, rate)
        fill(real, 500)
        arguments = ("tests.store.rate_process", real.place.url, real.place.namespace)
        processes = [started.enter_context(running(*arguments, f"w{number}", "1000")) for number in range(4)]
        for process in processes:
            assert process.line() == "ready"
        for process in processes:
            process.say("go")
        assert [process.line() for process in processes] == ["done"] * 4
        jobs = real.run(queries.page(queries.Filter(states=(State.COMPLETED,)), limit=500)).jobs
    seen = [job.claimed_at for job in jobs if job.claimed_at is not None]
    assert len(seen) > rate.burst, "more than the first burst"
    assert_within(rate, seen)
