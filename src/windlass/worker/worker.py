"""The worker: threads with one duty each, started and stopped together."""

from __future__ import annotations

import logging
import os
import platform
import socket
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Any

import msgspec

from windlass import clock
from windlass.core.duration import duration
from windlass.core.ending import Ending
from windlass.core.outcome import Interrupted
from windlass.core.rules import read_retry
from windlass.core.state import State
from windlass.errors import ConfigError, Duration, WindlassError
from windlass.pull import progress_text
from windlass.session import Session
from windlass.store import queues
from windlass.store.driver import Topic
from windlass.store.jobs import finish, progress, promote
from windlass.store.leases import Control, Presence
from windlass.store.operation import Operation
from windlass.store.reading import depth
from windlass.worker.attempt import Attempts
from windlass.worker.dispatcher import Dispatcher
from windlass.worker.duties.duties import Duties
from windlass.worker.duties.leading import Leading
from windlass.worker.executors.loop import LoopExecutor
from windlass.worker.executors.threads import ThreadExecutor
from windlass.worker.heartbeat import Heartbeat
from windlass.worker.identity import Identity
from windlass.worker.pump import Pump
from windlass.worker.room import Room
from windlass.worker.run import Run, Stop
from windlass.worker.ticker import Ticker

log = logging.getLogger("windlass.worker")

# After the grace time; together they stay within the two seconds in which a worker is gone, whatever its store does.
_LAST_LINES = 0.25
_LAST_WRITES = 0.8
_LAST_ROUND = 0.1
_GOODBYE = 0.5


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """What a worker does at this moment."""

    name: str
    state: str
    running: int
    buffered: int
    ended: int
    refused: int
    queues: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Parts:
    """What a worker is made of; see ``build.py``."""

    session: Session
    attempts: Attempts
    dispatcher: Dispatcher
    threads: ThreadExecutor
    loop: LoopExecutor
    room: Room
    pump: Callable[[Worker], Pump]
    heartbeat: Callable[[Worker], Heartbeat]
    duties: Duties | None
    leading: Leading | None


class Worker:
    """Runs jobs in this process: ``with app.worker(): ...``, ``worker.run_until_empty()``, or ``app.run_worker()``.

    Constructing it starts nothing.
    """

    def __init__(
        self, parts: Parts, *, identity: Identity, queues: dict[str, int], concurrency: int, grace: float, version: str
    ) -> None:
        self._identity = identity
        self._queues = queues
        self._concurrency = concurrency
        self._grace = grace
        self._version = version
        self._session = parts.session
        self._attempts = parts.attempts
        self._dispatcher = parts.dispatcher
        self._threads = parts.threads
        self._loop = parts.loop
        self._room = parts.room
        self._leading = parts.leading
        self._heartbeat = parts.heartbeat(self)
        self._pump = parts.pump(self)
        self._pumping = Ticker(self._pump_once, name="pump", wake=self._pump.wake)
        self._beating = Ticker(self._heartbeat.tick, name="heartbeat")
        self._upkeep = None if parts.duties is None else Ticker(parts.duties.tick, name="duties")
        self._leadership = None if parts.leading is None else Ticker(parts.leading.tick, name="leader")
        self._unsubscribe: Callable[[], None] | None = None
        self._process = os.getpid()
        self._started: float | None = None
        self._is_stopped = False
        self._is_draining = False
        self._has_said_goodbye = False
        self._paused_here = False
        self._paused_by_signal = False
        self._rounds = Event()

    def __enter__(self) -> Worker:
        self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    @property
    def name(self) -> str:
        return self._identity.name

    @property
    def lease(self) -> str:
        """The lease under which it claims at this moment."""
        return self._heartbeat.lease

    @property
    def queues(self) -> dict[str, int]:
        """The queues it serves, with their weights."""
        return dict(self._queues)

    @property
    def concurrency(self) -> int:
        """How many jobs it runs at once."""
        return self._concurrency

    @property
    def is_stopped(self) -> bool:
        """Whether ``stop`` was called: it will not run again."""
        return self._is_stopped

    def start(self) -> None:
        """Open a lease and start all threads; raises ``StoreUnavailable`` when the store is away."""
        if self._process != os.getpid():
            raise ConfigError("this worker was made before a fork; make and start workers in the process they run in")
        if self._started is not None:
            raise ConfigError(f"worker {self.name} was started before; make a new one")
        self._session.run(queues.ensure([(name, None, None) for name in self._queues]))
        self._heartbeat.open()
        self._started = clock.monotonic()
        self._unsubscribe = self._session.subscribe(self._news, Topic.WORK)
        for ticker in self._tickers():
            ticker.start()

    def stop(self, *, grace: Duration | None = None, is_urgent: Callable[[], bool] = lambda: False) -> None:
        """Claim no more, give running jobs the grace time, hand the rest back uncharged. A second call is harmless.

        ``is_urgent`` is asked all along; once true, the grace time is over.
        """
        if self._started is None or self._is_stopped or self._process != os.getpid():
            return  # a child that was forked off has the object but not the worker
        self._is_stopped = True
        limit = self._grace if grace is None else duration(grace, "grace").total_seconds()
        until = clock.monotonic() + limit
        self._is_draining = True
        self._pump.drain()
        self._wait_until(lambda: is_urgent() or self._is_done(), until)
        self._hand_back_running()
        self._wait_until(self._is_done, clock.monotonic() + _LAST_WRITES)
        self._part(timeout=_GOODBYE)

    def run_until_empty(self, *, is_over: Callable[[], bool] = lambda: False) -> int:
        """Run jobs until nothing in its queues is ready, then stop; how many runs ended.

        Jobs that are due later stay where they are. ``is_over`` is asked all along; once true, it returns early.
        """
        if self._is_stopped or self._process != os.getpid():
            raise ConfigError(f"worker {self.name} runs no more here; make a new one")
        before = self._dispatcher.ended_count
        was_started = self._started is not None
        if not was_started:
            self.start()
        try:
            self._rounds.clear()
            while not (is_over() or self._is_empty()):
                clock.wait(self._rounds, 0.05)
                self._rounds.clear()
        finally:
            if not was_started:
                self.stop()
        return self._dispatcher.ended_count - before

    @property
    def is_paused(self) -> bool:
        """Whether ``pause`` was called here, and no ``resume`` since."""
        return self._paused_here

    def pause(self) -> None:
        """Claim no more until ``resume``; what runs goes on. Waits, a second at the most, for a claim under way."""
        self._paused_here = True
        self._follow_pause()
        if self._pumping.is_alive:
            self._rounds.clear()
            self._pump.ended()
            clock.wait(self._rounds, 1)

    def resume(self) -> None:
        """Go on claiming."""
        self._paused_here = False
        self._follow_pause()

    def status(self) -> WorkerStatus:
        """What it does at this moment."""
        return WorkerStatus(
            name=self.name,
            state=self.state,
            running=len(self._dispatcher.running()),
            buffered=self._dispatcher.buffered,
            ended=self._dispatcher.ended_count,
            refused=self._pump.refused_count,
            queues=dict(self._queues),
        )

    # What the heartbeat asks and tells.

    def presence(self) -> Presence:
        info = msgspec.json.encode(self._info()).decode()
        return Presence(self._identity.instance, self.name, self.state, info)

    def running(self) -> list[Run]:
        return self._dispatcher.running()

    def holds(self) -> set[tuple[int, int]]:
        return self._dispatcher.holds() | self._pump.holds()

    def hand_back_strays(self, strays: Collection[tuple[int, int]]) -> None:
        """Give back what the store says we hold and we know nothing of: an answer got lost on its way to us."""
        log.error("the store holds %s jobs in our name that never arrived; handing them back", len(strays))
        endings = [Ending(seq, fence, State.PENDING, rescue=1) for seq, fence in strays]
        self._session.run(finish(endings, worker=self.name))
        self._session.tell(Topic.WORK)

    def lease_lost(self) -> None:
        """Somebody else has, or will have, our jobs: stop what runs, forget what waits."""
        self._dispatcher.remove_buffered(lambda run: True)
        self.runs_lost(self._dispatcher.running())

    def runs_lost(self, runs: list[Run]) -> None:
        for run in runs:
            log.error("job %s: lost under fence %s; stopping it", run.job.id, run.job.fence)
            self._stop_run(run, Stop.GIVEN_UP)

    def obey(self, control: Control) -> None:
        self._paused_by_signal = control.signal == "pause"
        self._follow_pause()
        self._room.reweigh({name: queue.weight for name, queue in control.queues.items()})
        self._attempts.queue_rules = {
            name: rule for name, queue in control.queues.items() if (rule := read_retry(queue.retry)) is not None
        }
        if control.cancels:
            self._cancel(control.cancels)

    def report_progress(self, run: Run, value: float | None, text: str | None) -> bool:
        shown = progress_text(value, text)
        return self._session.run(progress(run.job.seq, run.job.fence, shown, worker=self.name))

    def _pump_once(self) -> float:
        self._pump.tick()
        self._rounds.set()
        return self._pump.pause()

    def _news(self) -> None:
        self._pump.news()
        if self._upkeep is not None:
            self._upkeep.wake.set()

    def _cancel(self, wanted: frozenset[tuple[int, int]]) -> None:
        def is_wanted(run: Run) -> bool:
            return (run.job.seq, run.job.fence) in wanted

        unstarted = self._dispatcher.remove_buffered(is_wanted)
        self._dispatcher.add_endings([(self._attempts.ending(run, Interrupted()), run.job) for run in unstarted])
        for run in filter(is_wanted, self._dispatcher.running()):
            self._stop_run(run, Stop.CANCELLED)

    def _stop_run(self, run: Run, stop: Stop) -> None:
        if run.stop is None:
            run.stop = stop
            self._dispatcher.interrupt(run)

    def _hand_back_running(self) -> None:
        """The grace time is over: interrupt what can be interrupted, then hand back whatever still runs."""
        for run in self._dispatcher.running():
            self._stop_run(run, Stop.GIVEN_UP)
        self._wait_until(lambda: not self._dispatcher.in_flight, clock.monotonic() + _LAST_LINES)
        given_up = self._dispatcher.give_up(self._dispatcher.running())
        for run in given_up:
            log.warning("job %s still runs; handing it back", run.job.id)
        self._dispatcher.add_endings([(self._attempts.ending(run, Interrupted()), run.job) for run in given_up])

    def _part(self, *, timeout: float) -> None:
        """End all threads and take leave of the store, on a thread of its own: a store that is away may hold any step
        up, but not the process.
        """
        parting = Thread(target=self._shut_down, name="windlass-parting", daemon=True)
        parting.start()
        parting.join(timeout)
        if not self._has_said_goodbye:
            log.warning("the store does not answer; leaving without a goodbye, jobs come back when the lease is over")

    def _shut_down(self) -> None:
        if self._unsubscribe is not None:
            self._unsubscribe()
        for ticker in (self._upkeep, self._leadership):
            if ticker is not None:
                ticker.stop(timeout=_LAST_ROUND)  # it may be a long cleaning, which nobody needs to wait for
        self._pumping.stop()
        self._beating.stop()
        try:
            self._heartbeat.close()
            if self._leading is not None:
                self._leading.resign()
        except WindlassError as error:
            log.warning("could not say goodbye to the store; its jobs come back when the lease is over: %s", error)
        self._has_said_goodbye = True
        self._threads.close()
        self._loop.close()

    def _wait_until(self, is_done: Callable[[], bool], until: float) -> None:
        while not is_done():
            left = until - clock.monotonic()
            if left <= 0:
                return
            self._rounds.clear()
            self._pump.ended()
            clock.wait(self._rounds, min(left, 0.05))

    def _is_done(self) -> bool:
        """Whether nothing runs, waits or is on its way to or from the store."""
        return self._pump.is_idle and not self._dispatcher.is_busy

    def _is_empty(self) -> bool:
        cycles = self._pump.cycle_count
        if not self._is_done():
            return False
        if self._session.run(self._ready_jobs()):
            self._pump.news()
            return False
        # A job that was taken while we counted the ready ones is in no count, and may be ready again by now.
        return self._pump.cycle_count == cycles

    def _ready_jobs(self) -> Operation[int]:
        """How many jobs could be claimed now: an uncached count, so that nothing that just came back is missed."""
        yield from promote()
        depths = yield from depth()
        paused = {name for name, queue in (yield from queues.settings()).items() if queue.paused_at is not None}
        if queues.ALL in paused or not self._pump.may_claim:
            return 0
        return sum(depths[name].ready for name in self._queues if name in depths and name not in paused)

    def _follow_pause(self) -> None:
        was_allowed, self._pump.may_claim = (
            self._pump.may_claim,
            not (self._paused_here or self._paused_by_signal or self._is_draining),
        )
        if self._pump.may_claim and not was_allowed:
            self._pump.news()

    @property
    def state(self) -> str:
        """starting, idle, busy, paused or draining."""
        if self._started is None:
            return "starting"
        if self._is_draining:
            return "draining"
        if not self._pump.may_claim:
            return "paused"
        return "busy" if self._dispatcher.in_flight else "idle"

    def _tickers(self) -> list[Ticker]:
        return [
            ticker for ticker in (self._beating, self._upkeep, self._leadership, self._pumping) if ticker is not None
        ]

    def _info(self) -> dict[str, Any]:
        running = self._dispatcher.running()
        return {
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "queues": list(self._queues),
            "concurrency": self._concurrency,
            "python": platform.python_version(),
            "version": self._version,
            "uptime": round(clock.monotonic() - self._started) if self._started is not None else 0,
            "running": [{"id": run.job.id, "task": run.job.task} for run in running[:20]],
            "running_count": len(running),
            "ended": self._dispatcher.ended_count,
            "refused": self._pump.refused_count,
        }
