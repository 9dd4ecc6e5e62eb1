"""A caller's transaction that stays open holds up nothing that a worker, a rescuer or a duty does.

The caller of ``Scene`` has done all that an application can do in a transaction of its own, and so holds everything
that such a transaction can hold. Every call of the store then has its turn on the very jobs, keys and queues that are
held. On its connections the server ends a wait for a lock after a while, which fails the call.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from msgspec.structs import replace

from tests.store.builders import HOUR, OWN_ID, SECOND, ending, mark, new_job, raised
from tests.store.cleaning import tidy
from tests.store.flows import after, edges
from tests.store.postgres.database import Database
from tests.store.postgres.open_stores import Opening
from tests.store.schedules import a_definition, a_schedule, fire_all, leads, planned
from tests.store.stores import Store, Worker
from windlass.core.alerts.records import AlertRecord
from windlass.core.alerts.rules import new_rule
from windlass.core.figures.point import Point
from windlass.core.figures.row import Row
from windlass.core.outcome import Postponed
from windlass.core.rates.cooldown import Cooldown
from windlass.core.rates.rate import Rate, read_rate
from windlass.core.records import Claimed, JobRecord
from windlass.core.state import State
from windlass.core.unique import cached_key
from windlass.errors import IllegalTransition, StoreUnavailable
from windlass.store.operation import Call
from windlass.store.operations import jobs, leases, queries, queues
from windlass.store.operations.access import tokens
from windlass.store.operations.access.audit import record_change
from windlass.store.operations.access.tokens import NewToken, TokenRecord
from windlass.store.operations.alerts import alerts
from windlass.store.operations.alerts import rules as alert_rules
from windlass.store.operations.alerts import transfer as alert_transfer
from windlass.store.operations.alerts.deliveries import deliveries_due, settle_delivery
from windlass.store.operations.archive.restore import restore
from windlass.store.operations.diagnostics import by_hand, mutes
from windlass.store.operations.diagnostics.consistency import Damage, repair
from windlass.store.operations.encryption.rekey import NewEventText, NewStepText, NewTexts, rekey
from windlass.store.operations.enqueue import Enqueued, NewJob, Uniqueness, enqueue
from windlass.store.operations.events import record_job_events, record_stale_writes, record_store_events
from windlass.store.operations.figures.roll_up import roll_up_once
from windlass.store.operations.figures.rows import append_row
from windlass.store.operations.leases import ask_stacks
from windlass.store.operations.limits import concurrency
from windlass.store.operations.manual_claim import claim, extend
from windlass.store.operations.rates import cooldowns, limits
from windlass.store.operations.rates.cooldowns import Scope
from windlass.store.operations.rates.tasks import change_rate, declare_rates
from windlass.store.operations.rates.trips import Failures, count_failures
from windlass.store.operations.schedules.changes import delete as delete_schedule
from windlass.store.operations.schedules.fire import fire
from windlass.store.operations.schedules.records import FireResult
from windlass.store.operations.schedules.versions import declare, keep, version_of
from windlass.store.operations.steps.sent_events import (
    SentEvent,
    Wait,
    await_event,
    deliver_events,
    import_sent,
    send_event,
)
from windlass.store.operations.steps.steps import NewStep, import_steps, record_step, steps_of
from windlass.store.operations.upkeep import leader, prune, vacuum
from windlass.store.operations.upkeep.tidy import clear_cache, tidy_access, tidy_alerts, tidy_cache
from windlass.store.postgres.statements import statements

UNTIL_STARTED = Uniqueness(until="started")
REPLACING = Uniqueness(until="started", on_conflict="replace")
POSTPONING = Uniqueness(until="started", on_conflict="postpone")
FOR_A_SECOND = Uniqueness(until="window", window=SECOND)
CACHED = Uniqueness(cached=SECOND)
CACHED_KEY = cached_key("greet", b"")
LIMITED = "limited"
PATIENCE = "3s"
"""For how long the server lets a call wait for a lock; the calls of these tests wait for nobody else."""


class Scene:
    """Jobs on their way, beside a transaction that has taken over their keys and locked their queue."""

    def __init__(self, store: Store, connection: psycopg.Connection[Any]) -> None:
        self.store = store
        self.connection = connection
        self._joined = store.driver.join(connection)
        store.run(queues.ensure([queues.QueueSeed(LIMITED, None, 100)]))
        self.lost = self._started("lost", by=store.a_worker(queues=[LIMITED]))
        store.advance(HOUR)  # the lease of that one is over
        self.worker = store.a_worker(queues=[LIMITED])
        self.running = self._started("running")
        self.other = self._started("other")
        self.other_ended = self._ended("other ended")
        self.ended = self._ended("ended")
        self.waiting = store.a_job(new_job(queue=LIMITED, attempts=1))
        self.overdue = store.a_job(new_job(queue=LIMITED, delay=SECOND))
        store.enqueue(new_job(queue=LIMITED, key="replaced", priority=9), naming=UNTIL_STARTED)
        store.enqueue(new_job(queue=LIMITED, key="postponed", delay=SECOND), naming=UNTIL_STARTED)
        store.advance(2 * SECOND)  # and its time has come, and the window of the key is over
        self._cache()
        self._hold_everything()

    def _cache(self) -> None:
        """A cached result whose time is over."""
        self.store.enqueue(new_job(queue=LIMITED, key=CACHED_KEY, priority=99), naming=CACHED)
        [job] = self.worker.cycle(requests=[(LIMITED, 1)]).claimed
        assert not self.worker.end(job)
        self.store.advance(SECOND)

    def _started(self, key: str, *, by: Worker | None = None) -> Claimed:
        """A job that runs, so that another one may have its key."""
        worker = by or self.worker
        self.store.enqueue(new_job(queue=LIMITED, key=key, attempts=1), naming=UNTIL_STARTED)
        [job] = worker.take(queue=LIMITED)
        worker.mark(job)
        return job

    def _ended(self, key: str) -> JobRecord:
        """A job that has failed, with a key that it holds for a while longer."""
        self.store.enqueue(new_job(queue=LIMITED, key=key, attempts=1), naming=FOR_A_SECOND)
        [job] = self.worker.take(queue=LIMITED)
        assert not self.worker.end(job, raised())
        return self.store.job(job.id)

    def _hold_everything(self) -> None:
        for key in ("lost", "running", "other", "new"):
            assert not self.enqueue(new_job(queue=LIMITED, key=key), naming=UNTIL_STARTED).is_duplicate
        assert not self.enqueue(new_job(queue=LIMITED, key="ended"), naming=FOR_A_SECOND).is_duplicate
        assert self.enqueue(new_job(queue=LIMITED, key="replaced"), naming=REPLACING).is_replaced
        assert self.enqueue(new_job(queue=LIMITED, key="postponed", delay=HOUR), naming=POSTPONING).is_replaced
        assert not self.enqueue(new_job(queue=LIMITED, key=CACHED_KEY), naming=CACHED).is_duplicate
        self.enqueue(new_job("chosen"), naming=OWN_ID)
        self.enqueue(new_job(queue="first used here"))
        self.enqueue(new_job(delay=HOUR))
        self._joined.run(send_event("yes", "1"))
        for guarded in (self.running, self.other):
            self._joined.run(jobs.guard(guarded.seq))
        claimed, others = (self.running, self.lost), (self.waiting, self.overdue, self.ended)
        parents = [*(job.id for job in claimed), *(job.id for job in others)]
        tie = enqueue([after(new_job("child"))], {}, edges("child", parents, "wait"))
        self._joined.run(tie)

    def enqueue(self, job: NewJob, *, naming: Uniqueness | None = None) -> Enqueued:
        """Enqueue in the caller's transaction."""
        [stored] = self._joined.run(enqueue([job], {} if naming is None else {0: naming}))
        return stored

    def retry(self, job: JobRecord) -> None:
        """Retry a job in the caller's transaction."""
        self._joined.run(jobs.retry([job.seq], by="caller"))

    def is_taken(self, key: str) -> bool:
        """Whether another job of this key would be a duplicate."""
        [stored] = self.store.enqueue(new_job(queue=LIMITED, key=key), naming=UNTIL_STARTED)
        return stored.is_duplicate


@pytest.fixture
def scene(database: Database, opened: Opening) -> Iterator[Scene]:
    database.run(f"ALTER DATABASE {database.name} SET lock_timeout = '{PATIENCE}'")
    with psycopg.connect(database.url) as connection:
        yield Scene(opened(), connection)
        connection.rollback()


def _end_and_claim(scene: Scene) -> None:
    """With keys, a mark and one that is handed back, and again with nothing but runs that returned."""
    back = ending(scene.other, raised(delay=0))
    cycled = scene.worker.cycle(
        endings=[ending(scene.running), back],
        marks=[mark(scene.running)],
        requests=[(LIMITED, 1), ("first used here", 1)],
    )
    assert [job.id for job in cycled.claimed] == [scene.waiting.id]
    assert not cycled.refused
    scene.worker.cycle(endings=[ending(job) for job in cycled.claimed], requests=[(LIMITED, 1)])
    assert scene.store.job(scene.waiting.id).state is State.COMPLETED


def _rescue(scene: Scene) -> None:
    assert [(job.id, job.state) for job in scene.store.rescue()] == [(scene.lost.id, State.FAILED)]


def _promote(scene: Scene) -> None:
    assert scene.store.run(jobs.promote()) == 1


def _delete(scene: Scene) -> None:
    gone = [(scene.ended.seq, scene.ended.id), (scene.waiting.seq, scene.waiting.id)]
    assert len(scene.store.run(jobs.delete(gone))) == 2


def _cancel(scene: Scene) -> None:
    wanted = [scene.running.seq, scene.waiting.seq, scene.overdue.seq]
    assert len(scene.store.run(jobs.cancel(wanted, by="me"))) == 3


def _retry(scene: Scene) -> None:
    assert scene.store.run(jobs.retry([scene.ended.seq], by="me")).seqs == [scene.ended.seq]


def _claim(scene: Scene) -> None:
    [job] = scene.store.run(claim(5, queues=[LIMITED], worker="me", token="t", ttl=SECOND))
    assert scene.store.run(extend(job.seq, job.fence, ttl=SECOND, worker="me"))


def _ensure(scene: Scene) -> None:
    rows = [("first used here", 3, None), (LIMITED, 3, None), (LIMITED, None, None), ("mine", 2, None)]
    wanted = [queues.QueueSeed(*row) for row in rows]
    scene.store.run(queues.ensure(wanted[:2] + wanted[3:]))
    scene.store.run(queues.ensure(wanted[2:3]))
    assert scene.store.run(queues.settings("mine"))["mine"].weight == 2


def _archive(scene: Scene) -> None:
    assert scene.store.run(prune.archive([(scene.ended.seq, "2023-W46")])) == [scene.ended.seq]


def _restore(scene: Scene) -> None:
    record = replace(scene.store.job(scene.ended.id), id="restored")
    assert scene.store.run(restore(record, [], week=None, by="me")) is None


def _lead(scene: Scene) -> None:
    lead = scene.store.run(leader.take_lead("leader", holder="me", ttl=SECOND))
    assert scene.store.run(leader.still_leads(lead))
    assert scene.store.run(leader.resign(lead))


def _lose(scene: Scene) -> None:
    met = [(scene.ended.seq, LIMITED, "failed")]
    scene.store.driver.execute(Call("remove_vanished", {"vanished": met, "by": "me"}))


def _beat(scene: Scene) -> None:
    worker = scene.store.a_worker(queues=["first used here"])
    assert worker.renew().is_open
    scene.store.run(leases.report_worker(worker.presence("busy"), lease=worker.lease))
    worker.close()


def _sweep(scene: Scene) -> None:
    for table in ("ready", "due", "running", "tally"):
        scene.store.driver.execute(Call(f"vacuum_{table}"))
    scene.store.run(vacuum.vacuum_blocker())


def _signal(scene: Scene) -> None:
    assert scene.store.run(leases.signal(scene.worker.id, signal="pause", by="me")) == [scene.worker.id]


def _forget(scene: Scene) -> None:
    assert scene.store.run(leases.forget_workers(scene.worker.id)) == []


def _note(scene: Scene) -> None:
    job = scene.running
    scene.store.run(record_job_events([(job.seq, job.fence, "handed_back", {})], worker="me"))
    scene.store.run(record_store_events("stepped", [("me", "{}")]))
    assert scene.store.run(record_stale_writes([(job.seq, job.fence + 1, "completed")], worker="me"))


def _progress(scene: Scene) -> None:
    assert scene.store.run(jobs.progress(scene.running.seq, scene.running.fence, "1", worker="me"))


def _tidy(scene: Scene) -> None:
    scene.store.run(tidy())
    scene.store.driver.execute(Call("tidy_keys", {"keys": [(key, "1") for key in ("ended", "new")], "limit": 9}))


def _prune(scene: Scene) -> None:
    job = scene.ended
    found = prune.Prunable(job.seq, job.id, 0, job.fence, job.finished_at or 0)
    assert scene.store.run(prune.prune(prune.FinishedLine(job.queue, job.state), [found])) == 1


def _prune_oldest(scene: Scene) -> None:
    """A job that the caller has retried in its transaction is passed by, all others go."""
    job = scene.ended
    line = prune.FinishedLine(job.queue, job.state)
    scene.retry(scene.other_ended)
    pruned = scene.store.run(prune.prune_oldest(line, age=-HOUR, beyond=None))
    assert pruned is not None
    assert pruned.count == 1
    assert not scene.store.exists(job.id)
    assert scene.store.exists(scene.other_ended.id)


def _tokens(scene: Scene) -> None:
    """By hand, and with requests; callers' transactions have nothing of it in hand."""
    store = scene.store
    assert store.run(tokens.add(NewToken("ci", "d1", "viewer", None, None), by="ada"))
    store.run(tokens.note_use("d1"))
    assert store.run(tokens.revoke("ci", by="ada"))
    store.run(tokens.import_tokens([TokenRecord("w", "d2", "worker", "[]", 1, "ada")]))
    store.run(record_change(who="ada", via="cli", action="jobs retry", target="a", count=1))
    store.run(tidy_access())


def _figures(scene: Scene) -> None:
    """Of workers, and by the leader."""
    store = scene.store
    assert store.run(append_row(Row("w", [("mail", "send", Point({"completed": 1}))]), worker="w", number=1))
    assert store.run(roll_up_once()).rows == 1


def _alerts(scene: Scene) -> None:
    """Rules, alerts and their deliveries: no caller's transaction has rows of theirs."""
    store = scene.store
    store.run(alert_rules.declare([new_rule("deep", "queue_depth > 1")]))
    saved = store.run(alert_rules.save(new_rule("slow", "oldest_age > 1m")))
    lead = store.run(leader.take_lead("alerts", holder="a", ttl=HOUR))
    fired = [AlertRecord(id, "slow", id, "info", "", "", "{}", "firing", 0) for id in ("A", "B")]
    told = [("A", "fired", "log")]
    assert store.run(alerts.record(lead, fired=fired, resolved=["B"], deliveries=told)) is not None
    assert store.run(alerts.acknowledge("A", by="me"))
    assert store.run(alerts.resolve("A", by="me"))
    [due] = store.run(deliveries_due())
    assert store.run(settle_delivery(due.delivery))
    store.run(tidy_alerts(most_alerts=0, most_deliveries=0))
    assert saved is not None
    store.run(alert_transfer.import_rules([new_rule("moved", "runs > 1")]))
    assert store.run(alert_transfer.import_alerts([replace(fired[0], id="C")])) == 1
    assert store.run(alert_rules.silence("slow", length=HOUR, by="me")) is not None
    assert store.run(alert_rules.delete("slow"))


def _mute(scene: Scene) -> None:
    assert scene.store.run(mutes.mute("abc", lasts=HOUR, reason="known", by="me")) is not None
    assert scene.store.run(mutes.unmute(["abc"])) == ["abc"]


def _trip(scene: Scene) -> None:
    assert scene.store.run(count_failures([Failures("greet", "abc", 3, 2, HOUR, HOUR, scene.running.id, "tripped")]))


def _tidy_cache(scene: Scene) -> None:
    scene.store.run(tidy_cache(per_task=0, in_all=0, bytes=0))
    scene.store.run(clear_cache("greet"))


def _reschedule(scene: Scene) -> None:
    assert scene.store.run(jobs.reschedule(scene.waiting.seq, delay=HOUR))


def _schedule(scene: Scene) -> None:
    """What needs a queue, or a key, that the caller has in hand stays due; the others fire."""
    store, lead = scene.store, leads(scene.store)
    for name, queue in (("limited", LIMITED), ("new queue", "first used here"), ("well", "mine")):
        a_schedule(store, a_definition(queue=queue), name)
    store.advance(SECOND * 10)
    lead = leads(store)
    assert fire_all(store, lead) == [FireResult("well", "made")]
    assert [visit[0].row.name for visit in planned(store)] == ["limited", "new queue"]
    a_schedule(store, a_definition(key="new", queue="mine"), "keyed")
    store.advance(SECOND * 10)
    lead = leads(store)
    [keyed] = [visit[0] for visit in planned(store) if visit[0].row.name == "keyed"]
    with pytest.raises(StoreUnavailable, match="lock timeout"):
        store.run(fire(lead, [keyed]))
    version = version_of({})
    store.run(declare(version, {}))
    assert store.run(keep(version))
    assert store.run(delete_schedule("keyed"))


def _cool_down(scene: Scene) -> None:
    """The queue whose row the caller has locked."""
    cooling = cooldowns.cool_down(Scope.QUEUE, LIMITED, scene.running, rule=Cooldown(), chosen=None, reason="429")
    assert scene.store.run(cooling) is not None
    assert scene.store.run(cooldowns.end_cooldown(Scope.QUEUE, LIMITED))


def _take_tokens(scene: Scene) -> None:
    rate = read_rate("1/h")
    scene.store.run(limits.ensure([limits.LimitSeed("upstream", rate.amount, rate.period, rate.burst)]))
    assert scene.store.run(limits.take("upstream")) is not None
    assert scene.store.run(limits.take("upstream", waiter="w")) is not None
    scene.store.run(limits.leave("upstream", waiter="w"))
    assert scene.store.run(limits.change("upstream", rate=rate, burst=2, by="me"))
    assert scene.store.run(limits.drain("upstream"))
    assert scene.store.run(limits.remove("upstream"))


def _limit_keys(scene: Scene) -> None:
    scene.store.run(concurrency.declare({"task": 1}))
    scene.store.run(concurrency.declare({"task": 2}))
    scene.store.run(concurrency.change("greet", 3, by="me"))
    assert scene.store.run(concurrency.mend_keys()) == []
    scene.store.run(concurrency.busy(limit=9))


def _limit_rates(scene: Scene) -> None:
    for rate in (Rate(1, HOUR, 1), Rate(1, SECOND, 1)):
        scene.store.run(declare_rates({"greet": rate}, without=["task"]))
        assert scene.store.run(change_rate("greet", None, by="ada"))
    worker = scene.store.a_worker()
    scene.store.enqueue(*(new_job(queue="mine", rate_key="u") for _ in range(3)))
    assert len(worker.take(queue="mine")) == 1
    scene.store.advance(SECOND)
    assert scene.store.run(jobs.promote()) >= 1


def _step(scene: Scene) -> None:
    """The caller has sent the event that a job waits for; another event of that name is delivered meanwhile."""
    store, job = scene.store, scene.running
    assert store.run(record_step(job.seq, job.fence, NewStep("a", 1), worker="w"))
    waits = store.run(await_event(job.seq, job.fence, Wait("#1", 2, "yes", HOUR), worker="w"))
    assert waits is not None
    assert not waits.is_over
    assert not scene.worker.end(job, Postponed(HOUR, "event"))
    assert store.run(deliver_events()) == 0
    store.run(send_event("yes", None))
    assert store.run(deliver_events()) == 1
    store.run(import_sent([SentEvent("yes", 1)]))
    store.run(import_steps(scene.waiting.id, store.run(steps_of(job.seq))))


def _rekey(scene: Scene) -> None:
    texts = [NewTexts(job.seq, old_payload="{}", payload="{}") for job in (scene.running, scene.ended, scene.waiting)]
    steps, events = [NewStepText(scene.running.seq, "a", "x", "y")], [NewEventText("yes", "x", "y")]
    scene.store.run(rekey(texts, steps, events))


def _fail(scene: Scene) -> None:
    job = scene.store.job(scene.running.id)
    # The caller guards it: a person who fails it is told so at once.
    with pytest.raises(IllegalTransition, match="guard"):
        scene.store.run(by_hand.fail(job, by="me", text="enough", now=scene.store.clock()))


def _ask_stacks(scene: Scene) -> None:
    assert scene.store.run(ask_stacks(scene.worker.id, token="t")) == [scene.worker.id]


def _repair(scene: Scene) -> None:
    jobs = [Damage(kind, "x", seq=scene.running.seq) for kind in ("no_place", "two_places", "no_edges", "no_tag")]
    scene.store.run(repair([*jobs, Damage("stray_tag", "vip", seq=4711), Damage("count", "x")]))


def _read(scene: Scene) -> None:
    scene.store.run(queries.next_due())
    scene.worker.control()


DEEDS: dict[Callable[[Scene], None], tuple[str, ...]] = {
    _archive: ("archive",),
    _restore: ("restore",),
    _ask_stacks: ("ask_stacks",),
    _beat: ("open_lease", "renew", "report_worker", "close_lease"),
    _cancel: ("cancel",),
    _claim: ("manual_claim", "extend"),
    _cool_down: ("cool_down", "end_cooldown"),
    _delete: ("delete",),
    _alerts: (
        "alert_rules_declare",
        "alert_rule_save",
        "alert_rule_silence",
        "alert_rules_import",
        "alert_import",
        "alert_rule_delete",
        "alert_record",
        "alert_acknowledge",
        "alert_resolve",
        "alert_settle_delivery",
        "tidy_alerts",
    ),
    _end_and_claim: ("cycle",),
    _ensure: ("queue_ensure",),
    _fail: ("fail",),
    _figures: ("append_figures", "merge_figures", "prune_figures"),
    _forget: ("forget_workers",),
    _lead: ("take_lead", "resign"),
    _trip: ("count_failures",),
    _mute: ("mute", "unmute"),
    _limit_keys: ("key_limits_declare", "key_limit_change"),
    _limit_rates: ("rate_limits_declare", "task_rate_change", "open_rates"),
    _lose: ("remove_vanished",),
    _note: ("record_job_events", "record_store_events", "record_stale_writes"),
    _progress: ("progress",),
    _promote: ("promote",),
    _prune: ("prune",),
    _prune_oldest: ("prune_oldest",),
    _read: (),
    _rekey: ("rekey",),
    _repair: ("repair_jobs", "repair_strays", "repair_counts"),
    _rescue: ("rescue",),
    _reschedule: ("reschedule",),
    _retry: ("retry",),
    _schedule: ("schedule_save", "schedule_fire", "schedule_delete", "schedule_declare", "schedule_keep"),
    _signal: ("signal",),
    _step: ("record_step", "await_event", "send_event", "tell_waiters", "wake_waiters", "import_steps", "import_sent"),
    _sweep: ("vacuum_due", "vacuum_ready", "vacuum_running", "vacuum_tally"),
    _take_tokens: ("limit_ensure", "limit_take", "limit_leave", "limit_change", "limit_drain", "limit_delete"),
    _tokens: ("token_add", "token_touch", "token_revoke", "import_tokens", "record_audit", "tidy_access"),
    _tidy_cache: ("tidy_cache", "clear_cache"),
    _tidy: ("tidy_events", "tidy_keys", "tidy_leftovers"),
}
"""What workers, rescuers and duties do, and people who look after jobs, with the calls that it is made of."""

MAY_WAIT = {
    "enqueue": "an id, a key or the last place of a queue is given once, so the second waits for the first",
    "append": "as enqueue",
    "append_one": "as enqueue",
    "import": "as enqueue; by hand",
    "import_edges": "as enqueue; by hand",
    "import_queues": "writes the row of a queue; by hand",
    "queue_change": "writes the row of a queue; by hand",
    "queue_pause": "writes the row of a queue; by hand",
    "queue_delete": "writes the row of a queue; by hand",
}

_WRITES = re.compile(rb"\b(INSERT|UPDATE|DELETE|VACUUM|declare_rates|choose_rate)\b")


def test_every_call_that_writes_is_thought_of() -> None:
    writing = {name for name, ones in statements("windlass").items() if any(_WRITES.search(one.text) for one in ones)}
    tried = {call for calls in DEEDS.values() for call in calls}
    assert writing == tried | MAY_WAIT.keys()


@pytest.mark.parametrize("deed", DEEDS, ids=lambda deed: deed.__name__.strip("_"))
def test_nothing_waits_for_an_open_transaction(scene: Scene, deed: Callable[[Scene], None]) -> None:
    deed(scene)


@pytest.mark.parametrize("is_kept", [True, False], ids=["commit", "rollback"])
@pytest.mark.parametrize("deed", [_end_and_claim, _rescue, _delete, _cancel], ids=lambda deed: deed.__name__.strip("_"))
def test_a_key_that_was_passed_by_belongs_to_the_caller_or_to_nobody(
    scene: Scene, deed: Callable[[Scene], None], is_kept: bool
) -> None:
    deed(scene)
    if is_kept:
        scene.connection.commit()
    else:
        scene.connection.rollback()
    assert [scene.is_taken(key) for key in ("lost", "running", "other", "new", "ended")] == [is_kept] * 5


def test_a_key_until_the_end_that_was_passed_by_is_free_once_its_job_has_ended(
    database: Database, opened: Opening
) -> None:
    store = opened()
    worker = store.a_worker()
    job = store.claimed(new_job(key="one"), by=worker)
    with database.connected() as other, other.transaction():
        other.execute("SELECT 1 FROM windlass.key FOR UPDATE")
        assert not worker.end(job)
    [again] = store.enqueue(new_job(key="one"))
    assert not again.is_duplicate
    assert store.enqueue(new_job(key="one"))[0].is_duplicate


@pytest.mark.parametrize("is_kept", [True, False], ids=["commit", "rollback"])
def test_a_job_that_a_caller_replaces_is_claimed_after_the_end_of_its_transaction(
    database: Database, opened: Opening, is_kept: bool
) -> None:
    """B17: with the arguments that count then; until then claims pass it by."""
    store = opened()
    worker = store.a_worker()
    first = store.a_job(new_job(key="one", payload="old"), naming=UNTIL_STARTED)
    behind = store.a_job()
    with psycopg.connect(database.url) as connection:
        new = enqueue([new_job(key="one", payload="new")], {0: REPLACING})
        assert store.driver.join(connection).run(new)[0].is_replaced
        assert [job.id for job in worker.take()] == [behind.id]
        assert store.job(first.id).payload == "old"
        if is_kept:
            connection.commit()
        else:
            connection.rollback()
    assert [job.payload for job in worker.take()] == ["new" if is_kept else "old"]


@pytest.mark.parametrize("is_kept", [True, False], ids=["commit", "rollback"])
def test_a_caller_that_replaces_a_blocked_job_does_not_hold_its_key_up(
    database: Database, opened: Opening, is_kept: bool
) -> None:
    """B17: the key goes to the next job; the replaced one is found afterwards."""
    database.run(f"ALTER DATABASE {database.name} SET lock_timeout = '{PATIENCE}'")
    store = opened()
    store.run(concurrency.declare({"greet": 1}))
    worker = store.a_worker()
    store.enqueue(*(new_job(key, key=key, one_of="u", payload="old") for key in "abc"), naming=UNTIL_STARTED)
    [first] = worker.take()
    with psycopg.connect(database.url) as connection:
        new = enqueue([new_job(key="b", one_of="u", payload="new")], {0: REPLACING})
        assert store.driver.join(connection).run(new)[0].is_replaced
        assert not worker.end(first)
        [second] = worker.take()
        assert second.id == "c"
        assert not worker.end(second)
        if is_kept:
            connection.commit()
        else:
            connection.rollback()
    store.run(concurrency.unblock_all())
    assert [(job.id, job.payload) for job in worker.take()] == [("b", "new" if is_kept else "old")]


def test_a_claim_that_began_before_a_replacement_does_not_take_the_old_arguments(
    database: Database, opened: Opening
) -> None:
    """B17: it sees the job as it was, so it must not find it."""
    store = opened()
    worker = store.a_worker()
    store.enqueue(new_job(key="one", payload="old"), naming=UNTIL_STARTED)
    [text] = [one for one in statements("windlass")["cycle"] if one.only_without]
    values: dict[str, object] = {
        "now": store.clock(),
        "completed": "[]",
        "requests": '[["default", 5]]',
        "takes_suspect": 1,
        "lease": worker.lease,
        "token": "t",
        "worker": worker.name,
    }
    with psycopg.connect(database.url) as connection:
        # What the statement saw at its start, kept until it is carried out.
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        connection.execute("SELECT 1")
        [stored] = store.enqueue(new_job(key="one", payload="new"), naming=REPLACING)
        assert stored.is_replaced
        raw = psycopg.RawCursor(connection)
        with pytest.raises(psycopg.errors.SerializationFailure):
            raw.execute(text.text, [values[name] for name in text.names])
    assert [job.payload for job in worker.take()] == ["new"]


def test_a_queue_whose_maker_went_back_on_it_is_made_by_the_next(scene: Scene) -> None:
    scene.store.run(queues.ensure([queues.QueueSeed("first used here", 3, None)]))
    scene.connection.rollback()
    assert "first used here" not in scene.store.run(queues.settings())
    scene.store.run(queues.ensure([queues.QueueSeed("first used here", 3, None)]))
    assert scene.store.run(queues.settings())["first used here"].weight == 3
