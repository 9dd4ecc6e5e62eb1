"""Declares, lists, changes, silences and deletes rules."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import astuple, replace

from windlass.core.alerts.records import AlertRule
from windlass.core.alerts.rules import MOST_RULES
from windlass.core.alerts.silence import in_force
from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation

_AT_ONCE = 100


def declare(rules: Iterable[AlertRule]) -> Operation[None]:
    """Store the rules that code brings: those that are missing, and those that code brought before, says otherwise now,
    and no operator has changed or deleted. A repeat changes nothing.
    """
    rows = [stored_row(rule) for rule in rules]
    for first in range(0, len(rows), _AT_ONCE):
        yield Call("alert_rules_declare", {"rules": rows[first : first + _AT_ONCE]})


def rules(name: str | None = None) -> Operation[list[AlertRule]]:
    """One rule, or all by name, without those that were deleted, and without silences that are over."""
    answer = yield Call("alert_rules", {"name": name}, Lane.READ)
    now = int(answer["now"][0][0])
    return [in_force(rule, now=now) for rule in records(answer["rules"], AlertRule) if not rule.is_deleted]


def save(rule: AlertRule, *, most: int = MOST_RULES) -> Operation[AlertRule | None]:
    """Store what an operator says: a new rule (its revision is 0), or a change of the one with this revision.

    None, and nothing is changed, if there is a rule of this name already, if it has another revision by now, or if
    there are too many. Where the rule says the same already, that is given: so is what a repeat after no reply finds.
    """
    answer = yield Call("alert_rule_save", {"rules": [stored_row(rule)], "revision": rule.revision, "most": most})
    saved = records(answer["saved"], AlertRule)
    if saved:
        return in_force(saved[0], now=saved[0].changed_at)
    found = yield from rules(rule.name)
    is_next = bool(found) and rule.revision in (0, found[0].revision - 1)
    return found[0] if is_next and _said(found[0]) == _said(rule) else None


def silence(
    name: str, *, length: int | None, by: str | None = None, reason: str | None = None
) -> Operation[AlertRule | None]:
    """Silence a rule for ``length`` milliseconds from now, in the place of a silence that it has, or end its silence
    where that is None. The rule as it is then, or None where there is none. Its revision stays, and code still changes
    it: a silence is no setting. A repeat after no reply begins the time anew.
    """
    answer = yield Call("alert_rule_silence", {"name": name, "length": length, "by": by, "reason": reason})
    found = records(answer["silenced"], AlertRule)
    return found[0] if found else None


def delete(name: str) -> Operation[bool]:
    """Delete a rule; false when there is none. One that code brought does not come back by that. Its open alerts are
    resolved when rules are compared with figures next. A repeat changes nothing.
    """
    answer = yield Call("alert_rule_delete", {"name": name})
    return bool(answer["deleted"])


def stored_row(rule: AlertRule) -> tuple[object, ...]:
    """Its fields, with numbers for true and false, which every store has."""
    return tuple(int(value) if isinstance(value, bool) else value for value in astuple(rule))


def _said(rule: AlertRule) -> AlertRule:
    """What a person has said of it."""
    return replace(
        rule,
        origin="",
        is_edited=True,
        revision=0,
        changed_at=0,
        silenced_until=None,
        silenced_by=None,
        silenced_reason=None,
    )
