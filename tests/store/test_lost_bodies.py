"""Jobs whose bodies are gone, by eviction or by a careless hand: noticed once, and nothing points at them any more.

SQLite keeps a job in one row. With the row everything is gone, and nothing is there that somebody could meet; only who
ends a run finds out.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

import msgspec
import pytest

from tests.places.place import SqlitePlace
from tests.places.raw_store import RawStore
from tests.store.builders import DAY, HOUR, OWN_ID, RETURNED, ending, fresh, ids, mark, new_job, raised
from tests.store.redis.keyspace import Keyspace
from tests.store.stores import Store
from windlass import Retention, StoreUnavailable
from windlass.admin.cleanup.cleanup import clean
from windlass.core.records import Claimed
from windlass.core.state import State
from windlass.store.operation import Answer, Call, drive
from windlass.store.operations import jobs, queries, transfer
from windlass.store.operations.cycle import Claimant, cycle
from windlass.store.operations.diagnostics.failures import dead_groups
from windlass.store.operations.manual_claim import claim

LONG = '{"v":1,"args":["' + 100 * "x" + '"],"kwargs":{}}'
"""Redis keeps it beside the body."""


def lose(store: Store, *lost: str) -> None:
    """Delete bodies behind the store's back."""
    for id in lost:
        if isinstance(store.place, SqlitePlace):
            # With the library that the store uses: two of them in one process would harm the file.
            store.place.execute("DELETE FROM windlass_job WHERE id = ?", (id,))
        else:
            RawStore(store.place).remove(id)


def losses(store: Store) -> list[tuple[int, str | None, str, str | None]]:
    """What was noticed, the oldest first: seq, queue, state, and who met it."""
    noticed = [event for event in store.run(queries.notices()) if event.kind == "lost"][::-1]
    details = [msgspec.json.decode(event.detail or "") for event in noticed]
    return [
        (detail["seq"], detail["queue"], detail["was"], event.worker)
        for event, detail in zip(noticed, details, strict=True)
    ]


def leaves_traces(store: Store) -> bool:
    """Whether something is left to be met when the body of a job that does not run is gone."""
    return not isinstance(store.place, SqlitePlace)


def tidied(store: Store) -> None:
    """Let the leader clean, and nothing of the lost ones is left: no id, place, counter, text or lease."""
    store.run(clean(Retention(), None, by="leader", monotonic=lambda: 0.0))
    if leaves_traces(store):
        if store.place.url.startswith("postgresql:"):
            RawStore(store.place).check()
        else:
            Keyspace(store.place.url, store.place.namespace).check()


def counts(store: Store) -> dict[str, dict[State, int]]:
    return store.run(queries.counts())


def test_a_pending_job_without_a_body_is_noticed_by_who_takes_it(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    """P5: once, by name; the others of the batch are taken."""
    before, gone, also, after = (store.a_job(new_job(queue="mail", payload=LONG)) for _ in range(4))
    lose(store, gone.id, also.id)
    worker = store.a_worker("finder")
    assert ids(worker.take(queue="mail")) == [before.id, after.id]
    assert counts(store) == {"mail": {State.RUNNING: 2}}
    expected = [(job.seq, "mail", "pending", "finder") for job in (gone, also)] if leaves_traces(store) else []
    assert losses(store) == expected
    told = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert len(told) == (1 if expected else 0), "once for the batch"
    worker.take(queue="mail")
    assert losses(store) == expected
    tidied(store)


def test_a_manual_claim_passes_lost_jobs_by(store: Store) -> None:
    """P5."""
    gone, sound = store.a_job(), store.a_job()
    lose(store, gone.id)
    [taken] = store.run(claim(2, queues=["default"], worker="me", token=fresh("token"), ttl=HOUR))
    assert taken.id == sound.id
    assert losses(store) == ([(gone.seq, "default", "pending", "me")] if leaves_traces(store) else [])
    assert not store.end(taken)
    tidied(store)


@pytest.mark.parametrize("by_hand", [False, True])
def test_nothing_but_lost_jobs_does_not_pass_for_an_empty_queue(store: Store, by_hand: bool) -> None:
    """P5: who asks for one gets the next that is there, however many are lost before it."""
    gone, sound = [store.a_job() for _ in range(5)], store.a_job()
    lose(store, *(job.id for job in gone))
    worker = store.a_worker()
    ended = store.claimed(new_job(queue="other"), by=worker)
    if by_hand:
        taken = store.run(claim(1, queues=["default"], worker="me", token=fresh("token"), ttl=HOUR))
    else:
        taken = worker.cycle(endings=[ending(ended)], requests=[("default", 1)]).claimed
        assert store.job(ended.id).attempt == 1, "what is handed in is handed in once"
    assert ids(taken) == [sound.id]
    assert [seq for seq, *_ in losses(store)] == ([job.seq for job in gone] if leaves_traces(store) else [])


def test_word_that_cannot_be_left_undoes_nothing(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    """P5: the store goes away between the claim and the notice; the log has it all the same."""
    gone, sound = store.a_job(), store.a_job()
    lose(store, gone.id)
    worker = store.a_worker()

    def execute(call: Call) -> Answer:
        if call.name == "remove_vanished":
            raise StoreUnavailable("away")
        return store.driver.execute(call)

    claimant = Claimant(worker.name, worker.lease, "token")
    assert ids(drive(cycle(claimant, requests=[("default", 2)]), execute).claimed) == [sound.id]
    told = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert ["1 pending in queue default" in line for line in told] == ([True] if leaves_traces(store) else [])
    # The next loss makes up for it.
    lose(store, store.a_job(new_job(payload=LONG)).id)
    assert worker.take() == []
    tidied(store)


def test_a_job_that_was_retried_by_hand_is_no_different(store: Store) -> None:
    """P5: its events go too."""
    gone = store.finished(raised(), new_job(attempts=1))
    store.run(jobs.retry([gone.seq], by="me"))
    lose(store, gone.id)
    assert store.a_worker("finder").take() == []
    assert losses(store) == ([(gone.seq, "default", "pending", "finder")] if leaves_traces(store) else [])
    assert store.events(gone.seq) == [] or not leaves_traces(store)
    tidied(store)


@pytest.mark.parametrize("state", [State.SCHEDULED, State.RETRYING])
def test_a_job_without_a_body_is_noticed_when_it_is_due(store: Store, state: State) -> None:
    """P5: the others become pending; one that is due later is found on the way, or later."""
    sound = store.a_job(new_job(delay=HOUR, queue="sound"))
    if state is State.SCHEDULED:
        gone = store.a_job(new_job(delay=HOUR, queue="mail"))
    else:
        gone = store.finished(raised(), new_job(queue="mail"))
    lose(store, gone.id)
    store.advance(HOUR)
    assert store.run(jobs.promote(by="finder")) == 1
    assert losses(store) == ([(gone.seq, "mail", str(state), "finder")] if leaves_traces(store) else [])
    assert counts(store) == {"sound": {State.PENDING: 1}}
    assert store.run(queries.next_due()).next_due is None
    assert store.job(sound.id).state is State.PENDING
    tidied(store)


def test_due_jobs_of_several_queues_are_counted_right_after_a_loss(store: Store) -> None:
    """P5: also where nothing tells any more which of them was in which queue."""
    gone = [store.a_job(new_job(delay=delay, queue=queue)) for delay in (1, HOUR) for queue in ("a", "b")]
    kept = [store.a_job(new_job(delay=HOUR, queue=queue)) for queue in ("a", "b", "b")]
    lose(store, *(job.id for job in gone))
    store.advance(1)
    store.run(jobs.promote())
    store.advance(HOUR)
    assert store.run(jobs.promote()) == len(kept)
    assert counts(store) == {"a": {State.PENDING: 1}, "b": {State.PENDING: 2}}
    assert {seq for seq, *_ in losses(store)} == ({job.seq for job in gone} if leaves_traces(store) else set())
    tidied(store)


Step = Callable[[Store, Claimed], None]


def just_claimed(store: Store, job: Claimed) -> None:
    """Nothing has been written since."""


def marked(store: Store, job: Claimed) -> None:
    store.run(cycle(Claimant("finder", "", ""), marks=[mark(job)]))


def cancelled(store: Store, job: Claimed) -> None:
    marked(store, job)
    store.run(jobs.cancel([job.seq], by="me"))


@pytest.mark.parametrize("step", [just_claimed, marked, cancelled])
@pytest.mark.parametrize("outcome", [RETURNED, raised()], ids=["returns", "raises"])
@pytest.mark.parametrize("attempt", [1, 2])
def test_a_run_whose_body_is_gone_is_noticed(store: Store, step: Step, outcome: object, attempt: int) -> None:
    """P5: at its end, or, on PostgreSQL and after a short run, when its time to be kept is over."""
    worker = store.a_worker("finder", ttl=DAY, queues=("mail",))
    new = new_job(queue="mail", payload=LONG, key="k")
    job = store.claimed(new, by=worker)
    if attempt == 2:
        worker.end(job, raised())
        store.advance(HOUR)
        store.run(jobs.promote())
        [job] = worker.take(queue="mail")
    step(store, job)
    lose(store, new.id)
    other = store.claimed(new_job(queue="mail"), by=worker)
    refused = worker.cycle(endings=[ending(job, outcome), ending(other)]).refused  # type: ignore[arg-type]
    assert other.seq not in refused
    assert counts(store)["mail"].get(State.RUNNING) is None
    queue = "mail" if leaves_traces(store) else None
    expected = [(job.seq, queue, "running", "finder")]
    if store.place.url.startswith("postgresql:") and step is just_claimed and outcome is RETURNED:
        # The ending of a short run does not look at its job.
        store.advance(31 * DAY)
        expected = [(job.seq, "mail", "completed", "leader")]
    tidied(store)
    assert losses(store) == expected
    assert not store.exists(new.id)
    assert [stored.is_duplicate for stored in store.enqueue(new)] == [False], "neither the id nor the key is taken"


def test_a_manual_claim_whose_body_is_gone_is_noticed_when_it_ends(store: Store) -> None:
    """P5: and nothing of its lease is left."""
    job = store.manually_claimed()
    lose(store, job.id)
    assert store.end(job, worker="me") == {job.seq}
    queue = "default" if leaves_traces(store) else None
    assert losses(store) == [(job.seq, queue, "running", "me")]
    assert counts(store) == {}
    tidied(store)


def test_a_mark_of_a_lost_run_harms_nobody(store: Store) -> None:
    """P5."""
    worker = store.a_worker("finder")
    gone, sound = store.claimed(by=worker), store.claimed(by=worker)
    lose(store, gone.id)
    cycled = worker.cycle(marks=[mark(gone), mark(sound)])
    assert sound.seq in cycled.marked
    if gone.seq in cycled.marked:
        worker.end(gone)
    assert counts(store) == {"default": {State.RUNNING: 1}}
    assert len(losses(store)) == (1 if leaves_traces(store) else 0)
    tidied(store)


@pytest.mark.parametrize("by_hand", [False, True])
@pytest.mark.parametrize("attempt", [1, 2])
def test_rescue_notices_lost_runs(store: Store, by_hand: bool, attempt: int) -> None:
    """P5: a later run too; nothing is rescued, and nobody looks for it again."""
    gone, sound = (store.manually_claimed() if by_hand else store.claimed() for _ in range(2))
    if attempt == 2:
        store.advance(HOUR)
        assert len(store.rescue()) == 2
        [*_] = store.run(claim(2, queues=["default"], worker="me", token=fresh("token"), ttl=1))
    lose(store, gone.id)
    store.advance(HOUR)
    assert [rescued.id for rescued in store.rescue()] == [sound.id]
    assert losses(store) == ([(gone.seq, "default", "running", "rescuer")] if leaves_traces(store) else [])
    assert counts(store) == {"default": {State.PENDING: 1}}
    assert store.run(queries.next_due()).next_expiry is None
    tidied(store)


@pytest.mark.parametrize("outcome", [RETURNED, raised()], ids=["completed", "failed"])
def test_a_finished_job_without_a_body_is_noticed_when_its_time_is_over(store: Store, outcome: object) -> None:
    """P5: they keep no other from being cleaned, and views show the others."""
    gone = [store.finished(outcome, new_job(attempts=1)) for _ in range(3)]  # type: ignore[arg-type]
    sound = store.finished(outcome, new_job(attempts=1))  # type: ignore[arg-type]
    lose(store, *(job.id for job in gone))
    groups = store.run(dead_groups()).groups
    assert [group.count for group in groups] == ([1] if sound.state is State.FAILED else [])
    assert [stop.id for stop in store.run(transfer.scan(after=0, queue=None)).stops] == [sound.id]
    store.advance(31 * DAY)
    tidied(store)
    was = str(sound.state)
    expected = [(job.seq, "default", was, "leader") for job in gone] if leaves_traces(store) else []
    assert losses(store) == expected
    assert not store.exists(sound.id)
    assert counts(store) == {}
    tidied(store)
    assert losses(store) == expected, "once"


def test_an_id_whose_body_is_gone_is_free(store: Store) -> None:
    """P5: nobody finds it, waits for it or is kept from using it or its key again, also before anybody has met it."""
    new = new_job("own", key="k")
    store.a_job(new, naming=OWN_ID)
    lose(store, "own")
    assert not store.exists("own")
    assert [settled.state for settled in store.run(queries.awaited(["own"]))] == [None]
    [stored] = store.enqueue(new_job("own", task="other", key="k"), naming=OWN_ID)
    assert (stored.id, stored.is_duplicate) == ("own", False)
    assert [job.task for job in store.a_worker().take()] == ["other"]
    tidied(store)


def test_a_job_that_was_deleted_while_a_zombie_ran_it_is_not_lost(store: Store) -> None:
    """Its worker lost it to another, which ended it; then it was deleted as it should be."""
    worker = store.a_worker("zombie")
    job = store.claimed(by=worker)
    store.advance(HOUR)
    store.rescue()
    other = store.a_worker("other")
    [again] = other.take()
    other.end(again)
    store.run(jobs.delete([(job.seq, job.id)]))
    assert worker.end(job) == {job.seq}
    assert losses(store) == []
