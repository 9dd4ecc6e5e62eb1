"""What a feed tells at a reading, without a stream around it."""

from __future__ import annotations

import pytest

from tests.ledger.apps import work
from windlass import Windlass
from windlass.web.streams import feeds
from windlass.web.streams.allowance import Allowance
from windlass.web.streams.changes import EVENTS, FEEDS
from windlass.web.streams.event import Change, Interest
from windlass.web.streams.job_feed import JobFeed

pytestmark = pytest.mark.only_on("sqlite")


def failed_in(app: Windlass, queue: str) -> None:
    app.enqueue_many([app.request("broken", queue=queue)])
    work(app)
    app.evaluate_alerts()


@pytest.mark.asyncio
async def test_alerts_are_told_from_their_firing_to_their_end(app: Windlass) -> None:
    """B19, B22: a filter of queues lets those of other queues out."""
    app.migrate()
    app.alerts.add_rule("mail-fails", "dead_letters > 0", scope="queue:mail")
    feed = feeds.alert_feed(app)
    assert await feed.read() == []
    failed_in(app, "mail")
    told = [change for change in await feed.read() if change.data["rule"] == "mail-fails"]
    assert [(change.data["state"], change.queue, change.task) for change in told] == [("firing", "mail", None)]
    assert not Interest(frozenset({"alerts"}), queues=frozenset({"other"})).wants(told[0])
    assert await feed.read() == []
    app.alerts.acknowledge(str(told[0].data["id"]), by="ada")
    [seen] = await feed.read()
    assert (seen.data["state"], seen.data["acknowledged_by"]) == ("acknowledged", "ada")
    app.alerts.resolve(str(told[0].data["id"]), by="ada")
    [ended] = await feed.read()
    assert ended.data["state"] == "resolved"


@pytest.mark.asyncio
async def test_what_newer_things_push_out_is_not_gone() -> None:
    shown = ["a"]

    async def things() -> list[feeds.Thing]:
        return [feeds.Thing(name, {"id": name}) for name in shown]

    newest = feeds.SnapshotFeed("alerts", "id", things, 1.0, is_window=True)
    everything = feeds.SnapshotFeed("queues", "id", things, 1.0)
    assert await newest.read() == await everything.read() == []
    shown[:] = ["b"]
    assert await newest.read() == [Change("alerts", {"id": "b"})]
    assert await everything.read() == [Change("queues", {"id": "b"}), Change("queues", {"id": "a", "gone": True})]


def test_each_topic_has_a_name_for_its_events() -> None:
    assert EVENTS.keys() == FEEDS.keys()


@pytest.mark.asyncio
async def test_a_flood_of_jobs_is_told_in_part_and_that_there_were_more(app: Windlass) -> None:
    """B19: a burst first, then so many a second; what is left out is said."""
    app.migrate()
    now = [0.0]
    feed = JobFeed(app, Allowance(burst=60, per_second=10, monotonic=lambda: now[0]))

    async def told() -> tuple[int, bool]:
        app.enqueue_many([app.request("mail.welcome", [number]) for number in range(40)])
        changes = await feed.read()
        return sum("id" in change.data for change in changes), any("skipped" in change.data for change in changes)

    assert await told() == (0, False)
    assert await told() == (40, False)
    assert await told() == (20, True)
    assert await told() == (0, True)
    now[0] = 1.0
    assert await told() == (10, True)
    now[0] = 1000.0
    assert not (await told())[1]
