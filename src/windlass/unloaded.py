"""Functions that a stored name allows to import, before that is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from windlass.task import Task, TaskSettings

if TYPE_CHECKING:
    from windlass.app import Windlass


class UnloadedTask(Task[..., Any]):
    """Stands for a function whose module is imported by the first run that needs it, on that run's own thread.

    A module may do anything when it is imported, for as long as it likes: that must hold up its own job alone.
    """

    def __init__(self, app: Windlass, name: str, load: Callable[[str], Task[..., Any] | None]) -> None:
        super().__init__(app, _nothing, name=name, settings=TaskSettings(), signature=app._codec.signature(_nothing))
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
