"""The operator's methods of the app: look up, cancel, retry, purge, pause, migrate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from msgspec.structs import replace

from windlass import clock
from windlass.admin.cleanup import Cleaned, clean, cleanings
from windlass.admin.tasks.concurrency import Concurrency
from windlass.admin.tasks.rates import TaskRate
from windlass.admin.workers import forget_lost_workers, forget_worker, pause_worker, resume_worker, stop_worker
from windlass.client.job_changes import CANCELLED, cancel_job, fail_job, find_record, retry_job
from windlass.client.owner import ClientOwner
from windlass.client.session import ANY_JOB
from windlass.core import validate
from windlass.core.rates.rate import read_rate
from windlass.core.state import FINISHED, State
from windlass.core.units import milliseconds
from windlass.errors import ConfigError, Duration
from windlass.insight.diagnostics.failures import FailureGroups, failure_groups
from windlass.insight.figures.figures import FigureOptions, Figures, figure_query, figures
from windlass.insight.job_filter import JobFilter, filter_for
from windlass.insight.job_page import JobPage, job_page
from windlass.insight.keys import BusyKeyPage, ConcurrencyView, busy_keys, concurrency_views
from windlass.insight.limits import LimitView, limit_views
from windlass.insight.overview import Overview, overview
from windlass.insight.tasks import TaskRateView, task_rate_views
from windlass.insight.workers import WorkerView, worker_views
from windlass.job import Job
from windlass.limit import Limit, limit_of
from windlass.queue import Queue
from windlass.queue_settings import QueueOptions, seed_of
from windlass.store.driver import Topic
from windlass.store.operation import Operation
from windlass.store.operations import jobs, queries, queues
from windlass.store.operations.figures.roll_up import RolledUp, roll_up_once
from windlass.store.operations.queries import Filter
from windlass.store.operations.queues import QueueSeed
from windlass.store.operations.rates.cooldowns import Scope, cooldowns, end_cooldown
from windlass.store.operations.rescue import Rescued, rescue

if TYPE_CHECKING:
    from windlass.admin.rekey import Rekeyed
    from windlass.client.client import Client

_ORDERS = (Topic.CONTROL,)
"""The topic of an order to a worker."""


class Operator(ClientOwner):
    """The operator's part of ``Windlass``. Each pair of methods runs one operation."""

    def job(self, id: str) -> Job[Any]:
        """The job with this id; ``JobNotFound`` when there is none."""
        return self.client.session.run(_job(self.client, id))

    async def ajob(self, id: str) -> Job[Any]:
        """``job`` for async code."""
        return await self.client.session.arun(_job(self.client, id))

    def jobs(self, *, limit: int = 50, cursor: int | None = None, **filter: Unpack[JobFilter]) -> JobPage:
        """A page of jobs, the newest first; ``cursor`` takes the ``next`` of the page before."""
        return self.client.session.run(job_page(self.client, filter_for(self.client, filter), limit, cursor))

    async def ajobs(self, *, limit: int = 50, cursor: int | None = None, **filter: Unpack[JobFilter]) -> JobPage:
        """``jobs`` for async code."""
        return await self.client.session.arun(job_page(self.client, filter_for(self.client, filter), limit, cursor))

    def counts(self, queue: str | None = None) -> dict[str, int]:
        """How many jobs are in each state, in one queue or all; every state is present."""
        return self.client.session.run(queries.totals(queue))

    async def acounts(self, queue: str | None = None) -> dict[str, int]:
        """``counts`` for async code."""
        return await self.client.session.arun(queries.totals(queue))

    def dead_groups(self, limit: int = 100) -> FailureGroups:
        """Failed jobs grouped by task, reason and cause, the largest group first and muted ones last: the newest
        100,000 of them.
        """
        return self.client.session.run(failure_groups(limit, self.client.encryption))

    async def adead_groups(self, limit: int = 100) -> FailureGroups:
        """``dead_groups`` for async code."""
        return await self.client.session.arun(failure_groups(limit, self.client.encryption))

    def queue(self, name: str, **declared: Unpack[QueueOptions]) -> Queue:
        """The handle of one queue; it need not exist yet.

        Settings that are given here are declared: workers store them when they start, except for those that an operator
        has changed by ``configure``. Nothing is opened for that.
        """
        seed = seed_of(validate.queue_name(name), **declared)
        if seed != QueueSeed(name):
            self.client.declare_queue(seed)
        return Queue(self, name)

    def queues(self) -> list[Queue]:
        """Every queue that has, or has had, jobs or settings."""
        return [Queue(self, name) for name in self.client.session.run(queues.settings()) if name != queues.ALL]

    async def aqueues(self) -> list[Queue]:
        """``queues`` for async code."""
        return [Queue(self, name) for name in await self.client.session.arun(queues.settings()) if name != queues.ALL]

    def limit(self, name: str, *, rate: str | None = None, burst: int | None = None) -> Limit:
        """The handle of a named limit. With ``rate`` it is declared: set up where it is not yet, and as the code says
        until an operator sets it (``.configure()``, ``windlass limits set``).
        """
        handle = limit_of(self, name)
        if rate is not None:
            self.client.declared_limits.add(name, read_rate(rate, burst, f"limit {name!r}: rate"))
        elif burst is not None:
            raise ConfigError(f"limit {name!r}: burst needs a rate, as in app.limit({name!r}, rate='30/min', burst=5)")
        return handle

    def limits(self) -> list[LimitView]:
        """Every named limit: its rate, its tokens, how many callers wait for one."""
        return self.client.session.run(limit_views())

    async def alimits(self) -> list[LimitView]:
        """``limits`` for async code."""
        return await self.client.session.arun(limit_views())

    def task_rate(self, task: str) -> TaskRate:
        """The handle of a task's rate: how many of its jobs, or of each of its rate keys, begin in which time."""
        return TaskRate(self, task)

    def task_rates(self) -> list[TaskRateView]:
        """Of every task that has a rate, or cools down: what holds, what code says, and who changed it."""
        return self.client.session.run(task_rate_views())

    async def atask_rates(self) -> list[TaskRateView]:
        """``task_rates`` for async code."""
        return await self.client.session.arun(task_rate_views())

    def concurrency(self, task: str) -> Concurrency:
        """The handle of a task's concurrency keys: how many jobs with the same key may run at once."""
        return Concurrency(self, task)

    def concurrency_limits(self) -> list[ConcurrencyView]:
        """Of every task with concurrency keys: how many jobs may hold the same one."""
        return self.client.session.run(concurrency_views())

    async def aconcurrency_limits(self) -> list[ConcurrencyView]:
        """``concurrency_limits`` for async code."""
        return await self.client.session.arun(concurrency_views())

    def busy_keys(self, *, task: str | None = None, limit: int = 50, cursor: str | None = None) -> BusyKeyPage:
        """A page of the concurrency keys that jobs hold, by task and key: how many do, and how many wait for them.

        ``cursor`` takes the ``next`` of the page before.
        """
        return self.client.session.run(busy_keys(task, limit, cursor))

    async def abusy_keys(self, *, task: str | None = None, limit: int = 50, cursor: str | None = None) -> BusyKeyPage:
        """``busy_keys`` for async code."""
        return await self.client.session.arun(busy_keys(task, limit, cursor))

    def overview(self) -> Overview:
        """Every queue with its counts and settings, and every worker, in few calls."""
        return self.client.session.run(overview())

    async def aoverview(self) -> Overview:
        """``overview`` for async code."""
        return await self.client.session.arun(overview())

    def pause(self, reason: str | None = None, *, by: str = "api") -> None:
        """Pause all queues, everywhere; what runs goes on."""
        Queue(self, queues.ALL).pause(reason, by=by)

    async def apause(self, reason: str | None = None, *, by: str = "api") -> None:
        """``pause`` for async code."""
        await Queue(self, queues.ALL).apause(reason, by=by)

    def resume(self, *, by: str = "api") -> None:
        """End a ``pause``; queues that were paused one by one stay paused."""
        Queue(self, queues.ALL).resume(by=by)

    async def aresume(self, *, by: str = "api") -> None:
        """``resume`` for async code."""
        await Queue(self, queues.ALL).aresume(by=by)

    def workers(self) -> list[WorkerView]:
        """Live workers, and those that died within a day."""
        return self.client.session.run(worker_views())

    async def aworkers(self) -> list[WorkerView]:
        """``workers`` for async code."""
        return await self.client.session.arun(worker_views())

    def pause_worker(self, worker: str, *, by: str = "api") -> int:
        """Let one worker (its id or name) claim no more; how many workers that reaches."""
        return len(self.client.session.run(pause_worker(worker, by=by), notify=_ORDERS))

    async def apause_worker(self, worker: str, *, by: str = "api") -> int:
        """``pause_worker`` for async code."""
        return len(await self.client.session.arun(pause_worker(worker, by=by), notify=_ORDERS))

    def resume_worker(self, worker: str, *, by: str = "api") -> int:
        """Let a paused worker go on; how many workers that reaches."""
        return len(self.client.session.run(resume_worker(worker, by=by), notify=_ORDERS))

    async def aresume_worker(self, worker: str, *, by: str = "api") -> int:
        """``resume_worker`` for async code."""
        return len(await self.client.session.arun(resume_worker(worker, by=by), notify=_ORDERS))

    def stop_worker(self, worker: str, *, by: str = "api") -> int:
        """Ask one worker (its id or name) to stop in order, as SIGTERM does: it claims no more, gives what runs its
        grace time and releases the rest. Returns how many workers that reaches; it does not wait for them.

        It cannot be taken back. ``IllegalTransition`` when the worker is lost.
        """
        return len(self.client.session.run(stop_worker(worker, by=by), notify=_ORDERS))

    async def astop_worker(self, worker: str, *, by: str = "api") -> int:
        """``stop_worker`` for async code."""
        return len(await self.client.session.arun(stop_worker(worker, by=by), notify=_ORDERS))

    def forget_worker(self, worker: str) -> int:
        """Take a lost worker (its id or name) off the lists; how many there were. Its jobs are rescued all the same.

        ``IllegalTransition`` when the worker is alive. A lost worker that turns out to be alive is listed again.
        """
        return self.client.session.run(forget_worker(worker))

    async def aforget_worker(self, worker: str) -> int:
        """``forget_worker`` for async code."""
        return await self.client.session.arun(forget_worker(worker))

    def forget_lost_workers(self) -> int:
        """Take all lost workers off the lists; how many."""
        return self.client.session.run(forget_lost_workers())

    async def aforget_lost_workers(self) -> int:
        """``forget_lost_workers`` for async code."""
        return await self.client.session.arun(forget_lost_workers())

    def cancel(self, id: str, *, by: str = "api", reason: str | None = None, descendants: bool = False) -> bool:
        """Cancel a job that waits, or ask a running one to stop; False when it has finished, and nothing changes.

        With ``descendants`` all jobs that wait, or waited, for it too, however deep.
        """
        changes = cancel_job(id, by=by, reason=reason, descendants=descendants)
        return self.client.session.run(changes, notify=CANCELLED)

    async def acancel(self, id: str, *, by: str = "api", reason: str | None = None, descendants: bool = False) -> bool:
        """``cancel`` for async code."""
        changes = cancel_job(id, by=by, reason=reason, descendants=descendants)
        return await self.client.session.arun(changes, notify=CANCELLED)

    def fail(self, id: str, reason: str | None = None, *, by: str = "api") -> bool:
        """End a job that waits or runs as failed (``by_hand``), without a retry; whether it ran.

        ``IllegalTransition`` when it has ended. Code that runs may go on until the next heartbeat of its worker;
        nothing that it writes counts any more.
        """
        return self.client.session.run(fail_job(id, by=by, text=reason, now=self.client.now()), notify=CANCELLED)

    async def afail(self, id: str, reason: str | None = None, *, by: str = "api") -> bool:
        """``fail`` for async code."""
        return await self.client.session.arun(fail_job(id, by=by, text=reason, now=self.client.now()), notify=CANCELLED)

    def retry(self, id: str, *, queue: str | None = None, by: str = "api") -> None:
        """Run a job again with a fresh budget of attempts; ``IllegalTransition`` when its state does not allow it."""
        self.client.session.run(retry_job(id, queue=queue, by=by), notify=ANY_JOB)

    async def aretry(self, id: str, *, queue: str | None = None, by: str = "api") -> None:
        """``retry`` for async code."""
        await self.client.session.arun(retry_job(id, queue=queue, by=by), notify=ANY_JOB)

    def retry_all(
        self,
        *,
        to_queue: str | None = None,
        rate: str | None = None,
        by: str = "api",
        **filter: Unpack[JobFilter],
    ) -> int:
        """Retry every job that matches (failed ones, unless ``state`` is given), in small batches; how many.

        With a ``rate``, such as ``"20/s"``, they are scheduled that far apart: no process has to stay up for it.
        """
        return self.client.session.run(_retry_all(self.client, filter, to_queue, rate, by), notify=ANY_JOB)

    def resume_task(self, task: str, *, by: str = "api") -> bool:
        """End the cool-down of a task, which has tripped or was throttled, and have its jobs that wait for that run
        now; False when it does not cool down.
        """
        return self.client.session.run(_resume_task(self.client, task, by), notify=(*ANY_JOB, *_ORDERS))

    async def aresume_task(self, task: str, *, by: str = "api") -> bool:
        """``resume_task`` for async code."""
        return await self.client.session.arun(_resume_task(self.client, task, by), notify=(*ANY_JOB, *_ORDERS))

    async def aretry_all(
        self,
        *,
        to_queue: str | None = None,
        rate: str | None = None,
        by: str = "api",
        **filter: Unpack[JobFilter],
    ) -> int:
        """``retry_all`` for async code."""
        return await self.client.session.arun(_retry_all(self.client, filter, to_queue, rate, by), notify=ANY_JOB)

    def cancel_all(self, *, by: str = "api", because: str | None = None, **filter: Unpack[JobFilter]) -> int:
        """Cancel every job of a state that matches, in small batches; how many.

        ``because`` is kept in the timeline of each, as the ``reason`` of ``cancel`` is; ``reason`` is a filter here.
        """
        return self.client.session.run(
            jobs.cancel_all(_of_a_state(self.client, filter, "cancel_all"), by=by, reason=because), notify=CANCELLED
        )

    async def acancel_all(self, *, by: str = "api", because: str | None = None, **filter: Unpack[JobFilter]) -> int:
        """``cancel_all`` for async code."""
        return await self.client.session.arun(
            jobs.cancel_all(_of_a_state(self.client, filter, "cancel_all"), by=by, reason=because), notify=CANCELLED
        )

    def purge(self, *, older_than: Duration | None = None, **filter: Unpack[JobFilter]) -> int:
        """Delete every job of a state, or only those finished (or made) longer ago than that; how many."""
        return self.client.session.run(jobs.purge(self._old(_of_a_state(self.client, filter, "purge"), older_than)))

    async def apurge(self, *, older_than: Duration | None = None, **filter: Unpack[JobFilter]) -> int:
        """``purge`` for async code."""
        return await self.client.session.arun(
            jobs.purge(self._old(_of_a_state(self.client, filter, "purge"), older_than))
        )

    def rekey(self, *, clear: bool = False) -> Rekeyed:
        """Encrypt anew what is stored under an older key; with ``clear`` also what was stored without one.

        Runs beside workers, may be repeated, and says what it found.
        """
        from windlass.admin.rekey import rekey_store

        return rekey_store(self.client, clear=validate.flag(clear, "clear"))

    async def arekey(self, *, clear: bool = False) -> Rekeyed:
        """``rekey`` for async code."""
        return await self.client.session.acall(lambda: self.rekey(clear=clear))

    def rescue(self) -> list[Rescued]:
        """Free the jobs of workers that died; returns what was freed and where it went."""
        return self.client.session.upkeep(rescue(by=self.client.actor, now=self.client.now), notify=ANY_JOB)

    async def arescue(self) -> list[Rescued]:
        """``rescue`` for async code."""
        return await self.client.session.aupkeep(rescue(by=self.client.actor, now=self.client.now), notify=ANY_JOB)

    def promote(self) -> int:
        """Make jobs pending whose time has come; how many."""
        return self.client.session.run(jobs.promote(by=self.client.actor), notify=ANY_JOB)

    async def apromote(self) -> int:
        """``promote`` for async code."""
        return await self.client.session.arun(jobs.promote(by=self.client.actor), notify=ANY_JOB)

    def clean(self) -> Cleaned:
        """Delete or archive finished jobs that retention does not keep; returns what was done and how long it took."""
        return self.client.session.upkeep(self._clean())

    async def aclean(self) -> Cleaned:
        """``clean`` for async code."""
        return await self.client.session.aupkeep(self._clean())

    def cleanings(self, limit: int = 50) -> list[dict[str, Any]]:
        """The last cleanings, the newest first."""
        return self.client.session.run(cleanings(limit))

    async def acleanings(self, limit: int = 50) -> list[dict[str, Any]]:
        """``cleanings`` for async code."""
        return await self.client.session.arun(cleanings(limit))

    def figures(
        self, *, range: Duration = "1h", step: Duration | None = None, **about: Unpack[FigureOptions]
    ) -> Figures:
        """Counts, times and depths of the newest ``range``, in steps; without ``step`` in about 360 of them or fewer.

        Of all jobs, or of a queue, a task, both, a worker, a schedule, or of the store itself; see docs/monitoring.md.
        """
        return self.client.session.run(figures(figure_query(range=range, step=step, **about)))

    async def afigures(
        self, *, range: Duration = "1h", step: Duration | None = None, **about: Unpack[FigureOptions]
    ) -> Figures:
        """``figures`` for async code."""
        return await self.client.session.arun(figures(figure_query(range=range, step=step, **about)))

    def roll_up(self) -> RolledUp:
        """Merge what workers have gathered into figures, and remove old ones; returns what was done."""
        return self.client.session.upkeep(roll_up_once())

    async def aroll_up(self) -> RolledUp:
        """``roll_up`` for async code."""
        return await self.client.session.aupkeep(roll_up_once())

    def migrate(self) -> list[str]:
        """Bring the store's schema up to date; the steps that were taken."""
        return self.client.session.migrate()

    async def amigrate(self) -> list[str]:
        """``migrate`` for async code."""
        return await self.client.session.acall(self.client.session.migrate)

    def migration_sql(self) -> str:
        """The SQL that ``migrate`` would run on PostgreSQL, to run it by hand; changes nothing.

        Empty where nothing is missing, and on SQLite and Redis, which migrate by themselves.
        """
        return self.client.session.migration_sql()

    async def amigration_sql(self) -> str:
        """``migration_sql`` for async code."""
        return await self.client.session.acall(self.client.session.migration_sql)

    def _old(self, filter: Filter, older_than: Duration | None) -> Filter:
        """Narrowed to jobs that finished, or were made, longer ago than that."""
        if older_than is None:
            return filter
        before = self.client.now() - milliseconds(older_than, "older_than")
        is_finished = filter.states is not None and filter.states[0] in FINISHED
        return replace(filter, finished_before=before) if is_finished else replace(filter, until=before)

    def _clean(self) -> Operation[Cleaned]:
        client = self.client
        return clean(client.retention, client.archive, by=client.actor, monotonic=clock.monotonic)


def _job(client: Client, id: str) -> Operation[Job[Any]]:
    record = yield from find_record(id)
    return Job.of(client, record)


def _retry_all(client: Client, filter: JobFilter, to_queue: str | None, rate: str | None, by: str) -> Operation[int]:
    if to_queue is not None:
        validate.queue_name(to_queue)
    gap = 0.0
    if rate is not None:
        apart = read_rate(rate)
        gap = apart.period / apart.amount
    return jobs.retry_all(filter_for(client, {"state": State.FAILED, **filter}), to_queue=to_queue, by=by, gap=gap)


def _resume_task(client: Client, task: str, by: str) -> Operation[bool]:
    validate.task_name(task)
    cooling = {each.name for each in (yield from cooldowns()) if each.scope is Scope.TASK}
    if task not in cooling:
        return False
    yield from end_cooldown(Scope.TASK, task)
    held = filter_for(client, {"state": State.SCHEDULED, "reason": "throttled", "task": task})
    yield from jobs.retry_all(held, to_queue=None, by=by, gap=0.0)
    return True


def _of_a_state(client: Client, filter: JobFilter, verb: str) -> Filter:
    """The filter of a change of many jobs, which must name a state: leaving a word out must not purge everything."""
    if filter.get("state") is None:
        raise ConfigError(f"{verb} needs a state, as in {verb}(state='failed')")
    return filter_for(client, filter)
