"""Tasks: registered functions, and requests to run them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, Unpack, cast

from msgspec import Struct

from windlass.active_job import ActiveJob
from windlass.client.declaration import check_importable
from windlass.client.hints import MethodHints, hint_for_option
from windlass.client.owner import ClientOwner
from windlass.core import validate
from windlass.core.codec import Signature
from windlass.core.retry import Retry, retry_rule
from windlass.core.unique import Unique
from windlass.core.units import memory
from windlass.core.validate import exception_classes, flag, of_kind
from windlass.errors import ConfigError, Duration
from windlass.options import NO_OPTIONS, OPTION_NAMES, OptionArguments, Options, timeout_milliseconds

if TYPE_CHECKING:
    from windlass.job import Job

P = ParamSpec("P")
R = TypeVar("R")

_DEFAULT_TIMEOUT = timedelta(minutes=30)

COMMAND = "windlass.command"
"""The task under which commands are stored; no app registers it, and only workers that allow commands have it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSettings:
    """What a task says about all of its jobs; each job may say otherwise."""

    queue: str | None = None
    priority: int = 0
    retry: Retry | None = None
    timeout: Duration | None = _DEFAULT_TIMEOUT
    isolation: str | None = None
    unique: Unique | None = None
    retry_on: tuple[type[BaseException], ...] | None = None
    give_up_on: tuple[type[BaseException], ...] = ()
    prefetch: int | None = None
    recycle_after: int | None = None
    """With ``isolation="process"``: after so many jobs its child process is replaced."""
    max_memory: int | str | None = None
    """With ``isolation="process"``: above so much memory (bytes, or "512MB") its child is replaced after the job."""
    retry_abandoned: bool = False
    """Whether a job may run again while an earlier run of it, which would not stop, may still be at work."""
    interrupt: bool = True
    """Whether an exception may be raised in a run that has to stop; otherwise it is told so (``job.cancelled``)."""
    keep_log: bool = False
    """Whether what a run logged is kept when it returns, too, as it is kept with what a run raises."""
    memory_limit: int | None = field(init=False, default=None)
    """``max_memory`` in bytes."""
    time_limit: int | None = field(init=False)
    """``timeout`` in milliseconds."""

    def __post_init__(self) -> None:
        if self.queue is not None:
            validate.queue_name(self.queue)
        validate.priority(self.priority)
        if self.retry is not None:
            object.__setattr__(self, "retry", retry_rule(self.retry))
        if self.unique is not None:
            of_kind(self.unique, Unique, "unique", example="Unique(by=('user_id',))")
        object.__setattr__(self, "time_limit", timeout_milliseconds(self.timeout))
        if self.isolation not in (None, "thread", "process"):
            raise ConfigError(f"isolation must be 'thread' or 'process', got {self.isolation!r}")
        self._check_child_limits()
        if self.prefetch not in (None, 0):
            raise ConfigError(f"prefetch must be 0 (never) or left out, got {self.prefetch!r}")
        if self.retry_on is not None:
            exception_classes(self.retry_on, "retry_on")
        exception_classes(self.give_up_on, "give_up_on")
        flag(self.retry_abandoned, "retry_abandoned")
        flag(self.interrupt, "interrupt")
        flag(self.keep_log, "keep_log")

    def _check_child_limits(self) -> None:
        for name in ("max_memory", "recycle_after"):
            if getattr(self, name) is not None and self.isolation != "process":
                raise ConfigError(
                    f"{name}={getattr(self, name)!r} is about a child process, so it needs isolation='process'; "
                    f"isolation is {self.isolation!r}"
                )
        if self.max_memory is not None:
            object.__setattr__(self, "memory_limit", memory(self.max_memory, "max_memory"))
        if self.recycle_after is not None:
            validate.whole_number(self.recycle_after, "recycle_after", least=1)

    def gives_up_on(self, error: BaseException) -> bool:
        """Whether running again would not help, by what the task says about its errors."""
        if isinstance(error, self.give_up_on):
            return True
        return self.retry_on is not None and not isinstance(error, self.retry_on)


class Request(Struct, frozen=True):
    """One job that is yet to be enqueued: ``welcome.request(42)``.

    >>> from windlass import Windlass
    >>> app = Windlass("sqlite:///:memory:")
    >>> @app.task(name="welcome")
    ... def welcome(user_id: int) -> None: ...
    >>> jobs = app.enqueue_many([welcome.request(1), welcome.options(delay="1h").request(2)])
    >>> [str(job.state) for job in jobs]
    ['pending', 'scheduled']
    >>> app.close()
    """

    task: Any
    """A ``Task``, or the name of one that is not known here."""
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    options: Options = NO_OPTIONS

    @property
    def name(self) -> str:
        """The name of the task."""
        return self.task if isinstance(self.task, str) else str(self.task.name)

    def but(self, **options: Unpack[OptionArguments]) -> Request:
        """The same under other options; those given before stay unless they are changed."""
        return Request(self.task, self.args, self.kwargs, self.options.but(options))

    def with_meta(self, **values: object) -> Request:
        """The same with more metadata."""
        return self.but(meta={**(self.options.meta or {}), **values})


def checked_requests(given: Iterable[Request]) -> list[Request]:
    """What ``enqueue_many`` was given, if it is requests."""
    requests = list(given)
    for request in requests:
        if not isinstance(request, Request):
            raise ConfigError(f"enqueue_many takes requests, as in [welcome.request(42)]; got {request!r}")
    return requests


def checked_call(args: object, kwargs: object) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    """The arguments of a call that were given as values, not in a call; one text is no list of its letters."""
    if not isinstance(args, Sequence) or isinstance(args, str | bytes):
        raise ConfigError(f"request: args takes a list of arguments, as in [42]; got {args!r}")
    if kwargs is not None and not isinstance(kwargs, Mapping):
        raise ConfigError(f"request: kwargs takes a dict of arguments by name, got {kwargs!r}")
    return tuple(args), kwargs or {}


class Enqueueable(MethodHints, Generic[P, R]):
    """What can be enqueued: a task as it is, or under options."""

    app: ClientOwner
    """Where its jobs go."""

    def request(self, *args: P.args, **kwargs: P.kwargs) -> Request:
        """A request for ``app.enqueue_many``."""
        return self._request(args, kwargs)

    def enqueue(self, *args: P.args, **kwargs: P.kwargs) -> Job[R]:
        """Run this call in the background; returns as soon as the store has it."""
        return self.app.client.enqueue(self._request(args, kwargs))

    delay = enqueue

    async def aenqueue(self, *args: P.args, **kwargs: P.kwargs) -> Job[R]:
        """``enqueue`` for async code."""
        return await self.app.client.aenqueue(self._request(args, kwargs))

    def enqueue_many(self, calls: Iterable[tuple[Any, ...]]) -> list[Job[R]]:
        """Enqueue one job for each tuple of arguments: all of them or none."""
        return self.app.client.enqueue_many([self._request(_arguments(self, call), {}) for call in calls])

    async def aenqueue_many(self, calls: Iterable[tuple[Any, ...]]) -> list[Job[R]]:
        """``enqueue_many`` for async code."""
        return await self.app.client.aenqueue_many([self._request(_arguments(self, call), {}) for call in calls])

    def options(self, **options: Unpack[OptionArguments]) -> TaskWithOptions[P, R]:
        """The same with options for the jobs that it enqueues next; those given before stay unless they are changed."""
        return self._with_options(options)

    def _request(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Request:
        raise NotImplementedError

    def _with_options(self, options: OptionArguments) -> TaskWithOptions[P, R]:
        raise NotImplementedError


class Task(Enqueueable[P, R]):
    """A registered function. Calling it just calls the function; ``enqueue`` runs it in the background.

    >>> from windlass import Windlass
    >>> app = Windlass("sqlite:///:memory:")
    >>> @app.task
    ... def add(a: int, b: int) -> int:
    ...     return a + b
    >>> add(1, 2)
    3
    >>> job = add.enqueue(1, 2)
    >>> app.worker().run_until_empty()
    1
    >>> job.result(timeout=5)
    3
    """

    minds_stop = False
    """Whether its function looks for itself whether it has to stop, so that nothing is raised in its thread."""

    def __init__(
        self, app: ClientOwner, function: Callable[P, Any], *, name: str, settings: TaskSettings, signature: Signature
    ) -> None:
        self.app = app
        self.function = function
        self.hooked: Callable[..., Any] = function
        """The function inside the hooks around runs; itself where there are none."""
        self.name = name
        self.settings = settings
        self.is_async = inspect.iscoroutinefunction(function)
        self.is_isolated = settings.isolation == "process"
        if self.is_isolated:
            check_importable(function, name)
        self.shape = _Shape.of(function)
        # Arguments are named as the caller counts them: the job is none of them.
        given = tuple(parameter for parameter in signature.positional if parameter != self.shape.job_parameter)
        self.signature = replace(signature, positional=given)
        self.__doc__ = function.__doc__
        self.__name__ = getattr(function, "__name__", name)
        self.__wrapped__ = function

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function itself, here and now; that of an ``async def`` is awaited."""
        return cast(R, self.function(*args, **kwargs))

    @property
    def is_interruptible(self) -> bool:
        """Whether an exception may be raised in its runs."""
        return self.settings.interrupt and not self.minds_stop

    def __repr__(self) -> str:
        return f"<Task {self.name}>"

    def _request(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Request:
        self.shape.check(self.name, args, kwargs)
        return Request(self, args, kwargs)

    def _with_options(self, options: OptionArguments) -> TaskWithOptions[P, R]:
        return TaskWithOptions(self, NO_OPTIONS.but(options))


class TaskWithOptions(Enqueueable[P, R]):
    """A task and the options for its next jobs.

    >>> from windlass import Windlass
    >>> app = Windlass("sqlite:///:memory:")
    >>> @app.task(name="welcome")
    ... def welcome(user_id: int) -> None: ...
    >>> later = welcome.options(delay="10m")
    >>> later.options(priority=9).enqueue(42).state
    <State.SCHEDULED: 'scheduled'>
    >>> app.close()
    """

    def __init__(self, task: Task[P, R], options: Options) -> None:
        self.app = task.app
        self._task = task
        self._options = options

    def __repr__(self) -> str:
        return f"<Task {self._task.name} with options>"

    def _request(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Request:
        self._task.shape.check(self._task.name, args, kwargs)
        return Request(self._task, args, kwargs, self._options)

    def _with_options(self, options: OptionArguments) -> TaskWithOptions[P, R]:
        return TaskWithOptions(self._task, self._options.but(options))


if TYPE_CHECKING:

    class AsyncTask(Task[P, R]):
        """What the task of an ``async def`` is to a type checker: a call of it has to be awaited."""

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Coroutine[Any, Any, R]: ...  # type: ignore[override]


def _arguments(task: object, call: object) -> tuple[Any, ...]:
    if not isinstance(call, tuple | list):
        raise ConfigError(f"{task!r}: enqueue_many takes tuples of arguments, as in [(1,), (2,)]; got {call!r}")
    return tuple(call)


@dataclass(frozen=True, slots=True)
class _Shape:
    """Which calls a function takes, so that a wrong one is refused before it is stored."""

    signature: inspect.Signature
    least: int
    most: float
    job_parameter: str | None
    job_position: int | None
    """Where the job parameter stands among those that may be given by position."""

    @classmethod
    def of(cls, function: Callable[..., Any]) -> _Shape:
        signature = inspect.signature(function)
        job_parameter = _job_parameter(function, signature)
        given = [p for name, p in signature.parameters.items() if name != job_parameter]
        positional = [p for p in given if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        needs_keywords = any(p.kind is p.KEYWORD_ONLY and p.default is p.empty for p in given)
        has_star = any(p.kind is p.VAR_POSITIONAL for p in given)
        return cls(
            signature.replace(parameters=given),
            # More than any call has: such a function is always bound in full.
            least=2**31 if needs_keywords else sum(p.default is p.empty for p in positional),
            most=float("inf") if has_star else len(positional),
            job_parameter=job_parameter,
            job_position=_position(job_parameter, signature),
        )

    def with_job(
        self, args: tuple[object, ...], kwargs: dict[str, object], job: ActiveJob
    ) -> tuple[tuple[object, ...], dict[str, object]]:
        """The call of a function that wants its job, with the job where the function expects it."""
        assert self.job_parameter is not None
        if self.job_position is not None and self.job_position < len(args):
            return (*args[: self.job_position], job, *args[self.job_position :]), kwargs
        return args, {**kwargs, self.job_parameter: job}

    def check(self, name: str, args: tuple[object, ...], kwargs: Mapping[str, object]) -> None:
        """Raise what the call itself would raise; binding in full is slow and mostly not needed."""
        if kwargs or not self.least <= len(args) <= self.most:
            self.bind(name, args, kwargs)

    def bind(self, name: str, args: tuple[object, ...], kwargs: Mapping[str, object]) -> Mapping[str, object]:
        """The arguments by name, defaults included."""
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"task {name!r}: {error}{self._meant(kwargs)}") from None
        bound.apply_defaults()
        return bound.arguments

    def _meant(self, kwargs: Mapping[str, object]) -> str:
        """What to do where an option was given among the arguments."""
        for name in kwargs:
            if name in self.signature.parameters:
                continue
            if name in OPTION_NAMES:
                return f"; options go before the call: task.options({name}=...).enqueue(...)"
            if hint := hint_for_option(name):
                return f"; options go before the call, as in task.options(...).enqueue(...): {hint}"
        return ""


def _job_parameter(function: Callable[..., Any], signature: inspect.Signature) -> str | None:
    """The parameter annotated ``ActiveJob``, which the worker fills in."""
    for name, parameter in signature.parameters.items():
        annotation = parameter.annotation
        if annotation is ActiveJob or (isinstance(annotation, str) and annotation.split(".")[-1] == "ActiveJob"):
            if parameter.kind not in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD):
                raise ConfigError(f"{function!r}: the ActiveJob parameter {name!r} must be accepted by name")
            return name
    return None


def _position(name: str | None, signature: inspect.Signature) -> int | None:
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    positional = [parameter.name for parameter in signature.parameters.values() if parameter.kind in kinds]
    return positional.index(name) if name in positional else None
