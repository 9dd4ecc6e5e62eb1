"""Puts a worker together from its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Event
from typing import TYPE_CHECKING

from windlass.core import names
from windlass.core.duration import duration
from windlass.errors import ConfigError, Duration
from windlass.version import VERSION
from windlass.worker.attempt import Attempts
from windlass.worker.dispatcher import Dispatcher
from windlass.worker.duties.duties import Duties
from windlass.worker.duties.leading import Leading
from windlass.worker.executors.loop import LoopExecutor
from windlass.worker.executors.threads import ThreadExecutor
from windlass.worker.heartbeat import Heartbeat
from windlass.worker.identity import Identity, identity
from windlass.worker.pace import Pace
from windlass.worker.pump import Pump
from windlass.worker.room import Room
from windlass.worker.run import Run
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
) -> Worker:
    """A worker for an app; nothing is started. Without ``queues`` it serves those that the app's tasks name."""
    names.whole_number(concurrency, "concurrency", least=1, most=10_000)
    names.whole_number(heartbeat_failures, "heartbeat_failures", least=1)
    ttl = duration(lease, "lease").total_seconds()
    beat = ttl / 3 if heartbeat is None else duration(heartbeat, "heartbeat").total_seconds()
    if not 0 < beat <= ttl / 2:
        raise ConfigError(f"heartbeat must be at most half of the lease ({ttl:g} s), got {beat:g} s")
    weights = served_queues(app, queues)
    who = identity(prefix=name, version=version, id=id)
    session = app._session

    attempts = Attempts(
        codec=app._codec, retry=app._default_retry, give_up_on=app._give_up_on, worker=who.name, now=app._now
    )
    pace = Pace(concurrency=concurrency, is_on=prefetch)
    room = Room(weights, concurrency=concurrency, most=session.cycle_limit, pace=pace)
    wake = Event()

    def ended() -> None:
        if not wake.is_set():
            wake.set()

    def observe(run: Run, seconds: float, now: float) -> None:
        fetched = float("inf") if run.task.settings.prefetch == 0 else seconds
        pace.observe(run.job.queue, run.job.task, fetched, now=now)

    dispatcher = Dispatcher(concurrency=concurrency, on_ended=ended, on_run=observe)
    threads = ThreadExecutor(attempts=attempts, dispatcher=dispatcher)
    loop = LoopExecutor(attempts=attempts, dispatcher=dispatcher)
    dispatcher.threads, dispatcher.loop = threads, loop

    def make_pump(worker: Worker) -> Pump:
        return Pump(
            session=session,
            registry=app._registry,
            attempts=attempts,
            dispatcher=dispatcher,
            room=room,
            worker=who.name,
            lease=lambda: worker.lease,
            token=app._ids.next,
            report=worker.report_progress,
            wake=wake,
        )

    def make_heartbeat(worker: Worker) -> Heartbeat:
        return Heartbeat(
            session=session,
            worker=worker,
            instance=who.instance,
            new_lease=app._ids.next,
            ttl=ttl,
            interval=beat,
            failures_allowed=heartbeat_failures,
        )

    upkeep = build_duties(app, who, beat=beat) if duties else None
    leading = build_leading(app, who) if duties else None
    parts = Parts(session, attempts, dispatcher, threads, loop, room, make_pump, make_heartbeat, upkeep, leading)
    return Worker(
        parts,
        identity=who,
        queues=weights,
        concurrency=concurrency,
        grace=duration(grace, "grace").total_seconds(),
        version=VERSION,
    )


def build_duties(app: Windlass, who: Identity, *, beat: float) -> Duties:
    """Promoting and rescuing for an app's store; ``beat`` is a heartbeat in seconds."""
    return Duties(session=app._session, by=who.name, now=app._now, beat=beat)


def build_leading(app: Windlass, who: Identity) -> Leading:
    """What the leader does for an app's store."""
    return Leading(
        session=app._session,
        holder=who.instance,
        by=who.name,
        retention=lambda: app._retention,
        archive=lambda: app._archive,
    )


def served_queues(app: Windlass, queues: Mapping[str, int] | Sequence[str] | None) -> dict[str, int]:
    """Queue names with weights: those given, else the default queue and all that tasks name."""
    if queues is None:
        if not app.tasks and not app._registry.is_open:
            raise ConfigError("this worker would have nothing to do: it has neither tasks nor queues; pass queues=")
        return dict.fromkeys(app._known_queues(), 1)
    if isinstance(queues, str) or not queues:
        raise ConfigError(f"queues must name at least one queue, as in ['mail'] or {{'mail': 3}}; got {queues!r}")
    weights = dict(queues) if isinstance(queues, Mapping) else dict.fromkeys(queues, 1)
    return {
        names.queue_name(name): names.whole_number(weight, f"weight of queue {name!r}", least=1, most=1000)
        for name, weight in weights.items()
    }
