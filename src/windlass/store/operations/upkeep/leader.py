"""The leader's lease, for duties that one worker does for all."""

from __future__ import annotations

from msgspec import Struct

from windlass.store.operation import Call, Lane, Operation

LEADER = "leader"
"""The role of the process that runs duties with ``needs_lead``."""


class Lead(Struct, frozen=True):
    """Who leads a duty; ``term`` only grows, so a stale leader can be recognised by it."""

    duty: str
    holder: str
    term: int
    left: int
    """Milliseconds until the lead is free."""


def take_lead(duty: str, *, holder: str, ttl: int) -> Operation[Lead]:
    """Take the lead if it is free, keep it if it is ours; who has it now."""
    answer = yield Call("take_lead", {"duty": duty, "holder": holder, "ttl": ttl})
    found, term, left = answer["leader"][0]
    return Lead(duty, found, term, left)


def still_leads(lead: Lead) -> Operation[bool]:
    """Whether this term still leads."""
    answer = yield Call("still_leads", {"duty": lead.duty, "holder": lead.holder, "term": lead.term}, Lane.READ)
    return bool(answer["leads"][0][0])


def resign(lead: Lead) -> Operation[bool]:
    """Give the lead up at once; false when another process had it by then."""
    answer = yield Call("resign", {"duty": lead.duty, "holder": lead.holder, "term": lead.term})
    return bool(answer["resigned"])
