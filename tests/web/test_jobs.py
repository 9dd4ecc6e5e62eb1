"""Jobs over HTTP: lists, filters, cursors, details, changes of one job."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ledger.apps import work
from tests.web.http import V1, Http
from windlass import Windlass, new_encryption_key
from windlass.testing import ManualClock

pytestmark = pytest.mark.only_on("sqlite")


@pytest.fixture(autouse=True)
def _jobs(app: Windlass, clock: ManualClock) -> None:
    app.enqueue_many(
        [
            app.request(
                "mail.welcome",
                [1],
                {"password": "hunter2"},
                id="done",
                tags=["vip"],
                meta={"tenant": "a", "plan": "Pro"},
            ),
            app.request("broken", ["KeyError 7"], id="dead", meta={"tenant": 7, "api_key": "t0p"}),
        ]
    )
    work(app)
    clock.advance("1h")
    app.enqueue_many([app.request("mail.welcome", [number], id=f"new-{number}") for number in range(3)])


def ids(page: Any) -> list[str]:
    return [job["id"] for job in page["jobs"]]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"state": "failed"}, ["dead"]),
        ({"queue": "default"}, ["dead"]),
        ({"task": "mail.welcome", "until": "30m"}, ["done"]),
        ({"since": "30m"}, ["new-2", "new-1", "new-0"]),
        ({"since": "1d", "until": "30m ago"}, ["dead", "done"]),
        ({"text": "keyerror"}, ["dead"]),
        ({"text": "PRO"}, ["done"]),
        ({"text": "t0p"}, []),
        ({"text": '"password":"h'}, []),
        ({"text": "hunter2"}, []),
        ({"tag": "vip"}, ["done"]),
        ({"meta.tenant": "a"}, ["done"]),
        ({"meta.tenant": "7"}, ["dead"]),
        ({"meta.api_key": "t0p"}, []),
        ({"arg.user_id": "1", "until": "30m"}, ["done"]),
        ({"arg.user_id": "2"}, ["new-2"]),
        ({"arg.user_id": "1", "meta.tenant": "a"}, ["done"]),
        ({"arg.user_id": "22"}, []),
        ({"arg.nothing": "1"}, []),
        ({"reason": "attempts"}, ["dead"]),
        ({"id": "new-1"}, ["new-1"]),
        ({"id": "new-1", "state": "failed"}, []),
        ({"id": "nothing"}, []),
    ],
)
def test_filters(http: Http, query: dict[str, str], found: list[str]) -> None:
    page = http.read("/jobs", **query, count=True)
    assert (ids(page), page["next"], page["count"]) == (found, None, len(found))


def test_changes_of_many_cannot_be_used_to_guess_what_is_masked(http: Http) -> None:
    for filter in ({"text": "t0p"}, {"meta": {"api_key": "t0p"}}):
        assert http.post(f"{V1}/dead/retry", json={"filter": filter}).json()["retried"] == 0
        assert http.post(f"{V1}/bulk/retry", json={"filter": filter}).json()["meant"] == 0
    refused = http.get(f"{V1}/jobs?arg.password=hunter2")
    assert (refused.status_code, refused.json()["field"]) == (400, "arg")


def test_dead_letters_are_retried_by_argument(http: Http) -> None:
    assert http.post(f"{V1}/dead/retry", json={"filter": {"arg": {"text": "KeyError 7"}}}).json()["retried"] == 1


def test_a_search_says_how_many_jobs_are_encrypted(app: Windlass, http: Http) -> None:
    """B25: they are found by what is clear, and counted where it was not enough. Others are told nothing."""
    app.configure(encryption_keys=[new_encryption_key()])
    app.enqueue_many([app.request("mail.welcome", [7], id="locked-1")])
    errors, locked = http.read("/jobs", text="keyerror"), http.read("/jobs", text="locked")
    assert (ids(errors), errors["unsearched"]) == (["dead"], 1)
    assert (ids(locked), locked["unsearched"]) == (["locked-1"], 0)
    by_argument = http.read("/jobs", **{"arg.user_id": "2"})
    assert (ids(by_argument), by_argument["unsearched"]) == (["new-2"], 1)
    assert http.read("/jobs")["unsearched"] == 0
    assert http.get(f"{V1}/jobs?meta.tenant=a").json()["field"] == "meta"
    retried = http.post(f"{V1}/dead/retry", json={"filter": {"meta": {"tenant": "a"}}})
    assert (retried.status_code, retried.json()["detail"].split(":")[0]) == (400, "meta")


def test_jobs_that_have_been_running_for_long(app: Windlass, http: Http, clock: ManualClock) -> None:
    [old] = app.claim(1, queues=["mail"], lease="1h")
    clock.advance("10m")
    app.claim(1, queues=["mail"], lease="1h")
    assert ids(http.read("/jobs", running_for="10m")) == [old.id]
    assert http.get(f"{V1}/jobs?running_for=10m&state=failed").json()["field"] == "running_for"


def test_pages_follow_each_other(http: Http) -> None:
    first = http.read("/jobs", limit=2)
    second = http.read("/jobs", limit=2, cursor=first["next"])
    third = http.read("/jobs", limit=9, cursor=second["next"])
    assert ids(first) + ids(second) + ids(third) == ["new-2", "new-1", "new-0", "dead", "done"]
    assert third["next"] is None


def test_a_cursor_is_good_for_its_own_list_only(app: Windlass, http: Http) -> None:
    cursor = http.read("/jobs", limit=2)["next"]
    changed = cursor[:-2] + ("AA" if cursor[-2:] != "AA" else "BB")
    asked = [
        {"cursor": changed},
        {"cursor": cursor, "queue": "mail"},
        {"cursor": ""},
        {"cursor": "é"},
        {"cursor": cursor + "="},
        {"cursor": "x" * 60_000},
    ]
    for query in asked:
        answer = http.get(f"{V1}/jobs", params=query)
        assert (answer.status_code, answer.json()["field"]) == (400, "cursor"), query
    assert http.get(f"{V1}/dead", params={"cursor": cursor}).status_code == 400
    other = Http(app)  # another process on the same store takes it
    assert len(other.read("/jobs", cursor=cursor)["jobs"]) == 3
    assert Http(app, secret="s3cret").get(f"{V1}/jobs", params={"cursor": cursor}).status_code == 400


def test_counts_are_exact_to_a_thousand(app: Windlass, http: Http) -> None:
    app.enqueue_many([app.request("mail.welcome", [1], queue="many")] * 1000)
    by_counters, by_search = {"queue": "many", "state": "pending"}, {"queue": "many", "text": "mail.welcome"}
    for query in (by_counters, by_search):
        assert http.read("/jobs", limit=1, count=True, **query)["count"] == 1000
    app.enqueue("mail.welcome", 1)
    app.enqueue_many([app.request("mail.welcome", [1], queue="many")])
    for query in (by_counters, by_search):
        assert http.read("/jobs", limit=1, count=True, **query)["count"] == "1000+"
    assert http.read("/jobs", limit=1)["count"] is None


def test_a_job_is_shown_without_its_secrets(app: Windlass, http: Http) -> None:
    job = http.read("/jobs/done")
    assert (job["state"], job["result"], job["tags"]) == ("completed", "welcome 1", ["vip"])
    assert job["kwargs"] == {"password": "••••"}
    assert http.read("/jobs/dead")["meta"] == {"tenant": 7, "api_key": "••••"}
    assert http.read("/jobs/dead")["errors"][0]["type"] == "ValueError"
    assert http.read("/jobs/done/timeline")["timeline"][0]["kind"] == "created"
    assert http.read("/jobs/new-0/why")["why"] == app.job("new-0").why()


def test_one_job_is_cancelled_retried_failed_deleted(app: Windlass, http: Http) -> None:
    assert http.order("/jobs/new-0/cancel", {"reason": "no more"}) == {"id": "new-0", "state": "cancelled"}
    assert http.order("/jobs/dead/retry", {"to_queue": "mail"}) == {"id": "dead", "state": "pending"}
    assert app.job("dead").queue == "mail"
    assert http.order("/jobs/new-1/fail") == {"id": "new-1", "state": "failed"}
    assert http.delete(f"{V1}/jobs/new-2").status_code == 204
    assert http.get(f"{V1}/jobs/new-2").status_code == 404
    assert http.security.changes == [
        ("ada", "job.cancel", "new-0", 1),
        ("ada", "job.retry", "dead", 1),
        ("ada", "job.fail", "new-1", 1),
        ("ada", "job.delete", "new-2", 1),
    ]
    assert "ada" in str(app.job("new-0").timeline())


def test_what_its_state_does_not_allow_is_a_conflict(app: Windlass, http: Http) -> None:
    [claimed] = app.claim(1, queues=["mail"])
    answers = [
        http.post(f"{V1}/jobs/done/cancel"),
        http.post(f"{V1}/jobs/done/retry"),
        http.post(f"{V1}/jobs/done/fail"),
        http.delete(f"{V1}/jobs/{claimed.id}"),
    ]
    assert [answer.status_code for answer in answers] == [409] * 4
    assert answers[0].json()["detail"] == "job done is completed; it cannot be cancelled"
    assert http.security.changes == []
