"""What these commands print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from windlass.admin.channel_tests import ChannelTest
from windlass.cli.terminal.screen import Cell, Column, Screen, Styled
from windlass.cli.times import age, full, length
from windlass.core.alerts.measures import shown
from windlass.core.alerts.records import AlertState
from windlass.insight.alerts.json_form import alert_form, alerts_form, delivery_form, rule_form
from windlass.insight.alerts.views import AlertPage, AlertRuleView, AlertView, DeliveryView

_STYLES = {"critical": "bold red", "warning": "yellow", "info": ""}


@dataclass(frozen=True, slots=True)
class AlertList:
    """A page of alerts."""

    page: AlertPage

    def data(self) -> object:
        return alerts_form(self.page)

    def draw(self, screen: Screen) -> None:
        if not self.page.alerts:
            screen.line("no alerts")
            return
        columns = [
            Column(title="ALERT", least=12),
            Column(title="SEVERITY"),
            Column(title="STATE"),
            Column(title="RULE", least=10),
            Column(title="ABOUT", least=10),
            Column(title="FIRED"),
            Column(title="BY", may_go=True),
        ]
        screen.table(columns, [_row(alert) for alert in self.page.alerts])
        if self.page.next is not None:
            screen.line(f"more: --cursor {self.page.next}")


@dataclass(frozen=True, slots=True)
class AlertDetail:
    """One alert."""

    alert: AlertView

    def data(self) -> object:
        return alert_form(self.alert)

    def draw(self, screen: Screen) -> None:
        alert = self.alert
        screen.line(Styled(alert.severity, _STYLES[alert.severity]), f" {alert.state}: {alert.message}")
        screen.line(f"id            {alert.id}")
        screen.line(f"fired         {full(alert.fired_at)}")
        if alert.silenced_until is not None:
            screen.line(f"silenced      until {full(alert.silenced_until)}: not delivered")
        if alert.acknowledged_at is not None:
            screen.line(f"acknowledged  {full(alert.acknowledged_at)} by {alert.acknowledged_by}")
        if alert.resolved_at is not None:
            by = f" by {alert.resolved_by}" if alert.resolved_by else ""
            screen.line(f"resolved      {full(alert.resolved_at)}{by}")
        for measure, value in alert.readings.items():
            screen.line(f"  {measure} was {shown(measure, value)}")


@dataclass(frozen=True, slots=True)
class RuleList:
    """All rules."""

    rules: Sequence[AlertRuleView]

    def data(self) -> object:
        return {"rules": [rule_form(rule) for rule in self.rules]}

    def draw(self, screen: Screen) -> None:
        if not self.rules:
            screen.line("no rules yet; a worker, `windlass duties` or `windlass web` brings the default ones")
            return
        columns = [
            Column(title="RULE", least=12),
            Column(title="ON"),
            Column(title="SEVERITY"),
            Column(title="SCOPE"),
            Column(title="EXPRESSION", least=20),
            Column(title="WINDOW", may_go=True),
            Column(title="FROM", may_go=True),
        ]
        rows: list[list[Cell]] = [
            [
                rule.name,
                _is_on(rule),
                rule.severity,
                rule.scope,
                rule.expression,
                length(rule.window),
                _origin(rule),
            ]
            for rule in self.rules
        ]
        screen.table(columns, rows)


@dataclass(frozen=True, slots=True)
class RuleDetail:
    """One rule."""

    rule: AlertRuleView

    def data(self) -> object:
        return rule_form(self.rule)

    def draw(self, screen: Screen) -> None:
        rule = self.rule
        screen.line(Styled(rule.name, "bold"), f": {rule.expression}")
        if rule.description:
            screen.line(rule.description)
        screen.line(f"scope      {rule.scope}")
        screen.line(f"window     {length(rule.window)}, cool-down {length(rule.cool_down)}")
        screen.line(f"severity   {rule.severity}, {'on' if rule.enabled else 'switched off'}")
        screen.line(f"channels   {', '.join(rule.channels) or 'all'}")
        if rule.silenced_until is not None:
            why = f": {rule.silenced_reason}" if rule.silenced_reason else ""
            screen.line(f"silenced   until {full(rule.silenced_until)} by {rule.silenced_by}{why}")
        screen.line(f"from       {_origin(rule)}, changed {age(rule.changed_at)}")


@dataclass(frozen=True, slots=True)
class DeliveryList:
    """What was delivered, what waits, and what was given up."""

    deliveries: Sequence[DeliveryView]

    def data(self) -> object:
        return {"deliveries": [delivery_form(delivery) for delivery in self.deliveries]}

    def draw(self, screen: Screen) -> None:
        if not self.deliveries:
            screen.line("no deliveries")
            return
        columns = [
            Column(title="ALERT", least=12),
            Column(title="EVENT"),
            Column(title="CHANNEL", least=8),
            Column(title="STATE"),
            Column(title="TRIES", is_number=True),
            Column(title="NEXT"),
            Column(title="ERROR", least=12, may_go=True),
        ]
        rows: list[list[Cell]] = [
            [
                one.alert,
                one.kind,
                one.channel,
                Styled(one.state, "red" if one.state == "failed" else ""),
                f"{one.tries:,}",
                age(one.next_try_at),
                one.last_error or "",
            ]
            for one in self.deliveries
        ]
        screen.table(columns, rows)


@dataclass(frozen=True, slots=True)
class ChannelTests:
    """What became of test messages."""

    tests: Sequence[ChannelTest]

    def data(self) -> object:
        return {"tests": [{"channel": test.channel, "error": test.error} for test in self.tests]}

    def draw(self, screen: Screen) -> None:
        for test in self.tests:
            screen.line(f"{test.channel}: {'delivered' if test.error is None else f'not delivered: {test.error}'}")


def firing_line(firing: Mapping[str, int]) -> str:
    """How many alerts fire, in a few words.

    >>> firing_line({"critical": 1, "warning": 2})
    '3 alerts are firing (1 critical, 2 warning): windlass alerts list --open'
    """
    total = sum(firing.values())
    parts = ", ".join(f"{number:,} {severity}" for severity, number in firing.items())
    return f"{total:,} {'alert is' if total == 1 else 'alerts are'} firing ({parts}): windlass alerts list --open"


def _row(alert: AlertView) -> list[Cell]:
    is_firing = alert.state is AlertState.FIRING
    return [
        alert.id,
        Styled(alert.severity, _STYLES[alert.severity] if alert.is_open else "dim"),
        Styled(_state(alert), "red" if is_firing and alert.silenced_until is None else ""),
        alert.rule,
        alert.subject,
        age(alert.fired_at),
        alert.resolved_by or alert.acknowledged_by or "",
    ]


def _state(alert: AlertView) -> str:
    return alert.state if alert.silenced_until is None else f"{alert.state}, silenced"


def _is_on(rule: AlertRuleView) -> Cell:
    if not rule.enabled:
        return Styled("no", "dim")
    return "yes" if rule.silenced_until is None else Styled(f"silenced until {full(rule.silenced_until)}", "yellow")


def _origin(rule: AlertRuleView) -> str:
    return f"{rule.origin}, edited" if rule.is_edited and rule.origin != "operator" else rule.origin
