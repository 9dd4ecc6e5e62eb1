"""Records who changed what, and reads it back."""

from __future__ import annotations

from msgspec import Struct

from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation

MOST_ENTRIES = 20_000
KEPT_FOR = 400 * 86_400_000
"""Milliseconds."""

LONGEST_TEXT = 256


class AuditRecord(Struct, frozen=True, array_like=True):
    """A change that a person or a program has made."""

    number: int
    at: int
    who: str
    via: str
    """How the caller showed who it is: ``cli``, ``token``, ``password``, ``proxy``, ``local``, ``app``."""
    action: str
    target: str
    count: int
    """How many things were changed."""


def record_change(
    *, who: str, via: str, action: str, target: str, count: int, most: int = MOST_ENTRIES
) -> Operation[None]:
    """Add an entry. Repeated after no reply, there may be two of it."""
    given = {"who": _short(who), "via": _short(via), "action": _short(action), "target": _short(target)}
    yield Call("record_audit", {**given, "count": count, "most": most})


def audit_entries(*, limit: int, before: int | None = None) -> Operation[list[AuditRecord]]:
    """The newest entries, of those with a smaller number than ``before``."""
    answer = yield Call("audit_list", {"limit": limit, "before": before}, Lane.READ)
    return records(answer["entries"], AuditRecord)


def _short(text: str) -> str:
    """At most so long, and without what a store refuses."""
    clean = text.encode("utf-8", "replace").decode().replace("\0", "�")
    return clean if len(clean) <= LONGEST_TEXT else f"{clean[: LONGEST_TEXT - 1]}…"
