"""Schedules live in the store: the code's are kept in step, an operator's changes stay."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.ledger.apps import LONG_LEASE, Apps
from tests.waiting import eventually
from windlass import ConfigError, IllegalTransition, ScheduleNotFound, Windlass
from windlass.testing import ManualClock


def declare(app: Windlass, expression: str = "30 9 * * *", **options: Any) -> Windlass:
    """The code of a version: one schedule, ``digest``."""

    @app.cron(expression, **options)
    @app.task(name="digest")
    def digest() -> None: ...

    return app


def stored(app: Windlass, name: str) -> dict[str, str]:
    """The schedule as an operator's program sees it, which has no code."""
    schedule = app.schedule(name)
    return {"state": schedule.state, "due": schedule.settings.due}


def test_schedules_are_listed_added_edited_and_deleted(app: Windlass) -> None:
    """B16."""
    app.add_schedule("b", "noop", every="15m", by="ada")
    app.add_schedule("a", "other", cron="@daily", tz="Europe/Berlin")
    assert [(one.name, one.task, one.settings.due, one.origin) for one in app.schedules()] == [
        ("a", "other", "@daily", "hand"),
        ("b", "noop", "every 15m", "hand"),
    ]
    assert [one.name for one in app.schedules(task="noop")] == ["b"]
    changed = app.schedule("a").edit(cron="0 7 * * *", queue="slow", by="bob")
    assert changed.next_at == datetime(2026, 1, 1, 6, tzinfo=UTC)
    assert app.schedule("a").settings.queue == "slow"
    with pytest.raises(ConfigError, match="there is a schedule 'a' already"):
        app.add_schedule("a", "noop", every="1m")
    app.schedule("a").delete()
    assert [one.name for one in app.schedules()] == ["b"]
    with pytest.raises(ScheduleNotFound, match="there is no schedule 'a'"):
        app.schedule("a")


def test_a_paused_schedule_does_not_fire_and_goes_on_from_now(app: Windlass, clock: ManualClock) -> None:
    """B16: slots of the pause are not made up for; who and why is kept."""
    schedule = app.add_schedule("s", "noop", every="1h", catch_up="all")
    schedule.pause("August", by="ada")
    assert [one.name for one in app.schedules(enabled=True)] == []
    seen = app.schedule("s")
    assert (seen.state, seen.next_at, seen.record.paused_by, seen.record.paused_reason) == (
        "paused", None, "ada", "August",
    )  # fmt: skip
    clock.advance("5h30m")
    assert app.fire_due() == []
    assert schedule.resume().next_at == datetime(2026, 1, 1, 6, tzinfo=UTC)
    clock.advance("30m")
    assert [f"{fire.planned_at:%H}" for fire in app.fire_due()] == ["06"]


def test_run_now_makes_a_job_besides_the_slots(app: Windlass, clock: ManualClock) -> None:
    """B16: also of a paused one; the next slot stays."""
    schedule = app.add_schedule("s", "noop", every="1h", args=[1]).pause()
    job = schedule.run_now()
    assert (job.task, job.args, job.schedule, job.planned_at) == ("noop", (1,), "s", None)
    assert schedule.refresh().fires() == []


def test_the_next_ten_slots_can_be_previewed(app: Windlass, clock: ManualClock) -> None:
    """B16: in its zone and in UTC, with a note where the clocks change."""
    clock.set(datetime(2026, 3, 1, tzinfo=UTC))
    schedule = app.add_schedule("s", "noop", cron="30 2 * * *", tz="America/New_York")
    slots = schedule.preview()
    assert len(slots) == 10
    assert (f"{slots[0].local:%d %H:%M}", f"{slots[0].at:%d %H:%M}") == ("01 02:30", "01 07:30")
    assert [(f"{slot.local:%d %H:%M}", slot.note) for slot in slots if slot.note] == [
        ("08 03:00", "clocks jump from 02:00 to 03:00")
    ]


def test_a_worker_stores_what_its_code_declares(new_app: Apps) -> None:
    """B16: at its start, also one without duties once another leads."""
    operator, app = new_app(), declare(new_app())
    assert app.schedule("digest").state == "new"
    assert operator.schedules() == []
    with app.worker():
        eventually(lambda: [one.name for one in operator.schedules()] == ["digest"], "the schedule is stored")
    assert stored(operator, "digest") == {"state": "active", "due": "30 9 * * *"}


@pytest.mark.parametrize(
    ("change", "due", "state"),
    [
        (lambda one: one.edit(cron="@hourly", by="ada"), "@hourly", "active"),
        (lambda one: one.pause("August", by="ada"), "30 9 * * *", "paused"),
    ],
)
def test_what_an_operator_changed_survives_a_restart(
    new_app: Apps, change: Callable[[Any], Any], due: str, state: str
) -> None:
    """B16: until it is taken back."""
    operator = new_app()
    declare(new_app()).fire_due()
    change(operator.schedule("digest"))
    declare(new_app()).fire_due()
    assert stored(operator, "digest") == {"state": state, "due": due}


def test_a_change_is_shown_and_can_be_taken_back(new_app: Apps, clock: ManualClock) -> None:
    """B16: also when the code has changed since."""
    operator = new_app()
    declare(new_app()).fire_due()
    operator.schedule("digest").edit(cron="@hourly", priority=7, by="ada")
    clock.advance("1s")
    declare(new_app(), "0 8 * * *").fire_due()
    seen = operator.schedule("digest")
    assert (seen.changed, seen.record.changed_by) == (["cron", "priority"], "ada")
    assert seen.declared is not None
    assert seen.declared.cron == "0 8 * * *"
    assert seen.reset().settings.due == "0 8 * * *"
    assert seen.changed == []


def test_one_that_was_removed_from_the_code_is_orphaned(new_app: Apps, clock: ManualClock) -> None:
    """B16: shown, does not fire, is not deleted; one made by hand goes on."""
    operator = new_app()
    declare(new_app(), "0 * * * *").fire_due()
    operator.add_schedule("by-hand", "noop", every="1h")
    clock.advance("2m")  # the old version is gone
    later = new_app()
    later.every("1d")(later.task(name="other")(_nothing))
    later.fire_due()
    clock.advance("1h")
    assert [fire.schedule for fire in later.fire_due()] == ["by-hand"]
    assert stored(operator, "digest") == {"state": "orphaned", "due": "0 * * * *"}
    assert [one.name for one in operator.schedules(enabled=False)] == ["digest"]
    declare(new_app(), "0 * * * *").fire_due()
    assert stored(operator, "digest")["state"] == "active"


def test_only_an_orphan_of_the_code_can_be_deleted(new_app: Apps, clock: ManualClock) -> None:
    """B16: the next worker would store it again."""
    operator = new_app()
    declare(new_app()).fire_due()
    with pytest.raises(IllegalTransition, match="declared in code"):
        operator.schedule("digest").delete()
    clock.advance("2m")
    later = new_app()
    later.every("1d")(later.task(name="other")(_nothing))
    later.fire_due()
    operator.schedule("digest").delete()
    assert [one.name for one in operator.schedules()] == ["other"]


def test_two_versions_of_the_code_do_not_fight(new_app: Apps, clock: ManualClock) -> None:
    """B16: the newest is in force while it lives, whatever the older one does; a rollback brings the older one back."""
    operator, old, new = new_app(), declare(new_app(), "0 8 * * *"), declare(new_app(), "0 9 * * *")
    old.fire_due()
    clock.advance("1s")
    new.fire_due()
    for app in (old, new, old):
        app.fire_due()
        assert stored(operator, "digest")["due"] == "0 9 * * *"
    clock.advance("2m")  # no process of the new version lives any more
    old.fire_due()
    assert stored(operator, "digest")["due"] == "0 8 * * *"


def test_workers_of_two_versions_side_by_side(new_app: Apps, clock: ManualClock) -> None:
    """B16: a rolling deploy with real workers: the schedule changes once, and stays."""
    operator, old, new = new_app(), declare(new_app(), "0 8 * * *"), declare(new_app(), "0 9 * * *")
    with old.worker(lease=LONG_LEASE):
        eventually(lambda: [one.name for one in operator.schedules()] == ["digest"], "the old one is stored")
        clock.advance("1s")
        with new.worker(lease=LONG_LEASE):
            eventually(lambda: stored(operator, "digest")["due"] == "0 9 * * *", "the new one is in force")


def test_a_schedule_that_no_worker_has_stored_can_be_changed(new_app: Apps) -> None:
    """B16: what this program declares is stored with the change."""
    declare(new_app()).schedule("digest").pause("not yet", by="ada")
    assert stored(new_app(), "digest") == {"state": "paused", "due": "30 9 * * *"}


def test_recompute_says_how_many_moved(app: Windlass, clock: ManualClock) -> None:
    """B16: none, unless the zone data has changed."""
    app.add_schedule("s", "noop", cron="@daily", tz="Europe/Berlin")
    assert app.recompute_schedules() == 0


@pytest.mark.asyncio
async def test_async_code_does_the_same(app: Windlass) -> None:
    """B16, D5."""
    schedule = await app.aadd_schedule("s", "noop", every="1h")
    await schedule.apause("August")
    assert [one.state for one in await app.aschedules()] == ["paused"]
    await schedule.aresume()
    await schedule.aedit(every="2h")
    await schedule.areset()
    assert (await schedule.arefresh()).settings.due == "every 2h"
    assert (await schedule.arun_now()).state == "pending"
    assert (await schedule.afires(), await app.arecompute_schedules()) == ([], 0)
    await schedule.adelete()
    assert await app.aschedules() == []


def _nothing() -> None: ...
