"""Schedules on pages: added, edited with a preview, paused with a reason, deleted, back to what the code says."""

from __future__ import annotations

import pytest

from tests.web.http import Admitting
from tests.web.site.pages import Html, Pages
from tests.web.site.test_queue_forms import version_of, wrong_fields
from windlass import Windlass
from windlass.web.security.roles import Identity, Role

pytestmark = pytest.mark.only_on("sqlite")

NEW = {"name": "hourly", "task": "mail.welcome", "every": "1h", "tz": "UTC", "args": "[7]", "tags": "a, b"}


def test_a_schedule_is_added_by_a_form(shop: Pages, app: Windlass) -> None:
    """B16: with what it calls."""
    answer = shop.post("/new/schedule", data=NEW)
    assert (answer.status_code, answer.headers["location"]) == (303, "/schedules/hourly")
    settings = app.schedule("hourly").settings
    assert (settings.args, settings.tags, str(settings.every)) == ((7,), ("a", "b"), "1:00:00")
    assert shop.security.changes == [("ada", "schedule.add", "hourly", 1)]
    assert shop.post("/new/schedule", data=NEW).status_code == 409


def test_a_preview_shows_when_it_would_run_and_changes_nothing(shop: Pages, app: Windlass) -> None:
    """B16: as it is typed, and by a button without scripts; clocks that change are noted."""
    typed = {"cron": "30 2 * * *", "tz": "America/New_York"}
    page = Html(shop.post("/preview/schedule", data=typed).text)
    assert "At 02:30 every day" in page.text
    assert page.text.count("02:30:00 E") + page.text.count("03:00:00 E") == 10
    assert "America/New_York" in page.all("input", "value")
    assert "cron" in Html(shop.post("/preview/schedule", data={"cron": "61 * * * *"}).text).text
    assert shop.security.changes == []
    assert [one.name for one in app.schedules()] == ["nightly"]
    form = shop.read("/new/schedule").all("form", "hx-post")
    assert form == ["/preview/schedule"]


def test_a_schedule_is_edited_unless_it_was_changed_meanwhile(shop: Pages, app: Windlass) -> None:
    """B16: what the form does not change stays, and arguments are never shown."""
    form = shop.read("/schedules/nightly/edit")
    version = version_of(form)
    assert "[7]" not in form.all("input", "value")
    given = {
        "version": version,
        "cron": "0 3 * * *",
        "tz": "Europe/Berlin",
        "overlap": "skip",
        "catch_up": "latest",
        "queue": "mail",
        "priority": "0",
        "attempts": "4",
    }
    assert shop.post("/schedules/nightly/edit", data=given).headers["location"] == "/schedules/nightly"
    settings = app.schedule("nightly").settings
    assert (settings.cron, settings.tz, settings.overlap, settings.args) == ("0 3 * * *", "Europe/Berlin", "skip", (7,))
    late = shop.post("/schedules/nightly/edit", data={**given, "cron": "0 4 * * *"})
    assert late.status_code == 412
    assert app.schedule("nightly").settings.cron == "0 3 * * *"


@pytest.mark.parametrize(
    ("given", "said", "field"),
    [
        ({"cron": "61 * * * *"}, "61", "cron"),
        ({"cron": "", "every": ""}, "cron is missing", "cron"),
        ({"every": "5m"}, "not both", "every"),
        ({"args": "{"}, "args must be a JSON list", "args"),
        ({"priority": "high"}, "priority must be a whole number", "priority"),
        ({"priority": "101"}, "priority must be", "priority"),
        ({"tz": "Mars/Base"}, "Mars/Base", "tz"),
        ({"jitter": "3d"}, "jitter must be at most a day", "jitter"),
        ({"overlap": "maybe"}, "maybe", "overlap"),
        ({"timeout": "soon"}, "soon", "timeout"),
        ({"queue": "no blanks"}, "no blanks", "queue"),
    ],
)
def test_what_is_wrong_is_said_in_the_form(
    shop: Pages, app: Windlass, given: dict[str, str], said: str, field: str
) -> None:
    """B16, B20: beside the field; what was typed stays."""
    version = version_of(shop.read("/schedules/nightly/edit"))
    answer = shop.post("/schedules/nightly/edit", data={"version": version, "cron": "30 2 * * *", **given})
    assert answer.status_code == 422
    page = Html(answer.text)
    assert said in page.text
    assert wrong_fields(page) == [field]
    assert set(given.values()) - {"", "maybe"} <= set(page.all("input", "value"))
    assert app.schedule("nightly").settings.cron == "30 2 * * *"


def test_a_schedule_that_is_added_wrongly_is_shown_again(shop: Pages, app: Windlass) -> None:
    """B16: the arguments that its task wants, a name that is taken."""
    given = {"name": "hourly", "task": "mail.welcome", "every": "1h"}
    answer = shop.post("/new/schedule", data=given)
    assert answer.status_code == 422
    assert wrong_fields(Html(answer.text)) == ["args"]
    taken = shop.post("/new/schedule", data={**given, "name": "nightly", "args": "[7]"})
    assert taken.status_code == 409
    assert wrong_fields(Html(taken.text)) == ["name"]
    assert [schedule.name for schedule in app.schedules()] == ["nightly"]


def test_a_schedule_is_paused_with_a_reason_and_deleted(shop: Pages, app: Windlass) -> None:
    """B16: all that the command line does."""
    shop.post("/schedules/nightly/pause", data={"reason": "month's end"})
    assert "month's end" in shop.read("/schedules/nightly").text
    operator = Pages(app, Admitting(Identity("bob", Role.OPERATOR)))
    assert "/schedules/nightly/delete" not in operator.read("/schedules/nightly").all("form", "action")
    assert shop.post("/schedules/nightly/delete").headers["location"] == "/schedules"
    assert app.schedules() == []


def test_what_the_code_says_holds_again(shop: Pages, app: Windlass) -> None:
    """B16: an operator's change is shown, and taken back by a button."""

    @app.cron("0 6 * * *", name="report")
    def report() -> None: ...

    app.schedule("report").edit(cron="0 7 * * *", by="bob")
    page = shop.read("/schedules/report")
    assert "bob has changed cron" in page.text
    assert "/schedules/report/reset" in page.all("form", "action")
    shop.post("/schedules/report/reset")
    assert app.schedule("report").settings.cron == "0 6 * * *"
