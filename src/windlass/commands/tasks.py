"""What one worker may run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windlass.commands.command import COMMAND
from windlass.errors import ConfigError
from windlass.registry import Registry
from windlass.task import Task, TaskSettings

if TYPE_CHECKING:
    from windlass.app import Windlass


class ProgramTask(Task[..., Any]):
    """A task that runs a program, and looks for itself whether it has to stop.

    An exception out of nowhere could strike between the start of the program and the line that knows of it.
    """

    minds_stop = True


class WorkerTasks:
    """The app's tasks, and the one for commands if this worker allows them."""

    def __init__(self, registry: Registry, *, command: Task[..., Any] | None) -> None:
        self._registry = registry
        self._command = command

    def find(self, name: str) -> Task[..., Any] | None:
        """The task of this name, or None when this worker must not run it."""
        return self._command if name == COMMAND else self._registry.find(name)


def worker_tasks(
    app: Windlass, *, allow_commands: bool, folder: str | Path | None, kill_after: float
) -> tuple[WorkerTasks, Callable[[], None]]:
    """What a worker may run, and what to call when it stops."""
    if not allow_commands:
        if folder is not None:
            raise ConfigError("commands_folder is given, but commands are not allowed; set allow_commands=True, too")
        return WorkerTasks(app._registry, command=None), lambda: None
    # Loaded only where it is asked for: most workers start no programs.
    from windlass.commands.runner import CommandRunner

    runner = CommandRunner(guardian=app._guardian, folder=_existing(folder), kill_after=kill_after)
    task = ProgramTask(
        app, runner.run, name=COMMAND, settings=TaskSettings(), signature=app._codec.signature(runner.run)
    )
    app._hooks.put_around(task)
    return WorkerTasks(app._registry, command=task), runner.close


def _existing(folder: str | Path | None) -> Path | None:
    if folder is None:
        return None
    path = Path(folder)
    if not path.is_dir():
        raise ConfigError(f"commands_folder: there is no folder {str(folder)!r}")
    return path.resolve()
