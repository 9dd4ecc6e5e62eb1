"""A client of the API, in the process of the test."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.testclient import TestClient

from windlass import Windlass
from windlass.web import api
from windlass.web.security.roles import Identity, Role

V1 = "/api/v1"
ANY = {"If-Match": "*"}


class Admitting:
    """Admits every caller as this identity, and keeps what was changed."""

    def __init__(self, identity: Identity | None = None) -> None:
        self.identity = identity or Identity("ada", Role.ADMIN)
        self.needed: list[Role | None] = []
        self.changes: list[tuple[str, str, str, int]] = []

    async def admit(self, request: Request, needed: Role | None) -> Identity:
        self.needed.append(needed)
        return self.identity

    async def changed(self, identity: Identity, action: str, target: str, count: int) -> None:
        self.changes.append((identity.name, action, target, count))


class Http(TestClient):
    """Asks an app's API; ``security`` has kept what was changed."""

    def __init__(self, app: Windlass, security: Admitting | None = None, **options: Any) -> None:
        self.security = security or Admitting()
        # Tests change things behind the server's back, and look at once.
        options = {"shared_for": 0.0, **options}
        super().__init__(api(app, security=self.security, **options), base_url="http://localhost")

    def read(self, path: str, **query: Any) -> Any:
        """What a GET answers, which has to work."""
        answer = self.get(f"{V1}{path}", params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def order(self, path: str, body: Any = None, *, status: int = 200) -> Any:
        """What a POST answers, which has to work."""
        answer = self.post(f"{V1}{path}", json=body)
        assert answer.status_code == status, answer.text
        return answer.json()
