"""The program tasks that one worker may run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from windlass.client.tasks.registry import Registry, UnloadedTask
from windlass.errors import ConfigError
from windlass.options import TaskSettings
from windlass.programs.reaper import Reaper
from windlass.task import COMMAND, Task


class ProgramTask(Task[..., Any]):
    """A task that runs a program, and checks for itself whether it has to stop.

    An exception from outside could strike between the start of the program and the line that stores its number.
    """

    minds_stop = True


class WorkerTasks:
    """The app's tasks, and the one for commands if this worker allows them."""

    def __init__(self, registry: Registry, *, command: Task[..., Any] | None) -> None:
        self._registry = registry
        self._command = command
        self._loading: WeakValueDictionary[str, UnloadedTask] = WeakValueDictionary()
        """By module: the task whose run imports it. Removed with that run, however it ends."""

    def find(self, name: str) -> Task[..., Any] | None:
        """The task of this name, or None when this worker must not run it, or not while another run imports it."""
        if name == COMMAND:
            return self._command
        known = self._registry.known(name)
        if known is not None or not self._registry.may_load(name) or self.is_loading(name):
            return known
        task = self._loading[_module(name)] = self._registry.unloaded(name)
        return task

    def is_loading(self, name: str) -> bool:
        """Whether a run imports the task's module now; other runs would only wait for it, with a thread each."""
        task = self._loading.get(_module(name))
        return task is not None and not task.is_done


def worker_tasks(
    registry: Registry, *, reaper: Reaper, allow_commands: bool, folder: str | Path | None, kill_after: float
) -> tuple[WorkerTasks, Callable[[], None]]:
    """The tasks that a worker may run, and what to call when it stops."""
    if not allow_commands:
        if folder is not None:
            raise ConfigError("commands_folder is given, but commands are not allowed; set allow_commands=True, too")
        return WorkerTasks(registry, command=None), lambda: None
    # Imported only where commands are allowed: most workers start no programs.
    from windlass.programs.runner import CommandRunner

    runner = CommandRunner(reaper=reaper, folder=_existing(folder), kill_after=kill_after)
    task = registry.make(runner.run, COMMAND, TaskSettings(), ProgramTask)
    return WorkerTasks(registry, command=task), runner.close


def _module(name: str) -> str:
    return name.partition(":")[0]


def _existing(folder: str | Path | None) -> Path | None:
    if folder is None:
        return None
    path = Path(folder)
    if not path.is_dir():
        raise ConfigError(f"commands_folder: there is no folder {str(folder)!r}")
    return path.resolve()
