"""Persons log in with a password, press buttons, and log out, all with plain forms."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.web.site.pages import Html
from windlass import Windlass
from windlass.web import dashboard
from windlass.web.security.security import Security
from windlass.web.security.settings import SecuritySettings
from windlass.web.security.users import password_line, read_users
from windlass.web.site.form_token import PLACE

GIVEN = {"user": "ada", "password": "correct horse"}
OWN = {"Origin": "https://jobs.example", "Sec-Fetch-Site": "same-origin"}


@pytest.fixture
def app() -> Iterator[Windlass]:
    with Windlass("sqlite:///:memory:") as app:
        app.migrate()
        app.enqueue_many([app.request("speak", queue="mail", id="a", args=[PLACE])])
        yield app


@pytest.fixture
def browser(app: Windlass, tmp_path: Path) -> TestClient:
    """Of a person who is not known yet."""
    users = tmp_path / "users"
    users.write_text("\n".join(password_line(name, "operator", GIVEN["password"], log2n=4) for name in ("ada", "bob")))
    settings = SecuritySettings(users=read_users(users), hosts=frozenset({"jobs.example"}))
    site = dashboard(app, security=Security(app, settings))
    return TestClient(site, base_url="https://jobs.example", client=("10.0.0.9", 1), follow_redirects=False)


def token_in(text: str) -> str:
    """What the forms of a page carry: all the same."""
    [token] = {
        attributes["value"] or ""
        for tag, attributes in Html(text).elements
        if tag == "input" and attributes.get("name") == "csrf"
    }
    return token


def test_a_person_logs_in_presses_a_button_and_logs_out(app: Windlass, browser: TestClient) -> None:
    """B20, B21: without scripts; a button of a page works because its form carries the token of the session."""
    asked = browser.get("/queues/mail")
    assert (asked.status_code, asked.headers["location"]) == (303, "/login?next=%2Fqueues%2Fmail")
    form = browser.get(asked.headers["location"])
    assert 'name="next" value="/queues/mail"' in form.text
    assert app.store not in form.text, "a person who is not known learns nothing"
    entered = browser.post("/login", data=GIVEN | {"next": "/queues/mail", "csrf": ""}, headers=OWN)
    assert (entered.status_code, entered.headers["location"]) == (303, "/queues/mail")
    page = browser.get("/queues/mail").text
    token = token_in(page)
    assert token
    assert PLACE not in page
    for wrong in ({}, {"csrf": ""}, {"csrf": token[:-1]}, {"csrf": "é"}):
        assert browser.post("/queues/mail/pause", data=wrong, headers=OWN).status_code == 403, wrong
    assert app.queue("mail").settings().paused_at is None
    paused = browser.post("/queues/mail/pause", data={"csrf": token}, headers=OWN)
    assert (paused.status_code, paused.headers["location"]) == (303, "/queues/mail")
    assert app.queue("mail").settings().paused_at is not None
    assert "Log out" in page
    left = browser.post("/logout", data={"csrf": token}, headers=OWN)
    assert (left.status_code, left.headers["location"]) == (303, "/login")
    assert browser.get("/").headers["location"] == "/login"
    over = browser.post("/queues/mail/resume", data={"csrf": token}, headers=OWN)
    assert over.status_code == 401
    assert "Log in" in over.text


def test_sessions_have_tokens_of_their_own(browser: TestClient) -> None:
    """B21: pages are rendered once for all; the token of one person is never in the page of another."""
    tokens = []
    for user in ("ada", "bob"):
        browser.cookies.clear()
        browser.post("/login", data=GIVEN | {"user": user})
        tokens.append(token_in(browser.get("/queues/mail").text))
    assert len(set(tokens)) == 2


def test_wrong_passwords_are_told_and_counted(browser: TestClient) -> None:
    """B21: the name stays in the form, the password does not; guesses are bounded."""
    wrong = browser.post("/login", data=GIVEN | {"password": "wrong horse", "next": "/jobs"})
    assert (wrong.status_code, wrong.headers.get("set-cookie")) == (401, None)
    assert "the name or the password is wrong" in wrong.text
    assert 'value="ada"' in wrong.text
    assert "wrong horse" not in wrong.text
    assert 'name="next" value="/jobs"' in wrong.text
    for _ in range(9):
        browser.post("/login", data={"user": "nobody", "password": "x" * 8})
    many = browser.post("/login", data=GIVEN)
    assert (many.status_code, "retry-after" in many.headers) == (429, True)
    assert "too many attempts" in many.text


@pytest.mark.parametrize(
    "next",
    ["//evil.example", "https://evil.example", "/\\evil.example", "\t//evil.example", "/\t/evil.example", "evil", ""],
)
def test_a_login_leads_to_no_other_site(browser: TestClient, next: str) -> None:
    """B21: no open redirect, in the form or after it."""
    assert 'name="next" value="/"' in browser.get("/login", params={"next": next}).text
    entered = browser.post("/login", data=GIVEN | {"next": next})
    assert (entered.status_code, entered.headers["location"]) == (303, "/")


def test_another_site_can_neither_log_in_nor_out(browser: TestClient) -> None:
    """B21: login CSRF."""
    evil = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    assert browser.post("/login", data=GIVEN, headers=evil).status_code == 403
    browser.post("/login", data=GIVEN)
    assert browser.post("/logout", headers=evil).status_code == 403
    assert browser.get("/").status_code == 200


def test_without_passwords_there_is_no_login(app: Windlass) -> None:
    client = TestClient(dashboard(app, security=Security(app, SecuritySettings())), follow_redirects=False)
    assert client.get("/").status_code == 401
    for answer in (client.get("/login"), client.post("/login", data=GIVEN)):
        assert answer.status_code == 404
        assert "--password-file" in answer.text


def test_a_form_that_cannot_be_read_changes_nothing(app: Windlass, browser: TestClient) -> None:
    """Neither JSON nor fields that the form does not have, nor broken escapes."""
    browser.post("/login", data=GIVEN)
    token = token_in(browser.get("/queues/mail").text)
    plain = OWN | {"Content-Type": "application/x-www-form-urlencoded"}
    for body, headers, status in (
        (f"csrf={token}&other=x", plain, 400),
        (f"csrf={token}&x=%ff", plain, 400),
        (f"csrf={token}&" + "a=1&" * 3000, plain, 400),
        ('{"a": 1}', OWN | {"Content-Type": "application/json", "X-CSRF-Token": token}, 415),
        ("x" * 70_000, OWN | {"X-CSRF-Token": token}, 413),
    ):
        assert browser.post("/queues/mail/pause", content=body, headers=headers).status_code == status, body[:60]
    assert app.queue("mail").settings().paused_at is None
