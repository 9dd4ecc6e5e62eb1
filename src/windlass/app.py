"""The app: declares tasks, enqueues jobs, looks them up, makes workers."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, Unpack, overload

from windlass.admin.access import AccessOperator
from windlass.admin.diagnostics import DiagnosticsOperator
from windlass.admin.jobs import JobsOperator
from windlass.admin.queues import QueuesOperator
from windlass.admin.tasks.operator import TasksOperator
from windlass.admin.upkeep import UpkeepOperator
from windlass.admin.workers import WorkersOperator
from windlass.archive.protocol import Archive
from windlass.archive.writers import archive_from
from windlass.claimed_job import ClaimedJob, claim, lease_milliseconds, release
from windlass.client.client import Client
from windlass.client.config import chosen_keys, chosen_namespace, chosen_url
from windlass.client.hints import MethodHints
from windlass.client.modules import module_names
from windlass.client.routes import RouteFunction, Routes
from windlass.client.tasks.registry import Registry
from windlass.client.transactions import Transaction
from windlass.core import validate
from windlass.core.codec import Codec, Limits, limits_from
from windlass.core.encryption.encryption import Encryption
from windlass.core.records import Claimed
from windlass.core.retry import Retry, retry_rule
from windlass.core.units import duration
from windlass.core.validate import exception_classes
from windlass.delivery.channel import Channel
from windlass.delivery.channels import Channels
from windlass.errors import ConfigError, Duration
from windlass.forks import reset_in_child
from windlass.hooks import Hookable, Hooks
from windlass.job import Job
from windlass.options import (
    OPTION_NAMES,
    TASK_OPTION_NAMES,
    UNSET,
    WORKER_OPTION_NAMES,
    QueueShare,
    TaskOptions,
    TaskSettings,
    WorkerOptions,
    check_known,
)
from windlass.options.queues import seed_of
from windlass.programs.command import command
from windlass.programs.helpers.helper_settings import Program, ProgramSettings
from windlass.programs.reaper import Reaper
from windlass.queue import Queue
from windlass.retention import Retention, retention_policy
from windlass.schedules.schedulable import Schedulable
from windlass.store.open import open_driver
from windlass.store.operations.queues import ALL
from windlass.task import (
    COMMAND,
    Request,
    Runnable,
    Task,
    TaskDecorator,
    TaskWithOptions,
    checked_call,
    checked_requests,
)
from windlass.threads.in_thread import in_thread

if TYPE_CHECKING:
    from windlass.programs.helpers.helper import Helper
    from windlass.schedules.fires import Fire
    from windlass.task import AsyncTask
    from windlass.worker.shutdown import ShutdownTimes
    from windlass.worker.worker import Worker

P = ParamSpec("P")
R = TypeVar("R")


class Windlass(
    JobsOperator,
    QueuesOperator,
    TasksOperator,
    WorkersOperator,
    UpkeepOperator,
    AccessOperator,
    DiagnosticsOperator,
    Schedulable,
    Hookable,
    MethodHints,
):
    """An application's jobs: its tasks, its store, and everything that can be asked of them.

    ``url`` comes from the argument, ``$WINDLASS_URL``, ``[tool.windlass]`` in pyproject.toml, or is
    ``sqlite:///windlass.db`` in the working folder. Nothing is opened before it is needed.

    >>> app = Windlass("sqlite:///:memory:")
    >>> @app.task(queue="mail")
    ... def welcome(user_id: int) -> str:
    ...     return f"welcome {user_id}"
    >>> job = welcome.enqueue(42)
    >>> with app.worker():
    ...     job.result(timeout=5)
    'welcome 42'
    >>> app.close()
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        namespace: str | None = None,
        importable: Sequence[str] = (),
        include: Sequence[str] = (),
        types: Iterable[type] = (),
        retry: Retry | None = None,
        give_up_on: tuple[type[BaseException], ...] = (),
        retention: Retention | None = None,
        archive: str | Path | Archive | None = None,
        early_cleaning: float | None = None,
        routes: Mapping[str, str] | RouteFunction | None = None,
        limits: Limits | None = None,
        max_running: int | None = None,
        store_deadline: Duration = 5,
        claim_lease: Duration = "5m",
        encryption_keys: Sequence[str] | None = None,
        encrypt: bool = True,
        alerts: Iterable[Channel] | None = None,
        clock: Callable[[], int] | None = None,
    ) -> None:
        """``namespace`` is the schema or the beginning of all keys; ``$WINDLASS_NAMESPACE``, else ``windlass``.

        ``early_cleaning=0.85`` has finished jobs removed before their time, the oldest first, while more than 85 % of
        Redis' ``maxmemory``, or of the disk of a file, are in use.

        ``include`` names modules that declare tasks; they are imported before a worker starts.

        ``routes`` chooses the queue where neither a job nor its task names one: a dict from the beginnings of task
        names to queues, or a function that takes a task's name and gives its queue or None.

        ``max_running`` declares how many jobs may run at once in the whole app, on all machines together, as long as no
        operator has set it by ``configure``.

        ``claim_lease`` is how long a job that was claimed by hand stays with its owner unless it is extended.

        ``encryption_keys`` are the keys for stored texts, the first of which encrypts: ``$WINDLASS_ENCRYPTION_KEYS``,
        else the file ``$WINDLASS_ENCRYPTION_KEYS_FILE``. With keys all tasks are encrypted that do not say
        ``encrypt=False``; with ``encrypt=False`` here only those that say ``encrypt=True``. See docs/encryption.md.

        ``alerts`` are the channels by which alerts reach people: ``[Webhook(...), Email(...)]`` of
        ``windlass.delivery``; without it those that ``$WINDLASS_ALERT_WEBHOOK`` and others name. Alerts are always
        logged. See docs/alerts.md.

        ``clock`` replaces the store's clock in tests (see ``windlass.testing.ManualClock``)."""
        self.url = chosen_url(url)
        namespace = chosen_namespace(namespace)
        if clock is not None and not callable(clock):
            raise ConfigError(f"clock must be a function that gives milliseconds since 1970, got {clock!r}")
        deadline = duration(store_deadline, "store_deadline").total_seconds()
        if deadline == 0:
            raise ConfigError("store_deadline must be longer than 0, or no call could ever be answered in time")
        codec, hooks = Codec(types, limits_from(limits)), Hooks()
        self._claim_lease = lease_milliseconds(claim_lease, "claim_lease")
        self.client = Client(
            driver=open_driver(self.url, namespace=namespace, now=clock, deadline=deadline),
            namespace=namespace,
            clock=clock,
            codec=codec,
            encryption=Encryption(chosen_keys(encryption_keys), by_default=validate.flag(encrypt, "encrypt")),
            registry=Registry(self, codec=codec, hooks=hooks, importable=importable),
            hooks=hooks,
            retry=Retry() if retry is None else retry_rule(retry),
            give_up_on=exception_classes(give_up_on, "give_up_on"),
            include=module_names(include),
            retention=Retention() if retention is None else retention_policy(retention),
            archive=archive_from(archive),
            early_cleaning=None if early_cleaning is None else _share(early_cleaning, "early_cleaning"),
            routes=Routes(routes),
            channels=Channels(alerts),
        )
        if max_running is not None:
            self.client.declare_queue(seed_of(ALL, max_running=max_running))
        self._shutdown_times: ShutdownTimes | None = None
        """What its workers take for leaving; None: what they have in production."""
        self._reaper = Reaper()
        reset_in_child(self._reaper, Reaper.reset_after_fork)
        self._helpers: dict[str, Helper] = {}

    def __enter__(self) -> Windlass:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    async def __aenter__(self) -> Windlass:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"<Windlass {self.store}>"

    @property
    def store(self) -> str:
        """Where the jobs are: an absolute path, or an address without its password."""
        return self.client.session.store_name

    @property
    def tasks(self) -> list[Task[..., Any]]:
        """The tasks that are registered here."""
        return list(self.client.registry)

    @overload
    def task(self, function: Callable[P, Coroutine[Any, Any, R]], /) -> AsyncTask[P, R]: ...
    @overload
    def task(self, function: Callable[P, R], /) -> Task[P, R]: ...
    @overload
    def task(self, /, **options: Unpack[TaskOptions]) -> TaskDecorator: ...
    def task(self, function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
        """Register a function as a task: bare, or with options for all of its jobs."""
        declare = self.client.registry.declare
        if function is not None:
            return declare(function, name=None, settings=TaskSettings())
        check_known(options, TASK_OPTION_NAMES, "task option", of_jobs=OPTION_NAMES)
        name = options.pop("name", None)
        settings = TaskSettings(**options)
        return lambda decorated: declare(decorated, name=name, settings=settings)

    def enqueue(self, task: Runnable, /, *args: Any, **kwargs: Any) -> Job[Any]:
        """Run a task in the background: the task, its name, or a plain function at the top level of a module."""
        return self.client.enqueue(self._request(task, args, kwargs))

    async def aenqueue(self, task: Runnable, /, *args: Any, **kwargs: Any) -> Job[Any]:
        """``enqueue`` for async code."""
        return await self.client.aenqueue(self._request(task, args, kwargs))

    def request(
        self,
        task: Runnable,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Request:
        """A request under options, for ``enqueue_many`` or for a task that is known by name only."""
        return self._request(task, *checked_call(args, kwargs)).but(**options)

    def enqueue_many(self, requests: Iterable[Request]) -> list[Job[Any]]:
        """Enqueue requests of any tasks, all of them or none; the jobs come back in order."""
        return self.client.enqueue_many(checked_requests(requests))

    async def aenqueue_many(self, requests: Iterable[Request]) -> list[Job[Any]]:
        """``enqueue_many`` for async code."""
        return await self.client.aenqueue_many(checked_requests(requests))

    def send(self, event: str, value: object = None) -> None:
        """Give an event to all jobs that wait for it (``job.wait_for``), and for 7 days to those that will.

        Of several with the same name the newest counts. In ``with app.transaction(connection)`` it belongs to that
        transaction, and wakes jobs within about a second of the commit.
        """
        self.client.send(event, value)

    async def asend(self, event: str, value: object = None) -> None:
        """``send`` for async code."""
        await self.client.asend(event, value)

    def transaction(self, connection: object) -> Transaction:
        """Enqueue inside a transaction of yours: rolled back means no job, committed means exactly one.

        ``with`` or ``async with``; holds for all that this thread or task enqueues in the block. The jobs are part of
        the transaction that ``connection`` has open; the block itself commits nothing. See docs/transactions.md for
        the libraries and databases that this works with.

        >>> import sqlite3
        >>> app = Windlass("sqlite:///shop.db?driver=stdlib")
        >>> @app.task
        ... def receipt(order: int) -> None: ...
        >>> steps = app.migrate()
        >>> shop = sqlite3.connect("shop.db")
        >>> with app.transaction(shop):
        ...     job = receipt.enqueue(7)
        >>> shop.rollback()
        >>> app.counts()["pending"]
        0
        >>> shop.close()
        >>> app.close()
        """
        return self.client.transactions.begin(connection)

    command = staticmethod(command)

    def helper(self, name: str, argv: Sequence[str], **settings: Unpack[ProgramSettings]) -> Helper:
        """A program that stays and answers jobs, one line of JSON for each; see ``Helper`` and docs/commands.md."""
        from windlass.programs.helpers.helper import Helper

        check_known(settings, tuple(ProgramSettings.__annotations__), "helper option")
        helper = Helper(Program(name, argv, **settings), registry=self.client.registry, reaper=self._reaper)
        if self._helpers.setdefault(name, helper).program != helper.program:
            raise ConfigError(f"helper {name!r} is declared twice, with different settings")
        return self._helpers[name]

    def claim(self, limit: int = 1, *, queues: Sequence[str] = (), lease: Duration | None = None) -> list[ClaimedJob]:
        """Take up to ``limit`` jobs to drive them by hand; each stays ours for ``lease`` unless it is extended.

        Without ``lease`` it is what the app says (``claim_lease``, 5 minutes).
        """
        client = self.client
        return _handles(client, client.session.run(claim(client, limit, queues=queues, ttl=self._ttl(lease))))

    async def aclaim(
        self, limit: int = 1, *, queues: Sequence[str] = (), lease: Duration | None = None
    ) -> list[ClaimedJob]:
        """``claim`` for async code; what it has taken goes back if the caller is cancelled meanwhile."""
        client = self.client
        taking = claim(client, limit, queues=queues, ttl=self._ttl(lease))
        return _handles(client, await client.session.arun_or_undo(taking, partial(release, client)))

    def lease(self, id: str, fence: int) -> ClaimedJob:
        """The handle of a claimed job, rebuilt elsewhere from its id and fence."""
        return ClaimedJob(self.client, id, fence)

    def configure(
        self,
        *,
        retention: Retention | None = UNSET,
        archive: str | Path | Archive | None = UNSET,
        routes: Mapping[str, str] | RouteFunction | None = UNSET,
        encryption_keys: Sequence[str] | None = UNSET,
        max_running: int | None = UNSET,
        by: str = "api",
    ) -> None:
        """Change what holds for the whole app.

        ``max_running``, how many jobs may run at once on all machines together, is kept in the store, with who set it,
        and followed by all processes; None takes it back. The rest holds for this process: ``encryption_keys`` for
        what is written and read from then on.
        """
        self._configure(retention=retention, archive=archive, routes=routes, encryption_keys=encryption_keys)
        if max_running is not UNSET:
            Queue(self, ALL).configure(max_running=max_running, by=by)

    async def aconfigure(
        self,
        *,
        retention: Retention | None = UNSET,
        archive: str | Path | Archive | None = UNSET,
        routes: Mapping[str, str] | RouteFunction | None = UNSET,
        encryption_keys: Sequence[str] | None = UNSET,
        max_running: int | None = UNSET,
        by: str = "api",
    ) -> None:
        """``configure`` for async code."""
        self._configure(retention=retention, archive=archive, routes=routes, encryption_keys=encryption_keys)
        if max_running is not UNSET:
            await Queue(self, ALL).aconfigure(max_running=max_running, by=by)

    def _configure(
        self,
        *,
        retention: Retention | None,
        archive: str | Path | Archive | None,
        routes: Mapping[str, str] | RouteFunction | None,
        encryption_keys: Sequence[str] | None,
    ) -> None:
        client = self.client
        if encryption_keys is not UNSET:
            client.encrypt_with(encryption_keys)
        if retention is not UNSET:
            client.retention = Retention() if retention is None else retention_policy(retention)
        if archive is not UNSET:
            client.archive = archive_from(archive)
        if routes is not UNSET:
            client.route(Routes(routes))

    def worker(
        self, queues: Mapping[str, int | QueueShare] | Sequence[str] | None = None, **options: Unpack[WorkerOptions]
    ) -> Worker:
        """A worker in this process: ``with app.worker(): ...``, or ``app.worker().run_until_empty()``.

        Without ``queues`` it serves the default queue and all that tasks name.
        """
        from windlass.worker.build import build_worker
        from windlass.worker.settings import WorkerSettings

        client = self.client
        client.load_included()
        check_known(options, WORKER_OPTION_NAMES, "worker option")
        settings = WorkerSettings.of(client, queues, shutdown_times=self._shutdown_times, **options)
        worker = build_worker(client, settings, reaper=self._reaper)
        client.add_worker(worker)
        return worker

    def run_worker(
        self, queues: Mapping[str, int | QueueShare] | Sequence[str] | None = None, **options: Unpack[WorkerOptions]
    ) -> None:
        """Run a worker until a signal ends it, others ask it to stop, or it needs a fresh process: too many runs would
        not stop.
        """
        from windlass.worker.process.signals import run_until_signalled

        run_until_signalled(self.worker(queues, **options))

    def fire_due(self) -> list[Fire]:
        """Fire the schedules that are due, once; what became of their slots. Where another process leads, it fires, and
        there is nothing to do here.

        What this program declares is stored first, as a worker does.
        """
        from windlass.worker.duties.schedules.fire_due import fire_due

        return fire_due(self.client)

    async def afire_due(self) -> list[Fire]:
        """``fire_due`` for async code."""
        return await self.client.session.acall(self.fire_due)

    def evaluate_alerts(self) -> int:
        """Compare all alert rules with figures now, for tests and for apps without a process that does duties; how many
        alerts were fired or resolved. Where another process leads, it does that, and nothing is done here.
        """
        from windlass.worker.duties.alerts.evaluate import evaluate

        done = evaluate(self.client)
        return len(done.fired) + len(done.resolved)

    async def aevaluate_alerts(self) -> int:
        """``evaluate_alerts`` for async code."""
        return await self.client.session.acall(self.evaluate_alerts)

    def close(self, *, wait: bool = True, timeout: Duration | None = None) -> None:
        """Take no more calls; drain in-process workers up to ``timeout`` (default: their grace), hand the rest back.

        ``wait=False`` hands back at once. A second call is harmless.
        """
        client = self.client
        if client.session.is_closed:
            return
        client.session.refuse_reentry()
        client.stop_workers(timeout if wait else 0)
        if client is client.home:  # a test goes on after its block's client was closed
            for helper in self._helpers.values():
                helper.close()
            self._reaper.close()
        client.close()

    async def aclose(self, *, wait: bool = True, timeout: Duration | None = None) -> None:
        """``close`` for async code: the loop goes on while workers drain."""
        await in_thread(self.close, wait=wait, timeout=timeout)

    def _request(self, task: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Request:
        if isinstance(task, TaskWithOptions | Task):
            return task.request(*args, **kwargs)
        if isinstance(task, Request):
            return _complete(task, args, kwargs)
        if task == COMMAND:
            return command(*args, **kwargs)
        if isinstance(task, str):
            known = self.client.registry.find(task)
            return known.request(*args, **kwargs) if known else Request(validate.task_name(task), args, kwargs)
        return self.client.registry.named(task).request(*args, **kwargs)

    def _ttl(self, lease: Duration | None) -> int:
        return self._claim_lease if lease is None else lease_milliseconds(lease, "lease")


def _handles(client: Client, claimed: Sequence[Claimed]) -> list[ClaimedJob]:
    return [ClaimedJob(client, job.id, job.fence, claimed=job) for job in claimed]


def _complete(request: Request, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Request:
    if args or kwargs:
        raise TypeError(f"a request has its arguments already; give it alone, without {args!r} {kwargs!r}")
    return request


def _share(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
        raise ConfigError(f"{name} must be a share between 0 and 1, such as 0.85, or None; got {value!r}")
    return float(value)
