"""Decides which alerts fire and which are resolved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import msgspec
from msgspec import Struct

from windlass.core.alerts.expression import Condition, Reading, measures_of, parse
from windlass.core.alerts.measures import shown
from windlass.core.alerts.records import AlertRecord, AlertRule, AlertState
from windlass.core.alerts.window import Window
from windlass.core.figures.series import ALL, kind_of
from windlass.errors import ConfigError

MOST_OPEN = 50
"""How many alerts of one rule are open at once: a person does not read more of a thousand full queues."""
_UNKNOWN_FOR = 3_600_000
"""After so many milliseconds in which nothing was known of its measures an alert is resolved."""


class Evaluation(Struct):
    """What is to be written."""

    fired: list[AlertRecord]
    resolved: list[AlertRecord]
    left_out: dict[str, int]
    """How many subjects of a rule have no alert because too many are open, by the name of the rule."""


class RuleEvaluator:
    """Compares rules with what was measured; it remembers since when nothing is known of the measures of an alert."""

    def __init__(self, *, new_id: Callable[[], str]) -> None:
        self._new_id = new_id
        self._unknown_since: dict[str, int] = {}

    def evaluate(
        self,
        rules: Iterable[AlertRule],
        windows: Mapping[int, Window],
        *,
        alerts: Iterable[AlertRecord],
        now: int,
    ) -> Evaluation:
        """``windows`` has a window for the length of each rule that is due, ``alerts`` all open alerts and those that
        were resolved lately.

        An open alert whose rule is gone or switched off is resolved.
        """
        result = Evaluation([], [], {})
        by_rule: dict[str, list[AlertRecord]] = {}
        for alert in alerts:
            by_rule.setdefault(alert.rule, []).append(alert)
        for rule in rules:
            found = by_rule.pop(rule.name, [])
            if not rule.enabled:
                result.resolved += _open(found)
            elif rule.window_length in windows:
                self._evaluate_rule(rule, windows[rule.window_length], found, now, result)
        for left in by_rule.values():
            result.resolved += _open(left)
        return result

    def _evaluate_rule(
        self, rule: AlertRule, window: Window, alerts: list[AlertRecord], now: int, result: Evaluation
    ) -> None:
        try:
            condition = parse(rule.expression)
        except ConfigError:
            return  # written by a later release: only that release can read it
        is_open = {alert.subject: alert for alert in _open(alerts) if _covers(rule.scope, alert.subject)}
        # The scope was changed since these fired.
        result.resolved += [alert for alert in _open(alerts) if alert.subject not in is_open]
        resting = {alert.subject for alert in alerts if _is_resting(alert, rule, now)}
        room = MOST_OPEN - len(is_open)
        for subject in _subjects(rule, window, is_open):
            read = window.read(subject)
            holds = condition.holds(read)
            if subject in is_open:
                if self._is_over(is_open[subject], holds, now):
                    result.resolved.append(is_open[subject])
            elif holds and subject not in resting:
                if room > 0:
                    result.fired.append(self._fired(rule, condition, subject, read, now))
                else:
                    result.left_out[rule.name] = result.left_out.get(rule.name, 0) + 1
                room -= 1

    def _is_over(self, alert: AlertRecord, holds: bool | None, now: int) -> bool:
        if holds is None:
            return now - self._unknown_since.setdefault(alert.id, now) >= _UNKNOWN_FOR
        self._unknown_since.pop(alert.id, None)
        return not holds

    def forget(self, alerts: Iterable[AlertRecord]) -> None:
        """Keep nothing of alerts that are not open any more."""
        known = {alert.id for alert in alerts}
        for id in self._unknown_since.keys() - known:
            del self._unknown_since[id]

    def _fired(
        self,
        rule: AlertRule,
        condition: Condition,
        subject: str,
        read: Callable[[str], Reading | None],
        now: int,
    ) -> AlertRecord:
        values = {name: found.newest for name in measures_of(condition) if (found := read(name)) is not None}
        return AlertRecord(
            id=self._new_id(),
            rule=rule.name,
            subject=subject,
            severity=rule.severity,
            expression=rule.expression,
            message=message_of(rule, subject, values),
            readings=msgspec.json.encode(values).decode(),
            state=AlertState.FIRING.value,
            fired_at=now,
        )


def message_of(rule: AlertRule, subject: str, values: Mapping[str, float]) -> str:
    """What was found, as a sentence.

    >>> from windlass.core.alerts.rules import new_rule
    >>> message_of(new_rule("deep", "queue_depth > 1000"), "queue:mail", {"queue_depth": 1204.0})
    'queue mail: queue_depth is 1,204 (rule deep: queue_depth > 1000)'
    """
    kind, _, name = subject.partition(":")
    found = ", ".join(f"{measure} is {shown(measure, value)}" for measure, value in values.items())
    return f"{f'{kind} {name}: ' if name else ''}{found} (rule {rule.name}: {rule.expression})"


def _subjects(rule: AlertRule, window: Window, is_open: Mapping[str, AlertRecord]) -> list[str]:
    """The subjects that the rule is about; that of an open alert also where nothing was measured of it."""
    if rule.scope == ALL or ":" in rule.scope:
        return [rule.scope]
    return sorted({*window.subjects(rule.scope), *is_open})


def _covers(scope: str, subject: str) -> bool:
    return scope in (subject, kind_of(subject))


def _open(alerts: Iterable[AlertRecord]) -> Iterator[AlertRecord]:
    return (alert for alert in alerts if alert.state != AlertState.RESOLVED)


def _is_resting(alert: AlertRecord, rule: AlertRule, now: int) -> bool:
    return alert.resolved_at is not None and now - alert.resolved_at < rule.cool_down
