"""Who asks, and sessions of users with passwords."""

from __future__ import annotations

from starlette.requests import Request

from windlass.web.problems import not_found
from windlass.web.route import PREFIX, Answer, Call, Nothing, Route
from windlass.web.security.roles import Identity, Role
from windlass.web.security.security import Security
from windlass.web.security.sessions import cookie_header
from windlass.web.shapes import access as shapes

_TOPIC = "Access"
_SESSION = f"{PREFIX}/session"


async def show_session(call: Call[Nothing, None]) -> shapes.SessionState:
    """Who asks."""
    security = getattr(call.request.state, "security", None)
    token = security.csrf_token(call.request) if isinstance(security, Security) else None
    return _state(call.identity, token if call.identity.via == "session" else None)


async def log_in(call: Call[Nothing, shapes.Login]) -> Answer:
    """Begin a session."""
    security = _security(call.request)
    _, cookie, identity = await security.log_in(call.request, call.body.user, call.body.password)
    token = security.csrf_token_of(cookie)
    return Answer(_state(identity, token), headers={"Set-Cookie": cookie_header(call.request, cookie)})


async def log_out(call: Call[Nothing, None]) -> Answer:
    """End a session."""
    _security(call.request).log_out(call.request)
    return Answer(headers={"Set-Cookie": cookie_header(call.request, "")})


def _security(request: Request) -> Security:
    found = getattr(request.state, "security", None)
    if not isinstance(found, Security):
        raise not_found("there are no sessions here")
    return found


def _state(identity: Identity, token: str | None) -> shapes.SessionState:
    queues = None if identity.queues is None else sorted(identity.queues)
    return shapes.SessionState(identity.name, str(identity.role), queues, identity.via, token)


ROUTES = (
    Route(
        method="GET",
        path=_SESSION,
        handler=show_session,
        summary="Who asks, and what changes in a session need.",
        topic=_TOPIC,
        role=Role.VIEWER,
        answer=shapes.SessionState,
    ),
    Route(
        method="POST",
        path=_SESSION,
        handler=log_in,
        summary="Begin a session with a password: the answer sets a cookie.",
        topic=_TOPIC,
        role=None,
        body=shapes.Login,
        answer=shapes.SessionState,
        problems=(401, 403, 404, 429),
    ),
    Route(
        method="DELETE",
        path=_SESSION,
        handler=log_out,
        summary="End a session: the answer removes the cookie.",
        topic=_TOPIC,
        role=None,
        answer=None,
        status=204,
        problems=(403, 404),
    ),
)
