"""One job for each slot, however many schedulers there are."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.ledger.apps import Apps, at_once, gate, work
from tests.waiting import eventually
from windlass import State, Unique, Windlass
from windlass.testing import ManualClock


def test_five_schedulers_make_one_job_for_each_slot(new_app: Apps, clock: ManualClock) -> None:
    """B14: all at the same moment, slot after slot; fifty schedules due at once."""
    apps = [new_app() for _ in range(5)]
    for number in range(50):
        apps[0].add_schedule(f"s{number}", "noop", cron="* * * * *")
    for _ in range(3):
        clock.advance("1m")
        at_once(*[app.fire_due for app in apps])
        apps[0].fire_due()  # those that another held at that moment
    jobs = [*apps[0].jobs(limit=1000)]
    assert Counter((job.schedule, job.planned_at) for job in jobs).most_common(1)[0][1] == 1
    assert len(jobs) == 150


def test_a_slot_fires_only_once_also_when_the_clock_goes_back(app: Windlass, clock: ManualClock) -> None:
    """B14, E7: only slots after the last one that was decided about fire."""
    app.add_schedule("each-minute", "noop", every="1m")
    clock.advance("1h")
    app.fire_due()
    before = len(app.jobs())
    clock.set(clock.now().replace(hour=0, minute=30))
    for _ in range(30):
        clock.advance("1m")
        app.fire_due()
    assert len(app.jobs()) == before
    clock.advance("1m")
    assert len(app.fire_due()) == 1


def test_skip_leaves_a_slot_out_while_the_last_job_is_alive(app: Windlass, clock: ManualClock) -> None:
    """B14: waiting, running or to be retried; a job that was run by hand does not count."""
    schedule = app.add_schedule("slow", "noop", every="1m", overlap="skip")
    schedule.run_now()
    clock.advance("1m")
    [first] = app.fire_due()
    assert first.outcome == "on_time"
    clock.advance("1m")
    [second] = app.fire_due()
    assert (second.outcome, second.reason, second.job) == ("skipped", "overlap", None)
    app.cancel(first.job or "")
    clock.advance("1m")
    [third] = app.fire_due()
    assert third.outcome == "on_time"


def test_buffer_keeps_one_slot_back_until_the_last_job_is_done(app: Windlass, clock: ManualClock) -> None:
    """B14."""
    app.add_schedule("slow", "noop", every="1m", overlap="buffer")
    clock.advance("1m")
    [first] = app.fire_due()
    clock.advance("1m")
    app.fire_due()
    clock.advance("1m")
    app.fire_due()
    assert len(app.jobs()) == 1
    app.cancel(first.job or "")
    clock.advance("10s")
    app.fire_due()
    planned = sorted(job.planned_at for job in app.jobs() if job.planned_at)
    assert [slot.minute for slot in planned] == [1, 2]


def test_a_slot_whose_unique_key_is_held_makes_no_job(new_app: Apps, clock: ManualClock) -> None:
    """B14, B17: with five schedulers at once; the ledger says why."""
    apps = [new_app() for _ in range(5)]
    apps[0].add_schedule("bill", "noop", every="1m", unique=Unique())
    for _ in range(3):
        clock.advance("1m")
        at_once(*[app.fire_due for app in apps])
        apps[0].fire_due()
    assert len(apps[0].jobs()) == 1
    assert [(fire.outcome, fire.reason) for fire in apps[0].schedule("bill").fires()] == [
        ("skipped", "unique"),
        ("skipped", "unique"),
        ("on_time", None),
    ]


def test_a_full_queue_skips_the_slot(app: Windlass, clock: ManualClock) -> None:
    """B5, B14: and the ledger says so."""
    app.queue("small").configure(max_length=1)
    app.add_schedule("a", "noop", every="1m", queue="small")
    clock.advance("1m")
    app.fire_due()
    clock.advance("1m")
    [fire] = app.fire_due()
    assert (fire.outcome, fire.reason, fire.job) == ("skipped", "queue_full", None)


def test_a_worker_fires_and_runs(app: Windlass) -> None:
    """B14: nothing else has to be started."""
    with gate() as opened:

        @app.every("1s", overlap="skip")
        def tick() -> None:
            opened.wait()

        with app.worker(concurrency=1):
            eventually(lambda: app.schedule("tick").state == "active", "the worker has stored the schedule")
            app.client.clock.advance("1s")  # type: ignore[union-attr]  # the test's own
            opened.await_entered()
            opened.open()
    assert app.counts()[State.RUNNING] == 0


@pytest.mark.asyncio
async def test_async_code_fires_too(app: Windlass, clock: ManualClock) -> None:
    """B14, C14: the same answers."""
    await app.aadd_schedule("s", "noop", every="1m")
    clock.advance("1m")
    [fire] = await app.afire_due()
    assert (fire.schedule, fire.outcome) == ("s", "on_time")
    assert await app.afire_due() == []
    assert [one.job for one in await (await app.aschedule("s")).afires()] == [fire.job]


def test_what_a_schedule_says_about_its_jobs_is_theirs(app: Windlass, clock: ManualClock) -> None:
    """B14, B16: arguments, queue, priority, attempts, time limit, metadata and tags."""

    @app.task(name="report", priority=5)
    def report(days: int, *, to: str) -> str:
        return f"{days} days to {to}"

    app.add_schedule(
        "weekly", report, cron="0 6 * * mon", args=[7], kwargs={"to": "ada"}, queue="slow", attempts=2, timeout="5m",
        meta={"tenant": "a"}, tags=("vip",),
    )  # fmt: skip
    clock.advance("4d6h")
    [fire] = app.fire_due()
    job = app.job(fire.job or "")
    assert (job.queue, job.priority, job.max_attempts, job.record.timeout) == ("slow", 5, 2, 300_000)
    assert (job.meta, job.tags) == ({"tenant": "a"}, ("vip",))
    work(app, queues=["slow"])
    assert job.refresh().result() == "7 days to ada"
