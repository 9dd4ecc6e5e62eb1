"""Tokens and the audit log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windlass.clock import iso

if TYPE_CHECKING:
    from windlass.insight.access.audit import AuditPage
    from windlass.insight.access.tokens import TokenView


def token(view: TokenView) -> dict[str, object]:
    """A token, without its text."""
    return {
        "name": view.name,
        "role": str(view.role),
        "queues": None if view.queues is None else list(view.queues),
        "state": view.state,
        "created_at": iso(view.created_at),
        "created_by": view.created_by,
        "expires_at": iso(view.expires_at),
        "used_at": iso(view.used_at),
        "revoked_at": iso(view.revoked_at),
        "revoked_by": view.revoked_by,
    }


def audit(page: AuditPage) -> dict[str, object]:
    """Who changed what, the newest first; ``next`` is the cursor of the page after it."""
    names = ("number", "who", "via", "action", "target", "count")
    entries = [{**{name: getattr(entry, name) for name in names}, "at": iso(entry.at)} for entry in page.entries]
    return {"entries": entries, "next": page.next}
