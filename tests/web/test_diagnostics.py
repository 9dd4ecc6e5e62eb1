"""What admins look at when something is wrong: raw records, and keys of Redis."""

from __future__ import annotations

import shlex
from typing import Any

import apsw
import click
import pytest
from starlette.routing import compile_path

from tests.ledger.apps import Apps, work
from tests.places.place import Place
from tests.web.http import V1, Http
from windlass import Unique, Windlass, new_encryption_key
from windlass.cli.main import program
from windlass.testing import ManualClock
from windlass.web.table import ROUTES


def records(http: Http, id: str) -> dict[str, Any]:
    """All fields of all places of a job together."""
    whole: dict[str, Any] = {}
    for record in http.read(f"/jobs/{id}/inspect")["records"]:
        whole |= {name: value for name, value in record["fields"].items() if value not in ("", None)}
    return whole


def actions(http: Http, id: str) -> list[str]:
    """The names of the suggestions; each route and each command is one that there is."""
    found = http.read(f"/jobs/{id}/inspect")["actions"]
    for one in found:
        assert one["route"] or one["command"] or one["action"] in ("replace", "add key")
        if one["route"]:
            method, _, path = one["route"].partition(" ")
            assert any(row.method == method and compile_path(row.path)[0].match(path) for row in ROUTES), one
        if one["command"]:
            command: click.Command = program
            _, *words = shlex.split(one["command"])
            while isinstance(command, click.Group):
                command = command.commands[words.pop(0)]
    return [one["action"] for one in found]


def test_a_job_is_shown_as_the_store_holds_it(app: Windlass, http: Http) -> None:
    """B24, B21: on every store, with secrets masked in payload, metadata, result and errors."""

    @app.task(name="login", retry=False, unique=Unique())
    def login(user: str, password: str, options: dict[str, str]) -> None:
        raise ValueError(f"refused {user}: token=hunter3")

    app.enqueue_many(
        [app.request("login", ["ann", "hunter2", {"api_key": "t0p"}], id="a", meta={"secret": "s3cret", "tenant": "x"})]
    )
    work(app)
    answer = http.get(f"{V1}/jobs/a/inspect")
    assert not [word for word in ("hunter2", "hunter3", "t0p", "s3cret") if word in answer.text]
    found = records(http, "a")
    assert (found["id"], found["task"], found["state"]) == ("a", "login", "failed")
    assert found["payload"]["args"] == ["ann", "••••", {"api_key": "••••"}]
    assert found["meta"]["meta"] == {"secret": "••••", "tenant": "x"}
    assert answer.json()["why"].startswith("it failed")
    assert http.get(f"{V1}/jobs/none/inspect").status_code == 404


@pytest.mark.only_on("sqlite")
def test_suggestions_follow_the_state(app: Windlass, http: Http, clock: ManualClock) -> None:
    """B24: each with the route or the command of it; what mends something comes first."""
    app.enqueue_many([app.request("broken", id="dead")])
    work(app)
    app.enqueue_many([app.request("mail.welcome", [1], id="now 1")])
    app.enqueue_many([app.request("mail.welcome", [2], id="later", delay="1h")])
    app.queue("mail").pause("full", by="ada")
    assert actions(http, "dead") == ["retry", "delete"]
    assert actions(http, "now%201") == ["resume", "start a worker", "cancel", "fail", "delete"]
    app.pause("all", by="ada")
    app.queue("mail").resume(by="ada")
    assert actions(http, "now%201")[:2] == ["resume", "start a worker"]
    app.resume(by="ada")
    assert actions(http, "later") == ["retry", "cancel", "fail", "delete"]
    clock.advance("2h")
    assert actions(http, "later")[0] == "promote"
    app.claim(1, queues=["mail"], lease="1m")
    assert actions(http, "now%201") == ["cancel", "fail"], "the owner of a manual claim is no worker"
    clock.advance("2m")
    assert actions(http, "now%201") == ["rescue", "cancel", "fail"]


@pytest.mark.only_on("sqlite")
def test_texts_that_cannot_be_read_are_told(place: Place, clock: ManualClock) -> None:
    """B24, B25: encrypted ones with the id of their key, be it at hand or not; damaged ones are not shown."""
    with Apps(place, clock=clock) as new_app:
        app, other = new_app(encryption_keys=[new_encryption_key()]), new_app()

        @app.task(name="hidden")
        def hidden(text: str) -> None: ...

        app.enqueue_many([app.request(hidden, ["planted"], id="a", meta={"n": 1})])
        [key_id] = set(app.job("a").encrypted.values())
        shown = Http(app).read("/jobs/a/inspect")
        assert records(Http(app), "a")["payload"] == {"encrypted": key_id} == records(Http(app), "a")["meta"]
        assert shown["encrypted"] == {"payload": key_id, "meta": key_id}
        assert "add key" not in actions(Http(app), "a")
        assert actions(Http(other), "a")[0] == "add key"
        other.enqueue_many([other.request("nothing", id="b")])
        connection = apsw.Connection(other.store)
        connection.execute("UPDATE windlass_job SET payload = '{' WHERE id = 'b'")
        connection.close()
        assert records(Http(other), "b")["payload"] == {"unreadable": 1}
        assert actions(Http(other), "b")[0] == "replace"


@pytest.mark.only_on("redis")
def test_keys_of_redis_are_listed(app: Windlass, http: Http) -> None:
    """B24: by a pattern, page by page; a cursor belongs to its pattern."""
    app.enqueue_many([app.request("mail.welcome", [n]) for n in range(5)])
    found = every_key(http, "job:*")
    assert (len(found), {key["type"] for key in found}, found[0]["ttl_seconds"]) == (5, {"hash"}, None)
    assert [(key["name"], key["length"]) for key in every_key(http, "queues")] == [("queues", 1)]
    for query in ("pattern=" + "*" * 6, "pattern=", "limit=0", "limit=1001", "cursor=x"):
        answer = http.get(f"{V1}/system/keys?{query}")
        assert (answer.status_code, answer.json()["field"]) == (400, query.partition("=")[0]), query


def every_key(http: Http, pattern: str) -> list[Any]:
    page = http.read("/system/keys", pattern=pattern)
    keys = {key["name"]: key for key in page["keys"]}
    while page["next"] is not None:
        page = http.read("/system/keys", pattern=pattern, cursor=page["next"])
        keys |= {key["name"]: key for key in page["keys"]}
    assert page["prefix"].startswith("{")
    return list(keys.values())


@pytest.mark.only_on("sqlite")
def test_other_stores_have_no_keys(http: Http) -> None:
    """B24."""
    answer = http.get(f"{V1}/system/keys")
    assert (answer.status_code, answer.json()["title"]) == (409, "No keys")
    assert "only Redis has keys" in answer.json()["detail"]
