"""What holds where no security was given: only public routes are answered."""

from __future__ import annotations

from starlette.requests import Request

from windlass.web.problems import Problem
from windlass.web.security.roles import ANONYMOUS, Identity, Role


class Closed:
    """Refuses all that is not public."""

    async def admit(self, request: Request, needed: Role | None) -> Identity:
        if needed is None:
            return ANONYMOUS
        raise Problem(403, "Forbidden", "no security was set up here: windlass.web.api(app, auth=...) needs a function")

    async def changed(self, identity: Identity, action: str, target: str, count: int) -> None:
        """Nothing changes here."""
