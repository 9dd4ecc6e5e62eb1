"""The examples that bring the dashboard into an application of one's own run, and every link honours their prefix."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from wsgiref.util import setup_testing_defaults

import pytest
from starlette.testclient import TestClient

from tests.ledger.apps import work
from tests.web.site.pages import Html
from windlass import Windlass

pytestmark = pytest.mark.only_on("sqlite")

EXAMPLES = Path(__file__).parents[2] / "examples"
PREFIX = "/ops/jobs"
ADDRESSES = (
    ("a", "href"),
    ("link", "href"),
    ("script", "src"),
    ("form", "action"),
    ("button", "formaction"),
    ("body", "data-base"),
    ("div", "data-stream"),
    ("div", "data-page"),
    ("dialog", "data-address"),
)
"""Where elements have addresses, for browsers and for scripts."""
PAGES = ("/", "/jobs", "/jobs/later", "/queues/default", "/schedules/nightly", "/system", "/alerts/rules")


def load(name: str) -> Any:
    """An example as a module."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def mounted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """The application of the Starlette example, with jobs, and a browser that has not logged in."""
    monkeypatch.setenv("WINDLASS_URL", f"sqlite:///{tmp_path}/jobs.db")
    monkeypatch.setenv("STAFF_PASSWORD", "correct horse")
    example = load("starlette_dashboard")
    app: Windlass = example.app
    example.greet.enqueue("ada")
    work(app)
    app.enqueue_many([example.greet.options(id="later", delay="1h", tags=["vip"]).request("grace")])
    app.add_schedule("nightly", example.greet, cron="30 2 * * *", args=["joan"])
    app.queue("default").pause("deploy", by="ada")
    yield TestClient(example.site, base_url="http://localhost", follow_redirects=False)
    app.close()


def test_the_dashboard_is_mounted_for_those_who_have_logged_in(mounted: TestClient) -> None:
    """B20: the application says who looks."""
    assert mounted.get(f"{PREFIX}/").status_code == 401
    assert mounted.post("/login", data={"name": "eve", "password": "guess"}).status_code == 401
    assert mounted.post("/login", data={"name": "ada", "password": "correct horse"}).headers["location"] == "/"
    assert f"{PREFIX}/" in Html(mounted.get("/").text).all("a", "href")
    assert mounted.get(f"{PREFIX}/").status_code == 200
    resumed = mounted.post(f"{PREFIX}/queues/default/resume")
    assert (resumed.status_code, resumed.headers["location"]) == (303, f"{PREFIX}/queues/default")
    assert mounted.post(f"{PREFIX}/queues/default/resume", headers={"origin": "http://evil.example"}).status_code == 403


def test_every_link_of_a_mounted_dashboard_honours_the_prefix(mounted: TestClient) -> None:
    """B20: from page to page, as far as links lead."""
    mounted.post("/login", data={"name": "ada", "password": "correct horse"})
    left, seen = [f"{PREFIX}/"], {f"{PREFIX}/"}
    while left:
        path = left.pop()
        answer = mounted.get(path)
        assert answer.status_code == 200, path
        if not answer.headers["content-type"].startswith("text/html"):
            continue
        page = Html(answer.text)
        found = [one for tag, name in ADDRESSES for one in page.all(tag, name)]
        # One that begins with a question mark leads to the same page.
        assert [one for one in found if not one.startswith((f"{PREFIX}/", "#", "?"))] == [], path
        for link in page.all("a", "href"):
            place = urlsplit(link).path
            if place and place not in seen:
                seen.add(place)
                left.append(link.partition("#")[0])
    assert {PREFIX + path for path in PAGES} <= seen


def test_a_wsgi_application_links_to_a_dashboard_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOBS_URL", "https://jobs.example.com/")
    example = load("wsgi_link")
    environ: dict[str, Any] = {}
    setup_testing_defaults(environ)
    answered: list[str] = []
    [text] = example.application(environ, lambda status, headers: answered.append(status))
    assert answered == ["200 OK"]
    assert Html(text.decode()).all("a", "href") == ["https://jobs.example.com/jobs?tag=order-7"]
    assert example.job_link("a/b") == "https://jobs.example.com/jobs/a%2Fb"
