"""Scheduling: the leader fires what is due, and nothing that goes wrong with one schedule keeps the others from it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from itertools import cycle
from threading import Thread

import pytest
from msgspec.structs import replace

from tests.ledger.apps import Apps
from tests.store.builders import HOUR, SECOND
from tests.store.schedules import TEN, a_definition, make_job
from tests.waiting import eventually
from tests.worker.call_interceptor import CallInterceptor, Hold, intercept
from windlass import OutcomeUnknown, StoreUnavailable, Windlass
from windlass.core.schedules.policies import CatchUp
from windlass.store.operation import Answer, Call
from windlass.store.operations.enqueue import NewJob
from windlass.store.operations.schedules.changes import add, fires, save, schedule
from windlass.store.operations.schedules.definition import Definition
from windlass.store.operations.schedules.records import FireRecord
from windlass.store.operations.schedules.versions import declare, version_of
from windlass.store.operations.upkeep.leader import LEADER, take_lead
from windlass.testing import ManualClock
from windlass.worker.duties.build import build_duties
from windlass.worker.duties.cleaning import Cleaning
from windlass.worker.duties.duties import Duties, TimedDuty
from windlass.worker.duties.leader import Leadership
from windlass.worker.duties.promotion import Promotion
from windlass.worker.duties.rescue_deferral import RescueDeferral
from windlass.worker.duties.schedules.firing import Firing
from windlass.worker.duties.schedules.scheduling import Scheduling
from windlass.worker.identity import identity

NO_STORE = "gone fishing"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def app(new_app: Apps, clock: ManualClock) -> Windlass:
    return new_app(clock=clock)


@pytest.fixture
def interceptor(app: Windlass) -> CallInterceptor:
    return intercept(app)


class Leader:
    """A process that may lead, one round at a time and without its threads."""

    def __init__(self, app: Windlass, clock: ManualClock) -> None:
        self.session = app.client.session
        store_watch = build_duties(app.client, identity(), beat=0.0)._store_watch
        self.leadership = Leadership(session=self.session, holder=identity().instance, store_watch=store_watch)
        self.seconds = 0.0
        self.polls = 0
        firing = Firing(session=self.session, make=self._make, monotonic=lambda: self.seconds)
        self.duty = Scheduling(
            session=self.session, leadership=self.leadership, firing=firing, poll_here=lambda: self._poll()
        )
        self.timed = TimedDuty(self.duty, monotonic=lambda: self.seconds)
        self.leadership.is_hung = self.timed.is_hung
        self._clock = clock
        self.made: list[str] = []
        self.payload: str | None = None

    def _make(self, name: str, definition: Definition, slot: int) -> NewJob:
        job = make_job(name, definition, slot)
        if self.payload is None or name != "bad":
            return job
        return NewJob.under(definition.job, job.id, self.payload)

    def _poll(self) -> None:
        self.polls += 1

    def lead(self) -> None:
        """Ask for the lead, as after a look that found it free."""
        self.leadership._store_watch.is_lead_free = True
        self.leadership.tick()

    def leads(self) -> bool:
        return self.leadership.term is not None

    def tick(self) -> float:
        return self.timed.tick()

    def tick_for_ever(self) -> None:
        while True:
            self.tick()

    def after(self, milliseconds: int) -> float:
        """Time passes, the process goes on leading, and has its round."""
        self._clock.advance(milliseconds / 1000)
        self.seconds += milliseconds / 1000
        self.lead()
        return self.tick()

    def ledger(self, name: str) -> list[FireRecord]:
        return self.session.run(fires(name))[::-1]

    def count(self, name: str) -> int:
        return sum(row.job is not None for row in self.ledger(name))


@pytest.fixture
def leader(app: Windlass, clock: ManualClock) -> Leader:
    leader = Leader(app, clock)
    leader.lead()
    leader.tick()
    return leader


def a_schedule(app: Windlass, name: str, definition: Definition | None = None) -> None:
    """One that an operator has added: every ten seconds."""
    app.client.session.upkeep(add(name, definition or a_definition()))


def test_a_round_fires_what_is_due_and_comes_back_for_the_next(app: Windlass, leader: Leader) -> None:
    """B14: within a second of a change by others, and on the moment of a slot that is known."""
    assert leader.tick() == 1.0, "nothing is known to be due"
    a_schedule(app, "digest", a_definition(every=SECOND * 10))
    first = app.client.session.run(schedule("digest"))
    left = (first.due_at or 0) - first.created_at
    assert leader.after(left - 300) == pytest.approx(0.3)
    assert leader.after(300) == 0.0, "there may be more"
    assert leader.tick() == 1.0
    assert (leader.count("digest"), leader.polls, leader.duty.did) == (1, 1, "fired 1")


def test_a_process_that_does_not_lead_fires_nothing(app: Windlass, clock: ManualClock, leader: Leader) -> None:
    other = Leader(app, clock)
    a_schedule(app, "digest")
    clock.advance("9s")
    other.lead()
    clock.advance("3s")
    assert other.tick() == 1.0
    assert leader.tick() == 1.0, "its term is over, and the store says so"
    assert leader.count("digest") == 0
    other.lead()
    assert other.tick() == 0.0
    assert other.count("digest") == 1


def test_a_leader_that_was_stopped_and_woken_fires_nothing(app: Windlass, clock: ManualClock, leader: Leader) -> None:
    """B14: another leads by now."""
    a_schedule(app, "digest")
    clock.advance("10s")
    app.client.session.run(take_lead(LEADER, holder="another", ttl=10_000))
    assert leader.tick() == 1.0
    assert leader.count("digest") == 0


@pytest.mark.only_on("sqlite")
def test_two_hundred_at_a_time(app: Windlass, leader: Leader) -> None:
    """C9: with few calls, and each as one transaction."""
    for number in range(201):
        a_schedule(app, f"s{number:03}")
    calls = intercept(app).calls
    assert leader.after(TEN) == 0.0
    assert calls["schedule_fire"] == 1
    assert leader.tick() == 0.0
    assert leader.tick() == 1.0
    assert calls["schedule_fire"] == 2
    assert app.counts()["pending"] == 201


def test_to_catch_up_holds_up_no_other(app: Windlass, clock: ManualClock, leader: Leader) -> None:
    """B14: what becomes due meanwhile is fired after half a second, not after the last slot that was missed."""
    seconds = cycle([0.0, 0.0, 0.6])  # at the beginning of a round, before its first step, and after it
    firing = Firing(session=leader.session, make=make_job, monotonic=lambda: next(seconds))

    def fired(after: str) -> list[str]:
        clock.advance(after)
        leader.lead()
        assert leader.leadership.term is not None
        return sorted(one.step.name for one in firing.round(leader.leadership.term).fired)

    a_schedule(app, "hourly", a_definition(every=HOUR, catch_up=CatchUp.ALL, limit=5))
    assert fired(after="10h") == ["hourly"]
    a_schedule(app, "other")
    assert fired(after="10s") == ["hourly", "other"]
    assert [fired(after="0s") for _ in range(4)] == [["hourly"]] * 3 + [[]]
    assert leader.count("hourly") == 5


def test_a_job_that_the_store_rejects_is_an_error_of_its_schedule(app: Windlass, leader: Leader) -> None:
    """B15: in the ledger, and the others go on."""
    for name in ("bad", "good", "well"):
        a_schedule(app, name)
    leader.payload = "\ud800"
    leader.after(TEN)
    assert [leader.count(name) for name in ("bad", "good", "well")] == [0, 1, 1]
    [row] = leader.ledger("bad")
    assert (row.outcome, row.job) == ("error", None)
    assert "DataRejected" in (row.reason or "")
    leader.payload = None
    leader.after(TEN)
    assert [leader.count(name) for name in ("bad", "good", "well")] == [1, 2, 2]


@pytest.mark.only_on("sqlite")
def test_a_key_that_cannot_be_taken_holds_up_no_other(
    app: Windlass, leader: Leader, interceptor: CallInterceptor, caplog: pytest.LogCaptureFixture
) -> None:
    """A caller's transaction may hold it: the schedule is tried again, more and more seldom, and fires in the end."""
    for name, key in (("held", "one"), ("keyed", "two"), ("plain", None)):
        a_schedule(app, name, a_definition(key=key, catch_up=CatchUp.ALL))

    def hold(call: Call) -> None:
        if call.name == "schedule_fire" and any(key == "one" for _, key, *_ in call.params["keys"]):
            raise StoreUnavailable("lock timeout")

    interceptor.before.append(hold)
    with caplog.at_level(logging.WARNING):
        leader.after(TEN)
        leader.tick()
        leader.after(SECOND)
    assert [leader.count(name) for name in ("held", "keyed", "plain")] == [0, 1, 1]
    assert [record.getMessage() for record in caplog.records] == [
        "schedule 'held' could not be fired, and is tried again: lock timeout"
    ]
    before = interceptor.calls["schedule_fire"]
    leader.tick()
    assert interceptor.calls["schedule_fire"] == before, "it is left alone for two seconds"
    interceptor.before.remove(hold)
    leader.after(2 * SECOND)
    assert leader.count("held") == 1


@pytest.mark.only_on("sqlite")
def test_an_outage_is_no_failure_of_a_schedule(app: Windlass, leader: Leader, interceptor: CallInterceptor) -> None:
    a_schedule(app, "digest")

    def away(call: Call) -> None:
        if call.name in ("schedule_fire", "resign"):
            raise StoreUnavailable(NO_STORE)

    interceptor.before.append(away)
    with pytest.raises(StoreUnavailable, match=NO_STORE):
        leader.after(TEN)
    interceptor.before.remove(away)
    leader.tick()
    assert leader.count("digest") == 1


def test_a_lost_reply_makes_no_second_job(app: Windlass, leader: Leader, interceptor: CallInterceptor) -> None:
    """B14."""
    a_schedule(app, "digest")
    replies = iter([OutcomeUnknown("no reply")])

    def lose(call: Call, answer: Answer) -> None:
        if call.name == "schedule_fire" and (lost := next(replies, None)):
            raise lost

    interceptor.after.append(lose)
    with pytest.raises(OutcomeUnknown):
        leader.after(TEN)
    assert leader.tick() == 1.0
    assert leader.count("digest") == app.counts()["pending"] == 1


def test_a_leader_that_dies_between_any_two_calls(app: Windlass, clock: ManualClock, leader: Leader) -> None:
    """C9: at the first, the second, the third call of its round, and so on: every slot has one job in the end."""
    names = ["digest", "keyed"]
    a_schedule(app, "digest", a_definition(catch_up=CatchUp.ALL, limit=100))
    a_schedule(app, "keyed", a_definition(key="one", catch_up=CatchUp.ALL, limit=100))
    interceptor = intercept(app)
    for dies_at in range(8):
        calls = iter(range(dies_at + 1))

        def die(call: Call, calls: Iterator[int] = calls, last: int = dies_at) -> None:
            if next(calls, last) == last:
                raise StoreUnavailable("the process was killed")

        dying = Leader(app, clock)
        clock.advance("20s")
        dying.lead()
        interceptor.before.append(die)
        with pytest.raises(StoreUnavailable, match="killed"):
            dying.tick_for_ever()
        interceptor.before.remove(die)
    clock.advance("20s")
    last = Leader(app, clock)
    last.lead()
    while last.tick() == 0.0:
        pass
    for name in names:
        slots = [row.planned_at for row in last.ledger(name)]
        assert slots == list(range(slots[0], slots[0] + TEN * len(slots), TEN))
        assert len(slots) == 18
    assert last.count("digest") == 18
    assert [row.reason for row in last.ledger("keyed")] == [None] + ["unique"] * 17


@pytest.mark.only_on("sqlite")
def test_the_schedules_of_the_code_are_brought_up_to_date(
    app: Windlass, leader: Leader, caplog: pytest.LogCaptureFixture
) -> None:
    """B16: whenever another set of versions is live."""
    calls = intercept(app).calls
    leader.after(SECOND)
    assert calls["schedule_versions"] == 0
    declared = {"digest": a_definition()}
    app.client.session.run(declare(version_of(declared), declared))
    with caplog.at_level(logging.INFO, "windlass.duties"):
        leader.after(SECOND)
        leader.after(SECOND)
    assert calls["schedule_versions"] == 1
    assert [record.getMessage() for record in caplog.records] == ["schedules added: digest"]
    assert app.client.session.run(schedule("digest")).origin == "code"


@pytest.mark.only_on("sqlite")
def test_other_zone_data_is_noticed_at_the_start_of_a_term(
    app: Windlass, clock: ManualClock, leader: Leader, caplog: pytest.LogCaptureFixture
) -> None:
    """B16."""
    a_schedule(app, "digest")
    record = app.client.session.run(schedule("digest"))
    moved = replace(record, next_at=(record.next_at or 0) + TEN, due_at=(record.due_at or 0) + TEN, zone_data="1999a")
    app.client.session.run(save([moved]))
    clock.advance("20s")
    other = Leader(app, clock)
    with caplog.at_level(logging.INFO, "windlass.duties"):
        other.lead()
        other.tick()
    assert "other time zone data has moved the next slot of schedules: digest" in caplog.text


@pytest.mark.only_on("sqlite")
def test_a_round_that_hangs_costs_the_lead(
    app: Windlass, leader: Leader, interceptor: CallInterceptor, caplog: pytest.LogCaptureFixture
) -> None:
    """C9: another process fires then; this one may lead again when its rounds end."""
    hold = Hold(lambda call, _: call.name == "schedule_due")
    interceptor.before.append(hold.before)
    hanging = Thread(target=leader.tick)
    hanging.start()
    hold.await_reached()
    leader.seconds += 29
    leader.lead()
    assert leader.leads()
    leader.seconds += 2
    leader.lead()
    leader.lead()
    assert not leader.leads()
    assert app.client.session.run(take_lead(LEADER, holder="another", ttl=1)).holder == "another"
    assert caplog.text.count("gives up the lead") == 1
    hold.release()
    hanging.join()


@pytest.mark.only_on("sqlite")
def test_no_other_duty_delays_a_fire(app: Windlass, clock: ManualClock, interceptor: CallInterceptor) -> None:
    """C9: a cleaning that takes its time, and a single process: every slot is on time."""
    hold = Hold(lambda call, _: call.name.startswith(("prun", "tidy", "retention")))
    interceptor.before.append(hold.before)
    a_schedule(app, "digest", a_definition(every=5 * SECOND))
    duties = duties_with_scheduling(app)
    for ticker in duties.tickers:
        ticker.start()
    try:
        hold.await_reached()
        for number in range(1, 4):
            clock.advance("5s")
            eventually(lambda expected=number: len(rows(app)) == expected, "the slot has fired")  # type: ignore[misc]
        assert {row.outcome for row in rows(app)} == {"on_time"}
    finally:
        hold.release()
        for ticker in duties.tickers:
            ticker.stop()


def rows(app: Windlass) -> list[FireRecord]:
    return app.client.session.run(fires("digest"))


def duties_with_scheduling(app: Windlass) -> Duties:
    """The duties of a process whose cleaning is due at once."""
    client, times = app.client, iter([-100.0])
    session, by = client.session, "me"
    store_watch = build_duties(client, identity(), beat=0.0)._store_watch
    leadership = Leadership(session=session, holder=identity().instance, store_watch=store_watch)
    promotion = Promotion(session=session, by=by, store_watch=store_watch, deferral=RescueDeferral(beat=0.0))
    cleaning = Cleaning(
        session=session,
        by=by,
        retention=lambda: client.retention,
        archive=lambda: client.archive,
        monotonic=lambda: next(times, 0.0),
    )
    scheduling = Scheduling(
        session=session, leadership=leadership, firing=Firing(session=session, make=make_job, monotonic=lambda: 0.0)
    )
    return Duties(
        [promotion, cleaning, scheduling],
        leadership=leadership,
        session=session,
        store_watch=store_watch,
        woken=promotion,
        watched=scheduling,
    )
