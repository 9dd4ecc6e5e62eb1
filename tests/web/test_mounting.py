"""The API inside another application, under a prefix."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

from tests.web.http import V1, Admitting
from windlass import Windlass
from windlass.web import api

pytestmark = pytest.mark.only_on("sqlite")


async def home(request: Request) -> PlainTextResponse:
    return PlainTextResponse("shop")


def test_it_is_mounted_under_any_prefix(app: Windlass) -> None:
    """Without its lifespan, which Starlette does not run for what is mounted."""
    shop = Starlette(routes=[Route("/", home), Mount("/ops/jobs", api(app, security=Admitting()))])
    with TestClient(shop) as client:
        assert client.get("/").text == "shop"
        made = client.post(f"/ops/jobs{V1}/jobs", json={"task": "mail.welcome", "args": [1]})
        assert made.status_code == 201
        assert client.get(f"/ops/jobs{V1}/jobs/{made.json()['id']}").json()["queue"] == "mail"
        assert client.get(f"/ops/jobs{V1}/openapi.json").json()["servers"] == [{"url": "/ops/jobs"}]
        nowhere = client.get("/ops/jobs/nowhere")
        assert (nowhere.status_code, nowhere.headers["content-type"]) == (404, "application/problem+json")
        assert client.get("/ops/jobs/healthz").text == "ok\n"


def test_without_security_nothing_but_health_is_answered(app: Windlass) -> None:
    client = TestClient(api(app))
    assert client.get("/healthz").status_code == 200
    for path in (f"{V1}/jobs", f"{V1}/queues", f"{V1}/system"):
        assert client.get(path).status_code == 403
    assert client.post(f"{V1}/jobs", json={"task": "mail.welcome", "args": [1]}).status_code == 403
    assert app.counts()["pending"] == 0
