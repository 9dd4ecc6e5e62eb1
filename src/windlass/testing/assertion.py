"""``assert_enqueued``: whether a job was enqueued, and what was enqueued instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import BoundArguments, Parameter
from typing import TYPE_CHECKING, Any

from windlass.errors import PayloadError
from windlass.testing.block import Block, current_block

if TYPE_CHECKING:
    from windlass.app import Windlass
    from windlass.job import Job
    from windlass.task import Task

_SHOWN = 5

Arguments = Mapping[str, object]
"""By name where the task's signature has it, else as ``argument 1`` and so on."""


def assert_enqueued(
    app: Windlass,
    task: Task[..., Any] | Callable[..., Any] | str,
    /,
    *args: Any,
    queue: str | None = None,
    **kwargs: Any,
) -> Job[Any]:
    """The newest job of this task with these arguments, whatever its state; ``AssertionError`` if there is none.

    It searches what was enqueued in the block that the test is in, and nothing else.

    An argument counts as the same whether it was passed by position or by name; those that are not named here may be
    anything. The error lists the near misses: jobs of the task that differ, or else which tasks have jobs.

    >>> from windlass import Windlass
    >>> from windlass.testing import manual
    >>> app = Windlass()
    >>> @app.task(name="mail.welcome", queue="mail")
    ... def welcome(user_id: int, language: str = "en") -> None: ...
    >>> with manual(app):
    ...     job = welcome.options(id="first").enqueue(42)
    ...     assert_enqueued(app, welcome, user_id=42, queue="mail") == job
    ...     assert_enqueued(app, welcome, 41)
    Traceback (most recent call last):
    AssertionError: no job of 'mail.welcome' with user_id=41 was enqueued; near misses:
      first: user_id=42
    """
    block = current_block(app, "assert_enqueued")
    name, known = _resolved(app, task)
    wanted = _Wanted(name, known, _by_name(known, args, kwargs), queue)
    misses: list[str] = []
    for job in block.jobs(name):
        difference = wanted.difference(app, job)
        if not difference:
            return job
        misses.append(f"  {job.id}: {difference}")
    raise AssertionError(f"no job of {wanted} was enqueued; {_instead(block, misses)}")


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What the test expects; arguments that it does not name may be anything."""

    name: str
    task: Task[..., Any] | None
    arguments: Arguments
    queue: str | None

    def difference(self, app: Windlass, job: Job[Any]) -> str:
        """The arguments and options that differ, with their actual values; empty if everything matches."""
        try:
            given = _with_defaults(self.task, *app.client.decode_call(self.name, job.record.payload))
        except (PayloadError, TypeError) as error:
            return str(error)
        differing = {
            name: given.get(name, "not given")
            for name, value in self.arguments.items()
            if name not in given or given[name] != value
        }
        other_queue = [] if self.queue in (None, job.queue) else [f"in queue {job.queue!r}"]
        return ", ".join([*_shown(differing), *other_queue])

    def __str__(self) -> str:
        arguments = f" with {', '.join(_shown(self.arguments))}" if self.arguments else ""
        return f"{self.name!r}{arguments}" + (f" in queue {self.queue!r}" if self.queue else "")


def _resolved(app: Windlass, task: Task[..., Any] | Callable[..., Any] | str) -> tuple[str, Task[..., Any] | None]:
    from windlass.task import Task

    if isinstance(task, str):
        return task, app.client.registry.find(task)
    known = task if isinstance(task, Task) else app.client.registry.named(task)
    return known.name, known


def _by_name(task: Task[..., Any] | None, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Arguments:
    if task is None:
        return {**{f"argument {number}": value for number, value in enumerate(args, start=1)}, **kwargs}
    return _flat(task.shape.signature.bind_partial(*args, **kwargs))


def _with_defaults(task: Task[..., Any] | None, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Arguments:
    if task is None:
        return _by_name(None, args, kwargs)
    bound = task.shape.signature.bind(*args, **kwargs)
    bound.apply_defaults()
    return _flat(bound)


def _flat(bound: BoundArguments) -> Arguments:
    """Arguments that landed in ``**kwargs`` are named like any others."""
    arguments = dict(bound.arguments)
    for parameter in bound.signature.parameters.values():
        if parameter.kind is Parameter.VAR_KEYWORD:
            arguments |= arguments.pop(parameter.name, {})
    return arguments


def _instead(block: Block, misses: list[str]) -> str:
    if misses:
        more = [f"  and {len(misses) - _SHOWN} more"] if len(misses) > _SHOWN else []
        return "\n".join(["near misses:", *misses[:_SHOWN], *more])
    tasks = Counter(job.task for job in block.jobs())
    if not tasks:
        return "there are no jobs at all"
    return "there are jobs of " + ", ".join(f"{name!r} ({count})" for name, count in tasks.most_common(_SHOWN))


def _shown(arguments: Arguments) -> list[str]:
    return [f"{name}={value!r}" for name, value in arguments.items()]
