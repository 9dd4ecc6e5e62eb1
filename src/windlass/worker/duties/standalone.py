"""Duties without a worker: ``windlass duties``."""

from __future__ import annotations

import logging
import os
import platform
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from windlass import clock
from windlass.errors import WindlassError
from windlass.store.operations.leases import (
    STOP,
    WorkerReport,
    close_lease,
    control,
    lease_name,
    open_lease,
    renew,
    report_worker,
)
from windlass.version import VERSION
from windlass.worker.duties.build import build_duties
from windlass.worker.duties.duties import Duties, duty_ticker
from windlass.worker.figures.gatherer import Gatherer
from windlass.worker.figures.minute_report import MinuteReport
from windlass.worker.figures.sender import FigureSender
from windlass.worker.identity import Identity, identity
from windlass.worker.process.own_threads import OwnThreads
from windlass.worker.process.resources import resident_memory
from windlass.worker.process.signals import StopSignals
from windlass.worker.process.stacks import StackAnswer
from windlass.worker.status import duty_figures, duty_info, stacks_info
from windlass.worker.ticker import Ticker, stop_all

if TYPE_CHECKING:
    from windlass.client.client import Client

log = logging.getLogger("windlass.duties")

_BEAT = 10.0
"""The heartbeat of a worker with default settings, in seconds."""
_LEASE = 30_000
_ROUND = 1.0
_ASKED_EVERY = 5.0
"""Seconds between two looks whether it is asked to stop."""
_LAST_ROUND = 0.75


def run_duties(client: Client, *, on_started: Callable[[], None] = lambda: None) -> None:
    """Do all duties until a signal; ``on_started`` is called when they run and signals are handled."""
    duties = StandaloneDuties(client)
    with StopSignals() as signals:
        duties.start()
        on_started()
        signals.wait(unless=duties.is_over)
        duties.stop()


class StandaloneDuties:
    """All duties, on threads of their own."""

    def __init__(self, client: Client) -> None:
        presence = self._presence = Presence(client, identity())
        gatherer = Gatherer()
        report = MinuteReport(session=client.session, name=presence.who.name, facts=lambda: {"state": "duties"})
        self._figures = FigureSender(
            session=client.session,
            gatherer=gatherer,
            instance=presence.who.instance,
            now=client.now,
            report=report.tick,
        )
        self._duties = presence.duties = build_duties(
            client, presence.who, beat=_BEAT, lease=lambda: presence.lease, count_fires=gatherer.fired
        )
        self._tickers = [duty_ticker(presence), duty_ticker(self._figures), *self._duties.tickers]
        self._threads = OwnThreads(self._tickers)

    def start(self) -> None:
        """Raises ``StartRefused``, and then nothing of it is left."""
        try:
            self._threads.start()
        except BaseException:
            self.stop()
            raise

    def is_over(self) -> bool:
        """Whether an operator has asked the process to stop; to be asked now and then."""
        self._threads.check()  # dead threads are restarted; they are no reason to stop
        return self._presence.is_asked_to_stop

    def stop(self) -> None:
        """End after the rounds under way, and let another process lead."""
        stop_all(self._tickers, timeout=_LAST_ROUND)
        self._figures.flush()
        try:
            self._duties.resign()
            self._presence.close()
        except WindlassError as error:
            log.warning("could not resign as leader; another takes over when the term ends: %s", error)


class DutiesBeside:
    """Duties beside something else that a process does: ``with DutiesBeside(client, on_over=...): ...``.

    They begin when there is a store: a process that only reads must not make one.
    """

    def __init__(self, client: Client, *, on_over: Callable[[], None]) -> None:
        self._client = client
        self._on_over = on_over
        self._running: StandaloneDuties | None = None
        self._ticker = Ticker(self._tick, name="duties-beside")

    def __enter__(self) -> DutiesBeside:
        self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def start(self) -> None:
        """Look for a store from now on; raises ``StartRefused``."""
        self._ticker.start()

    def stop(self) -> None:
        """End them after the rounds under way; takes as long as the store does."""
        if self._ticker.stop(timeout=_LAST_ROUND) and self._running is not None:
            self._running.stop()

    def _tick(self) -> float:
        if self._running is None:
            if self._client.session.exists():
                duties = StandaloneDuties(self._client)
                duties.start()
                self._running = duties
        elif self._running.is_over():
            self._on_over()
        return _ROUND


class Presence:
    """Shows the process among the workers, as one that runs no jobs, under a lease that it renews."""

    name = "presence"
    needs_lead = False
    did = ""

    def __init__(self, client: Client, who: Identity) -> None:
        self._session = client.session
        self._new_lease: Callable[[], str] = lambda: lease_name(client.ids.next(), has_duties=True, queues=())
        self.who = who
        self.duties: Duties | None = None
        self.lease: str | None = None
        """None while it has none."""
        self.is_asked_to_stop = False
        self._renewed = self._asked = 0.0
        self._shown: list[object] = []
        self._stacks = StackAnswer()

    def tick(self) -> float:
        if self.lease is None:
            self._open()
        elif clock.monotonic() - self._renewed >= _BEAT:
            self._renew(self.lease)
        elif self._figures() != self._shown:
            self._session.run(report_worker(self._report(), lease=self.lease))
        if self.lease is not None and clock.monotonic() - self._asked >= _ASKED_EVERY:
            self._asked = clock.monotonic()
            asked = self._session.run(control(worker=self.who.instance, lease=self.lease))
            self.is_asked_to_stop = asked.signal == STOP
            self._stacks.ask(asked.stacks)
        return _ROUND

    def close(self) -> None:
        """Take it off the list of workers."""
        if self.lease is not None:
            self._session.run(close_lease(worker=self.who.instance, lease=self.lease))

    def _figures(self) -> list[object]:
        return [*duty_figures(self.duties), self._stacks.asked]

    def _open(self) -> None:
        lease = self._new_lease()
        self._renewed = clock.monotonic()
        self._session.upkeep(open_lease(self._report(), lease=lease, ttl=_LEASE))
        self.lease = lease

    def _renew(self, lease: str) -> None:
        self._renewed = clock.monotonic()
        if not self._session.run(renew(self._report(), lease=lease)).is_open:
            self.lease = None

    def _report(self) -> WorkerReport:
        self._shown = self._figures()
        info = {
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "queues": [],
            "concurrency": 0,
            "commands": False,
            "duties": True,
            **duty_info(self.duties),
            "python": platform.python_version(),
            "version": VERSION,
            "running_count": 0,
            "ended": 0,
            "failed": 0,
            "memory": resident_memory(),
            **stacks_info(self._stacks),
        }
        return WorkerReport(self.who.instance, self.who.name, "duties", msgspec.json.encode(info).decode())
