"""The tasks of an app, by name; also those whose module is not imported yet."""

from __future__ import annotations

import inspect
import logging
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, TypeGuard

from windlass.client.hints import hint_for_flow
from windlass.client.owner import ClientOwner
from windlass.client.tasks.declaration import check_task_function, is_interactive
from windlass.core import validate
from windlass.core.codec import Codec, Signature
from windlass.core.retry import Retry
from windlass.core.validate import texts
from windlass.errors import ConfigError
from windlass.hooks import Hooks
from windlass.options import TaskSettings
from windlass.task import COMMAND, Task

log = logging.getLogger("windlass")


class KnownTasks(Protocol):
    """Finds the task of a stored name; imports nothing, because the pump calls it."""

    def find(self, name: str) -> Task[..., Any] | None:
        """The task of this name, or None when it is not to be run here, or not at this moment."""

    def is_loading(self, name: str) -> bool:
        """Whether its module is being imported for another run, so that it may soon be known."""


class Registry:
    """Tasks by name. A stored name is a key of this table and nothing else.

    The one exception is asked for by name: a plain function below a prefix in ``importable`` is imported when a job
    names it as ``module:qualname``. Only functions: to call a class that a stored name names would make any object
    there.
    """

    def __init__(self, app: ClientOwner, *, codec: Codec, hooks: Hooks, importable: Iterable[str]) -> None:
        self._app = app
        self._codec = codec
        self._hooks = hooks
        self._tasks: dict[str, Task[..., Any]] = {}
        self._importable = texts(importable, "importable", example="['shop.tasks']")

    def __iter__(self) -> Iterator[Task[..., Any]]:
        return iter(tuple(self._tasks.values()))

    def __len__(self) -> int:
        return len(self._tasks)

    @property
    def is_open(self) -> bool:
        """Whether tasks may come from elsewhere than declarations."""
        return bool(self._importable)

    def declare(self, function: Callable[..., Any], *, name: str | None, settings: TaskSettings) -> Task[..., Any]:
        """Register a function that was decorated as a task."""
        if isinstance(function, Task) or not callable(function):
            raise ConfigError(
                f"@app.task decorates a function, got {function!r}; declare it at the top level of a module"
            )
        check_task_function(function)
        return self.register(function, name_of(function) if name is None else validate.task_name(name), settings)

    def register(
        self, function: Callable[..., Any], name: str, settings: TaskSettings, kind: type[Task[..., Any]] = Task
    ) -> Task[..., Any]:
        """Register a function under a name."""
        if name == COMMAND:
            raise ConfigError(f"task name {name!r}: jobs of that name are commands; give the task another name=")
        task = self.make(function, name, settings, kind)
        self._add(task)
        return task

    def make(
        self, function: Callable[..., Any], name: str, settings: TaskSettings, kind: type[Task[..., Any]] = Task
    ) -> Task[..., Any]:
        """A task of the app that is not registered, inside the hooks that there are now."""
        task = kind(self._app, function, name=name, settings=settings, signature=self._codec.signature(function))
        self._hooks.put_around(task)
        return task

    def unloaded(self, name: str) -> UnloadedTask:
        """A task that stands for a function whose module is not imported yet."""
        return UnloadedTask(self._app, name=name, signature=self._codec.signature(_nothing), load=self.load)

    def _add(self, task: Task[..., Any]) -> None:
        """Another function under the same name is an error."""
        known = self._tasks.get(task.name)
        if known is not None and not _may_replace(known.function, task.function):
            raise ConfigError(
                f"task {task.name!r} is registered twice, for {known.function!r} and {task.function!r}; "
                "give one of them another name="
            )
        self._tasks[task.name] = task

    def known(self, name: str) -> Task[..., Any] | None:
        """The task of this name, as long as nothing has to be imported for it."""
        return self._tasks.get(name)

    def may_load(self, name: str) -> bool:
        """Whether the name allows to look for a function in a module."""
        module, colon, qualname = name.partition(":")
        return bool(colon) and qualname.isidentifier() and any(_is_below(module, p) for p in self._importable)

    def find(self, name: str) -> Task[..., Any] | None:
        """The task of this name, or None if it is unknown; may import its module."""
        try:
            return self._tasks.get(name) or self.load(name)
        except (Exception, SystemExit) as error:  # a module may do anything when it is imported
            log.warning("task %r: its module cannot be imported: %r", name, error)
            return None

    def load(self, name: str) -> Task[..., Any] | None:
        """Import the function of this name; None where there is none, and raises whatever its module raises."""
        if not self.may_load(name):
            return None
        module, _, qualname = name.partition(":")
        try:
            function = getattr(import_module(module), qualname, None)
        except ModuleNotFoundError as error:
            if error.name is not None and _is_below(module, error.name):
                return None  # it is not here, perhaps not yet
            raise
        if not is_function(function) or getattr(function, "__module__", None) != module:
            return None
        return self._tasks.get(name) or self.register(function, name, TaskSettings())

    def retry_of(self, name: str) -> Retry | None:
        """What the task of this name says about retries."""
        task = self.find(name)
        return task.settings.retry if task else None

    def named(self, function: Callable[..., Any]) -> Task[..., Any]:
        """The task for a plain function, registered on the spot as ``module:qualname``."""
        name = _plain_name(function)
        return self._tasks.get(name) or self.register(function, name, TaskSettings())


def is_function(value: object) -> TypeGuard[Callable[..., Any]]:
    """Whether it is a function, and no class or object that can merely be called like one."""
    return inspect.isfunction(value) or inspect.isbuiltin(value)


def _is_below(module: str, prefix: str) -> bool:
    return module == prefix.removesuffix(".") or module.startswith(prefix.removesuffix(".") + ".")


def _may_replace(known: Callable[..., Any], new: Callable[..., Any]) -> bool:
    """Whether it is the same function; one that is typed in may be typed in again, and the newest counts."""
    return _is_same(known, new) or (is_interactive(known) and is_interactive(new))


def _is_same(one: Callable[..., Any], other: Callable[..., Any]) -> bool:
    """Whether two functions are the same one, also when its module was loaded twice (once as ``__main__``)."""
    if one is other:
        return True
    first, second = getattr(one, "__code__", None), getattr(other, "__code__", None)
    return first is not None and second is not None and _place(first) == _place(second)


def _place(code: Any) -> tuple[str, int]:
    return code.co_filename, code.co_firstlineno


def name_of(function: Callable[..., Any]) -> str:
    """The name of a task that was given none."""
    name = f"{_module_of(function)}.{getattr(function, '__qualname__', function)}"
    try:
        return validate.task_name(name)
    except ConfigError as error:
        raise ConfigError(f"{error}; made from the function's module and name: pass another one as name=") from None


def _module_of(function: Callable[..., Any]) -> str:
    """The module's name as others import it: a script that is run is known by the name of its file."""
    module: str = getattr(function, "__module__", None) or ""
    if module != "__main__":
        return module
    main = sys.modules["__main__"]
    spec = getattr(main, "__spec__", None)
    if spec is not None:
        return str(spec.name).removesuffix(".__main__")
    file = getattr(main, "__file__", None)
    return Path(file).stem if file else module


def _plain_name(function: Callable[..., Any]) -> str:
    qualname = getattr(function, "__qualname__", "")
    module = _module_of(function)
    # "<stdin>" is no module.
    if hint := hint_for_flow(function):
        raise ConfigError(f"{function!r} is no task{hint}")
    if not is_function(function) or not module or module.startswith("<") or not qualname.isidentifier():
        raise ConfigError(
            f"{function!r} cannot be enqueued: only functions at the top level of a module have a name that a worker "
            "can find; register it with @app.task"
        )
    return f"{module}:{qualname}"


class UnloadedTask(Task[..., Any]):
    """Stands for a function whose module is imported by the first run that needs it, on that run's own thread.

    A module may do anything when it is imported, for as long as it likes: that must hold up its own job alone.
    """

    def __init__(
        self,
        app: ClientOwner,
        *,
        name: str,
        signature: Signature,
        load: Callable[[str], Task[..., Any] | None],
    ) -> None:
        super().__init__(app, _nothing, name=name, settings=TaskSettings(), signature=signature)
        self._load = load
        self.is_done = False
        """Whether that was tried, with whatever success."""

    def load(self) -> Task[..., Any] | None:
        """The task itself, or None where there is no such function; raises what the module raises."""
        try:
            return self._load(self.name)
        finally:
            self.is_done = True


def _nothing() -> None:
    """In the place of a function that is not there yet."""
