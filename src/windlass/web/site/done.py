"""What a button has done, told on the next page, with the way back where there is one.

It travels in a cookie that lives for one page: an address that is kept or sent on must not tell it again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import msgspec
from starlette.requests import Request

from windlass.web.problems import Problem
from windlass.web.route import Call
from windlass.web.security.sessions import cookie_header

COOKIE = "windlass-done"
_OF = "what was done"
_LASTS = 30
"""Seconds within which a browser asks for the next page."""
_LONGEST = 200
"""Characters of a text: it is a sentence, and a cookie is small."""


class WayBack(msgspec.Struct, frozen=True):
    """A button that takes it back."""

    label: str
    path: str
    fields: dict[str, str] = msgspec.field(default_factory=dict)


class Told(msgspec.Struct, frozen=True):
    """What was done, as a sentence."""

    text: str
    back: WayBack | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """The path of the page that comes next, and what it tells."""

    path: str
    text: str
    back: WayBack | None = None


def place_of(kind: str, name: str, verb: str = "") -> str:
    """The path of a thing, or of something that can be done to it.

    >>> place_of("queues", "a/b", "resume")
    '/queues/a%2Fb/resume'
    """
    return f"/{kind}/{quote(name, safe='')}" + (f"/{verb}" if verb else "")


def telling(call: Call[Any, Any], done: Done) -> dict[str, str]:
    """The headers with which the next page tells it."""
    told = Told(done.text if len(done.text) <= _LONGEST else f"{done.text[: _LONGEST - 1]}…", done.back)
    return {"Set-Cookie": cookie_header(call.request, call.cursors.write(_OF, told), name=COOKIE, lasts=_LASTS)}


def told(call: Call[Any, Any]) -> Told | None:
    """What the page has to tell; None where nothing was done before it."""
    text = call.request.cookies.get(COOKIE)
    if not text:
        return None
    try:
        return call.cursors.read(_OF, text, Told)
    except Problem:  # of another version, or not of ours
        return None


def forgetting(request: Request) -> str:
    """The ``Set-Cookie`` of a page that has told it."""
    return cookie_header(request, "", name=COOKIE)
