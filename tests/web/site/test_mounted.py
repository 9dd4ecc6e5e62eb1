"""The dashboard inside an application of FastAPI or Starlette, under a prefix."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount

from tests.web.site.pages import ALL, Html, Pages
from windlass import Windlass
from windlass.web import Identity, Role, dashboard
from windlass.web.server import Server

pytestmark = pytest.mark.only_on("sqlite")

TEAM = {"x-team": "shop"}


async def stamped(request: Request, call_next: RequestResponseEndpoint) -> Response:
    """Middleware as ``@site.middleware("http")`` declares it: it passes bodies on piece by piece."""
    answer = await call_next(request)
    answer.headers["x-shop"] = "yes"
    return answer


def who(request: Request) -> Identity | None:
    return Identity("ada", Role.OPERATOR) if request.headers.get("x-team") == "shop" else None


def in_starlette(app: Windlass) -> Starlette:
    site = Starlette()
    site.mount("/jobs", dashboard(app, auth=who))
    return site


def in_fastapi(app: Windlass) -> FastAPI:
    """With a route of its own, whose path begins as the mount does."""
    site = FastAPI()

    @site.get("/jobs-of-ours")
    async def ours() -> dict[str, str]:
        return {"shop": "open"}

    site.mount("/jobs", dashboard(app, auth=who))
    return site


def in_a_mounted_fastapi(app: Windlass) -> Starlette:
    """Two prefixes, one below the other."""
    return Starlette(routes=[Mount("/shop", in_fastapi(app))])


HOSTS: dict[str, tuple[Callable[[Windlass], Starlette], str]] = {
    "starlette": (in_starlette, ""),
    "fastapi": (in_fastapi, ""),
    "mounted fastapi": (in_a_mounted_fastapi, "/shop"),
}


@pytest.fixture(params=HOSTS)
def address(request: pytest.FixtureRequest, app: Windlass, shop: Pages) -> Iterator[str]:
    """Where the host is served, and below which path."""
    host_of, prefix = HOSTS[request.param]
    site = host_of(app)
    site.add_middleware(BaseHTTPMiddleware, dispatch=stamped)
    with Server(site, host="127.0.0.1", port=0).in_background() as address:
        yield address + prefix


def test_pages_are_there_under_the_prefix(address: str) -> None:
    """B20: every link of every page that an operator sees stays under it."""
    prefix = f"{urlsplit(address).path}/jobs"
    for path in ALL:
        if path == "/jobs/dead/delete" or path.startswith("/bulk/begin/delete"):
            continue  # for admins alone
        status, headers, text = ask(address, f"{prefix}{path}")
        assert (status, headers["x-shop"]) == (200, "yes"), (path, text[:300])
        page = Html(text)
        links = page.all("a", "href") + page.all("form", "action") + page.all("script", "src")
        for link in [*links, *page.all("link", "href"), *page.all("div", "data-stream")]:
            assert link.startswith((f"{prefix}/", "#", "?")), (path, link)
    assert ask(address, page.all("script", "src")[0])[0] == 200


def test_a_host_keeps_its_own_routes(app: Windlass, shop: Pages) -> None:
    with Server(in_fastapi(app), host="127.0.0.1", port=0).in_background() as address:
        assert ask(address, "/jobs-of-ours")[2] == '{"shop":"open"}'
        assert ask(address, "/openapi.json")[0] == ask(address, "/jobs/api/v1/openapi.json")[0] == 200
        assert "/jobs-of-ours" in ask(address, "/openapi.json")[2]


def test_who_is_not_known_is_refused(address: str) -> None:
    prefix = f"{urlsplit(address).path}/jobs"
    assert ask(address, f"{prefix}/", {})[0] == 401
    assert ask(address, f"{prefix}/healthz", {})[0] == 200


def test_a_page_is_brought_up_to_date_through_the_middleware_of_the_host(address: str, app: Windlass) -> None:
    """The stream is passed on event by event."""
    prefix = f"{urlsplit(address).path}/jobs"
    connection = connected(address)
    connection.request("GET", f"{prefix}/live/jobs/later", headers=TEAM)
    answer = connection.getresponse()
    assert (answer.status, answer.headers["content-type"].split(";")[0]) == (200, "text/event-stream")
    while b"scheduled" not in answer.readline():
        pass
    app.job("later").cancel()
    while b"cancelled" not in answer.readline():
        pass
    connection.close()


def test_a_button_leads_back_under_the_prefix(address: str, app: Windlass) -> None:
    prefix = f"{urlsplit(address).path}/jobs"
    connection = connected(address)
    connection.request("POST", f"{prefix}/jobs/later/cancel", headers={**TEAM, "Sec-Fetch-Site": "same-origin"})
    answer = connection.getresponse()
    assert (answer.status, answer.headers["location"]) == (303, f"{prefix}/jobs/later")
    assert app.job("later").state == "cancelled"
    connection.close()


def ask(address: str, path: str, headers: dict[str, str] = TEAM) -> tuple[int, dict[str, str], str]:
    connection = connected(address)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    found = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read().decode()
    connection.close()
    return found


def connected(address: str) -> HTTPConnection:
    place = urlsplit(address)
    return HTTPConnection(place.hostname or "", place.port, timeout=30)
