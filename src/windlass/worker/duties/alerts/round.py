"""One round: rules and figures are read and compared, and what has changed is written."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

from windlass.client.session import Session
from windlass.core.alerts.evaluator import MOST_OPEN, RuleEvaluator
from windlass.core.alerts.expression import measures_of, parse
from windlass.core.alerts.records import AlertRule, AlertState, EventKind
from windlass.core.alerts.rules import LONGEST_COOL_DOWN, default_rules
from windlass.core.alerts.silence import AlertChanges, apply_silences
from windlass.core.alerts.window import Baseline
from windlass.errors import ConfigError
from windlass.store.operations.alerts.alerts import NewDelivery, Recorded, record, situation
from windlass.store.operations.alerts.rules import declare
from windlass.store.operations.upkeep.leader import Lead
from windlass.worker.duties.alerts.figures import baseline, windows

log = logging.getLogger("windlass.alerts")

_BASELINE_EVERY = 300_000
"""Milliseconds between two reads of what is usual."""
_SHORTEST, _LONGEST = 10_000, 300_000
"""Milliseconds between two rounds of a rule, by the length of its window."""
_SHARE = 30


class Channels(Protocol):
    """Knows which channels an event is for."""

    def names_for(self, chosen: Sequence[str], *, severity: str, kind: str) -> list[str]: ...


class AlertRounds:
    """The rounds of one process; it remembers what is usual, and when each window was looked at."""

    def __init__(
        self,
        *,
        session: Session,
        new_id: Callable[[], str],
        channels: Channels,
        declared: Callable[[], Iterable[AlertRule]],
    ) -> None:
        self._session = session
        self._channels = channels
        self._declared = declared
        self._evaluator = RuleEvaluator(new_id=new_id)
        self._term: int | None = None
        self._baseline = Baseline()
        self._baseline_due = 0
        self._due: dict[int, int] = {}
        self._resolved_within = LONGEST_COOL_DOWN
        self._logged: dict[str, int] = {}

    def round(self, lead: Lead, *, all_rules: bool = False) -> Recorded | None:
        """Compare the rules that are due, or all of them, with figures; None where the term leads no more."""
        if self._term != lead.term:
            self._session.run(declare([*default_rules(), *self._declared()]))
            self._term = lead.term
            self._due.clear()
        seen = self._session.run(situation(resolved_within=self._resolved_within))
        self._resolved_within = max((rule.cool_down for rule in seen.rules), default=0) + 1
        enabled = [rule for rule in seen.rules if rule.enabled]
        if _needs_baseline(enabled) and seen.now >= self._baseline_due:
            self._baseline = self._session.run(baseline(now=seen.now))
            self._baseline_due = seen.now + _BASELINE_EVERY
        lengths = self._lengths(enabled, seen.now, all_rules=all_rules)
        found = self._session.run(windows(lengths, now=seen.now, baseline=self._baseline))
        evaluation = self._evaluator.evaluate(seen.rules, found, alerts=seen.alerts, now=seen.now)
        self._evaluator.forget(alert for alert in seen.alerts if alert.state != AlertState.RESOLVED)
        self._log_left_out(evaluation.left_out)
        rules = {rule.name: rule for rule in seen.rules}
        changes = apply_silences(rules, fired=evaluation.fired, resolved=evaluation.resolved, alerts=seen.alerts)
        if not evaluation.fired and not evaluation.resolved and not changes.unsilenced:
            return Recorded([], [])
        return self._session.run(
            record(
                lead,
                fired=changes.fired,
                resolved=[alert.id for alert in evaluation.resolved],
                unsilenced=[alert.id for alert in changes.unsilenced],
                deliveries=self._deliveries(rules, changes),
            )
        )

    def _lengths(self, rules: Iterable[AlertRule], now: int, *, all_rules: bool) -> list[int]:
        """The lengths of windows that are to be looked at now: long ones less often."""
        lengths = sorted({rule.window_length for rule in rules})
        # A clock that was set back must not delay a round.
        due = [one for one in lengths if all_rules or not 0 < self._due.get(one, 0) - now <= _LONGEST]
        self._due = {one: self._due.get(one, 0) for one in lengths}
        for one in due:
            self._due[one] = now + min(max(one // _SHARE, _SHORTEST), _LONGEST) - _SHORTEST // 2
        return due

    def _deliveries(self, rules: Mapping[str, AlertRule], changes: AlertChanges) -> list[NewDelivery]:
        found: list[NewDelivery] = []
        fired = [*(alert for alert in changes.fired if alert.silenced_until is None), *changes.unsilenced]
        for kind, alerts in ((EventKind.FIRED, fired), (EventKind.RESOLVED, changes.resolved)):
            for alert in alerts:
                rule = rules.get(alert.rule)
                chosen = [] if rule is None else rule.channel_names
                names = self._channels.names_for(chosen, severity=alert.severity, kind=kind.value)
                found += [(alert.id, kind.value, name) for name in names]
        return found

    def _log_left_out(self, left_out: Mapping[str, int]) -> None:
        for rule, number in left_out.items():
            if rule not in self._logged:
                log.warning("rule %s: %s alerts are open, and %s more are not fired", rule, MOST_OPEN, number)
        self._logged = dict(left_out)


def _needs_baseline(rules: Iterable[AlertRule]) -> bool:
    return any(name.endswith("_baseline") for rule in rules for name in _measures(rule))


def _measures(rule: AlertRule) -> list[str]:
    try:
        return measures_of(parse(rule.expression))
    except ConfigError:  # written by a later release
        return []
