"""An event stream as an answer over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from windlass.web.problems import Problem
from windlass.web.streams.streams import Streams

STILL_HERE = ": still here\n\n"


class EventStream(StreamingResponse):
    """Server-sent events, or a problem where there are too many streams already. A request for the head alone is
    answered without them.
    """

    media_type = "text/event-stream"

    def __init__(self, events: AsyncIterator[str | bytes], *, streams: Streams) -> None:
        # Proxies would hold back what is small.
        super().__init__(events, headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        self._streams = streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "HEAD":
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            await send({"type": "http.response.body", "body": b""})
            return
        try:
            # Counted here, not by the handler or by the events: many clients that come at once would all be let in.
            with self._streams.place():
                await super().__call__(scope, receive, send)
        except Problem as full:
            await full.response()(scope, receive, send)
