"""Fires what is due once, in the process that asks for it: ``app.fire_due()``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windlass import clock
from windlass.client.session import ANY_JOB
from windlass.schedules.fires import Fire, fires_of
from windlass.schedules.scheduled_jobs import scheduled_jobs
from windlass.schedules.stored import declare_here
from windlass.store.operations.upkeep.leader import LEADER, resign, take_lead
from windlass.worker.duties.schedules.firing import Fired, Firing

if TYPE_CHECKING:
    from windlass.client.client import Client

_TTL = 10_000
"""Milliseconds for which this process leads, unless it is done before."""


def fire_due(client: Client) -> list[Fire]:
    """Store what this program declares, and fire what is due. Where another process leads, nothing is due here."""
    session = client.session
    if len(client.schedules):
        session.upkeep(declare_here(client))
    holder = f"{clock.random_bits(128):032x}"
    lead = session.upkeep(take_lead(LEADER, holder=holder, ttl=_TTL))
    if lead.holder != holder:
        return []
    firing = Firing(session=session, make=scheduled_jobs(client).make)
    fired: list[Fired] = []
    try:
        while (done := firing.round(lead)).fired:
            fired += done.fired
    finally:
        session.run(resign(lead), notify=ANY_JOB if any(one.has_job for one in fired) else ())
    return [fire for one in fired for fire in fires_of(one.step, one.result, at=client.now())]
