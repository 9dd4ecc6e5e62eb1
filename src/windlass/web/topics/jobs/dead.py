"""Jobs that failed for good, and changes of many of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from windlass import clock
from windlass.client.session import ANY_JOB
from windlass.core import validate
from windlass.core.rates.rate import read_gap
from windlass.core.state import State
from windlass.insight import json_forms
from windlass.insight.job_filter import shown_filter_for
from windlass.store.operation import Operation
from windlass.store.operations.jobs import Act, change_page, deleting, retrying
from windlass.store.operations.queries import NEWEST, Filter, find
from windlass.store.pages import Found
from windlass.web.problems import bad_input
from windlass.web.route import PREFIX, Answer, Call, Nothing, Route
from windlass.web.security.roles import Role
from windlass.web.shapes import dead as shapes
from windlass.web.shapes.jobs import DeadQuery, JobFilters, JobList
from windlass.web.topics.jobs.job_filters import given_filter, page_of_jobs

_TOPIC = "Dead letters"
_SECONDS = 2.0
"""After so long no other page is begun: the answer says where to go on."""

_AT_ONCE = 50
"""How many jobs that are named are read by one call."""
_DEAD = Filter(states=(State.FAILED,))

Order = TypeVar("Order", bound=shapes.DeadOrder)


class Rest(msgspec.Struct, frozen=True):
    """What is left to do of a change of many jobs: what was asked for, when, and from where on."""

    given: JobFilters
    frozen_at: int
    """In milliseconds since 1970: what fails from then on is not meant, also when the change takes several requests."""
    before: int
    to_queue: str | None = None
    gap: float = 0.0
    """Milliseconds between two of them."""
    done: int = 0


async def list_dead(call: Call[DeadQuery, None]) -> dict[str, object]:
    """A page of dead letters."""
    return await page_of_jobs(call, "dead", state=State.FAILED)


async def list_groups(call: Call[shapes.DeadGroupsQuery, None]) -> dict[str, object]:
    """Dead letters by their cause."""
    return json_forms.dead_groups(await call.app.adead_groups(call.query.limit))


async def mute_group(call: Call[Nothing, shapes.MuteOrder]) -> Answer:
    """Mute a group of failures."""
    order = call.body
    muted = await call.app.adead_mute(order.group, lasts=order.lasts, reason=order.reason, by=call.by)
    return Answer(json_forms.mute(muted), target=muted.cause)


async def unmute_group(call: Call[Nothing, shapes.UnmuteOrder]) -> Answer:
    """Count a group of failures again."""
    was_muted = await call.app.adead_unmute(call.body.group)
    return Answer({"unmuted": was_muted}, count=int(was_muted), target=call.body.group)


async def retry_dead(call: Call[Nothing, shapes.DeadRetryOrder]) -> Answer:
    """Run dead letters again."""
    order = call.body
    if order.to_queue is not None:
        validate.queue_name(order.to_queue)
    gap = read_gap(order.rate)

    def act(rest: Rest) -> Act:
        return retrying(_DEAD, to_queue=rest.to_queue, by=call.by, gap=rest.gap, done=rest.done)

    return await _change(call, "retried", act, Rest(JobFilters(), 0, NEWEST, order.to_queue, gap))


async def delete_dead(call: Call[Nothing, shapes.DeadOrder]) -> Answer:
    """Delete dead letters."""
    return await _change(call, "deleted", lambda rest: deleting(_DEAD), Rest(JobFilters(), 0, NEWEST))


async def _change(call: Call[Nothing, Order], done: str, act: Callable[[Rest], Act], first: Rest) -> Answer:
    order = call.body
    if [given is msgspec.UNSET for given in (order.ids, order.filter, order.next)].count(False) != 1:
        raise bad_input("say which: ids, a filter (empty for all), or the next of the answer before")
    if order.ids is not msgspec.UNSET:
        ids = list(dict.fromkeys(order.ids))
        errors = await _named(call, ids, act(first))
        changed = len(ids) - len(errors)
        return Answer({done: changed, "next": None, "errors": errors}, count=changed, target=" ".join(ids[:3]))
    of = f"rest of {done}"
    if order.next is not msgspec.UNSET:
        rest = call.cursors.read(of, order.next, Rest)
    else:
        given = JobFilters() if order.filter is msgspec.UNSET else order.filter
        rest = msgspec.structs.replace(first, given=given, frozen_at=call.app.client.now())
    changed, before = await _pages(call, rest, act(rest))
    left = None if before is None else call.cursors.write(of, _left(rest, before, changed))
    return Answer({done: changed, "next": left, "errors": {}}, count=changed, target="dead letters by filter")


def _left(rest: Rest, before: int, changed: int) -> Rest:
    return msgspec.structs.replace(rest, before=before, done=rest.done + changed)


def _meant(call: Call[Nothing, Order], rest: Rest) -> Filter:
    given = given_filter(rest.given, now=clock.instant(rest.frozen_at))
    filter = shown_filter_for(call.app.client, {**given, "state": State.FAILED})
    return msgspec.structs.replace(filter, finished_before=rest.frozen_at + 1)


async def _pages(call: Call[Nothing, Order], rest: Rest, act: Act) -> tuple[int, int | None]:
    """How many were changed, and before which the next request goes on."""
    session, until = call.app.client.session, clock.monotonic() + _SECONDS
    filter, changed, before = _meant(call, rest), 0, rest.before
    while True:
        page = await session.arun(change_page(filter, act, cursor=before), notify=ANY_JOB)
        changed += page.changed
        if page.next is None or clock.monotonic() >= until:
            return changed, page.next
        before = page.next


async def _named(call: Call[Nothing, Order], ids: Sequence[str], act: Act) -> dict[str, str]:
    """Change the jobs that are named, each by itself. Gives, by id, why a job was not changed."""
    session, errors = call.app.client.session, dict[str, str]()
    for first in range(0, len(ids), _AT_ONCE):
        errors |= await session.arun(_change_named(ids[first : first + _AT_ONCE], act), notify=ANY_JOB)
    return errors


def _change_named(ids: Sequence[str], act: Act) -> Operation[dict[str, str]]:
    found = yield from find(ids)
    errors = {id: f"no job has the id {id!r}" for id in ids if id not in found}
    for id, job in found.items():
        if job.state is not State.FAILED:
            errors[id] = f"job {id} is {job.state}, not a dead letter"
        elif not (yield from act([Found(job.seq, id, 0)])):
            errors[id] = f"job {id} could not be changed: another holds its unique key, or it was changed meanwhile"
    return errors


ROUTES = (
    Route(
        method="GET",
        path=f"{PREFIX}/dead",
        handler=list_dead,
        summary="List jobs that failed for good, the newest first.",
        topic=_TOPIC,
        role=Role.VIEWER,
        query=DeadQuery,
        answer=JobList,
    ),
    Route(
        method="GET",
        path=f"{PREFIX}/dead/groups",
        handler=list_groups,
        summary="Dead letters by their cause, the largest group first.",
        topic=_TOPIC,
        role=Role.VIEWER,
        query=shapes.DeadGroupsQuery,
        answer=shapes.DeadGroups,
    ),
    Route(
        method="POST",
        path=f"{PREFIX}/dead/mute",
        handler=mute_group,
        summary="Mute a group of failures for a time, or until the next deploy.",
        topic=_TOPIC,
        role=Role.OPERATOR,
        body=shapes.MuteOrder,
        answer=shapes.Mute,
        action="dead.mute",
    ),
    Route(
        method="POST",
        path=f"{PREFIX}/dead/unmute",
        handler=unmute_group,
        summary="End the mute of a group of failures.",
        topic=_TOPIC,
        role=Role.OPERATOR,
        body=shapes.UnmuteOrder,
        answer=shapes.Unmuted,
        action="dead.unmute",
    ),
    Route(
        method="POST",
        path=f"{PREFIX}/dead/retry",
        handler=retry_dead,
        summary="Run dead letters again, by ids or by a filter.",
        topic=_TOPIC,
        role=Role.OPERATOR,
        body=shapes.DeadRetryOrder,
        answer=shapes.ManyRetried,
        action="dead.retry",
        seconds=20.0,
    ),
    Route(
        method="POST",
        path=f"{PREFIX}/dead/delete",
        handler=delete_dead,
        summary="Delete dead letters, by ids or by a filter.",
        topic=_TOPIC,
        role=Role.ADMIN,
        body=shapes.DeadOrder,
        answer=shapes.ManyDeleted,
        action="dead.delete",
        seconds=20.0,
    ),
)
