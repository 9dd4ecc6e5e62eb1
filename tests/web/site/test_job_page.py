"""The page of a job: what it shows, and what can be done there."""

from __future__ import annotations

import json

import pytest

from tests.ledger.apps import work
from tests.web.http import Admitting
from tests.web.site.pages import Html, Pages
from windlass import State, Windlass, new_encryption_key
from windlass.core.fault import Fault
from windlass.web.security.roles import Identity, Role
from windlass.web.site.jobs.tracebacks import traceback_of

pytestmark = pytest.mark.only_on("sqlite")

TRACEBACK = """Traceback (most recent call last):
  File "/srv/shop/billing/capture.py", line 88, in capture
    receipt = gateway.capture(ref)
              ^^^^^^^^^^^^^^^^^^^^
  File "/usr/lib/python3.12/http/client.py", line 9, in post
    send()
  File "/srv/venv/site-packages/sdk/client.py", line 10, in send
    raise TimeoutError("read timed out")
TimeoutError: read timed out
"""


def fault(traceback: str) -> Fault:
    return Fault(at=0, attempt=1, worker="w", type="TimeoutError", message="read timed out", traceback=traceback)


def test_own_frames_are_open_and_libraries_are_folded() -> None:
    """B20."""
    shown = traceback_of(fault(TRACEBACK))
    assert [(part.kind, len(part.frames)) for part in shown.stretches] == [("own", 1), ("library", 2)]
    [own] = shown.stretches[0].frames
    assert (own.place, own.source) == ("shop/billing/capture.py:88 in capture", "receipt = gateway.capture(ref)")
    only_libraries = "\n".join(TRACEBACK.splitlines()[4:])
    assert [part.kind for part in traceback_of(fault(only_libraries)).stretches] == ["library", "own"]
    assert traceback_of(fault("nothing of ours")).stretches[0].text == "nothing of ours"


def test_a_failed_job_shows_its_attempts(shop: Pages) -> None:
    page = shop.read("/jobs/dead")
    assert "Attempt 1" in page.text
    assert "in broken" in page.text
    assert "/jobs?state=failed&task=broken" in "".join(page.all("a", "href"))


def test_a_job_that_will_run_again_leads_to_those_that_failed_alike(app: Windlass, pages: Pages) -> None:
    """B20: by the cause of its newest error; the store keeps that of failed jobs only."""
    app.enqueue_many(
        [
            app.request("broken", ["no user 8"], id="dead"),
            app.request("broken", ["no user 9"], id="again", attempts=2),
            app.request("broken", ["no group"], id="alone", attempts=2),
        ]
    )
    work(app)
    assert app.job("again").state is State.RETRYING
    [group] = app.dead_groups()
    page = pages.read("/jobs/again")
    assert f"/failures/cause?task=broken&cause={group.cause}" in page.all("a", "href")
    assert "1 failed job, ValueError" in page.text
    assert "no job has failed for good with it" in pages.read("/jobs/alone").text
    assert "1 failed job, ValueError" in pages.read("/jobs/dead").text


def test_an_encrypted_job_leads_to_those_that_failed_alike(app: Windlass, pages: Pages) -> None:
    """B25: its cause is kept under a key."""
    app.configure(encryption_keys=[new_encryption_key()])
    ids = {"dead": 1, "again": 2}
    app.enqueue_many([app.request("broken", ["no user 8"], id=id, attempts=number) for id, number in ids.items()])
    work(app)
    assert all("1 failed job" in pages.read(f"/jobs/{id}").text for id in ids)


def test_secrets_are_revealed_to_admins_and_that_is_audited(shop: Pages, app: Windlass) -> None:
    """B21."""
    assert "hunter2" not in shop.get("/jobs/done").text
    assert "/jobs/done/reveal" in shop.read("/jobs/done").all("form", "action")
    answer = shop.post("/jobs/done/reveal")
    assert "hunter2" in answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert Html(answer.text).all("div", "data-stream") == []
    assert shop.security.changes == [("ada", "job.reveal", "done", 1)]
    operator = Pages(app, Admitting(Identity("bob", Role.OPERATOR)))
    assert "/jobs/done/reveal" not in operator.read("/jobs/done").all("form", "action")


def test_arguments_and_errors_are_files(shop: Pages) -> None:
    arguments = shop.get("/jobs/done/arguments.json")
    assert arguments.headers["content-disposition"] == 'attachment; filename="done-arguments.json"'
    assert json.loads(arguments.text)["args"] == [1, "••••"]
    errors = shop.get("/jobs/dead/errors.json").json()
    assert errors["errors"][0]["type"] == "ValueError"
    assert shop.get("/jobs/nowhere/errors.json").status_code == 404


def test_a_job_is_failed_by_hand_with_a_reason(shop: Pages, app: Windlass) -> None:
    assert "without another attempt" in shop.read("/jobs/later/fail").text
    assert shop.post("/jobs/later/fail", data={"reason": "wrong customer"}).headers["location"] == "/jobs/later"
    assert app.job("later").state is State.FAILED
    assert "wrong customer" in shop.read("/jobs/later").text
    assert "cannot be done" in shop.read("/jobs/later/fail").text
    assert shop.post("/jobs/later/fail").status_code == 409


def test_a_job_is_snoozed(shop: Pages, app: Windlass) -> None:
    before = app.job("later").run_at
    assert shop.post("/jobs/later/snooze", data={"delay": "10m", "other": "3d"}).status_code == 303
    assert (app.job("later").run_at - before).days >= 2
    assert shop.post("/jobs/later/snooze").status_code == 400
    assert shop.post("/jobs/later/snooze", data={"other": "soon"}).status_code == 400
    assert shop.post("/jobs/done/snooze", data={"delay": "10m"}).status_code == 409


def test_delete_is_asked_for(shop: Pages, app: Windlass) -> None:
    assert "cannot be undone" in shop.read("/jobs/done/delete").text
    assert app.job("done").state is State.COMPLETED


def test_a_button_of_the_list_leads_back_to_it(shop: Pages) -> None:
    back = shop.post("/jobs/dead/retry", data={"back": "/jobs?state=failed"}).headers["location"]
    assert back == "/jobs?state=failed"
    away = shop.post("/jobs/dead/cancel", data={"back": "//evil.example"}).headers["location"]
    assert away == "/jobs/dead"


def test_a_job_is_made_by_the_form(shop: Pages, app: Windlass) -> None:
    """B20: of a task that the app knows; what is wrong is said at its field."""
    page = shop.read("/enqueue?task=mail.welcome")
    assert "mail.welcome" in page.text
    assert "mail.welcome(user_id: int, password: str = …) -> str" in page.text
    assert "/enqueue?task=mail.welcome" in shop.read("/enqueue").all("a", "href")
    assert "/enqueue?task=mail.welcome" in shop.read("/tasks/mail.welcome").all("a", "href")
    sent = {"task": "mail.welcome", "args": "[7]", "queue": "slow", "delay": "10m", "priority": "5", "tags": "a, b"}
    made = app.job(shop.post("/enqueue", data=sent).headers["location"].removeprefix("/jobs/"))
    assert (made.args, made.queue, made.priority, made.tags) == ((7,), "slow", 5, ("a", "b"))
    assert made.state is State.SCHEDULED
    assert shop.security.changes == [("ada", "job.make", made.id, 1)]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("args", "[7"),
        ("args", '{"a": 1}'),
        ("args", "[1, 2, 3, 4]"),
        ("kwargs", "[]"),
        ("priority", "high"),
        ("priority", "700"),
        ("delay", "soon"),
        ("queue", "no good/"),
        ("task", "unheard.of"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(shop: Pages, app: Windlass, field: str, value: str) -> None:
    count = sum(app.counts().values())
    answer = shop.post("/enqueue", data={"task": "mail.welcome", "args": "[7]", field: value})
    assert answer.status_code in (400, 422), answer.text
    page = Html(answer.text)
    assert f"wrong-{field}" in page.all("span", "id"), page.text
    assert sum(app.counts().values()) == count
    assert [count for *_, count in shop.security.changes] == [0]


def test_a_job_is_run_again_with_other_arguments(shop: Pages, app: Windlass) -> None:
    """B20: a new job; secrets that were left masked are those of the old one; both are linked."""
    page = shop.read("/jobs/done/edit")
    assert "hunter2" not in page.text
    sent = {"args": '[5, "••••"]', "kwargs": "{}", "queue": "mail", "priority": "0", "tags": "vip"}
    again = app.job(shop.post("/jobs/done/edit", data=sent).headers["location"].removeprefix("/jobs/"))
    assert again.args == (5, "hunter2")
    assert again.correlation_id == app.job("done").correlation_id
    assert app.job("done").state is State.COMPLETED
    assert f"/jobs/{again.id}" in shop.read("/jobs/done").all("a", "href")
    assert "/jobs/done" in shop.read(f"/jobs/{again.id}").all("a", "href")
    moved = shop.post("/jobs/done/edit", data=sent | {"args": '["••••", 5]'})
    assert moved.status_code == 400
    assert "a masked value was moved" in Html(moved.text).text


def test_failures_show_what_is_new_and_a_sample(shop: Pages, app: Windlass) -> None:
    page = shop.read("/failures")
    assert "in broken" in page.text
    assert any("in the last 24 hours" in label for label in page.all("svg", "aria-label"))
    viewer = Pages(app, Admitting(Identity("eve", Role.VIEWER)))
    assert "/bulk/begin/retry" not in viewer.read("/failures").all("form", "action")
    work(app)
