"""Requests and apps for tests of who may do what."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request

from windlass.web.problems import Problem
from windlass.web.security.roles import Identity, Role
from windlass.web.security.security import Security


def request(
    method: str = "GET",
    *,
    client: str | None = "127.0.0.1",
    scheme: str = "http",
    headers: dict[str, str] | list[tuple[str, str]] | None = None,
    host: str | None = "localhost:8000",
) -> Request:
    """A request as a server passes it on."""
    given = list(headers.items()) if isinstance(headers, dict) else list(headers or [])
    if host is not None:
        given.insert(0, ("host", host))
    scope: dict[str, Any] = {
        "type": "http",
        "method": method,
        "scheme": scheme,
        "path": "/api/v1/x",
        "root_path": "",
        "query_string": b"",
        "server": ("localhost", 8000),
        "client": None if client is None else (client, 1234),
        "headers": [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in given],
        "state": {},
    }
    return Request(scope)


def bearer(text: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {text}"}


async def answer_of(security: Security, one: Request, needed: Role | None = Role.VIEWER) -> Identity | int:
    """Who was admitted, or the status of the refusal."""
    try:
        return await security.admit(one, needed)
    except Problem as problem:
        return problem.status
