"""Asks an ASGI application without a client that would refuse, or mend, what is malformed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp, Message


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes


async def ask(
    asgi: ASGIApp,
    method: str,
    path: str,
    *,
    query: bytes = b"",
    headers: Sequence[tuple[bytes, bytes]] = (),
    parts: Sequence[bytes] = (b"",),
    root_path: str = "",
) -> RawAnswer:
    """The answer to a request whose body comes in these parts."""
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode("utf-8", "surrogatepass"),
        "root_path": root_path,
        "query_string": query,
        "headers": [(b"host", b"localhost"), *headers],
        "client": ("127.0.0.1", 4),
        "server": ("127.0.0.1", 80),
    }
    left, sent = list(parts), list[Message]()

    async def receive() -> Message:
        if not left:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

    async def send(message: Message) -> None:
        sent.append(message)

    await asgi(scope, receive, send)
    start = sent[0]
    named = {name.decode(): value.decode() for name, value in start["headers"]}
    return RawAnswer(start["status"], named, b"".join(message.get("body", b"") for message in sent[1:]))
