"""The pages of the archive."""

from __future__ import annotations

from tests.web.archived import put_aside
from tests.web.site.conftest import HOSTILE
from tests.web.site.pages import Pages
from windlass import Windlass


def test_archived_jobs_are_found_shown_and_put_back(shop: Pages, app: Windlass) -> None:
    """B38: hostile texts are shown as texts."""
    put_aside(app, "done", "dead")
    page = shop.read("/archive")
    assert {"/archive/done", "/archive/dead"} <= set(page.all("a", "href"))
    assert "/archive/dead" not in shop.read("/archive?state=completed").all("a", "href")
    assert "No archived job matches" in shop.read("/archive?task=nothing").text
    assert shop.get("/archive?state=pending").status_code == 400
    shown = shop.get("/archive/dead")
    assert HOSTILE[:10] not in shown.text
    assert "9999 * 9999" in shown.text
    assert len(shop.read("/archive/dead").all("time", "datetime")) == 3
    assert shop.get("/archive/nowhere").status_code == 404
    assert shop.post("/archive/dead/restore").headers["location"] == "/jobs/dead"
    assert app.job("dead").state == "failed"
    assert shop.security.changes[-1][:3] == ("ada", "archive.restore", "dead")


def test_an_archive_that_is_empty_says_how_to_have_one(pages: Pages, app: Windlass) -> None:
    app.enqueue("mail.welcome", 1)
    assert 'Windlass(archive="table")' in pages.read("/archive").text
