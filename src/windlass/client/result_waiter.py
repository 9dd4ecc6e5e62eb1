"""Waits for results: one query for everyone who waits in this process."""

from __future__ import annotations

import sys
from concurrent.futures import Future
from threading import Lock, Thread

from windlass import clock
from windlass.active_job import INTERRUPTED_WITHIN, deliver_interrupt
from windlass.client.session import Session
from windlass.errors import ConfigError, StoreUnavailable
from windlass.forks import reset_in_child
from windlass.store.driver import Topic
from windlass.store.operations.queries import FinishedJob, awaited
from windlass.threads.reentry import Reentry
from windlass.threads.start import start_thread
from windlass.threads.wakeup import Wakeup

_QUICKEST = 0.005
_SLOWEST = 0.25
_IDLE = 5.0


class PendingResult:
    """What a sync caller waits for.

    A ``Future`` has a lock that stays taken when an exception from outside strikes the caller just as it has taken it,
    and then the thread that serves all who wait would stand still.
    """

    def __init__(self) -> None:
        self._wake = Wakeup()
        self._settled: FinishedJob | None = None
        self._error: BaseException | None = None
        self.is_given_up = False
        """Whether the caller waits no more; set by an assignment, which nothing can strike."""

    def cancelled(self) -> bool:
        return self.is_given_up

    def set_running_or_notify_cancel(self) -> bool:
        return not self.is_given_up

    def set_result(self, settled: FinishedJob) -> None:
        self._settled = settled
        self._wake.set()

    def set_exception(self, error: BaseException) -> None:
        self._error = error
        self._wake.set()

    def wait(self, seconds: float | None) -> FinishedJob | None:
        """How the job has ended; None when the time is over. In a run it is interrupted within a moment."""
        until = None if seconds is None else clock.monotonic() + seconds
        while not clock.wait(self._wake, _next_look(until)):
            deliver_interrupt()
            if until is not None and clock.monotonic() >= until:
                return None
        if self._error is not None:
            raise self._error
        return self._settled


def _next_look(until: float | None) -> float:
    return INTERRUPTED_WITHIN if until is None else max(0.0, min(INTERRUPTED_WITHIN, until - clock.monotonic()))


class ResultWaiter:
    """Reads all awaited jobs in one call, soon after news and at growing intervals without any."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lock = Lock()
        self._reentry = Reentry("Windlass")
        self._wake = Wakeup()
        self._awaited: dict[str, list[Future[FinishedJob] | PendingResult]] = {}
        self._thread: Thread | None = None
        self.trouble: StoreUnavailable | None = None
        """Why the newest query for an awaited job failed, if it did."""
        reset_in_child(self, ResultWaiter.reset_after_fork)

    def reset_after_fork(self) -> None:
        """Forget the parent's thread and those who waited; called in a forked child."""
        self._lock, self._wake, self._awaited, self._thread = Lock(), Wakeup(), {}, None

    def future(self, id: str) -> Future[FinishedJob]:
        """Has its result when the job is finished, or when there is no such job; raises ``StartRefused``."""
        future: Future[FinishedJob] = Future()
        self.add(id, future)
        return future

    def add(self, id: str, future: Future[FinishedJob] | PendingResult) -> None:
        """Give it its result when the job is finished, or when there is no such job; raises ``StartRefused``."""
        with self._reentry, self._lock:
            if self._thread is None or not self._thread.is_alive():
                # It waits for our lock before it reads which jobs are awaited.
                self._thread = start_thread(self._run, name="windlass-waiter")
            self._awaited.setdefault(id, []).append(future)
        self._wake.set()

    def _run(self) -> None:
        try:
            unsubscribe = self._session.subscribe(self._wake.set, Topic.FINISHED)
            try:
                self._look_until_idle()
            finally:
                unsubscribe()
        except Exception as error:  # the app was closed, or the store that came back is none we may use
            self._give_up(error)  # whatever it is, those who wait must get an answer

    def _look_until_idle(self) -> None:
        pause, quiet_since = _QUICKEST, clock.monotonic()
        while True:
            has_news = clock.wait(self._wake, pause)
            self._wake.clear()
            settled = self._look()
            pause = _QUICKEST if has_news or settled else min(pause * 1.5, _SLOWEST)
            if has_news:
                clock.sleep(_QUICKEST)  # many commits in a row are one piece of news
            with self._reentry, self._lock:
                if self._awaited:
                    quiet_since = clock.monotonic()
                elif clock.monotonic() - quiet_since > _IDLE:
                    self._thread = None
                    return

    def _look(self) -> bool:
        with self._reentry, self._lock:
            for id in [id for id, futures in self._awaited.items() if all(future.cancelled() for future in futures)]:
                del self._awaited[id]
            ids = list(self._awaited)
        if not ids:
            return False
        try:
            settled = self._session.run(awaited(ids))
        except StoreUnavailable as error:
            self.trouble = error
            return False  # it comes back, or the caller's own time limit ends the wait
        self.trouble = None
        for job in settled:
            with self._reentry, self._lock:
                futures = self._awaited.pop(job.id, [])
            for future in futures:
                if future.set_running_or_notify_cancel():  # a caller whose time is over cannot come in between any more
                    future.set_result(job)
        return bool(settled)

    def _give_up(self, error: Exception) -> None:
        with self._reentry, self._lock:
            futures = [future for waiting in self._awaited.values() for future in waiting]
            self._awaited.clear()
            self._thread = None
        for future in futures:
            if future.set_running_or_notify_cancel():
                future.set_exception(error)


def refuse_on_loop_thread(sync_name: str, async_name: str) -> None:
    """A sync wait on the thread of a running loop would stop the loop, and with it perhaps the job."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is None:
        return  # no event loop runs
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise ConfigError(f"{sync_name} would block the running event loop; use `await {async_name}` instead")
