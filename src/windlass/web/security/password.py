"""Callers with a password: by HTTP Basic, or by a session."""

from __future__ import annotations

import asyncio
import base64
import binascii
import hmac
from collections.abc import Mapping
from weakref import WeakKeyDictionary

from starlette.requests import Request

from windlass import clock
from windlass.web.security.rate_limits import RecentKeys
from windlass.web.security.roles import Identity
from windlass.web.security.sessions import COOKIE, Session, Sessions
from windlass.web.security.users import User

_AT_ONCE = 2
"""So many passwords are checked at once: each takes processor and memory."""
_REMEMBERED = 300.0
"""Seconds for which a password that was right is not derived again: Basic sends it with every request."""


class Passwords:
    """Finds out who has a password, or a session that a password began."""

    def __init__(self, users: Mapping[str, User], sessions: Sessions | None = None) -> None:
        self._users = users
        self.sessions = Sessions(users) if sessions is None else sessions
        self._good = RecentKeys(seconds=_REMEMBERED, most=1000)
        self._good_from = RecentKeys(seconds=_REMEMBERED, most=1000)
        self._key = clock.random_bits(256).to_bytes(32)
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()

    def was_good_from(self, client: str, name: str, password: str) -> bool:
        """Whether this password came from this client a moment ago, and was right.

        That another client had it right says nothing: a guess beyond the limit must not be let in where it is right.
        """
        return self._digest(name, password, client) in self._good_from

    def note_good_from(self, client: str, name: str, password: str) -> None:
        """It was right."""
        self._good_from.add(self._digest(name, password, client))

    async def user(self, name: str, password: str) -> User | None:
        """The user of that name and password; takes as long for a name that there is not."""
        user = self._users.get(name)
        digest = self._digest(name, password)
        if user is not None and digest in self._good:
            return user
        checked = user or next(iter(self._users.values()))
        async with self._turn():
            is_right = await asyncio.to_thread(checked.has_password, password)
        if user is None or not is_right:
            return None
        self._good.add(digest)
        return user

    def session(self, request: Request) -> tuple[Session, User] | None:
        """The session of a request."""
        cookie = request.cookies.get(COOKIE)
        return None if cookie is None else self.sessions.read(cookie)

    def _digest(self, name: str, password: str, client: str = "") -> str:
        said = f"{client}\0{name}\0{password}".encode("utf-8", "surrogatepass")
        return hmac.digest(self._key, said, "sha256").hex()

    def _turn(self) -> asyncio.Semaphore:
        return self._turns.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(_AT_ONCE))


def basic_credentials(value: str) -> tuple[str, str] | None:
    """Name and password of an ``Authorization: Basic`` header; None for any other text."""
    try:
        text = base64.b64decode(value.strip(), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return None
    name, colon, password = text.partition(":")
    return (name, password) if colon else None


def identity_of(user: User, via: str) -> Identity:
    """A user as a caller."""
    return Identity(user.name, user.role, via=via)
