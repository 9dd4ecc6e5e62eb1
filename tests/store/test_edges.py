"""Edges: a job that waits for others is blocked until they have ended, however they end."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.store.builders import CANCELLED, HOUR, INTERRUPTED, RETURNED, SECOND, TTL, ending, ids, new_job, raised
from tests.store.flows import after, chain, child_of, states, taken, tied
from tests.store.stores import Store
from tests.waiting import PATIENCE
from windlass.core.outcome import FailedPermanently, Outcome
from windlass.core.state import State
from windlass.errors import JobNotFound
from windlass.insight.why.why import why
from windlass.store.operations import jobs, queries
from windlass.store.operations.diagnostics import by_hand
from windlass.store.operations.enqueue import NewJob, Uniqueness, enqueue
from windlass.store.operations.flows import edges
from windlass.store.operations.flows.edges import NewEdge
from windlass.store.operations.upkeep import prune

FAILED = FailedPermanently(raised().fault, "permanent")


def counts(store: Store) -> dict[State, int]:
    return {
        state: number for found in store.run(queries.counts()).values() for state, number in found.items() if number
    }


def settled(store: Store) -> None:
    """Let promote do all that it has to do."""
    store.run(jobs.promote())


def test_a_child_waits_until_its_parent_has_completed(store: Store) -> None:
    """B36: it is blocked, and says why."""
    worker = store.a_worker()
    store.enqueue(new_job("a"))
    assert child_of(store, "b", "a") is State.BLOCKED
    assert store.job("b").reason == "parents"
    assert counts(store) == {State.PENDING: 1, State.BLOCKED: 1}
    job = taken(worker, "a")
    settled(store)
    assert states(store, "ab") == "rb"
    store.end(job)
    found = store.job("b")
    assert (found.state, found.reason) == (State.PENDING, None)
    assert counts(store) == {State.COMPLETED: 1, State.PENDING: 1}
    store.end(taken(worker, "b"))
    assert counts(store) == {State.COMPLETED: 2}


def test_the_parent_may_be_stored_by_the_same_call_in_any_order(store: Store) -> None:
    """B36: in bulk."""
    worker = store.a_worker()
    stored = tied(store, (new_job("c"), ["b", "a"]), (new_job("a"), []), (new_job("b"), ["a"]))
    assert [each.state for each in stored] == [State.BLOCKED, State.PENDING, State.BLOCKED]
    for id in "abc":
        store.end(taken(worker, id))
    assert states(store, "abc") == "ccc"


def test_a_child_waits_for_all_of_its_parents(store: Store) -> None:
    worker = store.a_worker()
    store.enqueue(new_job("a"), new_job("b"))
    child_of(store, "c", "a", "b")
    settled(store)
    first, second = worker.take(9)
    store.end(first)
    settled(store)
    assert states(store, "c") == "b"
    store.end(second)
    assert states(store, "c") == "p"


def test_all_parents_may_end_in_one_cycle(store: Store) -> None:
    worker = store.a_worker()
    tied(store, (new_job("a"), []), (new_job("b"), []), (new_job("c"), ["a", "b"]))
    worker.cycle(endings=[ending(job) for job in worker.take(9)])
    store.end(taken(worker, "c"))


def _failed(store: Store) -> None:
    store.end(taken(store.a_worker(), "a"), FAILED)


def _cancelled(store: Store) -> None:
    store.run(jobs.cancel([store.job("a").seq], by="me"))


def _stopped(store: Store) -> None:
    job = taken(store.a_worker(), "a")
    store.run(jobs.cancel([job.seq], by="me"))
    store.end(job, CANCELLED)


def _deleted(store: Store) -> None:
    store.run(jobs.delete([(store.job("a").seq, "a")]))


def _expired(store: Store) -> None:
    store.advance(2 * HOUR)
    settled(store)


def _failed_by_hand(store: Store) -> None:
    store.run(by_hand.fail(store.job("a"), by="me", text="no", now=store.clock()))


ENDS = [_failed, _failed_by_hand, _cancelled, _stopped, _deleted, _expired]


def _parent() -> NewJob:
    return new_job("a", expires=HOUR)


@pytest.mark.parametrize("end", ENDS)
def test_a_parent_that_does_not_complete_takes_its_child_along(store: Store, end: Callable[[Store], None]) -> None:
    """B36: however it ends, and at once."""
    tied(store, (_parent(), []), (new_job("b", key="k"), ["a"]))
    end(store)
    found = store.job("b")
    assert (found.state, found.reason) == (State.CANCELLED, "dependency")
    assert found.finished_at is not None
    assert counts(store).get(State.BLOCKED, 0) == 0
    # its unique key is free again
    [again] = store.enqueue(new_job("again", key="k"))
    assert not again.is_duplicate


@pytest.mark.parametrize("end", ENDS)
def test_a_child_may_run_all_the_same(store: Store, end: Callable[[Store], None]) -> None:
    """B36: on_parent_failure="run"."""
    tied(store, (_parent(), []), (new_job("b"), ["a"]), policy="run")
    end(store)
    assert store.job("b").state is State.PENDING


@pytest.mark.parametrize("end", ENDS)
def test_a_child_may_wait_for_a_person(store: Store, end: Callable[[Store], None]) -> None:
    """B36: on_parent_failure="wait"."""
    tied(store, (_parent(), []), (new_job("b"), ["a"]), policy="wait")
    end(store)
    settled(store)
    assert store.job("b").state is State.BLOCKED


def test_a_child_that_waits_goes_on_when_its_parent_was_retried(store: Store) -> None:
    worker = store.a_worker()
    tied(store, (new_job("a"), []), (new_job("b"), ["a"]), policy="wait")
    store.end(taken(worker, "a"), FAILED)
    settled(store)
    store.run(jobs.retry([store.job("a").seq], by="me"))
    assert states(store, "ab") == "pb"
    store.end(taken(worker, "a"))
    assert states(store, "ab") == "cp"


@pytest.mark.parametrize("outcome", [INTERRUPTED, raised(delay=SECOND)])
def test_an_attempt_that_is_not_the_last_is_no_ending(store: Store, outcome: Outcome) -> None:
    tied(store, (new_job("a"), []), (new_job("b"), ["a"]))
    store.end(taken(store.a_worker(), "a"), outcome)
    settled(store)
    assert states(store, "b") == "b"


def test_a_rescue_that_puts_the_parent_back_is_no_ending(store: Store) -> None:
    tied(store, (new_job("a"), []), (new_job("b"), ["a"]))
    taken(store.a_worker(), "a")
    store.advance(TTL + SECOND)
    [rescued] = store.rescue()
    assert rescued.state is State.PENDING
    settled(store)
    assert states(store, "ab") == "pb"


def test_a_rescue_that_ends_the_parent_settles(store: Store) -> None:
    tied(store, (new_job("a", attempts=1), []), (new_job("b"), ["a"]))
    job = taken(store.a_worker(), "a")
    store.a_worker().mark(job)
    store.advance(TTL + SECOND)
    [rescued] = store.rescue()
    assert rescued.state is State.FAILED
    assert store.job("b").reason == "dependency"


@pytest.mark.parametrize(
    ("outcome", "policy", "state"),
    [
        (RETURNED, "cancel", State.PENDING),
        (FAILED, "cancel", State.CANCELLED),
        (FAILED, "run", State.PENDING),
        (FAILED, "wait", State.BLOCKED),
    ],
)
def test_a_parent_that_has_ended_counts_at_once(store: Store, outcome: Outcome, policy: str, state: State) -> None:
    store.finished(outcome, new_job("a"))
    assert child_of(store, "b", "a", policy=policy) is state
    assert store.job("b").state is state
    settled(store)
    assert store.job("b").state is state


def test_a_child_that_need_not_wait_is_claimed(store: Store) -> None:
    store.finished(RETURNED, new_job("a"))
    child_of(store, "b", "a")
    taken(store.a_worker(), "b")


def test_a_child_with_a_delay_waits_for_its_time_too(store: Store) -> None:
    tied(store, (new_job("a"), []), (new_job("b", delay=HOUR), ["a"]))
    store.end(taken(store.a_worker(), "a"))
    assert store.job("b").state is State.SCHEDULED
    store.advance(HOUR)
    settled(store)
    assert store.job("b").state is State.PENDING


def test_a_child_waits_for_its_parents_first_and_then_for_its_key(store: Store) -> None:
    worker = store.a_worker()
    tied(store, (new_job("a"), []), (new_job("b", one_of="u"), ["a"]))
    job = taken(worker, "a")
    store.enqueue(new_job("c", one_of="u"))
    other = taken(worker, "c")
    store.end(job)
    assert worker.take(9) == []
    assert (store.job("b").state, store.job("b").reason) == (State.BLOCKED, "key")
    store.end(other)
    taken(worker, "b")


def test_a_parent_that_is_not_there_stores_nothing(store: Store) -> None:
    """B36: it was deleted, or is in another store."""
    with pytest.raises(JobNotFound, match="'gone'"):
        tied(store, (new_job("a"), []), (new_job("b"), ["a", "gone"]))
    assert store.count() == 0


def test_a_child_that_is_there_keeps_its_edges(store: Store) -> None:
    """A call that is repeated after no reply changes nothing."""
    store.enqueue(new_job("a"), new_job("x"))
    for _ in range(2):
        child_of(store, "b", "a")
    store.run(enqueue([after(new_job("b"))], {0: Uniqueness(has_own_id=True)}, [NewEdge("b", 0, "x", None, "cancel")]))
    store.end(store.a_worker().take(1)[0])
    settled(store)
    assert states(store, "ab") == "cp"


def test_a_parent_that_is_a_duplicate_is_the_job_that_holds_the_key(store: Store) -> None:
    worker = store.a_worker()
    store.enqueue(new_job("first", key="k"))
    named = {0: Uniqueness()}
    edge = NewEdge("b", 0, "second", "k", "cancel")
    store.run(enqueue([new_job("second", key="k"), after(new_job("b"))], named, [edge]))
    assert states(store, "b") == "b"
    store.end(taken(worker, "first"))
    settled(store)
    assert states(store, "b") == "p"


def test_what_is_cancelled_takes_along_what_waits_for_it(store: Store) -> None:
    """B36: however deep."""
    chain(store, "abcdef")
    store.end(taken(store.a_worker(), "a"), FAILED)
    settled(store)
    assert [store.job(id).reason for id in "bcdef"] == ["dependency"] * 5
    assert counts(store) == {State.FAILED: 1, State.CANCELLED: 5}


def test_a_graph_of_any_depth_is_cancelled(store: Store) -> None:
    """B36: 3,000 jobs, each behind the one before, without recursion."""
    names = [f"job-{number}" for number in range(3000)]
    store = store.another(deadline=PATIENCE)  # one call cancels many: it is not about its time
    chain(store, names)
    store.run(jobs.cancel([store.job(names[0]).seq], by="me"))
    settled(store)
    assert counts(store) == {State.CANCELLED: 3000}


def test_a_child_with_many_parents_is_released_once(store: Store) -> None:
    """What a group of jobs needs."""
    worker = store.a_worker()
    names = [f"job-{number}" for number in range(300)]
    tied(store, *((new_job(id), []) for id in names), (new_job("last"), names))
    while ids(found := worker.take(70)) != ["last"]:
        worker.cycle(endings=[ending(job) for job in found])
    settled(store)
    assert counts(store) == {State.COMPLETED: 300, State.RUNNING: 1}


def test_a_parent_with_many_children_releases_all_of_them(store: Store) -> None:
    names = [f"job-{number}" for number in range(1200)]
    tied(store, (new_job("a"), []), *((new_job(id), ["a"]) for id in names))
    store.end(taken(store.a_worker(), "a"))
    settled(store)
    assert counts(store) == {State.COMPLETED: 1, State.PENDING: 1200}


def test_a_child_that_is_cancelled_or_deleted_needs_its_parent_no_more(store: Store) -> None:
    worker = store.a_worker()
    tied(store, (new_job("a"), []), (new_job("b"), ["a"]), (new_job("c"), ["a"]))
    store.run(jobs.cancel([store.job("b").seq], by="me"))
    store.run(jobs.delete([(store.job("c").seq, "c")]))
    store.end(taken(worker, "a"))
    settled(store)
    assert states(store, "ab") == "cc"
    assert store.job("b").state is State.CANCELLED
    assert not store.run(queries.next_due()).is_unsettled


def test_a_retry_takes_back_what_was_cancelled_because_of_the_job(store: Store) -> None:
    """B34: a chain goes on after its failed link was retried by hand."""
    worker = store.a_worker()
    tied(store, (new_job("a"), []), (new_job("b"), ["a"]), (new_job("c"), ["b"]))
    store.end(taken(worker, "a"), FAILED)
    settled(store)
    assert states(store, "abc") == "fcc"
    store.run(jobs.retry([store.job("a").seq], by="me"))
    settled(store)
    assert states(store, "abc") == "pbb"
    assert (store.job("c").reason, store.job("c").finished_at) == ("parents", None)
    for id in "abc":
        store.end(taken(worker, id))
    assert counts(store) == {State.COMPLETED: 3}


def test_a_retry_of_one_of_two_failed_parents_is_not_enough(store: Store) -> None:
    worker = store.a_worker()
    tied(store, (new_job("a"), []), (new_job("b"), []), (new_job("c"), ["a", "b"]))
    for job in worker.take(9):
        store.end(job, FAILED)
    settled(store)
    store.run(jobs.retry([store.job("a").seq], by="me"))
    settled(store)
    assert store.job("c").state is State.CANCELLED
    store.run(jobs.retry([store.job("b").seq], by="me"))
    settled(store)
    assert store.job("c").state is State.BLOCKED
    for job in worker.take(9):
        store.end(job)
    taken(worker, "c")


def test_what_a_person_cancelled_stays_cancelled_when_its_parent_is_retried(store: Store) -> None:
    tied(store, (new_job("a"), []), (new_job("b"), ["a"]))
    store.run(jobs.cancel([store.job("b").seq], by="me"))
    store.run(jobs.cancel([store.job("a").seq], by="me"))
    store.run(jobs.retry([store.job("a").seq], by="me"))
    settled(store)
    assert states(store, "ab") == "pc"


def test_next_due_says_whether_promote_has_edges_to_look_at(store: Store) -> None:
    tied(store, (new_job("a"), []), (new_job("b"), ["a"]))
    assert not store.run(queries.next_due()).is_unsettled


def test_relatives_are_read_in_order_and_in_pages(store: Store) -> None:
    """B36: parents as they were named, children as they were stored."""
    tied(store, (new_job("a"), []), (new_job("b"), []), (new_job("c"), ["b", "a"]), (new_job("d"), ["a"]))
    seq = {id: store.job(id).seq for id in "abcd"}
    found = store.run(edges.parents(seq["c"]))
    assert [(parent.id, parent.task, parent.state, parent.is_open) for parent in found] == [
        ("b", "greet", State.PENDING, True),
        ("a", "greet", State.PENDING, True),
    ]
    [second] = store.run(edges.parents(seq["c"], after=found[0].place))
    assert second.id == "a"
    assert [child.id for child in store.run(edges.children(seq["a"], limit=1))] == ["c"]
    assert [child.id for child in store.run(edges.children(seq["a"], after=seq["c"]))] == ["d"]
    assert store.run(edges.parents(seq["a"])) == store.run(edges.children(seq["d"])) == []


def test_a_parent_that_is_gone_is_still_a_parent(store: Store) -> None:
    tied(store, (new_job("a"), []), (new_job("b"), ["a"]), policy="wait")
    store.run(jobs.delete([(store.job("a").seq, "a")]))
    [parent] = store.run(edges.parents(store.job("b").seq))
    assert (parent.id, parent.state, parent.is_open) == (None, None, True)
    store.run(jobs.delete([(store.job("b").seq, "b")]))
    assert not store.run(queries.next_due()).is_unsettled


def test_why_names_the_parents(store: Store) -> None:
    tied(store, (new_job("a"), []), (new_job("b"), []), (new_job("c"), ["a", "b"]))
    assert store.run(why(store.job("c"))) == "it waits for a (pending), b (pending) to complete"
    store.run(jobs.cancel([store.job("a").seq], by="me"))
    cancelled = "it is cancelled (dependency): it waited for "
    assert (
        store.run(why(store.job("c"))) == f"{cancelled}a (cancelled), which did not complete; retry that one, or this"
    )
    store.run(jobs.cancel([store.job("b").seq], by="me"))
    assert store.run(why(store.job("c"))).endswith(
        "a (cancelled), b (cancelled), which did not complete; retry those, or this"
    )


def test_why_names_what_failed_however_far_upstream(store: Store) -> None:
    """B36: a retry of a job that was itself cancelled because of others would run it without their results."""
    chain(store, "abcd")
    tied(store, (new_job("w"), "c"), policy="wait")
    store.end(taken(store.a_worker(), "a"), FailedPermanently(raised().fault, "permanent"))
    settled(store)
    because = "c (cancelled){} because of a (failed); retry that one"
    assert store.run(why(store.job("d"))) == (
        f"it is cancelled (dependency): it waited for {because.format(', which did not complete')}, or this"
    )
    assert store.run(why(store.job("w"))) == f"it waits for {because.format(' to complete')}"


def test_why_of_a_job_whose_parent_is_gone_names_what_helps(store: Store) -> None:
    """B36: nothing can retry a job that was deleted."""
    tied(store, (new_job("a"), []), (new_job("b"), ["a"]), (new_job("c"), ["a"]), policy="wait")
    tied(store, (new_job("d"), []), (new_job("e"), ["d"]))
    store.run(jobs.delete([(store.job(id).seq, id) for id in "ad"]))
    settled(store)
    gone = "it waits for one that is gone (deleted) to complete; what is gone will never complete: "
    assert store.run(why(store.job("b"))) == f"{gone}retry this job to run it without, or cancel it"
    assert store.run(why(store.job("e"))) == (
        "it is cancelled (dependency): it waited for one that is gone (deleted); retry it to run it without"
    )
    store.run(jobs.retry([store.job(id).seq for id in "be"], by="me"))
    assert states(store, "bce") == "pbp"


def test_a_result_that_is_wanted_is_not_pruned(store: Store) -> None:
    """A13, B34: also where a job was enqueued between the look of a cleaning and its deletion."""
    line = prune.FinishedLine("default", State.COMPLETED)
    store.finished(RETURNED, new_job("a"))
    seen = store.run(prune.prunable(line, age=-HOUR, beyond=None))
    child_of(store, "b", "a")
    assert store.run(prune.prune(line, seen)) == 0
    assert store.run(prune.prune_oldest(line, age=-HOUR, beyond=None)) is None or store.exists("a")
    assert store.exists("a")


@pytest.mark.parametrize("policy", ["cancel", "run", "wait"])
def test_a_job_that_waits_for_others_may_be_run_now(store: Store, policy: str) -> None:
    """B36: by hand; what becomes of its parents does not matter to it any more."""
    worker = store.a_worker()
    tied(store, (new_job("a"), []), (new_job("b"), ["a"]), (new_job("c"), ["b"]), policy=policy)
    retried = store.run(jobs.retry([store.job("b").seq], by="me"))
    assert retried.seqs == [store.job("b").seq]
    found = store.job("b")
    assert (found.state, found.reason) == (State.PENDING, None)
    assert counts(store) == {State.PENDING: 2, State.BLOCKED: 1}
    [parent] = store.run(edges.parents(found.seq))
    assert not parent.is_open
    first, second = worker.take(9)
    store.end(first, FAILED)
    settled(store)
    assert store.job("b").state is State.RUNNING
    assert not store.run(queries.next_due()).is_unsettled
    store.end(second)
    assert states(store, "ac") == "fp"


def test_a_job_that_waits_for_a_failed_parent_may_be_run_now(store: Store) -> None:
    """B36: on_parent_failure="wait", and a person decides."""
    worker = store.a_worker()
    tied(store, (new_job("a"), []), (new_job("b"), ["a"]), policy="wait")
    store.end(taken(worker, "a"), FAILED)
    settled(store)
    store.run(jobs.retry([store.job("b").seq], by="me"))
    store.end(taken(worker, "b"))
    store.run(jobs.retry([store.job("a").seq], by="me"))
    store.end(taken(worker, "a"))
    settled(store)
    assert states(store, "ab") == "cc"


def test_a_job_that_waits_for_its_key_is_not_run_now(store: Store) -> None:
    worker = store.a_worker()
    store.enqueue(new_job("a", one_of="u"), new_job("b", one_of="u"))
    worker.take(9)
    worker.take(9)
    [blocked] = [id for id in "ab" if store.job(id).state is State.BLOCKED]
    assert store.run(jobs.retry([store.job(blocked).seq], by="me")).seqs == []
    assert (store.job(blocked).state, store.job(blocked).reason) == (State.BLOCKED, "key")
