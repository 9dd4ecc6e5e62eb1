"""The table of routes: every row answers as it says, and is documented."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from starlette.responses import Response

from tests.ledger.apps import work
from tests.waiting import eventually
from tests.web.archived import put_aside
from tests.web.http import ANY, Http
from windlass import Windlass
from windlass.testing import ManualClock
from windlass.web.route import PREFIX, Route
from windlass.web.security.roles import Role
from windlass.web.table import ROUTES


def named(route: Route) -> str:
    return f"{route.method} {route.path}"


@pytest.fixture
def shop(app: Windlass, http: Http, clock: ManualClock) -> Http:
    """Jobs in several states, a schedule, a limit, an alert, workers that were lost and live."""
    app.enqueue_many(
        [
            app.request("mail.welcome", [1, "hunter2"], id="done", tags=["vip"], meta={"tenant": "a"}),
            app.request("broken", id="dead"),
            app.request("mail.welcome", [2], id="later", delay="1h"),
        ]
    )
    work(app)
    app.evaluate_alerts()
    app.add_schedule("nightly", "mail.welcome", cron="30 2 * * *", args=[7])
    app.schedule("nightly").run_now()
    app.limit("github").configure(rate="30/min", burst=5)
    app.task(name="rated", rate="30/min")(print)
    app.task_rate("rated").configure(rate="5/s", by="ada")
    app.enqueue_many([app.request("mail.welcome", [1], id=id) for id in ("old", "older")])
    work(app)
    put_aside(app, "old", "older")
    app.queue("mail").configure(weight=3, retention=None, rate="5/s", by="ada")
    app.queue("mail").pause("the provider is down", by="ada")
    app.worker(name="lost", id="1").start()
    http.order("/bulk/cancel", {"ids": ["nowhere"], "id": "change-1"}, status=202)
    eventually(lambda: http.read("/bulk/change-1")["ended_at"])
    return http


NAMES = {
    "jobs": "done",
    "flows": "done",
    "queues": "mail",
    "workers": "lost-1",
    "limits": "github",
    "tasks": "rated",
    "schedules": "nightly",
    "alerts": "01",
    "alert-rules": "dead-letters",
    "bulk": "change-1",
    "archive": "old",
}


def path_of(route: Route) -> str:
    topic = route.path.removeprefix(f"{PREFIX}/").partition("/")[0]
    path = route.path
    for name in route.parameters:
        path = path.replace(f"{{{name}}}", NAMES[topic])
    return path


def test_every_look_answers_what_its_row_says(shop: Http, app: Windlass) -> None:
    """On every store: each field that is sent is in the type, and each field of the type is sent."""
    [worker] = app.workers()
    for route in ROUTES:
        if route.method != "GET":
            continue
        path = path_of(route).replace("lost-1", worker.id)
        answer = shop.get(path, params={"seconds": 0} if route.is_stream else {})
        if route.path == f"{PREFIX}/system/keys" and not app.store.startswith("redis"):
            assert answer.status_code == 409, answer.text
            continue
        assert answer.status_code == 200, (named(route), answer.text)
        if isinstance(route.answer, type) and issubclass(route.answer, Response):
            assert answer.text == "ok\n" or route.path == "/metrics" or route.is_stream
        else:
            value = msgspec.json.decode(answer.content, type=route.answer)
            if not path.endswith("openapi.json"):
                assert_same(msgspec.to_builtins(value), answer.json(), named(route))


def assert_same(typed: Any, sent: Any, where: str) -> None:
    """Fields by fields; a field that is not in the type would be missing in what was read by it."""
    if isinstance(sent, dict):
        assert set(typed) == set(sent), where
        for name in sent:
            assert_same(typed[name], sent[name], f"{where} {name}")
    elif isinstance(sent, list):
        assert len(typed) == len(sent), where
        for index, (one, other) in enumerate(zip(typed, sent, strict=True)):
            assert_same(one, other, f"{where}[{index}]")


@pytest.mark.only_on("sqlite")
def test_every_row_says_who_may_ask_and_what_it_changes() -> None:
    assert len({named(route) for route in ROUTES}) == len(ROUTES)
    for route in ROUTES:
        assert route.summary.endswith("."), named(route)
        assert len(route.summary) < 100, named(route)
        if route.method == "GET":
            assert route.action is None, named(route)
            assert route.role in (None, Role.VIEWER, Role.ADMIN), named(route)
        elif route.role is not None:
            assert route.action is not None, named(route)
            assert route.role in (Role.OPERATOR, Role.ADMIN, Role.WORKER), named(route)
    public = [route.path for route in ROUTES if route.role is None]
    assert public == ["/healthz", "/readyz", f"{PREFIX}/openapi.json", *[f"{PREFIX}/session"] * 2]


@pytest.mark.only_on("sqlite")
def test_security_is_asked_for_the_role_of_the_row(shop: Http) -> None:
    for route in ROUTES:
        shop.security.needed.clear()
        path = path_of(route).replace("{name}", "x") if route.parameters else route.path
        shop.request(route.method, path, params={"seconds": 0} if route.is_stream else {})
        assert shop.security.needed == [route.role], named(route)


NAMES |= {"tokens": "ci", "leases": "done", "duties": "promote", "events": "approved", "dead": "x"}

ORDERS: dict[str, Any] = {
    "POST /jobs": {"task": "mail.welcome", "args": [1]},
    "POST /tokens": {"name": "new", "role": "worker", "queues": ["a"]},
    "POST /dead/mute": {"group": "0123456789ab", "reason": "known"},
    "POST /dead/unmute": {"group": "0123456789ab"},
    "POST /dead/retry": {"ids": ["dead"]},
    "POST /dead/delete": {"filter": {}},
    "POST /bulk/retry": {"filter": {"state": "cancelled"}, "rate": "20/s"},
    "POST /bulk/cancel": {"filter": {"queue": "nowhere"}},
    "POST /bulk/delete": {"ids": ["nowhere"]},
    "POST /jobs/{id}/reschedule": {"delay": "2h"},
    "PATCH /queues/{name}": {"weight": 7},
    "PUT /limits/{name}": {"burst": 7},
    "PUT /tasks/{name}/rate": {"rate": "9/s", "burst": 7},
    "POST /schedules": {"name": "hourly", "task": "mail.welcome", "every": "1h", "args": [1]},
    "PATCH /schedules/{id}": {"cron": "@daily"},
    "POST /alert-rules": {"name": "slow", "expression": "oldest_age > 1h"},
    "PATCH /alert-rules/{name}": {"enabled": False},
    "POST /alert-rules/{name}/silence": {"duration": "2h", "reason": "a drill"},
}
JOBS = {"POST /jobs/{id}/cancel": "later", "POST /jobs/{id}/retry": "waits", "POST /jobs/{id}/fail": "too"}
JOBS["POST /jobs/{id}/reschedule"] = "moves"
LAST = ("DELETE", "purge", "dead/delete")
"""What would leave nothing to the others."""


@pytest.mark.only_on("sqlite")
def test_every_order_works_and_is_kept_in_the_audit(shop: Http, app: Windlass) -> None:
    [worker] = app.workers()
    orders = [route for route in ROUTES if route.action is not None and route.topic != "Leases"]
    app.add_token("ci")
    app.enqueue_many([app.request("mail.welcome", [3], id=id, delay="1h") for id in ("waits", "too", "moves")])
    is_last: Callable[[Route], bool] = lambda route: any(word in named(route) for word in LAST)  # noqa: E731
    for route in sorted(orders, key=is_last):
        short = named(route).replace(PREFIX, "")
        path = path_of(route).replace("lost-1", worker.id)
        path = path.replace("done", JOBS.get(short, "done"))
        if short in ("DELETE /queues/{name}", "POST /bulk/{id}/stop"):
            continue  # its jobs wait; the change is over
        shop.security.changes.clear()
        answer = shop.request(route.method, path, json=ORDERS.get(short), headers=ANY)
        assert answer.status_code in (route.status, 200), (short, answer.text)
        assert [change[:2] for change in shop.security.changes] == [("ada", route.action)], short
        if route.answer is not None:
            value = msgspec.json.decode(answer.content, type=route.answer)
            if "duties" not in short:
                assert_same(msgspec.to_builtins(value), answer.json(), short)
