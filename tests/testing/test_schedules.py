"""Schedules in tests of users."""

from __future__ import annotations

from datetime import UTC, datetime

from windlass import Windlass
from windlass.testing import ManualClock, drain, inline, manual


def test_slots_count_from_the_beginning_of_the_block() -> None:
    """Nothing has to be started, and the clock is the block's."""
    app = Windlass("sqlite:///never-made.db")
    ran: list[str] = []

    @app.cron("30 2 * * *", tz="America/New_York")
    def nightly() -> None:
        ran.append("nightly")

    clock = ManualClock(datetime(2026, 3, 7, 12, tzinfo=UTC))
    with manual(app, clock=clock) as jobs:
        assert app.fire_due() == []
        clock.set(datetime(2026, 3, 8, 7, tzinfo=UTC))
        [fire] = app.fire_due()
        assert (fire.schedule, fire.outcome, f"{fire.planned_at:%H:%M}") == ("nightly", "on_time", "07:00")
        assert [job.planned_at for job in jobs] == [fire.planned_at]
        assert drain(app) == 1
    assert ran == ["nightly"]


def test_inline_runs_what_fires_at_once() -> None:
    app = Windlass("sqlite:///never-made.db")

    @app.every("1m")
    def poll() -> str:
        return "polled"

    clock = ManualClock()
    with inline(app, clock=clock) as jobs:
        assert app.schedule("poll").run_now().result() == "polled"
        clock.advance("1m")
        app.fire_due()
        assert [job.result() for job in jobs] == ["polled", "polled"]


def test_blocks_do_not_share_schedules() -> None:
    app = Windlass("sqlite:///never-made.db")
    app.every("1m", name="poll")(app.task(_nothing))
    with manual(app):
        app.schedule("poll").pause()
        app.add_schedule("other", "noop", every="1m")
    with manual(app):
        assert [(one.name, one.state) for one in app.schedules()] == [("poll", "active")]


def _nothing() -> None: ...
