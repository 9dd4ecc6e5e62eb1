"""Queues on pages: pause with a reason, settings that are not overwritten unseen, purge by typing the name."""

from __future__ import annotations

import pytest

from tests.web.http import Admitting
from tests.web.site.pages import Html, Pages
from windlass import Windlass
from windlass.web.security.roles import Identity, Role

pytestmark = pytest.mark.only_on("sqlite")


def version_of(page: Html) -> str:
    [version] = [
        attributes["value"] or ""
        for tag, attributes in page.elements
        if tag == "input" and attributes.get("name") == "version"
    ]
    return version


def wrong_fields(page: Html) -> list[str]:
    """The fields of a form beside which it says what is wrong."""
    ids = [one["id"] or "" for tag, one in page.elements if tag == "span" and one.get("class") == "field-error"]
    marked = [one["name"] or "" for tag, one in page.elements if one.get("aria-invalid") == "true"]
    assert ids == [f"w-{name}" for name in marked]
    return marked


def test_a_queue_is_paused_with_a_reason_that_all_see(shop: Pages) -> None:
    """B10: who and why."""
    shop.post("/queues/unserved/pause", data={"reason": "disk full on media-1"})
    for path in ("/queues/unserved", "/queues"):
        assert "disk full on media-1" in shop.get(path).text
    assert "by ada" in shop.read("/queues/unserved").text


def test_all_queues_are_paused_and_resumed_together(shop: Pages, app: Windlass) -> None:
    """B10: everything at once, in two clicks."""
    answer = shop.post("/queues/*/pause", data={"reason": "moving house"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/queues")
    assert app.overview().everywhere.paused_reason == "moving house"
    assert "moving house" in shop.read("/queues").text
    shop.post("/queues/*/resume")
    assert app.overview().everywhere.paused_at is None


def test_settings_are_changed_and_say_who_did_it(shop: Pages, app: Windlass) -> None:
    """B20: only what says something else is changed; the rest follows the code."""
    version = version_of(shop.read("/queues/mail/settings"))
    form = {"version": version, "max_running": "8", "rate": "30/min", "cooldown": "10s..5m", "keep_failed": "forever"}
    assert shop.post("/queues/mail/settings", data=form).headers["location"] == "/queues/mail"
    settings = app.queue("mail").settings()
    assert (settings.max_running, settings.rate, settings.weight) == (8, "30/min", None)
    assert settings.retention is not None
    assert settings.retention.failed is None
    assert set(settings.changes) == {"max_running", "rate", "cooldown", "retention"}
    assert "set by ada" in shop.read("/queues/mail").text
    shop.post("/queues/mail/reset", data={"setting": "max_running"})
    assert app.queue("mail").settings().max_running is None


def test_two_operators_do_not_overwrite_each_other_unseen(shop: Pages, app: Windlass) -> None:
    """B20: the form carries the version of what it was read from."""
    version = version_of(shop.read("/queues/mail/settings"))
    app.queue("mail").configure(weight=5, by="bob")
    answer = shop.post("/queues/mail/settings", data={"version": version, "weight": "9"})
    assert answer.status_code == 412
    page = Html(answer.text)
    assert "it was changed since it was read" in page.text
    assert "9" in page.all("input", "value")
    assert app.queue("mail").settings().weight == 5
    assert shop.security.changes == []


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("max_running", "many", "max_running must be a whole number"),
        ("max_running", "0", "at least 1"),
        ("weight", "-3", "weight must be"),
        ("rate", "fast", "fast"),
        ("cooldown", "60s", "cooldown must look like"),
        ("keep_failed", "soon", "soon"),
        ("attempts", "0", "attempts must be"),
        ("retry_base", "soon", "soon"),
        ("keep_at_most", "-1", "at_most"),
    ],
)
def test_what_is_wrong_is_said_in_the_form(shop: Pages, app: Windlass, field: str, text: str, said: str) -> None:
    """B20: what was typed stays; nothing is half done."""
    before = app.queue("mail").settings()
    version = version_of(shop.read("/queues/mail/settings"))
    answer = shop.post("/queues/mail/settings", data={"version": version, field: text})
    assert answer.status_code == 422
    page = Html(answer.text)
    assert said in page.text
    assert text in page.all("input", "value")
    assert wrong_fields(page) == [field], "beside the field"
    assert app.queue("mail").settings() == before


def test_a_purge_needs_the_name_of_the_queue(shop: Pages, app: Windlass) -> None:
    """B20: typed by an admin; the page says how many jobs were deleted."""
    refused = shop.post("/queues/unserved/purge", data={"name": "mail"})
    assert refused.status_code == 422
    assert wrong_fields(Html(refused.text)) == ["name"]
    assert app.queue("unserved").length == 1
    answer = shop.post("/queues/unserved/purge", data={"name": "unserved"})
    assert answer.headers["location"] == "/queues/unserved?purged=1"
    assert app.queue("unserved").length == 0
    assert "1 jobs were deleted" in shop.read(answer.headers["location"]).text
    assert shop.security.changes == [("ada", "queue.purge", "unserved", 1)]


def test_only_admins_are_offered_a_purge(app: Windlass, shop: Pages) -> None:
    operator = Pages(app, Admitting(Identity("bob", Role.OPERATOR)))
    actions = operator.read("/queues/unserved").all("form", "action")
    assert "/queues/unserved/pause" in actions
    assert "/queues/unserved/purge" not in actions


def test_a_queue_names_the_tasks_that_fail(shop: Pages, app: Windlass) -> None:
    """B20: with the distribution of states, what is next and who serves it."""
    app.roll_up()
    page = shop.read("/queues/default")
    assert "broken" in page.text
    assert "States: 1 failed" in page.all("svg", "aria-label")
    assert "Jobs a second: 1 arrived, 0 completed and 1 failed" in page.all("svg", "aria-label")


def test_an_unserved_queue_is_red_and_says_what_to_start(shop: Pages) -> None:
    """C2."""
    assert "windlass worker -q unserved" in shop.read("/queues/unserved").text
    assert "no worker serves this queue" in shop.read("/queues").all("span", "title")
