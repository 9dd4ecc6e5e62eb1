"""Results are cached for equal arguments."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from threading import Barrier, Thread
from typing import Any

import pytest

from tests.ledger.apps import Apps, failure_of, gate, work
from tests.waiting import PATIENCE
from windlass import Job, Retention, Retry, State, Windlass
from windlass.testing import ManualClock


class Shelf:
    """A task with a cache, and how often it ran."""

    def __init__(self, app: Windlass, **options: Any) -> None:
        self.runs: list[tuple[int, str]] = []
        self.task = app.task(name="render", **{"cache": "10m", **options})(self._render)

    def _render(self, page: int, style: str = "plain") -> str:
        self.runs.append((page, style))
        if style == "broken":
            raise OSError
        return f"page {page}, run {len(self.runs)}"


def test_equal_arguments_give_the_earlier_result(app: Windlass, clock: ManualClock) -> None:
    """B29: the handle of the earlier job, whose result is there at once; nothing runs again."""
    shelf = Shelf(app)
    first = shelf.task.enqueue(7)
    work(app)
    again = shelf.task.enqueue(page=7)
    assert (again.id, again.duplicate, again.state) == (first.id, True, State.COMPLETED)
    assert again.result() == first.result() == "page 7, run 1"
    assert asyncio.run(shelf.task.aenqueue(7)).id == first.id
    assert not shelf.task.enqueue(8).duplicate
    assert not shelf.task.enqueue(7, "fine").duplicate
    clock.advance("10m")
    later = shelf.task.enqueue(7)
    assert not later.duplicate
    work(app, concurrency=1)
    assert later.result() == "page 7, run 4"
    assert len(shelf.runs) == 4


def test_concurrent_equal_calls_share_one_run(app: Windlass, new_app: Apps) -> None:
    """B29: from several processes, while it waits and while it runs."""
    runs: list[int] = []
    with gate() as held:

        def slow(number: int) -> int:
            runs.append(number)
            held.wait()
            return number

        apps = [app, new_app(), new_app()]
        tasks = [each.task(name="slow", cache="10m")(slow) for each in apps]
        found: list[Job[int]] = []
        together = Barrier(len(tasks))

        def ask(task: Any) -> None:
            together.wait(PATIENCE)
            found.append(task.enqueue(1))

        threads = [Thread(target=ask, args=(task,)) for task in tasks]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with app.worker(concurrency=4, lease="30d"):
            held.await_entered()
            found.append(tasks[0].enqueue(1))
            held.open()
            assert {job.result(timeout=PATIENCE) for job in found} == {1}
    assert len({job.id for job in found}) == 1
    assert [job.duplicate for job in found].count(False) == 1
    assert runs == [1]


def test_failures_are_not_cached(app: Windlass) -> None:
    """B29: the next call runs again."""
    shelf = Shelf(app, retry=Retry(attempts=1))
    job = shelf.task.enqueue(1, "broken")
    work(app)
    assert failure_of(job).type == "OSError"
    again = shelf.task.enqueue(1, "broken")
    assert (again.duplicate, again.id != job.id) == (False, True)


def test_a_key_of_one_s_own_says_which_calls_are_equal(app: Windlass) -> None:
    """B29: made of the arguments, or given with the call."""
    shelf = Shelf(app, cache_key=lambda page, **_: f"page-{page}")
    first = shelf.task.enqueue(1, "plain")
    assert shelf.task.enqueue(1, "fine").id == first.id
    other = shelf.task.options(cache_key="mine").enqueue(1)
    assert not other.duplicate
    assert shelf.task.options(cache_key="mine").enqueue(2).id == other.id


def test_one_call_may_have_another_time_or_none(app: Windlass, clock: ManualClock) -> None:
    """B29: options(cache=...); a call without the cache neither uses nor fills it."""
    shelf = Shelf(app)
    fresh = shelf.task.options(cache=None).enqueue(1)
    first = shelf.task.options(cache="1h").enqueue(1)
    assert not first.duplicate
    work(app)
    assert not shelf.task.options(cache=None).enqueue(1).duplicate
    assert fresh.refresh().state is State.COMPLETED
    clock.advance("30m")
    assert shelf.task.enqueue(1).id == first.id


def test_many_at_once(app: Windlass) -> None:
    """B29: in order; each is the earlier job, or a new one that equal ones of the call share."""
    shelf = Shelf(app)
    old = shelf.task.enqueue(1)
    work(app)
    found = shelf.task.enqueue_many([(1,), (2,), (2,)])
    assert [job.duplicate for job in found] == [True, False, True]
    assert (found[0].id, found[1].id) == (old.id, found[2].id)
    assert app.counts()["pending"] == 1


def test_a_cache_is_cleared(app: Windlass) -> None:
    """B29: from then on every call runs again; how many results were forgotten is told."""
    shelf = Shelf(app)
    shelf.task.enqueue_many([(1,), (2,)])
    work(app)
    assert shelf.task.cache_clear() == 2
    assert not shelf.task.enqueue(1).duplicate
    assert asyncio.run(shelf.task.acache_clear()) == 1


def test_retention_does_not_defeat_the_cache(app: Windlass, clock: ManualClock) -> None:
    """B29: a job whose result is cached is kept as long as that; then it goes with the others."""
    app.configure(retention=Retention(completed=timedelta(seconds=1), at_most=1))
    shelf = Shelf(app, cache="1h")
    plain = app.task(name="plain")(lambda: None)
    jobs: list[Job[Any]] = [shelf.task.enqueue(1), shelf.task.enqueue(2), plain.enqueue(), plain.enqueue()]
    work(app)
    clock.advance("1m")
    assert app.clean().deleted == 2
    assert shelf.task.enqueue(1).result() == jobs[0].result()
    clock.advance("1h")
    assert app.clean().deleted == 2
    assert app.jobs() == []


@pytest.mark.only_on("sqlite")
def test_what_people_see(app: Windlass, clock: ManualClock) -> None:
    """B29: until when a result is cached."""
    from windlass.insight.payload import cached_until

    shelf = Shelf(app)
    job = shelf.task.enqueue(1)
    read = app.client.session.run
    assert read(cached_until(app.client, job.refresh())) is None
    work(app)
    ended = job.refresh().finished_at
    assert ended is not None
    assert read(cached_until(app.client, job)) == ended + timedelta(minutes=10)
    clock.advance("10m")
    assert read(cached_until(app.client, job)) is None
