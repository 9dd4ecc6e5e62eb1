"""Secrets that operators type, or that jobs meet, at the exits of the web process."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from tests.web.http import V1, Admitting
from windlass import Windlass
from windlass.web import dashboard

TEXTS = [
    "Authorization: Token hunter22",
    "X-Api-Key: hunter22",
    "password: hunter22",
    "db password = 'hunter22'",
    "postgresql://u:hunter22@h/db",
    "Cookie: sid=hunter22",
    '{"secret": "hunter22 and more',
    "mysqldump --password hunter22 x",
    "ghp_hunter22hunter22hunter22hunter22hunt",
    "-----BEGIN PRIVATE KEY-----\\nhunter22\\n-----END PRIVATE KEY-----",
    "PGPASSWORD=hunter22 psql",
    "client_secret=hunter22&grant_type=x",
]
PATHS = [
    "/",
    "/queues",
    "/queues/mail",
    "/schedules",
    "/schedules/nightly",
    "/alerts/rules",
    "/alerts/rules/deep",
    "/jobs",
]
ROUTES = [
    "overview",
    "queues",
    "queues/mail",
    "schedules",
    "alert-rules",
    "audit",
    "jobs",
    "jobs/secret",
    "jobs/secret/inspect",
]


@pytest.mark.parametrize("text", TEXTS)
def test_what_operators_type_is_shown_without_its_secrets(app: Windlass, text: str) -> None:
    """B21: reasons, descriptions, arguments and metadata, on pages and over HTTP."""
    app.migrate()
    app.enqueue_many(
        [
            app.request(
                "mail.welcome", [{"a": [text]}], {"password": text}, id="secret", queue="mail", meta={"note": text}
            )
        ]
    )
    app.queue("mail").pause(text, by="ada")
    app.add_schedule("nightly", "mail.welcome", every="1h", args=[text]).pause(text, by="ada")
    app.alerts.add_rule("deep", "queue_depth > 10", description=text)
    app.alerts.silence_rule("deep", "2h", reason=text)
    site = TestClient(dashboard(app, security=Admitting()), base_url="http://localhost")
    for path in [*PATHS, *(f"{V1}/{route}" for route in ROUTES)]:
        answer = site.get(path)
        assert answer.status_code == 200, (answer.url, answer.text)
        assert "hunter22" not in answer.text, answer.url
