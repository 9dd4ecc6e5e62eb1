"""The pages about alerts: look, filter, acknowledge, resolve; edit rules, try channels."""

from __future__ import annotations

import pytest

from tests.web.http import Admitting
from tests.web.site.pages import Html, Pages
from windlass import Windlass
from windlass.delivery import AlertMessage
from windlass.web.security.roles import Identity, Role

pytestmark = pytest.mark.only_on("sqlite")

ALERT = "01J8ZP3V1QK7D0C9R6T5M4N3B2"


class Broken:
    """A channel that does not work."""

    name = "pager"

    def takes(self, *, severity: str, kind: str) -> bool:
        return True

    def send(self, message: AlertMessage) -> None:
        raise OSError("password=hunter2 is wrong")


def test_alerts_are_listed_and_filtered(shop: Pages) -> None:
    """B22, B20."""
    text = Html(shop.get("/alerts").text).text
    assert "1 critical" in text
    assert "firing" in text
    assert "/queues/mail" in shop.read("/alerts").all("a", "href"), "the way to what it is about"
    assert "No alert matches" in shop.get("/alerts?severity=info").text
    assert "No alert matches" in shop.get("/alerts?state=resolved").text
    assert ALERT in shop.get("/alerts?severity=critical&state=firing&since=1h").text
    assert shop.get("/alerts?severity=loud").status_code == 400
    assert shop.get("/alerts?since=soon").status_code == 400


def test_an_alert_is_acknowledged_and_resolved(shop: Pages, app: Windlass) -> None:
    assert shop.post(f"/alerts/{ALERT}/acknowledge").status_code == 303
    assert app.alerts.get(ALERT).state == "acknowledged"
    assert "acknowledged by" in shop.get("/alerts").text
    assert shop.post(f"/alerts/{ALERT}/resolve").status_code == 303
    assert app.alerts.get(ALERT).state == "resolved"
    assert shop.post("/alerts/none/resolve").status_code == 404


def test_a_rule_is_added_edited_switched_and_deleted(shop: Pages, app: Windlass) -> None:
    form = {"name": "slow", "expression": "oldest_age > 10m", "scope": "queue:mail", "severity": "info", "window": "1m"}
    assert shop.post("/alerts/rules", data=form).status_code == 303
    rule = app.alerts.rule("slow")
    assert (rule.expression, rule.scope, rule.window.total_seconds()) == ("oldest_age > 10m", "queue:mail", 60)
    changed = {"expression": "oldest_age > 20m", "channels": "log, pager", "revision": str(rule.revision)}
    assert shop.post("/alerts/rules/slow", data=changed).status_code == 303
    assert app.alerts.rule("slow").channels == ("log", "pager")
    assert shop.post("/alerts/rules/slow", data=changed).status_code == 412  # another has changed it meanwhile
    shop.post("/alerts/rules/slow/disable")
    assert not app.alerts.rule("slow").enabled
    shop.post("/alerts/rules/slow/enable")
    assert app.alerts.rule("slow").enabled
    shop.post("/alerts/rules/slow/delete")
    assert "slow" not in [one.name for one in app.alerts.rules()]
    assert shop.get("/alerts/rules/slow").status_code == 404


@pytest.mark.parametrize(
    ("field", "text", "reason"),
    [
        ("expression", "queue_depth >", "rule 'bad': expression: "),
        ("expression", "nothing > 3", "'nothing' is not known"),
        ("expression", "__import__('os').system('x') > 1", "position"),
        ("expression", "", "it is empty"),
        ("name", "no name", "use letters, digits"),
        ("name", "deep", "there is an alert rule 'deep' already"),
        ("scope", "queues", "scope must be all, queue, task"),
        ("scope", "task", "use another scope"),
        ("scope", "queue:a b", "queue name 'a b'"),
        ("window", "soon", "window must look like"),
        ("window", "1s", "window must be from 10s to 24h"),
        ("cool_down", "8d", "cool_down must be at most 7d"),
        ("channels", "log, #ops", "channel name '#ops'"),
        ("description", "x" * 501, "description must be a text"),
    ],
)
def test_a_rule_that_is_wrong_is_shown_again_with_the_reason_beside_its_field(
    shop: Pages, app: Windlass, field: str, text: str, reason: str
) -> None:
    """B20, B22: what was typed is kept."""
    rules = app.alerts.rules()
    sent = {"name": "bad", "expression": "queue_depth > 7", "window": "17m", field: text}
    answer = shop.post("/alerts/rules", data=sent)
    assert answer.status_code == 422
    shown = Html(answer.text)
    inputs = [attributes for tag, attributes in shown.elements if tag == "input"]
    typed = {attributes["name"]: attributes["value"] for attributes in inputs if "value" in attributes}
    assert {name: typed[name] for name in sent} == sent
    [wrong] = [attributes for attributes in inputs if "aria-invalid" in attributes]
    assert (wrong["name"], wrong["aria-describedby"]) == (field, f"w-{field} h-{field}")
    assert shown.text.count(reason) == 1, "beside the field"
    assert app.alerts.rules() == rules


def test_a_change_that_is_wrong_is_shown_again(shop: Pages, app: Windlass) -> None:
    rule = app.alerts.rule("deep")
    sent = {"expression": "queue_depth > many", "description": "kept", "revision": str(rule.revision)}
    answer = shop.post("/alerts/rules/deep", data=sent)
    assert answer.status_code == 422
    assert 'value="queue_depth &gt; many"' in answer.text
    assert 'value="kept"' in answer.text
    assert shop.post("/alerts/rules/deep", data={**sent, "expression": "queue_depth > 8"}).status_code == 303
    assert app.alerts.rule("deep").description == "kept"


def test_a_channel_is_tried(app: Windlass, shop: Pages) -> None:
    answer = shop.post("/alerts/channels/log/test")
    assert answer.headers["location"] == "/alerts?tested=log"
    assert "The test was delivered" in shop.get("/alerts?tested=log").text
    assert "The test was delivered" not in shop.get("/alerts?tested=<b>").text
    app.client.channels = type(app.client.channels)([Broken()])
    answer = shop.post("/alerts/channels/pager/test")
    assert answer.status_code == 502
    assert "the test was not delivered by pager: OSError: password=" in answer.text
    assert "hunter2" not in answer.text


def test_roles_see_what_they_may_do(app: Windlass, shop: Pages) -> None:
    viewer = Pages(app, Admitting(Identity("vic", Role.VIEWER)))
    assert "Acknowledge" not in viewer.get("/alerts").text
    assert "Send a test" not in viewer.get("/alerts").text
    assert "Save" not in viewer.get("/alerts/rules/deep").text
    operator = Pages(app, Admitting(Identity("opa", Role.OPERATOR)))
    assert "Acknowledge" in operator.get("/alerts").text
    assert "Switch off" not in operator.get("/alerts/rules").text


def test_a_rule_is_silenced_by_an_operator(app: Windlass, shop: Pages) -> None:
    """B22: a small form, on the page of the rule and in the list; then until when, by whom and why."""
    operator = Pages(app, Admitting(Identity("opa", Role.OPERATOR)))
    for path in ("/alerts/rules", "/alerts/rules/deep"):
        assert "/alerts/rules/deep/silence" in operator.get(path).text
        assert "/silence" not in Pages(app, Admitting(Identity("vic", Role.VIEWER))).get(path).text
    sent = {"duration": "2h", "reason": "a drill"}
    assert operator.post("/alerts/rules/deep/silence", data=sent).headers["location"] == "/alerts/rules/deep"
    rule = app.alerts.rule("deep")
    assert (rule.silenced_by, rule.silenced_reason) == ("opa", "a drill")
    assert "by opa: “a drill”" in Html(operator.get("/alerts/rules/deep").text).text
    assert "silenced until" in Html(shop.get("/alerts/rules").text).text
    assert operator.post("/alerts/rules/deep/silence", data={"duration": "soon"}).status_code == 400
    assert operator.post("/alerts/rules/none/silence", data=sent).status_code == 404
    assert operator.post("/alerts/rules/deep/unsilence").status_code == 303
    assert app.alerts.rule("deep").silenced_until is None
    assert [change[1] for change in operator.security.changes] == ["alert.silence_rule", "alert.unsilence_rule"]
