"""The handlers, and their rows of the table of routes."""

from __future__ import annotations

from typing import Any

import msgspec

from windlass.client.client import Client
from windlass.client.job_changes import find_record
from windlass.errors import JobNotFound
from windlass.insight.diagnostics.actions import Action, suggested_actions
from windlass.insight.diagnostics.raw_record import shown_record
from windlass.insight.diagnostics.unreadable import encrypted_texts
from windlass.insight.payload import parameters_of
from windlass.insight.redact import redacted_text
from windlass.insight.why.why import why
from windlass.job import Job
from windlass.store.operation import Operation
from windlass.store.operations.diagnostics.keys import StoreKey, store_keys
from windlass.store.operations.diagnostics.raw_job import RawRecord, raw_job
from windlass.store.operations.gates import ClaimSituation, gates
from windlass.web.cursors import list_name
from windlass.web.diagnostics import shapes
from windlass.web.problems import Problem, bad_input
from windlass.web.route import PREFIX, Call, Nothing, Route
from windlass.web.security.roles import Role

_KEYS = f"{PREFIX}/system/keys"
_MOST_STARS = 5
"""A server may take very long to compare a name with a pattern that has many."""


async def inspect(call: Call[Nothing, None]) -> dict[str, object]:
    """A job as the store holds it, and what can be done about it."""
    client = call.app.client
    job, records, situation, sentence = await client.session.arun(_looked_at(client, call.path["id"]))
    parameters = parameters_of(job.task, call.app.tasks)
    actions = suggested_actions(job.record, situation, unreadable=job.unreadable, locked=encrypted_texts(job.record))
    return {
        "id": job.id,
        "store": call.app.store,
        "why": sentence,
        "records": [shown_record(record, parameters) for record in records],
        "unreadable": list(job.unreadable),
        "encrypted": job.encrypted,
        "actions": [_action(action) for action in actions],
    }


def _looked_at(client: Client, id: str) -> Operation[tuple[Job[Any], list[RawRecord], ClaimSituation, str]]:
    job: Job[Any] = Job.of(client, (yield from find_record(id)))
    records = yield from raw_job(id)
    situation = yield from gates(job.record.seq)
    if situation is None:
        raise JobNotFound(f"no job has the id {id!r}")
    return job, records, situation, (yield from why(job.record))


def _action(action: Action) -> dict[str, object]:
    method, _, path = (action.route or "").partition(" ")
    route = None if action.route is None else f"{method} {PREFIX}{path}"
    return {"action": action.name, "why": action.text, "route": route, "command": action.command}


async def list_keys(call: Call[shapes.KeysQuery, None]) -> dict[str, object]:
    """Keys of a Redis store."""
    query, session = call.query, call.app.client.session
    if query.pattern.count("*") > _MOST_STARS:
        raise bad_input(f"pattern has more than {_MOST_STARS} asterisks", field="pattern")
    kind = (await session.acall(session.facts))["store"]
    if kind != "redis":
        raise Problem(409, "No keys", f"the store is {call.app.store} ({kind}), which has tables; only Redis has keys")
    name = list_name(_KEYS, query.pattern)
    cursor = "0" if query.cursor is msgspec.UNSET else call.cursors.read(name, query.cursor, str)
    page = await session.arun(store_keys(query.pattern, limit=query.limit, cursor=cursor))
    return {
        "prefix": f"{{{call.app.client.namespace}}}:",
        "keys": [_key(key) for key in page.keys],
        "next": None if page.next is None else call.cursors.write(name, page.next),
    }


def _key(key: StoreKey) -> dict[str, object]:
    return {
        "name": redacted_text(key.name),
        "type": key.type,
        "length": key.length,
        "ttl_seconds": None if key.ttl < 0 else key.ttl / 1000,
    }


ROUTES = (
    Route(
        method="GET",
        path=f"{PREFIX}/jobs/{{id}}/inspect",
        handler=inspect,
        summary="A job as the store holds it, secrets masked, and what can be done about it.",
        topic="Jobs",
        role=Role.ADMIN,
        answer=shapes.Inspection,
        problems=(404,),
    ),
    Route(
        method="GET",
        path=_KEYS,
        handler=list_keys,
        summary="Keys of a Redis store that fit a pattern; 409 on other stores.",
        topic="System",
        role=Role.ADMIN,
        query=shapes.KeysQuery,
        answer=shapes.StoreKeys,
        problems=(409,),
    ),
)
