"""What the audit knows of changes that this process does not have: other processes made them, or an earlier one.

Both the beginning and the end of a change are in the audit. One that has no end there runs in another process, or its
process has died; on the same machine the number of the process tells which.
"""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from datetime import datetime

from windlass.app import Windlass
from windlass.insight.access.audit import AuditEntry
from windlass.web.bulk.change import begun, ended
from windlass.web.bulk.order import BulkAction, BulkOrder

_LOOKED_AT = 1000
"""How many entries of the audit are looked at, the newest first."""


@dataclass(frozen=True, slots=True)
class PastChange:
    """A change as the audit knows it."""

    id: str
    action: BulkAction
    by: str
    begun_at: datetime
    process: str
    query: str
    """The filter, as the query of an address; empty where jobs were named, and cut off where it was long."""
    meant: int
    """How many jobs there were at the least."""
    ended_at: datetime | None = None
    changed: int | None = None
    said: str | None = None
    """How it ended."""
    is_dead: bool = False
    """Whether its process has certainly ended without an end of the change."""


def audit_target(order: BulkOrder) -> str:
    """What the audit is to keep of the beginning of an order."""
    return f"{order.id} {_here()} {order.query}".rstrip()


async def past_change(app: Windlass, id: str) -> PastChange | None:
    """What is known of a change; None where the audit has nothing of it among its newest entries."""
    entries = [entry for entry in (await app.aaudit(limit=_LOOKED_AT)).entries if entry.target.split(" ")[0] == id]
    for action in BulkAction:
        start = next((entry for entry in entries if entry.action == begun(action)), None)
        if start is not None:
            return _united(id, action, start, next((one for one in entries if one.action == ended(action)), None))
    return None


def _united(id: str, action: BulkAction, start: AuditEntry, end: AuditEntry | None) -> PastChange:
    _, process, query = [*start.target.split(" ", 2), "", ""][:3]
    return PastChange(
        id=id,
        action=action,
        by=start.who,
        begun_at=start.at,
        process=process,
        query=query,
        meant=start.count,
        ended_at=None if end is None else end.at,
        changed=None if end is None else end.count,
        said=None if end is None else end.target.partition(" ")[2],
        is_dead=end is None and _has_ended(process),
    )


def _here() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


def _has_ended(process: str) -> bool:
    """Whether a process of this machine is gone. One with our own number is an earlier one."""
    host, _, number = process.rpartition(":")
    if host != socket.gethostname() or not number.isdigit():
        return False
    if int(number) == os.getpid():
        return True
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False
