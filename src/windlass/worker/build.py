"""Puts a worker together from its parts."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import inf
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from windlass import clock
from windlass.commands.tasks import worker_tasks
from windlass.core import kinds, names
from windlass.core.duration import duration
from windlass.core.memory import memory
from windlass.errors import ConfigError, Duration
from windlass.worker.attempt import Attempts
from windlass.worker.dispatcher import Dispatcher
from windlass.worker.duties.duties import Duties
from windlass.worker.duties.leading import Leading
from windlass.worker.duties.store_clock import StoreClock
from windlass.worker.exchange import Exchange
from windlass.worker.executors.child.finding import check_places
from windlass.worker.executors.loop import LoopExecutor
from windlass.worker.executors.processes import ProcessExecutor
from windlass.worker.executors.threads import ThreadExecutor
from windlass.worker.executors.wear import ChildLimits
from windlass.worker.heartbeat import Beats, Heartbeat
from windlass.worker.identity import Identity, identity
from windlass.worker.pace import Pace
from windlass.worker.portrait import Portrait
from windlass.worker.progress import report_progress
from windlass.worker.pump import Pump
from windlass.worker.recent import Recent
from windlass.worker.room import Room
from windlass.worker.run import Run
from windlass.worker.skew import Skew
from windlass.worker.steering import Steering
from windlass.worker.watch import Watch
from windlass.worker.worker import Parts, Worker

if TYPE_CHECKING:
    from windlass.app import Windlass


def build_worker(
    app: Windlass,
    queues: Mapping[str, int] | Sequence[str] | None = None,
    *,
    concurrency: int = 10,
    lease: Duration = "30s",
    heartbeat: Duration | None = None,
    heartbeat_failures: int = 3,
    grace: Duration = "30s",
    name: str | None = None,
    version: str | None = None,
    id: str | None = None,
    duties: bool = True,
    prefetch: bool = True,
    stop_patience: Duration = "5s",
    children: int | None = None,
    child_max_jobs: int | None = None,
    child_max_memory: int | str | None = None,
    allow_commands: bool = False,
    commands_folder: str | Path | None = None,
) -> Worker:
    """A worker for an app; nothing is started. Without ``queues`` it serves those that the app's tasks name."""
    names.whole_number(concurrency, "concurrency", least=1, most=10_000)
    names.whole_number(heartbeat_failures, "heartbeat_failures", least=1)
    for flag, value in (("duties", duties), ("prefetch", prefetch), ("allow_commands", allow_commands)):
        kinds.flag(value, flag)
    beats = _beats(lease, heartbeat, heartbeat_failures)
    weights = served_queues(app, queues, allow_commands=allow_commands)
    check_places(app.tasks)
    who = identity(prefix=name, version=version, id=id)
    grace_time = duration(grace, "grace").total_seconds()
    patience = duration(stop_patience, "stop_patience").total_seconds()
    # A program has to be gone before its run would count as one that does not stop.
    tasks, close_commands = worker_tasks(
        app, allow_commands=allow_commands, folder=commands_folder, kill_after=patience / 2
    )

    attempts = Attempts(
        codec=app._codec, retry=app._default_retry, give_up_on=app._give_up_on, worker=who.name, now=app._now
    )
    pace = Pace(concurrency=concurrency, is_on=prefetch)
    wake = Event()
    dispatcher = Dispatcher(concurrency=concurrency, on_ended=lambda: pump.ended(), on_run=partial(_observe, pace))
    limits = _child_limits(children, child_max_jobs, child_max_memory, concurrency=concurrency)
    loop, close_executors = _give_executors(dispatcher, attempts, limits, worker=who.name)
    room = Room(weights, concurrency=concurrency, most=app._session.cycle_limit, pace=pace)
    recent = Recent()
    exchange = Exchange(
        session=app._session,
        attempts=attempts,
        worker=who.name,
        lease=lambda: beating.lease,
        token=app._ids.next,
    )
    pump = Pump(
        session=app._session,
        registry=tasks,
        attempts=attempts,
        dispatcher=dispatcher,
        room=room,
        exchange=exchange,
        report=partial(report_progress, app._session, who.name),
        recent=recent,
        wake=wake,
    )
    steering = Steering(
        session=app._session, attempts=attempts, dispatcher=dispatcher, room=room, pump=pump, worker=who.name
    )
    portrait = Portrait(
        identity=who,
        queues=weights,
        allows_commands=allow_commands,
        dispatcher=dispatcher,
        pump=pump,
        recent=recent,
    )
    beating = Heartbeat(
        session=app._session,
        steering=steering,
        portrait=portrait,
        skew=Skew(session=app._session, worker=who.name, now=app._now),
        new_lease=app._ids.next,
        beats=beats,
    )
    watch = Watch(
        session=app._session,
        attempts=attempts,
        dispatcher=dispatcher,
        worker=who.name,
        patience=patience,
        looks=(beating.look, loop.look),
    )
    parts = Parts(
        session=app._session,
        dispatcher=dispatcher,
        pump=pump,
        steering=steering,
        portrait=portrait,
        heartbeat=beating,
        watch=watch,
        duties=build_duties(app, who, beat=beats.interval) if duties else None,
        leading=build_leading(app, who) if duties else None,
        close_executors=(*close_executors, close_commands),
    )
    return Worker(parts, grace=grace_time)


def _give_executors(
    dispatcher: Dispatcher, attempts: Attempts, limits: ChildLimits, *, worker: str
) -> tuple[LoopExecutor, tuple[Callable[[], None], ...]]:
    """One for each kind of task; the event loop, for whoever watches it, and how to close them all."""
    dispatcher.threads = threads = ThreadExecutor(attempts=attempts, dispatcher=dispatcher)
    dispatcher.loop = loop = LoopExecutor(attempts=attempts, dispatcher=dispatcher)
    dispatcher.processes = processes = ProcessExecutor(
        attempts=attempts, dispatcher=dispatcher, limits=limits, worker=worker
    )
    return loop, (threads.close, loop.close, processes.close)


def _beats(lease: Duration, heartbeat: Duration | None, failures_allowed: int) -> Beats:
    ttl = duration(lease, "lease").total_seconds()
    interval = ttl / 3 if heartbeat is None else duration(heartbeat, "heartbeat").total_seconds()
    if not 0 < interval <= ttl / 2:
        raise ConfigError(f"heartbeat must be at most half of the lease ({ttl:g} s), got {interval:g} s")
    return Beats(ttl, interval, failures_allowed)


def _child_limits(
    count: int | None, max_jobs: int | None, max_memory: int | str | None, *, concurrency: int
) -> ChildLimits:
    if count is not None:
        names.whole_number(count, "children", least=1, most=1_000)
    if max_jobs is not None:
        names.whole_number(max_jobs, "child_max_jobs", least=1)
    most = min(concurrency, os.cpu_count() or 1)
    largest = None if max_memory is None else memory(max_memory, "child_max_memory")
    return ChildLimits(count or most, max_jobs, largest)


def _observe(pace: Pace, run: Run, seconds: float, now: float) -> None:
    fetched = inf if run.task.settings.prefetch == 0 else seconds
    pace.observe(run.job.queue, run.job.task, fetched, now=now)


def build_duties(app: Windlass, who: Identity, *, beat: float) -> Duties:
    """Promoting and rescuing for an app's store; ``beat`` is a heartbeat in seconds."""
    by_hand = app._clock
    # A clock that a test moves by hand is not stepped: time passes with it.
    monotonic = clock.monotonic if by_hand is None else lambda: by_hand() / 1000
    return Duties(session=app._session, by=who.name, now=app._now, beat=beat, store_clock=StoreClock(monotonic))


def build_leading(app: Windlass, who: Identity) -> Leading:
    """What the leader does for an app's store."""
    return Leading(
        session=app._session,
        holder=who.instance,
        by=who.name,
        retention=lambda: app._retention,
        archive=lambda: app._archive,
    )


def served_queues(
    app: Windlass, queues: Mapping[str, int] | Sequence[str] | None, *, allow_commands: bool
) -> dict[str, int]:
    """Queue names with weights: those given, else the default queue and all that tasks name."""
    if queues is None:
        if not (app.tasks or app._registry.is_open or allow_commands):
            raise ConfigError("this worker would have nothing to do: it has neither tasks nor queues; pass queues=")
        return dict.fromkeys(app._known_queues(), 1)
    given: object = queues
    if not isinstance(given, Mapping | Sequence) or isinstance(given, str) or not queues:
        raise ConfigError(f"queues must name at least one queue, as in ['mail'] or {{'mail': 3}}; got {queues!r}")
    weights = dict(queues) if isinstance(queues, Mapping) else dict.fromkeys(queues, 1)
    return {
        names.queue_name(name): names.whole_number(weight, f"weight of queue {name!r}", least=1, most=1000)
        for name, weight in weights.items()
    }
