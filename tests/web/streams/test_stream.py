"""The stream of the API: what changes is told, to those who want it, and a client goes on where it was."""

from __future__ import annotations

import asyncio

import pytest

from tests.ledger.apps import work
from tests.web.http import V1, Http
from tests.web.streams.listening import listening
from windlass import Windlass
from windlass.web.streams.changes import Changes
from windlass.web.streams.streams import streams_here


@pytest.mark.asyncio
async def test_jobs_queues_workers_and_schedules_are_told_as_they_change(app: Windlass, http: Http) -> None:
    """B19: on every store."""
    app.migrate()
    async with listening(http) as client:
        app.enqueue_many([app.request("mail.welcome", [1], id="a")])
        made = await client.until("job", id="a")
        assert (made["state"], made["queue"], made["task"]) == ("pending", "mail", "mail.welcome")
        assert (await client.until("queue", name="mail"))["counts"]["pending"] == 1
        await asyncio.to_thread(work, app)
        ended = await client.until("job", id="a", state="completed")
        assert (ended["attempt"], ended["finished_at"] is not None) == (1, True)
        await app.queue("mail").apause("full", by="ada")
        assert (await client.until("queue", name="mail"))["name"] == "mail"
        app.add_schedule("nightly", "mail.welcome", cron="30 2 * * *", args=[7])
        assert (await client.until("schedule", name="nightly"))["state"] == "active"
        app.worker(name="w", id="1").start()
        [worker] = app.workers()
        assert (await client.until("worker", id=worker.id))["name"] == worker.name
    assert streams_here().count == 0


@pytest.mark.asyncio
@pytest.mark.only_on("sqlite")
async def test_a_client_hears_what_it_wants_and_goes_on_where_it_was(app: Windlass, http: Http) -> None:
    """B19: filters; Last-Event-ID; one reader for all, and none without listeners."""
    app.migrate()
    async with listening(http, "topics=jobs&queue=mail&task=mail.welcome") as client:
        async with listening(http, "topics=jobs") as other:
            app.enqueue_many([app.request("broken", id="b"), app.request("mail.welcome", [1], id="a")])
            await other.until("job", id="b")
            last = (await client.until("job"), client.last)
        assert last[0]["id"] == "a"
        [changes] = [shared for shared in streams_here().readers.values() if isinstance(shared, Changes)]
        assert changes.reader.listeners == 1
    assert changes.reader.listeners == 0
    app.enqueue_many([app.request("mail.welcome", [1], id="while-away")])
    async with listening(http, "topics=jobs", last=last[1]) as client:
        assert (await client.until("job"))["id"] == "while-away"
    async with listening(http, "topics=jobs", last="another-7") as client:
        assert "process" in (await client.until("reset"))["reason"]


@pytest.mark.asyncio
@pytest.mark.only_on("sqlite")
async def test_too_many_changes_at_once_are_told_as_such(app: Windlass, http: Http) -> None:
    app.migrate()
    async with listening(http, "topics=jobs") as client:
        app.enqueue_many([app.request("mail.welcome", [number]) for number in range(300)])
        assert (await client.until("skipped"))["topic"] == "jobs"


@pytest.mark.asyncio
@pytest.mark.only_on("sqlite")
async def test_a_server_that_stops_ends_its_streams(app: Windlass, http: Http) -> None:
    app.migrate()
    async with listening(http, "topics=jobs"):
        streams_here().end()


@pytest.mark.only_on("sqlite")
def test_what_cannot_be_listened_to_is_refused_by_name(http: Http, app: Windlass) -> None:
    app.migrate()
    for query in ("topics=jobs,x", "topics=", "seconds=601", "queues=a"):
        answer = http.get(f"{V1}/stream?{query}")
        assert (answer.status_code, answer.json()["field"]) == (400, query.partition("=")[0]), query
    answer = http.get(f"{V1}/stream?seconds=0")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    assert "event: open" in answer.text
    assert http.head(f"{V1}/stream").text == ""
