"""What is failing, since when, and is it one cause?"""

from __future__ import annotations

from windlass.web.route import Call, Nothing
from windlass.web.site.page import Page

_MOST = 200


async def failures(call: Call[Nothing, None]) -> Page:
    """Failed jobs, by cause."""
    groups = await call.app.adead_groups(_MOST)
    shown = {
        "groups": groups,
        "failed_count": sum(group.count for group in groups),
        "recent_count": sum(group.recent for group in groups),
    }
    return Page("failures.html", "Failures", shown, here="/failures")
