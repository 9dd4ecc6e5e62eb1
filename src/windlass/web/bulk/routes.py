"""The routes of changes of many jobs: begin, look at, stop."""

from __future__ import annotations

from typing import Any

import msgspec

from windlass import clock
from windlass.web.bulk import shapes
from windlass.web.bulk.change import BulkChange, begun
from windlass.web.bulk.changes import bulk_changes
from windlass.web.bulk.order import BulkAction, BulkOrder, order_by_filter, order_by_ids
from windlass.web.bulk.past import audit_target
from windlass.web.problems import Problem, bad_input, not_found
from windlass.web.route import PREFIX, Answer, Call, Handler, Nothing, Route
from windlass.web.security.roles import Role
from windlass.web.topics.jobs.job_filters import given_filter

_TOPIC = "Changes of many jobs"
_PATH = f"{PREFIX}/bulk"
ROLES = {BulkAction.RETRY: Role.OPERATOR, BulkAction.CANCEL: Role.OPERATOR, BulkAction.DELETE: Role.ADMIN}


def begin(call: Call[Any, Any], order: BulkOrder) -> tuple[BulkChange, Answer]:
    """Begin a change, and what the audit is to keep of it: nothing, where it was begun before."""
    change, is_new = bulk_changes(call.app).begin(call.app, order, by=call.by, via=call.identity.via)
    count = max(1, order.at_least) if is_new else 0
    return change, Answer(status_of(change), 202, count=count, target=audit_target(order))


def find(call: Call[Any, Any]) -> BulkChange:
    """The change that the path names; ``Problem`` where this process does not have it."""
    change = bulk_changes(call.app).find(call.path["id"])
    if change is None:
        raise not_found("this process has no such change: another makes it, or what came of it is no longer kept")
    return change


def status_of(change: BulkChange) -> dict[str, object]:
    """A change as JSON values."""
    return {
        "id": change.id,
        "action": str(change.order.action),
        "state": str(change.state),
        "by": change.by,
        "begun_at": clock.iso(clock.instant(change.begun_at)),
        "ended_at": clock.iso(clock.instant_or_none(change.ended_at)),
        "meant": change.order.counted,
        "changed": change.changed,
        "error": change.error,
        "errors": dict(change.errors),
    }


def _begin(action: BulkAction) -> Handler:
    async def handler(call: Call[Nothing, shapes.BulkBody]) -> Answer:
        order = await _order(call, action)
        body = call.body
        options = {name: getattr(body, name, None) for name in ("rate", "to_queue", "reason")}
        return begin(call, order.with_options(**options))[1]

    handler.__name__ = str(action)  # names the operation in the OpenAPI document
    return handler


async def _order(call: Call[Nothing, shapes.BulkBody], action: BulkAction) -> BulkOrder:
    body, now = call.body, call.app.client.now()
    id = None if body.id is msgspec.UNSET else body.id
    if (body.ids is msgspec.UNSET) == (body.filter is msgspec.UNSET):
        raise bad_input("say which: ids, or a filter, which is empty for all")
    if body.ids is not msgspec.UNSET:
        return order_by_ids(action, body.ids, now=now, id=id)
    assert body.filter is not msgspec.UNSET
    given = given_filter(body.filter, now=call.now)
    return await call.app.client.session.arun(order_by_filter(call.app.client, action, given, now=now, id=id))


async def list_changes(call: Call[Nothing, None]) -> dict[str, object]:
    """The changes of this process."""
    return {"changes": [status_of(change) for change in bulk_changes(call.app).newest_first()]}


async def show_change(call: Call[Nothing, None]) -> dict[str, object]:
    """One change."""
    return status_of(find(call))


async def stop_change(call: Call[Nothing, None]) -> dict[str, object]:
    """Begin no other batch."""
    change = find(call)
    if not change.stop():
        raise Problem(409, "Over", f"the change is {change.state} already")
    return status_of(change)


def _row(action: BulkAction, body: type[msgspec.Struct], summary: str) -> Route:
    return Route(
        method="POST",
        path=f"{_PATH}/{action}",
        handler=_begin(action),
        summary=summary,
        topic=_TOPIC,
        role=ROLES[action],
        body=body,
        answer=shapes.BulkStatus,
        status=202,
        action=begun(action),
        problems=(409, 429),
    )


ROUTES = (
    _row(BulkAction.RETRY, shapes.BulkRetry, "Begin to run many jobs again, by ids or by a filter."),
    _row(BulkAction.CANCEL, shapes.BulkCancel, "Begin to cancel many jobs, by ids or by a filter."),
    _row(BulkAction.DELETE, shapes.BulkBody, "Begin to delete many jobs, by ids or by a filter."),
    Route(
        method="GET",
        path=_PATH,
        handler=list_changes,
        summary="The changes of many jobs that this process makes or made, the newest first.",
        topic=_TOPIC,
        role=Role.VIEWER,
        answer=shapes.BulkList,
    ),
    Route(
        method="GET",
        path=f"{_PATH}/{{id}}",
        handler=show_change,
        summary="How far a change of many jobs is, or what came of it.",
        topic=_TOPIC,
        role=Role.VIEWER,
        answer=shapes.BulkStatus,
        problems=(404,),
    ),
    Route(
        method="POST",
        path=f"{_PATH}/{{id}}/stop",
        handler=stop_change,
        summary="Stop a change of many jobs after its present batch.",
        topic=_TOPIC,
        role=Role.OPERATOR,
        answer=shapes.BulkStatus,
        action="bulk.stop",
        problems=(404, 409),
    ),
)
