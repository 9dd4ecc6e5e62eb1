"""The handle of one task's concurrency keys: how many jobs with the same key may run at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windlass.client.owner import ClientOwner
from windlass.client.session import Session
from windlass.core import validate
from windlass.insight import reads
from windlass.store.driver import Topic
from windlass.store.operations.limits.concurrency import change

if TYPE_CHECKING:
    from windlass.insight.limits.keys import ConcurrencyView


class Concurrency:
    """The concurrency keys of a task: look at their limit, change it for all machines.

    >>> from windlass import Windlass
    >>> app = Windlass("sqlite:///:memory:")
    >>> sync = app.concurrency("sync")
    >>> sync.configure(limit=3, by="ada")
    >>> sync.settings().limit, sync.settings().changed_by
    (3, 'ada')
    >>> app.close()
    """

    def __init__(self, app: ClientOwner, task: str) -> None:
        self._app = app
        self.task = validate.task_name(task)

    def __repr__(self) -> str:
        return f"<Concurrency {self.task}>"

    @property
    def _session(self) -> Session:
        """That of the app at this moment: a handle that was made before a test block acts in the block."""
        return self._app.client.session

    def settings(self) -> ConcurrencyView:
        """What holds now, what the code says, and who changed it."""
        return self._session.run(reads.concurrency_view(self.task))

    async def asettings(self) -> ConcurrencyView:
        """``settings`` for async code."""
        return await self._session.arun(reads.concurrency_view(self.task))

    def configure(self, *, limit: int | None, by: str = "api") -> None:
        """Set how many jobs with the same key may run at once, for all keys of the task and whatever the code says;
        None lets the code decide again.

        A limit that is raised lets jobs go at once; under one that is lowered running jobs finish.
        """
        self._session.run(change(self.task, _checked(limit), by=by), notify=(Topic.WORK,))

    async def aconfigure(self, *, limit: int | None, by: str = "api") -> None:
        """``configure`` for async code."""
        await self._session.arun(change(self.task, _checked(limit), by=by), notify=(Topic.WORK,))


def _checked(limit: int | None) -> int | None:
    return None if limit is None else validate.whole_number(limit, "limit", least=1, most=1_000_000)
