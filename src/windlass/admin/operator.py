"""The operator's methods of the app: look up, cancel, retry, purge, pause, migrate."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Unpack, cast

from msgspec.structs import replace

from windlass import clock
from windlass.admin.cleanup import Cleaned, clean
from windlass.admin.workers import forget_lost_workers, forget_worker, stop_worker
from windlass.client.session import Session
from windlass.core import validate
from windlass.core.records import JobRecord
from windlass.core.state import State
from windlass.core.units import milliseconds
from windlass.errors import ConfigError, Duration, IllegalTransition, JobNotFound
from windlass.insight.job_filter import JobFilter, filter_of
from windlass.insight.overview import Overview, overview
from windlass.insight.workers import WorkerView, worker_views
from windlass.job import Job
from windlass.queue import Queue
from windlass.retention import Archive, Retention
from windlass.store.driver import Topic
from windlass.store.operation import Operation
from windlass.store.operations import jobs, leases, queries, queues
from windlass.store.operations.queries import DeadGroup, Filter
from windlass.store.operations.rescue import Rescued, rescue
from windlass.store.pages import Found

if TYPE_CHECKING:
    from windlass.app import Windlass

_CANCELLED = (Topic.WORK, Topic.FINISHED, Topic.CONTROL)
"""The topics of a cancel: a job that waited, a job that has ended by it, a job that runs."""
_WINDOWS = 20
"""How many windows a listing reads before it returns a short page."""


class JobPage(list[Job[Any]]):
    """Jobs, the newest first. ``next`` is the cursor of the next page, or None on the last one.

    >>> from windlass import Windlass
    >>> app = Windlass("sqlite:///:memory:")
    >>> jobs = [app.enqueue("report") for _ in range(3)]
    >>> page = app.jobs(limit=2)
    >>> len(page), len(app.jobs(limit=2, cursor=page.next))
    (2, 1)
    >>> app.close()
    """

    def __init__(self, jobs: Iterable[Job[Any]], next: int | None) -> None:
        super().__init__(jobs)
        self.next = next


class Operator:
    """The operator's part of ``Windlass``. Each pair of methods runs one operation."""

    _actor: str

    @property
    def _session(self) -> Session:
        raise NotImplementedError

    @property
    def _retention(self) -> Retention:
        raise NotImplementedError

    @property
    def _archive(self) -> Archive | None:
        raise NotImplementedError

    def _now(self) -> int:
        raise NotImplementedError

    def job(self, id: str) -> Job[Any]:
        """The job with this id; ``JobNotFound`` when there is none."""
        return self._session.run(self._job(id))

    async def ajob(self, id: str) -> Job[Any]:
        """``job`` for async code."""
        return await self._session.arun(self._job(id))

    def jobs(self, *, limit: int = 50, cursor: int | None = None, **filter: Unpack[JobFilter]) -> JobPage:
        """A page of jobs, the newest first; ``cursor`` takes the ``next`` of the page before."""
        return self._session.run(self._jobs(filter_of(filter), limit, cursor))

    async def ajobs(self, *, limit: int = 50, cursor: int | None = None, **filter: Unpack[JobFilter]) -> JobPage:
        """``jobs`` for async code."""
        return await self._session.arun(self._jobs(filter_of(filter), limit, cursor))

    def counts(self, queue: str | None = None) -> dict[str, int]:
        """How many jobs are in each state, in one queue or all; every state is present."""
        return self._session.run(_counts(queue))

    async def acounts(self, queue: str | None = None) -> dict[str, int]:
        """``counts`` for async code."""
        return await self._session.arun(_counts(queue))

    def dead_groups(self, limit: int = 100) -> list[DeadGroup]:
        """Failed jobs grouped by task, reason and error, the largest group first."""
        return self._session.run(queries.dead_groups(limit))

    async def adead_groups(self, limit: int = 100) -> list[DeadGroup]:
        """``dead_groups`` for async code."""
        return await self._session.arun(queries.dead_groups(limit))

    def queue(self, name: str) -> Queue:
        """The handle of one queue; it need not exist yet."""
        return Queue(self._app, validate.queue_name(name))

    def queues(self) -> list[Queue]:
        """Every queue that has, or has had, jobs or settings."""
        return [Queue(self._app, name) for name in self._session.run(queues.settings()) if name != queues.ALL]

    async def aqueues(self) -> list[Queue]:
        """``queues`` for async code."""
        return [Queue(self._app, name) for name in await self._session.arun(queues.settings()) if name != queues.ALL]

    def overview(self) -> Overview:
        """Every queue with its counts and settings, and every worker, in few calls."""
        return self._session.run(overview())

    async def aoverview(self) -> Overview:
        """``overview`` for async code."""
        return await self._session.arun(overview())

    def pause(self, reason: str | None = None, *, by: str = "api") -> None:
        """Pause all queues, everywhere; what runs goes on."""
        Queue(self._app, queues.ALL).pause(reason, by=by)

    async def apause(self, reason: str | None = None, *, by: str = "api") -> None:
        """``pause`` for async code."""
        await Queue(self._app, queues.ALL).apause(reason, by=by)

    def resume(self, *, by: str = "api") -> None:
        """End a ``pause``; queues that were paused one by one stay paused."""
        Queue(self._app, queues.ALL).resume(by=by)

    async def aresume(self, *, by: str = "api") -> None:
        """``resume`` for async code."""
        await Queue(self._app, queues.ALL).aresume(by=by)

    def workers(self) -> list[WorkerView]:
        """Live workers, and those that died within a day."""
        return self._session.run(worker_views())

    async def aworkers(self) -> list[WorkerView]:
        """``workers`` for async code."""
        return await self._session.arun(worker_views())

    def pause_worker(self, worker: str, *, by: str = "api") -> int:
        """Let one worker (its id or name) claim no more; how many workers that reaches."""
        return self._signalled(self._session.run(_signal(worker, signal=leases.PAUSE, by=by)))

    async def apause_worker(self, worker: str, *, by: str = "api") -> int:
        """``pause_worker`` for async code."""
        return self._signalled(await self._session.arun(_signal(worker, signal=leases.PAUSE, by=by)))

    def resume_worker(self, worker: str, *, by: str = "api") -> int:
        """Let a paused worker go on; how many workers that reaches."""
        return self._signalled(self._session.run(_signal(worker, signal=None, by=by)))

    async def aresume_worker(self, worker: str, *, by: str = "api") -> int:
        """``resume_worker`` for async code."""
        return self._signalled(await self._session.arun(_signal(worker, signal=None, by=by)))

    def stop_worker(self, worker: str, *, by: str = "api") -> int:
        """Ask one worker (its id or name) to stop in order, as SIGTERM does: it claims no more, gives what runs its
        grace time and releases the rest. Returns how many workers that reaches; it does not wait for them.

        It cannot be taken back. ``IllegalTransition`` when the worker is lost.
        """
        return self._signalled(self._session.run(stop_worker(worker, by=by)))

    async def astop_worker(self, worker: str, *, by: str = "api") -> int:
        """``stop_worker`` for async code."""
        return self._signalled(await self._session.arun(stop_worker(worker, by=by)))

    def forget_worker(self, worker: str) -> int:
        """Take a lost worker (its id or name) off the lists; how many there were. Its jobs are rescued all the same.

        ``IllegalTransition`` when the worker is alive. A lost worker that turns out to be alive is listed again.
        """
        return self._session.run(forget_worker(worker))

    async def aforget_worker(self, worker: str) -> int:
        """``forget_worker`` for async code."""
        return await self._session.arun(forget_worker(worker))

    def forget_lost_workers(self) -> int:
        """Take all lost workers off the lists; how many."""
        return self._session.run(forget_lost_workers())

    async def aforget_lost_workers(self) -> int:
        """``forget_lost_workers`` for async code."""
        return await self._session.arun(forget_lost_workers())

    def cancel(self, id: str, *, by: str = "api", reason: str | None = None) -> bool:
        """Cancel a job that waits, or ask a running one to stop; False when it has finished, and nothing changes."""
        cancelled = self._session.run(self._cancel(id, by, reason))
        self._session.notify_changed(*_CANCELLED)
        return cancelled

    async def acancel(self, id: str, *, by: str = "api", reason: str | None = None) -> bool:
        """``cancel`` for async code."""
        cancelled = await self._session.arun(self._cancel(id, by, reason))
        self._session.notify_changed(*_CANCELLED)
        return cancelled

    def retry(self, id: str, *, queue: str | None = None, by: str = "api") -> None:
        """Run a job again with a fresh budget of attempts; ``IllegalTransition`` when its state does not allow it."""
        self._session.run(self._retry(id, queue, by))
        self._session.notify_changed()

    async def aretry(self, id: str, *, queue: str | None = None, by: str = "api") -> None:
        """``retry`` for async code."""
        await self._session.arun(self._retry(id, queue, by))
        self._session.notify_changed()

    def retry_all(self, *, to_queue: str | None = None, by: str = "api", **filter: Unpack[JobFilter]) -> int:
        """Retry every job that matches (failed ones, unless ``state`` is given), in small batches; how many."""
        retried = self._session.run(_retry_all(filter_of({"state": State.FAILED, **filter}), to_queue, by))
        self._session.notify_changed()
        return retried

    async def aretry_all(self, *, to_queue: str | None = None, by: str = "api", **filter: Unpack[JobFilter]) -> int:
        """``retry_all`` for async code."""
        retried = await self._session.arun(_retry_all(filter_of({"state": State.FAILED, **filter}), to_queue, by))
        self._session.notify_changed()
        return retried

    def cancel_all(self, *, by: str = "api", because: str | None = None, **filter: Unpack[JobFilter]) -> int:
        """Cancel every job of a state that matches, in small batches; how many.

        ``because`` is kept in the timeline of each, as the ``reason`` of ``cancel`` is; ``reason`` is a filter here.
        """
        cancelled = self._session.run(_cancel_all(_of_a_state(filter, "cancel_all"), by, because))
        self._session.notify_changed(*_CANCELLED)
        return cancelled

    async def acancel_all(self, *, by: str = "api", because: str | None = None, **filter: Unpack[JobFilter]) -> int:
        """``cancel_all`` for async code."""
        cancelled = await self._session.arun(_cancel_all(_of_a_state(filter, "cancel_all"), by, because))
        self._session.notify_changed(*_CANCELLED)
        return cancelled

    def purge(self, *, older_than: Duration | None = None, **filter: Unpack[JobFilter]) -> int:
        """Delete every job of a state, or only those finished (or made) longer ago than that; how many."""
        return self._session.run(self._purge(_of_a_state(filter, "purge"), older_than))

    async def apurge(self, *, older_than: Duration | None = None, **filter: Unpack[JobFilter]) -> int:
        """``purge`` for async code."""
        return await self._session.arun(self._purge(_of_a_state(filter, "purge"), older_than))

    def rescue(self) -> list[Rescued]:
        """Free the jobs of workers that died; returns what was freed and where it went."""
        rescued = self._session.upkeep(rescue(by=self._actor, now=self._now))
        self._session.notify_changed()
        return rescued

    async def arescue(self) -> list[Rescued]:
        """``rescue`` for async code."""
        rescued = await self._session.aupkeep(rescue(by=self._actor, now=self._now))
        self._session.notify_changed()
        return rescued

    def promote(self) -> int:
        """Make jobs pending whose time has come; how many."""
        promoted = self._session.run(jobs.promote(by=self._actor))
        self._session.notify_changed()
        return promoted

    async def apromote(self) -> int:
        """``promote`` for async code."""
        promoted = await self._session.arun(jobs.promote(by=self._actor))
        self._session.notify_changed()
        return promoted

    def clean(self) -> Cleaned:
        """Delete or archive finished jobs that retention does not keep; returns what was done and how long it took."""
        return self._session.upkeep(self._clean())

    async def aclean(self) -> Cleaned:
        """``clean`` for async code."""
        return await self._session.aupkeep(self._clean())

    def cleanings(self, limit: int = 50) -> list[dict[str, Any]]:
        """The last cleanings, the newest first."""
        return self._session.run(_cleanings(limit))

    async def acleanings(self, limit: int = 50) -> list[dict[str, Any]]:
        """``cleanings`` for async code."""
        return await self._session.arun(_cleanings(limit))

    def migrate(self) -> list[str]:
        """Bring the store's schema up to date; the steps that were taken."""
        return self._session.migrate()

    async def amigrate(self) -> list[str]:
        """``migrate`` for async code."""
        return await self._session.acall(self._session.migrate)

    def migration_sql(self) -> str:
        """The SQL that ``migrate`` would run on PostgreSQL, to run it by hand; changes nothing.

        Empty where nothing is missing, and on SQLite and Redis, which migrate by themselves.
        """
        return self._session.migration_sql()

    async def amigration_sql(self) -> str:
        """``migration_sql`` for async code."""
        return await self._session.acall(self._session.migration_sql)

    @property
    def _app(self) -> Windlass:
        return cast("Windlass", self)

    def _signalled(self, workers: list[str]) -> int:
        """Notify the workers; returns how many they are."""
        self._session.notify_changed(Topic.CONTROL)
        return len(workers)

    def _job(self, id: str) -> Operation[Job[Any]]:
        record = yield from _record(id)
        return Job.of(self._app, record)

    def _jobs(self, filter: Filter, limit: int, cursor: int | None) -> Operation[JobPage]:
        validate.whole_number(limit, "limit", least=1, most=10_000)
        found: list[JobRecord] = []
        for _ in range(_WINDOWS):
            page = yield from queries.page(filter, limit=limit - len(found), cursor=cursor)
            found += page.jobs
            cursor = page.next
            if cursor is None or len(found) == limit:
                break
        return JobPage((Job.of(self._app, record) for record in found), cursor)

    def _cancel(self, id: str, by: str, reason: str | None) -> Operation[bool]:
        record = yield from _record(id)
        cancelled = yield from jobs.cancel([record.seq], by=by, reason=reason)
        return bool(cancelled)

    def _retry(self, id: str, queue: str | None, by: str) -> Operation[None]:
        if queue is not None:
            validate.queue_name(queue)
        record = yield from _record(id)
        retried = yield from jobs.retry([record.seq], by=by, queue=queue)
        if retried.key_taken:
            holder = retried.key_taken[record.seq]
            raise IllegalTransition(f"job {id} cannot be retried: job {holder} holds its unique key now")
        if not retried.seqs:
            record = yield from _record(id)
            raise IllegalTransition(f"job {id} is {record.state}; it cannot be retried")

    def _purge(self, filter: Filter, older_than: Duration | None) -> Operation[int]:
        if older_than is not None:
            before = self._now() - milliseconds(older_than, "older_than")
            finished = filter.states is not None and filter.states[0] in (
                State.COMPLETED,
                State.FAILED,
                State.CANCELLED,
            )
            filter = replace(filter, finished_before=before) if finished else replace(filter, until=before)

        def act(found: list[Found]) -> Operation[int]:
            deleted = yield from jobs.delete([(job.seq, job.id) for job in found], states=filter.states or ())
            return len(deleted)

        total = yield from jobs.for_each_page(filter, act)
        return total

    def _clean(self) -> Operation[Cleaned]:
        return clean(self._retention, self._archive, by=self._actor, monotonic=clock.monotonic)


def _record(id: str) -> Operation[JobRecord]:
    found = yield from queries.find([id])
    if id not in found:
        raise JobNotFound(f"no job has the id {id!r}")
    return found[id]


def _signal(worker: str, *, signal: str | None, by: str) -> Operation[list[str]]:
    yield from queues.settings(queues.ALL)  # read only: a search in the wrong place must not make a store
    reached = yield from leases.signal(worker, signal=signal, by=by)
    return reached


def _counts(queue: str | None) -> Operation[dict[str, int]]:
    by_queue = yield from queries.counts(queue)
    totals: dict[str, int] = dict.fromkeys(State, 0)  # a state is a str, so both work as keys
    for by_state in by_queue.values():
        for state, count in by_state.items():
            totals[state] += count
    return totals


def _retry_all(filter: Filter, to_queue: str | None, by: str) -> Operation[int]:
    if to_queue is not None:
        validate.queue_name(to_queue)

    def act(found: list[Found]) -> Operation[int]:
        seqs = [job.seq for job in found]
        retried = yield from jobs.retry(seqs, by=by, states=filter.states or (), queue=to_queue)
        return len(retried.seqs)

    total = yield from jobs.for_each_page(filter, act)
    return total


def _cancel_all(filter: Filter, by: str, reason: str | None) -> Operation[int]:
    def act(found: list[Found]) -> Operation[int]:
        cancelled = yield from jobs.cancel([job.seq for job in found], by=by, reason=reason)
        return len(cancelled)

    total = yield from jobs.for_each_page(filter, act)
    return total


def _cleanings(limit: int) -> Operation[list[dict[str, Any]]]:
    from windlass.insight.timeline import detail_of

    found = yield from queries.notices()
    cleanings = [notice for notice in found if notice.kind == "cleaned"]
    return [
        {"at": clock.instant(notice.at), "by": notice.worker, **detail_of(notice.detail)}
        for notice in cleanings[:limit]
    ]


def _of_a_state(filter: JobFilter, verb: str) -> Filter:
    """The filter of a change of many jobs, which must name a state: leaving a word out must not purge everything."""
    if filter.get("state") is None:
        raise ConfigError(f"{verb} needs a state, as in {verb}(state='failed')")
    return filter_of(filter)
