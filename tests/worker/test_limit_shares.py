"""Workers under one limit: each gets its share, although the first could take all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest

from tests.places.place import Place
from tests.store.builders import SECOND, ending, new_job
from tests.store.stores import Store, open_store
from tests.waiting import eventually
from windlass import State, Windlass
from windlass.core.records import Claimed
from windlass.store.operations import queues
from windlass.store.operations.leases import workers
from windlass.testing import ManualClock
from windlass.worker.fetch.running_limits import RunningLimits


def test_a_worker_that_joins_gets_its_share(tmp_path: Path) -> None:
    """C3: re-shared within seconds, while the queue never runs empty."""
    ran, is_over = Counter[str](), Event()

    def an_app(name: str) -> Windlass:
        app = Windlass(f"sqlite:///{tmp_path}/jobs.db")

        @app.task(name="send", queue="mail")
        def send() -> None:
            ran[name] += 1
            is_over.wait(0.01)

        return app

    with an_app("first") as first, an_app("second") as second:
        send = first.tasks[0]

        def has_run(name: str) -> bool:
            if first.queue("mail").length < 50:
                send.enqueue_many([()] * 50)
            return ran[name] >= 20

        first.queue("mail").configure(max_running=4)
        with first.worker(["mail"], concurrency=4):
            eventually(lambda: has_run("first"), "the first works alone")
            with second.worker(["mail"], concurrency=4):
                eventually(lambda: has_run("second"), "the second has a share")
                is_over.set()
        assert first.counts()[State.RUNNING] == 0


class Sharer:
    """A worker that always wants all of its slots filled; its jobs take a third of a second."""

    LENGTH, SLOTS, LEASE = 0.3, 6, 6.0

    def __init__(self, store: Store) -> None:
        self._store = store
        self.worker = store.a_worker(queues=("mail",), ttl=round(self.LEASE * SECOND))
        self._limits = RunningLimits()
        self._running: list[tuple[float, Claimed]] = []

    @property
    def held(self) -> int:
        return len(self._running)

    def step(self, now: float) -> None:
        if self._limits.wants_count(now):
            self._limits.share_among(self._store.run(workers()))
        ended = [job for begun, job in self._running if now - begun >= self.LENGTH]
        self._running = [(begun, job) for begun, job in self._running if now - begun < self.LENGTH]
        wanted = {"mail": self.SLOTS - self.held}
        asked = list(self._limits.within_share(wanted, {"mail": self.held}, now=now).items())
        result = self.worker.cycle(endings=[ending(job) for job in ended], requests=asked)
        self._limits.note(asked, result.claimed, result.limits)
        self._running += [(now, job) for job in result.claimed]


class Sharing:
    """Workers under one limit, by a clock that goes on in steps of 100 ms; the store's clock and theirs agree."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.now = 0.0
        self.live: list[Sharer] = []
        store.run(queues.change("mail", {"max_running": 6}, by="me"))
        store.enqueue(*(new_job(queue="mail") for _ in range(1_000)))

    def join(self) -> Sharer:
        self.live.append(Sharer(self._store))
        return self.live[-1]

    def until(self, is_so: Callable[[], bool]) -> float:
        """How many seconds it takes, and then stays so for a second."""
        began, since = self.now, None
        while since is None or self.now - since < 1.0:
            assert self.now - began < 60, "it never came to be"
            self._step()
            if not is_so():
                since = None
            elif since is None:
                since = self.now
        return since - began

    def _step(self) -> None:
        self.now = round(self.now + 0.1, 1)
        self._store.advance(100)
        if self.now % 1 == 0:
            self._store.rescue()
            for sharer in self.live:
                sharer.worker.renew()
        for sharer in self.live:
            sharer.step(self.now)


@pytest.mark.only_on("sqlite")
def test_shares_are_fair_and_follow_workers_that_join_and_die(place: Place) -> None:
    """C3: within lease + 5 s, by the clock of the store."""
    with open_store(place, clock=ManualClock()) as store:
        sharing = Sharing(store)
        first = sharing.join()
        assert sharing.until(lambda: first.held == 6) <= 5
        second, third = sharing.join(), sharing.join()
        assert sharing.until(lambda: [each.held for each in sharing.live] == [2, 2, 2]) <= 5
        sharing.live.remove(second)  # it is killed: it renews nothing, and ends none of its jobs
        assert sharing.until(lambda: (first.held, third.held) == (3, 3)) <= Sharer.LEASE + 5
        sharing.live.remove(third)
        assert sharing.until(lambda: first.held == 6) <= Sharer.LEASE + 5
