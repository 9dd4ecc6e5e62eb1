"""Tasks: registered functions, and requests to run them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, Unpack, cast, overload

from msgspec import Struct
from msgspec.structs import replace

from windlass.client.hints import MethodHints, hint_for_flow
from windlass.client.owner import ClientOwner
from windlass.client.tasks.call_shape import CallShape
from windlass.client.tasks.declaration import check_importable
from windlass.core.codec import Signature
from windlass.errors import ConfigError
from windlass.options import NO_OPTIONS, CommonOptionArguments, OptionArguments, Options, TaskSettings
from windlass.store.operations.upkeep.tidy import clear_cache

if TYPE_CHECKING:
    from windlass.job import Job

P = ParamSpec("P")
Others = ParamSpec("Others")
"""The parameters of a task behind the first, which gets the result of another job."""
R = TypeVar("R")

COMMAND = "windlass.command"
"""The task under which commands are stored; no app registers it, and only workers that allow commands have it."""


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


class IncompleteRequest(Request, frozen=True):
    """A request that lacks arguments: it can be enqueued where it gets one from another job."""

    lacks: str = ""
    """What the call itself would raise."""

    @classmethod
    def of(
        cls, task: Task[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], options: Options, why: TypeError
    ) -> IncompleteRequest:
        """Raises ``why`` where the call is wrong whatever is added to it."""
        try:
            task.shape.signature.bind_partial(*args, **kwargs)
        except TypeError:
            raise why from None
        return cls(task, args, kwargs, options, str(why))

    def but(self, **options: Unpack[OptionArguments]) -> Request:
        return IncompleteRequest(self.task, self.args, self.kwargs, self.options.but(options), self.lacks)


def complete(request: Request) -> Request:
    """The request, if it lacks no argument; raises what the call itself would raise."""
    if isinstance(request, IncompleteRequest):
        raise TypeError(request.lacks)
    return request


def checked_requests(given: Iterable[Request]) -> list[Request]:
    """What ``enqueue_many`` was given, if it is requests."""
    requests = list(given)
    for request in requests:
        if not isinstance(request, Request):
            raise ConfigError(
                f"enqueue_many takes requests, as in [welcome.request(42)]; got {request!r}{hint_for_flow(request)}"
            )
    return requests


def checked_call(args: object, kwargs: object) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    """The arguments of a call, given as a list and a dict; a text instead of the list is rejected."""
    if not isinstance(args, Sequence) or isinstance(args, str | bytes):
        raise ConfigError(f"request: args takes a list of arguments, as in [42]; got {args!r}")
    if kwargs is not None and not isinstance(kwargs, Mapping):
        raise ConfigError(f"request: kwargs takes a dict of arguments by name, got {kwargs!r}")
    return tuple(args), kwargs or {}


class Enqueueable(MethodHints, Generic[P, R]):
    """What can be enqueued: a task as it is, or under options."""

    app: ClientOwner
    """Where its jobs go."""

    @overload
    def request(self) -> Request: ...
    @overload
    def request(self, *args: P.args, **kwargs: P.kwargs) -> Request: ...
    @overload
    def request(
        self: Enqueueable[Concatenate[Any, Others], Any], *args: Others.args, **kwargs: Others.kwargs
    ) -> Request: ...
    def request(self, *args: Any, **kwargs: Any) -> Request:
        """A request for ``app.enqueue_many`` or ``chain``; it may lack an argument that it gets from another job."""
        try:
            return self._request(args, kwargs)
        except TypeError as error:
            return self._incomplete(args, kwargs, error)

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

    @overload
    def options(self, *, into: str, **options: Unpack[CommonOptionArguments]) -> TaskWithOptions[..., R]: ...
    @overload
    def options(self, **options: Unpack[CommonOptionArguments]) -> TaskWithOptions[P, R]: ...
    def options(self, **options: Unpack[OptionArguments]) -> TaskWithOptions[..., R]:
        """The same with options for the jobs that it enqueues next; those given before stay unless they are changed."""
        return self._with_options(options)

    def _request(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Request:
        raise NotImplementedError

    def _incomplete(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], why: TypeError) -> Request:
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
        self.shape = CallShape.of(function)
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

    def cache_clear(self) -> int:
        """Forget the cached results of this task; how many. From then on every call runs again.

        Jobs that wait or run now are shared with no later call, and their results are not cached.
        """
        return self.app.client.session.run(clear_cache(self.name))

    async def acache_clear(self) -> int:
        """``cache_clear`` for async code."""
        return await self.app.client.session.arun(clear_cache(self.name))

    def __repr__(self) -> str:
        return f"<Task {self.name}>"

    def _request(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Request:
        self.shape.check(self.name, args, kwargs)
        return Request(self, args, kwargs)

    def _incomplete(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], why: TypeError) -> Request:
        return IncompleteRequest.of(self, args, kwargs, NO_OPTIONS, why)

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
        try:
            self._task.shape.check(self._task.name, args, kwargs)
        except TypeError as error:
            if self._options.into is None:
                raise
            return self._incomplete(args, kwargs, error)
        return Request(self._task, args, kwargs, self._options)

    def _incomplete(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], why: TypeError) -> Request:
        return IncompleteRequest.of(self._task, args, kwargs, self._options, why)

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


class TaskDecorator:
    """What ``@app.task(...)`` with options is to a type checker."""

    @overload
    def __call__(self, function: Callable[P, Coroutine[Any, Any, R]], /) -> AsyncTask[P, R]: ...
    @overload
    def __call__(self, function: Callable[P, R], /) -> Task[P, R]: ...
    def __call__(self, function: Callable[..., Any], /) -> Any:
        raise NotImplementedError


Runnable = Task[..., Any] | TaskWithOptions[..., Any] | Request | Callable[..., Any] | str
"""What can be enqueued: a task, a task under options, a request, a plain function of a module, or a task's name."""
