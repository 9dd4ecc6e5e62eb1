"""Pages of one worker, of tasks, of limits and of the system: what they show, and what they change."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.ledger.apps import Apps, work
from tests.waiting import eventually
from tests.web.http import Admitting
from tests.web.site.conftest import HOSTILE
from tests.web.site.pages import Html, Pages
from tests.web.site.test_queue_forms import wrong_fields
from windlass import State, Throttled, Windlass, new_encryption_key
from windlass.web.security.roles import Identity, Role

pytestmark = pytest.mark.only_on("sqlite")


@pytest.fixture
def worker_id(app: Windlass) -> Iterator[str]:
    """A worker that is alive."""
    worker = app.worker(name="shop-1", queues=["mail"])
    worker.start()
    [found] = [one for one in app.workers() if one.is_alive]
    yield found.id
    worker.stop()


def test_a_worker_has_a_page(shop: Pages, worker_id: str) -> None:
    """B20: slots, queues, versions, and what can be asked of it."""
    page = shop.read(f"/workers/{worker_id}")
    assert "shop-1" in page.text
    assert "/queues/mail" in page.all("a", "href")
    actions = page.all("form", "action")
    assert {f"/workers/{worker_id}/{order}" for order in ("pause", "stacks", "stop")} <= set(actions)
    assert f"/workers/{worker_id}" in shop.read("/workers").all("a", "href")
    assert shop.get("/workers/nobody").status_code == 404


def test_a_worker_says_where_it_is(shop: Pages, worker_id: str) -> None:
    """B20: as ``windlass workers stacks``."""
    answer = shop.post(f"/workers/{worker_id}/stacks")
    assert answer.status_code == 200, answer.text
    assert "Thread" in Html(answer.text).text or "thread" in Html(answer.text).text
    assert [change[1] for change in shop.security.changes] == ["worker.stacks"]


def test_tasks_show_how_often_they_run_and_fail(shop: Pages, app: Windlass) -> None:
    """B20: with percentiles, and the errors of one."""
    app.roll_up()
    text = shop.read("/tasks").text
    assert "mail.welcome" in text
    assert "100.0%" in text
    assert "ValueError" in shop.read("/tasks/broken").text
    assert shop.get("/tasks/never-heard-of").status_code == 404
    assert shop.get("/tasks?range=2h").status_code == 400


def test_a_task_that_no_worker_knows_is_shown(pages: Pages, app: Windlass) -> None:
    """B31: among the tasks, and in words with its job."""
    app.enqueue_many([app.request("ghost.task", id="stray", queue="mail")])
    with app.worker(queues=["mail"]):
        eventually(lambda: app.job("stray").reason == "unknown_task", "the worker has met it")
        eventually(lambda: "ghost.task" in pages.get("/tasks").text, "the worker has told of it")
        assert "does not know it" in pages.get("/tasks").text
    assert "unknown_task" in pages.read("/jobs/stray").text


def test_what_is_encrypted_is_shown_as_such(new_app: Apps) -> None:
    """B25: by a process that has no key."""
    app = new_app(encryption_keys=[new_encryption_key()])
    app.enqueue_many([app.request("mail.welcome", ["clear-text"], id="locked", meta={"note": "clear-text"})])
    page = Pages(new_app(), Admitting()).read("/jobs/locked")
    assert "encrypted" in page.text
    assert "clear-text" not in page.text


def test_a_search_says_that_encrypted_texts_were_not_searched(new_app: Apps) -> None:
    """B25: where something was found, and where nothing was."""
    app = new_app(encryption_keys=[new_encryption_key()])
    app.enqueue_many([app.request("mail.welcome", ["clear-text"], id=id) for id in ("one", "two")])
    pages = Pages(app, Admitting())
    assert "arguments, metadata and errors of 2 jobs, which are encrypted" in pages.read("/jobs?text=clear-text").text
    assert "arguments, metadata and errors of 1 job, which are encrypted" in pages.read("/jobs?text=two").text
    assert "which are encrypted" not in pages.read("/jobs").text


def test_older_changes_are_a_link_away(shop: Pages, app: Windlass) -> None:
    """B21: keyset pages of the audit; nothing is shown twice or left out."""
    for number in range(120):
        app.record_change(who="ada", via="api", action="queue.pause", target=f"queue-{number:03}")
    seen: list[str] = []
    path: str | None = "/system"
    while path is not None:
        page = shop.read(path)
        seen += re.findall(r"queue-\d{3}", page.text)
        path = next((one["href"] for _, one in page.elements if one.get("rel") == "next"), None)
    assert seen == [f"queue-{number:03}" for number in reversed(range(120))]
    assert shop.get("/system?audit=made-up").status_code == 400


def test_limits_are_set_unless_another_has_changed_them(shop: Pages, app: Windlass) -> None:
    """B20: the form carries the version of what it was read from."""
    assert shop.post("/limits", data={"name": "github", "rate": "30/min"}).headers["location"] == "/limits"
    assert app.limit("github").status().rate == "30/min"
    page = shop.read("/limits")
    [version] = [
        attributes["value"] or ""
        for tag, attributes in page.elements
        if tag == "input" and attributes.get("name") == "version"
    ]
    app.limit("github").configure(rate="5/s", by="bob")
    given = {"name": "github", "rate": "9/s", "version": version}
    assert shop.post("/limits", data=given).status_code == 412
    assert shop.post("/limits", data={"name": "github", "rate": "9/s"}).status_code == 412
    assert app.limit("github").status().rate == "5/s"
    shop.post("/limits/github/drain")
    assert app.limit("github").status().tokens == 0
    shop.post("/limits/github/delete")
    assert app.limits() == []
    assert [change[1] for change in shop.security.changes] == ["limit.set", "limit.drain", "limit.delete"]


@pytest.mark.parametrize(
    ("path", "given", "field"),
    [
        ("/limits", {"name": "github", "rate": "fast"}, "rate"),
        ("/limits", {"name": "git hub", "rate": "1/s"}, "name"),
        ("/limits", {"name": "github", "rate": "1/s", "burst": "few"}, "burst"),
        ("/concurrency", {"task": "sync", "limit": "few"}, "limit"),
        ("/concurrency", {"task": "sync", "limit": "0"}, "limit"),
        ("/tokens", {"name": "", "role": "viewer"}, "name"),
        ("/tokens", {"name": "ci", "expires": "soon"}, "expires"),
        ("/tokens", {"name": "ci", "role": "king"}, "role"),
        ("/tokens", {"name": "ci", "role": "worker"}, "queues"),
    ],
)
def test_a_small_form_is_shown_again_with_what_is_wrong(
    shop: Pages, app: Windlass, path: str, given: dict[str, str], field: str
) -> None:
    """B20: beside the field, on a page of its own; what was typed stays, and nothing is changed."""
    answer = shop.post(path, data=given)
    assert answer.status_code == 422
    page = Html(answer.text)
    assert wrong_fields(page) == [field]
    assert path in page.all("form", "action")
    assert set(given.values()) - {"king", "viewer", "worker", ""} <= set(page.all("input", "value"))
    assert (app.limits(), app.tokens(), shop.security.changes) == ([], [], [])


def test_a_cool_down_of_a_task_ends_early(shop: Pages, app: Windlass) -> None:
    """B20: of a queue, a task or a limit."""

    @app.task(name="calls", queue="calls")
    def calls() -> None:
        raise Throttled("slow down", scope="task")

    held_back = calls.enqueue()
    work(app)
    [cooling] = app.overview().cooldowns
    assert "slow down" in shop.read("/limits").text
    given = {"scope": "task", "name": cooling.stored_name}
    assert shop.post("/cooldowns/end", data=given).headers["location"] == "/limits"
    assert app.overview().cooldowns == []
    assert held_back.refresh().state is State.PENDING, "what waited for it runs now"
    assert shop.post("/cooldowns/end", data=given).status_code == 409
    assert shop.post("/cooldowns/end", data={"scope": "moon", "name": "x"}).status_code == 400


def test_the_rate_of_a_task_is_set(shop: Pages, app: Windlass) -> None:
    """C6, C10: unless another has changed it; and the code decides again."""
    app.task(name="rated", rate="30/min")(print)
    app.task_rate("rated").configure(rate="20/min", by="<b>bob")

    def version() -> str:
        found = [attributes for tag, attributes in shop.read("/tasks/rated").elements if tag == "input"]
        return next(one["value"] or "" for one in found if one.get("name") == "version")

    page, seen = shop.read("/tasks/rated"), version()
    assert "set by <b>bob" in page.text
    assert "the code says 30/min" in page.text
    given = {"version": seen, "rate": "9/s", "burst": "4"}
    assert shop.post("/tasks/rated/rate", data=given).headers["location"] == "/tasks/rated"
    assert (app.task_rate("rated").settings().rate, app.task_rate("rated").settings().burst) == ("9/s", 4)
    assert shop.post("/tasks/rated/rate", data=given).status_code == 412
    assert shop.post("/tasks/rated/rate", data={"version": version()}).status_code == 400
    shop.post("/tasks/rated/rate", data={"version": version(), "rate": "9/s", "unlimited": "yes"})
    assert app.task_rate("rated").settings().rate is None
    shop.post("/tasks/rated/rate/reset", data={"version": version()})
    assert (app.task_rate("rated").settings().rate, app.task_rate("rated").settings().changed_by) == ("30/min", None)
    assert [change[1] for change in shop.security.changes] == ["task.rate", "task.rate", "task.rate.reset"]


def test_the_concurrency_of_a_task_is_set(shop: Pages, app: Windlass) -> None:
    """B20: blank lets the code decide again."""
    shop.post("/concurrency", data={"task": "sync", "limit": "3"})
    assert app.concurrency("sync").settings().limit == 3
    assert "sync" in shop.read("/limits").text
    shop.post("/concurrency", data={"task": "sync", "limit": ""})
    assert app.concurrency("sync").settings().changed_by is None


def test_a_token_is_shown_once_and_revoked(shop: Pages, app: Windlass) -> None:
    """B21: admins alone see tokens and who changed what."""
    answer = shop.post("/tokens", data={"name": "ci", "role": "viewer", "expires": "90d"})
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    text = answer.text.partition('aria-label="The token">')[2].partition("<")[0]
    assert len(text) > 20
    assert text not in shop.get("/system").text
    assert "/tokens/ci/revoke" in shop.read("/system").all("form", "action")
    shop.post("/tokens/ci/revoke")
    [token] = app.tokens()
    assert token.state == "revoked"
    assert shop.post("/tokens/nobody/revoke").status_code == 404
    operator = Pages(app, Admitting(Identity("bob", Role.OPERATOR)))
    page = operator.read("/system")
    assert "Tokens" not in page.text
    assert "Who changed what" not in page.text


def test_the_system_page_has_all_settings_in_one_place(shop: Pages, app: Windlass, worker_id: str) -> None:
    """B20: store, queues, workers side by side, audit."""
    app.record_change(who=HOSTILE[:64], via="cli", action="queue.pause", target=HOSTILE)
    app.queue("mail").configure(max_running=7, by="bob")
    text = shop.read("/system").text
    for said in ("shop-1", "bob", "7", "Answers in", "queue.pause", "unserved"):
        assert said in text
