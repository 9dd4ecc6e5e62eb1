"""One round by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windlass import clock
from windlass.store.operations.alerts.alerts import Recorded
from windlass.store.operations.upkeep.leader import LEADER, resign, take_lead
from windlass.worker.duties.alerts.mutes import end_mutes
from windlass.worker.duties.alerts.round import AlertRounds

if TYPE_CHECKING:
    from windlass.client.client import Client

_TTL = 30_000
"""Milliseconds for which this process leads, unless it is done before."""


def rounds_of(client: Client) -> AlertRounds:
    """The rounds of a process with the app's code."""
    return AlertRounds(
        session=client.session,
        new_id=client.ids.next,
        channels=client.channels,
        declared=lambda: list(client.alert_rules.values()),
    )


def evaluate(client: Client) -> Recorded:
    """Compare all rules with figures now. Where another process leads, it does that, and nothing is done here."""
    session = client.session
    holder = f"{clock.random_bits(128):032x}"
    lead = session.upkeep(take_lead(LEADER, holder=holder, ttl=_TTL))
    if lead.holder != holder:
        return Recorded([], [])
    try:
        session.run(end_mutes())
        return rounds_of(client).round(lead, all_rules=True) or Recorded([], [])
    finally:
        session.run(resign(lead))
