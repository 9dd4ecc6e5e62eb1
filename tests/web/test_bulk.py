"""Changes of many jobs over HTTP: begun, followed, stopped."""

from __future__ import annotations

from typing import Any

import pytest

from tests.waiting import eventually
from tests.web.http import V1, Http
from windlass import State, Windlass
from windlass.testing import ManualClock

pytestmark = pytest.mark.only_on("sqlite")


def done(http: Http, answer: dict[str, Any]) -> dict[str, Any]:
    eventually(lambda: http.read(f"/bulk/{answer['id']}")["ended_at"])
    return dict(http.read(f"/bulk/{answer['id']}"))


def test_jobs_that_a_filter_finds_are_deleted(http: Http, app: Windlass) -> None:
    app.enqueue_many([app.request("mail.welcome", [n], tags=["old" if n % 2 else "new"]) for n in range(10)])
    begun = http.order("/bulk/delete", {"filter": {"tag": "old"}}, status=202)
    assert begun["meant"] == 5
    assert (done(http, begun)["state"], done(http, begun)["changed"]) == ("done", 5)
    assert {job.tags for job in app.jobs()} == {("new",)}
    assert [change["id"] for change in http.read("/bulk")["changes"]] == [begun["id"]]


def test_the_same_id_twice_is_one_change(http: Http, app: Windlass) -> None:
    app.enqueue_many([app.request("mail.welcome", [1], id="a"), app.request("mail.welcome", [2], id="b")])
    first = http.order("/bulk/cancel", {"id": "once", "ids": ["a"]}, status=202)
    assert http.order("/bulk/cancel", {"id": "once", "ids": ["b"]}, status=202)["id"] == first["id"]
    done(http, first)
    assert (app.job("a").state, app.job("b").state) == (State.CANCELLED, State.PENDING)


def test_jobs_that_run_for_long_are_frozen_too(http: Http, app: Windlass, clock: ManualClock) -> None:
    app.enqueue_many([app.request("mail.welcome", [1], id="long", queue="m")])
    [claimed] = app.claim(queues=["m"])
    clock.advance("60s")
    begun = http.order("/bulk/cancel", {"filter": {"running_for": "30s"}}, status=202)
    assert done(http, begun)["changed"] == 1
    assert claimed.id == "long"


@pytest.mark.parametrize(
    "body",
    [{}, {"ids": []}, {"ids": ["a"], "filter": {}}, {"filter": {"state": "tired"}}, {"ids": ["a"], "id": "no/good"}],
)
def test_an_order_says_which(http: Http, body: dict[str, Any]) -> None:
    assert http.post(f"{V1}/bulk/retry", json=body).status_code == 400
    assert http.post(f"{V1}/bulk/retry", json={"ids": ["a"], "rate": "fast"}).status_code == 400
    assert http.post(f"{V1}/bulk/retry", json={"filter": {"state": "running"}}).status_code == 409
    assert http.get(f"{V1}/bulk/nowhere").status_code == 404
