"""Turns requests into new jobs: fills in defaults, checks, encodes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from windlass.active_job import running
from windlass.client.routes import Routes
from windlass.core.codec import Codec, unseal
from windlass.core.codec.signature import Signature
from windlass.core.encryption.encryption import Encryption
from windlass.core.limits.concurrency import KeyRule, key_of_call, stored_key
from windlass.core.meta import write_meta, write_tags
from windlass.core.rates import key as rates
from windlass.core.retry import Retry, write_retry
from windlass.core.unique import Digest, Unique, cached_key, chosen, key_of, plain_digest
from windlass.core.validate import job_tags
from windlass.errors import ConfigError, PayloadError
from windlass.flows.dependencies import check_gets_result, new_edges, new_groups, with_results, with_value
from windlass.options import NO_OPTIONS, Options, TaskSettings
from windlass.store.operation import Operation
from windlass.store.operations.enqueue import (
    Enqueued,
    JobTemplate,
    NewJob,
    Uniqueness,
    append,
    encrypt_job,
    enqueue,
)
from windlass.store.operations.flows.groups import NewMember
from windlass.task import IncompleteRequest, Request, Task

DEFAULT_QUEUE = "default"


class _EnqueuePlan(Struct, frozen=True):
    """What is the same for all jobs of one task under the same options: worked out once, however many they are."""

    task: Any
    options: Options
    signature: Signature | None
    terms: JobTemplate
    unique: str | Unique | None
    is_keyed: bool
    """Whether its jobs have unique keys: by ``unique``, or because their results are cached."""
    at: int | None
    naming: Uniqueness | None
    tags: str | None
    concurrency_key: KeyRule | None
    rate_key: KeyRule | None
    is_encrypted: bool

    def is_of(self, request: Request) -> bool:
        return request.task is self.task and request.options is self.options and type(request) is Request

    @property
    def is_plain(self) -> bool:
        """Whether its jobs need neither an id or a key of their own, nor an instant, nor tags, nor other jobs."""
        has_no_key = self.concurrency_key is None and self.rate_key is None
        waits_for_none = not self.options.after and self.options.into is None and self.options.members is None
        return waits_for_none and has_no_key and self.naming is None and self.at is None and self.tags is None


class Enqueuer:
    """Turns requests into jobs: fills in what the task and the app say, checks everything, then stores all or none.

    What the app says stays the same for its whole life: an app whose settings change takes another one.
    """

    def __init__(
        self,
        *,
        codec: Codec,
        next_ids: Callable[[int], list[str]],
        retry: Retry,
        routes: Routes,
        encryption: Encryption,
    ) -> None:
        self._codec = codec
        self._encryption = encryption
        self._next_ids = next_ids
        self._retry = retry
        self._routes = routes
        self._plain: dict[Task[..., Any], _EnqueuePlan] = {}
        """By task: the jobs that code outside of jobs enqueues without options, nearly all there are."""
        self._append_works: dict[str, bool] = {}
        """By queue: whether to try the short call first. It works in a queue that exists, unless the queue has a limit
        on its length.
        """

    def prepare(self, requests: Sequence[Request]) -> Operation[list[Enqueued]]:
        """The operation that stores these requests. What can be rejected without the store is rejected here."""
        most = self._codec.limits.bulk
        if len(requests) > most and (number := _without_callbacks(requests)) > most:
            raise PayloadError(f"at most {most:,} jobs at once, got {number:,}; split the list")
        if not requests:
            return enqueue([], {})
        plan = self._plan(requests[0].task, requests[0].options)
        ids = self._next_ids(len(requests))
        if plan.is_plain and all(map(plan.is_of, requests)):
            encode, signature = self._codec.encode_call, plan.signature
            payloads = [encode(signature, request.args, request.kwargs) for request in requests]
            if plan.is_encrypted:
                return self._append_encrypted(plan.terms, list(zip(ids, payloads, strict=True)))
            return self._append(plan.terms, list(zip(ids, payloads, strict=True)))
        jobs: list[NewJob] = []
        namings: dict[int, Uniqueness] = {}
        encrypted: set[int] = set()
        for index, request in enumerate(requests):
            if request.task is not plan.task or request.options is not plan.options:
                plan = self._plan(request.task, request.options)
            jobs.append(self._job(request, plan, ids[index]))
            if plan.naming is not None:
                namings[index] = plan.naming
            if plan.is_encrypted:
                encrypted.add(index)
        if any(job.after for job in jobs) or any(request.options.into is not None for request in requests):
            edges = new_edges(requests, jobs)
            groups, members = new_groups(requests, jobs)
            jobs = self._encrypted(with_results(requests, jobs, edges), namings, encrypted)
            return enqueue(jobs, namings, edges, groups=groups, members=members)
        return enqueue(self._encrypted(jobs, namings, encrypted), namings)

    def prepare_added(self, callback: str, requests: Sequence[Request]) -> Operation[list[Enqueued]]:
        """The operation that stores these requests as further members of a group."""
        most = self._codec.limits.bulk
        if len(requests) > most:
            raise PayloadError(f"at most {most:,} jobs at once, got {len(requests):,}; split the list")
        ids = self._next_ids(len(requests))
        plans = [self._plan_under(request.task, request.options) for request in requests]
        jobs = [self._job(request, plan, id) for request, plan, id in zip(requests, plans, ids, strict=True)]
        namings = {index: plan.naming for index, plan in enumerate(plans) if plan.naming is not None}
        edges = new_edges(requests, jobs)
        added = [NewMember(callback, place, job.id, job.unique_key) for place, job in enumerate(jobs)]
        encrypted = {index for index, plan in enumerate(plans) if plan.is_encrypted}
        jobs = self._encrypted(with_results(requests, jobs, edges), namings, encrypted)
        return enqueue(jobs, namings, edges, added=added)

    def new_job(self, request: Request) -> tuple[NewJob, Uniqueness | None]:
        """The job that a request would make, without an id, and how it is named. It is to run, whatever is cached."""
        if request.options.after:
            raise ConfigError("after: the jobs of a schedule wait for no others; let its task enqueue those that do")
        plan = self._plan_under(request.task, request.options.but({"cache": None}))
        return self._job(request, plan, ""), plan.naming

    def is_encrypted(self, task: Task[..., Any] | None) -> bool:
        """Whether the jobs of a task are encrypted, or of one that is known by name only."""
        return self._encryption.encrypts(
            None if task is None else task.settings.encrypt, "" if task is None else f"task {task.name!r}"
        )

    def encryption_of(self, task: Task[..., Any] | str) -> Encryption | None:
        """What encrypts the jobs of a task, if they are encrypted."""
        return self._encryption if self.is_encrypted(task if isinstance(task, Task) else None) else None

    def encrypted_job(self, job: NewJob, naming: Uniqueness | None, task: Task[..., Any] | None) -> NewJob:
        """A job of this task as it is stored."""
        return encrypt_job(self._encryption, job, naming) if self.is_encrypted(task) else job

    def _encrypted(
        self, jobs: list[NewJob], namings: Mapping[int, Uniqueness], encrypted: Collection[int]
    ) -> list[NewJob]:
        """The jobs as they are stored."""
        return [
            encrypt_job(self._encryption, job, namings.get(index)) if index in encrypted else job
            for index, job in enumerate(jobs)
        ]

    def _append_encrypted(self, terms: JobTemplate, jobs: list[tuple[str, str]]) -> Operation[list[Enqueued]]:
        """Metadata is the same for all of them, but each job has it encrypted for itself."""
        made = [encrypt_job(self._encryption, NewJob.under(terms, id, payload), None) for id, payload in jobs]
        if terms.meta is not None and len(made) > 1:
            return enqueue(made, {})
        return self._append(replace(terms, meta=made[0].meta), [(job.id, job.payload) for job in made])

    def plain_meta(self, text: str) -> dict[str, object]:
        """Metadata of a new job as it was given."""
        return self._codec.decode_meta(text)

    def _append(self, terms: JobTemplate, jobs: list[tuple[str, str]]) -> Operation[list[Enqueued]]:
        """Store jobs by the short call where the queue is known to exist, else by the long one, which creates the
        queue.
        """
        if self._append_works.get(terms.queue):
            stored = yield from append(terms, jobs)
            if stored is not None:
                return stored
            self._append_works[terms.queue] = False
        stored = yield from enqueue([NewJob.under(terms, id, payload) for id, payload in jobs], {})
        self._append_works.setdefault(terms.queue, True)
        return stored

    def _plan(self, task: Task[..., Any] | str, options: Options) -> _EnqueuePlan:
        if options is not NO_OPTIONS or not isinstance(task, Task) or running.get() is not None:
            return self._plan_under(task, options)
        if not self._routes.are_fixed:
            return self._plan_under(task, options)
        plan = self._plain.get(task)
        if plan is None:
            plan = self._plain[task] = self._plan_under(task, options)
        return plan

    def _plan_under(self, task: Task[..., Any] | str, options: Options) -> _EnqueuePlan:
        name, settings = (task.name, task.settings) if isinstance(task, Task) else (task, _UNKNOWN)
        unique = options.unique if options.unique is not None else settings.unique
        cached_for = _cached_for(name, options, settings)
        return _EnqueuePlan(
            task=task,
            options=options,
            signature=task.signature if isinstance(task, Task) else None,
            terms=JobTemplate(
                task=name,
                queue=options.queue or self._queue_of(name, settings),
                priority=settings.priority if options.priority is None else options.priority,
                meta=self._meta(options),
                max_attempts=self._attempts(options, settings),
                delay=options.delay_milliseconds,
                timeout=options.time_limit(settings.time_limit),
                retry=None if options.retry is None else write_retry(options.retry),
                expires=options.expiry(settings.expiry),
            ),
            unique=unique,
            is_keyed=unique is not None or cached_for is not None,
            at=options.at_milliseconds,
            naming=_naming(options, unique, cached_for),
            tags=write_tags(job_tags((*settings.tags, *options.tags))),
            concurrency_key=options.concurrency_key or settings.concurrency_key,
            rate_key=_rate_key(name, options, settings),
            is_encrypted=self.is_encrypted(task if isinstance(task, Task) else None),
        )

    def queues(self, tasks: Iterable[Task[..., Any]]) -> set[str]:
        """The queues of jobs of these tasks that name none, and the default one."""
        return {DEFAULT_QUEUE, *(self._queue_of(task.name, task.settings) for task in tasks)}

    def queue_of(self, task: Task[..., Any] | str, options: Options = NO_OPTIONS) -> str:
        """The queue that a job of this task goes to under these options."""
        name, settings = (task.name, task.settings) if isinstance(task, Task) else (task, _UNKNOWN)
        return options.queue or self._queue_of(name, settings)

    def _queue_of(self, task: str, settings: TaskSettings) -> str:
        return settings.queue or self._routes.queue_of(task) or DEFAULT_QUEUE

    def _job(self, request: Request, plan: _EnqueuePlan, id: str) -> NewJob:
        if isinstance(request, IncompleteRequest):
            check_gets_result(request)
        if plan.options.members is not None and plan.naming is not None and plan.naming.replaces:
            raise ConfigError(
                f"group: the callback of task {plan.terms.task!r} cannot replace another job; use "
                "options(unique='a key')"
            )
        payload = self._codec.encode_call(plan.signature, request.args, request.kwargs)
        return NewJob.under(
            plan.terms,
            id if plan.options.id is None else plan.options.id,
            payload,
            unique_key=self._key(request, plan, payload) if plan.is_keyed else None,
            at=plan.at,
            tags=plan.tags,
            concurrency_key=None
            if plan.concurrency_key is None
            else stored_key(plan.terms.task, key_of_call(plan.concurrency_key, plan.terms.task, _arguments(request))),
            rate_key=None if plan.rate_key is None else _rate_gate(request, plan.terms.task, plan.rate_key),
            after=1 if plan.options.after or plan.options.members else None,
        )

    def _attempts(self, options: Options, settings: TaskSettings) -> int:
        if options.attempts is not None:
            return options.attempts
        rule = options.retry or settings.retry or self._retry
        return rule.attempts

    def _meta(self, options: Options) -> str | None:
        correlation_id, parent = options.correlation_id, running.get()
        if parent is None:
            if options is NO_OPTIONS:
                return None
        elif correlation_id is None:
            # Jobs that a job enqueues belong to the same request.
            correlation_id = parent.active.correlation_id
        plain = write_meta(options.meta or {}, correlation_id, None if parent is None else parent.active.id)
        return self._codec.encode_meta(plain) if plain else None

    def _key(self, request: Request, plan: _EnqueuePlan, payload: str) -> str:
        name, unique = plan.terms.task, plan.unique
        if unique is None:
            return self._cached_key(request, plan, name)
        if isinstance(unique, str):
            return unique
        if unique.by is None and plan.options.into is not None:
            raise ConfigError(
                f"task {name!r} is unique by its arguments, and this job gets one of them from another job, which has "
                "not returned it yet; say what tells it apart: Unique(by=...) without that argument, or "
                "options(unique='a key')"
            )
        if unique.by is None:
            return key_of(name, payload, self._digest(plan))
        if not isinstance(request.task, Task):
            raise ConfigError(f"task {name!r} is not registered here, so Unique(by=...) cannot find its arguments")
        counts = chosen(unique, _arguments(request), name)
        return key_of(name, self._codec.encode_call(request.task.signature, (), counts), self._digest(plan))

    def _digest(self, plan: _EnqueuePlan) -> Digest:
        return self._encryption.digest if plan.is_encrypted else plain_digest

    def _cached_key(self, request: Request, plan: _EnqueuePlan, name: str) -> str:
        task = request.task
        assert isinstance(task, Task), "no other has a cache"
        rule = request.options.cache_key or task.settings.cache_key
        if rule is not None:
            text = key_of_call(rule, name, _arguments(request), "cache_key")
            return cached_key(name, f"key {text}".encode(), self._digest(plan))
        # Equal calls have equal arguments, whether these were given by position or by name.
        args, kwargs = task.shape.normal_form(name, request.args, request.kwargs)
        return cached_key(name, unseal(self._codec.encode_call(task.signature, args, kwargs)), self._digest(plan))


def _without_callbacks(requests: Sequence[Request]) -> int:
    """How many jobs there are; the callbacks of groups do not count."""
    return sum(request.options.members is None for request in requests)


_UNKNOWN = TaskSettings()
"""What holds for a task that is known by name only."""


_TO_COME: Any = object()
"""In the place of an argument that another job will give."""


def _arguments(request: Request) -> dict[str, Any]:
    """The arguments of a call by name, without those that come from another job. Only a task that is registered here
    can have a rule that needs them.
    """
    if not isinstance(request.task, Task):
        return {}
    args, kwargs = with_value(request, _TO_COME)
    bound = request.task.shape.bind(request.task.name, args, kwargs)
    return {name: value for name, value in {**bound, **request.kwargs}.items() if value is not _TO_COME}


def _rate_gate(request: Request, name: str, rule: KeyRule) -> str:
    return rates.rate_gate(name, key_of_call(rule, name, _arguments(request), rates.OPTION))


def _rate_key(name: str, options: Options, settings: TaskSettings) -> KeyRule | None:
    if options.rate_key is None:
        return settings.rate_key
    if settings.rate is None and settings is not _UNKNOWN:
        raise ConfigError(f"task {name!r} has no rate, so rate_key={options.rate_key!r} says nothing; give it rate=")
    return options.rate_key


def _cached_for(task: str, options: Options, settings: TaskSettings) -> int | None:
    """For how long a result is cached; ``ConfigError`` for options that contradict that."""
    cached_for = options.cached_for(settings.cached_for)
    if options.into is not None and not isinstance(options.cache_key or settings.cache_key, str):
        return None  # its arguments are known when another job has returned one of them
    if cached_for is None:
        if options.cache_key is not None and options.cache is not None:
            raise ConfigError(f"task {task!r} has no cache, so options(cache_key=...) has no meaning; give it cache=")
        return None
    if settings is _UNKNOWN:
        raise ConfigError(f"task {task!r} is not registered here, so options(cache=...) cannot tell equal calls")
    if options.unique is not None or settings.unique is not None:
        raise ConfigError(
            f"task {task!r}: cache and unique exclude each other; equal calls of a task with a cache share one job"
        )
    return cached_for


def _naming(options: Options, unique: str | Unique | None, cached_for: int | None) -> Uniqueness | None:
    has_own_id = options.id is not None
    if cached_for is not None:
        return Uniqueness(has_own_id, cached=cached_for)
    if isinstance(unique, Unique):
        return Uniqueness(
            has_own_id, unique.held, unique.window_milliseconds, unique.on_conflict, unique.max_wait_milliseconds
        )
    if unique is not None or has_own_id:
        return Uniqueness(has_own_id)
    return None
