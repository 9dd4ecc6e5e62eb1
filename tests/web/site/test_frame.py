"""What is around every page: its size, its files, the command box, times."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

from tests.web.http import Admitting
from tests.web.site.pages import ALL, Pages
from windlass import Windlass
from windlass.web import dashboard
from windlass.web.security.roles import Identity, Role

pytestmark = pytest.mark.only_on("sqlite")

MOST_BYTES = 150_000


def test_a_first_visit_is_small(shop: Pages) -> None:
    """B20: the page as it is, and its scripts and style sheets compressed: at most 150 kB in all."""
    for path in ("/", "/jobs"):
        page = shop.read(path)
        files = [*page.all("script", "src"), *page.all("link", "href")]
        sizes = [len(shop.get(path).content)]
        for file in files:
            answer = shop.get(file)
            assert answer.headers["content-encoding"] == "gzip", file
            assert "immutable" in answer.headers["cache-control"]
            sizes.append(int(answer.headers["content-length"]))
        assert sum(sizes) <= MOST_BYTES, sizes


def test_scripts_find_each_other_by_one_version(shop: Pages) -> None:
    """A script asks for others beside it: the address of all changes when one of them changes."""
    page = shop.read("/")
    scripts = page.all("script", "src")
    versions = {script.split("/")[-2] for script in scripts}
    assert len(versions) == 1
    for script in scripts:
        for other in re.findall(r'from "\./(\w+\.js)"', shop.get(script).text):
            assert shop.get(script.rpartition("/")[0] + "/" + other).status_code == 200, (script, other)


def test_the_command_box_finds_pages_queues_tasks_and_jobs(shop: Pages, app: Windlass) -> None:
    """B20: by a few letters, a dozen at the most; jobs by their id."""

    def found(text: str) -> list[tuple[str, str]]:
        places = shop.get("/commands", params={"text": text}).json()["places"]
        return [(place["kind"], place["path"]) for place in places]

    for number in range(30):
        app.queue(f"many-{number}").pause()
    assert ("page", "/failures") in found("")
    assert ("page", "/queues") in found("QUE")
    assert ("page", "/alerts/rules") in found("rules")
    assert found("unser") == [("queue", "/queues/unserved"), ("search", "/jobs?text=unser")]
    assert ("task", "/tasks/mail.welcome") in found("welc")
    assert found("dead")[0] == ("job, failed", "/jobs/dead")
    assert found("<script>") == [("search", "/jobs?text=%3Cscript%3E")]
    assert len(found("many")) == 12
    assert found("x" * 5000) == [("search", f"/jobs?text={'x' * 200}")]


def test_the_command_box_leads_to_pages_that_are_there(shop: Pages, app: Windlass) -> None:
    """B20: each place that it names can be opened."""
    with app.worker(name="packer", id="1"):
        for text in ("", "a", "mail", "packer"):
            for place in shop.get("/commands", params={"text": text}).json()["places"]:
                assert shop.get(place["path"]).status_code == 200, place


def test_the_command_box_offers_no_form_to_a_viewer(app: Windlass) -> None:
    with TestClient(dashboard(app, security=Admitting(Identity("eve", Role.VIEWER)))) as client:
        paths = {place["path"] for place in client.get("/commands", params={"text": "job"}).json()["places"]}
    assert "/jobs" in paths
    assert "/enqueue" not in paths


def test_times_are_elements_and_never_in_attributes(shop: Pages) -> None:
    """B20: a browser writes them in the zone that was chosen."""
    for path in ALL:
        page = shop.read(path)
        for tag, attributes in page.elements:
            assert not any(value and "<time" in value for value in attributes.values()), (path, tag)
    assert shop.read("/jobs/done").all("time", "datetime")
