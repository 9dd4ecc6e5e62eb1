"""Changes of many dead letters over HTTP."""

from __future__ import annotations

import pytest

from tests.ledger.apps import work
from tests.web.http import V1, Http
from windlass import Windlass
from windlass.testing import ManualClock
from windlass.web.topics.jobs import dead

pytestmark = pytest.mark.only_on("sqlite")


@pytest.fixture
def failed(app: Windlass) -> list[str]:
    """The ids of 1,200 dead letters, more than two pages."""
    app.enqueue_many([app.request("broken", [f"{number % 2}"]) for number in range(1200)])
    for claimed in app.claim(1200):
        claimed.discard("broken")
    return [job.id for job in app.jobs(limit=2000)]


def test_a_change_takes_several_requests_and_keeps_to_what_was_dead_at_first(
    app: Windlass, http: Http, clock: ManualClock, failed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was retried and fails again meanwhile, or fails only now, is not retried once more."""
    monkeypatch.setattr(dead, "_SECONDS", 0.0)
    first = http.order("/dead/retry", {"filter": {"task": "broken"}})
    assert (first["retried"], first["errors"]) == (500, {})
    clock.advance("1s")
    for claimed in app.claim(10):
        claimed.discard("again")
    second = http.order("/dead/retry", {"next": first["next"]})
    third = http.order("/dead/retry", {"next": second["next"]})
    assert (second["retried"], third["retried"], third["next"]) == (500, 200, None)
    assert (app.counts()["failed"], app.counts()["pending"]) == (10, 1190)
    tampered = http.post(f"{V1}/dead/delete", json={"next": first["next"]})
    assert (tampered.status_code, tampered.json()["field"]) == (400, "cursor")


def test_named_ones(app: Windlass, http: Http) -> None:
    app.enqueue_many([app.request("broken", id="dead"), app.request("mail.welcome", [1], id="fine")])
    work(app)
    answer = http.order("/dead/retry", {"ids": ["dead", "fine", "gone"], "to_queue": "mail"})
    assert (answer["retried"], answer["next"], sorted(answer["errors"])) == (1, None, ["fine", "gone"])
    assert app.job("dead").queue == "mail"
    assert http.security.changes == [("ada", "dead.retry", "dead fine gone", 1)]


def test_retried_at_a_rate(app: Windlass, http: Http) -> None:
    app.enqueue_many([app.request("broken")] * 3)
    work(app)
    assert http.order("/dead/retry", {"filter": {}, "rate": "1/s"})["retried"] == 3
    assert app.counts()["scheduled"] + app.counts()["pending"] == 3


def test_deleted_by_filter(app: Windlass, http: Http) -> None:
    app.enqueue_many([app.request("broken", ["a"], tags=["old"]), app.request("broken", ["b"])])
    work(app)
    assert http.read("/dead", count=True)["count"] == 2
    assert len(http.read("/dead/groups")["groups"]) >= 1
    assert http.order("/dead/delete", {"filter": {"tag": "old"}}) == {"deleted": 1, "next": None, "errors": {}}
    assert app.counts()["failed"] == 1


@pytest.mark.parametrize("order", [{}, {"ids": ["a"], "filter": {}}, {"ids": []}, {"filter": {"state": "failed"}}])
def test_it_must_be_said_which(http: Http, order: object) -> None:
    assert http.post(f"{V1}/dead/delete", json=order).status_code == 400


def test_a_group_is_muted(app: Windlass, http: Http) -> None:
    """F7."""
    app.enqueue_many([app.request("broken")] * 2)
    work(app)
    [group] = http.read("/dead/groups")["groups"]
    assert group["muted"] is False
    muted = http.order("/dead/mute", {"group": group["group"], "reason": "known", "lasts": "deploy"})
    assert (muted["by"], muted["until"]) == ("ada", None)
    assert http.read("/dead/groups")["mutes"] == [muted]
    assert [each["muted"] for each in http.read("/dead/groups")["groups"]] == [True]
    assert http.order("/dead/unmute", {"group": group["group"]}) == {"unmuted": True}
    assert http.order("/dead/unmute", {"group": group["group"]}) == {"unmuted": False}
    assert [change[1:3] for change in http.security.changes[:2]] == [
        ("dead.mute", group["group"]),
        ("dead.unmute", group["group"]),
    ]
    refused = http.post(f"{V1}/dead/mute", json={"group": "x", "reason": "known"})
    assert refused.status_code == 400
