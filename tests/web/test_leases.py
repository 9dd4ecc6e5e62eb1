"""Leases over HTTP: claim, extend, progress, complete, fail, discard, release, under a fence."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from threading import Event
from typing import Any

import apsw
import pytest
from starlette.requests import Request

from tests.ledger.apps import Gate, gate
from tests.waiting import PATIENCE, eventually
from tests.web.http import V1, Admitting, Http
from tests.worker.call_interceptor import intercept
from windlass import State, Windlass
from windlass.client.client import Client
from windlass.core.records import Claimed
from windlass.errors import StoreUnavailable
from windlass.store.operation import Call, Operation
from windlass.testing import ManualClock
from windlass.threads.start import start_thread
from windlass.web import api
from windlass.web.leases.long_poll import Claim, ClientGone, claim_while_connected
from windlass.web.leases.waiting_claims import waiting_claims_of
from windlass.web.security.roles import Identity, Role
from windlass.web.server import Server

SPEECH = Identity("speech", Role.WORKER, frozenset({"tts"}), via="token")
ORDER = Claim(1, ["tts"], 60_000, "speech", None)


@pytest.fixture
def worker(app: Windlass) -> Http:
    """A worker with a token for one queue."""
    return Http(app, Admitting(SPEECH))


def enqueue(app: Windlass, id: str = "one", **options: Any) -> None:
    app.enqueue_many([app.request("speak", ["hello"], {"lang": "en"}, id=id, **{"queue": "tts", **options})])


def claim(worker: Http, **order: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = worker.order("/leases", order)["jobs"]
    return found


def test_a_job_is_claimed_kept_and_completed(app: Windlass, worker: Http, clock: ManualClock) -> None:
    """B27: the whole way, on every store."""
    enqueue(app, meta={"tenant": "a"}, correlation_id="c", timeout="90s", attempts=3)
    [job] = claim(worker, limit=10, lease="30s")
    expected = {"id": "one", "task": "speak", "queue": "tts", "attempt": 1, "max_attempts": 3, "args": ["hello"]}
    expected |= {"kwargs": {"lang": "en"}, "meta": {"tenant": "a"}, "correlation_id": "c", "timeout": 90.0}
    assert expected.items() <= job.items()
    handle = app.job("one")
    assert handle.worker == "speech"
    assert handle.lease_expires_at is not None
    assert handle.lease_expires_at.isoformat().replace("+00:00", "Z") == job["expires_at"]
    assert app.lease("one", job["fence"]).expires_at == handle.lease_expires_at
    clock.advance("20s")
    told = worker.order("/leases/one/progress", {"fence": job["fence"], "value": 0.5, "text": "half"})
    assert (told["expires_at"], told["cancel_requested"]) == (job["expires_at"], False)
    kept = worker.order("/leases/one/extend", {"fence": job["fence"], "lease": "1m"})
    assert kept["expires_at"] > job["expires_at"]
    clock.advance("50s")
    answer = worker.post(f"{V1}/leases/one/complete", json={"fence": job["fence"], "result": {"seconds": 1.5}})
    assert (answer.status_code, answer.content) == (204, b"")
    assert app.job("one").result() == {"seconds": 1.5}
    assert app.job("one").lease_expires_at is None
    assert claim(worker) == []


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize(
    ("verb", "body", "state"),
    [
        ("fail", {"error": "no voice"}, State.RETRYING),
        ("fail", {"error": "no voice", "delay": "10m"}, State.RETRYING),
        ("discard", {"error": "no voice"}, State.FAILED),
        ("release", {}, State.PENDING),
    ],
)
def test_an_attempt_ends_otherwise(app: Windlass, worker: Http, verb: str, body: dict[str, Any], state: State) -> None:
    """B27."""
    enqueue(app, attempts=3)
    [job] = claim(worker)
    assert worker.post(f"{V1}/leases/one/{verb}", json={"fence": job["fence"], **body}).status_code == 204
    found = app.job("one")
    assert found.state is state
    assert found.attempt == (0 if verb == "release" else 1)
    assert [fault.message for fault in found.errors] == ([] if verb == "release" else ["no voice"])


def test_with_no_worker_anywhere_a_claim_promotes_and_rescues(app: Windlass, worker: Http, clock: ManualClock) -> None:
    """D6, B27: and the late ending of who lost the job is refused, on every store."""
    enqueue(app, delay="1h", attempts=3)
    assert claim(worker) == []
    clock.advance("1h")
    [first] = claim(worker, lease="10s")
    clock.advance("11s")
    [second] = claim(worker)
    assert second["id"] == first["id"]
    assert second["fence"] > first["fence"]
    for verb, body in {"complete": {}, "fail": {"error": "x"}, "extend": {}, "progress": {}, "release": {}}.items():
        late = worker.post(f"{V1}/leases/one/{verb}", json={"fence": first["fence"], **body})
        assert (late.status_code, late.json()["title"]) == (409, "Lease lost"), verb
    assert app.job("one").state is State.RUNNING
    assert worker.post(f"{V1}/leases/one/complete", json={"fence": second["fence"]}).status_code == 204
    again = worker.post(f"{V1}/leases/one/complete", json={"fence": second["fence"]})
    assert (again.status_code, again.json()["title"]) == (409, "Illegal transition")


def test_a_claim_whose_answer_was_lost_is_repeated_under_its_id(app: Windlass, worker: Http) -> None:
    """B27: the same jobs come back, at once, on every store."""
    for id in "abc":
        enqueue(app, id)
    lost = claim(worker, limit=2, claim_id="claim-0001")
    assert claim(worker, limit=2, claim_id="claim-0001") == lost
    assert [job["id"] for job in claim(worker, limit=2, claim_id="claim-0002")] == ["c"]
    enqueue(app, "d")
    other = Http(app, Admitting(Identity("other", Role.WORKER, frozenset({"tts"}), via="token")))
    assert [job["id"] for job in claim(other, limit=2, claim_id="claim-0001")] == ["d"], "an id is a caller's own"


@pytest.mark.only_on("sqlite")
def test_a_token_is_for_its_queues_only(app: Windlass, worker: Http) -> None:
    """B27, B21."""
    enqueue(app, "mine")
    enqueue(app, "other", queue="mail")
    assert worker.post(f"{V1}/leases", json={"queues": ["mail"]}).status_code == 403
    assert worker.post(f"{V1}/leases", json={"queues": ["tts", "mail"]}).status_code == 403
    assert [job["id"] for job in claim(worker, limit=9)] == ["mine"]
    [claimed] = app.claim(queues=["mail"])
    for verb in ("complete", "fail", "discard", "extend", "progress", "release"):
        body = {"fence": claimed.fence} | ({"error": "x"} if verb in ("fail", "discard") else {})
        assert worker.post(f"{V1}/leases/other/{verb}", json=body).status_code == 403, verb
    assert app.job("other").state is State.RUNNING
    assert [job["id"] for job in claim(Http(app), queues=["tts", "mail"], limit=9)] == []


@pytest.mark.only_on("sqlite")
def test_a_job_that_is_to_be_cancelled_says_so(app: Windlass, worker: Http) -> None:
    enqueue(app)
    [job] = claim(worker)
    app.cancel("one")
    assert worker.order("/leases/one/extend", {"fence": job["fence"]})["cancel_requested"]
    worker.post(f"{V1}/leases/one/release", json={"fence": job["fence"]})
    assert app.job("one").state is State.CANCELLED


@pytest.mark.only_on("sqlite")
def test_what_cannot_be_read_fails_and_holds_up_no_other(app: Windlass, worker: Http) -> None:
    enqueue(app, "bad")
    enqueue(app, "good")
    damage(app, "bad")
    assert [job["id"] for job in claim(worker, limit=9)] == ["good"]
    assert (app.job("bad").state, app.job("bad").reason) == (State.FAILED, "undecodable")


def damage(app: Windlass, id: str) -> None:
    connection = apsw.Connection(app.store)
    connection.execute("UPDATE windlass_job SET payload = '{' WHERE id = ?", [id])
    connection.close()


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize(
    ("path", "body", "status", "field"),
    [
        ("/leases", {"limit": 0}, 400, "limit"),
        ("/leases", {"limit": 65}, 400, "limit"),
        ("/leases", {"wait": 31}, 400, "wait"),
        ("/leases", {"wait": -1}, 400, "wait"),
        ("/leases", {"lease": "0s"}, 400, "lease"),
        ("/leases", {"lease": "8d"}, 400, "lease"),
        ("/leases", {"lease": "soon"}, 400, "lease"),
        ("/leases", {"queues": ["a b"]}, 400, "queues"),
        ("/leases", {"claim_id": "x"}, 400, "claim_id"),
        ("/leases", {"quueues": []}, 400, "quueues"),
        ("/leases/one/complete", {}, 400, "fence"),
        ("/leases/one/complete", {"fence": "1"}, 400, "fence"),
        ("/leases/one/fail", {"fence": 1}, 400, "error"),
        ("/leases/one/extend", {"fence": 1, "lease": "0s"}, 400, "lease"),
        ("/leases/one/progress", {"fence": 1, "value": 2}, 400, "value"),
        ("/leases/unknown/complete", {"fence": 1}, 404, None),
        ("/leases/one/complete", {"fence": 1}, 409, "job"),
        ("/leases/one/complete", {"fence": -(2**70)}, 400, "fence"),
    ],
)
def test_what_is_wrong_is_named(app: Windlass, path: str, body: dict[str, Any], status: int, field: str | None) -> None:
    enqueue(app)
    answer = Http(app).post(f"{V1}{path}", json=body)
    assert (answer.status_code, answer.json().get("field")) == (status, field), answer.text


@pytest.mark.only_on("sqlite")
def test_a_claim_that_waits_is_woken_by_the_next_job(app: Windlass, worker: Http) -> None:
    """B27: no polling."""
    answers: list[list[dict[str, Any]]] = []
    thread = start_thread(lambda: answers.append(claim(worker, wait=30)), name="claims")
    eventually(lambda: is_waited(app))
    enqueue(app)
    thread.join(PATIENCE)
    assert [[job["id"] for job in jobs] for jobs in answers] == [["one"]]
    eventually(lambda: not is_waited(app))


def is_waited(app: Windlass) -> bool:
    return waiting_claims_of(app.client.session).waiting > 0


def connected(host: str, port: int) -> socket.socket:
    """A connection to a server that is being started."""
    made: list[socket.socket] = []

    def connect() -> bool:
        with suppress(ConnectionRefusedError):
            made.append(socket.create_connection((host, port)))
        return bool(made)

    eventually(connect)
    return made[0]


@pytest.mark.only_on("sqlite")
def test_a_claim_that_waits_ends_with_its_client(app: Windlass) -> None:
    """B27: what waits for a client that is gone takes nothing."""
    server = Server(api(app, security=Admitting(SPEECH)), host="127.0.0.1", port=0)
    with server.in_background() as address:
        place = address.removeprefix("http://").rpartition(":")
        client = connected(place[0], int(place[2]))
        body = b'{"wait":30}'
        client.sendall(
            b"POST /api/v1/leases HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + b"Content-Length: %d\r\n\r\n" % len(body)
            + body
        )
        eventually(lambda: is_waited(app))
        client.close()
        eventually(lambda: not is_waited(app))
        enqueue(app)
        [job] = claim(Http(app, Admitting(SPEECH)))
        assert job["attempt"] == 1


def request_until(gone: Callable[[], object]) -> Request:
    """A request whose client goes away when the call returns; the loop goes on meanwhile."""

    async def receive() -> MutableMapping[str, Any]:
        await asyncio.to_thread(gone)
        return {"type": "http.disconnect"}

    return Request({"type": "http", "headers": []}, receive)


async def expect_given_back(app: Windlass) -> None:
    """The job waits, uncharged, after the app was closed."""
    async with Windlass(app.url, namespace=app.client.namespace, clock=app.client.clock) as again:
        job = await again.ajob("one")
        assert (job.state, job.attempt) == (State.PENDING, 0)


@pytest.mark.only_on("sqlite")
@pytest.mark.asyncio
async def test_jobs_of_a_client_that_is_gone_go_back_uncharged(app: Windlass) -> None:
    """B27: also those that are claimed in the very moment; closing waits for what is under way."""
    enqueue(app)

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.disconnect"}

    request = Request({"type": "http", "headers": []}, receive)
    with pytest.raises(ClientGone):
        await claim_while_connected(app.client, request, ORDER, wait=0)
    await app.aclose()
    await expect_given_back(app)


class ClaimUntilClosed(Claim):
    """A claim that has its jobs, and comes back when the app is being closed."""

    def operation(self, client: Client) -> Operation[list[Claimed]]:
        claimed = yield from Claim.operation(self, client)
        eventually(lambda: client.session.is_closed, "the app is being closed")
        return claimed


@pytest.mark.only_on("sqlite")
@pytest.mark.asyncio
async def test_what_comes_back_while_the_app_is_closed_goes_back_uncharged(app: Windlass) -> None:
    """Once its caller has heard that the client is gone, no turn of the loop is needed any more."""
    enqueue(app)
    request = request_until(lambda: eventually(lambda: app.job("one").state is State.RUNNING, "it is claimed"))
    order = ClaimUntilClosed(1, ["tts"], 60_000, "speech", None)
    with pytest.raises(ClientGone):
        await claim_while_connected(app.client, request, order, wait=0)
    app.close()
    await expect_given_back(app)


def hold_unsubscribing(app: Windlass, held: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have claims that end their waiting stop at the gate."""
    session = app.client.session
    subscribe = session.subscribe

    def subscribed(*args: Any, **options: Any) -> Callable[[], None]:
        unsubscribe = subscribe(*args, **options)

        def wait_and_unsubscribe() -> None:
            held.wait()
            unsubscribe()

        return wait_and_unsubscribe

    monkeypatch.setattr(session, "subscribe", subscribed)


@pytest.mark.only_on("sqlite")
@pytest.mark.asyncio
async def test_jobs_of_a_client_that_goes_as_its_waiting_ends_go_back_uncharged(
    app: Windlass, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The jobs are found, and the claim is about to stop listening for more."""
    with gate() as held:
        hold_unsubscribing(app, held, monkeypatch)
        request = request_until(held.await_entered)
        claiming = asyncio.create_task(claim_while_connected(app.client, request, ORDER, wait=PATIENCE))
        await asyncio.to_thread(eventually, lambda: is_waited(app))
        enqueue(app)
        with pytest.raises(ClientGone):
            await claiming
    await app.aclose()
    await expect_given_back(app)


def test_jobs_that_an_outage_keeps_from_being_handed_out_go_back_when_it_is_over(app: Windlass, worker: Http) -> None:
    """B27: the store is away from the claim on, so that it cannot take them back at once either."""
    enqueue(app)
    tap, away = intercept(app), Event()

    def fail(call: Call) -> None:
        if call.name == "lease_ends":
            away.set()
        if away.is_set():
            raise StoreUnavailable("it is away")

    tap.before.append(fail)
    worker.order("/leases", {"queues": ["tts"]}, status=503)
    eventually(lambda: tap.calls["cycle"] + tap.calls["finish"] >= 3, "it is tried again")
    tap.before.remove(fail)
    eventually(lambda: app.job("one").state is State.PENDING, "it goes back")
    assert app.job("one").attempt == 0


@pytest.mark.only_on("sqlite")
def test_jobs_that_are_claimed_and_cannot_be_handed_out_go_back_uncharged(app: Windlass, worker: Http) -> None:
    """B27: the store fails after the claim, before the answer is put together."""
    enqueue(app)

    def fail(call: Call) -> None:
        if call.name == "lease_ends":
            raise StoreUnavailable("the store is away")

    interceptor = intercept(app)
    interceptor.before.append(fail)
    worker.order("/leases", {"queues": ["tts"]}, status=503)
    eventually(lambda: app.job("one").state is State.PENDING, "it was released")
    interceptor.before.clear()
    [job] = claim(worker)
    assert job["attempt"] == 1
