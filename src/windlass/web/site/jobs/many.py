"""Changes of many jobs: the question before one, and how far it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any
from urllib.parse import parse_qsl

import msgspec
from msgspec import Meta

from windlass import clock
from windlass.core.state import State
from windlass.insight.job_filter import JobFilter
from windlass.web.bulk.change import BulkChange, BulkState
from windlass.web.bulk.changes import KEPT, bulk_changes
from windlass.web.bulk.order import BulkAction, BulkOrder, is_exact, order_by_filter, order_by_ids, written_count
from windlass.web.bulk.past import PastChange, past_change
from windlass.web.bulk.routes import begin, find
from windlass.web.problems import Problem, bad_input, not_found
from windlass.web.route import Answer, Call, Nothing
from windlass.web.site.jobs.filters import JobFilterQuery, given_filter
from windlass.web.site.page import Page

_MOST_NAMED = 200
_OF = "order of a change of many jobs"
_VERBS = {BulkAction.RETRY: "Retry", BulkAction.CANCEL: "Cancel", BulkAction.DELETE: "Delete"}
_STATES_SHOWN = {BulkState.RUNNING: "running", BulkState.STOPPING: "retrying", BulkState.STOPPED: "cancelled"}
_SHOWN_AS = _STATES_SHOWN | {BulkState.DONE: "completed", BulkState.FAILED: "failed"}
"""In whose colour and shape a change is shown."""


class ManyQuery(JobFilterQuery, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which jobs: those that are named, or all that a filter finds."""

    job: Annotated[tuple[str, ...], Meta(max_length=_MOST_NAMED)] = ()
    all: str = ""
    rate: str = ""


class ManyForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The answer to the question: the order as it was shown, and how to carry it out."""

    order: str = ""
    rate: str | None = None
    reason: str | None = None
    to_queue: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What is about to be done, in words."""

    order: BulkOrder
    signed: str
    rate: str

    @property
    def verb(self) -> str:
        return _VERBS[self.order.action]

    @property
    def count(self) -> str:
        """How many jobs, with the noun."""
        return f"{written_count(self.order.counted)} {'job' if self.order.counted == 1 else 'jobs'}"

    @property
    def which(self) -> str:
        """The states that are meant, as an adjective; empty where jobs are named."""
        names = [str(state) for state in self.order.states]
        return ", ".join(names[:-1]) + f" or {names[-1]}" if len(names) > 1 else "".join(names)

    @property
    def consequences(self) -> list[str]:
        """What happens, and what does not."""
        match self.order.action:
            case BulkAction.RETRY:
                return ["Each runs again with all its attempts."]
            case BulkAction.CANCEL:
                waits = ["Jobs that wait are cancelled; a retry takes that back."]
                runs = ["Jobs that run are asked to stop, and end when they do."]
                is_running = not self.order.states or State.RUNNING in self.order.states
                return waits + runs if is_running else waits
            case BulkAction.DELETE:
                return ["They are removed with their arguments, results and errors. This cannot be undone."]


def question(action: BulkAction) -> Any:
    """The page that asks whether to do it."""

    async def page(call: Call[ManyQuery, None]) -> Page:
        query = call.query
        order = await _order(call, action)
        if order.counted == 0:
            raise Problem(404, "No such jobs", f"no job matches that could be {action.done}")
        asked = Question(order, call.cursors.write(_OF, order), query.rate)
        back = f"/jobs?{order.query}" if order.words else "/jobs"
        shown = {"question": asked, "back": back, "frozen_at": clock.instant(order.frozen_at)}
        return Page("many_question.html", f"{asked.verb} {asked.count}?", shown, here="/jobs", is_live=False)

    return page


async def _order(call: Call[ManyQuery, None], action: BulkAction) -> BulkOrder:
    query, now = call.query, call.app.client.now()
    if query.job:
        return order_by_ids(action, query.job, now=now)
    given: JobFilter = given_filter(call, query)
    if not given and not query.all:
        raise bad_input("choose jobs in the list first, or all that match", field="job")
    return await call.app.client.session.arun(order_by_filter(call.app.client, action, given, now=now))


def begin_change(action: BulkAction) -> Any:
    """Begins what the question was about."""

    async def change(call: Call[Nothing, ManyForm]) -> Answer:
        form = call.body
        order = call.cursors.read(_OF, form.order, BulkOrder)
        if order.action is not action:
            raise bad_input("the order is about something else", field="order")
        order = order.with_options(rate=form.rate, to_queue=form.to_queue, reason=form.reason)
        begun, answer = begin(call, order)
        return replace(answer, value=f"/bulk/{begun.id}", status=None)

    return change


async def stop_change(call: Call[Nothing, Any]) -> str:
    """Begins no other batch."""
    change = find(call)
    if not change.stop():
        raise Problem(409, "Over", f"the change is {change.state} already")
    return f"/bulk/{change.id}"


@dataclass(frozen=True, slots=True)
class ChangeView:
    """A change as its page shows it."""

    id: str
    action: BulkAction
    by: str
    state: str
    """As which state of a job it is drawn."""
    word: str
    begun_at: datetime
    ended_at: datetime | None
    changed: int | None
    meant: str
    share: int | None
    """Percent, where it is known how many there are."""
    words: dict[str, str]
    told: str | None
    """What went wrong, or what is not known."""
    errors: dict[str, str]
    can_be_stopped: bool

    @property
    def is_over(self) -> bool:
        return not self.can_be_stopped


async def change(call: Call[Nothing, None]) -> Page:
    """How far a change is, or what came of it."""
    id = call.path["id"]
    known = bulk_changes(call.app).find(id)
    if known is not None:
        view = _view(known)
    else:
        past = await past_change(call.app, id)
        if past is None:
            raise not_found(
                f"no change {id} is known: this process keeps its newest {KEPT}, and those that others made are found "
                "only while they are among the newest entries of the audit"
            )
        view = _past_view(past)
    title = f"{_VERBS[view.action]} {view.meant} {'job' if view.meant == '1' else 'jobs'}"
    return Page("many.html", title, {"change": view, "title": title}, here="/jobs")


async def changes(call: Call[Nothing, None]) -> Page:
    """The changes of this process."""
    found = [_view(change) for change in bulk_changes(call.app).newest_first()]
    return Page("many_list.html", "Changes of many jobs", {"changes": found, "verbs": _VERBS}, here="/jobs")


def _view(change: BulkChange) -> ChangeView:
    order = change.order
    share = min(100, 100 * change.changed // order.at_least) if is_exact(order.counted) and order.at_least else None
    return ChangeView(
        id=change.id,
        action=order.action,
        by=change.by,
        state=_SHOWN_AS[change.state],
        word=str(change.state),
        begun_at=clock.instant(change.begun_at),
        ended_at=clock.instant_or_none(change.ended_at),
        changed=change.changed,
        meant=written_count(order.counted),
        share=share,
        words=order.words,
        told=change.error,
        errors=dict(change.errors),
        can_be_stopped=not change.is_over,
    )


def _past_view(past: PastChange) -> ChangeView:
    if past.ended_at is not None:
        state, _, error = (past.said or "").partition(": ")
        shown, told = _SHOWN_AS.get(BulkState(state) if state in set(BulkState) else BulkState.DONE, "completed"), error
        word = state
    elif past.is_dead:
        shown, word = "failed", "died"
        told = (
            f"The process {past.process} has ended before the change was done. What it had changed stays changed, the "
            "rest is as it was: begin again for what is left."
        )
    else:
        shown, word = "pending", "elsewhere"
        told = (
            f"Another process makes this change ({past.process}) and tells how far it is only when it has ended. If "
            "that process is gone, what it had changed stays changed, and the rest is as it was."
        )
    return ChangeView(
        id=past.id,
        action=past.action,
        by=past.by,
        state=shown,
        word=word,
        begun_at=past.begun_at,
        ended_at=past.ended_at,
        changed=past.changed,
        meant=f"{past.meant:,}",
        share=None,
        words=dict(parse_qsl(past.query)),
        told=told or None,
        errors={},
        can_be_stopped=False,
    )
