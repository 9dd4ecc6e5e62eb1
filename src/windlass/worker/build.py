"""Puts a worker together from its parts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf
from typing import TYPE_CHECKING

from windlass import clock
from windlass.commands.tasks import worker_tasks
from windlass.store.driver import Topic
from windlass.store.leases import lease_name
from windlass.wake import Wake
from windlass.worker.attempt import Attempts
from windlass.worker.dispatcher import Dispatcher
from windlass.worker.duties.cleaning import Cleaning
from windlass.worker.duties.duties import Duties
from windlass.worker.duties.duty import Duty
from windlass.worker.duties.leadership import Leadership
from windlass.worker.duties.outlook import Outlook
from windlass.worker.duties.promotion import Promotion
from windlass.worker.duties.rescue import Rescue
from windlass.worker.duties.store_clock import StoreClock
from windlass.worker.duties.vacuum import Vacuum
from windlass.worker.exchange import Exchange
from windlass.worker.executors.child.finding import check_places
from windlass.worker.executors.loop import LoopExecutor
from windlass.worker.executors.processes import ProcessExecutor
from windlass.worker.executors.threads import ThreadExecutor
from windlass.worker.executors.wear import ChildLimits
from windlass.worker.heartbeat import Heartbeat
from windlass.worker.identity import Identity
from windlass.worker.pace import NoPrefetch, Pace, PaceByQueue, PooledPace
from windlass.worker.portrait import Portrait
from windlass.worker.progress import report_progress
from windlass.worker.pump import Pump
from windlass.worker.recent import Recent
from windlass.worker.room import FEW, Room
from windlass.worker.run import Run
from windlass.worker.run_log import RunLog
from windlass.worker.settings import WorkerSettings
from windlass.worker.skew import Skew
from windlass.worker.steering import Steering
from windlass.worker.unknown_tasks import UnknownTasks
from windlass.worker.watch import Look, Watch
from windlass.worker.worker import Parts, Worker

if TYPE_CHECKING:
    from windlass.app import Windlass


def build_worker(
    app: Windlass, settings: WorkerSettings, *, monotonic: Callable[[], float] = clock.monotonic
) -> Worker:
    """A worker for an app; nothing is started. ``monotonic`` is the clock of its heartbeat."""
    check_places(app.tasks)
    binding = app._binding
    session, who = binding.session, settings.identity
    # A program has to be gone before its run would count as one that does not stop.
    tasks, close_commands = worker_tasks(
        app,
        allow_commands=settings.allows_commands,
        folder=settings.commands_folder,
        kill_after=settings.stop_patience / 2,
    )
    unknown_tasks = UnknownTasks()
    attempts = Attempts(
        codec=app._codec,
        retry=app._default_retry,
        give_up_on=app._give_up_on,
        worker=who.name,
        now=binding.now,
        unknown_tasks=unknown_tasks,
    )
    pace = _pace(settings)
    dispatcher = Dispatcher(
        concurrency=settings.concurrency, on_ended=lambda: pump.ended(), on_run=partial(_observe, pace)
    )
    looks, close_executors = _give_executors(dispatcher, attempts, settings.children, worker=who.name)
    room = Room(settings.queues, concurrency=settings.concurrency, most=session.cycle_limit, pace=pace)
    recent = Recent()
    pump = Pump(
        session=session,
        registry=tasks,
        attempts=attempts,
        dispatcher=dispatcher,
        room=room,
        exchange=Exchange(
            session=session, attempts=attempts, worker=who.name, lease=lambda: beating.lease, token=binding.ids.next
        ),
        report=partial(report_progress, session, who.name),
        recent=recent,
        run_log=RunLog(worker=who.name),
        wake=Wake(),
        workers=lambda: 1 if duties is None else duties.workers,
        is_watched=lambda: duties is not None and session.hears(Topic.WORK, Topic.BACKLOG),
    )
    steering = Steering(
        session=session, attempts=attempts, dispatcher=dispatcher, room=room, pump=pump, worker=who.name
    )
    portrait = Portrait(
        identity=who,
        queues=settings.queues,
        allows_commands=settings.allows_commands,
        has_duties=settings.has_duties,
        dispatcher=dispatcher,
        pump=pump,
        recent=recent,
        unknown_tasks=unknown_tasks,
    )
    beating = Heartbeat(
        session=session,
        steering=steering,
        portrait=portrait,
        skew=Skew(session=session, worker=who.name, now=binding.now),
        new_lease=lambda: lease_name(binding.ids.next(), has_duties=settings.has_duties),
        beats=settings.beats,
        monotonic=monotonic,
    )
    watch = Watch(
        session=session,
        attempts=attempts,
        dispatcher=dispatcher,
        worker=who.name,
        patience=settings.stop_patience,
        looks=(beating.look, dispatcher.look, *looks),
    )
    duties = _duties(app, settings, beating, poll_here=pump.poll_soon)
    parts = Parts(
        session=session,
        dispatcher=dispatcher,
        pump=pump,
        steering=steering,
        portrait=portrait,
        heartbeat=beating,
        watch=watch,
        duties=duties,
        close_executors=(*close_executors, close_commands),
    )
    return Worker(parts, grace=settings.grace, parting=settings.parting)


def _give_executors(
    dispatcher: Dispatcher, attempts: Attempts, limits: ChildLimits, *, worker: str
) -> tuple[tuple[Look, ...], tuple[Callable[[], None], ...]]:
    """One for each kind of task; how to watch and how to close them all."""
    dispatcher.threads = threads = ThreadExecutor(attempts=attempts, dispatcher=dispatcher)
    dispatcher.loop = loop = LoopExecutor(attempts=attempts, dispatcher=dispatcher)
    dispatcher.processes = processes = ProcessExecutor(
        attempts=attempts, dispatcher=dispatcher, limits=limits, worker=worker
    )
    return (threads.look, loop.look, processes.look), (threads.close, loop.close, processes.close)


def _pace(settings: WorkerSettings) -> Pace:
    if not settings.prefetches:
        return NoPrefetch()
    kind = PaceByQueue if len(settings.queues) <= FEW else PooledPace
    return kind(concurrency=settings.concurrency)


def _observe(pace: Pace, run: Run, seconds: float, now: float) -> None:
    fetched = inf if run.task.settings.prefetch == 0 else seconds
    pace.observe(run.job.queue, run.job.task, fetched, now=now)


def _duties(
    app: Windlass, settings: WorkerSettings, beating: Heartbeat, *, poll_here: Callable[[], None]
) -> Duties | None:
    if not settings.has_duties:
        return None
    return build_duties(
        app, settings.identity, beat=settings.beats.interval, lease=lambda: beating.lease, poll_here=poll_here
    )


def build_duties(
    app: Windlass,
    who: Identity,
    *,
    beat: float,
    lease: Callable[[], str | None] = lambda: None,
    poll_here: Callable[[], None] = lambda: None,
    monotonic: Callable[[], float] = clock.monotonic,
) -> Duties:
    """All upkeep of an app's store; ``beat`` is a heartbeat in seconds, ``lease`` that of the worker, if it belongs to
    one, and ``poll_here`` sends that worker for jobs. A new duty is one line here.
    """
    binding = app._binding
    session, by = binding.session, who.name
    by_hand = binding.clock
    # A clock that a test moves by hand is not stepped: time passes with it.
    store_clock = StoreClock(clock.monotonic if by_hand is None else lambda: by_hand() / 1000)
    outlook = Outlook(session=session, by=by, beat=beat, store_clock=store_clock, lease=lease)
    promotion = Promotion(session=session, by=by, outlook=outlook, poll_here=poll_here)
    duties: list[Duty] = [
        promotion,
        Rescue(session=session, by=by, now=binding.now, outlook=outlook),
        Vacuum(session=session, by=by, monotonic=monotonic),
        Cleaning(
            session=session,
            by=by,
            retention=lambda: binding.retention,
            archive=lambda: binding.archive,
            monotonic=monotonic,
        ),
    ]
    leadership = Leadership(session=session, holder=who.instance, outlook=outlook)
    return Duties(duties, leadership=leadership, session=session, outlook=outlook, woken=promotion)
