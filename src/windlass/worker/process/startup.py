"""Starts a worker whose store may be away."""

from __future__ import annotations

import logging
from concurrent.futures import Future, wait
from threading import Event

from windlass import clock
from windlass.errors import StartRefused, StoreUnavailable
from windlass.threads.start import start_thread
from windlass.worker.process.signals import StopSignals
from windlass.worker.worker import Worker

log = logging.getLogger("windlass.worker")

_PAUSE = 1.0
"""Seconds between two tries, about; each try has the deadline of any call to the store."""
_LAST_TRY = 0.5
"""Seconds that a try under way may still take when a signal has come: a start that succeeds has to be undone in order.
"""
_PIECE = 0.02


def start_when_store_answers(worker: Worker, signals: StopSignals) -> bool:
    """Start it, however long its store is away; false when a signal came first."""
    started: Future[bool] = Future()
    is_enough = Event()
    # On a thread of its own: a call that waits for the store would keep signals waiting.
    while not _is_under_way(worker, started, is_enough):
        again = clock.monotonic() + _PAUSE
        signals.wait(unless=lambda: signals.wants_restart() or clock.monotonic() >= again, piece=_PIECE)  # noqa: B023
        if signals.has_come() or signals.wants_restart():
            return False
    signals.wait(unless=lambda: started.done() or signals.wants_restart(), piece=_PIECE)
    is_enough.set()
    wait([started], timeout=_LAST_TRY)
    return started.done() and started.result()


def _is_under_way(worker: Worker, started: Future[bool], is_enough: Event) -> bool:
    try:
        start_thread(_try, worker, started, is_enough, name="windlass-start")
    except StartRefused as error:
        log.warning("%s; trying again in %g s", error, _PAUSE)
        return False
    return True


def _try(worker: Worker, started: Future[bool], is_enough: Event) -> None:
    try:
        started.set_result(_has_started(worker, is_enough))
    except Exception as error:  # re-raised where the start is waited for
        started.set_exception(error)


def _has_started(worker: Worker, is_enough: Event) -> bool:
    was_away = False
    while True:
        try:
            worker.start()
        except StoreUnavailable as error:
            if not was_away:
                log.warning("store unavailable, starting when it is back: %s", error)
            was_away = True
        except StartRefused as error:
            log.warning("%s; trying again", error)
        else:
            if was_away:
                log.info("the store is back")
            return True
        if clock.wait(is_enough, _PAUSE * (0.5 + clock.roll())):
            return False
