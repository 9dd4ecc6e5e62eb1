"""The operator's methods for single tasks: their rates, their concurrency keys, their cool-downs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windlass.admin import handles
from windlass.client.owner import ClientOwner
from windlass.insight import reads

if TYPE_CHECKING:
    from windlass.admin.tasks.concurrency import Concurrency
    from windlass.admin.tasks.rates import TaskRate
    from windlass.insight.limits.keys import BusyKeyPage, ConcurrencyView
    from windlass.insight.limits.tasks import TaskRateView


class TasksOperator(ClientOwner):
    """The part of ``Windlass`` that is about what an operator sets for single tasks."""

    def task_rate(self, task: str) -> TaskRate:
        """The handle of a task's rate: how many of its jobs, or of each of its rate keys, begin in which time."""
        return handles.TaskRate(self, task)

    def task_rates(self) -> list[TaskRateView]:
        """Of every task that has a rate, or cools down: what holds, what code says, and who changed it."""
        return self.client.session.run(reads.task_rate_views())

    async def atask_rates(self) -> list[TaskRateView]:
        """``task_rates`` for async code."""
        return await self.client.session.arun(reads.task_rate_views())

    def concurrency(self, task: str) -> Concurrency:
        """The handle of a task's concurrency keys: how many jobs with the same key may run at once."""
        return handles.Concurrency(self, task)

    def concurrency_limits(self) -> list[ConcurrencyView]:
        """Of every task with concurrency keys: how many jobs may hold the same one."""
        return self.client.session.run(reads.concurrency_views())

    async def aconcurrency_limits(self) -> list[ConcurrencyView]:
        """``concurrency_limits`` for async code."""
        return await self.client.session.arun(reads.concurrency_views())

    def busy_keys(self, *, task: str | None = None, limit: int = 50, cursor: str | None = None) -> BusyKeyPage:
        """A page of the concurrency keys that jobs hold, by task and key: how many do, and how many wait for them.

        ``cursor`` takes the ``next`` of the page before.
        """
        return self.client.session.run(reads.busy_keys(task, limit, cursor))

    async def abusy_keys(self, *, task: str | None = None, limit: int = 50, cursor: str | None = None) -> BusyKeyPage:
        """``busy_keys`` for async code."""
        return await self.client.session.arun(reads.busy_keys(task, limit, cursor))

    def resume_task(self, task: str, *, by: str = "api") -> bool:
        """End the cool-downs of a task, which has tripped or was throttled, and of its rate keys, and have its jobs
        that wait for that run now; False when nothing of it cools down. ``task_rate(task).resume`` does the same.
        """
        return self.task_rate(task).resume(by=by) > 0

    async def aresume_task(self, task: str, *, by: str = "api") -> bool:
        """``resume_task`` for async code."""
        return await self.task_rate(task).aresume(by=by) > 0
