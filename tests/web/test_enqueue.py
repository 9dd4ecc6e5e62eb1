"""New jobs over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from tests.web.http import V1, Admitting, Http
from windlass import Windlass
from windlass.web.security.roles import Identity, Role

pytestmark = pytest.mark.only_on("sqlite")


def test_a_job_has_all_its_options(app: Windlass, http: Http) -> None:
    made = http.order(
        "/jobs",
        {
            "task": "mail.welcome",
            "args": [1],
            "kwargs": {"password": "x"},
            "queue": "vip",
            "priority": 5,
            "attempts": 2,
            "timeout": "30s",
            "delay": "10m",
            "id": "welcome-1",
            "unique": "user-1",
            "tags": ["new"],
            "correlation_id": "request-7",
            "meta": {"tenant": "a"},
        },
        status=201,
    )
    assert made == {"id": "welcome-1", "state": "scheduled", "duplicate": False, "replaced": False}
    job = app.job("welcome-1")
    assert (job.queue, job.priority, job.max_attempts, job.record.timeout) == ("vip", 5, 2, 30_000)
    assert (job.args, job.kwargs, job.tags, job.meta) == ((1,), {"password": "x"}, ("new",), {"tenant": "a"})
    assert (job.correlation_id, (job.run_at - job.created_at).total_seconds()) == ("request-7", 600)


def test_the_same_id_twice_is_one_job(http: Http) -> None:
    order = {"task": "mail.welcome", "args": [1], "id": "once"}
    assert http.order("/jobs", order, status=201)["duplicate"] is False
    assert http.order("/jobs", order, status=200)["duplicate"] is True
    other = http.post(f"{V1}/jobs", json={**order, "args": [2]})
    assert (other.status_code, other.json()["title"]) == (409, "Id conflict")


def test_a_list_is_stored_whole_or_not_at_all(app: Windlass, http: Http) -> None:
    jobs = http.order("/jobs", [{"task": "mail.welcome", "args": [n], "id": f"{n}"} for n in range(3)], status=201)
    assert [job["id"] for job in jobs] == ["0", "1", "2"]
    assert http.security.changes == [("ada", "job.enqueue", "0 2", 3)]
    answer = http.post(f"{V1}/jobs", json=[{"task": "mail.welcome", "args": [9]}, {"task": "nothing"}])
    assert (answer.status_code, answer.json()["field"]) == (422, "[1].task")
    app.queue("small").configure(max_length=1)
    answer = http.post(f"{V1}/jobs", json=[{"task": "mail.welcome", "args": [9], "queue": "small"}] * 2)
    assert (answer.status_code, answer.json()["title"]) == (429, "Queue full")
    assert answer.headers["retry-after"]
    assert sum(app.counts().values()) == 3


@pytest.mark.parametrize(
    ("order", "status", "field"),
    [
        ({}, 400, "task"),
        ({"task": 7}, 400, "task"),
        ({"task": "mail.welcome", "color": "red"}, 400, "color"),
        ({"task": "mail.welcome", "args": [1], "priority": 900}, 400, "priority"),
        ({"task": "mail.welcome", "args": [1], "delay": "soon"}, 400, "delay"),
        ({"task": "mail.welcome", "args": [1], "at": "2026-11-16T09:30:00"}, 400, "at"),
        ({"task": "mail.welcome", "args": [1], "delay": 1, "at": "2026-11-16T09:30:00Z"}, 400, "delay"),
        ({"task": "mail.welcome", "args": [1], "queue": "a b"}, 400, "queue"),
        ({"task": "mail.welcome", "args": [1], "id": "a\nb"}, 400, "id"),
        ({"task": "mail.welcome", "args": [1], "id": "x" * 129}, 400, "id"),
        ({"task": "mail.welcome", "args": [1], "tags": ["x" * 129]}, 400, "tags"),
        ({"task": "mail.welcome", "args": [1], "concurrency_key": "x" * 257}, 400, "concurrency_key"),
        ({"task": "mail.welcome", "args": [1, 2, 3, 4]}, 422, "args"),
        ({"task": "mail.welcom", "args": [1]}, 422, "task"),
        ({"task": "os.system", "args": ["ls"]}, 422, "task"),
    ],
)
def test_what_is_wrong_is_named(app: Windlass, http: Http, order: Any, status: int, field: str) -> None:
    answer = http.post(f"{V1}/jobs", json=order)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    problem = answer.json()
    assert (problem["status"], problem["field"]) == (status, field), problem
    assert problem["detail"]
    assert sum(app.counts().values()) == 0


def test_what_is_too_large_is_413(app: Windlass, http: Http) -> None:
    answer = http.post(f"{V1}/jobs", json={"task": "mail.welcome", "args": ["x" * 1_100_000]})
    assert (answer.status_code, answer.json()["title"]) == (413, "Too large")
    answer = http.post(f"{V1}/jobs", content=b" " * 9_000_000, headers={"Content-Type": "application/json"})
    assert answer.status_code == 413


def test_a_worker_enqueues_into_its_own_queues_only(app: Windlass) -> None:
    worker = Identity("render", Role.WORKER, queues=frozenset({"mail"}))
    http = Http(app, Admitting(worker))
    http.order("/jobs", {"task": "mail.welcome", "args": [1]}, status=201)
    assert http.post(f"{V1}/jobs", json={"task": "broken"}).status_code == 403
    assert http.post(f"{V1}/jobs", json={"task": "mail.welcome", "args": [1], "queue": "vip"}).status_code == 403
    command = {"task": "windlass.command", "args": [["ls"]], "queue": "mail"}
    assert http.post(f"{V1}/jobs", json=command).status_code in (400, 403, 422)
    assert app.counts()["pending"] == 1
