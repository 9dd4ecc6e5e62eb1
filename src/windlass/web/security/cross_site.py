"""Refuses requests that a page of another site makes a browser send.

A browser adds cookies, passwords and its place in the network to every request, whichever page asks for it. It also
says where the request comes from, in headers that pages cannot set. A request with a bearer token needs no such check.
"""

from __future__ import annotations

import hmac
from urllib.parse import urlsplit

from starlette.requests import Request

from windlass.web.forms import CSRF_FIELD, sent_token
from windlass.web.problems import Problem

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
CSRF_HEADER = "x-csrf-token"

_OWN = ("same-origin", "none")


def refuse_cross_site(request: Request) -> None:
    """A ``Problem`` 403 for what another site asks for.

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


async def require_csrf_token(request: Request, token: str) -> None:
    """A ``Problem`` 403 for a change in a session that does not carry the session's token, in a header or in a form."""
    if request.method in SAFE:
        return
    sent = request.headers.get(CSRF_HEADER) or await sent_token(request)
    if not hmac.compare_digest(sent.encode("utf-8", "replace"), token.encode()):
        raise _refused(
            "a change in a session needs its token: in the header X-CSRF-Token, as /api/v1/session gives it, or in the "
            f"field {CSRF_FIELD} of a form. If you have logged in again since the page was opened, open it again"
        )


def _is_own(origin: str, request: Request) -> bool:
    """Whether a page of this server asks; its scheme is not compared, for a proxy in front may speak another."""
    try:
        found = urlsplit(origin)
    except ValueError:
        return False
    return found.scheme in ("http", "https") and found.netloc.lower() == request.headers.get("host", "").lower()


def _refused(detail: str) -> Problem:
    return Problem(403, "Forbidden", detail)
