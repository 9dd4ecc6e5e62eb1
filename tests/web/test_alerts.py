"""Alerts and their rules over HTTP."""

from __future__ import annotations

import pytest

from tests.web.http import ANY, V1, Http
from windlass import PermanentError, Windlass
from windlass.delivery import AlertMessage
from windlass.delivery.channels import Channels

pytestmark = pytest.mark.only_on("sqlite")


@pytest.fixture
def alert(app: Windlass) -> str:
    @app.task(name="alerts.broken", queue="mail")
    def broken() -> None:
        raise PermanentError("no")

    broken.enqueue()
    app.worker().run_until_empty()
    app.evaluate_alerts()
    return app.alerts.list().alerts[0].id


def test_alerts_are_listed_acknowledged_and_resolved(http: Http, alert: str) -> None:
    """B22, B19: alerts and rules over HTTP."""
    [listed] = http.get(f"{V1}/alerts?state=firing&severity=warning&acknowledged=false&since=1h").json()["alerts"]
    assert (listed["id"], listed["rule"], listed["readings"]) == (alert, "dead-letters", {"dead_letters": 1})
    done = http.post(f"{V1}/alerts/{alert}/acknowledge")
    assert (done.status_code, done.json()["state"]) == (200, "acknowledged")
    assert http.get(f"{V1}/alerts?acknowledged=false").json()["alerts"] == []
    assert http.post(f"{V1}/alerts/{alert}/resolve").json()["state"] == "resolved"
    assert http.get(f"{V1}/alerts/{alert}").json()["resolved_by"]
    assert http.get(f"{V1}/alerts/none").status_code == 404
    wrong = http.get(f"{V1}/alerts?state=loud")
    assert (wrong.status_code, "state must be one of" in wrong.text) == (400, True)
    assert {one["event_id"] for one in http.get(f"{V1}/alerts/deliveries").json()["deliveries"]} == {
        f"{alert}.fired",
        f"{alert}.resolved",
    }


def test_rules_are_added_changed_and_deleted(http: Http, app: Windlass) -> None:
    app.enqueue("mail.welcome", 1)
    order = {"name": "slow", "expression": "oldest_age > 10m", "scope": "queue:mail", "window": "10m"}
    added = http.post(f"{V1}/alert-rules", json=order)
    assert (added.status_code, added.json()["window_seconds"]) == (201, 600)
    assert http.post(f"{V1}/alert-rules", json={**order, "scope": "all"}).status_code == 400
    wrong = http.post(f"{V1}/alert-rules", json={"name": "typo", "expression": "depth > 1"})
    assert (wrong.status_code, "position 1" in wrong.text) == (400, True)
    tag = http.get(f"{V1}/alert-rules/slow").headers["etag"]
    path = f"{V1}/alert-rules/slow"
    assert http.request("PATCH", path, json={"enabled": False}).status_code == 428
    assert http.request("PATCH", path, json={"enabled": False}, headers={"If-Match": tag}).json()["enabled"] is False
    assert http.request("PATCH", path, json={"enabled": True}, headers={"If-Match": tag}).status_code == 412
    assert http.request("PATCH", path, json={"severity": "info"}, headers=ANY).json()["severity"] == "info"
    assert [rule["name"] for rule in http.get(f"{V1}/alert-rules").json()["rules"]] == ["slow"]
    assert http.request("DELETE", path).status_code == 204
    assert http.get(path).status_code == 404


class Pager:
    """A channel that is out of order."""

    name = "pager"

    def takes(self, *, severity: str, kind: str) -> bool:
        return True

    def send(self, message: AlertMessage) -> None:
        raise OSError("password=hunter2 is wrong")


def test_channels_are_tried(http: Http, app: Windlass) -> None:
    """B22, B19: a test message over HTTP says what went wrong, without secrets, and is audited."""
    app.client.channels = Channels([Pager()])
    pager, log = http.order("/alerts/test")["tests"]
    assert log == {"channel": "log", "error": None}
    assert pager["error"].startswith("OSError: password=")
    assert "hunter2" not in pager["error"]
    assert http.order("/alerts/test", {"channel": "log"}) == {"tests": [log]}
    assert http.security.changes == [("ada", "alert.test", "pager log", 2), ("ada", "alert.test", "log", 1)]
    unknown = http.post(f"{V1}/alerts/test", json={"channel": "fax"})
    assert (unknown.status_code, "no channel 'fax'" in unknown.text) == (404, True)
    assert http.post(f"{V1}/alerts/test", json={"chanel": "log"}).status_code == 400


def test_a_rule_is_silenced_for_a_time(http: Http, app: Windlass) -> None:
    """B22, B19: by whom and why, audited."""
    app.alerts.add_rule("slow", "oldest_age > 10m")
    tag = http.get(f"{V1}/alert-rules/slow").headers["etag"]
    silenced = http.order("/alert-rules/slow/silence", {"duration": "2h", "reason": "a drill"})
    assert (silenced["silenced_by"], silenced["silenced_reason"]) == ("ada", "a drill")
    assert http.read("/alert-rules/slow") == silenced
    assert http.get(f"{V1}/alert-rules/slow").headers["etag"] == tag, "a silence is no change of what a rule says"
    assert http.post(f"{V1}/alert-rules/slow/silence", json={"duration": "40d"}).status_code == 400
    assert http.post(f"{V1}/alert-rules/slow/silence", json={}).status_code == 400
    assert http.post(f"{V1}/alert-rules/none/silence", json={"duration": "2h"}).status_code == 404
    assert http.order("/alert-rules/slow/unsilence")["silenced_until"] is None
    assert http.post(f"{V1}/alert-rules/none/unsilence").status_code == 404
    assert [change[1:3] for change in http.security.changes] == [
        ("alert-rule.silence", "slow"),
        ("alert-rule.unsilence", "slow"),
    ]
