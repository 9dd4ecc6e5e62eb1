"""Log in with a password, and out again."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from windlass.web.problems import Problem, not_found
from windlass.web.route import Call, Nothing
from windlass.web.security.security import Security
from windlass.web.security.sessions import cookie_header
from windlass.web.site.page import Page, base_of, rendered

_LONGEST = 2000
_CREDENTIALS = (401, 403, 429)
"""What is answered by the form itself; anything else is no matter of credentials."""


class LoginQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a person wanted to go."""

    next: str = "/"


class LoginForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who a person is, and where they wanted to go."""

    user: str = ""
    password: str = ""
    next: str = "/"


async def show_login(call: Call[LoginQuery, None]) -> Response:
    """The form."""
    _security(call.request)
    return rendered(call, _form(next=call.query.next))


async def log_in(call: Call[Nothing, LoginForm]) -> Response:
    """Begin a session, and go where the person wanted to go."""
    given = call.body
    _, cookie, _ = await _security(call.request).log_in(call.request, given.user, given.password)
    headers = {"Set-Cookie": cookie_header(call.request, cookie)}
    return RedirectResponse(base_of(call.request) + own_path(given.next), status_code=303, headers=headers)


async def log_out(call: Call[Nothing, Nothing]) -> Response:
    """End the session."""
    _security(call.request).log_out(call.request)
    headers = {"Set-Cookie": cookie_header(call.request, "")}
    return RedirectResponse(f"{base_of(call.request)}/login", status_code=303, headers=headers)


def show_refusal(call: Call[Any, Any], problem: Problem) -> Response | None:
    """The form once more, with what was wrong; None where it does not help."""
    given = call.body
    if problem.status not in _CREDENTIALS or not isinstance(given, LoginForm):
        return None
    shown = _form(next=given.next, user=given.user, said=problem.detail, status=problem.status)
    response = rendered(call, shown)
    response.headers.update(problem.headers)
    return response


def to_login(request: Request) -> Response | None:
    """Leads a person who is not known to the form, and from there back; None where there are no passwords."""
    if not has_login(request) or request.method not in ("GET", "HEAD"):
        return None
    base = base_of(request)
    wanted = request.url.path.removeprefix(base) or "/"
    wanted += f"?{request.url.query}" if request.url.query else ""
    query = f"?{urlencode({'next': wanted})}" if wanted != "/" else ""
    return RedirectResponse(f"{base}/login{query}", status_code=303)


def has_login(request: Request) -> bool:
    """Whether persons can log in here."""
    security = getattr(request.state, "security", None)
    return isinstance(security, Security) and security.passwords is not None


def own_path(text: str) -> str:
    """A path of this server; anything else, which could lead to another, becomes the overview.

    >>> [own_path(text) for text in ("/jobs?state=failed", "//evil.example", "https://evil.example")]
    ['/jobs?state=failed', '/', '/']
    """
    is_plain = len(text) <= _LONGEST and not any(sign <= " " or sign in "\\\x7f" for sign in text)
    return text if is_plain and text.startswith("/") and not text.startswith("//") else "/"


def _form(*, next: str, user: str = "", said: str | None = None, status: int = 200) -> Page:
    return Page("login.html", "Log in", {"next": own_path(next), "user": user, "said": said}, here="", status=status)


def _security(request: Request) -> Security:
    security = getattr(request.state, "security", None)
    if not isinstance(security, Security) or security.passwords is None:
        raise not_found("there are no users with passwords here; see windlass web --password-file")
    return security
