"""Groups: a callback waits for all members, however they end, and is released once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from msgspec import structs

from tests.store.builders import CANCELLED, HOUR, INTERRUPTED, SECOND, TTL, ending, new_job, raised
from tests.store.flows import after, states
from tests.store.flows import edges as new_edges
from tests.store.stores import Store, Worker
from windlass.core.outcome import FailedPermanently, Outcome
from windlass.core.records import Claimed
from windlass.core.state import State
from windlass.errors import ConfigError
from windlass.insight.why.why import why
from windlass.store.operations import jobs
from windlass.store.operations.enqueue import Enqueued, NewJob, Uniqueness, enqueue
from windlass.store.operations.flows.edges import children, parents
from windlass.store.operations.flows.ended import EndedFlows
from windlass.store.operations.flows.graph import cancel_downstream, graph, walk
from windlass.store.operations.flows.groups import (
    MEMBERS_FROM,
    NewGroup,
    NewMember,
    group_counts,
    groups_of,
    members,
)
from windlass.store.operations.upkeep import prune

FAILED = FailedPermanently(raised().fault, "permanent")


def grouped(
    store: Store, *given: NewJob, callback: NewJob | None = None, policy: str = "cancel", also: Sequence[str] = ()
) -> list[Enqueued]:
    """Store a group in one call; its callback is ``z``, which waits for the jobs ``also`` besides."""
    last = after(callback or new_job("z"))
    keyed = {index: Uniqueness() for index, job in enumerate(given) if job.unique_key is not None}
    named = [NewMember(last.id, place, job.id, job.unique_key) for place, job in enumerate(given)]
    ties = new_edges(last.id, also, policy)
    return store.run(enqueue([*given, last], keyed, ties, groups=[NewGroup(last.id, policy)], members=named))


def added(store: Store, *given: NewJob, callback: str = "z") -> list[Enqueued]:
    """Store more members of a group."""
    keyed = {index: Uniqueness() for index, job in enumerate(given) if job.unique_key is not None}
    named = [NewMember(callback, place, job.id, job.unique_key) for place, job in enumerate(given)]
    return store.run(enqueue(list(given), keyed, added=named))


def abc(store: Store, policy: str = "cancel") -> dict[str, Claimed]:
    """A group of three, all of them claimed."""
    grouped(store, new_job("a"), new_job("b"), new_job("c"), policy=policy)
    return {job.id: job for job in store.a_worker().take(9)}


def settled(store: Store) -> None:
    """Let promote do all that it has to do."""
    store.run(jobs.promote())


def retry(store: Store, *ids: str) -> None:
    store.run(jobs.retry([store.job(id).seq for id in ids], by="me"))


@pytest.mark.parametrize("order", ["abc", "cba", "bac", "acb"])
def test_the_callback_waits_for_all_members_in_whatever_order_they_end(store: Store, order: str) -> None:
    """B35."""
    running = abc(store)
    for id in order:
        settled(store)
        assert states(store, "z") == "b"
        store.end(running[id])
    assert states(store, "abcz") == "cccp"


def test_all_members_may_end_in_one_cycle(store: Store) -> None:
    worker = store.a_worker()
    assert [job.state for job in grouped(store, *(new_job(id) for id in "abc"))] == [State.PENDING] * 3 + [
        State.BLOCKED
    ]
    worker.cycle(endings=[ending(job) for job in worker.take(9)])
    assert states(store, "z") == "p"


def _failed(store: Store, worker: Worker) -> None:
    store.end(next(job for job in worker.take(9) if job.id == "b"), FAILED)


def _cancelled(store: Store, worker: Worker) -> None:
    store.run(jobs.cancel([store.job("b").seq], by="me"))


def _stopped(store: Store, worker: Worker) -> None:
    job = next(job for job in worker.take(9) if job.id == "b")
    store.run(jobs.cancel([job.seq], by="me"))
    store.end(job, CANCELLED)


def _deleted(store: Store, worker: Worker) -> None:
    store.run(jobs.delete([(store.job("b").seq, "b")]))


def _expired(store: Store, worker: Worker) -> None:
    store.advance(2 * HOUR)
    settled(store)


def _crashed(store: Store, worker: Worker) -> None:
    [job] = [job for job in worker.take(9) if job.id == "b"]
    worker.mark(job)
    store.advance(TTL + SECOND)
    store.rescue()
    assert store.job("b").state is State.FAILED


ENDS = [_failed, _cancelled, _stopped, _deleted, _expired, _crashed]


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize(("policy", "state"), [("cancel", "c"), ("run", "p"), ("wait", "b")])
def test_a_member_that_does_not_complete_counts_however_it_ends(
    store: Store, end: Callable[[Store, Worker], None], is_first: bool, policy: str, state: str
) -> None:
    """B35: what becomes of the callback is what it chose, whether the others end before or after that."""
    odd = new_job("b", attempts=1, expires=HOUR)
    grouped(store, *([odd, new_job("a")] if is_first else [new_job("a"), odd]), policy=policy)
    worker = store.a_worker()
    end(store, worker)
    settled(store)
    store.end(_claimed(store, "a"))
    settled(store)
    assert states(store, "z") == state
    if policy == "cancel":
        assert store.job("z").reason == "dependency"
    counts = store.run(group_counts(store.job("z").seq))
    assert sum(counts.values()) == 2
    assert counts[State.COMPLETED] == 1


def _claimed(store: Store, id: str) -> Claimed:
    """The job, claimed now or some time before."""
    for job in store.a_worker().take(9):
        if job.id == id:
            return job
    store.advance(TTL + SECOND)
    store.rescue()
    return next(job for job in store.a_worker().take(9) if job.id == id)


@pytest.mark.parametrize("outcome", [INTERRUPTED, raised(delay=SECOND)])
def test_an_attempt_that_is_not_the_last_is_no_ending(store: Store, outcome: Outcome) -> None:
    running = abc(store)
    store.end(running["a"], outcome)
    for id in "bc":
        store.end(running[id])
    settled(store)
    assert states(store, "z") == "b"
    store.advance(2 * SECOND)
    settled(store)
    store.end(_claimed(store, "a"))
    assert states(store, "z") == "p"


def test_a_rescue_that_puts_a_member_back_is_no_ending(store: Store) -> None:
    """B35: a member whose worker died is run again, and counts once."""
    running = abc(store)
    store.end(running["c"])
    store.advance(TTL + SECOND)
    assert {rescued.state for rescued in store.rescue()} == {State.PENDING}
    settled(store)
    assert states(store, "abz") == "ppb"
    # one suspect at a time
    again = {job.id: job for worker in (store.a_worker(), store.a_worker()) for job in worker.take(9)}
    # what the dead worker says later is refused
    store.end(running["a"])
    store.end(running["b"])
    settled(store)
    assert states(store, "z") == "b"
    for job in again.values():
        store.end(job)
    while states(store, "ab") != "cc":
        assert states(store, "z") == "b"
        store.end(store.a_worker().take(9)[0])
    assert states(store, "z") == "p"


def test_an_ending_that_is_repeated_counts_once(store: Store) -> None:
    running = abc(store)
    for _ in range(3):
        store.end(running["a"])
    settled(store)
    assert states(store, "z") == "b"


def test_the_callback_comes_back_when_what_failed_is_retried(store: Store) -> None:
    """B35: retried by hand after the group had failed."""
    running = abc(store)
    store.end(running["a"])
    store.end(running["b"], FAILED)
    store.end(running["c"], FAILED)
    settled(store)
    assert states(store, "z") == "c"
    retry(store, "b")
    assert states(store, "z") == "b"
    store.end(_claimed(store, "b"))
    settled(store)
    assert states(store, "z") == "c"
    retry(store, "c")
    settled(store)
    assert states(store, "z") == "b"
    store.end(_claimed(store, "c"))
    settled(store)
    assert states(store, "abcz") == "cccp"


def test_the_callback_waits_when_it_chose_to(store: Store) -> None:
    running = abc(store, "wait")
    store.end(running["a"], FAILED)
    store.end(running["b"])
    store.end(running["c"], FAILED)
    settled(store)
    assert states(store, "z") == "b"
    retry(store, "a", "c")
    store.end(_claimed(store, "a"))
    settled(store)
    assert states(store, "z") == "b"
    store.end(_claimed(store, "c"))
    settled(store)
    assert states(store, "abcz") == "cccp"


def test_a_member_that_is_retried_while_the_group_is_open_is_waited_for(store: Store) -> None:
    """B35: also when it had been passed by."""
    running = abc(store, "run")
    store.end(running["a"], FAILED)
    settled(store)
    retry(store, "a")
    store.end(running["b"])
    store.end(running["c"])
    settled(store)
    assert states(store, "z") == "b"
    store.end(_claimed(store, "a"))
    settled(store)
    assert states(store, "abcz") == "cccp"


def test_a_callback_that_has_run_does_not_run_again(store: Store) -> None:
    """B35: exactly once."""
    running = abc(store, "run")
    store.end(running["a"], FAILED)
    store.end(running["b"])
    store.end(running["c"])
    store.end(_claimed(store, "z"))
    retry(store, "a")
    store.end(_claimed(store, "a"))
    settled(store)
    assert states(store, "az") == "cc"
    assert store.job("z").attempt == 1


def test_members_that_have_ended_already_count_at_once(store: Store) -> None:
    """A member that is not stored because of its unique key is the job that holds it."""
    [held] = store.enqueue(new_job("held", key="k"), naming=Uniqueness(until="window", window=HOUR))
    store.end(_claimed(store, held.id))
    stored = grouped(store, new_job("a", key="k"))
    assert (stored[0].id, stored[0].is_duplicate) == ("held", True)
    settled(store)
    assert states(store, "z") == "p"


def test_equal_members_of_one_call_are_one_job(store: Store) -> None:
    """B35, B29: those that are stored with the callback, those that are added, and what waits for one of them."""
    grouped(store, new_job("a", key="k"), new_job("b", key="k"), new_job("c"))
    added(store, new_job("d", key="l"), new_job("e", key="l"))
    ties = [structs.replace(tie, parent_key="m") for tie in new_edges("w", ["f", "g"])]
    given = [new_job("f", key="m"), new_job("g", key="m"), after(new_job("w"))]
    store.run(enqueue(given, {0: Uniqueness(), 1: Uniqueness()}, ties))
    assert [member.id for member in store.run(members(store.job("z").seq))] == ["a", "a", "c", "d", "d"]
    assert [parent.id for parent in store.run(parents(store.job("w").seq))] == ["f", "f"]
    for job in store.a_worker().take(9):
        assert states(store, "z" if job.id in "acd" else "w") == "b"
        store.end(job)
        settled(store)
    assert states(store, "zw") == "pp"


def test_one_job_may_be_a_member_of_two_groups(store: Store) -> None:
    grouped(store, new_job("a", key="k"), new_job("b"))
    grouped(store, new_job("c", key="k"), new_job("d"), callback=new_job("y"))
    running = {job.id: job for job in store.a_worker().take(9)}
    assert sorted(running) == ["a", "b", "d"]
    assert [group.callback for group in store.run(groups_of(store.job("a").seq))] == ["z", "y"]
    for id in "bd":
        store.end(running[id])
    settled(store)
    assert states(store, "zy") == "bb"
    store.end(running["a"])
    settled(store)
    assert states(store, "zy") == "pp"


def test_a_callback_may_wait_for_other_jobs_besides(store: Store) -> None:
    store.enqueue(new_job("x"))
    grouped(store, new_job("a"), new_job("b"), also=["x"])
    running = {job.id: job for job in store.a_worker().take(9)}
    for id in "ab":
        store.end(running[id])
    settled(store)
    assert states(store, "z") == "b"
    store.end(running["x"])
    settled(store)
    assert states(store, "z") == "p"


def test_members_are_added_while_one_runs(store: Store) -> None:
    """B35: group.add() from inside a member."""
    running = abc(store)
    for id in "bc":
        store.end(running[id])
    assert [job.state for job in added(store, new_job("d"), new_job("e"))] == [State.PENDING] * 2
    # a repeat after no reply adds nothing
    added(store, new_job("d"), new_job("e"))
    store.end(running["a"])
    settled(store)
    assert states(store, "z") == "b"
    seq = store.job("z").seq
    assert [member.id for member in store.run(members(seq))] == list("abcde")
    more = {job.id: job for job in store.a_worker().take(9)}
    for id in "ed":
        store.end(more[id])
    settled(store)
    assert states(store, "z") == "p"


def test_nothing_is_added_to_a_group_that_waits_no_more(store: Store) -> None:
    """B35: nor is anything stored."""
    running = abc(store)
    for id in "abc":
        store.end(running[id])
    with pytest.raises(ConfigError, match="does not wait for members any more"):
        added(store, new_job("d"))
    with pytest.raises(ConfigError, match="does not wait for members any more"):
        added(store, new_job("d"), callback="a")
    assert not store.exists("d")


def test_a_call_that_is_repeated_makes_no_second_group(store: Store) -> None:
    named = {2: Uniqueness(has_own_id=True)}
    given = [new_job("a"), new_job("b"), after(new_job("z"))]
    rows = [NewMember("z", 0, "a", None), NewMember("z", 1, "b", None)]
    for _ in range(2):
        store.run(enqueue(given, named, groups=[NewGroup("z", "cancel")], members=rows))
    assert len(store.run(members(store.job("z").seq))) == 2
    worker = store.a_worker()
    worker.cycle(endings=[ending(job) for job in worker.take(9)])
    assert states(store, "z") == "p"


def test_relatives_and_counts_of_a_group(store: Store) -> None:
    running = abc(store)
    store.end(running["a"])
    settled(store)
    seq = store.job("z").seq
    assert [(parent.id, parent.is_open) for parent in store.run(parents(seq))] == [
        ("a", False),
        ("b", True),
        ("c", True),
    ]
    page = store.run(members(seq, limit=2))
    assert [member.place for member in page] == [MEMBERS_FROM, MEMBERS_FROM + 1]
    assert [member.id for member in store.run(members(seq, after=page[-1].place))] == ["c"]
    for id in "abc":
        [child] = store.run(children(store.job(id).seq))
        assert (child.id, child.is_open) == ("z", True)
    assert store.run(children(seq)) == []
    assert store.run(group_counts(seq)) == {State.COMPLETED: 1, State.RUNNING: 2}
    [group] = store.run(groups_of(store.job("c").seq))
    assert (group.callback, group.task, group.size) == ("z", "greet", 3)
    assert store.run(groups_of(seq)) == []


def test_why_says_how_many_members_are_waited_for(store: Store) -> None:
    running = abc(store)
    store.end(running["a"])
    assert store.run(why(store.job("z"))) == "it waits for 2 of 3 members of its group: b (running), c (running)"
    store.end(running["b"], FAILED)
    grouped(store, new_job("d"), callback=new_job("y"), policy="wait")
    store.end(_claimed(store, "d"), FAILED)
    settled(store)
    assert store.run(why(store.job("y"))) == (
        "it waits for 1 of 1 member of its group: d (failed); what did not complete has to be retried"
    )


def test_retention_spares_members_while_the_callback_has_not_ended(store: Store) -> None:
    running = abc(store)
    for id in "abc":
        store.end(running[id])
    line = prune.FinishedLine("default", State.COMPLETED)
    seqs = [store.job(id).seq for id in "abc"]
    store.run(prune.prune_oldest(line, age=-HOUR, beyond=None))
    found = store.run(prune.prunable(line, age=-HOUR, beyond=None, flows=True))
    store.run(prune.prune(line, found))
    assert states(store, "abc") == "ccc"
    assert store.run(EndedFlows().among(seqs)) == set()
    store.end(_claimed(store, "z"))
    assert store.run(EndedFlows().among(seqs)) == set(seqs)
    store.run(prune.prune(line, store.run(prune.prunable(line, age=-HOUR, beyond=None, flows=True))))
    assert store.count() == 0


def test_a_group_is_read_as_a_graph(store: Store) -> None:
    running = abc(store)
    store.end(running["a"])
    settled(store)
    seq = {id: store.job(id).seq for id in "abcz"}
    assert {job.seq for job in store.run(walk([seq["b"]]))} == set(seq.values())
    assert {job.seq for job in store.run(walk([seq["b"]], down=True))} == {seq["b"], seq["z"]}
    _, links = store.run(graph(list(seq.values()), most=9))
    assert sorted((link.parent, link.child, link.is_open) for link in links) == [
        (seq["a"], seq["z"], False),
        (seq["b"], seq["z"], True),
        (seq["c"], seq["z"], True),
    ]
    assert store.run(cancel_downstream(seq["c"], by="me", at_once=1)) == 2


def test_a_callback_that_is_deleted_takes_its_group_along(store: Store) -> None:
    running = abc(store)
    store.run(jobs.delete([(store.job("z").seq, "z")]))
    assert store.run(groups_of(running["a"].seq)) == []
    for id in "abc":
        store.end(running[id])
    settled(store)
    assert states(store, "abc") == "ccc"
