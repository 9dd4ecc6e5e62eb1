"""A store in which something of everything is, and a client of its pages."""

from __future__ import annotations

import pytest

from tests.ledger.apps import work
from tests.web.http import Admitting
from tests.web.site.pages import Pages
from windlass import Windlass
from windlass.core.alerts.records import AlertRecord
from windlass.store.operations.alerts.alerts import record
from windlass.store.operations.upkeep.leader import LEADER, resign, take_lead
from windlass.testing import ManualClock

HOSTILE = "<img src=x onerror=alert(1)>\"'&\u202e{{ 9999 * 9999 }}"
"""Markup, quotes, a character that turns the direction of text, and what a template would fill in."""


@pytest.fixture
def pages(app: Windlass) -> Pages:
    return Pages(app, Admitting())


@pytest.fixture
def shop(app: Windlass, pages: Pages, clock: ManualClock) -> Pages:
    """Jobs in several states, a schedule, a paused queue, a worker, all with texts that want to be markup."""
    app.enqueue_many(
        [
            app.request("mail.welcome", [1, "hunter2"], id="done", tags=["vip"], meta={"note": HOSTILE}),
            app.request("broken", [HOSTILE], id="dead"),
            app.request("mail.welcome", [2], id="later", delay="1h"),
        ]
    )
    work(app)
    app.enqueue_many([app.request("mail.welcome", [HOSTILE], id="waits", queue="unserved", tags=["<b>bold</b>"])])
    app.add_schedule("nightly", "mail.welcome", cron="30 2 * * *", args=[7])
    app.queue("mail").pause(HOSTILE, by=HOSTILE[:64])
    app.alerts.add_rule("deep", "queue_depth > 10", severity="critical", description=HOSTILE)
    fire_alert(app, "01J8ZP3V1QK7D0C9R6T5M4N3B2", channels=["log"])
    return pages


def fire_alert(app: Windlass, id: str, *, channels: list[str], rule: str = "deep") -> None:
    """An alert as the leader stores it."""
    alert = AlertRecord(
        id=id,
        rule=rule,
        subject="queue:mail",
        severity="critical",
        expression="queue_depth > 10",
        message=HOSTILE,
        readings='{"queue_depth": 12}',
        state="firing",
        fired_at=app.client.now(),
    )
    lead = app.client.session.run(take_lead(LEADER, holder="test", ttl=10_000))
    app.client.session.run(record(lead, fired=[alert], deliveries=[(id, "fired", one) for one in channels]))
    app.client.session.run(resign(lead))
