"""Reads and stores rules and alerts for a move to another store."""

from __future__ import annotations

from collections.abc import Sequence

from windlass.core.alerts.records import AlertRecord, AlertRule
from windlass.core.alerts.rules import OPERATOR
from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation
from windlass.store.operations.alerts.alerts import NewDelivery
from windlass.store.operations.alerts.rules import stored_row

_AT_ONCE = 100


def operators_rules() -> Operation[list[AlertRule]]:
    """The rules that operators have made, changed, deleted or silenced, as they are stored."""
    answer = yield Call("alert_rules", {"name": None}, Lane.READ)
    found = records(answer["rules"], AlertRule)
    return [rule for rule in found if rule.origin == OPERATOR or rule.is_edited or rule.is_deleted or _is_silent(rule)]


def import_rules(rules: Sequence[AlertRule]) -> Operation[None]:
    """Store rules of another store, unless an operator has changed the one of that name here since. A repeat changes
    nothing.
    """
    rows = [stored_row(rule) for rule in rules]
    for first in range(0, len(rows), _AT_ONCE):
        yield Call("alert_rules_import", {"rules": rows[first : first + _AT_ONCE]})


def import_alerts(alerts: Sequence[AlertRecord], *, deliveries: Sequence[NewDelivery] = ()) -> Operation[int]:
    """Store alerts of another store that are not here, with what is still to be delivered of them; how many these are.
    One that is open is left out where another of its rule and subject is open here.
    """
    answer = yield Call("alert_import", {"alerts": list(alerts), "deliveries": list(deliveries)})
    return len(answer["added"])


def _is_silent(rule: AlertRule) -> bool:
    return rule.silenced_until is not None
