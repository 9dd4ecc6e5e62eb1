"""Everything at a glance: queues, workers, counts, problems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from windlass.core.state import State
from windlass.insight.limits.cooldowns import CooldownView, cooldown_views
from windlass.insight.notices import Notice, notices
from windlass.insight.workers import WorkerView, worker_views
from windlass.options.queues import QueueSettings, settings_of
from windlass.store.operation import Operation
from windlass.store.operations import queries, queues
from windlass.store.operations.queues import QueueRecord
from windlass.store.operations.rates.cooldowns import Scope
from windlass.task import COMMAND

_PATIENCE = 60_000
"""Milliseconds that promotions and rescues may be late before it is a problem."""


_UNKNOWN_NAMED = 10


@dataclass(frozen=True, slots=True)
class QueueView:
    """One queue: its counts, its settings, how many workers serve it."""

    name: str
    counts: dict[State, int]
    oldest: timedelta | None
    """How long the oldest ready job has waited; None without one."""
    workers: int
    """How many live workers serve it."""
    settings: QueueSettings
    cooldown: CooldownView | None = None

    @property
    def is_unserved(self) -> bool:
        """Whether jobs are ready that no worker will take."""
        return self.counts[State.PENDING] > 0 and self.workers == 0


@dataclass(frozen=True, slots=True)
class Overview:
    """The whole store at the moment of the read."""

    queues: list[QueueView]
    workers: list[WorkerView]
    everywhere: QueueSettings
    """The settings of all queues at once, such as a pause of everything."""
    overdue: timedelta | None
    """For how long the earliest due job has not been promoted; None without a delay."""
    unrescued: timedelta | None
    """For how long the first expired lease has not been rescued; None without a delay."""
    notices: list[Notice]
    """Store events of the last 24 hours, the newest first: vanished jobs, clocks that disagree."""
    has_upkeep: bool
    """Whether a process promotes and rescues: a worker with duties, or ``windlass duties``."""
    cooldowns: list[CooldownView] = field(default_factory=list)
    """The queues, tasks and limits that cool down."""
    next_due: timedelta | None = None
    """In how long the next scheduled or retrying job is due; None without one, or where it is due already."""

    @property
    def leader(self) -> WorkerView | None:
        """The process that runs the duties of which one process does all; its ``leads_since`` says since when."""
        leading = [(worker.leads_since, worker) for worker in self.workers if worker.leads_since is not None]
        return max(leading, key=lambda found: found[0])[1] if leading else None

    @property
    def problems(self) -> list[str]:
        """What an operator has to mend, each in a sentence; empty without problems."""
        unserved = [queue.name for queue in self.queues if queue.is_unserved]
        found = [f"queue {name} has jobs that are ready, but no worker serves it" for name in unserved]
        alive = sum(1 for worker in self.workers if worker.is_alive and worker.runs_jobs)
        if not alive:
            found.append("no worker is alive")
        found += self._unknown_tasks()
        remedy = "start a worker or `windlass duties`"
        if alive and not self.has_upkeep:
            remedy = "start `windlass duties`, or a worker without --no-duties"
            nothing = "no process promotes jobs that are due or rescues those of workers that die"
            found.append(f"{nothing}: {_without_duties(alive)}; {remedy}")
        if self.overdue is not None:
            found.append(f"jobs that are due have waited for {_length(self.overdue)} to be promoted; {remedy}")
        if self.unrescued is not None:
            found.append(
                f"jobs of a worker that died have waited for {_length(self.unrescued)} to be rescued; {remedy}"
            )
        return found

    def _unknown_tasks(self) -> list[str]:
        """Tasks of claimed jobs that live workers do not know."""
        workers: dict[str, list[str]] = {}
        for worker in self.workers:
            unknown = worker.info.get("unknown_tasks") if worker.is_alive else None
            # What a worker says of itself is data of the store, and may be damaged.
            for task in unknown if isinstance(unknown, list) else ():
                workers.setdefault(str(task), []).append(worker.name)
        found = [_unknown(task, workers[task]) for task in sorted(workers)]
        left_out = len(found) - _UNKNOWN_NAMED
        return found[:_UNKNOWN_NAMED] + [f"jobs of {left_out} more unknown tasks wait"] * (left_out > 0)

    @property
    def counts(self) -> dict[str, int]:
        """How many jobs are in each state; every state is present."""
        return {state: sum(queue.counts[state] for queue in self.queues) for state in State}


def overview() -> Operation[Overview]:
    """Read it in few calls, however many queues there are. Jobs are counted."""
    counts = yield from queries.counts()
    return (yield from overview_with(counts))


def overview_with(counts: Mapping[str, Mapping[State, int]]) -> Operation[Overview]:
    """The same where it is known already how many jobs each queue has: nothing takes longer the more there are."""
    settings = yield from queues.settings()
    oldest = yield from queries.oldest()
    workers = yield from worker_views()
    ahead = yield from queries.next_due()
    cooldowns = yield from cooldown_views()
    everywhere = settings.pop(queues.ALL, QueueRecord(queues.ALL))
    found = [
        _queue_view(name, settings, counts=counts, oldest=oldest, workers=workers, cooldowns=cooldowns)
        for name in sorted(settings.keys() | counts.keys())
    ]
    has_upkeep = not ahead.is_lead_free or any(worker.does_upkeep for worker in workers)
    overdue, unrescued = _late(ahead.next_due, has_upkeep), _late(ahead.next_expiry, has_upkeep)
    return Overview(
        queues=found,
        workers=workers,
        everywhere=settings_of(everywhere),
        overdue=overdue,
        unrescued=unrescued,
        notices=(yield from notices()),
        has_upkeep=has_upkeep,
        cooldowns=cooldowns,
        next_due=timedelta(milliseconds=ahead.next_due) if ahead.next_due is not None and ahead.next_due > 0 else None,
    )


def queue_view(name: str) -> Operation[QueueView | None]:
    """One queue, without what others hold; None where there is none of this name."""
    counts = yield from queries.counts(name)
    settings = yield from queues.settings()
    if name not in settings and name not in counts:
        return None
    oldest = yield from queries.oldest()
    workers = yield from worker_views()
    cooldowns = yield from cooldown_views()
    return _queue_view(name, settings, counts=counts, oldest=oldest, workers=workers, cooldowns=cooldowns)


def _queue_view(
    name: str,
    settings: Mapping[str, QueueRecord],
    *,
    counts: Mapping[str, Mapping[State, int]],
    oldest: Mapping[str, int],
    workers: Sequence[WorkerView],
    cooldowns: Iterable[CooldownView],
) -> QueueView:
    return QueueView(
        name,
        dict.fromkeys(State, 0) | dict(counts.get(name, {})),
        timedelta(milliseconds=oldest[name]) if name in oldest else None,
        sum(1 for _ in _serving(workers, name)),
        settings_of(settings.get(name, QueueRecord(name))),
        next((view for view in cooldowns if view.scope is Scope.QUEUE and view.name == name), None),
    )


def _late(left: int | None, has_upkeep: bool) -> timedelta | None:
    """How late duties are. A live worker promotes and rescues soon, after an outage a little later."""
    if left is None or left > (-_PATIENCE if has_upkeep else 0):
        return None
    return timedelta(milliseconds=-left)


def _serving(workers: Iterable[WorkerView], queue: str) -> Iterable[WorkerView]:
    # What a worker says of itself is data of the store, and may be damaged.
    return (worker for worker in workers if worker.is_alive and queue in worker.queues)


def _unknown(task: str, workers: list[str]) -> str:
    by = workers[0] if len(workers) == 1 else f"{workers[0]} and {len(workers) - 1} more"
    if task == COMMAND:
        return f"jobs that are commands wait: worker {by} met some and allows none; start one with --allow-commands"
    return f"jobs of task {task!r} wait: worker {by} met some and does not know it; import the module that declares it"


def _without_duties(workers: int) -> str:
    return "the only worker that runs has no duties" if workers == 1 else f"none of the {workers} workers has duties"


def _length(time: timedelta) -> str:
    return str(timedelta(seconds=round(time.total_seconds())))
