"""Forms of limits: set, drain, delete; the concurrency of a task; the end of a cool-down."""

from __future__ import annotations

import msgspec

from windlass.core.rates.key import BETWEEN
from windlass.errors import IllegalTransition
from windlass.store.driver import Topic
from windlass.store.operations.rates.cooldowns import Scope, end_cooldown
from windlass.web.problems import Problem, bad_input
from windlass.web.route import Answer, Call, Nothing
from windlass.web.site.forms.form_page import whole_number
from windlass.web.site.forms.small_forms import Field, SmallForm
from windlass.web.site.page import Page
from windlass.web.topics import limits as topic

_PLACE = "/limits"


class LimitForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rate and the burst of a limit; a new one has no version."""

    version: str = ""
    name: str = ""
    rate: str = ""
    burst: str = ""


class ConcurrencyForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many jobs of a task with the same key run at once; blank lets the code decide."""

    task: str = ""
    limit: str = ""


class CooldownForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What cools down."""

    scope: str = ""
    name: str = ""


async def set_limit(call: Call[Nothing, LimitForm]) -> Answer:
    """Set a limit for all processes, unless another operator has changed it since it was read."""
    given = call.body
    said: dict[str, str | int] = {}
    if given.rate.strip():
        said["rate"] = given.rate.strip()
    burst = whole_number(given.burst.strip(), "burst")
    if burst is not None:
        said["burst"] = burst
    await topic.change_limit(call, given.name.strip(), said, seen=given.version or topic.NO_LIMIT)
    return Answer(_PLACE, target=given.name.strip())


def limit_again(call: Call[Nothing, LimitForm], problem: Problem) -> Page:
    """The form as it was sent, and what is wrong with it."""
    name, is_new = call.body.name, not call.body.version
    fields = (
        Field("rate", "Rate", "How many in which time.", "30/min"),
        Field("burst", "Burst", "How many of them at once; blank for as many as the rate says."),
    )
    form = SmallForm(
        title="New limit" if is_new else f"Limit {name}",
        action=_PLACE,
        fields=(Field("name", "Name", "Unlike all others.", "github"), *fields) if is_new else fields,
        submit="Set" if is_new else f"Set {name}",
        place="Limits",
        path=_PLACE,
        here=_PLACE,
    )
    return form.again(call, problem)


async def drain_limit(call: Call[Nothing, None]) -> str:
    """Empty its bucket."""
    await topic.drain(call)
    return _PLACE


async def delete_limit(call: Call[Nothing, None]) -> str:
    """Remove it."""
    await topic.delete(call)
    return _PLACE


async def set_concurrency(call: Call[Nothing, ConcurrencyForm]) -> Answer:
    """Set how many jobs of a task with the same key run at once, whatever the code says."""
    given = call.body
    limit = whole_number(given.limit.strip(), "limit")
    await call.app.concurrency(given.task).aconfigure(limit=limit, by=call.by)
    return Answer(_PLACE, target=given.task)


def concurrency_again(call: Call[Nothing, ConcurrencyForm], problem: Problem) -> Page:
    """The form as it was sent, and what is wrong with it."""
    form = SmallForm(
        title=f"Concurrency of {call.body.task}",
        action="/concurrency",
        fields=(Field("limit", "At once", "Jobs with the same key; blank lets the code decide.", "1"),),
        submit="Set",
        place="Limits",
        path=_PLACE,
        here=_PLACE,
    )
    return form.again(call, problem)


async def end_early(call: Call[Nothing, CooldownForm]) -> Answer:
    """End a cool-down of a queue, a task, with those of its rate keys, one such key, or a limit."""
    given = call.body
    if given.scope not in tuple(Scope):
        raise bad_input(f"scope must be one of {', '.join(Scope)}, got {given.scope!r}", field="scope")
    if given.scope == Scope.TASK and BETWEEN not in given.name:
        ended = await call.app.aresume_task(given.name, by=call.by)
    else:
        ended = await call.app.client.session.arun(
            end_cooldown(Scope(given.scope), given.name), notify=(Topic.WORK, Topic.CONTROL)
        )
    if not ended:
        raise IllegalTransition(f"{given.scope} {given.name} does not cool down any more")
    return Answer(_PLACE, target=f"{given.scope} {given.name}".replace("\t", " "))
