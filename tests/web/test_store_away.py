"""A store that is away: 503 within the deadline, and the server recovers by itself."""

from __future__ import annotations

import pytest

from tests.faults.proxy import Proxy
from tests.ledger.apps import Apps
from tests.waiting import PATIENCE, eventually
from tests.web.http import V1, Http


@pytest.mark.only_on("postgres", "redis")
def test_a_store_that_is_away_is_503_until_it_is_back(far_app: Apps, proxy: Proxy) -> None:
    app = far_app()
    http = Http(app, deadline=2.0)
    job = http.order("/jobs", {"task": "greet"}, status=201)
    proxy.swallow()
    looked, made, ready = http.get(f"{V1}/queues"), http.post(f"{V1}/jobs", json={"task": "x"}), http.get("/readyz")
    assert [answer.status_code for answer in (looked, made, ready)] == [503, 503, 503]
    assert looked.headers["retry-after"]
    assert looked.json()["title"] == "Store away"
    assert "127.0.0.1" not in looked.text
    assert http.get("/healthz").status_code == 200
    proxy.restore()
    eventually(lambda: http.get("/readyz").status_code == 200, "it is ready again")
    assert http.read(f"/jobs/{job['id']}")["task"] == "greet"


@pytest.mark.only_on("postgres")
def test_a_request_that_hangs_ends_by_its_deadline(far_app: Apps, proxy: Proxy) -> None:
    """Of a change it is told that it may have happened."""
    app = far_app()
    Http(app, deadline=PATIENCE).order("/jobs", {"task": "greet"}, status=201)
    http = Http(app, deadline=0.2)
    proxy.swallow()
    for path, order in (("jobs", {"task": "greet"}), ("leases", {"limit": 1})):
        answer = http.post(f"{V1}/{path}", json=order)
        assert (answer.status_code, "may have been made" in answer.text) == (503, True), path
