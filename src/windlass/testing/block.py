"""A store of its own for the user's app, as long as a block of a test lasts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any

from windlass.errors import ConfigError
from windlass.job import Job
from windlass.retention import TableArchive
from windlass.store.open import open_driver
from windlass.store.operations import queries
from windlass.testing.transaction import join_for

if TYPE_CHECKING:
    from windlass.app import Windlass
    from windlass.client.binding import Binding
    from windlass.worker.worker import Worker

_OVER = (
    "this job was enqueued in a test block that is over, and its store went when the next block began; "
    "look at jobs before that"
)
_PAGE = 500

_changing = Lock()
"""Held while an app is put on another store or back; for moments only."""


class Block:
    """One use of ``inline``, ``manual`` or ``windlass_app``: an empty store that the app works on meanwhile.

    It holds for the whole app, on all threads. The store stays readable after the block, for the handles that were
    got in it, until the app's next block begins.
    """

    def __init__(
        self, app: Windlass, *, url: str = "sqlite:///:memory:", clock: Callable[[], int] | None = None
    ) -> None:
        """Without a ``clock`` it goes by the one that the app goes by at this moment."""
        below = app._binding
        now = below.clock if clock is None else clock
        driver = open_driver(url, namespace=below.session.namespace, now=now)
        # Jobs of tests are no part of the history that an archive outside of the store keeps.
        archive = below.archive if isinstance(below.archive, TableArchive) else None
        self._app = app
        self.binding = below.over(driver, now=now, archive=archive, join=join_for(driver))
        self._reader = self.binding.over(driver, now=now, archive=archive, join=join_for(driver))
        """For looking after the code under test has closed the app, as the shutdown of a web framework does."""
        self.is_over = False
        self.paused: list[Worker] = []
        """Workers of the store below that claim again when the block is over."""
        self.binding.session.migrate()  # it is there, however little is asked of it

    @property
    def open_binding(self) -> Binding:
        """What tests look through: as the app does, unless the app was closed in the block."""
        return self._reader if self.binding.session.is_closed else self.binding

    def jobs(self, task: str | None = None) -> Iterator[Job[Any]]:
        """All jobs, or those of one task, the newest first."""
        binding, filter, cursor = self.open_binding, queries.Filter(task=task), None
        while True:
            page = binding.session.run(queries.page(filter, limit=_PAGE, cursor=cursor))
            yield from (Job.of(self._app, record, binding=binding) for record in page.jobs)
            cursor = page.next
            if cursor is None:
                return

    def put_on(self) -> None:
        """Have the app work here; the stores of blocks that are over go."""
        blocks = self._app._test_blocks
        with _changing:
            over = [block for block in blocks if block.is_over]
            blocks[:] = [*(block for block in blocks if not block.is_over), self]
            self._app._binding = self.binding
        for block in over:
            block.close()

    def take_off(self) -> None:
        """Have the app work where it did before; a later block that is still open goes on, and takes over what is to be
        done when all are over.
        """
        with _changing:
            self.is_over = True
            last = open_block(self._app)
            self._app._binding = self._app._own if last is None else last.binding
            blocks = self._app._test_blocks
            if last is not None and blocks.index(last) > blocks.index(self):
                last.paused += self.paused
                self.paused = []

    def pause(self, workers: list[Worker]) -> None:
        """Have workers of the store below claim nothing: what their jobs enqueue would land here."""
        self.paused = [worker for worker in workers if not worker.is_paused]
        for worker in self.paused:
            worker.pause()

    def close(self) -> None:
        """Let the store go."""
        for binding in (self.binding, self._reader):
            binding.session.stop(_OVER)
        self.binding.driver.close()


def open_block(app: Windlass) -> Block | None:
    """The block that began last, of those that are not over."""
    return next((block for block in reversed(app._test_blocks) if not block.is_over), None)


def current_block(app: Windlass, caller: str) -> Block:
    """The block that a test is in; outside of one there are only the jobs of the app's own store."""
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
    """Have an app work on an empty store of its own, then put it back; ``pauses_workers`` is about those made here."""
    workers_below = app._binding.workers
    block = Block(app, url=url, clock=clock)
    block.binding.pauses_workers = pauses_workers
    try:
        block.put_on()
        block.pause(workers_below)
        yield block
    finally:
        block.take_off()
        try:
            _stop(block.binding.workers)
        finally:
            for worker in block.paused:
                worker.resume()


def _stop(workers: list[Worker]) -> None:
    """Nothing that they could hand back would ever run: their store is about to go."""
    for worker in workers:
        worker.stop(grace=0)
