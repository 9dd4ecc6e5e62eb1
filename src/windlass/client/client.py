"""One app on one store: the parts that the app, its handles, its workers and the command line share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from windlass import clock
from windlass.archive.writers import ArchiveWriter
from windlass.client.config import actor
from windlass.client.enqueue import Enqueuer
from windlass.client.modules import load_module
from windlass.client.result_waiter import ResultWaiter
from windlass.client.routes import Routes
from windlass.client.session import Session
from windlass.client.tasks.registry import Registry
from windlass.client.transactions import Transactions
from windlass.core import validate
from windlass.core.alerts.records import AlertRule
from windlass.core.codec import Codec
from windlass.core.codec.signature import Signature
from windlass.core.encryption.encryption import Encryption
from windlass.core.encryption.jobs import seal_text
from windlass.core.figures.refusals import Refusals
from windlass.core.rates.rate import Rate
from windlass.core.retry import Retry
from windlass.core.ulid import UlidSource
from windlass.delivery.channels import Channels
from windlass.errors import ConfigError, Duration, PayloadError, QueueFull
from windlass.flows.dependencies import linked
from windlass.flows.results import with_group_results
from windlass.forks import reset_in_child
from windlass.hooks import Enqueuing, Hooks
from windlass.job import Job
from windlass.limit import DeclaredLimits
from windlass.retention import Retention
from windlass.schedules.declarations import Declarations
from windlass.store.caller.joined import Joined
from windlass.store.driver import Driver, Topic
from windlass.store.operation import Operation
from windlass.store.operations.enqueue import Enqueued
from windlass.store.operations.figures.rows import append_row
from windlass.store.operations.limits.concurrency import declare
from windlass.store.operations.queues import ALL, QueueSeed, ensure
from windlass.store.operations.rates.tasks import declare_rates
from windlass.store.operations.steps.sent_events import deliver_events, send_event
from windlass.task import Request


class InProcessWorker(Protocol):
    """What a client knows of the workers that were made with it."""

    starts_paused: bool

    @property
    def is_stopped(self) -> bool: ...

    @property
    def is_paused(self) -> bool: ...

    def stop(self, *, grace: Duration | None = None) -> None: ...

    def pause(self) -> None: ...

    def resume(self) -> None: ...


class TestBlock(Protocol):
    """What a client knows of a block of ``windlass.testing``."""

    def close(self) -> None:
        """Let its store go."""


@dataclass(kw_only=True, eq=False)
class Client:
    """An app's tasks and settings, and the store that it works on. Opens nothing before it is needed.

    An app has one for its own store; ``windlass.testing`` puts another over it for the length of a block. A worker and
    the handle of a job keep the client that they began with.
    """

    driver: Driver
    namespace: str
    clock: Callable[[], int] | None
    """Replaces the store's clock, in tests."""
    codec: Codec
    encryption: Encryption
    registry: Registry
    hooks: Hooks
    retry: Retry
    give_up_on: tuple[type[BaseException], ...]
    include: tuple[str, ...]
    """The modules that declare tasks."""
    retention: Retention
    archive: ArchiveWriter | None
    routes: Routes
    early_cleaning: float | None = None
    """The share of memory or disk above which finished jobs are removed before their time; None: never."""
    channels: Channels = field(default_factory=lambda: Channels(()))
    """By which alerts are delivered."""
    schedules: Declarations = field(default_factory=Declarations)
    """Those that code declares."""
    alert_rules: dict[str, AlertRule] = field(default_factory=dict)
    """Those that code declares."""
    queue_seeds: dict[str, QueueSeed] = field(default_factory=dict)
    """What code declares of queues, and of the app (``*``)."""
    join: Callable[[object], Joined] | None = None
    """How a transaction of the caller is joined, where it is not the driver that does it (see ``windlass.testing``)."""
    declared_rates: dict[str, Rate] = field(default_factory=dict)
    """Of the limits that the code declares, by name."""
    actor: str = field(default_factory=actor)
    """Who changes something by hand."""
    session: Session = field(init=False)
    ids: UlidSource = field(init=False)
    enqueuer: Enqueuer = field(init=False)
    transactions: Transactions = field(init=False)
    waiter: ResultWaiter = field(init=False)
    declared_limits: DeclaredLimits = field(init=False)
    _refusals: Refusals = field(init=False, default_factory=Refusals)
    _refusals_id: str = field(init=False, default_factory=lambda: f"client-{_random_bits(64):016x}")
    workers: list[InProcessWorker] = field(init=False)
    """Those of this process, as far as they have not stopped."""
    pauses_workers: bool = field(init=False, default=False)
    """Whether workers that are made here start paused (see ``windlass.testing``)."""
    home: Client = field(init=False)
    """The client of the app's own store."""
    has_seeded: bool = field(init=False, default=False)
    _declared_key_limits: dict[str, int] = field(init=False)
    """What the store was told about the tasks' concurrency keys."""
    _declared_task_rates: dict[str, Rate | None] | None = field(init=False, default=None)
    """What it was told about the tasks' rates."""
    test_blocks: list[TestBlock] = field(init=False)
    """Of the app's own client: the blocks of ``windlass.testing`` that are open, and the last ones that have ended; the
    newest is the last.
    """

    def __post_init__(self) -> None:
        self.session = Session(self.driver, namespace=self.namespace)
        self.ids = UlidSource(now=self.now, random_bits=_random_bits)
        reset_in_child(self.ids, UlidSource.reset_after_fork)
        self.enqueuer = self._new_enqueuer()
        self.transactions = Transactions(self.join or self.session.join)
        self.waiter = ResultWaiter(self.session)
        self.declared_limits = DeclaredLimits(self.declared_rates)
        self.workers = []
        self._declared_key_limits = {}
        self.home = self
        self.test_blocks = []

    def over(
        self,
        driver: Driver,
        *,
        now: Callable[[], int] | None,
        archive: ArchiveWriter | None,
        join: Callable[[object], Joined],
    ) -> Client:
        """The same app on another store."""
        # No alert of a test reaches people.
        other = replace(self, driver=driver, clock=now, archive=archive, join=join, channels=Channels(()))
        other.home = self.home
        return other

    def now(self) -> int:
        """Milliseconds since 1970, by the clock that the store goes by."""
        return clock.now() if self.clock is None else self.clock()

    def encrypt_with(self, keys: Sequence[str] | None) -> None:
        """Take other encryption keys from now on."""
        self.encryption.use(keys)
        self.enqueuer = self._new_enqueuer()

    def route(self, routes: Routes) -> None:
        """Let other queues be chosen from now on."""
        self.routes = routes
        self.enqueuer = self._new_enqueuer()

    @property
    def known_queues(self) -> list[str]:
        """The default queue and all that tasks name."""
        return sorted(self.enqueuer.queues(self.registry))

    def declare_queue(self, seed: QueueSeed) -> None:
        """Keep what code says of a queue, to seed the store with; ``ConfigError`` where it said something else
        before.
        """
        before = self.queue_seeds.get(seed.name, QueueSeed(seed.name))
        for setting, old, new in zip(QueueSeed._fields, before, seed, strict=True):
            if None not in (old, new) and old != new:
                what = "the app" if seed.name == ALL else f"queue {seed.name!r}"
                raise ConfigError(f"{what} is declared twice, with {setting}={old!r} and with {setting}={new!r}")
        said = {setting: value for setting, value in seed._asdict().items() if value is not None}
        self.queue_seeds[seed.name] = before._replace(**said)
        self.has_seeded = False

    def seed_queues(self, served: Iterable[str] = ()) -> Operation[None]:
        """Store what code declares of queues, and that there are those that are ``served``. What operators changed
        stays.
        """
        seeds = {name: QueueSeed(name) for name in served} | self.queue_seeds
        if seeds:
            yield from ensure(list(seeds.values()))
        self.has_seeded = True

    def declare_key_limits(self) -> Operation[None]:
        """Store what tasks declare: how many jobs with the same concurrency key may run at once, and how many with the
        same rate key may begin in which time. What the store knows already is not sent again.
        """
        limits = {
            task.name: task.settings.concurrency or 1
            for task in self.registry
            if task.settings.concurrency_key is not None
        }
        if limits != self._declared_key_limits:
            yield from declare(limits)
            self._declared_key_limits = limits
        rates = {task.name: task.settings.bucket for task in self.registry}
        if rates != self._declared_task_rates:
            given = {name: rate for name, rate in rates.items() if rate is not None}
            yield from declare_rates(given, without=rates.keys() - given.keys())
            self._declared_task_rates = rates

    def load_included(self) -> None:
        """Import what ``include`` names; a module that cannot be imported is ``ConfigError``."""
        for name in self.include:
            load_module(name, named_by="include:")

    def add_worker(self, worker: InProcessWorker) -> None:
        """Have a worker stopped with the app; those that have stopped are forgotten."""
        self.workers = [*(other for other in self.workers if not other.is_stopped), worker]
        worker.starts_paused = self.pauses_workers

    def stop_workers(self, grace: Duration | None) -> None:
        """Stop the workers of this process, each within ``grace``."""
        for worker in self.workers:
            worker.stop(grace=grace)

    def close(self) -> None:
        """Take no more calls. The store of a test block stays open: the test looks at what was enqueued."""
        if self is not self.home:
            self.session.stop()
            return
        for block in self.test_blocks:
            block.close()
        self.session.close()

    def enqueue(self, request: Request) -> Job[Any]:
        """Store one job, or make it part of the caller's transaction."""
        [stored] = self._store_in_hooks([request])
        return Job.stored(self, stored)

    async def aenqueue(self, request: Request) -> Job[Any]:
        """``enqueue`` for async code."""
        [stored] = await self._astore_in_hooks([request])
        return Job.stored(self, stored)

    def enqueue_many(self, requests: list[Request]) -> list[Job[Any]]:
        """Store all of these jobs or none; in order."""
        return self._jobs(self._store_in_hooks(requests))

    async def aenqueue_many(self, requests: list[Request]) -> list[Job[Any]]:
        """``enqueue_many`` for async code."""
        return self._jobs(await self._astore_in_hooks(requests))

    def send(self, name: str, value: object) -> None:
        """Send an event to the jobs that wait for it, or make that part of the caller's transaction."""
        event = self._event(name, value)
        joined = self.transactions.joined(())
        if joined is not None:
            joined.run(send_event(*event))
        else:
            self.session.run(_sent(*event), notify=(Topic.WORK,))

    async def asend(self, name: str, value: object) -> None:
        """``send`` for async code."""
        event = self._event(name, value)
        joined = self.transactions.joined(())
        if joined is not None:
            await joined.arun(send_event(*event))
        else:
            await self.session.arun(_sent(*event), notify=(Topic.WORK,))

    def _event(self, name: str, value: object) -> tuple[str, str | None]:
        """An event as it is stored."""
        validate.event_name(name)
        try:
            text = self.codec.encode_result(None, value)
        except PayloadError as error:
            reason = str(error).removeprefix("result: ")
            raise type(error)(f"event {name!r}: its value cannot be stored: {reason}") from error
        is_encrypted = self.encryption.is_on and self.encryption.by_default
        return name, seal_text(self.encryption, "event", (name,), text) if is_encrypted else text

    def decode_call(self, task: str, payload: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of a stored call; ``PayloadError`` when they cannot be read."""
        return with_group_results(self, payload, *self.codec.decode_call(self._signature_of(task), payload))

    def encode_result(self, task: str, result: object) -> str | None:
        """What a run of the task has returned, as it is stored."""
        return self.codec.encode_result(self._signature_of(task), result)

    def decode_result(self, task: str, text: str | None) -> object:
        """What a run of the task has returned."""
        return self.codec.decode_result(self._signature_of(task), text)

    def _signature_of(self, task: str) -> Signature | None:
        known = self.registry.find(task)
        return known.signature if known else None

    def _store_in_hooks(self, requests: list[Request]) -> list[Enqueued]:
        """Store jobs inside the hooks, if there are any."""
        if not self.hooks.around_enqueue:
            return self._store(requests)
        enqueuing = Enqueuing(self.hooks.around_enqueue, linked(requests))
        try:
            stored = self._store(enqueuing.requests)
        except BaseException as error:
            enqueuing.failed(error)
            raise
        enqueuing.stored(self._jobs(stored))
        return stored

    async def _astore_in_hooks(self, requests: list[Request]) -> list[Enqueued]:
        if not self.hooks.around_enqueue:
            return await self._astore(requests)
        enqueuing = Enqueuing(self.hooks.around_enqueue, linked(requests))
        try:
            stored = await self._astore(enqueuing.requests)
        except BaseException as error:
            enqueuing.failed(error)
            raise
        enqueuing.stored(self._jobs(stored))
        return stored

    def _store(self, requests: list[Request]) -> list[Enqueued]:
        """Store jobs, in the caller's transaction if there is one."""
        joined = self.transactions.joined(requests)
        if joined is not None:
            return joined.run(self.enqueuer.prepare(requests))
        try:
            return self.session.store(self.enqueuer.prepare(requests))
        except QueueFull as refusal:
            self._count_refused(refusal, requests)
            raise

    async def _astore(self, requests: list[Request]) -> list[Enqueued]:
        joined = self.transactions.joined(requests)
        if joined is not None:
            return await joined.arun(self.enqueuer.prepare(requests))
        try:
            return await self.session.astore(self.enqueuer.prepare(requests))
        except QueueFull as refusal:
            self._count_refused(refusal, requests)
            raise

    def _count_refused(self, refusal: QueueFull, requests: Sequence[Request]) -> None:
        """Count the jobs in the figures. A refusal inside a transaction of the caller is not counted: on SQLite that
        transaction holds the lock which the count would wait for.
        """
        tasks = (request.name for request in requests)
        if counted := self._refusals.add(refusal.queue or "", tasks, now=self.now()):
            number, row = counted
            self.session.run_later(append_row(row, worker=self._refusals_id, number=number))

    def _jobs(self, stored: Sequence[Enqueued]) -> list[Job[Any]]:
        return [Job.stored(self, one) for one in stored]

    def _new_enqueuer(self) -> Enqueuer:
        return Enqueuer(
            codec=self.codec,
            next_ids=self.ids.take,
            retry=self.retry,
            routes=self.routes,
            encryption=self.encryption,
        )


def _sent(name: str, value: str | None) -> Operation[int]:
    """Send an event, and wake the jobs that wait for it; how many."""
    yield from send_event(name, value)
    return (yield from deliver_events())


def _random_bits(count: int) -> int:
    return clock.random_bits(count)
