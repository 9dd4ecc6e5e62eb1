"""Puts a worker together from its parts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf

from windlass import clock
from windlass.client.client import Client
from windlass.programs.reaper import Reaper
from windlass.programs.tasks import worker_tasks
from windlass.steps.run_steps import StepStore
from windlass.store.driver import Topic
from windlass.store.operations.leases import lease_ending, lease_name
from windlass.threads.wakeup import Wakeup
from windlass.worker.duties.build import build_duties
from windlass.worker.duties.duties import Duties, duty_ticker
from windlass.worker.duties.schedules.declaration import DeclaredSchedules
from windlass.worker.executors.event_loop.executor import LoopExecutor, import_event_loop
from windlass.worker.executors.processes.child_side.task_lookup import check_places
from windlass.worker.executors.processes.executor import ProcessExecutor
from windlass.worker.executors.processes.recycling import ChildLimits
from windlass.worker.executors.threads import ThreadExecutor
from windlass.worker.fetch.capacity import FEW, Capacity
from windlass.worker.fetch.claim_size import ClaimSize
from windlass.worker.fetch.cycle_client import CycleClient
from windlass.worker.fetch.intake import Intake
from windlass.worker.fetch.prefetch import NoPrefetch, PooledPrefetch, Prefetch, PrefetchByQueue
from windlass.worker.fetch.pump import Pump
from windlass.worker.fetch.written_endings import WrittenEndings
from windlass.worker.figures.gatherer import Gatherer
from windlass.worker.figures.minute_report import MinuteReport
from windlass.worker.figures.sender import FigureSender
from windlass.worker.lease.clock_skew import ClockSkew
from windlass.worker.lease.control import WorkerControl
from windlass.worker.lease.heartbeat import Heartbeat
from windlass.worker.notifications.standby import Standby
from windlass.worker.recent_jobs import RecentJobs
from windlass.worker.release import release_of
from windlass.worker.runs.attempt import AttemptRules
from windlass.worker.runs.dispatcher import Dispatcher
from windlass.worker.runs.logs.run_log import RunLog
from windlass.worker.runs.reporting import report_progress
from windlass.worker.runs.run import Run
from windlass.worker.runs.throttles import Throttles
from windlass.worker.runs.trips import Trips
from windlass.worker.runs.unknown_tasks import UnknownTasks
from windlass.worker.runs.watchdog import Check, Watchdog
from windlass.worker.settings import WorkerSettings
from windlass.worker.status import StatusReporter
from windlass.worker.worker import Parts, Worker

_UNCLAIMED = {False: (Topic.WORK, Topic.BACKLOG), True: (Topic.BACKLOG,)}
"""By whether a worker is on standby: with notifications of these a job does not stay unclaimed for long."""


def build_worker(
    client: Client, settings: WorkerSettings, *, reaper: Reaper, monotonic: Callable[[], float] = clock.monotonic
) -> Worker:
    """A worker; nothing is started. ``monotonic`` is the clock of its heartbeat."""
    check_places(client.registry)
    for task in client.registry:
        client.encryption.encrypts(task.settings.encrypt, f"task {task.name!r}")
    session, who = client.session, settings.identity
    # A program must have ended before the watchdog would abandon its run.
    tasks, close_commands = worker_tasks(
        client.registry,
        reaper=reaper,
        allow_commands=settings.allows_commands,
        folder=settings.commands_folder,
        kill_after=settings.stop_patience / 2,
    )
    unknown_tasks, throttles = UnknownTasks(), Throttles(session=session, worker=who.name)
    attempts = AttemptRules(
        codec=client.codec,
        retry=client.retry,
        give_up_on=client.give_up_on,
        worker=who.name,
        now=client.now,
        unknown_tasks=unknown_tasks,
        throttles=throttles,
        encryption=client.encryption,
    )
    prefetch = _prefetch(settings)
    dispatcher = Dispatcher(
        concurrency=settings.concurrency, on_ended=lambda: pump.ended(), on_run=partial(_observe, prefetch)
    )
    if any(task.is_async for task in client.registry):
        import_event_loop()
    checks, close_executors = _give_executors(dispatcher, attempts, settings.children, worker=who.name)
    capacity = Capacity(
        settings.weights,
        concurrency=settings.concurrency,
        most=session.cycle_limit,
        least=session.smallest_cycle,
        prefetch=prefetch,
        claim_size=ClaimSize(),
        limits=settings.limits or None,
    )
    recent, gatherer = RecentJobs(), Gatherer(worker=who.name)
    trips = Trips(session=session, tasks=tasks, throttles=throttles)
    written = WrittenEndings(
        session=session,
        recent=recent,
        run_log=RunLog(worker=who.name),
        worker=who.name,
        count=(gatherer.ended, trips.ended),
    )
    standby = Standby(
        peers=lambda: 1 if duties is None else duties.peers,
        is_keeper=lambda: duties is None or duties.is_keeper,
    )
    pump = Pump(
        session=session,
        attempts=attempts,
        dispatcher=dispatcher,
        capacity=capacity,
        cycle_client=CycleClient(
            session=session,
            attempts=attempts,
            worker=who.name,
            lease=lambda: beating.lease,
            token=client.ids.next,
            encryption=client.encryption,
        ),
        intake=Intake(
            registry=tasks,
            attempts=attempts,
            throttles=throttles,
            encryption=client.encryption,
            report=partial(report_progress, session, who.name, encryption=client.encryption),
            steps=StepStore(session, client.codec, who.name, client.encryption),
        ),
        written=written,
        throttles=throttles,
        wake=Wakeup(),
        standby=standby,
        is_watched=lambda: duties is not None and session.hears(*_UNCLAIMED[standby.is_on]),
    )
    control = WorkerControl(
        session=session,
        attempts=attempts,
        dispatcher=dispatcher,
        capacity=capacity,
        pump=pump,
        throttles=throttles,
        follow_muted=gatherer.follow_muted,
        worker=who.name,
    )
    status_reporter = StatusReporter(
        identity=who,
        shares=settings.queues,
        allows_commands=settings.allows_commands,
        has_duties=settings.has_duties,
        dispatcher=dispatcher,
        pump=pump,
        written=written,
        recent=recent,
        unknown_tasks=unknown_tasks,
        duties=lambda: duties,
        skew=lambda: skew.seconds,
        release=partial(release_of, who.version, client.registry),
    )
    skew = ClockSkew(session=session, worker=who.name, now=client.now)
    beating = Heartbeat(
        session=session,
        control=control,
        status_reporter=status_reporter,
        skew=skew,
        new_lease=lambda: lease_name(client.ids.next(), has_duties=settings.has_duties, queues=settings.queues),
        beats=settings.beats,
        monotonic=monotonic,
    )
    watch = Watchdog(
        session=session,
        attempts=attempts,
        dispatcher=dispatcher,
        worker=who.name,
        patience=settings.stop_patience,
        checks=(beating.check, dispatcher.check, *checks),
    )
    duties = _duties(client, settings, beating, gatherer, poll_here=pump.poll_soon)
    parts = Parts(
        session=session,
        limits=client.declared_limits,
        dispatcher=dispatcher,
        pump=pump,
        control=control,
        status_reporter=status_reporter,
        heartbeat=beating,
        watch=watch,
        duties=duties,
        declaration=None if duties else duty_ticker(DeclaredSchedules(client)),
        figures=FigureSender(
            session=session,
            gatherer=gatherer,
            instance=who.instance,
            now=client.now,
            report=MinuteReport(
                session=session, name=who.name, facts=partial(_facts, status_reporter, dispatcher)
            ).tick,
        ),
        close_executors=(*close_executors, close_commands),
        seed_queues=client.seed_queues,
        declare_key_limits=client.declare_key_limits,
    )
    return Worker(parts, grace=settings.grace, shutdown_times=settings.shutdown_times)


def _facts(status_reporter: StatusReporter, dispatcher: Dispatcher) -> dict[str, object]:
    """What a worker logs of itself every minute."""
    return {
        "state": status_reporter.state,
        "running": dispatcher.running_count,
        "slots": dispatcher.concurrency,
        "ended": dispatcher.ended_count,
        "failed": dispatcher.failed_count,
    }


def _give_executors(
    dispatcher: Dispatcher, attempts: AttemptRules, limits: ChildLimits, *, worker: str
) -> tuple[tuple[Check, ...], tuple[Callable[[], None], ...]]:
    """One executor for each kind of task, and the functions that check and close all of them."""
    dispatcher.threads = threads = ThreadExecutor(attempts=attempts, dispatcher=dispatcher)
    dispatcher.loop = loop = LoopExecutor(attempts=attempts, dispatcher=dispatcher)
    dispatcher.processes = processes = ProcessExecutor(
        attempts=attempts, dispatcher=dispatcher, limits=limits, worker=worker
    )
    return (threads.check, loop.check, processes.check), (threads.close, loop.close, processes.close)


def _prefetch(settings: WorkerSettings) -> Prefetch:
    if not settings.prefetches or settings.limits:
        return NoPrefetch()
    kind = PrefetchByQueue if len(settings.queues) <= FEW else PooledPrefetch
    return kind(concurrency=settings.concurrency)


def _observe(prefetch: Prefetch, run: Run, seconds: float, now: float) -> None:
    # A job that waits in the buffer starts long after its token.
    is_fetched_late = run.job.rate_key is not None or run.task.settings.prefetch == 0
    fetched = inf if is_fetched_late else seconds
    prefetch.observe(run.job.queue, run.job.task, fetched, now=now)


def _duties(
    client: Client, settings: WorkerSettings, beating: Heartbeat, gatherer: Gatherer, *, poll_here: Callable[[], None]
) -> Duties | None:
    if not settings.has_duties:
        return None
    return build_duties(
        client,
        settings.identity,
        beat=settings.beats.interval,
        lease=lambda: beating.lease,
        ending=lease_ending(settings.queues),
        poll_here=poll_here,
        count_fires=gatherer.fired,
    )
