"""Settings over HTTP: two operators cannot overwrite each other unseen."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ledger.apps import work
from tests.web.http import ANY, V1, Http
from windlass import Throttled, Windlass
from windlass.testing import ManualClock

pytestmark = pytest.mark.only_on("sqlite")

THINGS = [
    ("/queues/mail", "PATCH", {"weight": 3}, {"weight": 4}),
    ("/limits/github", "PUT", {"burst": 3}, {"rate": "9/s"}),
    ("/tasks/rated/rate", "PUT", {"rate": "9/s", "burst": 3}, {"rate": None}),
    ("/schedules/nightly", "PATCH", {"cron": "@daily"}, {"priority": 7}),
]


@pytest.fixture(autouse=True)
def _things(app: Windlass) -> None:
    app.enqueue("mail.welcome", 1)
    app.limit("github").configure(rate="30/min")
    app.task(name="rated", rate="30/min")(print)
    app.add_schedule("nightly", "mail.welcome", cron="30 2 * * *", args=[7])


@pytest.mark.parametrize("thing", THINGS, ids=lambda thing: thing[0])
def test_the_second_of_two_operators_is_told(http: Http, clock: ManualClock, thing: tuple[str, str, Any, Any]) -> None:
    path, method, first, second = thing
    read = http.get(V1 + path).headers["etag"]
    clock.advance("1s")
    done = http.request(method, V1 + path, json=first, headers={"If-Match": read})
    assert done.status_code == 200, done.text
    refused = http.request(method, V1 + path, json=second, headers={"If-Match": read})
    assert (refused.status_code, refused.json()["field"]) == (412, "If-Match")
    tag = done.headers["etag"]
    assert tag == http.get(V1 + path).headers["etag"] != read
    assert http.request(method, V1 + path, json=second, headers={"If-Match": f'"other", {tag}'}).status_code == 200


@pytest.mark.parametrize(("path", "method", "change"), [thing[:3] for thing in THINGS])
def test_a_change_has_to_say_what_it_was_made_for(http: Http, path: str, method: str, change: Any) -> None:
    assert http.request(method, V1 + path, json=change).status_code == 428
    assert http.request(method, V1 + path, json=change, headers=ANY).status_code == 200


def test_a_change_between_the_look_and_the_write_is_found(app: Windlass, clock: ManualClock) -> None:
    """The store compares, not the process that looked."""
    queue, seen = app.queue("mail"), app.queue("mail").settings()
    clock.advance("1s")
    queue.configure(weight=2, by="bob")
    with pytest.raises(Exception, match="changed meanwhile"):
        queue.configure(weight=3, unchanged_since=seen.changed_at)
    limit = app.limit("github")
    before = limit.status().changed_at
    clock.advance("1s")
    limit.configure(burst=2)
    with pytest.raises(Exception, match="changed meanwhile"):
        limit.configure(burst=3, unchanged_since=before)


def test_a_queue_is_set_up(app: Windlass, http: Http) -> None:
    order = {
        "weight": 3,
        "max_running": 8,
        "rate": "30/min",
        "retention": {"completed": "1d", "failed": None},
        "retry": {"attempts": 7},
        "cooldown": {"base": "10s"},
    }
    answer = http.patch(f"{V1}/queues/new", json=order, headers=ANY)
    assert answer.status_code == 200, answer.text
    settings = app.queue("new").settings()
    assert (settings.weight, settings.max_running, settings.rate) == (3, 8, "30/min")
    assert settings.retry is not None
    assert settings.retry.attempts == 7
    assert settings.retention is not None
    assert settings.retention.failed is None
    assert set(answer.json()["changes"]) == {"weight", "max_running", "rate", "retention", "retry", "cooldown"}
    assert http.patch(f"{V1}/queues/new", json={"weight": None}, headers=ANY).json()["weight"] is None
    assert http.patch(f"{V1}/queues/*", json={"max_running": 64}, headers=ANY).json()["max_running"] == 64
    wrong: list[tuple[Any, str | None]] = [({"weight": 0}, "weight"), ({"retry": {"attempts": 0}}, None), ({}, None)]
    for change, field in wrong:
        refused = http.patch(f"{V1}/queues/new", json=change, headers=ANY)
        assert (refused.status_code, refused.json().get("field")) == (400, field)


def test_queues_are_paused_and_emptied(app: Windlass, http: Http) -> None:
    """B10: one queue or all."""
    assert http.order("/queues/mail/pause", {"reason": "down"}) == {"queue": "mail", "paused": True}
    assert http.read("/queues/mail")["paused"]["reason"] == "down"
    assert http.order("/queues/mail/resume") == {"queue": "mail", "paused": False}
    assert http.order("/queues/*/pause") == {"queue": None, "paused": True}
    assert http.read("/queues")["all_paused"]["by"] == "ada"
    http.order("/queues/*/resume")
    assert http.order("/queues/mail/purge") == {"queue": "mail", "deleted": 1, "complete": True}
    assert http.delete(f"{V1}/queues/mail").status_code == 204
    assert http.post(f"{V1}/queues/mial/pause").status_code == 404
    assert http.get(f"{V1}/queues/mial").status_code == 404


def test_a_limit_that_is_new_needs_a_rate(http: Http) -> None:
    assert http.put(f"{V1}/limits/new", json={"burst": 3}, headers=ANY).status_code == 400
    assert http.put(f"{V1}/limits/new", json={"rate": "3/s"}, headers=ANY).json()["rate"] == "3/s"
    assert http.order("/limits/new/drain")["tokens"] == 0
    assert http.delete(f"{V1}/limits/new").status_code == 204
    assert http.get(f"{V1}/limits/new").status_code == 404


def test_the_rate_of_a_task(app: Windlass, http: Http) -> None:
    """C6, C10: seen with what the code says, set, and followed again."""
    path = f"{V1}/tasks/rated/rate"
    given = http.put(path, json={"rate": "9/s"}, headers=ANY).json()
    assert (given["rate"], given["burst"], given["changed_by"], given["cooling"]) == ("9/s", 9, "ada", [])
    [task] = [task for task in http.read("/tasks")["tasks"] if task["name"] == "rated"]
    assert (task["rate"], task["declared_rate"], task["rate_changed_by"]) == ("9/s", "30/min", "ada")
    assert http.put(path, json={"rate": "often"}, headers=ANY).status_code == 400
    assert http.put(path, json={"burst": 3}, headers=ANY).status_code == 400
    assert http.put(path, json={"rate": None}, headers=ANY).json()["rate"] is None
    reset = http.delete(path, headers=ANY).json()
    assert (reset["rate"], reset["changed_by"]) == ("30/min", None)
    refused = http.put(f"{V1}/tasks/mail.welcome/rate", json={"rate": "1/s"}, headers=ANY)
    assert (refused.status_code, "has no rate in the code" in refused.json()["detail"]) == (400, True)
    assert http.get(f"{V1}/tasks/nowhere/rate").status_code == 404
    assert http.post(f"{V1}/tasks/nowhere/resume").status_code == 404


def test_the_cool_down_of_a_task_ends_early(app: Windlass, http: Http) -> None:
    """C7: and is seen with its end."""

    @app.task(name="calls", queue="calls")
    def calls() -> None:
        raise Throttled("slow down", scope="task")

    calls.enqueue()
    work(app)
    [cooling] = http.read("/tasks/calls/rate")["cooling"]
    assert (cooling["name"], cooling["reason"]) == ("calls", "slow down")
    assert http.order("/tasks/calls/resume")["cooling"] == []
    assert app.overview().cooldowns == []


def test_schedules(app: Windlass, http: Http) -> None:
    new = {"name": "hourly", "task": "mail.welcome", "every": "1h", "args": [1]}
    assert http.order("/schedules", new, status=201)["every"] == 3600
    taken = http.post(f"{V1}/schedules", json=new)
    assert (taken.status_code, taken.json()["field"]) == (409, "name")
    assert http.post(f"{V1}/schedules", json={**new, "name": "x", "cron": "@daily"}).status_code == 400
    assert [one["name"] for one in http.read("/schedules", task="mail.welcome")["schedules"]] == ["hourly", "nightly"]
    made = http.order("/schedules/hourly/run", status=201)
    assert app.job(made["id"]).schedule == "hourly"
    assert http.order("/schedules/hourly/pause", {"reason": "August"})["paused"]["reason"] == "August"
    assert http.read("/schedules", enabled=False)["schedules"][0]["name"] == "hourly"
    assert http.order("/schedules/hourly/resume")["state"] == "active"
    assert len(http.read("/schedules/hourly/preview", count=3)["slots"]) == 3
    assert http.delete(f"{V1}/schedules/hourly").status_code == 204
    assert http.get(f"{V1}/schedules/hourly").status_code == 404
