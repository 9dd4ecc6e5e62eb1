"""Copies the jobs of a stopped queue to another store, and compares both.

The source is kept as it is, but for a pause of what was moved, so that a worker that is started there by mistake claims
nothing. A move may be repeated: what has arrived stays, what is missing is added.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import msgspec

from windlass import clock
from windlass.admin.moved.alerts import copy_alerts
from windlass.admin.moved.edges import compared_edges, copy_edges, parted
from windlass.admin.moved.schedules import has_schedules, move_schedules
from windlass.client.session import Session
from windlass.core.state import State
from windlass.errors import ConfigError, IdConflict, StoreUnavailable, WindlassError
from windlass.store.open import DEFAULT_NAMESPACE
from windlass.store.operations import leases, queries, queues
from windlass.store.operations.access import tokens
from windlass.store.operations.flows.ended import flows_exist
from windlass.store.operations.limits import concurrency
from windlass.store.operations.rates import limits
from windlass.store.operations.rates.tasks import change_rate, task_rates
from windlass.store.operations.rescue import rescue
from windlass.store.operations.steps.sent_events import import_sent, sent_events
from windlass.store.operations.steps.steps import StepRecord, import_steps, steps_of
from windlass.store.operations.transfer import Batch, comparable, export, is_same, scan, store_batch, store_queues
from windlass.store.operations.upkeep import leader
from windlass.store.pages import portions

MOVER = "windlass move"
"""The name under which a move pauses queues."""

_DUTY = "move"
"""The duty that a move leads at its source for a moment."""

_MOMENT = 10_000
"""Milliseconds; longer than a call may take."""


class MoveRefused(WindlassError):
    """The stores are not as a move needs them; nothing was copied."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a move; the first report comes when the source is paused, the others after each batch."""

    step: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Moved:
    """What a move did; both stores hold the same when it returns."""

    jobs: int
    """How many jobs of the source are at the target."""
    added: int
    """How many of them this move has added; the others were there from an earlier try."""
    queues: int
    checksum: str
    """Over everything that was moved, read from both stores and found equal."""
    seconds: float


def move(
    source: Session, target: Session, *, queue: str | None = None, report: Callable[[Progress], None] = lambda _: None
) -> Moved:
    """Copy all jobs, or those of one queue, with settings, keys, events, steps and what they wait for; with all jobs
    the schedules, the events that are kept for jobs, what operators have set, and the history of alerts too.

    Raises ``MoveRefused`` where the source has nothing to move, and while one of the two is in use; ``ConfigError``
    where the two are one store; ``IdConflict`` where the target has a different job under the same id.
    """
    began = clock.monotonic()
    _refuse_if_empty(source, queue)
    _refuse_if_in_use(source, target, queue)
    _refuse_if_flows_are_parted(source, queue)
    _refuse_if_same(source, target)
    settings = _settings(source, queue)
    target.run(store_queues(settings))
    if queue is None:
        _copy_limits(source, target)
        _copy_key_limits(source, target)
        _copy_task_rates(source, target)
        _copy_events(source, target)
        _copy_tokens(source, target)
        copy_alerts(source, target)
        move_schedules(source, target, by=MOVER, reason=f"moved to {place(target)}")
    _pause(source, queue or queues.ALL, reason=f"moved to {place(target)}")
    report(Progress("copied", 0, _count(source, queue)))
    _refuse_if_in_use(source, target, queue)  # a worker may have come before the pause
    added = _copy(source, target, queue, report)
    copy_edges(source, target, queue)
    count, checksum = _compare(source, target, queue, report)
    return Moved(count, added, len(_named(settings)), checksum, clock.monotonic() - began)


def place(store: Session) -> str:
    """The name of a store for people, with its namespace if that is not the default.

    >>> from windlass import Windlass
    >>> place(Windlass("sqlite:///:memory:", namespace="shop").client.session)
    ":memory: (namespace 'shop')"
    """
    return store.store_name if store.namespace == DEFAULT_NAMESPACE else _with_namespace(store)


def _with_namespace(store: Session) -> str:
    return f"{store.store_name} (namespace {store.namespace!r})"


def _refuse_if_empty(source: Session, queue: str | None) -> None:
    """Called before anything else: other calls would make the store that a mistyped URL names."""
    if not source.exists():
        raise MoveRefused(f"there is no store at {_with_namespace(source)}; --namespace names another namespace")
    is_empty = not _count(source, queue) and not _named(_settings(source, queue))
    if is_empty and (queue is not None or not has_schedules(source)):
        what = "no jobs" if queue is None else f"no queue {queue!r}"
        raise MoveRefused(
            f"{source.store_name} has {what} under namespace {source.namespace!r}; --namespace names another"
        )


def _refuse_if_flows_are_parted(source: Session, queue: str | None) -> None:
    """A job and those that it waits for must end in one store."""
    crossing = None if queue is None else parted(source, queue)
    if crossing is not None:
        raise MoveRefused(f"{place(source)}: {crossing}; move all queues together, or let these jobs run first")


def _refuse_if_same(source: Session, target: Session) -> None:
    """One store may have many addresses, so the source gets a mark and the target is asked for it."""
    if not target.exists():
        return
    mark = source.run(leader.take_lead(_DUTY, holder=f"{clock.random_bits(128):032x}", ttl=_MOMENT))
    try:
        is_same = target.run(leader.still_leads(mark))
    finally:
        source.run(leader.resign(mark))
    if is_same:
        raise ConfigError(f"{place(source)} and {place(target)} are the same store; nothing was moved")


def _refuse_if_in_use(source: Session, target: Session, queue: str | None) -> None:
    """The target's workers would start jobs that are not compared yet, some without their keys and settings."""
    for store in (source, target):
        if not store.exists():
            continue  # a target that is yet to be made
        alive = [worker.name for worker in store.run(leases.workers()) if worker.is_alive]
        if alive:
            raise MoveRefused(f"{place(store)} is in use by {', '.join(sorted(alive))}; stop all workers before a move")
    source.run(rescue(by=MOVER, now=clock.now))
    running = sum(by_state.get(State.RUNNING, 0) for by_state in source.run(queries.counts(queue)).values())
    if running:
        are, their = ("1 job is", "its lease is") if running == 1 else (f"{running:,} jobs are", "their leases are")
        raise MoveRefused(f"{place(source)}: {are} running or claimed by hand; stop that, or wait until {their} over")


def _pause(source: Session, name: str, *, reason: str) -> None:
    """Pause the queue; a pause that was there before does as well. A repeated move has to find it again."""
    record = source.run(queues.settings(name)).get(name)
    if record is None or record.paused_at is None or record.paused_by == MOVER:
        source.run(queues.pause(name, by=MOVER, reason=reason))


def _named(settings: list[queues.QueueRecord]) -> list[queues.QueueRecord]:
    return [record for record in settings if record.name != queues.ALL]


def _settings(source: Session, queue: str | None) -> list[queues.QueueRecord]:
    """The settings of the queues, without the pause of an earlier try of the same move."""
    found = source.run(queues.settings(queue)).values()
    return [_unpaused(record) if record.paused_by == MOVER else record for record in found]


def _unpaused(record: queues.QueueRecord) -> queues.QueueRecord:
    return msgspec.structs.replace(record, paused_at=None, paused_by=None, paused_reason=None)


def _copy_limits(source: Session, target: Session) -> None:
    """Copy the limits that operators have set, unless they were changed there since; those of the code are set up when
    they are used. Their buckets begin full: a move takes longer than most of them need to fill.
    """
    there = {limit.name: limit.changed_at or 0 for limit in target.run(limits.limits())[0]}
    for limit in source.run(limits.limits())[0]:
        if limit.changed_at is not None and limit.changed_at >= there.get(limit.name, 0):
            by = limit.changed_by or MOVER
            target.run(limits.change(limit.name, rate=limit.rate, burst=limit.burst, by=by))


def _copy_key_limits(source: Session, target: Session) -> None:
    """Copy what operators say of concurrency keys, unless it was changed there since; workers tell what code says."""
    there = {limit.task: limit.changed_at or 0 for limit in target.run(concurrency.limits())}
    for limit in source.run(concurrency.limits()):
        if limit.changed_at is not None and limit.changed_at >= there.get(limit.task, 0):
            target.run(concurrency.change(limit.task, limit.concurrency, by=limit.changed_by or MOVER))


def _copy_task_rates(source: Session, target: Session) -> None:
    """Copy what operators say of the rates of tasks, unless it was changed there since; workers tell what code says."""
    there = {rate.task: rate.changed_at or 0 for rate in target.run(task_rates())}
    for rate in source.run(task_rates()):
        if rate.changed_at is not None and rate.changed_at >= there.get(rate.task, 0):
            target.run(change_rate(rate.task, rate.chosen, by=rate.changed_by or MOVER))


def _copy_events(source: Session, target: Session) -> None:
    """Copy the events that are kept for jobs, unless there are newer ones."""
    offset = 0
    while events := source.run(sent_events(offset)):
        target.run(import_sent(events))
        offset += len(events)


def _copy_tokens(source: Session, target: Session) -> None:
    """Copy tokens, so that callers of the HTTP API go on; a name that is taken there stays. The audit stays behind."""
    found, _ = source.run(tokens.tokens())
    if found:
        target.run(tokens.import_tokens(found))


def _copy(source: Session, target: Session, queue: str | None, report: Callable[[Progress], None]) -> int:
    total = _count(source, queue)
    done = added = 0
    for load in _loads(source, queue):
        added += target.run(store_batch(load))
        for seq, id in load.stepped:
            target.run(import_steps(id, source.run(steps_of(seq, results=True))))
        done += len(load.jobs)
        report(Progress("copied", done, max(done, total)))
    return added


def _compare(
    source: Session, target: Session, queue: str | None, report: Callable[[Progress], None]
) -> tuple[int, str]:
    """Read both stores again, job by job; returns how many jobs there are, and the checksum of all."""
    total = _count(source, queue)
    count, checksum = 0, hashlib.sha256()
    has_edges = source.run(flows_exist())
    for load in _loads(source, queue):
        there = target.run(export([job.id for job in load.jobs]))
        here, there = (_in_time(found, now=clock.now()) for found in (load, there))
        arrived = dict(_digests(there))
        for id, digest in _digests(here):
            if id not in arrived:
                raise StoreUnavailable(f"job {id!r} is missing at {target.store_name}; repeat the move")
            if arrived[id] != digest:
                raise IdConflict(_difference(id, here, there, target.store_name))
            checksum.update(digest)
        for id, steps in _compared_steps(source, load, target, there):
            checksum.update(msgspec.json.encode([id, steps]))
        for id, edges in compared_edges(source, load, target, there, queue) if has_edges else ():
            checksum.update(msgspec.json.encode([id, edges]))
        count += len(load.jobs)
        report(Progress("compared", count, max(count, total)))
    return count, checksum.hexdigest()


def _compared_steps(
    source: Session, here: Batch, target: Session, there: Batch
) -> Iterator[tuple[str, list[StepRecord]]]:
    """The steps of the jobs that have some, read from both stores and found equal."""
    arrived = {id: seq for seq, id in there.stepped}
    for seq, id in here.stepped:
        steps = source.run(steps_of(seq, results=True))
        if id not in arrived or target.run(steps_of(arrived[id], results=True)) != steps:
            raise IdConflict(
                f"the steps of job {id!r} are not the same at {target.store_name}; have they changed there?"
            )
        yield id, steps


def _in_time(load: Batch, *, now: int) -> Batch:
    """The batch without keys whose window has ended: they hold nothing, and each store removes them at its own time."""
    return msgspec.structs.replace(
        load, keys=[key for key in load.keys if key.expires_at is None or key.expires_at > now]
    )


def _difference(id: str, here: Batch, there: Batch, name: str) -> str:
    mine, theirs = (next(job for job in load.jobs if job.id == id) for load in (here, there))
    missing = {key.key for key in here.keys if key.id == id} - {key.key for key in there.keys if key.id == id}
    if not missing or not is_same(mine, theirs):
        return f"job {id!r} is not the same at {name}; has it changed there?"
    return (
        f"another job at {name} has the unique key {missing.pop()!r} of job {id!r}, which is there without it now; "
        "cancel or delete that other job, or wait for its end, and repeat the move"
    )


def _count(source: Session, queue: str | None) -> int:
    return sum(sum(by_state.values()) for by_state in source.run(queries.counts(queue)).values())


def _loads(source: Session, queue: str | None) -> Iterator[Batch]:
    """All jobs with their keys and events, oldest first, in batches that fit into one call."""
    after: int | None = 0
    while after is not None:
        walked = source.run(scan(after=after, queue=queue))
        for stops in portions(walked.stops):
            yield source.run(export([stop.id for stop in stops]))
        after = walked.next


def _digests(load: Batch) -> Iterator[tuple[str, bytes]]:
    """A digest of each job with its keys and events."""
    by_job: dict[str, list[object]] = {}
    for key in load.keys:
        by_job.setdefault(key.id, []).append(key)
    for event in load.events:
        by_job.setdefault(event.id, []).append(event)
    for job in load.jobs:
        text = msgspec.json.encode([comparable(job), *by_job.get(job.id, ())])
        yield job.id, hashlib.sha256(text).digest()
