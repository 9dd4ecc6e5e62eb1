"""The part of an app that is about schedules: declare, add, look up, fire what is due."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack, cast

from windlass.client.owner import ClientOwner
from windlass.client.tasks.registry import name_of
from windlass.core import validate
from windlass.errors import ConfigError, Duration
from windlass.options import TaskSettings
from windlass.task import Task

if TYPE_CHECKING:
    from windlass.schedules.options import CronOptions, EveryOptions, TimedOptions
    from windlass.schedules.schedule import Schedule
    from windlass.store.operation import Operation
    from windlass.store.operations.schedules.records import ScheduleRecord
    from windlass.task import Request, Runnable, TaskDecorator


class Schedulable(ClientOwner):
    """The schedules of ``Windlass``."""

    def request(
        self,
        task: Runnable,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Request:
        """A request under options."""
        raise NotImplementedError

    def cron(self, expression: str, /, **options: Unpack[CronOptions]) -> TaskDecorator:
        """Run a task when a cron expression comes true in a time zone, once, however many machines there are.

        Decorates a function, or a task to which ``@app.task(...)`` gave options of its own. ``name`` is that of the
        schedule: the function's, unless the task was given one. Workers store what is declared when they start.

        >>> from windlass import Windlass
        >>> app = Windlass("sqlite:///:memory:")
        >>> @app.cron("30 9 * * mon-fri", tz="Europe/Berlin", catch_up="latest")
        ... @app.task(queue="mail")
        ... def digest() -> None: ...
        >>> [(schedule.name, schedule.settings.queue) for schedule in app.schedules()]
        [('digest', 'mail')]
        >>> app.close()
        """
        return self._declaring("cron", expression, dict(options))

    def every(self, interval: Duration, /, **options: Unpack[EveryOptions]) -> TaskDecorator:
        """Run a task at a fixed interval, counted from the beginning of 1970 in UTC, so that it never drifts.

        >>> from windlass import Windlass
        >>> app = Windlass("sqlite:///:memory:")
        >>> @app.every("15m", overlap="skip")
        ... def refresh() -> None: ...
        >>> app.schedule("refresh").settings.every
        datetime.timedelta(seconds=900)
        >>> app.close()
        """
        return self._declaring("every", interval, dict(options))

    def add_schedule(self, name: str, task: Runnable, *, by: str = "api", **options: Unpack[TimedOptions]) -> Schedule:
        """Add a schedule that no code declares: ``cron=`` or ``every=``, and all that ``app.cron`` takes.

        The task may be given by name. ``ConfigError`` when the name is taken.
        """
        return self._handle(self.client.session.upkeep(self._add(name, task, dict(options), by)))

    async def aadd_schedule(
        self, name: str, task: Runnable, *, by: str = "api", **options: Unpack[TimedOptions]
    ) -> Schedule:
        """``add_schedule`` for async code."""
        return self._handle(await self.client.session.aupkeep(self._add(name, task, dict(options), by)))

    def schedule(self, name: str) -> Schedule:
        """The schedule of this name; ``ScheduleNotFound`` when there is none."""
        return self._handle(self.client.session.run(self._find(name)))

    async def aschedule(self, name: str) -> Schedule:
        """``schedule`` for async code."""
        return self._handle(await self.client.session.arun(self._find(name)))

    def schedules(self, *, task: str | None = None, enabled: bool | None = None) -> list[Schedule]:
        """All schedules by name, or those of a task; ``enabled=True``: those that fire, False: paused and orphaned."""
        return self._listed(self.client.session.run(self._list(task)), enabled)

    async def aschedules(self, *, task: str | None = None, enabled: bool | None = None) -> list[Schedule]:
        """``schedules`` for async code."""
        return self._listed(await self.client.session.arun(self._list(task)), enabled)

    def recompute_schedules(self) -> int:
        """Work out the next slot of every schedule again, by the time zone data of this system; how many moved."""
        return len(self.client.session.run(self._recompute()))

    async def arecompute_schedules(self) -> int:
        """``recompute_schedules`` for async code."""
        return len(await self.client.session.arun(self._recompute()))

    def _declaring(self, when: str, value: object, options: dict[str, Any]) -> TaskDecorator:
        from windlass.schedules.declaration import declaration

        name = options.pop("name", None)

        def declare(function: Callable[..., Any]) -> Task[..., Any]:
            task = self._task_of(function, when)
            new = declaration(_schedule_name(task) if name is None else name, task.request, {when: value, **options})
            new.definition(self.client.enqueuer)  # arguments that cannot be stored are found here
            self.client.schedules.add(new)
            return task

        return cast("TaskDecorator", declare)

    def _task_of(self, function: Callable[..., Any], when: str) -> Task[..., Any]:
        if not isinstance(function, Task):
            return self.client.registry.declare(function, name=None, settings=TaskSettings())
        if function.app is not self:
            raise ConfigError(f"@app.{when}: task {function.name!r} belongs to another app")
        return function

    def _add(self, name: str, task: Runnable, options: dict[str, Any], by: str) -> Operation[ScheduleRecord]:
        from windlass.schedules.declaration import declaration
        from windlass.store.operations.schedules.changes import add

        new = declaration(name, lambda *args, **kwargs: self.request(task, args, kwargs), options)
        return add(name, new.definition(self.client.enqueuer), by=by)

    def _find(self, name: str) -> Operation[ScheduleRecord]:
        from windlass.schedules.stored import found

        return found(self.client, validate.schedule_name(name))

    def _list(self, task: str | None) -> Operation[list[ScheduleRecord]]:
        from windlass.schedules.stored import all_schedules

        return all_schedules(self.client, task)

    def _recompute(self) -> Operation[list[str]]:
        from windlass.store.operations.schedules.changes import recompute

        return recompute()

    def _handle(self, record: ScheduleRecord) -> Schedule:
        from windlass.schedules.schedule import Schedule

        return Schedule(self, record)

    def _listed(self, records: list[ScheduleRecord], enabled: bool | None) -> list[Schedule]:
        if enabled is not None:
            validate.flag(enabled, "enabled")
        schedules = [self._handle(record) for record in records]
        return [one for one in schedules if enabled is None or one.enabled is enabled]


def _schedule_name(task: Task[..., Any]) -> str:
    """The name of a schedule that was given none: the function's, or the task's if that has one of its own."""
    try:
        is_default = task.name == name_of(task.function)
    except ConfigError:
        is_default = False
    return task.__name__ if is_default else task.name
