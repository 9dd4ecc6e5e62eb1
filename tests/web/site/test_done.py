"""What a button has done is told on the next page, with the way back."""

from __future__ import annotations

import pytest

from tests.web.site.conftest import HOSTILE
from tests.web.site.pages import Html, Pages
from windlass import State, Windlass

pytestmark = pytest.mark.only_on("sqlite")


def follow(pages: Pages, path: str, **fields: str) -> str:
    """Press a button and read the page it leads to."""
    answer = pages.post(path, data=fields)
    assert answer.status_code == 303, answer.text
    return pages.get(answer.headers["location"]).text


def take_back(pages: Pages, text: str) -> str:
    """Press the button that the page offers."""
    form = Html(text[text.index('class="toasts"') : text.index('id="spoken"')])
    hidden = [field for tag, field in form.elements if tag == "input"]
    fields = {field["name"] or "": field["value"] or "" for field in hidden if field["name"] != "csrf"}
    return follow(pages, form.all("form", "action")[0], **fields)


def test_a_change_is_told_once_and_can_be_taken_back(shop: Pages, app: Windlass) -> None:
    """B20: undo where it can be, also without scripts."""
    text = follow(shop, "/queues/mail/resume")
    assert "Queue mail goes on." in text
    assert 'class="toasts"' not in shop.get("/queues/mail").text
    assert "Queue mail is paused." in take_back(shop, text)
    assert app.queue("mail").settings().paused_reason == HOSTILE
    follow(shop, "/schedules/nightly/pause", reason="no mail today")
    text = follow(shop, "/schedules/nightly/resume")
    take_back(shop, text)
    assert app.schedule("nightly").record.paused_reason == "no mail today"
    text = follow(shop, "/alerts/rules/deep/disable")
    assert "Rule deep is on." in take_back(shop, text)


def test_a_job_that_was_cancelled_can_be_had_back(shop: Pages, app: Windlass) -> None:
    """From the list, which stays as it was; what was deleted is gone."""
    text = follow(shop, "/jobs/later/cancel", back="/jobs?queue=mail")
    assert "Job …later is cancelled." in text
    assert "<h1>Jobs</h1>" in take_back(shop, text)
    assert app.job("later").state is State.PENDING
    text = follow(shop, "/jobs/later/delete")
    assert "Job …later is deleted." in text
    assert 'id="undo"' not in text


def test_only_what_we_wrote_is_told(shop: Pages) -> None:
    """B22: the cookie is signed, is not read by scripts, and is gone after one page."""
    answer = shop.post("/queues/mail/resume")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    shop.cookies.clear()
    shop.cookies.set("windlass-done", cookie.partition("=")[2].partition(";")[0][:-2] + "AA")
    assert 'class="toasts"' not in shop.get("/queues").text
