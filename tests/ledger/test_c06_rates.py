"""Shared rate budgets."""

from __future__ import annotations

import asyncio
from functools import partial
from threading import Event, Thread

import pytest

from tests.ledger.apps import LONG_LEASE, Apps, work
from tests.places.place import Place
from tests.waiting import PATIENCE, eventually
from windlass import (
    ActiveJob,
    ConfigError,
    JobCancelled,
    Limit,
    LimitTimeout,
    LimitView,
    Snooze,
    State,
    Windlass,
    current_job,
)
from windlass.testing import ManualClock


async def in_line(limit: Limit, count: int) -> None:
    """Wait until so many callers stand in line."""
    while (await limit.astatus()).waiting != count:  # noqa: ASYNC110  # what changes is in the store
        await asyncio.sleep(0.01)


def is_pending(app: Windlass, count: int) -> bool:
    return app.counts()["pending"] == count


def tokens(app: Windlass) -> int:
    return app.limit("github").status().tokens


def test_a_budget_is_one_for_all_processes(app: Windlass, new_app: Apps, clock: ManualClock) -> None:
    """C6: whoever asks, inside a task or outside."""
    other = new_app()
    for each in (app, other):
        each.limit("github", rate="30/min", burst=3)

    @other.task(name="call")
    def call(job: ActiveJob) -> bool:
        return job.limit("github").try_acquire()

    app.limit("github").acquire()
    other.limit("github").acquire(timeout=0)
    jobs = [app.enqueue("call") for _ in range(2)]
    work(other)
    assert sorted(job.result() for job in jobs) == [False, True]
    clock.advance("2s")
    assert app.limit("github").try_acquire()
    assert not other.limit("github").try_acquire()


def test_a_caller_waits_for_its_token(app: Windlass, clock: ManualClock) -> None:
    """C6: in line, and shown while it waits."""
    limit = app.limit("github", rate="5/s", burst=1)
    limit.acquire()
    has_token = Event()

    def wait() -> None:
        limit.acquire()
        has_token.set()

    thread = Thread(target=wait)
    thread.start()
    eventually(lambda: limit.status().waiting == 1, "it waits")
    assert not limit.try_acquire()
    clock.advance("200ms")
    assert has_token.wait(PATIENCE)
    thread.join()
    assert (limit.status().waiting, tokens(app)) == (0, 0)


def test_a_caller_whose_time_is_over_keeps_nothing(app: Windlass, clock: ManualClock) -> None:
    """C6: it is told at once that no token comes in time."""
    limit = app.limit("github", rate="1/min")
    limit.acquire()
    with pytest.raises(LimitTimeout, match=r"limit 'github': no token within 59 s; the next is due in 60 s"):
        limit.acquire(timeout="59s")
    eventually(lambda: limit.status().waiting == 0, "it has left the line")
    clock.advance("1m")
    assert limit.try_acquire()
    with pytest.raises(TimeoutError):
        limit.acquire(timeout=0)


def test_async_code_waits_too_and_a_cancelled_one_leaves_the_line(app: Windlass, clock: ManualClock) -> None:
    """C6: the twins."""
    limit = app.limit("github", rate="5/s", burst=1)

    async def story() -> None:
        await limit.aacquire()
        assert not await limit.atry_acquire()
        served = asyncio.create_task(limit.aacquire())
        await in_line(limit, 1)
        given_up = asyncio.create_task(limit.aacquire())
        await in_line(limit, 2)
        given_up.cancel()
        await asyncio.gather(given_up, return_exceptions=True)
        await in_line(limit, 1)
        clock.advance("200ms")
        await served
        await limit.adrain()
        with pytest.raises(LimitTimeout):
            await limit.aacquire(timeout="100ms")
        with pytest.raises(ConfigError, match="would block the running event loop"):
            limit.acquire()

    asyncio.run(story())


def test_a_run_that_is_cancelled_stops_waiting(app: Windlass) -> None:
    """C6: and keeps nothing."""
    limit = app.limit("github", rate="1/d")
    limit.acquire()

    @app.task(name="waits")
    def waits() -> None:
        app.limit("github").acquire()

    with app.worker():
        job = app.enqueue("waits")
        eventually(lambda: limit.status().waiting == 1, "it waits")
        job.cancel()
        with pytest.raises(JobCancelled):
            job.result(timeout=PATIENCE)
        eventually(lambda: limit.status().waiting == 0, "it has left the line")


def test_a_task_may_give_its_slot_back(app: Windlass, clock: ManualClock) -> None:
    """C6: each job comes back when it is its turn, without an attempt charged."""
    app.limit("github", rate="1/min")

    @app.task(name="first")
    def first(job: ActiveJob) -> int:
        job.limit("github").acquire(snooze=True)
        return job.attempt

    jobs = [app.enqueue("first") for _ in range(3)]
    work(app, concurrency=1)  # of several at once each may miss that another has just lined up
    ended = [job for job in jobs if job.refresh().state is State.COMPLETED]
    left = sorted((job for job in jobs if job.state is State.SCHEDULED), key=lambda job: job.run_at)
    assert (len(ended), len(left)) == (1, 2)
    assert app.limit("github").status().waiting == 2
    assert left[1].why() == "it waits for a token of limit 'github'; it is scheduled, due in 0:02:00"
    for number, job in enumerate(left, 1):
        clock.advance("1m")
        app.promote()
        assert work(app) == 1, number
        assert job.result() == 1
    assert (tokens(app), app.limit("github").status().waiting) == (0, 0)


def test_a_run_whose_turn_comes_soon_keeps_its_slot(place: Place) -> None:
    """C6: by its turn others may have filled all slots, to wait in line behind it. By the clock of this machine."""
    with Apps(place) as apps:
        app = apps()
        app.limit("github", rate="4/s", burst=1).acquire()

        @app.task(name="soon")
        def soon(job: ActiveJob) -> None:
            job.limit("github").acquire(snooze=True)

        job = app.enqueue("soon")
        work(app)
        assert job.refresh().state is State.COMPLETED


def test_async_tasks_snooze_too(app: Windlass) -> None:
    """C6: ``await limit.aacquire(snooze=True)``."""
    app.limit("github", rate="1/min").acquire()

    @app.task(name="afirst")
    async def afirst() -> None:
        await current_job().limit("github").aacquire(snooze=True)

    job = app.enqueue("afirst")
    work(app)
    assert (job.refresh().state, job.attempt) == (State.SCHEDULED, 0)


def test_what_an_operator_sets_outlives_the_code(app: Windlass, new_app: Apps) -> None:
    """C6, C10: code only seeds."""
    app.limit("github", rate="5000/h", burst=100).acquire()
    new_app().limit("github").configure(rate="30/min", by="ada")
    deployed = new_app()
    limit = deployed.limit("github", rate="9000/h", burst=9)
    limit.acquire()
    found = limit.status()
    assert (found.rate, found.burst, found.changed_by) == ("30/min", 100, "ada")
    limit.configure(burst=5)
    assert (limit.status().rate, limit.status().burst, limit.status().tokens) == ("30/min", 5, 5)
    limit.delete()
    assert (limit.status().rate, limit.status().changed_by) == ("9000/h", None)


def test_a_worker_sets_up_what_the_code_declares(app: Windlass, new_app: Apps) -> None:
    """C6: an operator sees a limit before its first use, and looking sets nothing up."""
    app.limit("github", rate="5000/h", burst=100)
    app.task(name="any")(print)
    other = new_app()
    assert other.limits() == []
    work(app)
    [found] = other.limits()
    assert isinstance(found, LimitView)
    assert (found.name, found.rate, found.tokens) == ("github", "5000/h", 100)


def test_a_limit_that_is_drained_gives_nothing(app: Windlass, clock: ManualClock) -> None:
    """C6: after a real 429."""
    limit = app.limit("github", rate="1/s", burst=50)
    limit.drain()
    assert not limit.try_acquire()
    clock.advance("1s")
    assert limit.try_acquire()


def test_mistakes_are_told_by_name(app: Windlass) -> None:
    """C6: and nothing is half done."""
    with pytest.raises(ConfigError, match=r"limit 'github': rate must look like '30/min'"):
        app.limit("github", rate="thirty a minute")
    with pytest.raises(ConfigError, match=r"limit 'github': burst needs a rate"):
        app.limit("github", burst=5)
    with pytest.raises(ConfigError, match="burst must be a whole number"):
        app.limit("github", rate="1/s", burst=0)
    with pytest.raises(ConfigError, match=r"limit name 'git hub'"):
        app.limit("git hub")
    for use in (
        app.limit("github").acquire, app.limit("github").try_acquire, app.limit("github").drain,
        app.limit("github").status, lambda: app.limit("github").configure(burst=5),
    ):  # fmt: skip
        with pytest.raises(ConfigError, match=r"'github' is not set up; declare it with app.limit"):
            use()
    with pytest.raises(ConfigError, match="nothing to change"):
        app.limit("github").configure()
    app.limit("github", rate="1/s")
    app.limit("github", rate="1/s")
    with pytest.raises(ConfigError, match=r"limit 'github' is declared twice: with 1/s \(burst 1\) and 2/s"):
        app.limit("github", rate="2/s")
    with pytest.raises(ConfigError, match=r"snooze=True\) works only inside a task"):
        app.limit("github").acquire(snooze=True)
    assert app.limits() == []


def test_a_limit_that_is_deleted_while_a_run_waits_for_it_is_told(app: Windlass, new_app: Apps) -> None:
    """C6: nothing is stuck."""
    other = new_app()
    other.limit("gone").configure(rate="1/s", burst=1)
    other.limit("gone").acquire()

    @app.task(name="waits")
    def waits() -> None:
        current_job().limit("gone").acquire()

    with app.worker():
        [job] = app.enqueue_many([app.request("waits", attempts=1)])
        eventually(lambda: other.limit("gone").status().waiting == 1, "it waits")
        other.limit("gone").delete()
        job.wait(timeout=PATIENCE)
    assert "limit 'gone' is not set up" in job.refresh().errors[0].message


def test_a_limit_that_is_deleted_while_a_job_has_snoozed_for_it_is_told(app: Windlass, clock: ManualClock) -> None:
    """C6: the job comes back when it was to come, and says what is missing."""
    app.limit("gone").configure(rate="1/min", burst=1)
    app.limit("gone").acquire()

    @app.task(name="comes_back")
    def comes_back(job: ActiveJob) -> None:
        job.limit("gone").acquire(snooze=True)

    [job] = app.enqueue_many([app.request("comes_back", attempts=1)])
    work(app)
    assert job.refresh().state is State.SCHEDULED
    app.limit("gone").delete()
    clock.advance("1m")
    app.promote()
    assert work(app) == 1
    assert job.refresh().state is State.FAILED
    assert "limit 'gone' is not set up" in job.errors[0].message


def test_a_snooze_is_a_snooze(app: Windlass) -> None:
    """C6: what ``acquire(snooze=True)`` raises is no error of the task."""
    limit = app.limit("github", rate="1/min")
    limit.acquire()
    seen: list[object] = []

    @app.task(name="first")
    def first() -> None:
        try:
            limit.acquire(snooze=True)
        except Snooze as snooze:
            seen.append(snooze.delay)
            raise

    app.enqueue("first")
    work(app)
    assert [str(delay) for delay in seen] == ["0:01:00"]


# The rate of a queue.


def test_a_queue_keeps_to_its_rate(app: Windlass, clock: ManualClock) -> None:
    """C6: every claim takes a token, for workers and by hand; other queues go on."""

    @app.task(name="mail", queue="mail")
    def mail() -> str:
        return "sent"

    app.queue("mail").configure(rate="30/min", burst=2)
    app.enqueue_many([app.request("mail") for _ in range(5)])
    free = app.enqueue_many([app.request("mail", queue="other")])
    assert work(app, queues=["mail", "other"]) == 3
    assert free[0].result() == "sent"
    assert app.claim(5, queues=["mail"]) == []
    clock.advance("2s")
    assert work(app, queues=["mail"]) == 1
    clock.advance("2s")
    assert len(app.claim(5, queues=["mail"])) == 1
    settings = app.queue("mail").settings()
    assert (settings.rate, settings.burst) == ("30/min", 2)


def test_a_worker_comes_back_when_a_token_is_due(app: Windlass, clock: ManualClock) -> None:
    """C6: by itself; `why` says when the next one comes, and a change is followed."""

    @app.task(name="mail", queue="mail")
    def mail() -> str:
        return "sent"

    queue = app.queue("mail", rate="5/s", burst=1)
    with app.worker(lease=LONG_LEASE):
        jobs = [app.enqueue("mail") for _ in range(3)]
        for left in (2, 1):
            eventually(partial(is_pending, app, left), f"{left} wait")
            eventually(lambda: "queue 'mail' is at its rate; its next job may begin at" in jobs[-1].why(), "it is told")
            clock.advance("200ms")
        for job in jobs:
            assert job.result(timeout=PATIENCE) == "sent"
        queue.configure(rate=None)
        assert [app.enqueue("mail").result(timeout=PATIENCE) for _ in range(3)] == ["sent"] * 3


def test_the_rate_of_a_queue_is_checked(app: Windlass) -> None:
    """C6: by name."""
    with pytest.raises(ConfigError, match="rate must look like"):
        app.queue("mail").configure(rate="often")
    with pytest.raises(ConfigError, match="burst needs a rate"):
        app.queue("mail").configure(burst=5)
    with pytest.raises(ConfigError, match="rate must look like"):
        app.queue("mail", rate="often")
