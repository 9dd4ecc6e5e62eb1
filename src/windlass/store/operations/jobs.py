"""Changes jobs: promotes, cancels, retries, reschedules, deletes, and shows the progress of a run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from msgspec import Struct

from windlass.core.state import State, Verb, allowed_from
from windlass.store.operation import Answer, Call, Operation
from windlass.store.operations.events import record_stale_writes, remove_vanished
from windlass.store.operations.queries import Filter, matching
from windlass.store.operations.steps.sent_events import deliver_events
from windlass.store.pages import PAGE, Found, portions


def progress(seq: int, fence: int, text: str, *, worker: str) -> Operation[bool]:
    """Show how far a run is; false when the lease is lost."""
    answer = yield Call("progress", {"seq": seq, "fence": fence, "progress": text})
    if answer["progressed"]:
        return True
    yield from record_stale_writes([(seq, fence, "progress")], worker=worker)
    return False


def guard(seq: int) -> Operation[None]:
    """Hold off the rescue of a running job until the transaction ends in which this is carried out.

    The caller has to look afterwards, outside of that transaction, whether the job is still its own. A repeat changes
    nothing.
    """
    yield Call("guard", {"seq": seq})


PROMOTED_AT_ONCE = 1000
"""Jobs; promoting reads none of their texts."""


def promote(limit: int = PROMOTED_AT_ONCE, *, by: str | None = None) -> Operation[int]:
    """Make all due jobs pending, page by page, and those whose event has come, and let those go that have waited for a
    token; how many. Those that have not started in time end as cancelled.
    """
    total = yield from deliver_events()
    is_full = True
    while is_full:
        page = yield from promote_page(limit, by=by)
        total, is_full = total + page.promoted + page.let_go, page.is_full
    return total


class Promoted(Struct, frozen=True):
    """What one page did."""

    promoted: int
    """How many jobs became pending because they are due."""
    expired: int
    """How many jobs ended as cancelled because they had not started in time."""
    is_full: bool
    """Whether there may be more to do."""
    let_go: int = 0
    """How many became pending that had waited for a token."""
    released: int = 0
    """How many blocked jobs do not wait for their parents any more."""
    cancelled: int = 0
    """How many blocked jobs ended as cancelled because of a parent."""


def promote_page(limit: int = PROMOTED_AT_ONCE, *, by: str | None = None) -> Operation[Promoted]:
    """Make the longest overdue jobs pending, and end those that wait and are past their expiry, so many of both. Let
    jobs go for which there is a token now. Settle the edges between jobs that other calls have left.

    Repeated after no reply, it goes on with the next.
    """
    answer = yield Call("promote", {"limit": limit})
    lost = yield from remove_vanished(answer, by=by)
    promoted, expired = len(answer["promoted"]), len(answer["expired"])
    let_go = 0
    if answer.get("opening"):
        opened = yield Call("open_rates", {"limit": limit})
        let_go = sum(number for (number,) in opened.get("let_go", ()))
    released, cancelled = _number(answer, "released"), _number(answer, "doomed")
    # Edges are settled some hundreds at a time, and others may wait for jobs that were cancelled here.
    is_full = promoted + expired + lost >= limit or released + cancelled > 0
    return Promoted(promoted, expired, is_full, let_go, released, cancelled)


def _number(answer: Answer, part: str) -> int:
    return sum(number for (number,) in answer.get(part, ()))


def cancel(seqs: Sequence[int], *, by: str, reason: str | None = None) -> Operation[dict[int, State]]:
    """Cancel what waits, ask what runs to stop; the state of each job that this changed."""
    answers = yield from _until_none_is_missed("cancel", {"seqs": list(seqs), "by": by, "reason": reason})
    return {seq: State(state) for answer in answers for seq, state in answer["cancelled"]}


class Retried(Struct, frozen=True):
    """Which jobs a retry by hand put back, and which another job's unique key kept from it."""

    seqs: list[int]
    key_taken: dict[int, str]
    """The holder's id by the seq of the job that stayed as it was."""


def retry(
    seqs: Sequence[int],
    *,
    by: str,
    states: Collection[State] = tuple(State),
    queue: str | None = None,
    delay: int = 0,
    gap: float = 0,
) -> Operation[Retried]:
    """Run jobs again with a fresh budget; only those found in one of ``states``. The first of them is to run after
    ``delay`` milliseconds, each other one ``gap`` milliseconds after the one before it.
    """
    legal = _legal(Verb.RETRY, states)
    params = {"seqs": list(seqs), "by": by, "states": legal, "queue": queue, "delay": delay, "gap": gap}
    answers = yield from _until_none_is_missed("retry", params)
    return Retried(
        [seq for answer in answers for (seq,) in answer["retried"]],
        {seq: holder for answer in answers for seq, holder in answer["taken"]},
    )


def reschedule(seq: int, *, delay: int | None = None, at: int | None = None) -> Operation[bool]:
    """Move a waiting job to another time; false when it does not wait."""
    answer = yield Call("reschedule", {"seq": seq, "delay": delay, "at": at})
    return bool(answer["rescheduled"])


def delete(jobs: Sequence[tuple[int, str]], *, states: Collection[State] = tuple(State)) -> Operation[list[int]]:
    """Remove jobs, given by seq and id; only those found in one of ``states`` and not running."""
    legal = _legal(Verb.DELETE, states)
    params = {"seqs": [seq for seq, _ in jobs], "ids": [id for _, id in jobs], "states": legal}
    answers = yield from _until_none_is_missed("delete", params)
    return [seq for answer in answers for (seq,) in answer["deleted"]]


def _until_none_is_missed(name: str, params: dict[str, Any]) -> Operation[list[Answer]]:
    """Repeat a call for the jobs that it missed, with what each try answered.

    Where many write at once, a job may move on between the moment that a call judges by and its lock on the job.
    """
    answers: list[Answer] = []
    while True:
        answer = yield Call(name, params)
        answers.append(answer)
        missed = [seq for (seq,) in answer.get("missed", ())]
        if not missed:
            return answers
        params = {**params, "seqs": missed}


def _legal(verb: Verb, states: Collection[State]) -> list[State]:
    return sorted(allowed_from(verb).intersection(states))


Act = Callable[[list[Found]], Operation[int]]
"""Changes the jobs of a page; how many of them."""


class ChangedPage(Struct, frozen=True):
    """How many jobs of a page were changed, and where the next page begins; None after the last."""

    changed: int
    next: int | None


def for_each_page(filter: Filter, act: Act, *, at_most: int | None = None) -> Operation[int]:
    """Apply a bulk operation to all jobs that a filter finds, in pages; how many it changed.

    Each page is one atomic unit, so that a bulk operation never holds the store up.
    """
    total, cursor = 0, None
    while True:
        page = yield from change_page(filter, act, cursor=cursor)
        total, cursor = total + page.changed, page.next
        if cursor is None or (at_most is not None and total >= at_most):
            return total


def change_page(filter: Filter, act: Act, *, cursor: int | None) -> Operation[ChangedPage]:
    """Apply a bulk operation to the jobs of one page."""
    found = yield from matching(filter, limit=PAGE, cursor=cursor)
    changed = 0
    for portion in portions(found.jobs):
        changed += yield from act(portion)
    return ChangedPage(changed, found.next)


def retry_all(filter: Filter, *, to_queue: str | None, by: str, gap: float = 0) -> Operation[int]:
    """Run jobs again, in another queue if one is named, ``gap`` milliseconds apart; how many."""
    return for_each_page(filter, retrying(filter, to_queue=to_queue, by=by, gap=gap))


def retrying(filter: Filter, *, to_queue: str | None, by: str, gap: float = 0, done: int = 0) -> Act:
    """Runs the jobs of a page again that still have a state of the filter, ``gap`` milliseconds apart; ``done`` were
    before.
    """

    def retry_page(found: list[Found]) -> Operation[int]:
        nonlocal done
        seqs = [job.seq for job in found]
        delay = int(done * gap)
        retried = yield from retry(seqs, by=by, states=filter.states or (), queue=to_queue, delay=delay, gap=gap)
        done += len(retried.seqs)
        return len(retried.seqs)

    return retry_page


def cancel_all(filter: Filter, *, by: str, reason: str | None) -> Operation[int]:
    """Cancel jobs that wait, ask running ones to stop; how many."""
    return for_each_page(filter, cancelling(by=by, reason=reason))


def cancelling(*, by: str, reason: str | None) -> Act:
    """Cancels the jobs of a page that wait, and asks those that run to stop."""

    def cancel_page(found: list[Found]) -> Operation[int]:
        cancelled = yield from cancel([job.seq for job in found], by=by, reason=reason)
        return len(cancelled)

    return cancel_page


def purge(filter: Filter) -> Operation[int]:
    """Delete jobs that still have a state of the filter; how many."""
    return for_each_page(filter, deleting(filter))


def deleting(filter: Filter) -> Act:
    """Deletes the jobs of a page that still have a state of the filter."""

    def delete_page(found: list[Found]) -> Operation[int]:
        deleted = yield from delete([(job.seq, job.id) for job in found], states=filter.states or ())
        return len(deleted)

    return delete_page
