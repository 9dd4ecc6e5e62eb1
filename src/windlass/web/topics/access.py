"""Tokens, and the record of who changed what."""

from __future__ import annotations

from windlass.insight import json_forms
from windlass.web.cursors import list_name
from windlass.web.problems import not_found
from windlass.web.route import PREFIX, Answer, Call, Nothing, Route
from windlass.web.security.roles import Role
from windlass.web.shapes import access as shapes

_TOPIC = "Access"
_TOKENS = f"{PREFIX}/tokens"
_AUDIT = f"{PREFIX}/audit"


async def list_tokens(call: Call[Nothing, None]) -> dict[str, object]:
    """All tokens."""
    return {"tokens": [json_forms.token(token) for token in await call.app.atokens()]}


async def add_token(call: Call[Nothing, shapes.TokenOrder]) -> Answer:
    """Make a token."""
    order = call.body
    issued = await call.app.aadd_token(
        order.name, role=order.role, queues=order.queues, expires=order.expires, by=call.by
    )
    return Answer({"token": issued.text, **json_forms.token(issued.view)}, target=order.name)


async def revoke_token(call: Call[Nothing, None]) -> Answer:
    """Let a token open nothing any more."""
    if not await call.app.arevoke_token(call.path["name"], by=call.by):
        raise not_found("no token has this name; see GET /api/v1/tokens")
    return Answer()


async def list_audit(call: Call[shapes.AuditQuery, None]) -> dict[str, object]:
    """A page of the audit."""
    name = list_name(_AUDIT, None)
    cursor = None if call.query.cursor is None else call.cursors.read(name, call.query.cursor, int)
    page = await call.app.aaudit(limit=call.query.limit, cursor=cursor)
    return {**json_forms.audit(page), "next": None if page.next is None else call.cursors.write(name, page.next)}


ROUTES = (
    Route(
        method="GET",
        path=_TOKENS,
        handler=list_tokens,
        summary="All tokens, without their texts.",
        topic=_TOPIC,
        role=Role.ADMIN,
        answer=shapes.Tokens,
    ),
    Route(
        method="POST",
        path=_TOKENS,
        handler=add_token,
        summary="Add a token; its text is in this answer and never again.",
        topic=_TOPIC,
        role=Role.ADMIN,
        body=shapes.TokenOrder,
        answer=shapes.IssuedToken,
        status=201,
        action="token.add",
    ),
    Route(
        method="DELETE",
        path=f"{_TOKENS}/{{name}}",
        handler=revoke_token,
        summary="Revoke a token.",
        topic=_TOPIC,
        role=Role.ADMIN,
        answer=None,
        status=204,
        action="token.revoke",
        problems=(404,),
    ),
    Route(
        method="GET",
        path=_AUDIT,
        handler=list_audit,
        summary="Who changed what to how many, the newest first.",
        topic=_TOPIC,
        role=Role.ADMIN,
        query=shapes.AuditQuery,
        answer=shapes.AuditEntries,
    ),
)
