"""Hooks: user code around every enqueue and every run."""

from __future__ import annotations

import dis
import inspect
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import wraps
from types import FunctionType
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from windlass.active_job import ActiveJob, current_job
from windlass.client.owner import ClientOwner
from windlass.errors import ConfigError
from windlass.task import Request, Task

if TYPE_CHECKING:
    from windlass.job import Job

RunHook: TypeAlias = "Callable[[ActiveJob], Iterator[None] | AbstractContextManager[Any]]"
"""A generator function with one ``yield``, or anything else that makes a context manager of the job that runs."""

EnqueueHook: TypeAlias = "Callable[[Request], Iterator[Request | None] | AbstractContextManager[Any]]"
"""The same for a request; what it yields is enqueued in its place."""

_UNKNOWN = object()

R = TypeVar("R", bound=RunHook)
E = TypeVar("E", bound=EnqueueHook)


class Hookable(ClientOwner):
    """The part of an app that takes hooks."""

    def around_run(self, hook: R) -> R:
        """Have code run around every run of a job, in the same thread and context as the task.

        The hook is a generator function with one ``yield``, for plain and async tasks alike; or it returns a context
        manager. The task runs at the ``yield``, which gives what the task returned, or raises what it raised. What the
        hook itself raises is the outcome of the run. It may replace an exception, but not make a failed run succeed.
        The first hook is the outermost.

        >>> from collections.abc import Generator
        >>> from windlass import ActiveJob, Windlass
        >>> from windlass.testing import inline
        >>> app = Windlass("sqlite:///:memory:")
        >>> @app.around_run
        ... def tell(job: ActiveJob) -> Generator[None, object, None]:
        ...     print("begins:", job.task)
        ...     result = yield
        ...     print("returned:", result)
        >>> @app.task(name="double")
        ... def double(number: int) -> int:
        ...     return 2 * number
        >>> with inline(app):
        ...     job = double.enqueue(21)
        begins: double
        returned: 42
        >>> app.close()
        """
        self.client.hooks.add_run(_checked(hook), tasks=self.client.registry)
        return hook

    def around_enqueue(self, hook: E) -> E:
        """Have code run around every enqueue, once for each request; it may yield another request instead.

        The job is stored at the ``yield``, which gives the job, or raises why it could not be stored. What the hook
        raises is raised by ``enqueue``: before the ``yield`` nothing is stored. The first hook is the outermost.

        >>> from collections.abc import Iterator
        >>> from windlass import Request, Windlass
        >>> app = Windlass("sqlite:///:memory:")
        >>> @app.around_enqueue
        ... def stamp(request: Request) -> Iterator[Request]:
        ...     yield request.with_meta(tenant="a")
        >>> app.enqueue("report").refresh().meta
        {'tenant': 'a'}
        >>> app.close()
        """
        self.client.hooks.add_enqueue(_checked(hook))
        return hook


class Hooks:
    """The hooks of an app. Where there are none, tasks are called as they are."""

    def __init__(self) -> None:
        self._around_run: tuple[RunHook, ...] = ()
        self.around_enqueue: tuple[EnqueueHook, ...] = ()

    def add_run(self, hook: RunHook, *, tasks: Iterable[Task[..., Any]]) -> None:
        """Put it around these tasks, and around those that are declared later."""
        self._around_run = (*self._around_run, hook)
        for task in tasks:
            self.put_around(task)

    def add_enqueue(self, hook: EnqueueHook) -> None:
        self.around_enqueue = (*self.around_enqueue, hook)

    def put_around(self, task: Task[..., Any]) -> None:
        """Have the task called inside the hooks that there are now."""
        if self._around_run:
            wrap = _around_coroutine if task.is_async else _around_function
            task.hooked = wrap(task.function, self._around_run)


class Enqueuing:
    """Requests inside their hooks: entered when it is made, left by ``stored`` or ``failed``."""

    def __init__(self, hooks: Sequence[EnqueueHook], requests: Sequence[Request]) -> None:
        self._layers: list[list[_Layer]] = []
        self.requests: list[Request] = []
        """What is to be stored."""
        for request in requests:
            self._layers.append([])
            try:
                self.requests.append(self._entered(hooks, request))
            except BaseException as error:
                self.failed(error)

    def stored(self, jobs: Sequence[Job[Any]]) -> None:
        """Give each hook its job; what a hook raises is raised when all of them have theirs."""
        self._leave([(job, None) for job in jobs])

    def failed(self, error: BaseException) -> None:
        """Report to all hooks that nothing was stored, and raise what they make of it."""
        self._leave([(None, error)] * len(self._layers))

    def _entered(self, hooks: Sequence[EnqueueHook], request: Request) -> Request:
        for hook in hooks:
            layer = _enter(hook, request)
            self._layers[-1].append(layer)
            if isinstance(layer.given, Request):
                request = layer.given
            elif layer.given is not None and isinstance(layer, _Generated):
                raise ConfigError(f"hook {_name(hook)} must yield a Request or nothing, got {layer.given!r}")
        return request

    def _leave(self, endings: Sequence[tuple[Job[Any] | None, BaseException | None]]) -> None:
        first: BaseException | None = None
        for layers, (job, error) in zip(reversed(self._layers), reversed(endings), strict=True):
            first = _left(layers, job, error) or first
        if first is not None:
            raise first


def _around_function(function: Callable[..., Any], hooks: Sequence[RunHook]) -> Callable[..., Any]:
    @wraps(function)
    def hooked(*args: Any, **kwargs: Any) -> Any:
        with _Inside(hooks) as inside:
            inside.value = function(*args, **kwargs)
        return inside.value

    return hooked


def _around_coroutine(function: Callable[..., Any], hooks: Sequence[RunHook]) -> Callable[..., Any]:
    @wraps(function)
    async def hooked(*args: Any, **kwargs: Any) -> Any:
        with _Inside(hooks) as inside:
            inside.value = await function(*args, **kwargs)
        return inside.value

    return hooked


class _Inside:
    """A run inside its hooks, which see whatever user code returns or raises."""

    def __init__(self, hooks: Sequence[RunHook]) -> None:
        self._layers = _enter_all(hooks, current_job())
        self.value: Any = None

    def __enter__(self) -> _Inside:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        left = _left(self._layers, self.value, error)
        if left is not None and left is not error:
            raise left
        return left is None


def _enter_all(hooks: Sequence[RunHook], job: ActiveJob) -> list[_Layer]:
    layers: list[_Layer] = []
    for hook in hooks:
        try:
            layers.append(_enter(hook, job))
        except BaseException as error:  # those outside of it see it, as they see what the task raises
            _leave_all(layers, None, error)
    return layers


def _leave_all(layers: Sequence[_Layer], value: object, error: BaseException | None) -> None:
    """Leave all hooks, the innermost first; raises the error that is left in the end, if there is one."""
    error = _left(layers, value, error)
    if error is not None:
        raise error


def _left(layers: Sequence[_Layer], value: object, error: BaseException | None) -> BaseException | None:
    for layer in reversed(layers):
        error = layer.leave(value, error)
    return error


class _Layer(Protocol):
    """A hook that was entered."""

    given: object
    """What it gave in return."""

    def leave(self, value: object, error: BaseException | None) -> BaseException | None:
        """Report to it how the inner part ended; the error that goes on outside."""


def _enter(hook: Callable[[Any], Any], subject: ActiveJob | Request) -> _Layer:
    made = hook(subject)
    if isinstance(made, Generator):
        return _Generated(_name(hook), made)
    if hasattr(made, "__enter__"):
        return _Managed(made)
    raise ConfigError(f"hook {_name(hook)} must be a generator function or return a context manager, got {made!r}")


class _Generated:
    """A hook that is a generator function."""

    def __init__(self, name: str, generator: Generator[object, object, object]) -> None:
        self._name = name
        self._generator = generator
        try:
            self.given = next(generator)
        except StopIteration:
            raise ConfigError(f"hook {name} has ended without a yield") from None

    def leave(self, value: object, error: BaseException | None) -> BaseException | None:
        trace = None if error is None else error.__traceback__
        try:
            if error is None:
                self._generator.send(value)
            else:
                self._generator.throw(error)
        except StopIteration:
            return _restored(error, trace)
        except BaseException as raised:
            return _restored(error, trace) if _is_same(raised, error) else raised
        self._generator.close()
        return ConfigError(f"hook {self._name} must yield only once")


class _Managed:
    """A hook that makes context managers."""

    def __init__(self, manager: AbstractContextManager[object]) -> None:
        self._manager = manager
        self.given = manager.__enter__()

    def leave(self, value: object, error: BaseException | None) -> BaseException | None:
        trace = None if error is None else error.__traceback__
        try:
            self._manager.__exit__(None if error is None else type(error), error, trace)
        except BaseException as raised:
            return _restored(error, trace) if raised is error else raised
        return error


def _is_same(raised: BaseException, error: BaseException | None) -> bool:
    """Whether this is what was thrown in; Python wraps a StopIteration that leaves a generator."""
    return raised is error or (isinstance(error, StopIteration) and raised.__cause__ is error)


def _restored(error: BaseException | None, trace: Any) -> BaseException | None:
    """The error without the lines of the hook that it went through."""
    return None if error is None else error.with_traceback(trace)


def _checked(hook: Any) -> Any:
    if not callable(hook):
        raise ConfigError(f"a hook must be a function, got {hook!r}")
    if inspect.iscoroutinefunction(hook) or inspect.isasyncgenfunction(hook):
        raise ConfigError(f"hook {_name(hook)} must be a plain generator function, also for async tasks; not async def")
    if inspect.isfunction(hook) and not inspect.isgeneratorfunction(hook) and _gives_nothing(hook):
        raise ConfigError(
            f"hook {_name(hook)} has no yield, so it cannot stand around anything; put one yield where the task runs "
            "or the job is stored, or return a context manager"
        )
    return hook


def _gives_nothing(function: FunctionType) -> bool:
    """Whether a function can return nothing but None. One that is wrapped may return what its wrapper makes."""
    if hasattr(function, "__wrapped__"):
        return False
    last: object = _UNKNOWN
    for instruction in dis.get_instructions(function):
        if instruction.opname == "RETURN_CONST":
            last = instruction.argval
        if instruction.opname.startswith("RETURN_") and instruction.opname != "RETURN_GENERATOR" and last is not None:
            return False
        last = instruction.argval if instruction.opname == "LOAD_CONST" else _UNKNOWN
    return True


def _name(hook: object) -> str:
    return str(getattr(hook, "__qualname__", repr(hook)))
