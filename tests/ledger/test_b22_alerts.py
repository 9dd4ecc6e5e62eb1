"""Alerts: rules, firing, acknowledged, resolved, history."""

from __future__ import annotations

import pytest

from tests.ledger.apps import work
from tests.waiting import eventually
from windlass import ConfigError, IllegalTransition, PermanentError, QueueFull, Windlass
from windlass.testing import ManualClock
from windlass.worker.duties.figures.rolling_up import RollingUp


@pytest.fixture(autouse=True)
def _tasks(app: Windlass) -> None:
    @app.task(name="send", queue="mail")
    def send() -> None:
        raise PermanentError("no such address")


def fail_some(app: Windlass, number: int = 1) -> None:
    app.tasks[0].enqueue_many([()] * number)
    work(app)


def states(app: Windlass) -> list[tuple[str, str, str]]:
    return sorted((alert.rule, alert.subject, alert.state.value) for alert in app.alerts.list().alerts)


def test_an_alert_fires_is_acknowledged_and_resolved(app: Windlass, clock: ManualClock) -> None:
    """B22: firing, acknowledged, resolved, history; a sensible default set is on; `dead letters`, by queue."""
    fail_some(app)
    assert app.evaluate_alerts() == 1
    assert app.evaluate_alerts() == 0, "once, however often and wherever it is judged"
    [alert] = app.alerts.list(state="firing").alerts
    assert (alert.rule, alert.subject, alert.severity) == ("dead-letters", "queue:mail", "warning")
    assert alert.message == "queue mail: dead_letters is 1 (rule dead-letters: dead_letters > 0)"
    assert app.alerts.firing() == {"warning": 1}
    assert app.alerts.list(acknowledged=True).alerts == []

    acknowledged = app.alerts.acknowledge(alert.id[:12].lower(), by="ada")
    assert (acknowledged.state, acknowledged.acknowledged_by) == ("acknowledged", "ada")
    assert app.alerts.acknowledge(alert.id, by="bob") == acknowledged
    assert app.alerts.firing() == {}

    clock.advance("10m")
    assert app.evaluate_alerts() == 1
    resolved = app.alerts.get(alert.id)
    assert (resolved.state, resolved.resolved_by, resolved.resolved_at) == ("resolved", None, clock.now())
    assert app.alerts.list(since=alert.fired_at).alerts == [resolved]
    with pytest.raises(ConfigError, match="no alert has the id"):
        app.alerts.get("01NONE")


def test_a_rule_rests_after_an_alert_has_ended(app: Windlass, clock: ManualClock) -> None:
    """B22: cool-down, de-duplication."""
    fail_some(app)
    app.evaluate_alerts()
    app.alerts.edit_rule("error-rate", enabled=False)
    [alert] = app.alerts.list().alerts
    assert app.alerts.resolve(alert.id, by="ada").resolved_by == "ada"
    with pytest.raises(IllegalTransition):
        app.alerts.acknowledge(alert.id)
    assert app.evaluate_alerts() == 0
    clock.advance("4m50s")
    fail_some(app)
    assert app.evaluate_alerts() == 0
    clock.advance("10s")
    assert app.evaluate_alerts() == 1


def test_rules_are_data(app: Windlass) -> None:
    """B22: scope, window, severity, cool-down, `and`; each can be switched off; what operators change stays."""
    app.alerts.declare_rule("failing", "error_rate > 5% and runs > 2", scope="task:send", severity="critical")
    fail_some(app, 3)
    app.evaluate_alerts()
    assert states(app) == [
        ("dead-letters", "queue:mail", "firing"),
        ("error-rate", "queue:mail", "firing"),
        ("failing", "task:send", "firing"),
    ]
    rule = app.alerts.edit_rule("failing", enabled=False, description="not now")
    assert (rule.is_edited, rule.origin, rule.revision) == (True, "code", 2)
    assert app.alerts.delete_rule("error-rate")
    assert app.evaluate_alerts() == 2
    assert states(app)[1:] == [("error-rate", "queue:mail", "resolved"), ("failing", "task:send", "resolved")]
    assert not app.alerts.rule("failing").enabled, "code only seeds"
    assert "error-rate" not in {one.name for one in app.alerts.rules()}
    with pytest.raises(IllegalTransition, match="was changed meanwhile"):
        app.alerts.edit_rule("failing", revision=1, enabled=True)
    with pytest.raises(ConfigError, match="there is an alert rule 'failing' already"):
        app.alerts.add_rule("failing", "workers < 1")
    with pytest.raises(ConfigError, match=r"position 1: 'eror_rate' is not known; did you mean 'error_rate'\?"):
        app.alerts.add_rule("typo", "eror_rate > 5%")


def watch(app: Windlass, clock: ManualClock, minutes: int) -> None:
    """As the leader of a system does: it reads what waits, and compares rules with it."""
    seconds = [0.0]
    leader = RollingUp(session=app.client.session, monotonic=lambda: seconds[0])
    for _ in range(minutes * 6):
        leader.tick()
        app.evaluate_alerts()
        clock.advance("10s")
        seconds[0] += 10


def test_the_default_rules_find_a_backlog_that_no_worker_serves(app: Windlass, clock: ManualClock) -> None:
    """B22: `queue depth` by queue and `no worker` of the app; from what the leader reads, on every store."""
    app.tasks[0].enqueue_many([()] * 1001)
    app.enqueue("other")
    watch(app, clock, minutes=2)
    assert states(app) == [], "nothing is said before half of the window was read"
    watch(app, clock, minutes=3)
    assert states(app) == [("no-worker", "all", "firing"), ("queue-depth", "queue:mail", "firing")]
    assert {alert.rule: alert.severity for alert in app.alerts.list().alerts}["no-worker"] == "critical"
    app.queue("mail").purge()
    watch(app, clock, minutes=6)
    assert states(app) == [("no-worker", "all", "firing"), ("queue-depth", "queue:mail", "resolved")]


def test_refused_enqueues_are_told(app: Windlass) -> None:
    """B22: refused enqueues."""
    app.queue("full").configure(max_length=1)
    send = app.tasks[0].options(queue="full")
    send.enqueue()
    with pytest.raises(QueueFull):
        send.enqueue()
    eventually(lambda: app.figures(queue="full").total.counts.get("refused") == 1)
    app.evaluate_alerts()
    assert ("refused-enqueues", "queue:full", "firing") in states(app)


def test_what_is_to_be_delivered_is_kept_until_it_is(app: Windlass) -> None:
    """B22: a leader that dies between evaluation and delivery delivers after all."""
    fail_some(app)
    app.evaluate_alerts()
    [alert] = app.alerts.list().alerts
    [delivery] = app.alerts.deliveries()
    assert (delivery.event_id, delivery.channel, delivery.state) == (f"{alert.id}.fired", "log", "waiting")


def test_a_silenced_rule_fires_and_nothing_is_delivered(app: Windlass, clock: ManualClock) -> None:
    """B22: silence, until when and by whom; what still fires afterwards is told."""
    app.evaluate_alerts()
    app.alerts.edit_rule("error-rate", enabled=False)
    rule = app.alerts.silence_rule("dead-letters", "2m", reason="a drill", by="ada")
    assert (rule.silenced_by, rule.silenced_reason, rule.is_edited) == ("ada", "a drill", False)
    fail_some(app)
    assert app.evaluate_alerts() == 1
    [alert] = app.alerts.list().alerts
    assert (alert.state, alert.silenced_until) == ("firing", rule.silenced_until)
    assert app.alerts.deliveries() == []
    clock.advance("2m")
    assert app.alerts.rule("dead-letters").silenced_until is None
    app.evaluate_alerts()
    app.evaluate_alerts()
    assert [one.event_id for one in app.alerts.deliveries()] == [f"{alert.id}.fired"]
    assert app.alerts.get(alert.id).silenced_until is None


def test_nothing_is_told_of_the_end_of_an_alert_that_was_not_told(app: Windlass, clock: ManualClock) -> None:
    app.evaluate_alerts()
    app.alerts.edit_rule("error-rate", enabled=False)
    app.alerts.silence_rule("dead-letters", "1h")
    fail_some(app)
    app.evaluate_alerts()
    clock.advance("10m")
    app.evaluate_alerts()
    clock.advance("10m")
    fail_some(app)
    app.evaluate_alerts()
    second, first = app.alerts.list().alerts
    assert (first.state, second.state) == ("resolved", "firing")
    app.alerts.unsilence_rule("dead-letters")
    app.alerts.resolve(second.id, by="ada")
    app.evaluate_alerts()
    assert app.alerts.deliveries() == []


def test_an_alert_that_was_acknowledged_in_a_silence_is_not_told(app: Windlass) -> None:
    app.evaluate_alerts()
    app.alerts.edit_rule("error-rate", enabled=False)
    app.alerts.silence_rule("dead-letters", "1h")
    fail_some(app)
    app.evaluate_alerts()
    app.alerts.acknowledge(app.alerts.list().alerts[0].id, by="ada")
    app.alerts.unsilence_rule("dead-letters")
    app.evaluate_alerts()
    assert app.alerts.deliveries() == []


def test_a_silence_that_cannot_be_is_refused(app: Windlass) -> None:
    app.evaluate_alerts()
    with pytest.raises(ConfigError, match="silence must be from 1s to 30d"):
        app.alerts.silence_rule("dead-letters", "31d")
    with pytest.raises(ConfigError, match="silence must look like"):
        app.alerts.silence_rule("dead-letters", "soon")
    with pytest.raises(ConfigError, match="reason must be a text of at most 500 characters"):
        app.alerts.silence_rule("dead-letters", "1h", reason="x" * 501)
    with pytest.raises(ConfigError, match="no alert rule is called 'none'"):
        app.alerts.silence_rule("none", "1h")
    with pytest.raises(ConfigError, match="no alert rule is called 'none'"):
        app.alerts.unsilence_rule("none")
