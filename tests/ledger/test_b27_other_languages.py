"""Workers in other languages: over HTTP, with a token, under fences; and no worker of ours anywhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from starlette.testclient import TestClient

from windlass import State, Windlass
from windlass.testing import ManualClock
from windlass.web import Identity, Role, api

V1 = "/api/v1"


@contextmanager
def caller(app: Windlass, token: str) -> Iterator[TestClient]:
    """A program with a token."""
    with TestClient(api(app, auth=lambda request: None), base_url="http://jobs.example") as client:
        client.headers["Authorization"] = f"Bearer {token}"
        yield client


def claimed(client: TestClient, **order: Any) -> list[dict[str, Any]]:
    answer = client.post(f"{V1}/leases", json=order)
    assert answer.status_code == 200, answer.text
    jobs: list[dict[str, Any]] = answer.json()["jobs"]
    return jobs


def test_a_program_claims_renews_and_completes_and_the_loser_of_a_lease_is_refused(
    app: Windlass, clock: ManualClock
) -> None:
    """B27, D6: due jobs are promoted and lost ones rescued by the claims themselves."""
    token = app.add_token("speech", role="worker", queues=["tts"])
    with caller(app, token.text) as client:
        made = client.post(
            f"{V1}/jobs", json={"task": "speak", "args": ["hi"], "queue": "tts", "delay": "1h", "id": "a"}
        )
        assert made.status_code == 201, made.text
        assert claimed(client) == []
        clock.advance("1h")
        [first] = claimed(client, lease="1m")
        assert (first["args"], app.job("a").state) == (["hi"], State.RUNNING)
        clock.advance("2m")
        [second] = claimed(client, lease="1m")
        late = client.post(f"{V1}/leases/a/complete", json={"fence": first["fence"]})
        assert late.status_code == 409
        rest: dict[str, dict[str, Any]]
        rest = {"progress": {"value": 0.5}, "extend": {"lease": "5m"}, "complete": {"result": "ok"}}
        for verb, body in rest.items():
            answer = client.post(f"{V1}/leases/a/{verb}", json={"fence": second["fence"], **body})
            assert answer.status_code in (200, 204), answer.text
    assert app.job("a").result() == "ok"


def test_callers_show_who_they_are_and_what_they_change_is_kept(app: Windlass) -> None:
    """B21: token, role, queue, revocation, audit."""
    app.enqueue_many([app.request("speak", queue="mail", id="a")])
    viewer, operator = app.add_token("eyes", role="viewer"), app.add_token("ops", role="operator")
    with TestClient(api(app, auth=lambda request: None), base_url="http://jobs.example") as unknown:
        assert unknown.get(f"{V1}/jobs").status_code == 401
    with caller(app, viewer.text) as client:
        assert client.get(f"{V1}/jobs").status_code == 200
        assert client.post(f"{V1}/queues/mail/pause").status_code == 403
        app.revoke_token("eyes")
        assert client.get(f"{V1}/jobs").status_code == 401
    with caller(app, operator.text) as client:
        assert client.post(f"{V1}/queues/mail/pause").status_code == 200
        assert client.get(f"{V1}/audit").status_code == 403
    [entry] = app.audit().entries
    assert (entry.who, entry.via, entry.target, entry.count) == ("ops", "token", "mail", 1)


def test_an_application_decides_itself_who_asks(app: Windlass) -> None:
    """B21: mounted, closed until a function is given."""
    known = api(
        app, auth=lambda request: Identity("ann", Role.ADMIN, via="app") if "x-ann" in request.headers else None
    )
    tried: list[tuple[Any, dict[str, str], int]]
    tried = [(api(app), {"x-ann": "1"}, 403), (known, {}, 401), (known, {"x-ann": "1"}, 200)]
    for asgi, headers, status in tried:
        assert TestClient(asgi).get(f"{V1}/tokens", headers=headers).status_code == status
