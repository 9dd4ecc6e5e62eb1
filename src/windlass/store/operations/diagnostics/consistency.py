"""Compares what a store holds with itself, in bounded pages, and sets right what is safe to set right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from windlass.core.state import FINISHED
from windlass.store.operation import Call, Lane, Operation
from windlass.store.operations import queries, queues
from windlass.store.operations.limits.concurrency import GATES_AT_ONCE
from windlass.store.operations.transfer import ScanPage, scan
from windlass.store.operations.upkeep import tidy
from windlass.store.pages import Found

_STRAYS_AT_ONCE = 1000
_SPAN = 100_000
"""How many seqs one look for strays covers."""
_MOST_SPANS = 1000
"""A damaged seq may be any number: then each look covers more of them."""
_END = 2**62


class Damage(Struct, frozen=True, order=True):
    """Something in a store that contradicts something else."""

    kind: str
    """What is wrong (``insight/diagnostics/consistency.py`` says it in a sentence)."""
    subject: str
    """The id of a job, the name of a queue, a key."""
    detail: str = ""
    seq: int = 0
    """Of a job."""


def walk(after: int) -> Operation[ScanPage]:
    """The next jobs, oldest first; begins after 0."""
    return scan(after=after, queue=None)


def damaged_jobs(found: Sequence[Found]) -> Operation[list[Damage]]:
    """What of these jobs contradicts itself."""
    ids = {job.seq: job.id for job in found}
    answer = yield Call("check_jobs", {"seqs": list(ids)}, Lane.READ)
    return [Damage(kind, ids.get(seq, str(seq)), str(detail or ""), seq) for seq, kind, detail in answer["found"]]


def damaged_counters() -> Operation[list[Damage]]:
    """Counters of jobs, of limits and of concurrency keys that are wrong; each call sees one instant."""
    answer = yield Call("check_counts", {}, Lane.READ)
    found = [
        Damage("count", f"{state} in queue {queue}", f"counted {counted}, found {number}")
        for queue, state, counted, number in answer["drifted"]
    ]
    answer = yield Call("drifted_limits", {}, Lane.READ)
    found += [
        Damage("limit", str(name), f"counted {'nothing' if counted is None else counted}, running {running}")
        for name, counted, running in answer["drifted"]
    ]
    answer = yield Call("drifted_keys", {"limit": GATES_AT_ONCE}, Lane.READ)
    found += [
        Damage("key", str(name), f"counted {counted}, held by {held}") for name, counted, held in answer["drifted"]
    ]
    return [*found, *(yield from _unknown_queues())]


def _unknown_queues() -> Operation[list[Damage]]:
    """Queues that have jobs which wait or run, and that are not known."""
    counts = yield from queries.counts()
    known = yield from queues.settings()
    return [
        Damage("no_queue", name)
        for name, states in counts.items()
        if name not in known and any(count for state, count in states.items() if state not in FINISHED)
    ]


def strays() -> Operation[list[Damage]]:
    """What points at jobs that are not there: tags, edges, steps, ids, unique keys."""
    found: list[Damage] = []
    cursor = "0"
    newest = yield from queries.matching(queries.Filter(), limit=1)
    for after, before in _spans(max([0, *(job.seq for job in newest.jobs)])):
        while True:
            params = {"after": after, "before": before, "cursor": cursor, "limit": _STRAYS_AT_ONCE}
            answer = yield Call("check_strays", params, Lane.READ)
            found += [Damage(f"stray_{kind}", str(name), seq=seq) for kind, name, seq in answer["strays"]]
            cursor = str(answer["next"][0][0]) if "next" in answer else "0"
            if cursor == "0":
                break
        if "next" in answer:
            break  # a store that goes by a cursor has seen all
    found += yield from _stray_keys()
    return found


def _spans(last: int) -> Iterator[tuple[int, int]]:
    """The seqs up to that of the newest job in spans, and an open one for all behind it."""
    span = max(_SPAN, -(-last // _MOST_SPANS))
    for after in range(0, last, span):
        yield after, after + span
    yield max(0, -(-last // span) * span), _END


def _stray_keys() -> Operation[list[Damage]]:
    found: list[Damage] = []
    after = tidy.FIRST_KEY
    while True:
        answer = yield Call("orphan_keys", {"after": after, "limit": tidy.KEYS_EXAMINED}, Lane.READ)
        found += [Damage("stray_key", str(key)) for key, _ in answer["keys"]]
        [(examined, last)] = answer["examined"]
        if examined < tidy.KEYS_EXAMINED:
            return found
        after = last


def repair(found: Sequence[Damage]) -> Operation[None]:
    """Set right what is safe to set right, where it is still so. Repeating it changes nothing."""
    jobs = [(one.seq, one.kind) for one in found if one.seq and not one.kind.startswith("stray_")]
    if jobs:
        yield Call("repair_jobs", {"found": jobs})
    lost = [
        (one.kind.removeprefix("stray_"), one.subject, one.seq)
        for one in found
        if one.kind.startswith("stray_") and one.kind != "stray_key"
    ]
    if lost:
        yield Call("repair_strays", {"strays": lost})
    unknown = [queues.QueueSeed(one.subject) for one in found if one.kind == "no_queue"]
    if unknown:
        yield from queues.ensure(unknown)
    if any(one.kind == "count" for one in found):
        yield Call("repair_counts", {})
