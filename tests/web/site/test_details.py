"""What single pages tell beside their lists: of running jobs, of schedules, of results."""

from __future__ import annotations

from threading import Event
from zoneinfo import ZoneInfo

import pytest

from tests.ledger.apps import work
from tests.waiting import eventually
from tests.web.site.pages import Pages
from windlass import Retry, Windlass, current_job
from windlass.testing import ManualClock

pytestmark = pytest.mark.only_on("sqlite")


def test_workers_tell_for_how_long_and_how_far_their_jobs_run(app: Windlass, pages: Pages) -> None:
    """B20: what each slot runs, with its arguments, its time and its progress."""
    begun, over = Event(), Event()

    @app.task(name="export")
    def export(month: str) -> None:
        current_job().progress(0.4, "region 2 of 5")
        begun.set()
        over.wait(30)

    app.enqueue(app.request("export", kwargs={"month": "2026-10"}))
    with app.worker():
        assert begun.wait(30)
        try:
            eventually(lambda: "40 percent" in pages.read("/workers").all("svg", "aria-label"))
            assert "month=2026-10" in pages.read("/workers").text
        finally:
            over.set()


def test_slots_show_runs_that_take_longer_than_usual(app: Windlass, pages: Pages, clock: ManualClock) -> None:
    """B20: longer than 99 of 100 runs of the task took in the last day."""
    begun, over = Event(), Event()

    @app.task(name="export")
    def export(*, hangs: bool) -> None:
        if hangs:
            begun.set()
            over.wait(30)

    app.enqueue_many([app.request("export", kwargs={"hangs": False}) for _ in range(30)])
    app.worker().run_until_empty()
    app.roll_up()
    app.enqueue("export", hangs=True)
    with app.worker(concurrency=2):
        assert begun.wait(30)
        try:
            clock.advance("5s")
            said = "1 of 2 slots busy, 1 for longer than 99 of 100 runs take"
            eventually(lambda: said in pages.read("/workers").all("span", "aria-label"))
        finally:
            over.set()


def test_schedules_tell_which_change_of_clocks_moves_them(app: Windlass, pages: Pages) -> None:
    """B20: months ahead; and what becomes of slots that overlap or were missed."""
    app.add_schedule("close", "mail.welcome", cron="30 2 * * *", tz="America/New_York", args=[7])
    app.add_schedule("often", "mail.welcome", cron="*/5 * * * *", tz="America/New_York", args=[7])
    assert pages.read("/schedules").text.count("clocks jump from 02:00 to 03:00") == 1
    due = app.schedule("close").next_at
    assert due is not None
    local = due.astimezone(ZoneInfo("America/New_York"))
    assert f"{local:%a %H:%M %Z}, in " in pages.read("/schedules").text, "its next slot on its own clocks"
    page = pages.read("/schedules/close")
    assert "clocks jump from 02:00 to 03:00; it runs at 03:00 EDT" in page.text
    assert "run beside it" in page.text
    assert "make up for the latest" in page.text


def test_the_list_of_jobs_shows_results(shop: Pages) -> None:
    assert "welcome 1" in shop.read("/jobs?state=completed").text


def test_arguments_are_shown_as_json_with_secrets_masked(shop: Pages) -> None:
    text = shop.read("/jobs/done").text
    assert '"user_id": 1' in text
    assert "hunter2" not in text


def test_a_task_tells_with_which_arguments_it_is_slow_and_fails(
    app: Windlass, pages: Pages, clock: ManualClock
) -> None:
    """B20: of its newest runs, secrets masked, and how far was looked."""

    @app.task(name="export", retry=Retry(attempts=1))
    def export(region: str, seconds: int, token: str) -> None:
        clock.advance(seconds)
        if region == "north":
            raise ValueError("no such region")

    for region, seconds in [("south", 90), ("north", 5), ("north", 7), ("east", 2)]:
        app.enqueue("export", region, seconds, "t0p-secret")
        work(app)
    page = pages.read("/tasks/export").text
    assert "of its newest 4 jobs" in page
    assert "region=south seconds=90 token=masked" in page
    assert page.index("region=south") < page.index("region=north")
    assert "of its newest 2 failed jobs" in page
    assert "north" in page[page.index("Arguments that fail") :]
    assert "t0p-secret" not in page
    assert "None of its jobs is among the failed" in pages.read("/tasks/mail.welcome").text


def test_a_queue_tells_with_which_arguments_its_next_jobs_run(app: Windlass, pages: Pages) -> None:
    app.enqueue_many([app.request("mail.welcome", [7], {"password": "hunter2"}, queue="unserved")])
    page = pages.read("/queues/unserved").text
    assert "user_id=7 password=masked" in page
