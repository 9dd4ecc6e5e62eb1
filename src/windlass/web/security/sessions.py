"""Signed cookies of those who have logged in.

A cookie holds the user's name, a random id and an end, signed under a key that comes from the user's password hash: it
is good in every process with the same password file, and a new password ends all sessions of its user.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Callable, Mapping

import msgspec
from starlette.requests import Request

from windlass import clock
from windlass.web.security.rate_limits import RecentKeys
from windlass.web.security.users import User

COOKIE = "windlass_session"
LASTS = 12 * 3600
"""Seconds, however busy the session is."""

_LONGEST = 2048
_SIGNATURE = 32


class Session(msgspec.Struct, frozen=True, array_like=True):
    """What a cookie holds."""

    user: str
    id: str
    ends_at: int
    """Seconds since 1970."""


class Sessions:
    """Begins, reads and ends sessions."""

    def __init__(self, users: Mapping[str, User], *, now: Callable[[], int] = clock.now) -> None:
        self._users = users
        self._now = now
        self._ended = RecentKeys(seconds=LASTS, most=10_000)
        """Those that were logged out in this process; the cookie itself is gone from the browser."""

    def begin(self, user: User) -> tuple[Session, str]:
        """A new session, and the value of its cookie."""
        session = Session(user.name, f"{clock.random_bits(128):032x}", self._now() // 1000 + LASTS)
        content = msgspec.json.encode(session)
        return session, _text(_signature(user, b"cookie", content) + content)

    def read(self, cookie: str) -> tuple[Session, User] | None:
        """The session of a cookie, and its user as the password file has it now; None for any other text."""
        try:
            whole = _bytes(cookie) if len(cookie) <= _LONGEST else b""
            content = whole[_SIGNATURE:]
            session = msgspec.json.decode(content, type=Session)
        except (ValueError, msgspec.MsgspecError):
            return None
        user = self._users.get(session.user)
        if user is None or not hmac.compare_digest(whole[:_SIGNATURE], _signature(user, b"cookie", content)):
            return None
        is_over = session.ends_at <= self._now() // 1000 or session.id in self._ended
        return None if is_over else (session, user)

    def end(self, session: Session) -> None:
        """Let a session count no more in this process."""
        self._ended.add(session.id)

    def csrf_token(self, session: Session) -> str:
        """What a page of ours sends with each change, and no page of another site can know."""
        return _text(_signature(self._users[session.user], b"csrf", session.id.encode()))


def cookie_header(request: Request, value: str, *, name: str = COOKIE, lasts: int = LASTS) -> str:
    """The ``Set-Cookie`` for a session, or for another cookie of ours; without a value it removes the cookie."""
    path = request.scope.get("root_path", "") or "/"
    secure = "; Secure" if request.scope["scheme"] == "https" else ""
    return f"{name}={value}; Path={path}; Max-Age={lasts if value else 0}; HttpOnly; SameSite=Lax{secure}"


def _signature(user: User, purpose: bytes, content: bytes) -> bytes:
    key = hashlib.blake2b(user.hash.encode(), digest_size=32, person=b"windlass session").digest()
    return hmac.digest(key, purpose + b"\0" + content, "sha256")


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except binascii.Error:
        raise ValueError("no base64") from None
