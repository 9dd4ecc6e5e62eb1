"""Ties an app to one store: session, enqueuer, result waiter. A test block replaces it by another."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from windlass import clock
from windlass.client.enqueue import Enqueuer
from windlass.client.result_waiter import ResultWaiter
from windlass.client.routes import Routes
from windlass.client.session import Session
from windlass.client.transactions import Transactions
from windlass.core.codec import Codec
from windlass.core.retry import Retry
from windlass.core.ulid import UlidSource
from windlass.forks import reset_in_child
from windlass.retention import Archive, Retention
from windlass.store.caller.joined import Joined
from windlass.store.driver import Driver

if TYPE_CHECKING:
    from windlass.worker.worker import Worker


class Binding:
    """One store, its clock, what an app remembers of it, and what ``configure`` says for it.

    An app has one for its own store; ``windlass.testing`` puts another over it for the length of a block. Whoever
    works for longer than a call (a worker, the handle of a job) keeps the binding it began with. Opens nothing.
    """

    def __init__(
        self,
        driver: Driver,
        *,
        namespace: str,
        now: Callable[[], int] | None,
        codec: Codec,
        retry: Retry,
        retention: Retention,
        archive: Archive | None,
        routes: Routes,
        join: Callable[[object], Joined] | None = None,
    ) -> None:
        self.clock = now
        """The clock that replaces the store's, in tests."""
        self.retention = retention
        self.archive = archive
        self._codec = codec
        self._retry = retry
        self.driver = driver
        self.session = Session(driver, namespace=namespace)
        self.ids = UlidSource(now=self.now, random_bits=_random_bits)
        reset_in_child(self.ids, UlidSource.reset_after_fork)
        self.routes = routes
        self.enqueuer = self._new_enqueuer()
        self.transactions = Transactions(join or self.session.join)
        self.waiter = ResultWaiter(self.session)
        self.workers: list[Worker] = []
        self.pauses_workers = False
        """Whether workers that are made here start paused (see ``windlass.testing``)."""

    def now(self) -> int:
        """Milliseconds since 1970, by the clock that the store goes by."""
        return clock.now() if self.clock is None else self.clock()

    def route(self, routes: Routes) -> None:
        """Let other queues be chosen from now on."""
        self.routes = routes
        self.enqueuer = self._new_enqueuer()

    def add_worker(self, worker: Worker) -> None:
        """Have a worker stopped with the app; those that have stopped are forgotten."""
        self.workers = [*(other for other in self.workers if not other.is_stopped), worker]
        worker.starts_paused = self.pauses_workers

    def over(
        self,
        driver: Driver,
        *,
        now: Callable[[], int] | None,
        archive: Archive | None,
        join: Callable[[object], Joined],
    ) -> Binding:
        """A binding to another store that otherwise says the same."""
        return Binding(
            driver,
            namespace=self.session.namespace,
            now=now,
            codec=self._codec,
            retry=self._retry,
            retention=self.retention,
            archive=archive,
            routes=self.routes,
            join=join,
        )

    def _new_enqueuer(self) -> Enqueuer:
        return Enqueuer(codec=self._codec, next_ids=self.ids.take, retry=self._retry, routes=self.routes)


def _random_bits(count: int) -> int:
    return clock.random_bits(count)
