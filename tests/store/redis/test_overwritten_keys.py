"""Another program that writes to keys of ours (R7): it is told of, and harms no queue and no job but those it met."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest
import redis

from tests.store.builders import DAY, INTERRUPTED, MINUTE, TTL, ids, new_job
from tests.store.cleaning import prunable, tidy
from tests.store.redis.keyspace import Keyspace, documented
from tests.store.stores import Store, Worker
from windlass.core.figures.row import Row
from windlass.core.rates.rate import Rate
from windlass.core.state import State
from windlass.errors import OutcomeUnknown, StoreUnavailable
from windlass.store.operation import Call
from windlass.store.operations import jobs, leases, queries
from windlass.store.operations.access import tokens
from windlass.store.operations.access.audit import record_change
from windlass.store.operations.alerts.alerts import AlertFilter, alerts, open_counts, situation
from windlass.store.operations.alerts.deliveries import deliveries, deliveries_due
from windlass.store.operations.alerts.rules import rules as alert_rules
from windlass.store.operations.diagnostics.mutes import mutes
from windlass.store.operations.figures.roll_up import roll_up_once
from windlass.store.operations.figures.rows import append_row, unmerged
from windlass.store.operations.limits.concurrency import declare, unblock_all
from windlass.store.operations.rates.cooldowns import cooldowns
from windlass.store.operations.rates.limits import limits
from windlass.store.operations.rates.tasks import declare_rates
from windlass.store.operations.schedules.changes import schedules
from windlass.store.operations.schedules.fire import due
from windlass.store.operations.schedules.versions import versions
from windlass.store.operations.steps.sent_events import deliver_events
from windlass.store.operations.upkeep import prune
from windlass.store.operations.upkeep.prune import FinishedLine, prune_oldest


def _prune(store: Store) -> None:
    store.finished(new=new_job(queue="kept"))
    store.run(prune.prunable(FinishedLine("kept", State.COMPLETED), age=-1, beyond=None))


CALLS: Mapping[str, Callable[[Store], object]] = {
    "epoch": lambda store: store.enqueue(new_job()),
    "seq": lambda store: store.enqueue(new_job()),
    "ids": lambda store: store.enqueue(new_job()),
    "queues": lambda store: store.run(queries.depth()),
    "counts": lambda store: store.run(queries.counts()),
    "due": lambda store: store.run(jobs.promote()),
    "events": lambda store: store.run(tidy()),
    "notices": lambda store: store.run(queries.notices()),
    "workers": lambda store: store.run(leases.workers()),
    "lease_until": lambda store: store.rescue(),
    "lease_from": lambda store: store.rescue(),
    "lease_lost": lambda store: store.run(tidy()),
    "configured": lambda store: store.a_worker().control(),
    "waiting": lambda store: store.run(queries.waiting()),
    "astray": lambda store: store.run(tidy()),
    "schedules": lambda store: store.run(schedules()),
    "schedules_due": lambda store: store.run(due()),
    "expiring": lambda store: store.run(jobs.promote()),
    "limits": lambda store: store.run(limits()),
    "cooldowns": lambda store: store.run(cooldowns()),
    "code_versions": lambda store: store.run(versions()),
    "gates": lambda store: store.run(unblock_all()),
    "opening": lambda store: store.run(jobs.promote()),
    "rated": lambda store: store.run(tidy()),
    "sent": lambda store: store.run(tidy()),
    "sent_new": lambda store: store.run(deliver_events()),
    "wakes": lambda store: store.run(deliver_events()),
    "caches": lambda store: store.run(tidy()),
    "key_limits": lambda store: store.run(declare({"greet": 2})),
    "task_rates": lambda store: store.run(declare_rates({"greet": Rate(1, 1000, 1)})),
    "awaited": lambda store: store.driver.execute(Call("unblock", {"gates": [("parents",)]})),
    "edges": _prune,
    "unsettled": lambda store: store.run(jobs.promote()),
    "tokens": lambda store: store.run(tokens.tokens()),
    "audit": lambda store: store.run(record_change(who="ada", via="cli", action="jobs retry", target="a", count=1)),
    "figure_rows": lambda store: store.run(unmerged()),
    "figure_sources": lambda store: store.run(append_row(Row("w", []), worker="w", number=1)),
    "figure_state": lambda store: store.run(roll_up_once()),
    "alert_rules": lambda store: store.run(alert_rules()),
    "alerts": lambda store: store.run(alerts(AlertFilter(), limit=1)),
    "alerts_open": lambda store: store.run(open_counts()),
    "alerts_resolved": lambda store: store.run(situation(resolved_within=1)),
    "deliveries": lambda store: store.run(deliveries()),
    "mutes": lambda store: store.run(mutes()),
    "deliveries_due": lambda store: store.run(deliveries_due()),
}
"""A call that needs the key."""


@dataclass(frozen=True)
class Stranger:
    """Another program."""

    store: Store

    def key(self, name: str) -> str:
        return f"{{{self.store.place.namespace}}}:{name}"

    def overwrite(self, name: str) -> str:
        """Keep something of a type that no key of ours has; the key."""
        with redis.Redis.from_url(self.store.place.url) as client:
            client.delete(self.key(name))
            client.xadd(self.key(name), {"theirs": "1"})
        return self.key(name)

    def damage(self, *seqs: int) -> None:
        """Leave no number in the place of the instant at which jobs were due."""
        with redis.Redis.from_url(self.store.place.url) as client:
            for seq in seqs:
                client.hset(self.key(f"job:{seq}"), "run_at", "soon")

    def leave(self, name: str) -> None:
        with redis.Redis.from_url(self.store.place.url) as client:
            assert client.type(self.key(name)) == b"stream", "it was theirs"
            client.delete(self.key(name))


@pytest.fixture
def stranger(store: Store) -> Stranger:
    return Stranger(store)


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if "another program has written" in record.getMessage()]


def end_all(worker: Worker, *, queue: str) -> list[str]:
    """Run all that waits in a queue; the ids."""
    taken = worker.take(queue=queue)
    for job in taken:
        assert not worker.end(job)
    return ids(taken)


def test_every_fixed_key_is_tried() -> None:
    assert CALLS.keys() == {pattern for pattern in documented() if "(" not in pattern}


@pytest.mark.parametrize("name", CALLS)
def test_a_fixed_key_that_was_overwritten_is_named(store: Store, stranger: Stranger, name: str) -> None:
    """R7: that one and no other, with what it is and should be; when it is deleted, everything goes on."""
    store.enqueue(new_job())
    right = documented()[name]
    overwritten = stranger.overwrite(name)
    with pytest.raises(StoreUnavailable, match=f"; {overwritten} is a stream, not a {right}") as caught:
        CALLS[name](store)
    assert str(caught.value).count(stranger.key("")) == 1
    stranger.leave(name)
    CALLS[name](store)
    assert store.finished(new=new_job(queue="other")).state is State.COMPLETED


@pytest.mark.parametrize("name", ["pending:bad", "queue:bad", "finished:completed:bad"])
def test_the_other_queues_go_on(store: Store, stranger: Stranger, caplog: pytest.LogCaptureFixture, name: str) -> None:
    """R7, I11: in the same calls, with right counters; and somebody hears of it, once."""
    worker = store.a_worker(queues=["bad", "good"])
    bad = store.claimed(new_job(queue="bad"), by=worker)
    overwritten = stranger.overwrite(name)
    for number in range(2):
        store.enqueue(new_job(f"good-{number}", queue="good"))
        taken = worker.cycle(requests=[("bad", 5), ("good", 5)]).claimed
        assert [job.id for job in taken if job.queue == "good"] == [f"good-{number}"]
        assert not worker.end(taken[-1])
    assert not worker.end(bad)
    assert worker.control().is_open
    assert worker.renew().is_open
    assert store.run(queries.depth()) == {}
    assert store.run(queries.counts())["good"] == {State.COMPLETED: 2}
    [text] = told(caplog)
    assert overwritten in text


def test_retention_finds_nothing_in_what_was_overwritten(
    store: Store, stranger: Stranger, caplog: pytest.LogCaptureFixture
) -> None:
    """R7, I11: and so comes to the other queues."""
    store.finished(new=new_job(queue="bad"))
    overwritten = stranger.overwrite("finished:completed:bad")
    assert store.run(prunable(queue="bad", state=State.COMPLETED, age=DAY, keep=0)) == []
    assert store.run(prune_oldest(FinishedLine("bad", State.COMPLETED), age=DAY, beyond=None)) is None
    [text] = told(caplog)
    assert overwritten in text


@pytest.mark.parametrize("name", ["pending:bad", "queue:bad", "due"])
@pytest.mark.parametrize("form", ["one", "many", "keyed"])
def test_nothing_is_stored_that_nobody_would_find(store: Store, stranger: Stranger, name: str, form: str) -> None:
    """R7, I1, I10: who enqueues learns which key it is, and may do it again when it is put right."""
    delay = MINUTE if name == "due" else 0
    wanted = [new_job("a", queue="bad", delay=delay, key="k" if form == "keyed" else None)]
    wanted += [new_job("b", queue="bad", delay=delay)] if form == "many" else []
    store.finished(new=new_job(queue="bad"))
    overwritten = stranger.overwrite(name)
    for _ in range(2):
        with pytest.raises(OutcomeUnknown, match=f"{overwritten} is a stream"):
            store.enqueue(*wanted)
        assert not store.exists("a")
    store.enqueue(new_job(queue="good", key="other"))
    stranger.leave(name)
    store.enqueue(*wanted)
    store.advance(delay)
    store.run(jobs.promote())
    assert end_all(store.a_worker(), queue="bad") == [job.id for job in wanted]
    Keyspace(store.place.url, store.place.namespace).check()


def test_jobs_whose_bodies_were_overwritten_are_lost_alone(store: Store, stranger: Stranger) -> None:
    """R7, I11: while they wait, wait for their time, run as first or later runs, and after they have ended."""
    worker = store.a_worker()
    done = store.finished(new=new_job("completed"))
    worker.end(store.claimed(new_job("later"), by=worker), INTERRUPTED)
    store.enqueue(new_job("first"), new_job("marked"))
    runs = {job.id: job for job in worker.take()}
    lapsed = store.manually_claimed(new_job("lapsed"))
    waiting = [store.a_job(new_job("pending")), store.a_job(new_job("due", delay=MINUTE))]
    store.enqueue(new_job("sound"), new_job("put off", delay=MINUTE))
    seqs = [*(job.seq for job in waiting), *(job.seq for job in runs.values()), lapsed.seq, done.seq]
    bodies = [f"job:{seq}" for seq in seqs]
    for body in bodies:
        stranger.overwrite(body)

    assert ids(store.run(queries.page(queries.Filter(), limit=100)).jobs) == ["put off", "sound"]
    worker.mark(runs["marked"])
    for name in ("first", "later"):
        assert worker.end(runs[name]), "there is nothing to be ended"
    assert end_all(worker, queue="default") == ["sound"]
    store.advance(MINUTE)
    store.run(jobs.promote())
    store.rescue()
    assert ids(store.run(prunable(queue="default", state=State.COMPLETED, age=0, keep=0))) == ["sound"]
    store.run(tidy())
    assert sum(event.kind == "lost" for event in store.run(queries.notices())) == len(bodies)
    assert store.run(queries.counts()) == {"default": {State.PENDING: 1, State.COMPLETED: 1}}
    Keyspace(store.place.url, store.place.namespace).check()


def test_jobs_that_cannot_be_put_back_wait_until_they_can(store: Store, stranger: Stranger) -> None:
    """R7, I1: those whose time has come, those that are handed back and those that are rescued."""
    worker = store.a_worker()
    store.enqueue(new_job("handed back"), new_job("rescued"), new_job("due", delay=MINUTE))
    [handed_back, rescued] = worker.take()
    stranger.overwrite("pending:default")
    stranger.overwrite("suspects:default")
    stranger.damage(handed_back.seq, rescued.seq)
    assert not worker.end(handed_back, INTERRUPTED)
    store.advance(MINUTE)
    store.rescue()
    store.run(jobs.promote())
    assert store.run(queries.counts()) == {"default": {State.SCHEDULED: 3}}
    stranger.leave("pending:default")
    stranger.leave("suspects:default")
    store.advance(MINUTE)
    store.run(jobs.promote())
    assert sorted(end_all(store.a_worker(), queue="default")) == ["due", "handed back", "rescued"]
    Keyspace(store.place.url, store.place.namespace).check()


def test_jobs_that_have_lost_their_place_can_be_given_one(store: Store, stranger: Stranger) -> None:
    """R7: those that were pending in the queue when its key was overwritten; a new time puts them back."""
    lost = store.a_job()
    stranger.overwrite("pending:default")
    stranger.leave("pending:default")
    assert store.a_worker().take() == []
    assert ids(store.run(queries.page(queries.Filter(), limit=10)).jobs) == [lost.id]
    assert store.run(jobs.reschedule(lost.seq, delay=0))
    assert end_all(store.a_worker(), queue="default") == [lost.id]
    Keyspace(store.place.url, store.place.namespace).check()


def test_a_lease_that_was_overwritten_is_over(store: Store, stranger: Stranger) -> None:
    """R7: its worker opens another, and rescue takes its jobs away together with those of others."""
    worker, other = store.a_worker("w1"), store.a_worker("w2")
    taken, others = store.claimed(by=worker), store.claimed(by=other)
    stranger.overwrite(f"lease:{worker.lease}")
    assert not worker.renew().is_open
    assert {found.name: found.state for found in store.run(leases.workers())} == {"w1": "lost", "w2": "idle"}
    store.advance(TTL)
    assert {rescued.id for rescued in store.rescue()} == {taken.id, others.id}


@pytest.mark.parametrize("does_overwrite", [True, False])
def test_a_worker_that_somebody_deleted_hides_no_other(store: Store, stranger: Stranger, does_overwrite: bool) -> None:
    """R7, W13: until its next heartbeat it is not shown."""
    gone, _ = store.a_worker("w1"), store.a_worker("w2")
    stranger.overwrite(f"worker:{gone.id}")
    if not does_overwrite:
        stranger.leave(f"worker:{gone.id}")
    assert [found.name for found in store.run(leases.workers())] == ["w2"]


def test_a_counter_that_was_deleted_gives_no_number_twice(store: Store, stranger: Stranger) -> None:
    """R7, I1: jobs that are there are not overwritten by new ones."""
    old = [store.a_job(), store.a_job()]
    stranger.overwrite("seq")
    stranger.leave("seq")
    store.enqueue(new_job("one"))
    store.enqueue(new_job("two"), new_job("three"))
    numbers = [store.job(id).seq for id in ("one", "two", "three")]
    assert len({*numbers, *(job.seq for job in old)}) == 5
    assert [store.job(job.id) for job in old] == old
    Keyspace(store.place.url, store.place.namespace).check()


def test_keys_that_are_none_of_ours_do_not_matter(store: Store, stranger: Stranger) -> None:
    """R7: another program with the same prefix, beside our keys."""
    names = ["theirs", "queue", "job", "pending", "job:one", "queue:", "unique:theirs"]
    for name in names:
        stranger.overwrite(name)
    worker = store.a_worker()
    store.enqueue(new_job("a"), new_job("b", key="ours"), new_job("c", delay=1))
    store.advance(1)
    store.run(jobs.promote())
    assert end_all(worker, queue="default") == ["a", "b", "c"]
    store.advance(DAY)
    store.rescue()
    store.run(tidy())
    for name in names:
        stranger.leave(name)
