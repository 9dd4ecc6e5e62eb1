"""The schedules that the code of an app declares, by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from windlass.errors import ConfigError

if TYPE_CHECKING:
    from windlass.schedules.declaration import Declaration
    from windlass.task import Request


class Declarations:
    """What ``@app.cron`` and ``@app.every`` have declared."""

    def __init__(self) -> None:
        self._declared: dict[str, Declaration] = {}

    def __iter__(self) -> Iterator[Declaration]:
        return iter(tuple(self._declared.values()))

    def __len__(self) -> int:
        return len(self._declared)

    def find(self, name: str) -> Declaration | None:
        return self._declared.get(name)

    def add(self, new: Declaration) -> None:
        """A second one of the same name is an error, unless its module was loaded again."""
        known = self._declared.get(new.name)
        if known is not None and not _replaces(new.request, known.request):
            raise ConfigError(
                f"schedule {new.name!r} is declared twice, for the tasks {known.request.name!r} and "
                f"{new.request.name!r}; give one of them another name="
            )
        self._declared[new.name] = new


def _replaces(new: Request, known: Request) -> bool:
    """Whether the task itself was declared again; two schedules of one task need two names."""
    return new.name == known.name and new.task is not known.task
