"""Reads: jobs, counts, waiting queues, next due times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from msgspec import Struct

from windlass.core.meta import argument_texts, has_meta, meta_texts
from windlass.core.records import JobRecord
from windlass.core.state import State
from windlass.store.answers import records
from windlass.store.operation import Call, Lane, Operation
from windlass.store.operations.steps.steps import StepRecord, steps_of
from windlass.store.operations.upkeep.leader import LEADER
from windlass.store.pages import PAGE_BYTES, Found, portions

WINDOW = 5000
"""How many jobs a page looks at before it comes back short."""
_FIRST = 4
"""A page first looks at so many times as many jobs as it wants: most filters find enough there, and stores that work
with whole sets would else look at a thousand times as many.
"""

_READ_BYTES = 8 * PAGE_BYTES
"""How many bytes of users' texts a call may read that gives none of them."""

_NAMED_AT_ONCE = 1000
_SLICE = 1000
_SLICES = 3000
"""How many slices of ids, and how many ids in each, are looked through for one that begins with a text."""

_STRAIGHT = ((State.FAILED,), (State.CANCELLED,), (State.RUNNING,))

NEWEST = 2**62
"""A cursor beyond every seq."""


class Filter(Struct, frozen=True, kw_only=True):
    """Which jobs are meant; what is None does not matter. Instants are milliseconds since 1970."""

    states: tuple[State, ...] | None = None
    queue: str | None = None
    task: str | None = None
    reason: str | None = None
    cause: str | None = None
    since: int | None = None
    until: int | None = None
    finished_before: int | None = None
    text: str | None = None
    tag: str | None = None
    id: str | None = None
    running_for: int | None = None
    """Claimed so many milliseconds ago, or longer."""
    meta: tuple[tuple[str, str], ...] = ()
    """Keys of the metadata, and the values that they have; what is no text as its JSON."""
    arguments: tuple[tuple[str, str], ...] = ()
    """Names of arguments, and the values that they have, alike. Stores look for the values; ``confirm`` tells under
    which name each stands.
    """
    confirm: Callable[[JobRecord], bool] | None = None
    """Whether a whole job is meant that the store has found by its texts, where they cannot tell."""


J = TypeVar("J")


class Page(Struct, Generic[J], frozen=True):
    """Jobs, the newest first, and where the next page begins; a page may be short and still have a next one."""

    jobs: list[J]
    next: int | None
    unsearched: int = 0
    """Of a search for a text: how many other jobs were looked at that have encrypted texts, which no search reads."""


def find(ids: Sequence[str], seqs: Sequence[int] = ()) -> Operation[dict[str, JobRecord]]:
    """Jobs by id; those that are not there are missing.

    With ``seqs``, the numbers of the same jobs, those are found too whose id was changed by hand (see Redis).
    """
    answer = yield Call("jobs_by_id", {"ids": list(ids), "seqs": list(seqs)}, Lane.READ)
    return {record.id: record for record in records(answer["jobs"], JobRecord)}


def ids_with_prefix(prefix: str, *, limit: int) -> Operation[list[str] | None]:
    """Up to ``limit`` ids that begin with a text; None where there are too many jobs to look through (see Redis)."""
    found: dict[str, None] = {}
    cursor = "0"
    for _ in range(_SLICES):
        params = {"prefix": prefix, "limit": limit, "cursor": cursor, "slice": _SLICE}
        answer = yield Call("ids_with_prefix", params, Lane.READ)
        found.update((id, None) for (id,) in answer["ids"])
        # Stores that keep ids in order need no second read.
        cursor = str(answer["next"][0][0]) if "next" in answer else "0"
        if cursor == "0" or len(found) >= limit:
            return sorted(found)[:limit]
    return None


def ambiguous_prefixes(starts: Sequence[tuple[str, int]]) -> Operation[frozenset[str]]:
    """Of the given id prefixes, each with the ``seq`` of a job that has it, those that more than one job has."""
    params = {"starts": [start for start, _ in starts], "seqs": [seq for _, seq in starts]}
    answer = yield Call("ambiguous_prefixes", params, Lane.READ)
    return frozenset(start for (start,) in answer["starts"])


def page(filter: Filter, *, limit: int, cursor: int | None = None) -> Operation[Page[JobRecord]]:
    """One page of the jobs that a filter finds, whole. One that is deleted meanwhile is left out."""
    found = yield from _found(filter, limit=limit, cursor=cursor)
    whole = yield from read_whole(found.jobs)
    return Page(whole, found.next, found.unsearched)


def _found(filter: Filter, *, limit: int, cursor: int | None) -> Operation[Page[Found]]:
    """``matching``, but with a look at few jobs first; at most as many are looked at in all."""
    few = limit if filter == Filter() else _FIRST * limit
    # A search for texts ends at a number of bytes, and is made once.
    is_search = filter.text is not None or filter.meta or filter.arguments
    if filter.id is not None or is_search or few >= WINDOW:
        return (yield from matching(filter, limit=limit, cursor=cursor))
    first = yield from _page(filter, limit=limit, cursor=cursor, window=few)
    if first.next is None or len(first.jobs) == limit:
        return first
    rest = yield from _page(filter, limit=limit - len(first.jobs), cursor=first.next, window=WINDOW - few)
    return Page([*first.jobs, *rest.jobs], rest.next)


def read_whole(found: Sequence[Found]) -> Operation[list[JobRecord]]:
    """What was found, as whole jobs and in order, read in portions that a call can carry; without what is gone."""
    whole: list[JobRecord] = []
    for portion in portions(found):
        records = yield from find([job.id for job in portion], [job.seq for job in portion])
        whole += [records[job.id] for job in portion if job.id in records]
    return whole


def matching(filter: Filter, *, limit: int, cursor: int | None = None) -> Operation[Page[Found]]:
    """One page of the jobs that a filter finds, without what they hold."""
    if filter.id is not None:
        return (yield from _matching_id(filter.id, filter, cursor))
    return (yield from _page(filter, limit=limit, cursor=cursor, window=WINDOW))


def _matching_id(id: str, filter: Filter, cursor: int | None) -> Operation[Page[Found]]:
    """The job of an id, if a filter finds it: the page of one row that begins with its own."""
    job = (yield from find([id])).get(id)
    if job is None or (cursor is not None and job.seq >= cursor):
        return Page([], None)
    page = yield from _page(filter, limit=1, cursor=job.seq + 1, window=1)
    return Page([found for found in page.jobs if found.seq == job.seq], None, page.unsearched)


def _page(filter: Filter, *, limit: int, cursor: int | None, window: int) -> Operation[Page[Found]]:
    params: dict[str, Any] = {
        "states": list(filter.states) if filter.states is not None else None,
        # Failed and cancelled jobs are few among the finished, and running ones among all: stores keep a way straight
        # to them.
        "only": filter.states[0] if filter.states in _STRAIGHT else None,
        "queue": filter.queue,
        "task": filter.task,
        "reason": filter.reason,
        "cause": filter.cause,
        "since": filter.since,
        "until": filter.until,
        "finished_before": filter.finished_before,
        "running_for": filter.running_for,
        "text": filter.text,
        "tag": filter.tag,
        "meta": [meta_texts(key, value) for key, value in filter.meta] or None,
        "arguments": [argument_texts(name, value) for name, value in filter.arguments] or None,
        "cursor": NEWEST if cursor is None else cursor,
        "limit": limit,
        "window": window,
        "bytes": _READ_BYTES,
    }
    answer = yield Call("page", params, Lane.READ)
    jobs = records(answer["jobs"], Found)
    examined, last = answer["examined"][0]
    next = jobs[-1].seq if len(jobs) == limit else last if examined == window else None
    # Stores may look further than to the last job of a full page.
    unsearched = {seq for (seq,) in answer.get("unsearched", ()) if next is None or seq >= next}
    unsearched -= {job.seq for job in jobs}
    return Page((yield from _confirmed(jobs, filter)), next, len(unsearched))


def _confirmed(found: list[Found], filter: Filter) -> Operation[list[Found]]:
    """Those that are meant: what a store finds in a text may lie deeper, under another key."""
    if not (filter.meta or filter.confirm) or not found:
        return found
    meant: set[int] = set()
    for portion in portions(found):
        whole = yield from read_whole(portion)
        meant |= {job.seq for job in whole if _is_meant(job, filter)}
    return [job for job in found if job.seq in meant]


def _is_meant(job: JobRecord, filter: Filter) -> bool:
    has_wanted = not filter.meta or has_meta(job.meta, filter.meta)
    return has_wanted and (filter.confirm is None or filter.confirm(job))


def peek(queue: str, *, limit: int) -> Operation[list[JobRecord]]:
    """The next jobs of a queue in claim order, without taking them; without those that are taken meanwhile."""
    answer = yield Call("peek", {"queue": queue, "limit": limit}, Lane.READ)
    whole = yield from read_whole(records(answer["jobs"], Found))
    return [job for job in whole if job.state is State.PENDING]


def counts(queue: str | None = None) -> Operation[dict[str, dict[State, int]]]:
    """How many jobs stand in which state, by queue."""
    answer = yield Call("counts", {"queue": queue}, Lane.READ)
    by_queue: dict[str, dict[State, int]] = {}
    for name, state, count in answer["counts"]:
        by_queue.setdefault(name, {})[State(state)] = count
    return by_queue


class CountUpTo(Struct, frozen=True, array_like=True):
    """How many jobs of a queue stand in a state; that many at least, perhaps none, where ``has_more``."""

    queue: str
    state: State
    number: int
    has_more: bool


def counts_up_to(most: int) -> Operation[list[CountUpTo]]:
    """How many jobs stand in which state, by queue: of each state about ``most`` are counted, in all queues together.

    It takes as long as there are queues, however many jobs they have. Where counters know a number, it is whole.
    """
    answer = yield Call("counts_up_to", {"most": most}, Lane.READ)
    return records(answer["counts"], CountUpTo)


def totals(queue: str | None = None) -> Operation[dict[str, int]]:
    """How many jobs are in each state, in one queue or all; every state is present."""
    by_queue = yield from counts(queue)
    totals: dict[str, int] = dict.fromkeys(State, 0)  # a state is a str, so both work as keys
    for by_state in by_queue.values():
        for state, count in by_state.items():
            totals[state] += count
    return totals


def waiting(queues: Sequence[str] = ()) -> Operation[frozenset[str]]:
    """Which queues have jobs that may be claimed now: of these, or of all where none is named. Paused ones have none.

    It takes as long as there are queues that are named, or that have such jobs, however many others there are.
    """
    found: set[str] = set()
    for first in range(0, len(queues) or 1, _NAMED_AT_ONCE):
        named = list(queues[first : first + _NAMED_AT_ONCE])
        answer = yield Call("waiting_of" if named else "waiting", {"queues": named} if named else {}, Lane.READ)
        found.update(queue for (queue,) in answer["queues"])
    return frozenset(found)


class Depth(Struct, frozen=True, array_like=True):
    """How many jobs of a queue are ready, and how long the oldest has waited, in milliseconds."""

    queue: str
    ready: int
    oldest: int


def depth() -> Operation[dict[str, Depth]]:
    """Depth and oldest waiting job of each queue that has any."""
    answer = yield Call("depth", {}, Lane.READ)
    return {depth.queue: depth for depth in records(answer["depths"], Depth)}


def oldest() -> Operation[dict[str, int]]:
    """For how many milliseconds the oldest ready job of each queue has waited, however many there are."""
    answer = yield Call("oldest", {}, Lane.READ)
    return dict(answer["oldest"])


class EventRecord(Struct, frozen=True, array_like=True):
    """Something unusual that happened, to a job or to the store."""

    at: int
    kind: str
    worker: str | None
    fence: int | None
    detail: str | None


class JobHistory(Struct, frozen=True):
    """What the store knows of one job's life besides its own columns."""

    events: list[EventRecord]
    seen_at: int | None
    """When the worker that runs it was last heard of."""
    steps: list[StepRecord] = []
    """Without their results."""


def history(seq: int) -> Operation[JobHistory]:
    """A job's events, the last heartbeat of its worker, and its steps."""
    events = yield Call("events", {"seq": seq}, Lane.READ)
    seen = yield Call("last_heartbeat", {"seq": seq}, Lane.READ)
    steps = yield from steps_of(seq)
    seen_at = seen["renewed_at"][0][0] if seen["renewed_at"] else None
    return JobHistory(records(events["events"], EventRecord), seen_at, steps)


NOTICES_KEPT = 1000
"""How many events that belong to no job a store keeps at least."""


def notices(limit: int = NOTICES_KEPT, *, age: int | None = None) -> Operation[list[EventRecord]]:
    """The newest events that belong to no job; only those of the last ``age`` milliseconds, if that is given."""
    answer = yield Call("notices", {"limit": limit, "age": age}, Lane.READ)
    return records(answer["events"], EventRecord)


class FinishedJob(Struct, frozen=True, array_like=True):
    """An awaited job that is finished, or that is not there (no state)."""

    id: str
    state: State | None
    reason: str | None
    result: str | None
    errors: str | None
    task: str | None


def awaited(ids: Sequence[str]) -> Operation[list[FinishedJob]]:
    """Those of many awaited jobs that need no more waiting; the first of them, if they hold more than a page.

    To be asked again without those, which it answers sooner or later for all.
    """
    answer = yield Call("awaited", {"ids": list(ids), "bytes": PAGE_BYTES}, Lane.READ)
    return records(answer["jobs"], FinishedJob)


class NextDue(Struct, frozen=True, array_like=True):
    """In how many milliseconds jobs are due, expire or are to be rescued; None for not in sight, 0 or less for now."""

    next_due: int | None
    next_expiry: int | None
    now: int
    """The store's clock, from which they are counted."""
    workers: int
    """How many workers have a lease in time."""
    keeper: str | None
    """The lease of the one of them that looks after the store for all: the oldest."""
    has_work: bool = False
    """Whether a queue that is not paused has jobs to claim."""
    is_lead_free: bool = True
    """Whether no process leads, in time."""
    next_end: int | None = None
    """In how many milliseconds promote has to end a job that has not started in time."""
    has_events: bool = False
    """Whether jobs that wait for events are to be looked at."""
    is_unsettled: bool = False
    """Whether promote has edges between jobs to look at."""
    peers: int = 0
    """How many of the workers have a lease whose name ends as was asked for: they serve the same queues."""

    @property
    def next_promotion(self) -> int | None:
        """In how many milliseconds promote has something to do."""
        if self.is_unsettled:
            return 0
        return min((left for left in (self.next_due, self.next_end) if left is not None), default=None)


def next_due(*, strays: bool = True, ending: str = "") -> Operation[NextDue]:
    """What there is to do for the store as a whole, and how many workers there are to do it. ``ending`` is how the
    names of the leases of peers end.

    Without ``strays`` the next expiry is known from a second before it, and jobs are left out whose lease is not open
    any more, or begins in the future: to find those, every lease that holds something is looked at.
    """
    answer = yield Call("next_due", {"duty": LEADER, "strays": strays, "ending": ending}, Lane.READ)
    return records(answer["next_due"], NextDue)[0]
