"""``windlass queues``: lists, pauses, configures, empties."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from windlass.app import Windlass
from windlass.cli.app_option import Confirm, with_app, with_confirmation
from windlass.cli.errors import require_known
from windlass.cli.ids import short_ids
from windlass.cli.output import Output, with_output
from windlass.cli.terminal.watch import watching
from windlass.cli.views.jobs import JobList
from windlass.cli.views.message import Message, jobs_counted
from windlass.cli.views.queues import QueueList
from windlass.client.config import actor
from windlass.core.rates.cooldown import Cooldown
from windlass.core.state import WAITING
from windlass.core.units import duration
from windlass.errors import ConfigError, StoreNotFound
from windlass.insight.json_forms import queue_settings
from windlass.queue import Queue
from windlass.retention import Retention
from windlass.store.operations.queues import ALL

_name = click.argument("name", metavar="QUEUE")
_name_or_all = click.argument("name", metavar="QUEUE", required=False)
_all = click.option("--all", "everything", is_flag=True, help="All queues at once.")


@click.group()
def queues() -> None:
    """Look at queues, pause them, set them up, empty them."""


@queues.command("list")
@with_output
@with_app
@watching
def list_queues(app: Windlass, *, out: Output) -> None:
    """List queues with counts, settings and how many workers serve them."""
    overview = app.overview()
    out.show(QueueList(overview.queues, overview.everywhere))


@queues.command()
@_name_or_all
@_all
@click.option("--reason", help="Why; shown wherever the queue is shown.")
@with_output
@with_app
def pause(app: Windlass, *, out: Output, name: str | None, everything: bool, reason: str | None) -> None:
    """Claim no more of a queue's jobs, on all machines; what runs goes on."""
    target = _one_or_all(app, name, everything)
    target.pause(reason, by=actor())
    out.show(
        Message(f"paused {_called(name)}; workers follow within 2 s", {"queue": name, "paused": True, "reason": reason})
    )


@queues.command()
@_name_or_all
@_all
@with_output
@with_app
def resume(app: Windlass, *, out: Output, name: str | None, everything: bool) -> None:
    """Go on claiming after a pause, or before the end of a cool-down."""
    _one_or_all(app, name, everything).resume(by=actor())
    out.show(
        Message(f"resumed {_called(name)}; workers follow within 2 s", {"queue": name, "paused": False, "reason": None})
    )


@queues.command("set")
@_name_or_all
@_all
@click.option("--weight", type=int, help="Its share of a worker's room, against that of other queues.")
@click.option("--max-length", type=int, help="How many jobs may wait; more are refused.")
@click.option("--max-running", type=int, help="How many jobs may run at once, on all machines together.")
@click.option("--keep-completed", metavar="TIME", help="How long completed jobs stay: 7d, or 'forever'.")
@click.option("--keep-cancelled", metavar="TIME", help="How long cancelled jobs stay.")
@click.option("--keep-failed", metavar="TIME", help="How long dead letters stay.")
@click.option("--keep-at-most", type=int, help="How many finished jobs of each state stay.")
@click.option("--rate", metavar="RATE", help="How many jobs may be claimed in which time: 30/min, 10/s.")
@click.option("--burst", type=int, help="How many of them at once; goes with --rate.")
@click.option("--cooldown", metavar="BASE..MAX", help="How long it rests after Throttled: 60s..30m, or 'off' for 60 s.")
@click.option(
    "--reset",
    multiple=True,
    type=click.Choice(["weight", "max-length", "max-running", "retention", "rate", "cooldown"]),
    help="Back to the default.",
)
@with_output
@with_app
def change(app: Windlass, *, out: Output, name: str | None, everything: bool, **given: Any) -> None:
    """Change a queue's settings, for all workers and while they run; the queue need not exist yet.

    With --all: how many jobs of all queues together may run at once.
    """
    if (name is None) is not everything:
        raise click.UsageError("name one queue, or say --all")
    queue = Queue(app, ALL) if name is None else app.queue(name)
    changes = _changes(queue, given)
    if not changes:
        raise click.UsageError(
            "nothing to change: say --weight, --max-length, --max-running, --keep-..., --rate, --cooldown or --reset"
        )
    if everything and changes.keys() != {"max_running"}:
        raise click.UsageError("--all goes with --max-running or --reset max-running; other settings are a queue's own")
    queue.configure(**changes, by=actor())
    said = ", ".join(setting.replace("_", " ") for setting in changes)
    out.show(Message(f"changed {said} of {_called(name)}", {"queue": name, **queue_settings(queue.settings())}))


@queues.command()
@_name
@click.option("--limit", default=10, show_default=True, type=click.IntRange(1, 10_000))
@with_output
@with_app
def peek(app: Windlass, *, out: Output, name: str, limit: int) -> None:
    """Show the next jobs of a queue in the order in which they will run, without taking them."""
    jobs = _existing(app, name).peek(limit)
    nothing = f"queue {name} has no jobs that are ready"
    out.show(JobList(jobs, nothing=nothing, short=short_ids(app, jobs, out)))


@queues.command()
@_name
@with_output
@with_confirmation
@with_app
def purge(app: Windlass, *, out: Output, confirm: Confirm, name: str) -> None:
    """Delete all jobs of a queue that wait."""
    queue = _existing(app, name)
    waiting = sum(count for state, count in app.counts(queue=name).items() if state in WAITING)
    confirm(f"Delete {jobs_counted(waiting)} of queue {name}, all that wait?")
    deleted = queue.purge(by=actor())
    out.show(Message(f"deleted {jobs_counted(deleted)} of queue {name}", {"queue": name, "deleted": deleted}))


@queues.command()
@_name
@with_output
@with_confirmation
@with_app
def delete(app: Windlass, *, out: Output, confirm: Confirm, name: str) -> None:
    """Delete a queue with its settings and its finished jobs; refused while jobs wait or run."""
    queue = _existing(app, name)
    confirm(f"Delete queue {name} and {jobs_counted(queue.length_of_all())}?")
    queue.delete()
    out.show(Message(f"deleted queue {name}", {"queue": name, "deleted": True}))


def _existing(app: Windlass, name: str) -> Queue:
    """The queue, if there is one of this name."""
    queue = app.queue(name)
    require_known("queue", name, [one.name for one in app.queues()])
    return queue


def _one_or_all(app: Windlass, name: str | None, everything: bool) -> Queue | Windlass:
    if (name is None) is not everything:
        raise click.UsageError("name one queue, or say --all")
    return app if name is None else _existing(app, name)


def _called(name: str | None) -> str:
    return "all queues" if name is None else f"queue {name}"


def _changes(queue: Queue, given: dict[str, Any]) -> dict[str, Any]:
    changes: dict[str, Any] = {setting.replace("-", "_"): None for setting in given["reset"]}
    plain = ("weight", "max_length", "max_running", "rate", "burst")
    changes |= {name: given[name] for name in plain if given[name] is not None}
    if given["cooldown"] is not None:
        changes["cooldown"] = _cooldown(given["cooldown"])
    kept = {
        name.removeprefix("keep_"): value
        for name, value in given.items()
        if name.startswith("keep_") and value is not None
    }
    if kept:
        changes["retention"] = replace(_retention(queue), **{n: _kept(n, v) for n, v in kept.items()})
    return changes


def _cooldown(text: str) -> Cooldown:
    if text == "off":
        return Cooldown(enabled=False)
    base, dots, most = text.partition("..")
    if not dots:
        raise ConfigError(f"--cooldown must look like 60s..30m, or be 'off'; got {text!r}")
    return Cooldown(base=base, max=most)


def _retention(queue: Queue) -> Retention:
    """The retention that is set so far; a queue may be configured before its store exists."""
    try:
        return queue.settings().retention or Retention()
    except StoreNotFound:
        return Retention()


def _kept(name: str, value: str | int) -> Any:
    if name == "at_most":
        return value
    if value == "forever":
        return None
    try:
        return duration(value, f"--keep-{name}")
    except ConfigError as error:
        raise ConfigError(f"{error}, or 'forever'") from None
