"""Sessions over HTTP: a browser logs in, changes something, and logs out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from windlass import Windlass
from windlass.core.access.networks import networks
from windlass.web import api
from windlass.web.security.proxy import TrustedProxy
from windlass.web.security.security import Security
from windlass.web.security.settings import SecuritySettings
from windlass.web.security.users import password_line, read_users

V1 = "/api/v1"
LOGIN = {"user": "ada", "password": "correct horse"}


@pytest.fixture
def app() -> Iterator[Windlass]:
    with Windlass("sqlite:///:memory:") as app:
        app.migrate()
        app.enqueue_many([app.request("speak", queue="mail", id="a")])
        yield app


@pytest.fixture
def settings(tmp_path: Path) -> SecuritySettings:
    users = tmp_path / "users"
    users.write_text(password_line("ada", "operator", LOGIN["password"], log2n=4))
    proxy = TrustedProxy("X-User", networks(["10.0.0.5"], "x"), None)
    return SecuritySettings(users=read_users(users), proxy=proxy, hosts=frozenset({"jobs.example"}))


def browser(app: Windlass, settings: SecuritySettings, base: str = "https://jobs.example") -> TestClient:
    return TestClient(api(app, security=Security(app, settings)), base_url=base, client=("10.0.0.5", 1))


def test_a_browser_logs_in_changes_something_and_logs_out(app: Windlass, settings: SecuritySettings) -> None:
    """B21: HttpOnly, SameSite, Secure; a change needs the token of the session."""
    client = browser(app, settings)
    wrong = client.post(f"{V1}/session", json=LOGIN | {"password": "wrong horse"})
    assert (wrong.status_code, wrong.headers.get("set-cookie")) == (401, None)
    begun = client.post(f"{V1}/session", json=LOGIN)
    assert begun.status_code == 200, begun.text
    cookie = begun.headers["set-cookie"]
    assert all(word in cookie for word in ("HttpOnly", "SameSite=Lax", "Secure", "Path=/;", "Max-Age=43200"))
    token = {"X-CSRF-Token": begun.json()["csrf_token"]}
    seen = client.get(f"{V1}/session").json()
    assert (
        seen
        == begun.json()
        == {"name": "ada", "role": "operator", "queues": None, "via": "session"} | {"csrf_token": token["X-CSRF-Token"]}
    )
    assert client.post(f"{V1}/queues/mail/pause").status_code == 403
    assert client.post(f"{V1}/queues/mail/pause", headers=token).status_code == 200
    [entry] = app.audit().entries
    assert (entry.who, entry.via, entry.target) == ("ada", "session", "mail")
    stolen = client.cookies["windlass_session"]
    ended = client.delete(f"{V1}/session")
    assert (ended.status_code, "Max-Age=0" in ended.headers["set-cookie"]) == (204, True)
    assert client.get(f"{V1}/session").status_code == 401
    client.cookies["windlass_session"] = stolen
    assert client.get(f"{V1}/session").status_code == 401, "it has ended here"


def test_a_page_of_another_site_cannot_log_in_or_out(app: Windlass, settings: SecuritySettings) -> None:
    """B21: login CSRF."""
    client = browser(app, settings)
    evil = {"Origin": "https://evil.example"}
    assert client.post(f"{V1}/session", json=LOGIN, headers=evil).status_code == 403
    assert client.delete(f"{V1}/session", headers=evil).status_code == 403


def test_a_trusted_proxy_says_that_the_connection_is_encrypted(app: Windlass, settings: SecuritySettings) -> None:
    """B21: where TLS ends before the server."""
    client = browser(app, settings, "http://jobs.example")
    assert client.post(f"{V1}/session", json=LOGIN).status_code == 403
    begun = client.post(f"{V1}/session", json=LOGIN, headers={"X-Forwarded-Proto": "https"})
    assert begun.status_code == 200
    assert "Secure" in begun.headers["set-cookie"]


def test_without_users_there_are_no_sessions(app: Windlass) -> None:
    client = browser(app, SecuritySettings())
    assert client.post(f"{V1}/session", json=LOGIN).status_code == 404
    token = app.add_token("ci", role="viewer").text
    seen = client.get(f"{V1}/session", headers={"Authorization": f"Bearer {token}"}).json()
    assert (seen["name"], seen["via"], seen["csrf_token"]) == ("ci", "token", None)
