"""Duties without a worker: ``windlass duties``."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from windlass.errors import WindlassError
from windlass.worker.build import build_duties
from windlass.worker.identity import identity
from windlass.worker.process.own_threads import OwnThreads
from windlass.worker.process.signals import StopSignals
from windlass.worker.ticker import stop_all

if TYPE_CHECKING:
    from windlass.client.client import Client

log = logging.getLogger("windlass.duties")

_BEAT = 10.0
"""The heartbeat of a worker with default settings, in seconds."""
_LAST_ROUND = 0.75


def run_duties(client: Client, *, on_started: Callable[[], None] = lambda: None) -> None:
    """Do all duties until a signal; ``on_started`` is called when they run and signals are handled."""
    duties = build_duties(client, identity(), beat=_BEAT)
    threads = OwnThreads(duties.tickers)

    def are_missing() -> bool:
        threads.check()
        return False  # dead threads are restarted; they are no reason to stop

    with StopSignals() as signals:
        threads.start()
        on_started()
        signals.wait(unless=are_missing)
        stop_all(duties.tickers, timeout=_LAST_ROUND)
        try:
            duties.resign()
        except WindlassError as error:
            log.warning("could not resign as leader; another takes over when the term ends: %s", error)
