"""What can be asked over HTTP; the details are in tests/web."""

from __future__ import annotations

import pytest

from tests.ledger.apps import await_first_beat, work
from tests.waiting import eventually
from tests.web.http import ANY, V1, Http
from tests.web.streams.listening import listening
from windlass import Retry, Windlass
from windlass.testing import ManualClock
from windlass.web.table import ROUTES


@pytest.fixture
def http(app: Windlass) -> Http:
    @app.task(name="mail.welcome", queue="mail")
    def welcome(user_id: int) -> str:
        return f"welcome {user_id}"

    @app.task(name="broken", retry=Retry(attempts=1))
    def broken() -> None:
        raise ValueError("bad")

    return Http(app)


def ids(http: Http, **query: object) -> list[str]:
    return [job["id"] for job in http.read("/jobs", **query)["jobs"]]


def test_jobs_are_made_found_and_steered(app: Windlass, http: Http, clock: ManualClock) -> None:
    """B19: enqueue, filters, pages, detail, timeline, cancel, retry, delete."""
    order = {"task": "mail.welcome", "args": [1], "id": "a", "tags": ["vip"], "meta": {"tenant": "acme", "order": 7}}
    assert http.order("/jobs", order, status=201)["state"] == "pending"
    clock.advance("1h")
    http.order("/jobs", [{"task": "mail.welcome", "args": [n], "id": f"b{n}"} for n in range(3)], status=201)
    assert ids(http, tag="vip") == ids(http, text="ACME") == ids(http, until="30m") == ids(http, id="a") == ["a"]
    assert ids(http, **{"meta.tenant": "acme", "meta.order": "7"}) == ["a"]
    assert ids(http, queue="mail", task="mail.welcome", state="pending", since="30m") == ["b2", "b1", "b0"]
    first = http.read("/jobs", limit=3, count=True)
    assert (len(first["jobs"]), first["count"]) == (3, 4)
    assert ids(http, limit=3, cursor=first["next"]) == ["a"]
    assert http.order("/jobs/b0/cancel")["state"] == "cancelled"
    assert http.delete(f"{V1}/jobs/b1").status_code == 204
    [claimed] = app.claim(1, queues=["mail"])
    clock.advance("1m")
    assert ids(http, running_for="1m") == [claimed.id] == ["a"]
    claimed.discard("broken")
    assert http.order("/jobs/a/retry")["state"] == "pending"
    work(app)
    shown = http.read("/jobs/a")
    assert (shown["state"], shown["result"], shown["meta"]) == ("completed", "welcome 1", order["meta"])
    assert "retried" in [entry["kind"] for entry in http.read("/jobs/a/timeline")["timeline"]]
    conflict = http.post(f"{V1}/jobs/a/cancel")
    assert (conflict.status_code, conflict.headers["content-type"]) == (409, "application/problem+json")
    assert http.get(f"{V1}/jobs/b1").status_code == 404


def test_dead_letters_are_changed_many_at_once(app: Windlass, http: Http) -> None:
    """B19: by filter and by id; what is no dead letter is told."""
    http.order("/jobs", [{"task": "broken", "id": f"{number}"} for number in range(5)], status=201)
    work(app)
    assert http.read("/dead", count=True)["count"] == 5
    [group] = http.read("/dead/groups")["groups"]
    assert group["count"] == 5
    answer = http.order("/dead/delete", {"ids": ["0", "gone"]})
    assert (answer["deleted"], list(answer["errors"])) == (1, ["gone"])
    assert http.order("/dead/retry", {"filter": {"group": group["group"]}, "to_queue": "mail"})["retried"] == 4
    assert (app.counts()["pending"], app.counts()["failed"]) == (4, 0)


def test_queues_are_looked_at_set_up_paused_and_emptied(app: Windlass, http: Http) -> None:
    """B5, B10, B19: a full queue is 429; who paused it and why is shown; two operators do not overwrite each other."""
    first = http.get(f"{V1}/queues/mail")
    assert first.status_code == 404
    http.order(
        "/jobs", [{"task": "mail.welcome", "args": [n], "id": f"{n}", "priority": n} for n in range(3)], status=201
    )
    read = http.get(f"{V1}/queues/mail")
    tag = {"If-Match": read.headers["etag"]}
    assert read.json()["counts"]["pending"] == 3
    assert http.patch(f"{V1}/queues/mail", json={"max_length": 3, "weight": 2}, headers=tag).status_code == 200
    assert http.patch(f"{V1}/queues/mail", json={"weight": 3}, headers=tag).status_code == 412
    full = http.post(f"{V1}/jobs", json={"task": "mail.welcome", "args": [4]})
    assert (full.status_code, full.json()["title"]) == (429, "Queue full")
    assert [job["id"] for job in http.read("/queues/mail/jobs", limit=2)["jobs"]] == ["2", "1"]
    http.order("/queues/mail/pause", {"reason": "the provider is down"})
    paused = http.read("/queues/mail")["paused"]
    assert (paused["by"], paused["reason"]) == ("ada", "the provider is down")
    assert app.claim(1, queues=["mail"]) == []
    http.order("/queues/mail/resume")
    assert http.order("/queues/mail/purge")["deleted"] == 3
    assert http.delete(f"{V1}/queues/mail").status_code == 204
    assert http.read("/queues")["queues"] == []


def test_workers_are_listed_and_asked(app: Windlass, http: Http) -> None:
    """B10, B19: pause and stop reach the worker itself."""
    with app.worker(queues=["mail"], lease="30d") as worker:
        await_first_beat(app)
        [listed] = http.read("/workers", lost=False)["workers"]
        assert http.read("/workers", lost=True)["workers"] == []
        http.order(f"/workers/{listed['id']}/pause")
        eventually(lambda: worker.status().state == "paused", "the worker follows")
        http.order(f"/workers/{listed['id']}/resume")
        eventually(lambda: worker.status().state != "paused", "it goes on")
        assert http.post(f"{V1}/workers/nothing/pause").status_code == 404
        http.order(f"/workers/{listed['id']}/stop")
        eventually(lambda: worker.is_asked_to_stop, "it is asked to stop")


def test_limits_schedules_duties_and_events(app: Windlass, http: Http, clock: ManualClock) -> None:
    """B16, B19, C14: set, drain, add, change, run, delete; each duty says what it did."""
    assert http.put(f"{V1}/limits/github", json={"rate": "30/min", "burst": 5}, headers=ANY).json()["tokens"] == 5
    assert http.order("/limits/github/drain")["tokens"] == 0
    new = {"name": "hourly", "task": "mail.welcome", "args": [1], "every": "1h"}
    assert http.order("/schedules", new, status=201)["state"] == "active"
    tag = {"If-Match": http.get(f"{V1}/schedules/hourly").headers["etag"]}
    assert http.patch(f"{V1}/schedules/hourly", json={"every": "30m"}, headers=tag).json()["every"] == 1800
    assert http.patch(f"{V1}/schedules/hourly", json={"every": "20m"}, headers=tag).status_code == 412
    made = http.order("/schedules/hourly/run", status=201)
    assert app.job(made["id"]).schedule == "hourly"
    assert len(http.read("/schedules/hourly/preview", count=2)["slots"]) == 2
    clock.advance("30m")
    assert [fire["schedule"] for fire in http.order("/duties/fire")["fired"]] == ["hourly"]
    assert http.read("/schedules/hourly/fires")["fires"][0]["outcome"] in ("on_time", "late", "caught_up")
    assert http.delete(f"{V1}/schedules/hourly").status_code == 204
    http.order("/jobs", {"task": "mail.welcome", "args": [1], "delay": "1m"}, status=201)
    clock.advance("1m")
    assert http.order("/duties/promote") == {"duty": "promote", "promoted": 1}
    app.claim(1, queues=["mail"], lease="1m")
    clock.advance("2m")
    assert len(http.order("/duties/rescue")["rescued"]) == 1
    assert http.order("/duties/clean")["deleted"] == 0
    assert http.order("/events/approved-7", {"value": 1}) == {"event": "approved-7"}


def test_the_whole_at_a_glance_and_described_for_programs(app: Windlass, http: Http) -> None:
    """B19: overview, system, tasks; an OpenAPI document."""
    http.order("/jobs", {"task": "mail.welcome", "args": [1]}, status=201)
    seen = http.read("/overview")
    assert (seen["counts"]["pending"], seen["unserved"]) == (1, ["mail"])
    assert http.read("/system")["store"] == app.store
    assert [task["name"] for task in http.read("/tasks")["tasks"]] == ["broken", "mail.welcome"]
    assert f"{V1}/jobs/{{id}}" in http.read("/openapi.json")["paths"]


@pytest.mark.only_on("sqlite")
def test_alerts_and_their_rules(app: Windlass, http: Http) -> None:
    """B19, B22: rules are added and changed; an alert is found, acknowledged and resolved."""
    rule = {"name": "mail-fails", "expression": "dead_letters > 0", "scope": "queue:mail", "severity": "critical"}
    assert http.order("/alert-rules", rule, status=201)["origin"] == "operator"
    tag = {"If-Match": http.get(f"{V1}/alert-rules/mail-fails").headers["etag"]}
    assert http.patch(f"{V1}/alert-rules/mail-fails", json={"severity": "warning"}, headers=tag).status_code == 200
    assert http.patch(f"{V1}/alert-rules/mail-fails", json={"enabled": False}, headers=tag).status_code == 412
    http.order("/jobs", {"task": "broken", "queue": "mail"}, status=201)
    work(app)
    app.evaluate_alerts()
    [fired] = http.read("/alerts", rule="mail-fails", state="firing", acknowledged=False)["alerts"]
    assert http.order(f"/alerts/{fired['id']}/acknowledge")["acknowledged_by"] == "ada"
    assert http.order(f"/alerts/{fired['id']}/resolve")["state"] == "resolved"
    assert http.delete(f"{V1}/alert-rules/mail-fails").status_code == 204


@pytest.mark.only_on("sqlite")
def test_metrics_by_range_step_and_aggregate(app: Windlass, http: Http, clock: ManualClock) -> None:
    """A14, B19: of a queue, a task, by name; each measure as one number where that is asked for."""
    http.order("/jobs", [{"task": "mail.welcome", "args": [n]} for n in range(3)], status=201)
    clock.advance("4s")
    work(app)
    figures = http.read("/metrics", queue="mail", range="10m", step="1m", by="task")
    assert (len(figures["points"]), figures["total"]["counts"]["completed"]) == (10, 3)
    assert (list(figures["by"]), "values" in figures["total"]) == (["mail.welcome"], False)
    values = {
        aggregate: http.read("/metrics", task="mail.welcome", range="10m", aggregate=aggregate)["total"]["values"]
        for aggregate in ("avg", "sum", "p95", "p99")
    }
    assert [each["wait_seconds"] for each in values.values()] == [4, 12, 4, 4]
    assert (values["sum"]["completed"], values["avg"]["attempts"]) == (3, 1)
    for query in ({"aggregate": "p42"}, {"range": "2s"}, {"step": "15s"}):
        answer = http.get(f"{V1}/metrics", params=query)
        assert (answer.status_code, answer.headers["content-type"]) == (400, "application/problem+json")
        assert next(iter(query)) in answer.json()["detail"]


@pytest.mark.asyncio
@pytest.mark.only_on("sqlite")
async def test_what_changes_is_streamed_by_topic_and_a_client_goes_on_where_it_was(app: Windlass, http: Http) -> None:
    """B19: filters, and resume by the id of the last event."""
    async with listening(http, "topics=jobs&queue=mail") as client:
        app.enqueue_many([app.request("broken", id="other"), app.request("mail.welcome", [1], id="first")])
        assert (await client.until("job"))["id"] == "first"
    app.enqueue_many([app.request("mail.welcome", [2], id="while-away")])
    async with listening(http, "topics=jobs&queue=mail", last=client.last) as back:
        assert (await back.until("job"))["id"] == "while-away"


@pytest.mark.only_on("sqlite")
def test_every_route_is_in_the_document(http: Http) -> None:
    """B19: with its parameters, what it answers, and its problems."""
    document = http.read("/openapi.json")
    for route in ROUTES:
        described = document["paths"][route.path][route.method.lower()]
        assert described["summary"]
        assert str(route.status) in described["responses"]
        assert {str(status) for status in route.problems} <= described["responses"].keys()
