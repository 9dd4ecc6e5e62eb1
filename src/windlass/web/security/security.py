"""Admits a caller, or says why not; records what was changed."""

from __future__ import annotations

import inspect
import logging
from dataclasses import dataclass

from starlette.requests import Request

from windlass.app import Windlass
from windlass.core.access.roles import Role
from windlass.errors import WindlassError
from windlass.insight.redact import redacted_text
from windlass.web.problems import Problem
from windlass.web.security.addresses import (
    client_key,
    host_name,
    is_address,
    is_encrypted,
    is_local,
    is_loopback,
)
from windlass.web.security.bearer import BearerTokens
from windlass.web.security.cross_site import refuse_cross_site, require_csrf_token
from windlass.web.security.password import Passwords, basic_credentials, identity_of
from windlass.web.security.rate_limits import ClientBuckets
from windlass.web.security.roles import ANONYMOUS, Identity
from windlass.web.security.sessions import COOKIE, Session
from windlass.web.security.settings import SecuritySettings

log = logging.getLogger("windlass.web")

_GUESSES = "too many attempts with wrong credentials; wait before the next"
_MANY = ("job.enqueue", "lease.")
"""What programs do with every job. The timelines of jobs have it; in the audit it would displace everything else."""
_LOCAL = Identity("local", Role.ADMIN, via="local")


@dataclass(frozen=True, slots=True)
class _Known:
    """A caller, and how a browser may have been made to ask on its behalf."""

    identity: Identity
    is_ambient: bool
    """Whether a browser shows it with every request, whichever page asks."""
    csrf_token: str | None = None


class Security:
    """Who may do what. One for each application that is served; ``admit`` comes before everything else."""

    def __init__(self, app: Windlass, settings: SecuritySettings) -> None:
        self._app = app
        self._settings = settings
        self._trusted = () if settings.proxy is None else tuple(settings.proxy.addresses)
        self._bearer = BearerTokens(app, start_token=settings.start_token)
        self.passwords = Passwords(settings.users) if settings.users else None
        """None where there are no users with passwords."""
        self._requests = ClientBuckets(rate=settings.requests_per_second, burst=settings.request_burst)
        self._failures = ClientBuckets(rate=settings.failures_per_minute / 60, burst=settings.failures_per_minute)

    async def admit(self, request: Request, needed: Role | None) -> Identity:
        """Who asks; raises ``Problem``: 401, 403, 421 or 429. None is needed for a public route."""
        request.state.security = self
        if is_encrypted(request, self._trusted):
            request.scope["scheme"] = "https"  # also where a proxy ends it: cookies are marked by it
        self._check_host(request)
        client = client_key(request, self._trusted)
        self._requests.require(client, "this client asks too often")
        self._requests.take(client)
        if needed is None:
            return ANONYMOUS
        known = await self._known(request)
        if known is None:
            raise _unauthorized("show who you are: Authorization: Bearer TOKEN")
        if known.is_ambient:
            refuse_cross_site(request)
        if known.csrf_token is not None:
            await require_csrf_token(request, known.csrf_token)
        if not known.identity.role.allows(needed):
            raise Problem(
                403, "Forbidden", f"this needs the role {needed}, and {known.identity.name} is {known.identity.role}"
            )
        return known.identity

    async def changed(self, identity: Identity, action: str, target: str, count: int) -> None:
        """Record a change that was made. Where that fails the change stands, and the log has it."""
        if count == 0 or action.startswith(_MANY):
            return
        who, what = redacted_text(identity.name), redacted_text(target)
        try:
            await self._app.arecord_change(who=who, via=identity.via, action=action, target=what, count=count)
        except WindlassError as error:
            log.error("%s (%s) did %s to %s, which could not be recorded: %s", who, identity.via, action, what, error)

    async def log_in(self, request: Request, name: str, password: str) -> tuple[Session, str, Identity]:
        """Begin a session: it, the value of its cookie, and who it is."""
        refuse_cross_site(request)
        if self.passwords is None:
            raise Problem(404, "Not found", "there are no users with passwords here; see --password-file")
        identity = await self._with_password(request, name, password, via="session")
        session, cookie = self.passwords.sessions.begin(self._settings.users[identity.name])
        return session, cookie, identity

    def csrf_token_of(self, cookie: str) -> str | None:
        """What changes in the session of this cookie need."""
        found = None if self.passwords is None else self.passwords.sessions.read(cookie)
        return None if self.passwords is None or found is None else self.passwords.sessions.csrf_token(found[0])

    def log_out(self, request: Request) -> None:
        """End the session of a request, if it has one; a request that a page of another site makes is refused."""
        refuse_cross_site(request)
        found = None if self.passwords is None else self.passwords.session(request)
        if self.passwords is not None and found is not None:
            self.passwords.sessions.end(found[0])

    def csrf_token(self, request: Request) -> str | None:
        """What changes in the session of this request need; None where it has none."""
        return self.csrf_token_of(request.cookies.get(COOKIE, ""))

    def _check_host(self, request: Request) -> None:
        """Against DNS rebinding: a page of another site can point its own name at this machine; browsers send that."""
        if self._settings.hosts is None:
            return
        host = host_name(request.headers.get("host", ""))
        is_open = self._settings.is_open_to_loopback
        if host is None or not (
            is_loopback(host) or host in self._settings.hosts or (not is_open and is_address(host))
        ):
            raise Problem(
                421, "Misdirected request", "this server has another name; --allow-host adds one", field="Host"
            )

    async def _known(self, request: Request) -> _Known | None:
        given = request.headers.getlist("authorization")
        if len(given) > 1:
            raise _unauthorized("there is more than one Authorization header")
        if given:
            return await self._by_header(request, given[0])
        if self.passwords is not None and (found := self.passwords.session(request)):
            session, user = found
            return _Known(identity_of(user, "session"), True, self.passwords.sessions.csrf_token(session))
        if self._settings.proxy is not None and (named := self._settings.proxy.identity(request)):
            return _Known(named, True)
        if self._settings.authenticate is not None and (told := await self._by_application(request)):
            return _Known(told, True)
        return _Known(_LOCAL, True) if self._is_open_to(request) else None

    async def _by_header(self, request: Request, value: str) -> _Known:
        scheme, _, credentials = value.partition(" ")
        match scheme.lower():
            case "bearer":
                return _Known(await self._with_token(request, credentials.strip()), False)
            case "basic" if self.passwords is not None:
                return _Known(await self._by_basic(request, credentials), True)
        raise _unauthorized("this kind of Authorization is not known here; use Bearer")

    async def _with_token(self, request: Request, text: str) -> Identity:
        client = client_key(request, self._trusted)
        if not self._bearer.was_good(text):
            self._failures.require(client, _GUESSES)
        identity = await self._bearer.identity(text)
        if identity is None:
            self._failures.take(client)
            raise _unauthorized("the token is not valid, has expired or was revoked")
        return identity

    async def _by_basic(self, request: Request, credentials: str) -> Identity:
        found = basic_credentials(credentials)
        if found is None:
            raise _unauthorized("Authorization: Basic needs a name and a password")
        return await self._with_password(request, *found, via="password")

    async def _with_password(self, request: Request, name: str, password: str, *, via: str) -> Identity:
        assert self.passwords is not None
        if not is_encrypted(request, self._trusted) and not is_local(request):
            raise Problem(
                403, "Forbidden", "passwords are taken over https only; use a token, or encrypt the connection"
            )
        client = client_key(request, self._trusted)
        # Basic sends it with every request, and must not be held up by the guesses of others behind the same address. A
        # login is a guess each time.
        if via != "password" or not self.passwords.was_good_from(client, name, password):
            self._failures.require(client, _GUESSES)
            self._failures.take(client)  # before the wait, so that guesses at the same time count too
        user = await self.passwords.user(name, password)
        if user is None:
            raise _unauthorized("the name or the password is wrong")
        self.passwords.note_good_from(client, name, password)
        return identity_of(user, via)

    async def _by_application(self, request: Request) -> Identity | None:
        assert self._settings.authenticate is not None
        told = self._settings.authenticate(request)
        found = await told if inspect.isawaitable(told) else told
        if found is not None and not isinstance(found, Identity):
            raise TypeError(f"auth must give a windlass.web.Identity or None, got {type(found).__name__}")
        return found

    def _is_open_to(self, request: Request) -> bool:
        """What a proxy on this machine passes on comes from elsewhere."""
        return self._settings.is_open_to_loopback and is_local(request)


def _unauthorized(detail: str) -> Problem:
    return Problem(401, "Unauthorized", detail, headers={"WWW-Authenticate": 'Bearer realm="windlass"'})
