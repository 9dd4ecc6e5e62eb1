"""Callers with a token, of the store or given at the start."""

from __future__ import annotations

import hmac
import logging

from windlass.app import Windlass
from windlass.core.access.roles import Role
from windlass.core.access.token_text import digest_of, is_token
from windlass.errors import WindlassError
from windlass.insight.access.tokens import queues_of
from windlass.store.operations.access import tokens
from windlass.web.security.rate_limits import RecentKeys
from windlass.web.security.roles import Identity

log = logging.getLogger("windlass.web")

_LONGEST = 512


class BearerTokens:
    """Finds out who has a token. Each request is looked up, so that a revoked token opens nothing any more."""

    def __init__(self, app: Windlass, *, start_token: str | None = None) -> None:
        self._app = app
        self._start_digest = None if start_token is None else digest_of(start_token)
        self._good = RecentKeys(seconds=600, most=1000)

    def was_good(self, text: str) -> bool:
        """Whether this token opened something lately: then a guess of another client does not hold it up."""
        return digest_of(text) in self._good

    async def identity(self, text: str) -> Identity | None:
        """Who has this token; None when it opens nothing."""
        digest = digest_of(text)
        if self._start_digest is not None and hmac.compare_digest(digest, self._start_digest):
            self._good.add(digest)
            return Identity("start token", Role.ADMIN, via="token")
        if len(text) > _LONGEST or not is_token(text):
            return None
        session = self._app.client.session
        found, now = await session.arun(tokens.find(digest))
        if found is None or not hmac.compare_digest(found.digest, digest) or not found.is_valid(now):
            self._good.discard(digest)
            return None
        self._good.add(digest)
        if found.is_use_due(now):
            await self._note_use(digest)
        queues = queues_of(found)
        return Identity(found.name, Role(found.role), None if queues is None else frozenset(queues), via="token")

    async def _note_use(self, digest: str) -> None:
        try:
            await self._app.client.session.arun(tokens.note_use(digest))
        except WindlassError as error:  # no reason to refuse a caller
            log.info("the use of a token could not be noted: %s", error)
