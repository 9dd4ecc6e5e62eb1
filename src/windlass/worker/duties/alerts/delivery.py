"""Delivers the events of alerts, by one channel."""

from __future__ import annotations

import logging
from collections.abc import Callable

from windlass import clock
from windlass.client.client import Client
from windlass.client.config import setting
from windlass.client.session import Session
from windlass.core.alerts.records import DueDelivery
from windlass.delivery.attempt import TRIES, pause_after, try_to_send
from windlass.delivery.channel import Channel, DeliveryFailed
from windlass.delivery.channels import Channels, message_of
from windlass.store.operations.alerts.deliveries import DELIVERIES_AT_ONCE, deliveries_due, settle_delivery
from windlass.worker.duties.duty import Duty

log = logging.getLogger("windlass.alerts")

_EVERY = 5.0
"""Seconds between two looks at what is due."""
_BUDGET = 5.0
"""Seconds after which a round begins no further delivery; the lead is looked at again before the next one."""


class AlertDelivery:
    """One channel. Each has a thread of its own, so a receiver that hangs delays nothing but its own channel.

    A delivery is read, made, and only then settled: a leader that dies in between leaves it to the next, which makes it
    again, under the same event id.
    """

    needs_lead = True

    def __init__(
        self,
        channel: Channel,
        *,
        session: Session,
        dashboard: str | None = None,
        monotonic: Callable[[], float] = clock.monotonic,
    ) -> None:
        """``dashboard`` is the address of the pages, for links."""
        self._channel = channel
        self._session = session
        self._dashboard = dashboard
        self._monotonic = monotonic
        self.name = f"alerts by {channel.name}"
        self.did = ""

    def tick(self) -> float:
        until = self._monotonic() + _BUDGET
        due = self._session.run(deliveries_due(self._channel.name))
        delivered = failed = 0
        for place, one in enumerate(due):
            if place and self._monotonic() >= until:
                break
            error = self._send(one)
            delivered, failed = delivered + (error is None), failed + (error is not None)
            settle(self._session, one, error)
        if due:
            self.did = f"{delivered} delivered, {failed} failed"
        is_left = delivered + failed < len(due) or len(due) == DELIVERIES_AT_ONCE
        return 0.0 if is_left else _EVERY

    def _send(self, due: DueDelivery) -> DeliveryFailed | None:
        message = message_of(due.event, store=self._session.store_name, dashboard=self._dashboard)
        return try_to_send(self._channel, message)


class UndeliverableAlerts:
    """Settles deliveries for channels that this process does not have: a rule names a channel that no code gives, or
    only code of another version gives. Such a delivery is tried as often as any other, because the next leader may have
    the channel.
    """

    name = "alerts by none"
    needs_lead = True

    def __init__(self, channels: Channels, *, session: Session) -> None:
        self._channels = channels
        self._session = session
        self.did = ""

    def tick(self) -> float:
        due = self._session.run(deliveries_due(without=[channel.name for channel in self._channels]))
        for one in due:
            name = one.delivery.channel
            error = DeliveryFailed(f"the process that leads has no channel {name!r}: give it in alerts=[...]")
            settle(self._session, one, error)
        if due:
            self.did = f"{len(due)} without a channel"
        return 0.0 if len(due) == DELIVERIES_AT_ONCE else _EVERY


def delivery_duties(client: Client, *, monotonic: Callable[[], float] = clock.monotonic) -> list[Duty]:
    """One for each channel of an app, and one for what has none."""
    dashboard = setting("dashboard_url", None)
    by_channel: list[Duty] = [
        AlertDelivery(channel, session=client.session, dashboard=dashboard, monotonic=monotonic)
        for channel in client.channels
    ]
    return [*by_channel, UndeliverableAlerts(client.channels, session=client.session)]


def settle(session: Session, due: DueDelivery, error: DeliveryFailed | None) -> None:
    """Write how a try has ended, and log it where it has failed."""
    delivery = due.delivery
    if error is None:
        session.run(settle_delivery(delivery))
        return
    tries = delivery.tries + 1
    pause = None if tries >= TRIES else pause_after(tries, error.retry_after)
    retry_in = None if pause is None else round(pause * 1000)
    if session.run(settle_delivery(delivery, error=str(error), retry_in=retry_in)):
        _log_failure(due, error, tries=tries, pause=pause)


def _log_failure(due: DueDelivery, error: DeliveryFailed, *, tries: int, pause: float | None) -> None:
    event, channel = due.event, due.delivery.channel
    facts = {"event": "alert_delivery_failed", "event_id": event.id, "channel": channel, "tries": tries}
    if pause is None:
        log.error("alert %s was not delivered by %s, %s tries: %s", event.id, channel, tries, error, extra=facts)
    else:
        log.warning(
            "alert %s was not delivered by %s, next try in %.0f s: %s", event.id, channel, pause, error, extra=facts
        )
