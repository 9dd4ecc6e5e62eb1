"""Refuses requests that a page of another site makes a browser send.

A browser adds cookies, passwords and its place in the network to every request, whichever page asks for it. It also
says where the request comes from, in headers that pages cannot set. A request with a bearer token needs no such check.
"""

from __future__ import annotations

import hmac
from urllib.parse import urlsplit

from starlette.requests import Request

from windlass.web.problems import Problem

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
CSRF_HEADER = "x-csrf-token"

_OWN = ("same-origin", "none")


def refuse_cross_site(request: Request, *, csrf_token: str | None) -> None:
    """A ``Problem`` 403 for what another site asks for; a change in a session also needs the session's token.

    Links from elsewhere may be followed: they change nothing.
    """
    site = request.headers.get("sec-fetch-site")
    is_safe = request.method in SAFE
    if site is not None and site not in _OWN and not (is_safe and request.headers.get("sec-fetch-mode") == "navigate"):
        raise _refused("requests of other sites are refused")
    if is_safe:
        return
    origin = request.headers.get("origin")
    # A form of a page that tells no referrer sends the origin null; where the browser says more, that counts.
    if site != "same-origin" and origin is not None and not _is_own(origin, request):
        raise _refused("the request comes from a page of another site")
    if csrf_token is not None:
        sent = request.headers.get(CSRF_HEADER, "")
        if not hmac.compare_digest(sent.encode("latin-1", "replace"), csrf_token.encode()):
            raise _refused("a change in a session needs the header X-CSRF-Token, as /api/v1/session gives it")


def _is_own(origin: str, request: Request) -> bool:
    """Whether a page of this server asks; its scheme is not compared, for a proxy in front may speak another."""
    try:
        found = urlsplit(origin)
    except ValueError:
        return False
    return found.scheme in ("http", "https") and found.netloc.lower() == request.headers.get("host", "").lower()


def _refused(detail: str) -> Problem:
    return Problem(403, "Forbidden", detail)
