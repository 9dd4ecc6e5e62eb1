"""The handle of one task's rate: how many of its jobs begin in which time."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from windlass.client.owner import ClientOwner
from windlass.client.session import ANY_JOB, Session
from windlass.core import validate
from windlass.core.rates.rate import read_rate, write_rate
from windlass.core.state import State
from windlass.errors import ConfigError, IllegalTransition
from windlass.insight import reads
from windlass.options import UNSET
from windlass.options.queues import since_milliseconds
from windlass.store.driver import Topic
from windlass.store.operation import Operation
from windlass.store.operations.jobs import retry_all
from windlass.store.operations.rates.cooldowns import end_cooldowns_of
from windlass.store.operations.rates.tasks import NO_RATE, change_rate, task_rates

if TYPE_CHECKING:
    from windlass.client.client import Client
    from windlass.insight.limits.tasks import TaskRateView

_SETTINGS = (Topic.WORK, Topic.CONTROL)
_RESUMED = (*ANY_JOB, Topic.CONTROL)


class TaskRate:
    """The rate of a task: look at it, change it for all machines; it holds for each of the task's rate keys.

    >>> from windlass import Windlass
    >>> app = Windlass("sqlite:///:memory:")
    >>> @app.task(name="mail.send", rate="30/min")
    ... def send() -> None: ...
    >>> mail = app.task_rate("mail.send")
    >>> mail.configure(rate="10/min", burst=5, by="ada")
    >>> mail.settings().rate, mail.settings().burst, mail.settings().changed_by
    ('10/min', 5, 'ada')
    >>> app.close()
    """

    def __init__(self, app: ClientOwner, task: str) -> None:
        self._app = app
        self.task = validate.task_name(task)

    def __repr__(self) -> str:
        return f"<TaskRate {self.task}>"

    @property
    def _client(self) -> Client:
        """That of the app at this moment: a handle that was made before a test block acts in the block."""
        return self._app.client

    @property
    def _session(self) -> Session:
        return self._client.session

    def settings(self) -> TaskRateView:
        """What holds now, what the code says, who changed it, and what cools down."""
        return self._session.run(reads.task_rate_view(self.task))

    async def asettings(self) -> TaskRateView:
        """``settings`` for async code."""
        return await self._session.arun(reads.task_rate_view(self.task))

    def configure(
        self, *, rate: str | None, burst: int | None = None, by: str = "api", unchanged_since: datetime | None = UNSET
    ) -> None:
        """Set the rate for all processes and while they run, whatever the code says; None: no limit.

        ``ConfigError`` for a task without a rate in the code: its jobs say nothing of a rate. With
        ``unchanged_since``, the ``changed_at`` of settings that were read, it is ``IllegalTransition`` when an operator
        has changed it since, and nothing happens.
        """
        self._session.run(self._change(rate, burst, by, unchanged_since), notify=_SETTINGS)

    async def aconfigure(
        self, *, rate: str | None, burst: int | None = None, by: str = "api", unchanged_since: datetime | None = UNSET
    ) -> None:
        """``configure`` for async code."""
        await self._session.arun(self._change(rate, burst, by, unchanged_since), notify=_SETTINGS)

    def reset(self, *, by: str = "api", unchanged_since: datetime | None = UNSET) -> None:
        """Take the change back: what the code says holds again."""
        self._session.run(self._reset(by, unchanged_since), notify=_SETTINGS)

    async def areset(self, *, by: str = "api", unchanged_since: datetime | None = UNSET) -> None:
        """``reset`` for async code."""
        await self._session.arun(self._reset(by, unchanged_since), notify=_SETTINGS)

    def resume(self, *, by: str = "api") -> int:
        """End the cool-downs of the task, which has tripped or was throttled, and of its rate keys, and have its jobs
        that wait for that run now; how many cool-downs.
        """
        return self._session.run(self._resume(by), notify=_RESUMED)

    async def aresume(self, *, by: str = "api") -> int:
        """``resume`` for async code."""
        return await self._session.arun(self._resume(by), notify=_RESUMED)

    def _change(
        self, rate: str | None, burst: int | None, by: str, unchanged_since: datetime | None
    ) -> Operation[None]:
        name = f"task {self.task!r}: rate"
        if rate is None and burst is not None:
            raise ConfigError(f"task {self.task!r}: burst={burst!r} belongs to a rate; give rate= too")
        chosen = NO_RATE if rate is None else write_rate(read_rate(rate, burst, name))
        if not (yield from self._is_declared()):
            raise ConfigError(
                f"task {self.task!r} has no rate in the code, so its jobs say nothing of one; declare it with rate=, "
                "or set the rate of its queue"
            )
        yield from self._choose(chosen, by, unchanged_since)

    def _reset(self, by: str, unchanged_since: datetime | None) -> Operation[None]:
        yield from task_rates(self.task)  # read only: what takes a change back means a store that is there
        yield from self._choose(None, by, unchanged_since)

    def _is_declared(self) -> Operation[bool]:
        if any(task.name == self.task and task.settings.bucket is not None for task in self._client.registry):
            yield from self._client.declare_key_limits()  # no worker may have told the store what the code says
            return True
        return bool((yield from task_rates(self.task)))

    def _choose(self, chosen: str | None, by: str, unchanged_since: datetime | None) -> Operation[None]:
        seen = since_milliseconds(unchanged_since)
        if not (yield from change_rate(self.task, chosen, by=by, seen=seen)):
            raise IllegalTransition(f"the rate of task {self.task!r} was changed meanwhile; read it again")

    def _resume(self, by: str) -> Operation[int]:
        ended = yield from end_cooldowns_of(self.task)
        if ended:
            # What waits for a token of a key is blocked; it goes when the key has one.
            held = reads.filter_for(self._client, {"state": State.SCHEDULED, "reason": "throttled", "task": self.task})
            yield from retry_all(held, to_queue=None, by=by)
        return ended
