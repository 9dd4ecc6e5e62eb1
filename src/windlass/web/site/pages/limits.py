"""Named limits, concurrency keys, and what cools down."""

from __future__ import annotations

from windlass.insight.limits.cooldowns import cooldown_views
from windlass.web.route import Call, Nothing
from windlass.web.site.page import Page
from windlass.web.topics.limits import limit_tag

_MOST = 500
_KEYS = 50


async def limits(call: Call[Nothing, None]) -> Page:
    """All limits with their tokens and who waits; the concurrency of tasks, the keys that jobs hold; cool-downs."""
    app = call.app
    found = (await app.alimits())[:_MOST]
    shown = {
        "limits": found,
        "tags": {view.name: limit_tag(view) for view in found},
        "concurrency": (await app.aconcurrency_limits())[:_MOST],
        "keys": await app.abusy_keys(limit=_KEYS),
        "cooldowns": await app.client.session.arun(cooldown_views()),
    }
    return Page("limits.html", "Limits", shown, here="/limits")
