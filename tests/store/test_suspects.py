"""Suspects: jobs whose last run died with its process wait apart, run one at a time, and pay for themselves alone."""

from __future__ import annotations

import json

import pytest

from tests.manual_clock import START
from tests.store.builders import HOUR, SECOND, TTL, ending, new_job, raised
from tests.store.stores import Store, Worker
from windlass.core.outcome import Interrupted, Outcome, Postponed
from windlass.core.records import Claimed, JobRecord, StartedSuspect
from windlass.core.state import State
from windlass.store.answers import records
from windlass.store.operation import Call, Lane, drive
from windlass.store.operations import gates, jobs, queries, queues
from windlass.store.operations.cycle import Claimant, StartMark, cycle
from windlass.store.operations.manual_claim import claim
from windlass.store.operations.queries import CountUpTo
from windlass.store.operations.rescue import Rescued, rescue
from windlass.store.operations.transfer import export, store_batch
from windlass.store.pages import PAGE, PAGE_BYTES


def a_suspect(store: Store, *ids: str, is_marked: bool = False, **options: int) -> list[JobRecord]:
    """Jobs whose worker died, before or after the store knew of their start; they are pending again."""
    store.enqueue(*(new_job(id, **options) for id in ids))  # type: ignore[arg-type]  # whatever a job has
    worker = store.a_worker()
    taken = worker.take()
    if is_marked:
        worker.mark(*taken)
    die(store)
    return [store.job(id) for id in ids]


def die(store: Store) -> list[Rescued]:
    """All workers are silent until their jobs are rescued."""
    store.advance(TTL)
    return store.rescue()


def die_after_a_while(store: Store, worker: Worker) -> list[Rescued]:
    """Not as soon as its runs had begun, and sooner than their fatal runs ended."""
    store.advance(11 * SECOND)
    worker.renew()
    return die(store)


def begin(worker: Worker, *ids: str) -> None:
    """Take everything there is, and say that the runs of these jobs have begun."""
    taken = {job.id: job for job in worker.take()}
    worker.mark(*(taken[id] for id in ids))


def ids(claimed: list[Claimed]) -> list[str]:
    return [job.id for job in claimed]


def counted(job: JobRecord) -> tuple[int, int, int]:
    return job.attempt, job.crashes, job.rescues


# Where they wait, and who takes them.


def test_a_cycle_takes_one_suspect_at_the_most(store: Store) -> None:
    """F3: a process has at most one in flight."""
    a_suspect(store, "a", "b", "c")
    store.enqueue(new_job("x"), new_job("y"))
    assert ids(store.a_worker().take()) == ["a", "x", "y"]
    assert ids(store.a_worker().take()) == ["b"]


def test_one_suspect_of_all_queues_is_taken(store: Store) -> None:
    for queue in ("mail", "bulk"):
        store.enqueue(new_job(queue, queue=queue))
        store.a_worker().take(queue=queue)
    die(store)
    worker = store.a_worker()
    first = worker.cycle(requests=[("mail", 5), ("bulk", 5)]).claimed
    second = store.a_worker().cycle(requests=[("mail", 5), ("bulk", 5)]).claimed
    assert sorted(ids(first) + ids(second)) == ["bulk", "mail"]
    assert len(first) == 1


def test_a_worker_that_has_a_suspect_gets_no_other(store: Store) -> None:
    """F3: it says so; there is nothing to claim and to release at the head of the queue."""
    suspects = a_suspect(store, "a", "b")
    store.enqueue(new_job("x"))
    assert ids(store.a_worker().cycle(requests=[("default", 5)], takes_suspect=False).claimed) == ["x"]
    assert [store.job(job.id).fence for job in suspects] == [job.fence for job in suspects]


def test_a_suspect_takes_a_place_of_the_room(store: Store) -> None:
    a_suspect(store, "a")
    store.enqueue(new_job("x"), new_job("y"))
    assert ids(store.a_worker().take(2)) == ["a", "x"]


@pytest.mark.parametrize("room", [0, -1])
def test_without_room_no_suspect_is_taken(store: Store, room: int) -> None:
    a_suspect(store, "a")
    assert store.a_worker().take(room) == []


def test_a_suspect_does_not_come_before_a_higher_priority(store: Store) -> None:
    """B3: strict priority holds for suspects too."""
    a_suspect(store, "low")
    store.enqueue(new_job("high", priority=1), new_job("same"))
    worker = store.a_worker()
    assert ids(worker.take(1)) == ["high"]
    assert ids(worker.take(1)) == ["low"]


def test_a_paused_queue_gives_no_suspect(store: Store) -> None:
    a_suspect(store, "a")
    store.run(queues.pause("default", by="me", reason=None))
    assert store.a_worker().take() == []


def test_a_repeated_call_finds_its_suspect_again(store: Store) -> None:
    a_suspect(store, "a", "b")
    worker = store.a_worker()
    taken = worker.take(token="t")
    assert ids(worker.cycle(token="t").claimed) == ids(taken) == ["a"]


def test_manual_claims_take_suspects_like_all_others(store: Store) -> None:
    """F3: they are never suspects; in the order of priority and of when they became ready."""
    a_suspect(store, "a", "b")
    store.advance(SECOND)
    store.enqueue(new_job("x"), new_job("first", priority=1))
    claimed = store.run(claim(10, queues=["default"], worker="me", token="t", ttl=TTL))
    assert ids(claimed) == ["first", "a", "b", "x"]


def test_the_loss_of_a_manual_claim_makes_no_suspect(store: Store) -> None:
    job = store.manually_claimed()
    die(store)
    assert counted(store.job(job.id)) == (1, 0, 0)
    assert ids(store.a_worker().cycle(requests=[("default", 5)], takes_suspect=False).claimed) == [job.id]


def test_a_suspect_that_is_claimed_by_hand_is_none_meanwhile(store: Store) -> None:
    """F3: its visibility time ran out, which is no death: none is held responsible, and the deaths before stay."""
    [job] = a_suspect(store, "a", is_marked=True)
    store.run(claim(1, queues=["default"], worker="me", token="t", ttl=TTL))
    store.advance(TTL)
    look = Call("expired", {"after": 0, "limit": PAGE, "bytes": PAGE_BYTES}, Lane.READ)
    assert records(store.driver.execute(look)["suspects"], StartedSuspect) == []
    store.rescue()
    assert json.loads(store.events(job.seq)[-1].detail or "") == {"by": "rescuer", "started": True}
    assert counted(store.job("a")) == (2, 1, 0)


# Everything else that knows of pending jobs.


def test_suspects_are_counted_and_listed_with_the_pending(store: Store) -> None:
    a_suspect(store, "a", "b")
    store.enqueue(new_job("x", priority=1), new_job("y"))
    assert store.run(queries.counts()) == {"default": {State.PENDING: 4}}
    depth = store.run(queries.depth())["default"]
    assert (depth.ready, depth.oldest) == (4, TTL)
    assert store.run(queries.counts_up_to(10)) == [CountUpTo("default", State.PENDING, 4, False)]
    assert store.run(queries.oldest()) == {"default": TTL}
    assert [job.id for job in store.run(queries.peek("default", limit=3))] == ["x", "a", "b"]
    page = store.run(queries.page(queries.Filter(states=(State.PENDING,)), limit=10))
    assert {job.id for job in page.jobs} == {"a", "b", "x", "y"}


def test_suspects_count_in_the_length_of_a_queue(store: Store) -> None:
    a_suspect(store, "a")
    store.run(queues.change("default", {"max_length": 1}, by="me"))
    with pytest.raises(Exception, match="full"):
        store.enqueue(new_job("x"))


@pytest.mark.parametrize("verb", ["cancel", "delete", "postpone", "hasten"])
def test_operators_find_suspects(store: Store, verb: str) -> None:
    [job] = a_suspect(store, "a")
    match verb:
        case "cancel":
            assert store.run(jobs.cancel([job.seq], by="me")) == {job.seq: State.CANCELLED}
        case "delete":
            assert store.run(jobs.delete([(job.seq, job.id)])) == [job.seq]
        case "postpone":
            assert store.run(jobs.reschedule(job.seq, delay=HOUR))
        case _:
            assert store.run(jobs.reschedule(job.seq, delay=0))
    taken = store.a_worker().take()
    assert ids(taken) == (["a"] if verb == "hasten" else [])
    assert store.a_worker().take() == []


def test_a_suspect_that_was_put_off_is_one_when_it_is_due(store: Store) -> None:
    [job] = a_suspect(store, "a")
    store.run(jobs.reschedule(job.seq, delay=HOUR))
    store.advance(HOUR)
    store.run(jobs.promote())
    assert store.a_worker().cycle(requests=[("default", 5)], takes_suspect=False).claimed == []
    assert ids(store.a_worker().take()) == ["a"]


def test_a_retry_by_hand_makes_a_job_that_nobody_suspects(store: Store) -> None:
    [job] = a_suspect(store, "a")
    store.run(jobs.cancel([job.seq], by="me"))
    store.run(jobs.retry([job.seq], by="me"))
    assert ids(store.a_worker().cycle(requests=[("default", 5)], takes_suspect=False).claimed) == ["a"]


def test_a_suspect_stays_one_when_it_is_moved(store: Store) -> None:
    [job] = a_suspect(store, "a")
    load = store.run(export([job.id]))
    store.run(jobs.delete([(job.seq, job.id)]))
    store.run(store_batch(load))
    assert store.a_worker().cycle(requests=[("default", 5)], takes_suspect=False).claimed == []
    assert ids(store.a_worker().take()) == ["a"]


def test_why_tells_what_a_suspect_waits_for(store: Store) -> None:
    [_, second] = a_suspect(store, "a", "b")
    store.enqueue(new_job("high", priority=1), new_job("same"))
    found = store.run(gates.gates(second.seq))
    assert found is not None
    assert (found.ahead, found.suspects_ahead) == (1, 1)
    other = store.run(gates.gates(store.job("same").seq))
    assert other is not None
    assert (other.ahead, other.suspects_ahead) == (1, 0)


# What clears it.


@pytest.mark.parametrize("outcome", [raised(delay=0), Postponed(0)], ids=["raised", "snoozed"])
def test_an_ending_that_is_no_death_clears_a_suspect(store: Store, outcome: Outcome) -> None:
    a_suspect(store, "a", is_marked=True)
    worker = store.a_worker()
    [job] = worker.take()
    assert not worker.end(job, outcome)
    assert counted(store.job("a"))[1:] == (0, 0)
    store.run(jobs.promote())
    assert ids(store.a_worker().cycle(requests=[("default", 5)], takes_suspect=False).claimed) == ["a"]


def test_a_release_clears_nothing(store: Store) -> None:
    """It was stopped from outside, or never began."""
    a_suspect(store, "a")
    worker = store.a_worker()
    [job] = worker.take()
    assert not worker.end(job, Interrupted())
    assert store.a_worker().cycle(requests=[("default", 5)], takes_suspect=False).claimed == []
    assert ids(store.a_worker().take()) == ["a"]


# Who pays for a death.


def test_without_a_suspect_every_run_that_had_begun_is_charged_once(store: Store) -> None:
    store.enqueue(new_job("a"), new_job("b"), new_job("waiting"))
    begin(store.a_worker(), "a", "b")
    die(store)
    assert [counted(store.job(id)) for id in ("a", "b", "waiting")] == [(1, 1, 0), (1, 1, 0), (0, 0, 1)]


def test_a_suspect_pays_for_its_neighbours(store: Store) -> None:
    """F3: that one alone; what ran beside it goes back uncharged."""
    a_suspect(store, "poison", is_marked=True)
    store.enqueue(new_job("running"), new_job("waiting"))
    begin(store.a_worker(), "poison", "running")
    die(store)
    assert counted(store.job("running")) == counted(store.job("waiting")) == (0, 0, 1)
    assert store.job("poison").crashes == 2


def test_whoever_may_be_innocent_pays_once_at_the_most(store: Store) -> None:
    """F3: charged with all others first, then blamed for a death that a neighbour may have caused."""
    a_suspect(store, "innocent", is_marked=True)
    store.enqueue(new_job("fresh"))
    begin(store.a_worker(), "innocent")
    die(store)
    assert counted(store.job("innocent")) == (1, 2, 0)


def test_a_suspect_that_died_alone_pays_each_time(store: Store) -> None:
    a_suspect(store, "a", is_marked=True)
    begin(store.a_worker(), "a")
    die(store)
    assert counted(store.job("a")) == (2, 2, 0)


@pytest.mark.parametrize("is_marked", [True, False], ids=["marked", "dies at once"])
def test_a_poison_falls_after_three_deaths(store: Store, is_marked: bool) -> None:
    """F3: also one that dies before the store knows of its first start."""
    a_suspect(store, "poison", "neighbour", is_marked=is_marked)
    for death in (2, 3):
        store.enqueue(new_job(f"fresh {death}"))
        begin(store.a_worker(), "poison")
        die(store)
    found = store.job("poison")
    assert (found.state, found.reason) == (State.FAILED, "crashed")
    assert store.kinds(found.seq) == ["rescued"] * 3
    for id in ("neighbour", "fresh 2", "fresh 3"):
        assert (store.job(id).state, store.job(id).attempt <= 1) == (State.PENDING, True)


def test_a_suspect_that_had_not_begun_is_not_to_blame(store: Store) -> None:
    a_suspect(store, "a")
    store.enqueue(new_job("x"))
    begin(store.a_worker(), "x")
    die(store)
    assert [counted(store.job(id)) for id in ("a", "x")] == [(0, 0, 2), (1, 1, 0)]


def test_a_last_attempt_that_had_begun_fails_whoever_is_to_blame(store: Store) -> None:
    """A10: it must not run again."""
    a_suspect(store, "poison", is_marked=True)
    store.enqueue(new_job("once", attempts=1))
    begin(store.a_worker(), "poison", "once")
    die(store)
    assert (store.job("once").state, store.job("once").reason) == (State.FAILED, "crashed")


def test_a_suspect_that_outlived_its_fatal_run_is_one_of_many_again(store: Store) -> None:
    """F3: the loss of a machine with long jobs is charged to each, and not to the one that began last."""
    a_suspect(store, "long", is_marked=True)
    store.enqueue(new_job("other"))
    worker = store.a_worker()
    begin(worker, "long", "other")
    for _ in range(4):  # the fatal run may have lasted until the lease was over
        store.advance(TTL - 1)
        worker.renew()
    die(store)
    assert [counted(store.job(id)) for id in ("long", "other")] == [(2, 1, 0), (1, 1, 0)]


def test_several_suspects_pay_no_more_and_none_of_them_falls(store: Store) -> None:
    """F3: nothing tells which of them it was; whoever died twice runs alone, and falls only when it dies so."""
    a_suspect(store, "first", "second", is_marked=True)
    for _ in range(3):
        worker = store.a_worker()
        begin(worker, "first")
        begin(worker, "second")
        die_after_a_while(store, worker)
        assert [counted(store.job(id)) for id in ("first", "second")] == [(1, 2, 0), (1, 2, 0)]
    begin(store.a_worker(), "first")
    die(store)
    assert (store.job("first").state, store.job("first").reason) == (State.FAILED, "crashed")
    assert store.job("second").state is State.PENDING


def test_of_several_suspects_the_one_that_died_twice_and_just_began_falls(store: Store) -> None:
    """F3: a poison that dies at once falls after three deaths, also where long jobs are suspects beside it."""
    a_suspect(store, "long", "poison", is_marked=True)
    for crashes in (2, 3):
        worker = store.a_worker()
        begin(worker, "long")
        store.advance(11 * SECOND)
        worker.renew()
        begin(worker, "poison")
        die(store)
        assert (store.job("poison").crashes, counted(store.job("long"))) == (crashes, (1, 2, 0))
    assert (store.job("poison").state, store.job("long").state) == (State.FAILED, State.PENDING)


def test_all_pages_of_a_rescue_know_that_there_were_several_suspects(store: Store) -> None:
    """F3: the second page finds only one of them still running, whose death would be decisive."""
    suspects = ("first", "last")
    store.enqueue(new_job("first"), *(new_job() for _ in range(PAGE)), new_job("last"))
    for is_round_of_suspects in (True, True, False):
        worker = store.a_worker()
        taken = worker.take(PAGE + 2) + worker.take(1)
        if is_round_of_suspects:
            worker.cycle(endings=[ending(job, Interrupted()) for job in taken if job.id not in suspects])
        worker.mark(*(job for job in taken if not is_round_of_suspects or job.id in suspects))
        die_after_a_while(store, worker)
    assert [counted(store.job(id)) for id in suspects] == [(1, 2, 0), (1, 2, 0)]
    assert {store.job(id).state for id in suspects} == {State.PENDING}


@pytest.mark.parametrize(("seen_first", "count"), [(True, PAGE + 20), (False, PAGE + 20), (False, PAGE)])
def test_all_pages_of_a_rescue_decide_alike(store: Store, seen_first: bool, count: int) -> None:
    """F3: the suspect may be on any page, also alone, and a rescuer may die between two pages."""
    others = [new_job() for _ in range(count)]
    if seen_first:
        a_suspect(store, "poison", is_marked=True)
        store.enqueue(*others)
    else:
        store.enqueue(*others, new_job("poison"))
        worker = store.a_worker()
        taken = worker.take(count + 1)
        worker.cycle(endings=[ending(job, Interrupted()) for job in taken[:-1]])
        worker.mark(taken[-1])
        die(store)
    worker = store.a_worker()
    taken = worker.take(count + 1)
    assert len(taken) == count + 1
    worker.mark(*taken)
    store.advance(TTL)
    halfway = rescue(by="dies halfway", now=store.clock)
    call = next(halfway)
    while call.name != "rescue":
        call = halfway.send(store.driver.execute(call))
    store.driver.execute(call)
    store.another().rescue()
    assert {counted(store.job(job.id)) for job in others} == {(0, 0, 1)}
    # It had company, wherever that was rescued: it pays with no second attempt.
    assert counted(store.job("poison")) == (1, 2, 0)


def test_a_rescue_tells_who_is_held_responsible(store: Store) -> None:
    """A12: in the timeline of each job of the lost worker."""
    [poison] = a_suspect(store, "poison", is_marked=True)
    store.enqueue(new_job("x"))
    begin(store.a_worker(), "poison", "x")
    die(store)
    for seq in (poison.seq, store.job("x").seq):
        told = json.loads(store.events(seq)[-1].detail or "")
        assert told == {"by": "rescuer", "started": True, "blamed": "poison"}


# A start mark that lands between the look of a rescue and its write.


def test_a_mark_that_came_since_the_look_makes_rescue_look_again(store: Store) -> None:
    """A10: attempts=1 means at most one run."""
    worker = store.a_worker()
    job = store.claimed(new_job(attempts=1), by=worker)
    store.advance(TTL)

    def execute(call: Call) -> object:
        if call.name == "rescue":
            [seq] = worker.cycle(marks=[StartMark(job.seq, job.fence, 0)]).marked
            assert seq == job.seq
        return store.driver.execute(call)

    assert drive(rescue(by="rescuer", now=store.clock), execute) == []  # type: ignore[arg-type]
    assert store.events(job.seq) == []
    assert store.rescue() == [Rescued(job.id, State.FAILED)]
    assert counted(store.job(job.id)) == (1, 1, 0)


def test_the_time_of_a_fatal_run_ends_with_the_lease(store: Store) -> None:
    [job] = a_suspect(store, "a", is_marked=True)
    assert f'"ran_for":{TTL}' in (job.errors or "")
    assert job.created_at == START


def test_a_claim_of_a_suspect_needs_a_lease_in_time(store: Store) -> None:
    a_suspect(store, "a")
    claimant = Claimant("nobody", "no lease", "t")
    assert store.run(cycle(claimant, requests=[("default", 1)], takes_suspect=True)).claimed == []
