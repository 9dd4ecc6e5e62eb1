"""The worker: one thread for each loop, started and stopped together."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial

from msgspec import Struct

from windlass import clock
from windlass.client.session import Session
from windlass.core.units import duration
from windlass.errors import ConfigError, Duration, StartRefused, WindlassError
from windlass.limit import DeclaredLimits
from windlass.options import QueueShare
from windlass.store.operation import Operation
from windlass.store.operations.jobs import promote
from windlass.store.operations.queries import next_due, waiting
from windlass.threads.in_thread import in_thread
from windlass.threads.log_relay import relay
from windlass.threads.start import start_thread
from windlass.threads.wakeup import Wakeup
from windlass.worker.duties.duties import Duties, duty_ticker
from windlass.worker.executors.processes.child_side.name import is_child
from windlass.worker.fetch.pump import Pump
from windlass.worker.figures.sender import FigureSender
from windlass.worker.lease.control import WorkerControl
from windlass.worker.lease.heartbeat import Heartbeat
from windlass.worker.liveness import WorkerLiveness
from windlass.worker.notifications.subscriptions import Subscriptions
from windlass.worker.process.own_threads import DEATHS_ALLOWED, OwnThreads
from windlass.worker.process.program_end import AtExit, NextInterrupt, has_interrupted_loop, log_waiting
from windlass.worker.process.stop_order import Stop, Urgency
from windlass.worker.runs.dispatcher import Dispatcher
from windlass.worker.runs.logs.job_log import capture_logs
from windlass.worker.runs.watchdog import Watchdog
from windlass.worker.shutdown import Shutdown, ShutdownTimes
from windlass.worker.status import StatusReporter, WorkerStatus
from windlass.worker.ticker import Ticker

log = logging.getLogger("windlass.worker")

_LAST_RECORDS = 0.25
"""Seconds that a worker which stops waits at the most until log handlers have taken the records of its threads."""


class Parts(Struct, frozen=True):
    """What a worker is made of; see ``build.py``."""

    session: Session
    limits: DeclaredLimits
    dispatcher: Dispatcher
    pump: Pump
    control: WorkerControl
    status_reporter: StatusReporter
    heartbeat: Heartbeat
    watch: Watchdog
    duties: Duties | None
    declaration: Ticker | None
    """Declares schedules, in a worker without duties."""
    figures: FigureSender
    close_executors: tuple[Callable[[], None], ...]
    seed_queues: Callable[[Iterable[str]], Operation[None]]
    declare_key_limits: Callable[[], Operation[None]]


class Worker:
    """Runs jobs in this process: ``with app.worker(): ...``, ``worker.run_until_empty()``, or ``app.run_worker()``.

    Constructing it starts nothing.

    >>> from windlass import Windlass
    >>> app = Windlass("sqlite:///:memory:")
    >>> @app.task(name="double")
    ... def double(number: int) -> int:
    ...     return 2 * number
    >>> with app.worker(name="shop", id="1") as worker:
    ...     worker.name, double.enqueue(21).result(timeout=5)
    ('shop-worker-1', 42)
    >>> app.close()
    """

    def __init__(self, parts: Parts, *, grace: float, shutdown_times: ShutdownTimes) -> None:
        self._grace = grace
        self._session = parts.session
        self._limits = parts.limits
        self._dispatcher = parts.dispatcher
        self._pump = parts.pump
        self._control = parts.control
        self._status = parts.status_reporter
        self._heartbeat = parts.heartbeat
        self._close_executors = parts.close_executors
        self._seed_queues = parts.seed_queues
        self._declare_key_limits = parts.declare_key_limits
        self._pumping = Ticker(self._pump_once, name="pump", wake=self._pump.wake)
        self._beating = Ticker(self._beat_once, name="heartbeat")
        self._watch = parts.watch
        self._watching = Ticker(self._watch_once, name="watch")
        self._duties = parts.duties
        self._declaration = parts.declaration
        self._sending_figures = duty_ticker(parts.figures)
        # The pump comes last: if another one cannot start, nothing has been claimed.
        self._threads = OwnThreads([self._beating, self._watching, *self._upkeep_tickers(), self._pumping])
        self.liveness = WorkerLiveness(
            heartbeat=parts.heartbeat,
            pumping=self._pumping,
            status_reporter=parts.status_reporter,
            losses=[self._threads.trouble],
            troubles=[self._no_slots],
        )
        """Whether it is alive and ready, for health checks."""
        self.totals = parts.figures.totals
        """What it has run since it was made, by queue and task, for ``/metrics``."""
        self._rounds = Wakeup()
        self._shutdown = Shutdown(
            pump=parts.pump,
            dispatcher=parts.dispatcher,
            control=parts.control,
            heartbeat=parts.heartbeat,
            duties=parts.duties,
            figures=parts.figures,
            rounds=self._rounds,
            shutdown_times=shutdown_times,
        )
        self._subscriptions = Subscriptions(
            parts.session,
            notified=self._notified,
            from_elsewhere=self._notified_from_elsewhere,
            backlog=parts.pump.poll_soon,
            orders=self._ask_soon,
        )
        self._process = os.getpid()
        self._at_exit = AtExit(self._stop_at_exit)
        self._is_started = False
        self._stop = Stop(self._stop_once)
        self.starts_paused = False
        """Whether ``start`` pauses it first, as in a test that runs no jobs; ``run_until_empty`` runs them anyhow."""

    def __enter__(self) -> Worker:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        if kind is None or not issubclass(kind, KeyboardInterrupt):
            self.stop()
            return
        with NextInterrupt() as another:
            log_waiting(self._dispatcher.running(), self._grace)
            self.stop(is_urgent=another.has_come)

    async def __aenter__(self) -> Worker:
        await self.astart()
        return self

    async def __aexit__(self, *exception: object) -> None:
        if not has_interrupted_loop():
            await self.astop()
            return
        from asyncio import get_running_loop  # loaded already

        with NextInterrupt() as another:
            log_waiting(self._dispatcher.running(), self._grace)
            await self.astop(is_urgent=partial(another.has_come_to, get_running_loop()))

    @property
    def name(self) -> str:
        return self._status.identity.name

    @property
    def lease(self) -> str:
        """The lease under which it claims at this moment."""
        return self._heartbeat.lease

    @property
    def queues(self) -> dict[str, int]:
        """The queues it serves, with their weights."""
        return {name: share.weight for name, share in self.shares.items()}

    @property
    def shares(self) -> dict[str, QueueShare]:
        """The queues it serves, with their weights, caps and reserved slots."""
        return dict(self._status.shares)

    @property
    def concurrency(self) -> int:
        """How many jobs it runs at once."""
        return self._dispatcher.concurrency

    @property
    def is_stopped(self) -> bool:
        """Whether it has stopped, and will not run again."""
        return self._stop.is_over

    @property
    def is_asked_to_stop(self) -> bool:
        """Whether it was asked to stop through the store, as by ``app.stop_worker``: then it stops by itself."""
        return self._control.is_asked_to_stop

    @property
    def wants_restart(self) -> bool:
        """Whether it should be replaced by a new process, because too many runs do not stop."""
        return self._watch.is_exhausted

    @property
    def ended_count(self) -> int:
        """How many runs have ended."""
        return self._dispatcher.ended_count

    @property
    def is_drained(self) -> bool:
        """Whether nothing runs, waits or is on its way to or from the store."""
        return self._shutdown.is_done()

    @property
    def is_paused(self) -> bool:
        """Whether ``pause`` was called here, and no ``resume`` since."""
        return self._control.is_paused

    @property
    def state(self) -> str:
        """starting, idle, busy, paused or draining."""
        return self._status.state

    def status(self) -> WorkerStatus:
        """What it does at this moment."""
        return self._status.status()

    def start(self) -> None:
        """Open a lease and start all threads; raises ``StoreUnavailable`` when the store is away."""
        if self.starts_paused:
            self.pause()
        self._start()

    def _start(self) -> None:
        if self._process != os.getpid():
            raise ConfigError("this worker was made before a fork; make and start workers in the process they run in")
        if is_child():
            raise ConfigError(
                "this is a child process of a worker and cannot run one itself; in a program that does, put what "
                "starts the worker under `if __name__ == '__main__':`, because its children import the program"
            )
        if self._is_started:
            raise ConfigError(f"worker {self.name} was started before; make a new one")
        self._session.run(self._seed_queues(self.queues))
        self._session.run(self._limits.store_all())
        self._session.run(self._declare_key_limits())
        self._heartbeat.open()
        self._is_started = True
        capture_logs()
        self._status.note_start()
        try:
            self._subscriptions.open()
            self._threads.start()
        except BaseException:
            self._undo_start()
            raise
        self._at_exit.register()

    def _undo_start(self) -> None:
        """Undo a start that failed half-way, above all a lease that is renewed; it may be tried again."""
        self._subscriptions.close()
        self._status.note_failed_start()
        self._is_started = False
        with suppress(WindlassError):  # then it expires
            self._heartbeat.close()

    async def astart(self) -> None:
        """``start`` for async code."""
        await in_thread(self.start)

    def drain(self) -> None:
        """Claim no more, for good, and release what has not started; what runs goes on until it ends or ``stop``."""
        self._pump.drain()
        self._status.note_draining()

    def stop(self, *, grace: Duration | None = None, is_urgent: Callable[[], bool] = lambda: False) -> None:
        """Claim no more, give running jobs the grace time, release the rest uncharged.

        ``is_urgent`` is called again and again; once true, the grace time ends. A second call waits for the first, and
        its own grace time counts if it ends earlier; after the stop another call does nothing. A call that an exception
        has ended, as Ctrl-C does, may be repeated.
        """
        if not self._is_started or self._process != os.getpid():
            return  # a forked process has the object but not the worker
        limit = self._grace if grace is None else duration(grace, "grace").total_seconds()
        self._stop(grace=limit, is_urgent=is_urgent)

    def _stop_once(self, grace: float, is_urgent: Urgency) -> None:
        self.drain()
        if self.is_asked_to_stop:
            log.info("stopping, as %s asked: finishing what runs", self._control.asked_to_stop_by)
        self._shutdown.finish(grace=grace, is_urgent=is_urgent)
        self._shutdown.close(
            unsubscribe=self._subscriptions.close,
            background=(self._watching, *self._upkeep_tickers()),
            essential=(self._pumping, self._beating),
            executors=self._close_executors,
        )
        self._at_exit.unregister()
        relay.flush(_LAST_RECORDS)

    def _stop_as_asked(self) -> None:
        """Stop on a thread of its own: the thread that read the request is among those that end."""
        try:
            start_thread(self.stop, name="windlass-stop")
        except StartRefused as error:
            log.warning("asked to stop by %s; trying again: %s", self._control.asked_to_stop_by, error)

    def _stop_at_exit(self) -> None:
        """The program ends without having stopped it: its jobs are released now, not when its lease expires."""
        running = self._dispatcher.running_count
        if running:
            log.warning("the program ends before its worker was stopped; releasing what runs (%s)", running)
        self.stop(grace=0)

    async def astop(self, *, grace: Duration | None = None, is_urgent: Callable[[], bool] = lambda: False) -> None:
        """``stop`` for async code: the event loop goes on while jobs end."""
        await in_thread(self.stop, grace=grace, is_urgent=is_urgent)

    def run_until_empty(self, *, is_over: Callable[[], bool] = lambda: False) -> int:
        """Run jobs until nothing in its queues is ready, then stop; how many runs ended.

        Jobs that are due later stay where they are. ``is_over`` is called again and again; once true, or when the
        worker is asked to stop, it returns early.
        """
        if self._stop.has_begun or self._process != os.getpid():
            raise ConfigError(f"worker {self.name} runs no more here; make a new one")
        before = self.ended_count
        was_started = self._is_started
        if not was_started:
            self._start()
        try:
            self._rounds.clear()
            while not (is_over() or self.is_asked_to_stop or self._is_empty()):
                clock.wait(self._rounds, 0.05)
                self._rounds.clear()
        finally:
            if not was_started:
                self.stop()
        return self.ended_count - before

    async def arun_until_empty(self, *, is_over: Callable[[], bool] = lambda: False) -> int:
        """``run_until_empty`` for async code."""
        return await in_thread(self.run_until_empty, is_over=is_over)

    def pause(self) -> None:
        """Claim no more until ``resume``; what runs goes on. Waits a second at the most for a claim under way."""
        self._control.is_paused = True
        self._control.update_claiming()
        if self._pumping.is_alive:
            self._rounds.clear()
            self._pump.ended()
            clock.wait(self._rounds, 1)

    async def apause(self) -> None:
        """``pause`` for async code."""
        await in_thread(self.pause)

    def resume(self) -> None:
        """Claim again."""
        self._watch.is_exhausted = False
        self._control.is_paused = False
        self._control.update_claiming()

    def _pump_once(self) -> float:
        self._pump.tick()
        self._subscriptions.stand_by(self._pump.is_on_standby)
        self._rounds.set()
        return self._pump.pause()

    def _beat_once(self) -> float:
        self._threads.check()
        pause = self._heartbeat.tick()
        if self.is_asked_to_stop and not self._stop.has_begun:
            self._stop_as_asked()
        return pause

    def _no_slots(self) -> str | None:
        missing = self._dispatcher.missing_slots
        return "the system refuses threads to run jobs on" if missing == self.concurrency else None

    def _watch_once(self) -> float:
        pause = self._watch.tick()
        self._threads.check()
        self._session.listen_again()
        if self._threads.deaths >= DEATHS_ALLOWED:
            self._watch.is_exhausted = True
        if self.wants_restart and not self._control.is_paused:
            log.critical(
                "%s runs do not stop, %s threads of the worker have ended; claiming no more, a worker in a fresh "
                "process has to take over",
                self._dispatcher.stuck_count,
                self._threads.deaths,
            )
            self._control.is_paused = True
            self._control.update_claiming()
        return pause

    def _notified(self) -> None:
        self._pump.notified()
        if self._duties is not None:
            self._duties.notified()

    def _notified_from_elsewhere(self, queue: str | None) -> None:
        """Other workers get the same notification: pump and duties decide whether this one claims."""
        self._pump.notified_from_elsewhere(queue)
        if self._duties is not None:
            self._duties.notified()

    def _ask_soon(self) -> None:
        self._heartbeat.ask_soon()
        self._beating.wake.set()

    def _upkeep_tickers(self) -> list[Ticker]:
        alone = [] if self._declaration is None else [self._declaration]
        return [self._sending_figures, *(alone if self._duties is None else self._duties.tickers)]

    def _is_empty(self) -> bool:
        cycles = self._pump.cycle_count
        if not self._shutdown.is_done():
            return False
        if self._session.run(self._ready_queues()):
            self._pump.notified()
            return False
        # A job that was claimed during the count is not in it, and may be ready again by now.
        return self._pump.cycle_count == cycles

    def _ready_queues(self) -> Operation[int]:
        """How many queues have jobs that could be claimed now, by the gates that claims ask too.

        A job that is due and still scheduled is just being promoted by another thread or process, which holds its row:
        it counts as one. So does a job whose parents promote has not looked at.
        """
        yield from promote()
        ahead = yield from next_due()
        if ahead.is_unsettled or (ahead.next_due is not None and ahead.next_due <= 0):
            return 1
        return len((yield from waiting(list(self.queues)))) if self._pump.may_claim else 0
