"""The operator's methods for queues and named limits, and for what goes through them: overview and figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from windlass.client.owner import ClientOwner
from windlass.core import validate
from windlass.core.rates.rate import read_rate
from windlass.errors import ConfigError, Duration
from windlass.insight import reads
from windlass.limit import Limit, limit_of
from windlass.options.queues import QueueOptions, seed_of
from windlass.queue import Queue
from windlass.store.operations import queues
from windlass.store.operations.queues import QueueSeed

if TYPE_CHECKING:
    from windlass.insight.figures.figures import FigureOptions, Figures
    from windlass.insight.limits.limits import LimitView
    from windlass.insight.overview import Overview


class QueuesOperator(ClientOwner):
    """The part of ``Windlass`` that is about queues and named limits."""

    def queue(self, name: str, **declared: Unpack[QueueOptions]) -> Queue:
        """The handle of one queue; it need not exist yet.

        Settings that are given here are declared: workers store them when they start, except for those that an operator
        has changed by ``configure``. Nothing is opened for that.
        """
        seed = seed_of(validate.queue_name(name), **declared)
        if seed != QueueSeed(name):
            self.client.declare_queue(seed)
        return Queue(self, name)

    def queues(self) -> list[Queue]:
        """Every queue that has, or has had, jobs or settings."""
        return [Queue(self, name) for name in self.client.session.run(queues.settings()) if name != queues.ALL]

    async def aqueues(self) -> list[Queue]:
        """``queues`` for async code."""
        return [Queue(self, name) for name in await self.client.session.arun(queues.settings()) if name != queues.ALL]

    def pause(self, reason: str | None = None, *, by: str = "api") -> None:
        """Pause all queues, everywhere; what runs goes on."""
        Queue(self, queues.ALL).pause(reason, by=by)

    async def apause(self, reason: str | None = None, *, by: str = "api") -> None:
        """``pause`` for async code."""
        await Queue(self, queues.ALL).apause(reason, by=by)

    def resume(self, *, by: str = "api") -> None:
        """End a ``pause``; queues that were paused one by one stay paused."""
        Queue(self, queues.ALL).resume(by=by)

    async def aresume(self, *, by: str = "api") -> None:
        """``resume`` for async code."""
        await Queue(self, queues.ALL).aresume(by=by)

    def limit(self, name: str, *, rate: str | None = None, burst: int | None = None) -> Limit:
        """The handle of a named limit. With ``rate`` it is declared: set up where it is not yet, and as the code says
        until an operator sets it (``.configure()``, ``windlass limits set``).
        """
        handle = limit_of(self, name)
        if rate is not None:
            self.client.declared_limits.add(name, read_rate(rate, burst, f"limit {name!r}: rate"))
        elif burst is not None:
            raise ConfigError(f"limit {name!r}: burst needs a rate, as in app.limit({name!r}, rate='30/min', burst=5)")
        return handle

    def limits(self) -> list[LimitView]:
        """Every named limit: its rate, its tokens, how many callers wait for one."""
        return self.client.session.run(reads.limit_views())

    async def alimits(self) -> list[LimitView]:
        """``limits`` for async code."""
        return await self.client.session.arun(reads.limit_views())

    def overview(self) -> Overview:
        """Every queue with its counts and settings, and every worker, in few calls."""
        return self.client.session.run(reads.overview())

    async def aoverview(self) -> Overview:
        """``overview`` for async code."""
        return await self.client.session.arun(reads.overview())

    def figures(
        self, *, range: Duration = "1h", step: Duration | None = None, **about: Unpack[FigureOptions]
    ) -> Figures:
        """Counts, times and depths of the newest ``range``, in steps; without ``step`` in about 360 of them or fewer.

        Of all jobs, or of a queue, a task, both, a worker, a schedule, or of the store itself; see docs/monitoring.md.
        """
        return self.client.session.run(reads.figures(reads.figure_query(range=range, step=step, **about)))

    async def afigures(
        self, *, range: Duration = "1h", step: Duration | None = None, **about: Unpack[FigureOptions]
    ) -> Figures:
        """``figures`` for async code."""
        return await self.client.session.arun(reads.figures(reads.figure_query(range=range, step=step, **about)))
