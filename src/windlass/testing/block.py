"""A store of its own for the user's app, as long as a block of a test lasts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, cast

from windlass.archive.writers import TableArchive
from windlass.errors import ConfigError
from windlass.job import Job
from windlass.store.open import open_driver
from windlass.store.operations import queries
from windlass.testing.transaction import join_for

if TYPE_CHECKING:
    from windlass.app import Windlass
    from windlass.client.client import Client, InProcessWorker

_OVER = (
    "this job was enqueued in a test block that is over, and its store went when the next block began; "
    "look at jobs before that"
)
_PAGE = 500

_changing = Lock()
"""Held while an app changes its store; for moments only."""


class Block:
    """One use of ``inline``, ``manual`` or ``windlass_app``: an empty store that the app uses meanwhile.

    It holds for the whole app, on all threads. The store stays readable after the block, for the handles that were made
    in it, until the app's next block begins.
    """

    def __init__(
        self, app: Windlass, *, url: str = "sqlite:///:memory:", clock: Callable[[], int] | None = None
    ) -> None:
        """Without a ``clock`` it uses the app's current one."""
        below = app.client
        now = below.clock if clock is None else clock
        driver = open_driver(url, namespace=below.session.namespace, now=now)
        # Jobs of tests must not get into an archive outside of the store.
        archive = below.archive if isinstance(below.archive, TableArchive) else None
        self._app = app
        self.client = below.over(driver, now=now, archive=archive, join=join_for(driver))
        self._reader = self.client.over(driver, now=now, archive=archive, join=join_for(driver))
        """For reads after the code under test has closed the app, as the shutdown of a web framework does."""
        self.is_over = False
        self.paused: list[InProcessWorker] = []
        """Workers of the app's own store that claim again when the block ends."""
        self.client.session.migrate()  # so that the store exists whatever the test does

    @property
    def open_client(self) -> Client:
        """What reads of a test use: the app's own, unless the app was closed in the block."""
        return self._reader if self.client.session.is_closed else self.client

    def jobs(self, task: str | None = None) -> Iterator[Job[Any]]:
        """All jobs, or those of one task, the newest first."""
        client, filter, cursor = self.open_client, queries.Filter(task=task), None
        while True:
            page = client.session.run(queries.page(filter, limit=_PAGE, cursor=cursor))
            yield from (Job.of(client, record) for record in page.jobs)
            cursor = page.next
            if cursor is None:
                return

    def put_on(self) -> None:
        """Have the app use this store; the stores of ended blocks are closed."""
        blocks = _blocks_of(self._app)
        with _changing:
            over = [block for block in blocks if block.is_over]
            blocks[:] = [*(block for block in blocks if not block.is_over), self]
            self._app.client = self.client
        for block in over:
            block.close()

    def take_off(self) -> None:
        """Have the app use its former store again; a later block that is still open goes on, and takes over the
        clean-up.
        """
        with _changing:
            self.is_over = True
            last = open_block(self._app)
            self._app.client = self.client.home if last is None else last.client
            blocks = _blocks_of(self._app)
            if last is not None and blocks.index(last) > blocks.index(self):
                last.paused += self.paused
                self.paused = []

    def pause(self, workers: list[InProcessWorker]) -> None:
        """Keep workers of the app's own store from claiming: what their jobs enqueue would land here."""
        self.paused = [worker for worker in workers if not worker.is_paused]
        for worker in self.paused:
            worker.pause()

    def close(self) -> None:
        """Close the store."""
        for client in (self.client, self._reader):
            client.session.stop(_OVER)
        self.client.driver.close()


def _blocks_of(app: Windlass) -> list[Block]:
    return cast("list[Block]", app.client.home.test_blocks)


def open_block(app: Windlass) -> Block | None:
    """The newest block that has not ended."""
    return next((block for block in reversed(_blocks_of(app)) if not block.is_over), None)


def current_block(app: Windlass, caller: str) -> Block:
    """The block that a test is in; outside of a block it raises, for there are only the jobs of the app's own store."""
    block = open_block(app)
    if block is None:
        raise ConfigError(
            f"{caller} is about what a test has enqueued: call it inside `with manual(app):` or `with inline(app):`, "
            f"or use the fixture windlass_app; the app's own store ({app.store}) is left alone"
        )
    return block


@contextmanager
def redirected(
    app: Windlass, *, url: str = "sqlite:///:memory:", clock: Callable[[], int] | None = None, pauses_workers: bool
) -> Iterator[Block]:
    """Have an app use an empty store inside the block; ``pauses_workers`` applies to workers that are made in it."""
    workers_below = app.client.workers
    block = Block(app, url=url, clock=clock)
    block.client.pauses_workers = pauses_workers
    try:
        block.put_on()
        block.pause(workers_below)
        _store_schedules(block.client)
        yield block
    finally:
        block.take_off()
        try:
            _stop(block.client.workers)
        finally:
            for worker in block.paused:
                worker.resume()


def _store_schedules(client: Client) -> None:
    """As a worker does when it starts, so that slots count from the beginning of the block."""
    if len(client.schedules):
        from windlass.schedules.stored import synchronise

        client.session.upkeep(synchronise(client))


def _stop(workers: list[InProcessWorker]) -> None:
    """Stop workers at once: their store is about to be closed, so nothing that they release would run."""
    for worker in workers:
        worker.stop(grace=0)
