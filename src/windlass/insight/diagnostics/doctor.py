"""What is wrong with a store and the processes around it, each with a remedy."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING

from windlass.core.alerts.records import Severity
from windlass.core.rates.rate import read_rate
from windlass.core.state import State
from windlass.errors import ConfigError, StoreNotFound, WindlassError
from windlass.insight.alerts.reads import firing_counts
from windlass.insight.diagnostics.configuration import configuration
from windlass.insight.diagnostics.durability import durability
from windlass.insight.diagnostics.finding import Diagnosis, Finding, Level, or_well
from windlass.insight.limits.limits import LimitView, limit_views
from windlass.insight.overview import Overview, QueueView, overview
from windlass.schedules.stored import all_schedules
from windlass.store.operation import Operation
from windlass.store.operations import queries
from windlass.store.operations.diagnostics.runs import LongRun, long_runs
from windlass.store.operations.schedules.records import ScheduleRecord

if TYPE_CHECKING:
    from windlass.client.client import Client

_SKEW = 5_000
"""Milliseconds by which a clock may differ from the store's."""
_LATE = 60_000
"""Milliseconds that a schedule may be late before it is a problem."""
_DRAIN = timedelta(days=1)
"""A rate at which a queue needs longer than this for what waits holds it up."""
_NAMED = 5
_KINDS = {"sqlite": "SQLite", "postgresql": "PostgreSQL", "redis": "Redis"}
_VERSIONS = {"sqlite": "version", "postgresql": "server_version", "redis": "redis_version"}


def unreachable(error: WindlassError, facts: Mapping[str, str]) -> Diagnosis:
    """The diagnosis of a store that cannot be asked."""
    match error:
        case StoreNotFound():
            remedy = "check the address and the namespace, or make the store: `windlass migrate`"
        case ConfigError():
            remedy = "the message says what; `windlass migrate` brings an older schema up to date"
        case _:
            remedy = "start the server, or check the address, the network and the rights of the user"
    findings = [Finding(Level.PROBLEM, "store", str(error), remedy), *configuration(os.environ)]
    return Diagnosis(findings, dict(facts))


def diagnose(client: Client, facts: Mapping[str, str], *, stuck_after: int) -> Operation[Diagnosis]:
    """Look at everything; only reads. ``stuck_after`` is how many milliseconds a job may run, or be ready, before it
    counts as stuck.
    """
    before = client.now()
    ahead = yield from queries.next_due()
    skew = round(ahead.now - (before + client.now()) / 2)
    seen = yield from overview()
    runs = yield from long_runs(stuck_after)
    limits = yield from limit_views()
    schedules = yield from all_schedules(client, None)
    firing = yield from firing_counts()
    findings = [
        _store(client, facts),
        *durability(facts),
        _clock(skew),
        *or_well("configuration", configuration(os.environ), "no variable of this process is misspelt"),
        *or_well("workers", [*_workers(seen), *_versions(seen)], _workers_are_well(seen)),
        *or_well("queues", _queues(seen, stuck_after), "each that has jobs is served, and none waits for long"),
        *or_well("jobs", _stuck(runs), "none runs for long"),
        *or_well("limits", _limits(seen.queues, limits), "none holds jobs up for long"),
        *or_well("schedules", _schedules(schedules, ahead.now), "all that are to fire can"),
        *or_well("alerts", _alerts(firing), "none fires"),
        *or_well("events", _notices(seen), "nothing unusual within the last 24 hours"),
    ]
    return Diagnosis(findings, dict(facts))


def _store(client: Client, facts: Mapping[str, str]) -> Finding:
    kind = facts.get("store", "")
    version = facts.get(_VERSIONS.get(kind, ""), "")
    schema = f", schema step {facts['schema']}" if "schema" in facts else ""
    where = f"{_KINDS.get(kind, kind)} {version} at {client.session.store_name}"
    return Finding(Level.OK, "store", f"{where} answers{schema}")


def _clock(skew: int) -> Finding:
    if abs(skew) <= _SKEW:
        return Finding(Level.OK, "clock", f"this host's and the store's differ by {abs(skew) / 1000:.1f} s")
    direction = "behind" if skew > 0 else "ahead of"
    text = f"this host's clock is {abs(skew) / 1000:.1f} s {direction} the store's"
    return Finding(Level.PROBLEM, "clock", text, "let NTP set the clocks of all machines")


def _workers(seen: Overview) -> Iterator[Finding]:
    """What ``status`` says of the processes: nothing is served, promoted or rescued, or a task is unknown."""
    for problem in seen.problems:
        if problem.startswith("queue "):
            continue
        text, _, remedy = problem.rpartition("; ")
        if problem == "no worker is alive":
            text, remedy = problem, "start one: windlass worker -A MODULE"
        yield Finding(Level.PROBLEM, "tasks" if "task " in text else "workers", text or problem, remedy)


def _workers_are_well(seen: Overview) -> str:
    alive = [worker for worker in seen.workers if worker.is_alive and worker.runs_jobs]
    return f"{len(alive)} alive, duties are done"


def _versions(seen: Overview) -> Iterator[Finding]:
    by_version: dict[str, list[str]] = {}
    for worker in seen.workers:
        if worker.is_alive:
            by_version.setdefault(str(worker.info.get("version") or "unknown"), []).append(worker.name)
    if len(by_version) > 1:
        told = ", ".join(f"{version} ({_named(names)})" for version, names in sorted(by_version.items()))
        text = f"workers of several versions of Windlass run side by side: {told}"
        yield Finding(Level.NOTE, "workers", text, "fine during a rolling deploy; restart the older ones after it")


def _queues(seen: Overview, stuck_after: int) -> Iterator[Finding]:
    if seen.everywhere.paused:
        yield Finding(Level.NOTE, "queues", "all queues are paused", "windlass queues resume --all")
    for queue in seen.queues:
        waiting = queue.counts[State.PENDING]
        if queue.is_unserved:
            text = f"queue {queue.name} has {waiting:,} jobs that are ready, but no worker serves it"
            yield Finding(Level.PROBLEM, "queues", text, f"windlass worker -A MODULE -q {queue.name}")
        elif queue.settings.paused and waiting:
            by = f" by {queue.settings.paused_by}" if queue.settings.paused_by else ""
            text = f"queue {queue.name} is paused{by} while {waiting:,} jobs wait"
            yield Finding(Level.NOTE, "queues", text, f"windlass queues resume {queue.name}")
        elif queue.oldest is not None and queue.oldest >= timedelta(milliseconds=stuck_after):
            text = f"queue {queue.name}: a job has been ready for {_length(queue.oldest)}{_why(queue)}"
            remedy = f"windlass queues peek {queue.name}, then windlass jobs why ID; more workers, or larger limits"
            yield Finding(Level.PROBLEM, "queues", text, remedy)


def _why(queue: QueueView) -> str:
    """What is known of a queue that stands still."""
    most, running = queue.settings.max_running, queue.counts[State.RUNNING]
    if most is not None and running >= most:
        return f", and {running:,} of {most:,} that may run do"
    return ", and it cools down" if queue.cooldown is not None else ""


def _stuck(runs: Iterable[LongRun]) -> Iterator[Finding]:
    by_task: dict[str, list[LongRun]] = {}
    for run in runs:
        by_task.setdefault(run.task, []).append(run)
    for task, found in by_task.items():
        longest = found[0]
        more = f", and {len(found) - 1} more of task {task}" if len(found) > 1 else ""
        text = f"job {longest.id} ({task}) runs for {_length(timedelta(milliseconds=longest.ran_for))}{more}"
        remedy = f"windlass workers stacks {longest.worker} shows where; windlass jobs cancel or jobs fail ends it"
        yield Finding(Level.PROBLEM, "jobs", text, remedy)


def _limits(queues: Iterable[QueueView], limits: Iterable[LimitView]) -> Iterator[Finding]:
    for queue in queues:
        waiting, rate = queue.counts[State.PENDING], queue.settings.rate
        if not waiting or rate is None:
            continue
        parsed = read_rate(rate)
        needed = timedelta(milliseconds=waiting * parsed.period / parsed.amount)
        if needed > _DRAIN:
            text = f"queue {queue.name}: at its rate of {rate} the {waiting:,} jobs that wait need {_length(needed)}"
            yield Finding(Level.PROBLEM, "limits", text, f"windlass queues set {queue.name} --rate RATE")
    for limit in limits:
        if limit.waiting and limit.next_in > timedelta(hours=1):
            text = f"limit {limit.name} ({limit.rate}): {limit.waiting:,} callers wait, the next token comes in "
            text += _length(limit.next_in)
            yield Finding(Level.PROBLEM, "limits", text, f"windlass limits set {limit.name} --rate RATE")


def _schedules(schedules: Iterable[ScheduleRecord], now: int) -> Iterator[Finding]:
    for schedule in schedules:
        if schedule.orphaned_at is not None:
            text = f"schedule {schedule.name} does not fire: no code that runs declares it any more"
            remedy = f"deploy the code that declares it, or: windlass schedules delete {schedule.name}"
            yield Finding(Level.PROBLEM, "schedules", text, remedy)
        elif not schedule.revision:
            text = f"schedule {schedule.name} is declared here, and no worker has stored it yet"
            yield Finding(Level.NOTE, "schedules", text, "start a worker with this code")
        elif schedule.paused_at is not None:
            text = f"schedule {schedule.name} is paused"
            yield Finding(Level.NOTE, "schedules", text, f"windlass schedules resume {schedule.name}")
        elif schedule.next_at is None:
            text = f"schedule {schedule.name} has no next slot, so it will not fire again"
            yield Finding(Level.PROBLEM, "schedules", text, f"windlass schedules show {schedule.name}, then edit it")
        elif now - (schedule.due_at or schedule.next_at) > _LATE:
            late = _length(timedelta(milliseconds=now - schedule.next_at))
            text = f"schedule {schedule.name} was to fire {late} ago"
            yield Finding(Level.PROBLEM, "schedules", text, "start `windlass duties`, or a worker with duties")


def _notices(seen: Overview) -> Iterator[Finding]:
    remedies = {
        "lost": "something deletes keys or rows of the store: look for evictions, FLUSHALL, DELETE by hand",
        "emptied": "look at the server's persistence, and at who may delete its data",
        "skewed": "let NTP set the clocks of all machines",
        "stepped": "let NTP slew the server's clock instead of stepping it",
        "hindered": "end the transaction, and set idle_in_transaction_session_timeout",
        "miscounted": "restart workers of older versions; if there are none, report it",
    }
    for notice in seen.notices:
        level = Level.PROBLEM if notice.kind in ("lost", "emptied") else Level.NOTE
        yield Finding(level, "events", notice.text, remedies.get(notice.kind))


def _alerts(firing: Mapping[str, int]) -> Iterator[Finding]:
    for severity, number in firing.items():
        level = Level.PROBLEM if severity == Severity.CRITICAL else Level.NOTE
        text = f"{number:,} {severity} {'alert fires' if number == 1 else 'alerts fire'}"
        yield Finding(
            level, "alerts", text, "`windlass alerts list --open` says what; acknowledge what is looked after"
        )


def _named(names: list[str]) -> str:
    left = len(names) - _NAMED
    return ", ".join(sorted(names)[:_NAMED]) + (f" and {left} more" if left > 0 else "")


def _length(time: timedelta) -> str:
    return str(timedelta(seconds=round(time.total_seconds())))
