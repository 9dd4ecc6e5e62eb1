"""Who changed what to how many."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from windlass import clock
from windlass.core import validate
from windlass.store.operation import Operation
from windlass.store.operations.access.audit import audit_entries


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """A change that a person or a program has made."""

    number: int
    at: datetime
    who: str
    via: str
    """How the caller showed who it is: ``cli``, ``token``, ``password``, ``proxy``, ``local``, ``app``."""
    action: str
    target: str
    count: int
    """How many things were changed."""


@dataclass(frozen=True, slots=True)
class AuditPage:
    """Some entries, the newest first."""

    entries: list[AuditEntry]
    next: int | None
    """The cursor of the page after this one."""


def audit_page(limit: int, cursor: int | None) -> Operation[AuditPage]:
    """A page of entries; ``cursor`` is the ``next`` of the page before."""
    validate.whole_number(limit, "audit: limit", least=1, most=1000)
    if cursor is not None:
        validate.whole_number(cursor, "audit: cursor", least=1, most=2**53)
    found = yield from audit_entries(limit=limit + 1, before=cursor)
    entries = [
        AuditEntry(one.number, clock.instant(one.at), one.who, one.via, one.action, one.target, one.count)
        for one in found[:limit]
    ]
    return AuditPage(entries, entries[-1].number if len(found) > limit else None)
