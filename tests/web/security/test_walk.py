"""Each route, for each role, by each way of showing who one is: drawn from the table of routes.

A row without a rule fails here, and so does a rule that a way of authenticating does not keep.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.testclient import TestClient

from windlass import Windlass
from windlass.core.access.networks import networks
from windlass.web import api, dashboard
from windlass.web.route import Answer, Call, Nothing, Route
from windlass.web.security.headers import HEADERS
from windlass.web.security.proxy import TrustedProxy
from windlass.web.security.roles import Identity, Role
from windlass.web.security.security import Security
from windlass.web.security.sessions import COOKIE
from windlass.web.security.settings import SecuritySettings
from windlass.web.security.users import password_line, read_users
from windlass.web.site.routes.table import PAGES
from windlass.web.table import ROUTES as API

ROUTES = (*API, *PAGES)

PASSWORD = "correct horse"
PEOPLE = (Role.VIEWER, Role.OPERATOR, Role.ADMIN)
SAFE = ("GET", "HEAD")
MAY = {
    Role.VIEWER: {Role.VIEWER},
    Role.OPERATOR: {Role.VIEWER, Role.OPERATOR, Role.WORKER},
    Role.ADMIN: {Role.VIEWER, Role.OPERATOR, Role.WORKER, Role.ADMIN},
    Role.WORKER: {Role.WORKER},
}
"""What each role may do, said once more and not asked of the code."""


async def reached(call: Call[Nothing, None]) -> Answer:
    """Says who has come so far."""
    return Answer({"name": call.identity.name, "role": str(call.identity.role), "via": call.identity.via}, status=200)


def bare(route: Route) -> Route:
    """The same row, which only says who was admitted."""
    form = None if route.form is None else Nothing
    bare = replace(route, body=None, form=form, query=Nothing, action=None, waits=None, show_problem=None)
    return replace(bare, handler=reached, answer=dict[str, str])


def named(route: Route) -> str:
    return f"{route.method} {route.path}"


@dataclass(frozen=True)
class Way:
    """A way to show who one is."""

    role: Role
    headers: dict[str, str]
    is_ambient: bool
    """Whether a browser shows it with every request, whichever page asks."""
    csrf: dict[str, str]
    client: str = "10.0.0.9"


class Scene:
    """An app with every way of authenticating, and a caller of each role by each of them."""

    def __init__(self, app: Windlass, folder: Path) -> None:
        users = folder / "users"
        users.write_text("\n".join(password_line(role, role, PASSWORD, log2n=4) for role in PEOPLE))
        proxy = TrustedProxy("X-User", networks(["10.0.0.5"], "x"), None, {f"p-{role}": role for role in PEOPLE})
        self.settings = SecuritySettings(
            users=read_users(users),
            proxy=proxy,
            authenticate=_by_header,
            hosts=frozenset({"jobs.example"}),
            requests_per_second=1e9,
            request_burst=1_000_000,
        )
        self.app = app
        self.asgi = api(app, security=Security(app, self.settings), routes=[bare(route) for route in ROUTES])
        self.ways = dict(self._ways())

    def client(self, address: str = "10.0.0.9") -> TestClient:
        return TestClient(self.asgi, base_url="https://jobs.example", client=(address, 1))

    def _ways(self) -> Iterator[tuple[str, Way]]:
        for role in Role:
            queues = ["a"] if role is Role.WORKER else None
            text = self.app.add_token(f"t-{role}", role=role, queues=queues).text
            yield f"token {role}", Way(role, {"Authorization": f"Bearer {text}"}, False, {})
            yield f"app {role}", Way(role, {"X-App": role}, True, {})
        for role in PEOPLE:
            basic = base64.b64encode(f"{role}:{PASSWORD}".encode()).decode()
            yield f"password {role}", Way(role, {"Authorization": f"Basic {basic}"}, True, {})
            yield f"proxy {role}", Way(role, {"X-User": f"p-{role}"}, True, {}, client="10.0.0.5")
            yield f"session {role}", self._session(role)

    def _session(self, role: Role) -> Way:
        security = Security(self.app, self.settings)
        assert security.passwords is not None
        session, cookie = security.passwords.sessions.begin(self.settings.users[role])
        token = security.passwords.sessions.csrf_token(session)
        return Way(role, {"Cookie": f"{COOKIE}={cookie}"}, True, {"X-CSRF-Token": token})


def _by_header(request: Request) -> Identity | None:
    role = request.headers.get("x-app")
    return None if role is None else Identity("someone", Role(role), via="app")


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    with Windlass("sqlite:///:memory:") as app:
        app.migrate()
        yield Scene(app, tmp_path_factory.mktemp("walk"))


def path_of(route: Route) -> str:
    path = route.path
    for name in route.parameters:
        path = path.replace(f"{{{name}}}", "x")
    return path


WAYS = [
    f"{way} {role}"
    for way, roles in {"token": Role, "app": Role, "password": PEOPLE, "proxy": PEOPLE, "session": PEOPLE}.items()
    for role in roles
]


@pytest.mark.parametrize("name", WAYS)
def test_a_caller_reaches_what_its_role_may_and_nothing_else(scene: Scene, name: str) -> None:
    """B21: each route, each role, each way."""
    way = scene.ways[name]
    client = scene.client(way.client)
    for route in ROUTES:
        may = route.role is None or route.role in MAY[way.role]
        answer = client.request(route.method, path_of(route), headers=way.headers | way.csrf)
        assert answer.status_code == (200 if may else 403), (named(route), answer.text)
        if may and route.role is not None:
            assert (answer.json()["role"], answer.json()["via"]) == (way.role, name.split(maxsplit=1)[0]), named(route)


def test_without_credentials_only_public_routes_are_reached(scene: Scene) -> None:
    """B21: closed by default."""
    for route in ROUTES:
        answer = scene.client().request(route.method, path_of(route))
        assert answer.status_code == (200 if route.role is None else 401), named(route)


@pytest.mark.parametrize("name", [name for name in WAYS if not name.startswith("token")])
def test_a_page_of_another_site_changes_nothing(scene: Scene, name: str) -> None:
    """B21: cross-site requests, with whatever a browser adds by itself."""
    way = scene.ways[name]
    assert way.is_ambient
    client = scene.client(way.client)
    headers: dict[str, str]
    for route in ROUTES:
        if route.method in SAFE or route.role is None or route.role not in MAY[way.role]:
            continue
        for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}):
            answer = client.request(route.method, path_of(route), headers=way.headers | way.csrf | headers)
            assert answer.status_code == 403, (named(route), headers)
        own = {"Origin": "https://jobs.example", "Sec-Fetch-Site": "same-origin"}
        answer = client.request(route.method, path_of(route), headers=way.headers | way.csrf | own)
        assert answer.status_code == 200, named(route)
        if way.csrf:
            answer = client.request(route.method, path_of(route), headers=way.headers | own)
            assert answer.status_code == 403, named(route)


def test_every_answer_has_the_headers(scene: Scene) -> None:
    """B21: strict CSP, also on errors; no CORS."""
    client = scene.client()
    answers = [client.request(route.method, path_of(route)) for route in ROUTES]
    answers += [
        client.get("/nowhere"),
        client.request("PATCH", "/healthz"),
        client.get("/healthz", headers={"Host": "x"}),
    ]
    assert {answer.status_code for answer in answers} == {200, 401, 404, 405, 421}
    for answer in answers:
        for name, value in HEADERS.items():
            assert answer.headers[name] == value, (answer.url, name)
        assert not [name for name in answer.headers if name.startswith("access-control")]
    assert "unsafe" not in HEADERS["content-security-policy"]


def test_another_host_is_421_on_every_route(scene: Scene) -> None:
    """B21: DNS rebinding."""
    for route in ROUTES:
        answer = scene.client().request(route.method, path_of(route), headers={"Host": "evil.example"})
        assert answer.status_code == 421, named(route)


def test_an_application_that_mounts_the_api_without_a_function_is_closed(scene: Scene) -> None:
    """B21: denies everything until one is given."""
    client = TestClient(dashboard(scene.app))
    for route in ROUTES:
        answer = client.request(route.method, path_of(route), headers=scene.ways["token admin"].headers)
        if route.role is not None:
            assert answer.status_code == 403, named(route)


def test_no_token_is_in_an_answer_a_log_or_the_audit(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    """B21: secrets, also where a caller puts them in the wrong place."""
    caplog.set_level("DEBUG")
    admin = scene.ways["token admin"]
    text = admin.headers["Authorization"].removeprefix("Bearer ")
    client = TestClient(
        api(scene.app, security=Security(scene.app, scene.settings)),
        base_url="https://jobs.example",
        client=("10.0.0.9", 1),
    )
    wrong = [
        client.get("/api/v1/tokens", params={"token": text}),
        client.post("/api/v1/tokens", json={"name": text + " "}, headers=admin.headers),
        client.post("/api/v1/tokens", json={"name": "b", "role": text}, headers=admin.headers),
        client.delete(f"/api/v1/tokens/{text}", headers=admin.headers),
        client.get(f"/api/v1/jobs/{text}", headers=admin.headers),
        client.get("/api/v1/tokens", headers=admin.headers),
        client.get("/api/v1/audit", headers=admin.headers),
        client.post("/api/v1/session", json={"user": "admin", "password": text}),
    ]
    assert [answer.status_code for answer in wrong] == [401, 400, 400, 404, 404, 200, 200, 401]
    ours = "".join(record.getMessage() for record in caplog.records if record.name.startswith("windlass"))
    assert text not in "".join(answer.text for answer in wrong) + ours
