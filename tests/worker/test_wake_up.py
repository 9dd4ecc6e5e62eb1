"""An idle worker learns of work at once, from whoever brings it, by whatever means the store has."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from math import inf
from threading import Event
from time import monotonic

import pytest

from tests.ledger.apps import LONG_LEASE, Apps
from tests.leeway import leeway
from tests.places.place import SqlitePlace
from tests.waiting import PATIENCE, eventually
from tests.worker.call_interceptor import intercept
from windlass import Job, Windlass
from windlass.store.driver import Topic

BEFORE_THE_POLL = 0.7
"""Seconds: news come within milliseconds, the poll after a second."""


class Deaf:
    """News that never come."""

    def hears(self, topic: Topic) -> bool:
        return False

    def follow(self, topics: object) -> None: ...

    def close(self) -> None: ...


def _deaf(heard: object, *, filled: object = None, topics: object = ()) -> Deaf:
    return Deaf()


def quickest(producer: Windlass) -> float:
    """The shortest of a few waits for a job, each begun while the worker is at rest."""
    waits = []
    for _ in range(3):
        began = monotonic()
        producer.enqueue("echo").result(timeout=PATIENCE)
        waits.append(monotonic() - began)
    return min(waits)


def a_worker_app(new_app: Apps) -> Windlass:
    app = new_app()

    @app.task(name="echo")
    def echo() -> int:
        return 1

    return app


def test_a_job_of_another_process_wakes_an_idle_worker(new_app: Apps) -> None:
    """C4: within milliseconds."""
    with a_worker_app(new_app).worker():
        assert quickest(new_app()) < BEFORE_THE_POLL


@pytest.mark.only_on("sqlite")
def test_a_job_of_another_process_wakes_an_idle_worker_without_inotify_too(place: SqlitePlace) -> None:
    """C4: where the system does not tell of changes to files, the file is looked at."""
    with Apps(replace(place, options="?news=poll")) as new_app, a_worker_app(new_app).worker():
        assert quickest(new_app()) < BEFORE_THE_POLL


def test_a_job_of_this_process_needs_no_news(new_app: Apps) -> None:
    """C4: who enqueues in the worker's own process wakes it directly."""
    app = a_worker_app(new_app)
    intercept(app).listen = _deaf  # type: ignore[method-assign]
    with app.worker():
        assert quickest(app) < BEFORE_THE_POLL


def test_a_wake_up_that_is_lost_costs_a_poll(new_app: Apps) -> None:
    """C4: at most 1 s."""
    app, producer = a_worker_app(new_app), new_app()
    intercept(app).listen = _deaf  # type: ignore[method-assign]
    with app.worker() as worker:
        eventually(lambda: worker.status().state == "idle", "the worker is at rest")
        jobs: list[Job[int]] = [producer.enqueue("echo") for _ in range(3)]
        began = monotonic()
        assert [job.result(timeout=PATIENCE) for job in jobs] == [1, 1, 1]
        assert monotonic() - began < leeway(2)


def test_a_queue_that_is_not_the_first_is_looked_into_although_there_is_one_slot(new_app: Apps) -> None:
    """C4: an empty queue in front does not cost a poll."""
    app, producer = a_worker_app(new_app), new_app()
    with app.worker({"first": 9, "second": 1, "third": 1}, concurrency=1, prefetch=False):
        waits = []
        for _ in range(3):
            began = monotonic()
            [job] = producer.enqueue_many([producer.request("echo", queue="third")])
            job.result(timeout=PATIENCE)
            waits.append(monotonic() - began)
        assert min(waits) < BEFORE_THE_POLL


@pytest.mark.only_on("postgres", "redis")
def test_of_many_idle_workers_a_few_go_for_a_job(new_app: Apps) -> None:
    """150 transactions for one job, with 64 workers: each of them went, and asked for upkeep besides."""
    apps = [new_app() for _ in range(16)]
    taps = [intercept(app) for app in apps]
    for app in apps:
        app.task(name="nothing")(_nothing)
    with ExitStack() as stack:
        for app in apps:
            stack.enter_context(app.worker(concurrency=2))
        caller = new_app()
        caller.task(name="nothing")(_nothing)
        eventually(lambda: all(interceptor.calls["next_due"] for interceptor in taps), "each knows how many there are")

        def cycles_of(jobs: int) -> float:
            before = sum(interceptor.calls["cycle"] for interceptor in taps)
            for _ in range(jobs):
                caller.enqueue("nothing").result(timeout=PATIENCE)
            return (sum(interceptor.calls["cycle"] for interceptor in taps) - before) / jobs

        cycles_of(40)
        assert cycles_of(60) < 10


@pytest.mark.only_on("postgres", "redis")
def test_a_worker_at_rest_leaves_polling_and_the_lead_to_others(new_app: Apps) -> None:
    """Each polled and asked for control every second, and for the lead every three."""
    apps = [a_worker_app(new_app) for _ in range(3)]
    taps = [intercept(app) for app in apps]
    with ExitStack() as stack:
        for app in apps:
            stack.enter_context(app.worker())
        eventually(lambda: all(app.client.session.hears(Topic.WORK, Topic.BACKLOG) for app in apps), "all hear")
        eventually(
            lambda: all(interceptor.calls["next_due"] >= 3 for interceptor in taps), "each has looked at the store"
        )
        before = [interceptor.calls.copy() for interceptor in taps]
        eventually(lambda: sum(interceptor.calls["next_due"] for interceptor in taps) >= 30, "seconds pass")
        asked = sum((interceptor.calls - old for interceptor, old in zip(taps, before, strict=True)), Counter[str]())
    assert asked["control"] + asked["waiting_of"] + asked["cycle"] < asked["next_due"]
    assert (
        sum(interceptor.calls["take_lead"] > old["take_lead"] for interceptor, old in zip(taps, before, strict=True))
        <= 1
    )


@pytest.mark.only_on("postgres", "redis")
def test_endings_are_heard_of_only_while_a_result_is_awaited(new_app: Apps) -> None:
    """Each ending woke every process of a store, of 64 workers all 64."""
    app = a_worker_app(new_app)
    with app.worker() as worker:
        eventually(lambda: app.client.session.hears(Topic.WORK), "it hears of work")
        assert not app.client.session.hears(Topic.FINISHED)
        worker.pause()
        waiting = app.enqueue("echo")
        with ThreadPoolExecutor(1) as threads:
            result = threads.submit(waiting.result, timeout=PATIENCE)
            eventually(lambda: app.client.session.hears(Topic.FINISHED), "it hears of endings too")
            worker.resume()
            assert result.result(PATIENCE) == 1


@pytest.mark.only_on("postgres")
def test_workers_are_called_for_a_job_that_no_worker_was_told_of(new_app: Apps) -> None:
    """C4: the worker that looks for all serves other queues."""
    app, keeper, producer = a_worker_app(new_app), a_worker_app(new_app), new_app()
    mute = intercept(producer)
    mute.store = mute.execute  # type: ignore[method-assign]  # stores, and does not tell
    called = Event()
    unsubscribe = app.client.session.subscribe(called.set, Topic.BACKLOG)
    with keeper.worker(["other"]), app.worker(lease=LONG_LEASE) as worker:
        eventually(lambda: app.client.session.hears(Topic.BACKLOG), "it hears")
        assert producer.enqueue("echo").result(timeout=PATIENCE) == 1
        worker.pause()
        left = producer.enqueue("echo")
        called.clear()
        assert called.wait(PATIENCE), "nobody goes for it, so all are called"
        worker.resume()
        assert left.result(timeout=PATIENCE) == 1
    unsubscribe()


def test_a_worker_on_standby_runs_what_no_other_can_run(new_app: Apps) -> None:
    """C4: with one worker at work and all others on standby a job waits for a moment, and not for a poll."""
    keeper, app, producer = a_worker_app(new_app), a_worker_app(new_app), new_app()
    with keeper.worker(["other"]), app.worker() as worker:
        pump, hears = worker._pump, partial(app.client.session.hears, Topic.WORK)
        eventually(hears, "it is notified of new jobs")
        for _ in range(5):
            pump._standby.is_on, pump._standby.draws_at = True, inf  # as of one of very many workers
            pump.poll_soon()
            eventually(lambda: not hears(), "it leaves them to others")
            assert producer.enqueue("echo").result(timeout=PATIENCE) == 1
            eventually(hears, "it has claimed one")


def test_workers_that_have_queues_of_their_own_are_never_on_standby(new_app: Apps) -> None:
    """C4: what only few workers can run is picked up within milliseconds, however many there are of other queues."""
    apps = [a_worker_app(new_app) for _ in range(6)]
    with ExitStack() as stack:
        for number, app in enumerate(apps):
            stack.enter_context(app.worker([f"queue-{number}"]))
        producer = new_app()
        for _ in range(12):
            [job] = producer.enqueue_many([producer.request("echo", queue="queue-0")])
            job.result(timeout=PATIENCE)
        for app in apps:
            eventually(partial(app.client.session.hears, Topic.WORK), "it is notified")
        for number in range(6):
            [job] = producer.enqueue_many([producer.request("echo", queue=f"queue-{number}")])
            assert job.result(timeout=PATIENCE) == 1
        assert all(app.client.session.hears(Topic.WORK) for app in apps)


@pytest.mark.only_on("sqlite")
def test_many_idle_workers_rest_while_one_works(new_app: Apps) -> None:
    """64 processes that woke each other by their commits took all of a machine, and waited 5 s for the file's lock."""
    apps = [a_worker_app(new_app) for _ in range(12)]
    with ExitStack() as stack:
        for app in apps:
            stack.enter_context(app.worker())
        producer = new_app()

        def notified() -> int:
            producer.enqueue("echo").result(timeout=PATIENCE)
            return sum(app.client.session.hears(Topic.WORK) for app in apps)

        eventually(lambda: notified() <= 6, "most are on standby")


def _nothing() -> None:
    pass
