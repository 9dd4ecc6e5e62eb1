"""The bytes that a request sends: read once, and bounded in size and in time."""

from __future__ import annotations

import asyncio

from starlette.requests import ClientDisconnect, Request

from windlass.web.problems import Problem, bad_input

_SLOWEST = 20.0
"""Seconds that a body may take to arrive."""


class SentBody:
    """The body of a request; those who ask for it a second time get the same bytes."""

    def __init__(self, request: Request, most: int) -> None:
        self._request = request
        self._most = most
        self._bytes: bytes | None = None

    async def read(self) -> bytes:
        """All of it; its size is checked before it is read where the request says it."""
        if self._bytes is None:
            self._bytes = await self._received()
        return self._bytes

    async def _received(self) -> bytes:
        said = self._request.headers.get("content-length", "")
        if said.isdigit() and int(said[:20]) > self._most:
            raise self._too_large()
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(_SLOWEST):
                async for part in self._request.stream():
                    size += len(part)
                    if size > self._most:
                        raise self._too_large()
                    parts.append(part)
        except TimeoutError:
            detail = f"the body did not arrive within {_SLOWEST:g} s"
            raise Problem(408, "Request timeout", detail, headers={"Connection": "close"}) from None
        except ClientDisconnect:
            raise bad_input("the body ended too early") from None
        return b"".join(parts)

    def _too_large(self) -> Problem:
        # The rest of the body is not read, so the connection cannot be used again.
        return Problem(413, "Too large", f"the body may have {self._most:,} bytes", headers={"Connection": "close"})


def content_type(request: Request) -> str:
    """The kind of what is sent, without its parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()
