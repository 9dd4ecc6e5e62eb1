"""One-off upkeep."""

from __future__ import annotations

import pytest

from tests.ledger.apps import work
from windlass import State, Windlass
from windlass.store.operations.upkeep.leader import LEADER, take_lead
from windlass.testing import ManualClock


@pytest.fixture(autouse=True)
def _tasks(app: Windlass) -> None:
    @app.task(name="noop")
    def noop() -> None: ...


def test_promote_says_how_many(app: Windlass, clock: ManualClock) -> None:
    """C14: what is due becomes pending; a second call finds nothing."""
    app.tasks[0].options(delay="1m").enqueue_many([()] * 3)
    app.tasks[0].options(delay="1h").enqueue()
    assert app.promote() == 0
    clock.advance("1m")
    assert (app.promote(), app.promote()) == (3, 0)
    assert app.counts()[State.PENDING] == 3


def test_promote_takes_more_than_a_page(app: Windlass, clock: ManualClock) -> None:
    """C14: all that is due."""
    app.tasks[0].options(delay="1m").enqueue_many([()] * 2500)
    clock.advance("1m")
    assert app.promote() == 2500


def test_rescue_says_which_and_where_they_went(app: Windlass, clock: ManualClock) -> None:
    """C14: pending again, or failed; a second call finds nothing."""
    job, last = app.enqueue("noop"), app.tasks[0].options(attempts=1).enqueue()
    app.claim(2, lease="1m")
    assert app.rescue() == []
    clock.advance("1m")
    assert {(rescued.id, rescued.state) for rescued in app.rescue()} == {
        (job.id, State.PENDING),
        (last.id, State.FAILED),
    }
    assert app.rescue() == []


def test_rescue_takes_more_than_a_page(app: Windlass, clock: ManualClock) -> None:
    """C14: all that is over."""
    app.tasks[0].enqueue_many([()] * 1200)
    assert len(app.claim(1200, lease="1m")) == 1200
    clock.advance("1m")
    assert len(app.rescue()) == 1200


def test_clean_says_how_many_and_how_long(app: Windlass, clock: ManualClock) -> None:
    """C14: a second call finds nothing."""
    app.enqueue("noop")
    work(app)
    clock.advance("8d")
    cleaned = app.clean()
    assert (cleaned.deleted, cleaned.archived) == (1, 0)
    assert cleaned.seconds >= 0
    assert app.clean().deleted == 0


def test_firing_says_what_became_of_each_slot(app: Windlass, clock: ManualClock) -> None:
    """C14: a second call finds nothing; nor does one while a worker leads, for that one fires."""
    app.add_schedule("minutely", "noop", every="1m", overlap="skip")
    assert app.fire_due() == []
    clock.advance("1m")
    [fire] = app.fire_due()
    assert (fire.schedule, fire.planned_at, fire.outcome) == ("minutely", clock.now(), "on_time")
    assert app.job(fire.job or "").state is State.PENDING
    assert app.fire_due() == []
    clock.advance("1m")
    app.client.session.run(take_lead(LEADER, holder="another", ttl=60_000))
    assert app.fire_due() == []


def test_migrate_says_which_steps(app: Windlass) -> None:
    """C14: a store that is up to date needs none."""
    app.migrate()
    assert app.migrate() == []


@pytest.mark.asyncio
async def test_async_code_does_upkeep_too(app: Windlass, clock: ManualClock) -> None:
    """C14: the same answers."""
    await app.tasks[0].options(delay="1m").aenqueue()
    await app.tasks[0].aenqueue()
    await app.aclaim(lease="1m")
    clock.advance("1m")
    assert (await app.apromote(), len(await app.arescue())) == (1, 1)
    assert (await app.aclean()).deleted == 0


def test_a_roll_up_says_what_it_merged_and_removed(app: Windlass, clock: ManualClock) -> None:
    """C14: a second call finds nothing."""
    app.enqueue("noop")
    work(app)
    app.roll_up()
    done = app.roll_up()
    assert (done.rows, done.buckets, done.pruned) == (0, 0, 0)
    assert app.figures(range="10m").total.completed == 1
    clock.advance("7h")
    assert app.roll_up().pruned >= 1
