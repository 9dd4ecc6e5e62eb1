"""Duties: promote and rescue by everybody, cleaning by one, patience after an outage."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from itertools import count
from threading import Event

import pytest

from tests.ledger.apps import LONG_LEASE, Apps
from tests.waiting import PATIENCE, eventually
from tests.worker.call_interceptor import CallInterceptor, intercept
from windlass import Retention, State, StoreUnavailable, Windlass
from windlass.admin.cleanup.early_cleaning import EarlyCleaning, Fullness
from windlass.store.operation import Call, Operation
from windlass.store.operations.queries import next_due
from windlass.store.operations.upkeep import leader as store_leader
from windlass.testing import ManualClock
from windlass.worker.duties.build import build_duties
from windlass.worker.duties.cleaning import Cleaning
from windlass.worker.duties.duties import LedDuty
from windlass.worker.duties.early_cleaning import EarlyCleaner
from windlass.worker.duties.leader import Leadership
from windlass.worker.identity import identity
from windlass.worker.ticker import stop_all
from windlass.worker.worker import Worker


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def app(new_app: Apps, clock: ManualClock) -> Windlass:
    app = new_app(clock=clock)

    @app.task(name="echo")
    def echo(number: int) -> int:
        return number

    return app


@pytest.fixture
def interceptor(app: Windlass) -> CallInterceptor:
    return intercept(app)


class Upkeep:
    """What every worker does, one round of each at a time and without its threads."""

    def __init__(self, app: Windlass, beat: float, *, worker: Worker | None = None) -> None:
        duties = build_duties(app.client, identity(), beat=beat, lease=lambda: None if worker is None else worker.lease)
        self.store_watch = duties._store_watch
        self._rounds = [ticker._tick for ticker in duties.tickers if ticker.name in ("promotion", "rescue")]

    def tick(self) -> float:
        return min([tick() for tick in self._rounds])


def some_duties(app: Windlass, beat: float = 0.0) -> Upkeep:
    return Upkeep(app, beat)


def upkeep_of(app: Windlass, worker: Worker) -> Upkeep:
    """Of a worker that has a lease and does nothing else."""
    return Upkeep(app, 0.0, worker=worker)


def a_leader(app: Windlass) -> Leadership:
    """Of a process that has not looked yet, and so asks."""
    store_watch = build_duties(app.client, identity(), beat=0.0)._store_watch
    return Leadership(session=app.client.session, holder=identity().instance, store_watch=store_watch)


def away(calls: set[str], times: int) -> Callable[[Call], None]:
    """A store that fails these calls a few times."""
    failures = iter([True] * times)

    def fail(call: Call) -> None:
        if call.name in calls and next(failures, False):
            raise StoreUnavailable("gone fishing")

    return fail


NOBODY = "nobody"


def leader(app: Windlass) -> tuple[str, int]:
    """Who leads, and in which term; where nobody does, whoever asks does for a moment."""
    lead = app.client.session.run(store_leader.take_lead("leader", holder=NOBODY, ttl=0))
    return lead.holder, lead.term


def test_a_job_that_is_due_is_promoted(app: Windlass, clock: ManualClock) -> None:
    """B12: invisible until due, then ready."""
    job = app.enqueue_many([app.request("echo", (1,), delay="10s")])[0]
    duties = some_duties(app)
    duties.tick()
    assert job.refresh().state == State.SCHEDULED
    clock.advance("10s")
    duties.tick()
    assert job.refresh().state == State.PENDING


def test_a_round_comes_back_when_the_next_job_is_due(app: Windlass) -> None:
    """B12: started within 1 s of the due time, and at the latest looked for after half a second."""
    assert some_duties(app).tick() == 0.5
    app.enqueue_many([app.request("echo", (1,), delay="0.2s")])
    assert some_duties(app).tick() == pytest.approx(0.2, abs=0.03)


def test_a_job_of_a_dead_worker_is_rescued_and_a_living_worker_is_told(app: Windlass, clock: ManualClock) -> None:
    """A9: found while running."""
    job = app.enqueue("echo", 7)
    app.claim(lease="10s")
    with app.worker(lease=LONG_LEASE):
        clock.advance("11s")
        assert job.result(timeout=PATIENCE) == 7
    assert [entry.kind for entry in job.timeline() if entry.kind == "rescued"] == ["rescued"]


def test_after_an_outage_nobody_is_declared_dead_for_one_heartbeat(
    app: Windlass, clock: ManualClock, interceptor: CallInterceptor
) -> None:
    """Q1: whoever could not renew because the store was away gets the time to do it."""
    job = app.enqueue("echo", 1)
    app.claim(lease="10s")
    clock.advance("11s")
    interceptor.before.append(away({"next_due"}, times=1))
    duties = some_duties(app, beat=0.3)
    duties.tick()
    duties.tick()
    duties.tick()
    assert job.refresh().state == State.RUNNING
    eventually(lambda: (duties.tick(), job.refresh().state == State.PENDING)[1], "it is rescued after all")


def test_a_store_that_takes_no_writes_is_an_outage_too(
    app: Windlass, clock: ManualClock, interceptor: CallInterceptor
) -> None:
    job = app.enqueue("echo", 1)
    app.claim(lease="10s")
    clock.advance("11s")
    interceptor.before.append(away({"rescue"}, times=1))
    duties = some_duties(app, beat=3600)
    for _ in range(3):
        duties.tick()
    assert job.refresh().state == State.RUNNING


def test_one_leads_and_another_takes_over_when_it_is_gone(app: Windlass, clock: ManualClock) -> None:
    """B30: the leader's lease is 10 s; the term grows with each leader."""
    first, second, third = a_leader(app), a_leader(app), a_leader(app)
    first.tick()
    holder, term = leader(app)
    second.tick()
    assert leader(app) == (holder, term)
    clock.advance("11s")
    third.tick()
    successor, later = leader(app)
    assert (successor != holder, later) == (True, term + 1)


def test_a_leader_that_resigns_is_followed_at_once(app: Windlass) -> None:
    first, second = a_leader(app), a_leader(app)
    first.tick()
    holder, term = leader(app)
    first.resign()
    second.tick()
    successor, later = leader(app)
    assert (successor != holder, later > term) == (True, True)


def test_a_leader_that_was_replaced_cannot_resign_for_its_successor(app: Windlass, clock: ManualClock) -> None:
    """T6: a stale leader's write carries its term and is refused."""
    first, second = a_leader(app), a_leader(app)
    first.tick()
    clock.advance("11s")
    second.tick()
    now = leader(app)
    first.resign()
    assert leader(app) == now


def test_a_worker_that_stops_resigns(app: Windlass) -> None:
    with app.worker(lease=LONG_LEASE):
        eventually(lambda: leader(app)[0] != NOBODY, "it leads")
    assert leader(app)[0] == NOBODY


def a_cleaning(app: Windlass, passing: float = 100.0) -> Cleaning:
    """One that is due; each look at its clock takes so many seconds."""
    seconds = count(0.0, passing)
    return Cleaning(
        session=app.client.session,
        by="me",
        retention=lambda: Retention(completed=1, cancelled=1),
        archive=lambda: None,
        monotonic=lambda: next(seconds),
    )


def an_early_cleaner(app: Windlass, shares: Iterable[float], *, of: str = "memory") -> EarlyCleaner:
    """One that finds the store so full, look by look; each look at its clock takes a tenth of a second."""
    seconds, found = count(0.0, 0.1), iter(shares)

    def measured() -> Operation[Fullness | None]:
        yield from ()
        return Fullness(of, next(found))

    early = EarlyCleaning(lambda: 0.85, measured)
    return EarlyCleaner(
        session=app.client.session, by="me", archive=lambda: None, early=early, monotonic=lambda: next(seconds)
    )


def finished_jobs(app: Windlass, number: int) -> None:
    app.enqueue_many([app.request("unknown", queue="q") for _ in range(number)])
    app.cancel_all(state="pending")


@pytest.mark.parametrize(("share", "left"), [(0.5, 1), (0.9, 0)])
def test_a_full_store_is_cleaned_before_time(app: Windlass, clock: ManualClock, share: float, left: int) -> None:
    """B24: also what retention would keep; told by the duty."""
    finished_jobs(app, 1)
    clock.advance("1s")
    cleaner = an_early_cleaner(app, [share, 0.5])
    assert cleaner.tick() == (3.0 if left else 0.0)
    cleaner.tick()
    assert len(app.jobs()) == left
    assert [notice.kind for notice in app.overview().notices] == ["cleaned_early"] * (1 - left)
    assert cleaner.did == ("" if left else "deleted 1 early")


def test_memory_is_cleaned_until_there_is_room_and_a_disk_by_and_by(app: Windlass, clock: ManualClock) -> None:
    """B24: a file does not get smaller, so how full the disk is does not tell whether that was enough."""
    finished_jobs(app, 3)
    clock.advance("1s")
    memory, disk = an_early_cleaner(app, [0.99, 0.9, 0.8]), an_early_cleaner(app, [0.99], of="disk")
    assert [memory.tick(), memory.tick(), memory.tick()] == [0.0, 10.0, 3.0], "the second round found nothing to delete"
    finished_jobs(app, 1)
    clock.advance("1s")
    assert (disk.tick(), app.jobs()) == (10.0, [])


def test_early_cleaning_is_told_once_for_many_rounds(
    app: Windlass, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    cleaner = an_early_cleaner(app, [0.9, 0.9, 0.9, 0.5])
    for _ in range(3):
        finished_jobs(app, 2)
        clock.advance("1s")
        assert cleaner.tick() == 0.0
    cleaner.tick()
    told = [text for text in caplog.messages if "removed before their time" in text]
    assert [text.partition(": ")[2].split()[0] for text in told] == ["2", "4"], told


def test_a_leader_that_was_replaced_cleans_no_more(
    app: Windlass, clock: ManualClock, interceptor: CallInterceptor
) -> None:
    """T6: however long it slept, its next round asks whether its term still leads."""
    first, second = a_leader(app), a_leader(app)
    first.tick()
    cleaning = LedDuty(a_cleaning(app), leadership=first, session=app.client.session)
    assert cleaning.tick() == 0.0
    done = interceptor.calls["queue_list"]
    assert done
    clock.advance("11s")
    second.tick()
    assert cleaning.tick() > 0
    assert (interceptor.calls["queue_list"], interceptor.calls["retention_position"]) == (done, 0)


def test_while_one_leads_no_other_asks_for_the_lead(app: Windlass, interceptor: CallInterceptor) -> None:
    """D6: one that resigns is followed as soon as another has looked."""
    first, second = a_leader(app), a_leader(app)
    first.tick()
    second._store_watch.read()
    for _ in range(3):
        assert second.tick() > 0
    assert interceptor.calls["take_lead"] == 1
    first.resign()
    second._store_watch.read()
    second.tick()
    assert second.term is not None


def test_who_does_not_lead_leaves_it_to_the_leader(app: Windlass, interceptor: CallInterceptor) -> None:
    """B30: and does not ask the store for it."""
    cleaning = LedDuty(a_cleaning(app), leadership=a_leader(app), session=app.client.session)
    assert cleaning.tick() > 0
    assert not interceptor.calls


def test_a_tick_of_cleaning_is_short_and_the_next_goes_on(app: Windlass, clock: ManualClock) -> None:
    """A13: however much there is to do, stopping and the end of the lead are seen to every second."""
    for queue in "abc":
        app.enqueue_many([app.request("echo", (number,), queue=queue) for number in range(3)])
    assert app.cancel_all(state="pending") == 9
    clock.advance("2s")
    cleaning = a_cleaning(app, passing=0.4)
    while cleaning.tick() > 0:
        pass
    ticks = 0
    while app.counts()[State.CANCELLED]:
        assert cleaning.tick() == 0.0
        ticks += 1
    assert ticks > 1


def test_a_round_of_cleaning_that_was_left_for_long_begins_anew(
    app: Windlass, clock: ManualClock, interceptor: CallInterceptor
) -> None:
    """A13: the settings of then may not be those of now."""
    cleaning = a_cleaning(app)
    for _ in range(3):
        cleaning.tick()
    assert interceptor.calls["queue_list"] == 3


def test_a_slow_cleaning_holds_up_no_other_duty(new_app: Apps) -> None:
    """B30: each duty has a thread of its own; the lead is renewed meanwhile."""
    app = new_app()

    @app.task(name="echo")
    def echo(number: int) -> int:
        return number

    interceptor, goes_on = intercept(app), Event()
    duties = build_duties(app.client, identity(), beat=10.0, monotonic=a_clock_that_hurries())
    interceptor.before.append(lambda call: None if call.name != "queue_list" else hold(goes_on))
    for ticker in duties.tickers:
        ticker.start()
    try:
        eventually(lambda: interceptor.calls["queue_list"], "the cleaning hangs")
        before = interceptor.calls.copy()
        job = app.enqueue_many([app.request("echo", (1,), delay="0.05s")])[0]
        eventually(lambda: job.refresh().state == State.PENDING, "it is promoted")
        eventually(lambda: interceptor.calls["take_lead"] > before["take_lead"], "the lead is renewed")
        eventually(
            lambda: interceptor.calls["bloated_tables"] > before["bloated_tables"], "the tables are looked after"
        )
        assert interceptor.calls["queue_list"] == 1
    finally:
        goes_on.set()
        stop_all(duties.tickers, timeout=PATIENCE)


def hold(goes_on: Event) -> None:
    assert goes_on.wait(PATIENCE)


def a_clock_that_hurries() -> Callable[[], float]:
    """Cleaning is due at once by it."""
    minutes = count(0.0, 60.0)
    return lambda: next(minutes)


def test_only_the_keeper_looks_after_the_store_all_the_time(app: Windlass) -> None:
    """Every worker asked twice a second, and once more on every piece of news."""
    with app.worker(duties=False) as first, app.worker(duties=False) as second:
        keeper, other = sorted((first, second), key=lambda worker: worker.lease)
        kept, others = upkeep_of(app, keeper), upkeep_of(app, other)
        assert kept.tick() <= 0.5
        assert kept.store_watch.is_keeper
        others.tick()
        assert not others.store_watch.is_keeper
        assert others.store_watch.workers == kept.store_watch.workers == 2


def test_the_more_workers_the_more_seldom_one_that_is_not_the_keeper_looks(app: Windlass) -> None:
    with ExitStack() as stack:
        workers = [stack.enter_context(app.worker(duties=False)) for _ in range(24)]
        last = max(workers, key=lambda worker: worker.lease)
        assert upkeep_of(app, last).tick() >= 24 * 0.25 / 2


def test_a_worker_without_duties_is_not_the_keeper_where_another_has_them(app: Windlass) -> None:
    """D6: however old it is; it would keep nothing, and the others would look seldom."""
    with app.worker(["default"], duties=False) as first, app.worker(["default"]) as second:
        assert app.client.session.run(next_due()).keeper == second.lease
        second.stop()
        assert app.client.session.run(next_due()).keeper == first.lease


def test_when_the_keeper_leaves_another_takes_its_place(app: Windlass) -> None:
    """D6: upkeep goes on."""
    with app.worker(duties=False) as first, app.worker(duties=False) as second:
        keeper, other = sorted((first, second), key=lambda worker: worker.lease)
        duties = upkeep_of(app, other)
        duties.tick()
        keeper.stop()
        duties.tick()
        assert duties.store_watch.is_keeper


def test_one_that_is_not_the_keeper_does_what_it_finds_overdue(app: Windlass, clock: ManualClock) -> None:
    """D6: while a keeper that died has not been missed yet."""
    with app.worker(duties=False, queues=["other"]) as first, app.worker(duties=False, queues=["other"]) as second:
        job = app.enqueue_many([app.request("echo", (1,), delay="5s")])[0]
        clock.advance("6s")
        upkeep_of(app, max(first, second, key=lambda worker: worker.lease)).tick()
        assert job.refresh().state is State.PENDING


def looks_for_strays(interceptor: CallInterceptor) -> list[bool]:
    """Of each look from now on, whether it is one at every lease."""
    found: list[bool] = []
    interceptor.before.append(lambda call: found.append(call.params["strays"]) if call.name == "next_due" else None)
    return found


def test_most_looks_pass_leases_by_that_are_not_nearly_over(app: Windlass, interceptor: CallInterceptor) -> None:
    """Each look at a thousand leases cost 3,000 pages of PostgreSQL, several times a second."""
    looks, upkeep = looks_for_strays(interceptor), some_duties(app)
    for _ in range(5):
        upkeep.store_watch.read()
    assert looks == [True, False, False, False, False]


@pytest.mark.only_on("sqlite")
def test_only_the_keeper_looks_for_jobs_without_an_open_lease(app: Windlass, interceptor: CallInterceptor) -> None:
    looks = looks_for_strays(interceptor)

    def look_three_times() -> None:
        for _ in range(3):
            store_watch.read()

    with app.worker(duties=False) as first, app.worker(duties=False) as second:
        store_watch = upkeep_of(app, second).store_watch
        look_three_times()
        keeps = [store_watch.is_keeper]
        first.stop()
        look_three_times()
        keeps.append(store_watch.is_keeper)
    assert keeps == [False, True]
    assert looks == [True, False, False, False, True, False]


def test_jobs_without_an_open_lease_stay_in_sight_until_they_are_rescued(
    app: Windlass, clock: ManualClock, interceptor: CallInterceptor
) -> None:
    """E1: a round that comes between the look and the rescue must not lose sight of them."""
    job = app.enqueue("echo", 1)
    assert len(app.claim(1, lease=1)) == 1
    looks, upkeep = looks_for_strays(interceptor), some_duties(app)
    clock.advance(5)
    upkeep.store_watch.read()
    upkeep.store_watch.read()
    assert looks == [True, True]
    upkeep.tick()
    assert app.job(job.id).state is State.PENDING
    upkeep.store_watch.read()
    upkeep.store_watch.read()
    assert looks[-2:] == [True, False], "once more after the rescue, for what it may have passed by"


def test_the_newest_round_of_each_duty_is_kept(app: Windlass, clock: ManualClock) -> None:
    """C9: with what it did last, also when later rounds find nothing to do."""
    duties = build_duties(app.client, identity(), beat=0.0)
    rounds = {ticker.name: ticker._tick for ticker in duties.tickers}
    assert (duties.rounds(), duties.leads_since) == ([], None)
    app.enqueue_many([app.request("echo", (1,), delay="10s")])
    clock.advance("10s")
    rounds["promotion"]()
    rounds["promotion"]()
    [promotion] = duties.rounds()
    assert (promotion.duty, promotion.did) == ("promotion", "promoted 1")
    rounds["leader"]()
    assert duties.leads_since is not None
    duties.resign()
    assert duties.leads_since is None


def test_a_duty_that_needs_the_lead_has_no_round_without_it(app: Windlass) -> None:
    """C9."""
    duties = build_duties(app.client, identity(), beat=0.0)
    for ticker in duties.tickers:
        if ticker.name != "leader":
            ticker._tick()
    assert {one.duty for one in duties.rounds()} == {"promotion", "rescue", "schedule-declaration"}
