"""One app's use of its store: runs operations for sync and async callers, and tells who waits for news."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from windlass.errors import AppClosed
from windlass.forking import start_anew_in_child
from windlass.store.driver import Driver, News, Topic
from windlass.store.joining.joined import Joined
from windlass.store.operation import Operation, drive

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

A = TypeVar("A")


class Session:
    """Drives operations on a driver.

    Our own connections are used from store threads only: the async form waits for a thread-safe future, so it works
    on any event loop.
    """

    def __init__(self, driver: Driver, *, namespace: str) -> None:
        self._driver = driver
        self.namespace = namespace
        self._listeners = _nobody()
        self._followers: list[Callable[[], None]] = []
        self._lock = Lock()
        self._news: News | None = None
        self._threads: ThreadPoolExecutor | None = None
        self._is_closed = False
        start_anew_in_child(self, Session.start_anew)

    @property
    def store_name(self) -> str:
        return self._driver.name

    @property
    def cycle_limit(self) -> int:
        return self._driver.cycle_limit

    @property
    def is_closed(self) -> bool:
        return self._is_closed

    def join(self, connection: object) -> Joined:
        """The caller's own transaction, as a place to run operations in."""
        if self._is_closed:
            raise AppClosed("the app is closed; make a new Windlass(...)")
        return self._driver.join(connection)

    def run(self, operation: Operation[A]) -> A:
        """Run an operation on the calling thread."""
        if self._is_closed:
            operation.close()
            raise AppClosed("the app is closed; make a new Windlass(...)")
        return drive(operation, self._driver.execute)

    async def arun(self, operation: Operation[A]) -> A:
        """Run an operation on a store thread while the loop goes on."""
        return await self.acall(lambda: self.run(operation))

    async def acall(self, call: Callable[[], A]) -> A:
        """Make a call on a store thread while the loop goes on."""
        import asyncio  # a sixth of our start-up, for sync programs in vain

        return await asyncio.wrap_future(self._store_threads().submit(call))

    def exists(self) -> bool:
        """Whether there is a store already, without making one."""
        return self._driver.exists()

    def migrate(self) -> list[str]:
        """Bring the store's schema up to date; the steps taken."""
        return self._driver.migrate()

    def migration_sql(self) -> str:
        """The SQL that would bring the store's schema up to date."""
        return self._driver.migration_sql()

    def announce(self, *topics: Topic) -> None:
        """Tell everybody that a caller of the app has changed something; without topics it may be about any job that
        waits or has ended.
        """
        self.tell(*(topics or (Topic.WORK, Topic.ENDINGS)))
        self._lead()

    def announce_jobs(self) -> None:
        """Tell everybody of jobs that a caller of the app has just stored."""
        self._hear(Topic.WORK)
        if not self._driver.announces_jobs:
            self._driver.tell(Topic.WORK)
        self._lead()

    def tell(self, *topics: Topic) -> None:
        """Tell those who listen, in this process and in others."""
        for topic in topics:
            self._hear(topic)
            self._driver.tell(topic)

    def subscribe(self, wake: Callable[[], None], topic: Topic) -> Callable[[], None]:
        """Have ``wake`` called on news from this process and, soon after, from others; returns how to stop that."""
        with self._lock:
            self._listeners[topic].append(wake)
            if self._news is None:
                self._news = self._driver.listen(self._hear)

        def unsubscribe() -> None:
            with self._lock:
                if wake in self._listeners[topic]:
                    self._listeners[topic].remove(wake)
                last = None if any(self._listeners.values()) else self._news
                if last is not None:
                    self._news = None
            if last is not None:
                last.close()

        return unsubscribe

    def follow(self, react: Callable[[], None]) -> Callable[[], None]:
        """Have ``react`` called after each change by a caller of the app, on that caller's thread; how to stop that."""
        self._followers.append(react)
        return lambda: self._followers.remove(react)

    def close(self) -> None:
        """Let go of the store; waits for calls under way."""
        with self._lock:
            self._is_closed = True
            news, self._news = self._news, None
            threads, self._threads = self._threads, None
        if news is not None:
            news.close()
        if threads is not None:
            threads.shutdown(wait=True)
        self._driver.close()

    def start_anew(self) -> None:
        """Forget the parent's threads, locks and listeners; called in a forked child."""
        self._lock = Lock()
        self._listeners = _nobody()
        self._news = self._threads = None

    def _lead(self) -> None:
        for react in tuple(self._followers):
            react()

    def _hear(self, topic: Topic) -> None:
        for wake in tuple(self._listeners[topic]):
            wake()

    def _store_threads(self) -> ThreadPoolExecutor:
        from concurrent.futures import ThreadPoolExecutor

        with self._lock:
            if self._is_closed:
                raise AppClosed("the app is closed; make a new Windlass(...)")
            if self._threads is None:
                self._threads = ThreadPoolExecutor(max_workers=4, thread_name_prefix="windlass-store")
            return self._threads


def _nobody() -> dict[Topic, list[Callable[[], None]]]:
    return {topic: [] for topic in Topic}
