"""Puts all duties of a process together: a new duty is one line here."""

from __future__ import annotations

from collections.abc import Callable

from windlass import clock
from windlass.admin.cleanup.early_cleaning import EarlyCleaning, fullness
from windlass.client.client import Client
from windlass.schedules.scheduled_jobs import scheduled_jobs
from windlass.worker.duties.alerts.delivery import delivery_duties
from windlass.worker.duties.alerts.evaluate import rounds_of
from windlass.worker.duties.alerts.evaluation import AlertEvaluation
from windlass.worker.duties.cleaning import Cleaning
from windlass.worker.duties.clock_step import StoreClock
from windlass.worker.duties.duties import Duties
from windlass.worker.duties.duty import Duty
from windlass.worker.duties.early_cleaning import EarlyCleaner
from windlass.worker.duties.figures.rolling_up import RollingUp
from windlass.worker.duties.leader import Leadership
from windlass.worker.duties.limits.counter_check import CounterCheck
from windlass.worker.duties.limits.stuck_keys import StuckKeys
from windlass.worker.duties.promotion import Promotion
from windlass.worker.duties.rescue import Rescue
from windlass.worker.duties.rescue_deferral import RescueDeferral
from windlass.worker.duties.schedules.declaration import DeclaredSchedules
from windlass.worker.duties.schedules.firing import Firing
from windlass.worker.duties.schedules.scheduling import Scheduling
from windlass.worker.duties.store_watch import StoreWatch
from windlass.worker.duties.vacuum import Vacuum
from windlass.worker.identity import Identity


def build_duties(
    client: Client,
    who: Identity,
    *,
    beat: float,
    lease: Callable[[], str | None] = lambda: None,
    ending: str = "",
    poll_here: Callable[[], None] = lambda: None,
    count_fires: Callable[[str, str, int], None] = lambda schedule, outcome, number: None,
    monotonic: Callable[[], float] = clock.monotonic,
) -> Duties:
    """All upkeep of a store; ``beat`` is a heartbeat in seconds, ``lease`` that of the worker, if it belongs to
    one, ``ending`` how the names of such leases end where workers serve the same queues, and ``poll_here`` sends that
    worker for jobs. A new duty is one line here.
    """
    session, by = client.session, who.name
    by_hand = client.clock
    # With a manual clock time passes in jumps: none of them is a step.
    store_clock = StoreClock(clock.monotonic if by_hand is None else lambda: by_hand() / 1000)
    deferral = RescueDeferral(beat=beat)
    store_watch = StoreWatch(
        session=session, by=by, deferral=deferral, store_clock=store_clock, lease=lease, ending=ending
    )
    promotion = Promotion(session=session, by=by, store_watch=store_watch, deferral=deferral, poll_here=poll_here)
    leadership = Leadership(session=session, holder=who.instance, store_watch=store_watch)
    scheduling = Scheduling(
        session=session,
        leadership=leadership,
        firing=Firing(session=session, make=scheduled_jobs(client).make),
        poll_here=poll_here,
        count_fires=count_fires,
    )
    duties: list[Duty] = [
        promotion,
        Rescue(session=session, by=by, now=client.now, store_watch=store_watch, deferral=deferral),
        StuckKeys(session=session, by=by),
        Vacuum(session=session, by=by, monotonic=monotonic),
        CounterCheck(session=session, by=by),
        Cleaning(
            session=session,
            by=by,
            retention=lambda: client.retention,
            archive=lambda: client.archive,
            monotonic=monotonic,
        ),
        *_early_cleaner(client, by=by, monotonic=monotonic),
        DeclaredSchedules(client),
        RollingUp(session=session, monotonic=monotonic),
        *delivery_duties(client, monotonic=monotonic),
        AlertEvaluation(session=session, leadership=leadership, rounds=rounds_of(client)),
        scheduling,
    ]
    return Duties(
        duties,
        leadership=leadership,
        session=session,
        store_watch=store_watch,
        woken=promotion,
        watched=scheduling,
    )


def _early_cleaner(client: Client, *, by: str, monotonic: Callable[[], float]) -> list[EarlyCleaner]:
    """None where it is switched off: a duty has a thread of its own."""
    above = client.early_cleaning
    if above is None:
        return []
    early = EarlyCleaning(above=lambda: above, measure=lambda: fullness(client.session.store_name))
    return [
        EarlyCleaner(session=client.session, by=by, archive=lambda: client.archive, early=early, monotonic=monotonic)
    ]
