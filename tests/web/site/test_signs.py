"""What asks for a look is told beside its link, on every page."""

from __future__ import annotations

import pytest

from tests.ledger.apps import work
from tests.waiting import eventually
from tests.web.http import Admitting
from tests.web.site.pages import Html, Pages
from windlass import Windlass
from windlass.testing import ManualClock
from windlass.web.security.roles import ANONYMOUS

ALERT = "01J8ZP3V1QK7D0C9R6T5M4N3B2"


def signs(page: Html) -> dict[str, str]:
    """What is shown, by the link that it stands beside."""
    return {
        attributes["data-sign"] or "": "" if "hidden" in attributes else "shown"
        for tag, attributes in page.elements
        if tag == "span" and "data-sign" in attributes
    }


def counts(page: Html) -> tuple[str, str]:
    [found] = [attributes for tag, attributes in page.elements if attributes.get("id") == "signs"]
    return found["data-failures"] or "", found["data-alerts"] or ""


def test_causes_that_fail_and_alerts_that_fire_are_counted(shop: Pages) -> None:
    """B20: on every store. They are read beside the requests, so the first page of a process knows of nothing."""
    first = shop.read("/workers")
    assert signs(first) == {"/failures": "", "/alerts": ""}
    eventually(lambda: counts(shop.read("/workers")) == ("1", "1"))
    assert signs(shop.read("/jobs")) == {"/failures": "shown", "/alerts": "shown"}
    assert signs(shop.read("/enqueue")) == {"/failures": "shown", "/alerts": "shown"}, "also where nothing is live"


@pytest.mark.only_on("sqlite")
def test_what_is_muted_old_or_acknowledged_does_not_count(shop: Pages, app: Windlass, clock: ManualClock) -> None:
    eventually(lambda: counts(shop.read("/workers")) == ("1", "1"))
    [group] = app.dead_groups()
    assert group.cause is not None
    app.dead_mute(group.cause, lasts="1h", reason="known", by="ada")
    app.alerts.acknowledge(ALERT, by="ada")
    eventually(lambda: counts(shop.read("/workers")) == ("0", "0"))
    app.dead_unmute(group.cause)
    clock.advance("2h")
    app.enqueue("broken", "x")
    work(app)
    eventually(lambda: counts(shop.read("/workers"))[0] == "1")
    clock.advance("2h")
    eventually(lambda: counts(shop.read("/workers"))[0] == "0")


@pytest.mark.only_on("sqlite")
def test_who_is_not_known_is_told_nothing(app: Windlass) -> None:
    pages = Pages(app, Admitting(ANONYMOUS))
    assert "data-sign" not in pages.get("/login").text
