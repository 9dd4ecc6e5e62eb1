"""Events that are still to be delivered, by channel.

One call stores a firing with its deliveries, so a leader that dies before it has delivered leaves them to the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from windlass.core.alerts.records import AlertEvent, AlertRecord, Delivery, DeliveryState, DueDelivery, EventKind
from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation

DELIVERIES_AT_ONCE = 100
LONGEST_ERROR = 500


def deliveries_due(
    channel: str | None = None, *, without: Iterable[str] = (), limit: int = DELIVERIES_AT_ONCE
) -> Operation[list[DueDelivery]]:
    """Deliveries that wait and are due by the store's clock, those that have been due for longest first: of one
    channel, or of all ``without`` some. However many wait for one channel, they hide none of another.

    It only reads: a process that dies with them leaves them as they are. Two processes that ask at once get the same
    ones, and both deliver: receivers tell repeats by the id of the event.
    """
    params = {"channel": channel, "without": list(without), "limit": limit}
    answer = yield Call("alert_deliveries_due", params, Lane.READ)
    alerts = {alert.id: alert for alert in records(answer["alerts"], AlertRecord)}
    return [
        DueDelivery(delivery, AlertEvent.of(alerts[delivery.alert], EventKind(delivery.kind)))
        for delivery in records(answer["deliveries"], Delivery)
        if delivery.alert in alerts
    ]


def settle_delivery(delivery: Delivery, *, error: str | None = None, retry_in: int | None = None) -> Operation[bool]:
    """Say how a try has ended: delivered where there is no ``error``, to be tried again after ``retry_in``
    milliseconds, or given up where there is an error and no such time.

    False, and nothing is changed, if another process has settled this try; so a repeat after no reply changes nothing.
    """
    state = DeliveryState.DELIVERED
    if error is not None:
        state = DeliveryState.FAILED if retry_in is None else DeliveryState.WAITING
    params = {
        "number": delivery.number,
        "tries": delivery.tries,
        "state": state.value,
        "error": None if error is None else error[:LONGEST_ERROR],
        "retry_in": retry_in or 0,
    }
    answer = yield Call("alert_settle_delivery", params)
    return bool(answer["settled"])


def deliveries(
    *, states: Sequence[DeliveryState] = (), before: int | None = None, limit: int = DELIVERIES_AT_ONCE
) -> Operation[list[Delivery]]:
    """The newest deliveries in these states (all where none is named), of those with a number below ``before``."""
    params = {"states": [state.value for state in states], "before": before, "limit": limit}
    answer = yield Call("alert_deliveries", params, Lane.READ)
    return records(answer["deliveries"], Delivery)
