"""The app: declares tasks, enqueues jobs, looks them up, makes workers."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar, Unpack, overload

from windlass.admin.operator import Operator
from windlass.claimed_job import ClaimedJob
from windlass.client.binding import Binding
from windlass.client.config import actor, setting
from windlass.client.declaration import check_task_function
from windlass.client.enqueue import DEFAULT_QUEUE
from windlass.client.hints import MethodHints
from windlass.client.modules import is_module_name, load_module
from windlass.client.registry import Registry, name_of
from windlass.client.routes import Routes
from windlass.client.session import Session
from windlass.client.transactions import Transaction
from windlass.core import validate
from windlass.core.codec import Codec, Limits, limits_from
from windlass.core.decide import decide
from windlass.core.outcome import Interrupted
from windlass.core.records import Claimed
from windlass.core.retry import Retry, retry_rule
from windlass.core.unique import Unique
from windlass.core.units import duration, milliseconds
from windlass.core.validate import exception_classes, texts
from windlass.errors import ConfigError, Duration
from windlass.forks import reset_in_child
from windlass.hooks import Enqueuing, Hookable, Hooks
from windlass.job import Job
from windlass.options import UNSET, WorkerOptions, check_known
from windlass.programs.command import COMMAND, command
from windlass.programs.helper_settings import Program, ProgramSettings
from windlass.programs.reaper import Reaper
from windlass.retention import Archive, Retention, archive_from, retention_policy
from windlass.store.open import DEFAULT_NAMESPACE, open_driver
from windlass.store.operation import Operation
from windlass.store.operations import jobs
from windlass.store.operations.cycle import finish
from windlass.store.operations.enqueue import Enqueued
from windlass.store.operations.manual_claim import claim_many
from windlass.store.operations.rescue import rescue
from windlass.task import Request, Task, TaskSettings, TaskWithOptions, checked_call, checked_requests

if TYPE_CHECKING:
    from windlass.programs.helper import Helper
    from windlass.task import AsyncTask
    from windlass.testing.block import Block
    from windlass.worker.shutdown import Parting
    from windlass.worker.worker import Worker

P = ParamSpec("P")
R = TypeVar("R")

_TASK_OPTIONS = ("name", *(field.name for field in fields(TaskSettings) if field.init))
DEFAULT_URL = "sqlite:///windlass.db"

Runnable = Task[..., Any] | TaskWithOptions[..., Any] | Request | Callable[..., Any] | str
"""What can be enqueued: a task, a task under options, a request, a plain function of a module, or a task's name."""


class Windlass(Operator, Hookable, MethodHints):
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
        limits: Limits | None = None,
        store_deadline: Duration = 5,
        claim_lease: Duration = "5m",
        clock: Callable[[], int] | None = None,
    ) -> None:
        """``namespace`` is the schema or the beginning of all keys; ``$WINDLASS_NAMESPACE``, else ``windlass``.

        ``include`` names modules that declare tasks; they are imported before a worker starts.

        ``claim_lease`` is how long a job that was claimed by hand stays with its owner unless it is extended.

        ``clock`` replaces the store's clock in tests (see ``windlass.testing.ManualClock``)."""
        self.url = _chosen_url(url)
        namespace = setting("namespace", namespace) or DEFAULT_NAMESPACE if namespace is None else namespace
        if clock is not None and not callable(clock):
            raise ConfigError(f"clock must be a function that gives milliseconds since 1970, got {clock!r}")
        self._default_retry = Retry() if retry is None else retry_rule(retry)
        self._give_up_on = exception_classes(give_up_on, "give_up_on")
        self._codec = Codec(types, limits_from(limits))
        self._registry = Registry(importable=importable, adopt=self._adopt)
        self._include = _module_names(include)
        self._hooks = Hooks(lambda: self._registry)
        deadline = duration(store_deadline, "store_deadline").total_seconds()
        if deadline == 0:
            raise ConfigError("store_deadline must be longer than 0, or no call could ever be answered in time")
        self._claim_lease = _lease_milliseconds(claim_lease, "claim_lease")
        self._own = Binding(
            open_driver(self.url, namespace=namespace, now=clock, deadline=deadline),
            namespace=namespace,
            now=clock,
            codec=self._codec,
            retry=self._default_retry,
            retention=Retention() if retention is None else retention_policy(retention),
            archive=archive_from(archive),
            routes=Routes(),
        )
        self._binding = self._own
        """The own one, unless a test has put another over it."""
        self._test_blocks: list[Block] = []
        """Those of ``windlass.testing`` that are open, and the last ones that have ended; the newest is the last."""
        self._actor = actor()
        self._parting: Parting | None = None
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
        return f"<Windlass {self._session.store_name}>"

    @property
    def store(self) -> str:
        """Where the jobs are: an absolute path, or an address without its password."""
        return self._session.store_name

    @property
    def tasks(self) -> list[Task[..., Any]]:
        """The tasks that are registered here."""
        return list(self._registry)

    @overload
    def task(self, function: Callable[P, Coroutine[Any, Any, R]], /) -> AsyncTask[P, R]: ...
    @overload
    def task(self, function: Callable[P, R], /) -> Task[P, R]: ...
    @overload
    def task(
        self,
        /,
        *,
        name: str | None = None,
        queue: str | None = None,
        priority: int = 0,
        retry: Retry | Literal[False] | None = None,
        timeout: Duration | None = ...,
        isolation: str | None = None,
        unique: Unique | None = None,
        retry_on: tuple[type[BaseException], ...] | None = None,
        give_up_on: tuple[type[BaseException], ...] = (),
        prefetch: int | None = None,
        recycle_after: int | None = None,
        max_memory: int | str | None = None,
        retry_abandoned: bool = False,
        interrupt: bool = True,
        keep_log: bool = False,
    ) -> _TaskDecorator: ...
    def task(self, function: Callable[..., Any] | None = None, /, *, name: str | None = None, **options: Any) -> Any:
        """Register a function as a task: bare, or with options for all of its jobs."""
        if function is not None:
            return self._declare(function, name=None, settings=TaskSettings())
        check_known(options, _TASK_OPTIONS, "task option")
        settings = TaskSettings(**options)
        return lambda decorated: self._declare(decorated, name=name, settings=settings)

    def enqueue(self, task: Runnable, /, *args: Any, **kwargs: Any) -> Job[Any]:
        """Run a task in the background: the task, its name, or a plain function at the top level of a module."""
        return self._enqueue(self._request(task, args, kwargs))

    async def aenqueue(self, task: Runnable, /, *args: Any, **kwargs: Any) -> Job[Any]:
        """``enqueue`` for async code."""
        return await self._aenqueue(self._request(task, args, kwargs))

    def request(
        self,
        task: Runnable,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Request:
        """A request under options, for ``enqueue_many`` or for a task that is known by name only."""
        request = self._request(task, *checked_call(args, kwargs))
        return Request(request.task, request.args, request.kwargs, request.options.but(options))

    def enqueue_many(self, requests: Iterable[Request]) -> list[Job[Any]]:
        """Enqueue requests of any tasks, all of them or none; the jobs come back in order."""
        return self._handles(self._store(checked_requests(requests)))

    async def aenqueue_many(self, requests: Iterable[Request]) -> list[Job[Any]]:
        """``enqueue_many`` for async code."""
        return self._handles(await self._astore(checked_requests(requests)))

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
        return self._binding.transactions.begin(connection)

    command = staticmethod(command)

    def helper(self, name: str, argv: Sequence[str], **settings: Unpack[ProgramSettings]) -> Helper:
        """A program that stays and answers jobs, one line of JSON for each; see ``Helper`` and docs/commands.md."""
        from windlass.programs.helper import Helper

        check_known(settings, tuple(ProgramSettings.__annotations__), "helper option")
        helper = Helper(self, Program(name, argv, **settings))
        if self._helpers.setdefault(name, helper).program != helper.program:
            raise ConfigError(f"helper {name!r} is declared twice, with different settings")
        return self._helpers[name]

    def claim(self, limit: int = 1, *, queues: Sequence[str] = (), lease: Duration | None = None) -> list[ClaimedJob]:
        """Take up to ``limit`` jobs to drive them by hand; each stays ours for ``lease`` unless it is extended.

        Without ``lease`` it is what the app says (``claim_lease``, 5 minutes).
        """
        return self._claimed(self._session.run(self._claim(limit, queues, lease)))

    async def aclaim(
        self, limit: int = 1, *, queues: Sequence[str] = (), lease: Duration | None = None
    ) -> list[ClaimedJob]:
        """``claim`` for async code; what it has taken goes back if the caller is cancelled meanwhile."""
        return self._claimed(await self._session.arun_or_undo(self._claim(limit, queues, lease), self._release))

    def lease(self, id: str, fence: int) -> ClaimedJob:
        """The handle of a claimed job, rebuilt elsewhere from its id and fence."""
        return ClaimedJob(self, id, fence)

    def configure(
        self,
        *,
        retention: Retention | None = UNSET,
        archive: str | Path | Archive | None = UNSET,
        routes: Mapping[str, str] | None = UNSET,
    ) -> None:
        """Change what holds for the whole app."""
        binding = self._binding
        if retention is not UNSET:
            binding.retention = Retention() if retention is None else retention_policy(retention)
        if archive is not UNSET:
            binding.archive = archive_from(archive)
        if routes is not UNSET:
            binding.route(Routes(routes))

    def worker(
        self, queues: Mapping[str, int] | Sequence[str] | None = None, **options: Unpack[WorkerOptions]
    ) -> Worker:
        """A worker in this process: ``with app.worker(): ...``, or ``app.worker().run_until_empty()``.

        Without ``queues`` it serves the default queue and all that tasks name.
        """
        from windlass.worker.build import build_worker
        from windlass.worker.settings import WorkerSettings

        self._load_included()
        check_known(options, tuple(WorkerOptions.__annotations__), "worker option")
        worker = build_worker(self, WorkerSettings.of(self, queues, **options))
        self._binding.add_worker(worker)
        return worker

    def run_worker(
        self, queues: Mapping[str, int] | Sequence[str] | None = None, **options: Unpack[WorkerOptions]
    ) -> None:
        """Run a worker until a signal ends it, others ask it to stop, or it needs a fresh process: too many runs would
        not stop.
        """
        from windlass.worker.process.signals import run_until_signalled

        run_until_signalled(self.worker(queues, **options))

    def close(self, *, wait: bool = True, timeout: Duration | None = None) -> None:
        """Take no more calls; drain in-process workers up to ``timeout`` (default: their grace), hand the rest back.

        ``wait=False`` hands back at once. A second call is harmless.
        """
        binding = self._binding
        if binding.session.is_closed:
            return
        for worker in binding.workers:
            worker.stop(grace=timeout if wait else 0)
        if binding is not self._own:
            binding.session.stop()  # the test goes on, and looks at what was enqueued
            return
        for block in self._test_blocks:
            block.close()
        for helper in self._helpers.values():
            helper.close()
        self._reaper.close()
        binding.session.close()

    async def aclose(self, *, wait: bool = True, timeout: Duration | None = None) -> None:
        """``close`` for async code: the loop goes on while workers drain."""
        import asyncio

        await asyncio.to_thread(self.close, wait=wait, timeout=timeout)

    @property
    def _session(self) -> Session:
        return self._binding.session

    @property
    def _retention(self) -> Retention:
        return self._binding.retention

    @property
    def _archive(self) -> Archive | None:
        return self._binding.archive

    def _now(self) -> int:
        return self._binding.now()

    def _load_included(self) -> None:
        """Import what ``include`` names; a module that cannot be imported is ``ConfigError``."""
        for name in self._include:
            load_module(name, named_by="include:")

    def _declare(self, function: Callable[..., Any], *, name: str | None, settings: TaskSettings) -> Task[..., Any]:
        if isinstance(function, Task) or not callable(function):
            raise ConfigError(f"@app.task decorates a function, got {function!r}")
        check_task_function(function)
        return self._register(function, name_of(function) if name is None else validate.task_name(name), settings)

    def _adopt(self, function: Callable[..., Any], name: str) -> Task[..., Any]:
        return self._register(function, name, TaskSettings())

    def _register(
        self, function: Callable[..., Any], name: str, settings: TaskSettings, kind: type[Task[..., Any]] = Task
    ) -> Task[..., Any]:
        if name == COMMAND:
            raise ConfigError(f"task name {name!r}: jobs of that name are commands; give the task another name=")
        task = kind(self, function, name=name, settings=settings, signature=self._codec.signature(function))
        self._registry.add(task)
        self._hooks.put_around(task)
        return task

    def _request(self, task: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Request:
        if isinstance(task, TaskWithOptions | Task):
            return task.request(*args, **kwargs)
        if isinstance(task, Request):
            return _complete(task, args, kwargs)
        if task == COMMAND:
            return command(*args, **kwargs)
        if isinstance(task, str):
            known = self._registry.find(task)
            return known.request(*args, **kwargs) if known else Request(validate.task_name(task), args, kwargs)
        return self._registry.named(task).request(*args, **kwargs)

    def _enqueue(self, request: Request) -> Job[Any]:
        [stored] = self._store([request])
        return self._handle(stored)

    async def _aenqueue(self, request: Request) -> Job[Any]:
        [stored] = await self._astore([request])
        return self._handle(stored)

    def _store(self, requests: list[Request]) -> list[Enqueued]:
        if not self._hooks.around_enqueue:
            return self._put(requests)
        enqueuing = Enqueuing(self._hooks.around_enqueue, requests)
        try:
            stored = self._put(enqueuing.requests)
        except BaseException as error:
            enqueuing.failed(error)
            raise
        enqueuing.stored(self._handles(stored))
        return stored

    async def _astore(self, requests: list[Request]) -> list[Enqueued]:
        if not self._hooks.around_enqueue:
            return await self._aput(requests)
        enqueuing = Enqueuing(self._hooks.around_enqueue, requests)
        try:
            stored = await self._aput(enqueuing.requests)
        except BaseException as error:
            enqueuing.failed(error)
            raise
        enqueuing.stored(self._handles(stored))
        return stored

    def _put(self, requests: list[Request]) -> list[Enqueued]:
        binding = self._binding
        joined = binding.transactions.joined(requests)
        if joined is not None:
            return joined.run(binding.enqueuer.store(requests))
        return binding.session.store(binding.enqueuer.store(requests))

    async def _aput(self, requests: list[Request]) -> list[Enqueued]:
        binding = self._binding
        joined = binding.transactions.joined(requests)
        if joined is not None:
            return await joined.arun(binding.enqueuer.store(requests))
        return await binding.session.astore(binding.enqueuer.store(requests))

    def _handle(self, stored: Enqueued) -> Job[Any]:
        return Job(self, stored.id, state=stored.state, duplicate=stored.is_duplicate)

    def _handles(self, stored: Sequence[Enqueued]) -> list[Job[Any]]:
        return [self._handle(one) for one in stored]

    def _claim(self, limit: int, queues: Sequence[str], lease: Duration | None) -> Operation[list[Claimed]]:
        validate.whole_number(limit, "claim: limit", least=1, most=10_000)
        named = texts(queues, "claim: queues", example="['mail']")
        wanted = [validate.queue_name(queue) for queue in named] or self._known_queues()
        ttl = self._claim_lease if lease is None else _lease_milliseconds(lease, "lease")
        # There may be no worker anywhere: a manual claim promotes and rescues too. Unlike the duties it does not wait
        # after a step of the store's clock: a program that is frozen between two claims would see one each time, and
        # would never rescue anybody.
        yield from jobs.promote(by=self._actor)
        yield from rescue(by=self._actor, now=self._now)
        token = self._binding.ids.next()
        claimed = yield from claim_many(limit, queues=wanted, worker=self._actor, token=token, ttl=ttl)
        return claimed

    def _release(self, claimed: Sequence[Claimed]) -> Operation[object]:
        endings = [decide(job, Interrupted(), retry=self._default_retry) for job in claimed]
        return finish(endings, worker=self._actor)

    def _claimed(self, claimed: Sequence[Claimed]) -> list[ClaimedJob]:
        return [ClaimedJob(self, job.id, job.fence, claimed=job) for job in claimed]

    def _known_queues(self) -> list[str]:
        """The default queue and all that tasks name."""
        routes = self._binding.routes
        named = {task.settings.queue or routes.queue_of(task.name) or DEFAULT_QUEUE for task in self._registry}
        return sorted(named | {DEFAULT_QUEUE})

    def _decode_call(self, task: str, payload: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
        known = self._registry.find(task)
        return self._codec.decode_call(known.signature if known else None, payload)

    def _encode_result(self, task: str, result: object) -> str | None:
        known = self._registry.find(task)
        return self._codec.encode_result(known.signature if known else None, result)

    def _decode_result(self, task: str, text: str | None) -> object:
        known = self._registry.find(task)
        return self._codec.decode_result(known.signature if known else None, text)

    def _task_retry(self, task: str) -> Retry | None:
        known = self._registry.find(task)
        return known.settings.retry if known else None


class _TaskDecorator:
    """What ``@app.task(...)`` with options is to a type checker."""

    @overload
    def __call__(self, function: Callable[P, Coroutine[Any, Any, R]], /) -> AsyncTask[P, R]: ...
    @overload
    def __call__(self, function: Callable[P, R], /) -> Task[P, R]: ...
    def __call__(self, function: Callable[..., Any], /) -> Any:
        raise NotImplementedError


def _complete(request: Request, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Request:
    if args or kwargs:
        raise TypeError(f"a request has its arguments already; give it alone, without {args!r} {kwargs!r}")
    return request


def _module_names(include: object) -> tuple[str, ...]:
    names = texts(include, "include", example="['shop.tasks']")
    for name in names:
        if not is_module_name(name):
            raise ConfigError(f"include: {name!r} is no name of a module; write it as in 'shop.tasks'")
    return names


def _chosen_url(given: str | None) -> str:
    url = setting("url", given, DEFAULT_URL)
    if not url:
        raise ConfigError(
            f"the store URL is empty{'' if given is not None else ' ($WINDLASS_URL or tool.windlass.url)'}; leave it "
            f"out for {DEFAULT_URL}, or give one such as postgresql://user@host/database"
        )
    return url


def _lease_milliseconds(value: Duration, name: str) -> int:
    ttl = milliseconds(value, name)
    if ttl == 0:
        raise ConfigError(f"{name} must be longer than 0, or the jobs would be taken away at once")
    return ttl
