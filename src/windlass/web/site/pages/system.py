"""The store, the processes around it, all settings in one place; tokens and who changed what, for admins."""

from __future__ import annotations

from typing import Any

import msgspec

from windlass.app import Windlass
from windlass.core.access.roles import Role
from windlass.core.validate import listed
from windlass.insight.diagnostics.finding import Diagnosis
from windlass.version import VERSION
from windlass.web.cursors import list_name
from windlass.web.problems import Problem, bad_input, not_found
from windlass.web.readings.counts import overview_of
from windlass.web.route import Answer, Call, Nothing
from windlass.web.site.forms.small_forms import Field, SmallForm
from windlass.web.site.page import Page, rendered
from windlass.web.site.pages.queues import by_trouble
from windlass.web.site.pages.store_levels import store_levels
from windlass.web.site.recent import Recent

_MOST = 500
_AUDIT_LIST = "/system#audit"
_AUDIT = 50
_CLEANINGS = 5


async def _diagnosis(app: Windlass) -> Diagnosis:
    return await app.adiagnose()


_DIAGNOSIS = Recent(_diagnosis, seconds=15)


class SystemQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the page of the audit begins."""

    audit: str = ""


class TokenForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A token to be made."""

    name: str = ""
    role: str = "viewer"
    queues: str = ""
    expires: str = ""


_TOKEN_FORM = SmallForm(
    title="New token",
    action="/tokens",
    fields=(
        Field("name", "Name", "Who or what uses it, unlike all others.", "ci"),
        Field("role", "Role", "What it may do.", choices=tuple((str(role), str(role)) for role in Role)),
        Field("queues", "Queues of a worker", "With commas between them; of the role worker alone."),
        Field("expires", "Expires in", "Blank: never.", "90d"),
    ),
    submit="Make it",
    place="System",
    path="/system",
    here="/system",
)


async def system(call: Call[SystemQuery, None]) -> Page:
    """Is the store well, who works on it, and what is set."""
    app = call.app
    seen = await overview_of(app)
    diagnosis = await _DIAGNOSIS.of(app)
    shown = {
        "findings": diagnosis.findings,
        "facts": sorted(diagnosis.facts.items()),
        "levels": await store_levels(app),
        "queues": sorted(seen.queues, key=by_trouble)[:_MOST],
        "workers": [worker for worker in seen.workers if worker.is_alive][:_MOST],
        "leader": seen.leader,
        "retention": app.client.retention,
        "cleanings": await app.acleanings(_CLEANINGS),
        "server_version": VERSION,
        **await _access(call),
    }
    return Page("system.html", "System", shown, here="/system")


async def _access(call: Call[SystemQuery, None]) -> dict[str, Any]:
    """Tokens and a page of the audit, which only admins see."""
    if not call.identity.role.allows(Role.ADMIN):
        return {"tokens": [], "audit": [], "audit_next": None, "is_newest": True}
    of, given = list_name(_AUDIT_LIST, None), call.query.audit
    page = await call.app.aaudit(limit=_AUDIT, cursor=call.cursors.read(of, given, int) if given else None)
    return {
        "tokens": (await call.app.atokens())[:_MOST],
        "audit": page.entries,
        "audit_next": None if page.next is None else call.cursors.write(of, page.next),
        "is_newest": not given,
    }


async def add_token(call: Call[Nothing, TokenForm]) -> Answer:
    """Make a token; the page that answers shows its text, and no other ever does."""
    given = call.body
    queues = listed(given.queues)
    if given.role == Role.WORKER and not queues:
        raise bad_input("name the queues that a token of role worker may use, as in tts, media", field="queues")
    issued = await call.app.aadd_token(
        given.name.strip(), role=given.role, queues=queues or None, expires=given.expires.strip() or None, by=call.by
    )
    shown = {"token": issued.view, "text": issued.text}
    page = Page("token.html", f"Token {issued.view.name}", shown, here="/system", is_live=False)
    return Answer(rendered(call, page), target=issued.view.name)


def token_again(call: Call[Nothing, TokenForm], problem: Problem) -> Page:
    """The form as it was sent, and what is wrong with it."""
    return _TOKEN_FORM.again(call, problem)


async def revoke_token(call: Call[Nothing, Nothing]) -> str:
    """Let a token open nothing any more."""
    if not await call.app.arevoke_token(call.path["name"], by=call.by):
        raise not_found("no token has this name")
    return "/system"
