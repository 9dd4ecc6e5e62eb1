"""Claims that wait: wakes them when the store notifies of jobs in their queues."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from threading import Lock
from weakref import WeakKeyDictionary

from windlass.client.session import Session
from windlass.store.driver import Topic


class Waiter:
    """One claim that waits."""

    def __init__(self, queues: frozenset[str]) -> None:
        self.queues = queues
        self._loop = asyncio.get_running_loop()
        self._woken = asyncio.Event()

    def wake(self) -> None:
        """Wake it, from any thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._woken.set)

    def clear(self) -> None:
        """Forget notifications until now: the caller is about to claim."""
        self._woken.clear()

    async def wait(self, seconds: float) -> None:
        """Wait for a notification, at most so many seconds."""
        try:
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        except TimeoutError:
            return


class WaitingClaims:
    """Listens to the store for all claims of this process that wait, and only while there are some."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lock = Lock()
        self._waiters: list[Waiter] = []
        self._changing: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()
        self._unsubscribe: Callable[[], None] | None = None

    @property
    def waiting(self) -> int:
        """How many claims wait."""
        return len(self._waiters)

    @asynccontextmanager
    async def waiter(self, queues: frozenset[str]) -> AsyncIterator[Waiter]:
        """A waiter that is woken for jobs in these queues, for the length of a block."""
        waiter = Waiter(queues)
        with self._lock:
            self._waiters.append(waiter)
        try:
            await self._listen()
            yield waiter
        finally:
            with self._lock:
                self._waiters.remove(waiter)
            await asyncio.shield(self._listen())

    async def _listen(self) -> None:
        """Listen if there are waiters and not otherwise; on a store thread, for it may take a while."""
        async with self._changing.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
            if self._waiters and self._unsubscribe is None:
                self._unsubscribe = await self._session.acall(self._subscribed)
            elif not self._waiters and self._unsubscribe is not None and not self._session.is_closed:
                unsubscribe, self._unsubscribe = self._unsubscribe, None
                await self._session.acall(unsubscribe)

    def _subscribed(self) -> Callable[[], None]:
        return self._session.subscribe(self._wake, Topic.WORK, elsewhere=self._wake)

    def _wake(self, queue: str | None = None) -> None:
        with self._lock:
            waiters = tuple(self._waiters)
        for waiter in waiters:
            if queue is None or queue in waiter.queues:
                waiter.wake()


_of_sessions: WeakKeyDictionary[Session, WaitingClaims] = WeakKeyDictionary()


def waiting_claims_of(session: Session) -> WaitingClaims:
    """Those of a session."""
    return _of_sessions.setdefault(session, WaitingClaims(session))
