"""Which parents, or members of its group, a job waits for, or has waited for in vain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from windlass.core.state import FINISHED, State
from windlass.insight.why.shut_gates import NAMED
from windlass.insight.why.texts import several
from windlass.store.operation import Operation
from windlass.store.operations import queries
from windlass.store.operations.flows.causes import DEPENDENCY, causes
from windlass.store.operations.flows.edges import Relative, parents
from windlass.store.operations.flows.groups import MEMBERS_FROM, group_counts, members

_UNSUCCESSFUL = (State.FAILED, State.CANCELLED, None)
"""How jobs end that do not complete; None for one that is gone."""

_IN_A_MOMENT = "the jobs that it waited for have ended: it will go on in a moment"


def waits_for_parents(seq: int) -> Operation[str]:
    """Names the jobs that a blocked one waits for."""
    named = yield from parents(seq)
    if any(parent.is_open for parent in named if parent.place < MEMBERS_FROM):
        return (yield from _waits_for([parent for parent in named if parent.place < MEMBERS_FROM]))
    counts = yield from group_counts(seq)
    if not counts:
        return (yield from _waits_for(named))
    return (yield from _waits_for_members(seq, counts))


def left_by_parents(seq: int) -> Operation[str]:
    """Names the jobs because of which one was cancelled: those that did not complete."""
    found: list[Relative] = []
    after = -1
    while len(found) <= NAMED and (page := (yield from parents(seq, after=after))):
        found += [parent for parent in page if parent.state in _UNSUCCESSFUL]
        after = page[-1].place
    if not found:
        return "a job that it waited for did not complete; retry this one to run it now"
    others = ", ..." if len(found) > NAMED else ""
    if all(parent.state is None for parent in found):
        return f"it waited for {_named(found)}{others}; retry it to run it without"
    which = "that one" if len(found) == 1 else "those"
    because = yield from _because(found)
    return f"it waited for {_named(found)}{others}, which did not complete{because or f'; retry {which}'}, or this"


def _waits_for_members(seq: int, counts: Mapping[State | None, int]) -> Operation[str]:
    """Says how many members have not ended, or have to be retried, and names the first of them."""
    unfinished = sum(number for state, number in counts.items() if state is not None and state not in FINISHED)
    unsuccessful = sum(number for state, number in counts.items() if state in _UNSUCCESSFUL)
    wanted = unfinished or unsuccessful
    if not wanted:
        return _IN_A_MOMENT
    first: list[Relative] = []
    after = -1
    while len(first) < NAMED and (page := (yield from members(seq, after=after))):
        first += [
            member
            for member in page
            if (member.state is not None and member.state not in FINISHED)
            or (not unfinished and member.state is not State.COMPLETED)
        ]
        after = page[-1].place
    others = ", ..." if wanted > NAMED else ""
    ended = set() if unfinished else {state for state, number in counts.items() if number}
    remedy = yield from _remedy(ended, first)
    total = several(sum(counts.values()), "member")
    return f"it waits for {wanted:,} of {total} of its group: {_named(first)}{others}{remedy}"


def _waits_for(parents: Sequence[Relative]) -> Operation[str]:
    """Names the parents that have not ended, the first of them."""
    open_ones = [parent for parent in parents if parent.is_open]
    if not open_ones:
        return _IN_A_MOMENT
    more = len(open_ones) - NAMED
    others = f" and {several(more, 'other job')}" if more > 0 else ""
    remedy = yield from _remedy({parent.state for parent in open_ones}, open_ones)
    return f"it waits for {_named(open_ones)}{others} to complete{remedy}"


def _because(relatives: Sequence[Relative]) -> Operation[str]:
    """Names what has to be retried where one was cancelled because of others itself; empty where none was.

    A retry of such a one would run it without the results that it waits for.
    """
    ids = [each.id for each in relatives[:NAMED] if each.id and each.state is State.CANCELLED]
    if not ids:
        return ""
    cancelled = {each.seq for each in (yield from queries.find(ids)).values() if each.reason == DEPENDENCY}
    upstream = yield from causes(sorted(cancelled), most=NAMED + 1)
    if not upstream:
        return ""
    named = [f"{each.id} ({each.state})" for each in upstream[:NAMED]]
    others = ", ..." if len(upstream) > NAMED else ""
    besides = [each.id for each in relatives[:NAMED] if each.state in _UNSUCCESSFUL and each.seq not in cancelled]
    which = "that one" if len(upstream) == 1 else "those"
    return f" because of {', '.join(named)}{others}; retry {' and '.join([which, *filter(None, besides)])}"


def _remedy(states: set[State | None], named: Sequence[Relative]) -> Operation[str]:
    """A clause for a job that waits for what has ended without completing; empty for others."""
    if None in states:
        return "; what is gone will never complete: retry this job to run it without, or cancel it"
    if not states.intersection(_UNSUCCESSFUL):
        return ""
    return (yield from _because(named)) or "; what did not complete has to be retried"


def _named(relatives: Sequence[Relative]) -> str:
    named = [f"{each.id or 'one that is gone'} ({each.state or 'deleted'})" for each in relatives[:NAMED]]
    return ", ".join(named)
