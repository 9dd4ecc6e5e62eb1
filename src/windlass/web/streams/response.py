"""An event stream as an answer over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

STILL_HERE = ": still here\n\n"


class EventStream(StreamingResponse):
    """Server-sent events. A request for the head alone is answered without them."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncIterator[str | bytes]) -> None:
        # Proxies would hold back what is small.
        super().__init__(events, headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "HEAD":
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            await send({"type": "http.response.body", "body": b""})
            return
        await super().__call__(scope, receive, send)
