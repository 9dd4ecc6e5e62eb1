"""``windlass alerts``."""

from __future__ import annotations

from tests.cli.program import Program
from windlass import PermanentError


def test_alerts_are_listed_shown_acknowledged_and_resolved(windlass: Program) -> None:
    """B22: the operator's words; status and doctor mention what fires."""
    app = windlass.app

    @app.task(name="alerts.broken", queue="mail")
    def broken() -> None:
        raise PermanentError("no")

    broken.enqueue()
    app.worker().run_until_empty()
    app.evaluate_alerts()
    [alert] = app.alerts.list().alerts
    listed, status, doctor, acked, resolved, shown, none = windlass.many(
        ["alerts", "list", "--open"],
        ["status"],
        ["doctor", "--json"],
        ["alerts", "ack", alert.id],
        ["alerts", "resolve", alert.id, "--json"],
        ["alerts", "show", alert.id[:14].lower()],
        ["alerts", "show", "01NONE"],
    )
    assert [line.split()[:4] for line in listed.out.splitlines()] == [
        ["ALERT", "SEVERITY", "STATE", "RULE"],
        [alert.id, "warning", "firing", "dead-letters"],
    ]
    assert "1 alert is firing (1 warning): windlass alerts list --open" in status.out
    assert "1 warning alert fires" in doctor.out
    assert acked.out.startswith("warning acknowledged: queue mail: dead_letters is 1")
    assert (resolved.json["state"], "@" in resolved.json["resolved_by"]) == ("resolved", True)
    assert "dead_letters was 1" in shown.out
    assert (none.code, "no alert has the id '01NONE'" in none.error) == (2, True)


def test_rules_are_added_changed_and_deleted(windlass: Program) -> None:
    windlass.app.enqueue("mail.welcome", 1)
    nothing, added, edited, off, listed, wrong, deleted = windlass.many(
        ["alerts", "rules", "list"],
        ["alerts", "rules", "add", "slow", "oldest_age > 10m", "--scope", "queue:mail", "--channels", "log,ops"],
        ["alerts", "rules", "edit", "slow", "--window", "10m", "--json"],
        ["alerts", "rules", "disable", "slow"],
        ["alerts", "rules", "list"],
        ["alerts", "rules", "add", "typo", "oldest_age >"],
        ["alerts", "rules", "delete", "slow", "--yes"],
    )
    assert "no rules yet" in nothing.out
    assert "channels   log, ops" in added.out
    assert edited.json["window_seconds"] == 600
    assert "switched off" in off.out
    assert "oldest_age > 10m" in listed.out
    assert (wrong.code, "position 13: expected a number or a measure" in wrong.error) == (2, True)
    assert deleted.out == "deleted rule slow\n"


def test_a_rule_is_silenced_for_a_time(windlass: Program) -> None:
    """B22: shown with until when, by whom and why."""
    windlass.app.alerts.add_rule("slow", "oldest_age > 10m")
    silenced, listed, json, wrong, unknown, ended = windlass.many(
        ["alerts", "silence", "slow", "--for", "2h", "--reason", "a drill"],
        ["alerts", "rules", "list"],
        ["alerts", "rules", "show", "slow", "--json"],
        ["alerts", "silence", "slow", "--for", "40d"],
        ["alerts", "silence", "slwo", "--for", "2h"],
        ["alerts", "unsilence", "slow", "--json"],
    )
    assert ": a drill" in silenced.out
    assert "silenced   until " in silenced.out
    assert "silenced until" in listed.out
    assert (json.json["silenced_reason"], "@" in json.json["silenced_by"]) == ("a drill", True)
    assert wrong.is_error(2, "silence must be from 1s to 30d")
    assert unknown.is_error(1, "no rule is called 'slwo'")
    assert ended.json["silenced_until"] is None
