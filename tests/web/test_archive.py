"""The archive over HTTP."""

from __future__ import annotations

import pytest

from tests.ledger.apps import work
from tests.web.archived import put_aside
from tests.web.http import V1, Http
from windlass import Windlass
from windlass.testing import ManualClock


@pytest.fixture(autouse=True)
def _jobs(app: Windlass, clock: ManualClock) -> None:
    """Three archived jobs, one of which failed."""
    app.enqueue_many(
        [
            app.request("mail.welcome", [1], kwargs={"password": "swordfish"}, id="first"),
            app.request("mail.welcome", [2], id="second"),
            app.request("broken", id="third", attempts=1),
        ]
    )
    work(app)
    put_aside(app, "first", "second", "third")
    clock.advance("1h")


def ids(answer: dict[str, list[dict[str, str]]]) -> set[str]:
    return {job["id"] for job in answer["jobs"]}


def test_archived_jobs_are_found(http: Http) -> None:
    """B38: by task, queue, state and time."""
    assert ids(http.read("/archive")) == {"first", "second", "third"}
    assert ids(http.read("/archive", task="broken")) == ids(http.read("/archive", state="failed")) == {"third"}
    assert ids(http.read("/archive", queue="nowhere")) == set()
    assert ids(http.read("/archive", since="10m")) == set()
    assert ids(http.read("/archive", since="2h", until="10m")) == {"first", "second", "third"}


def test_a_list_goes_on_where_a_page_ended(http: Http) -> None:
    """Under the same filter, and no other."""
    page = http.read("/archive", limit=2, task="mail.welcome")
    rest = http.read("/archive", limit=2, task="mail.welcome", cursor=page["next"]) if page["next"] else {"jobs": []}
    assert ids(page) | ids(rest) == {"first", "second"}
    first = http.read("/archive", limit=1)
    assert http.get(f"{V1}/archive", params={"limit": 1, "cursor": first["next"], "task": "x"}).status_code == 400


def test_an_archived_job_is_shown_with_its_secrets_masked(http: Http) -> None:
    shown = http.read("/archive/first")
    assert (shown["task"], shown["state"]) == ("mail.welcome", "completed")
    assert "swordfish" not in str(shown)
    assert http.read("/archive/third")["errors"][0]["type"]


def test_an_archived_job_is_put_back(app: Windlass, http: Http) -> None:
    """B38: once; it is in the audit."""
    assert http.order("/archive/third/restore") == {"id": "third", "state": "failed", "queue": "default"}
    assert app.job("third").state == "failed"
    assert http.security.changes[-1][:3] == ("ada", "archive.restore", "third")
    assert ids(http.read("/archive")) == {"first", "second"}
    assert http.post(f"{V1}/archive/third/restore").status_code == 404


def test_a_job_whose_id_is_taken_stays_in_the_archive(app: Windlass, http: Http) -> None:
    app.enqueue_many([app.request("mail.welcome", [3], id="first")])
    assert http.post(f"{V1}/archive/first/restore").status_code == 409
    assert "first" in ids(http.read("/archive"))


def test_what_cannot_be_asked_is_told_by_name(http: Http) -> None:
    for name, value in (("state", "pending"), ("since", "soon"), ("limit", 0), ("cursor", "x"), ("colour", "red")):
        answer = http.get(f"{V1}/archive", params={name: value})
        assert answer.status_code == 400, answer.text
        assert name in answer.text
    assert http.get(f"{V1}/archive/nowhere").status_code == 404
