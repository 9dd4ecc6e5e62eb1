"""The operator's methods for the HTTP API: tokens, and the record of who changed what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from windlass import clock
from windlass.client.owner import ClientOwner
from windlass.core import validate
from windlass.core.access.roles import Role, role_of
from windlass.core.access.token_text import BITS, digest_of, token_text
from windlass.core.units import milliseconds
from windlass.errors import ConfigError, Duration
from windlass.insight import reads
from windlass.store.operation import Operation
from windlass.store.operations.access import tokens
from windlass.store.operations.access.audit import record_change
from windlass.store.operations.access.tokens import MOST_TOKENS, NewToken

if TYPE_CHECKING:
    from windlass.insight.access.audit import AuditPage
    from windlass.insight.access.tokens import TokenView


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A new token with its text, which cannot be read again."""

    text: str = field(repr=False)
    view: TokenView


class AccessOperator(ClientOwner):
    """The part of ``Windlass`` that is about who may use the HTTP API.

    >>> from windlass import Windlass
    >>> app = Windlass("sqlite:///:memory:")
    >>> token = app.add_token("ci", role="viewer", expires="30d")
    >>> token.text.startswith("wl_"), [one.name for one in app.tokens()]
    (True, ['ci'])
    >>> app.revoke_token("ci")
    True
    >>> app.close()
    """

    def add_token(
        self,
        name: str,
        *,
        role: str = "viewer",
        queues: Sequence[str] | None = None,
        expires: Duration | None = None,
        by: str = "api",
    ) -> IssuedToken:
        """Make a token for the HTTP API. Its text is shown here and never again.

        ``queues`` are those that a worker may use; a token of role ``worker`` needs them.
        """
        text, new = _new_token(name, role, queues, expires)
        return self.client.session.run(_add(text, new, by=by))

    async def aadd_token(
        self,
        name: str,
        *,
        role: str = "viewer",
        queues: Sequence[str] | None = None,
        expires: Duration | None = None,
        by: str = "api",
    ) -> IssuedToken:
        """``add_token`` for async code."""
        text, new = _new_token(name, role, queues, expires)
        return await self.client.session.arun(_add(text, new, by=by))

    def tokens(self) -> list[TokenView]:
        """Every token by name; those that were revoked or have expired are listed for 90 days."""
        return self.client.session.run(reads.token_views())

    async def atokens(self) -> list[TokenView]:
        """``tokens`` for async code."""
        return await self.client.session.arun(reads.token_views())

    def revoke_token(self, name: str, *, by: str = "api") -> bool:
        """Let a token open nothing from now on; False when there is none of that name."""
        return self.client.session.run(_revoke(name, by=by))

    async def arevoke_token(self, name: str, *, by: str = "api") -> bool:
        """``revoke_token`` for async code."""
        return await self.client.session.arun(_revoke(name, by=by))

    def audit(self, *, limit: int = 50, cursor: int | None = None) -> AuditPage:
        """What people and programs have changed through the command line and the HTTP API, the newest first.

        ``cursor`` takes the ``next`` of the page before. The newest 20,000 entries are kept, for 400 days.
        """
        return self.client.session.run(reads.audit_page(limit, cursor))

    async def aaudit(self, *, limit: int = 50, cursor: int | None = None) -> AuditPage:
        """``audit`` for async code."""
        return await self.client.session.arun(reads.audit_page(limit, cursor))

    def record_change(self, *, who: str, via: str, action: str, target: str, count: int = 1) -> None:
        """Add an entry to the audit, for programs that change something on behalf of people."""
        self.client.session.run(record_change(who=who, via=via, action=action, target=target, count=count))

    async def arecord_change(self, *, who: str, via: str, action: str, target: str, count: int = 1) -> None:
        """``record_change`` for async code."""
        await self.client.session.arun(record_change(who=who, via=via, action=action, target=target, count=count))


def _new_token(name: str, role: str, queues: Sequence[str] | None, expires: Duration | None) -> tuple[str, NewToken]:
    chosen = role_of(role)
    named = None
    if queues is not None:
        named = [validate.queue_name(queue) for queue in validate.texts(queues, "queues", example="['tts']")]
    if chosen is Role.WORKER and not named:
        raise ConfigError("a token of role worker needs the queues that it may use, as in queues=['tts']")
    if chosen is not Role.WORKER and named is not None:
        raise ConfigError(f"queues go with the role worker; a token of role {chosen} is for all of them")
    ttl = None if expires is None else milliseconds(expires, "expires")
    if ttl == 0:
        raise ConfigError("expires must be longer than 0, or the token would open nothing")
    text = token_text(clock.random_bits(BITS))
    stored = None if named is None else msgspec.json.encode(sorted(set(named))).decode()
    return text, NewToken(validate.token_name(name), digest_of(text), chosen, stored, ttl)


def _add(text: str, new: NewToken, *, by: str) -> Operation[IssuedToken]:
    added = yield from tokens.add(new, by=by)
    found = yield from reads.token_views(new.name)
    if not added:
        raise ConfigError(
            f"there is a token {new.name!r} already; revoke it first, or choose another name"
            if found
            else f"there are {MOST_TOKENS:,} tokens, and no more are kept; revoked ones go after 90 days"
        )
    return IssuedToken(text, found[0])


def _revoke(name: str, *, by: str) -> Operation[bool]:
    if not (yield from tokens.tokens(name))[0]:  # read only: a search in the wrong place must not make a store
        return False
    return (yield from tokens.revoke(name, by=by))
