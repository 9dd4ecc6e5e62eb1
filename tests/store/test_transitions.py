"""The table of legal moves, tried in full: what it does not hold changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest
from msgspec.structs import astuple

from tests.store.builders import CANCELLED, DAY, HOUR, INTERRUPTED, MINUTE, RETURNED, TTL, fresh, raised
from tests.store.every_state import a_job_in
from tests.store.stores import Store
from windlass.core.ending import Ending
from windlass.core.outcome import FailedPermanently, Outcome, Postponed
from windlass.core.records import JobRecord
from windlass.core.state import FINISHED, TRANSITIONS, State, Verb, is_legal
from windlass.store.driver import DataRejected
from windlass.store.operation import Call, Operation
from windlass.store.operations import cycle, jobs, manual_claim
from windlass.store.operations.cycle import StartMark
from windlass.store.operations.diagnostics import by_hand
from windlass.store.operations.manual_claim import extend
from windlass.store.operations.queries import EventRecord

ASKED_FOR = [verb for verb in Verb if verb not in (Verb.BLOCK, Verb.UNBLOCK)]
"""Not those that claims and endings do beside what they are asked for."""
ILLEGAL = [(verb, state) for verb in ASKED_FOR for state in State if state not in TRANSITIONS[verb]]
LEGAL = [
    (verb, state)
    for verb in ASKED_FOR
    for state in sorted(TRANSITIONS[verb])
    # Blocked jobs are retried only if they wait for other jobs: see test_edges.
    if verb is not Verb.FINISH and (verb, state) != (Verb.RETRY, State.BLOCKED)
]


def everything(store: Store, job: JobRecord) -> tuple[JobRecord, list[EventRecord]]:
    """All that is known of a job, but for events that tell of refused writes."""
    return store.job(job.id), [event for event in store.events(job.seq) if event.kind != "refused"]


# Each of these does all that a caller could try under this verb.


def promote(store: Store, job: JobRecord) -> None:
    store.advance(DAY)
    store.run(jobs.promote())


def claim(store: Store, job: JobRecord) -> None:
    assert store.a_worker().take(queue=job.queue) == []
    assert store.run(manual_claim.claim(9, queues=[job.queue], worker="me", token=fresh("t"), ttl=TTL)) == []


def finish(store: Store, job: JobRecord) -> None:
    """Every ending that could be sent, under the job's own fence and its neighbours."""
    for state in State:
        for fence in (job.fence - 1, job.fence, job.fence + 1):
            ending = Ending(job.seq, fence, state, "reason", 1, 1, 1, 5, 5, '"result"', "{}", job.unique_key)
            with suppress(DataRejected):
                store.run(cycle.finish([ending], worker="zombie"))


def release(store: Store, job: JobRecord) -> None:
    for fence in (job.fence - 1, job.fence, job.fence + 1):
        store.run(cycle.finish([Ending(job.seq, fence, State.PENDING)], worker="zombie"))


def rescue(store: Store, job: JobRecord) -> None:
    """A rescue, and the bare call of a rescuer that looked long ago."""
    store.advance(DAY)
    store.rescue()
    store.run(late_rescue(job))


def late_rescue(job: JobRecord) -> Operation[None]:
    for fence in (job.fence - 1, job.fence, job.fence + 1):
        ending = Ending(job.seq, fence, State.FAILED, "crashed", 1, 1, 1)
        yield Call(
            "rescue",
            {
                "leases": [job.lease or "gone"],
                "culprits": [],
                "endings": [(*astuple(ending), 1)],
                "keys": [],
                "gates": [],
                "by": "late",
            },
        )


def cancel(store: Store, job: JobRecord) -> None:
    assert store.run(jobs.cancel([job.seq], by="me")) == {}


def fail(store: Store, job: JobRecord) -> None:
    """As any state in which it may have been seen, under its own fence and its neighbours."""
    for state in (*State, "gone"):
        for fence in (job.fence - 1, job.fence, job.fence + 1):
            ending = Ending(job.seq, fence, State.FAILED, "by_hand", errors="{}")
            params = {"seqs": [job.seq], "endings": [(*astuple(ending), state)], "by": "me", "reason": "enough"}
            store.run(bare("fail", params))


def bare(name: str, params: dict[str, object]) -> Operation[None]:
    yield Call(name, params)


def retry(store: Store, job: JobRecord) -> None:
    assert store.run(jobs.retry([job.seq], by="me", queue="other")).seqs == []


def reschedule(store: Store, job: JobRecord) -> None:
    assert not store.run(jobs.reschedule(job.seq, delay=HOUR))
    assert not store.run(jobs.reschedule(job.seq, at=0))


def expire(store: Store, job: JobRecord) -> None:
    """It should have started by now."""
    store.advance(2 * MINUTE)
    store.run(jobs.promote())


def delete(store: Store, job: JobRecord) -> None:
    assert store.run(jobs.delete([(job.seq, job.id)])) == []


TRIES: dict[Verb, Callable[[Store, JobRecord], None]] = {
    Verb.PROMOTE: promote,
    Verb.CLAIM: claim,
    Verb.FINISH: finish,
    Verb.RELEASE: release,
    Verb.RESCUE: rescue,
    Verb.CANCEL: cancel,
    Verb.FAIL: fail,
    Verb.RETRY: retry,
    Verb.RESCHEDULE: reschedule,
    Verb.EXPIRE: expire,
    Verb.DELETE: delete,
}


@pytest.mark.parametrize(("verb", "state"), ILLEGAL)
def test_a_move_that_is_not_in_the_table_changes_nothing(store: Store, verb: Verb, state: State) -> None:
    """D1, E6: illegal moves change nothing: neither the job nor what is told of it."""
    job = a_job_in(store, state, expires=MINUTE if verb is Verb.EXPIRE else None)
    before = everything(store, job)
    TRIES[verb](store, job)
    assert everything(store, job) == before


@pytest.mark.parametrize("state", sorted(set(State) - {State.RUNNING}))
def test_marks_progress_and_extension_of_a_job_that_does_not_run_change_nothing(store: Store, state: State) -> None:
    """A7: every write by a worker must show the fence of a run that goes on."""
    job = a_job_in(store, state)
    before = everything(store, job)
    for fence in (job.fence - 1, job.fence, job.fence + 1):
        assert not store.run(jobs.progress(job.seq, fence, '"x"', worker="zombie"))
        assert not store.run(extend(job.seq, fence, ttl=DAY, worker="zombie"))
        assert not store.a_worker().cycle(marks=[StartMark(job.seq, fence, 0)]).marked
    assert everything(store, job) == before


@pytest.mark.parametrize("state", sorted(set(State) - {State.RUNNING}))
def test_only_writes_under_another_fence_are_told_as_refused(store: Store, state: State) -> None:
    """A7: the same fence again is a repetition, which is no news."""
    job = a_job_in(store, state)
    store.run(cycle.finish([Ending(job.seq, job.fence, State.COMPLETED, charge=1)], worker="w"))
    assert "refused" not in store.kinds(job.seq)
    store.run(cycle.finish([Ending(job.seq, job.fence + 1, State.COMPLETED, charge=1)], worker="w"))
    assert store.kinds(job.seq)[-1] == "refused"


@pytest.mark.parametrize("target", sorted(set(State) - TRANSITIONS[Verb.FINISH][State.RUNNING]))
def test_a_running_job_has_no_ending_that_the_table_does_not_know(store: Store, target: State) -> None:
    job = a_job_in(store, State.RUNNING)
    before = everything(store, job)
    with pytest.raises(DataRejected):
        store.run(cycle.finish([Ending(job.seq, job.fence, target)], worker="w"))
    assert everything(store, job) == before


# What the table holds happens.


def do_claim(store: Store, job: JobRecord) -> None:
    store.a_worker().take(queue=job.queue)


def do_promote(store: Store, job: JobRecord) -> None:
    store.advance(DAY)
    store.run(jobs.promote())


def do_release(store: Store, job: JobRecord) -> None:
    store.run(cycle.finish([Ending(job.seq, job.fence, State.PENDING)], worker="w"))


def do_rescue(store: Store, job: JobRecord) -> None:
    store.advance(DAY)
    store.rescue()


def do_cancel(store: Store, job: JobRecord) -> None:
    store.run(jobs.cancel([job.seq], by="me"))


def do_fail(store: Store, job: JobRecord) -> None:
    store.run(by_hand.fail(job, by="me", text="enough", now=store.clock()))


def do_retry(store: Store, job: JobRecord) -> None:
    store.run(jobs.retry([job.seq], by="me"))


def do_reschedule(store: Store, job: JobRecord) -> None:
    store.run(jobs.reschedule(job.seq, delay=2 * DAY))


def do_delete(store: Store, job: JobRecord) -> None:
    store.run(jobs.delete([(job.seq, job.id)]))


DEEDS: dict[Verb, Callable[[Store, JobRecord], None]] = {
    Verb.PROMOTE: do_promote,
    Verb.CLAIM: do_claim,
    Verb.RELEASE: do_release,
    Verb.RESCUE: do_rescue,
    Verb.CANCEL: do_cancel,
    Verb.FAIL: do_fail,
    Verb.RETRY: do_retry,
    Verb.RESCHEDULE: do_reschedule,
    Verb.EXPIRE: do_promote,
    Verb.DELETE: do_delete,
}


@pytest.mark.parametrize(("verb", "state"), LEGAL)
def test_a_move_that_is_in_the_table_is_made(store: Store, verb: Verb, state: State) -> None:
    job = a_job_in(store, state, expires=MINUTE if verb is Verb.EXPIRE else None)
    DEEDS[verb](store, job)
    if verb is Verb.DELETE:
        assert not store.exists(job.id)
        return
    after = store.job(job.id)
    assert after != job
    assert is_legal(verb, state, after.state)


OUTCOMES: dict[State, Outcome] = {
    State.COMPLETED: RETURNED,
    State.FAILED: FailedPermanently(raised().fault, "permanent"),
    State.CANCELLED: CANCELLED,
    State.RETRYING: raised(),
    State.SCHEDULED: Postponed(5),
    State.PENDING: INTERRUPTED,
}


@pytest.mark.parametrize("target", sorted(TRANSITIONS[Verb.FINISH][State.RUNNING]))
def test_every_ending_of_the_table_is_made(store: Store, target: State) -> None:
    job = store.finished(OUTCOMES[target])
    assert (job.state, job.finished_at is not None) == (target, target in FINISHED)


def test_the_tries_cover_every_verb_and_the_states_every_row() -> None:
    assert set(TRIES) == set(ASKED_FOR) == {*DEEDS, Verb.FINISH}
    assert {state for _, state in ILLEGAL} == set(State)
    assert set(OUTCOMES) == TRANSITIONS[Verb.FINISH][State.RUNNING]
