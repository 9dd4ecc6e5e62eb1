"""Copies what operators say of alerts, and the history of alerts, to another store."""

from __future__ import annotations

from collections.abc import Iterator

from windlass.client.session import Session
from windlass.core.alerts.records import AlertRecord, Delivery, DeliveryState
from windlass.store.operations.alerts.alerts import AlertFilter, alerts
from windlass.store.operations.alerts.deliveries import deliveries
from windlass.store.operations.alerts.transfer import import_alerts, import_rules, operators_rules

_AT_ONCE = 500


def copy_alerts(source: Session, target: Session) -> None:
    """Copy rules that operators have made, changed or deleted, unless they were changed there since; code brings the
    others. Copy alerts that are not there yet, with what is still to be delivered of them.
    """
    target.run(import_rules(source.run(operators_rules())))
    waiting: dict[str, list[Delivery]] = {}
    for delivery in _waiting(source):
        waiting.setdefault(delivery.alert, []).append(delivery)
    for page in _pages(source):
        told = [(one.alert, one.kind, one.channel) for alert in page for one in waiting.get(alert.id, ())]
        target.run(import_alerts(page, deliveries=told))


def _pages(source: Session) -> Iterator[list[AlertRecord]]:
    before: str | None = None
    while page := source.run(alerts(AlertFilter(), limit=_AT_ONCE, before=before)):
        yield page
        before = page[-1].id


def _waiting(source: Session) -> Iterator[Delivery]:
    before: int | None = None
    while page := source.run(deliveries(states=[DeliveryState.WAITING], limit=_AT_ONCE, before=before)):
        yield from page
        before = page[-1].number
