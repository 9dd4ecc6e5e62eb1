"""The token of a session in the forms of its pages.

Pages that look the same are rendered once for all who look at them, so a form is rendered with a place for the token,
and each session gets its own put in. The place is a random text: no job can contain it.
"""

from __future__ import annotations

from typing import Any

from markupsafe import escape

from windlass import clock
from windlass.web.route import Call
from windlass.web.security.security import Security

PLACE = f"{clock.random_bits(128):032x}"


def token_of(call: Call[Any, Any]) -> str:
    """What changes in the session of this caller need; empty for callers that have none, and need nothing."""
    security = getattr(call.request.state, "security", None)
    if call.identity.via != "session" or not isinstance(security, Security):
        return ""
    return security.csrf_token(call.request) or ""


def with_token(html: str, token: str) -> str:
    """What was rendered, for one caller."""
    return html.replace(PLACE, escape(token))
