"""``windlass queues``: lists, pauses, configures, empties."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import click

from windlass.app import Windlass
from windlass.cli.access.trail import audited
from windlass.cli.app_option import Confirm, with_app, with_confirmation
from windlass.cli.errors import require_known
from windlass.cli.ids import short_ids
from windlass.cli.output import Output, with_output
from windlass.cli.terminal.watch import watching
from windlass.cli.views.jobs import JobList
from windlass.cli.views.message import Message, jobs_counted
from windlass.cli.views.queues import QueueDetail, QueueList
from windlass.client.config import actor
from windlass.core.rates.cooldown import Cooldown
from windlass.core.retry import Backoff, Retry
from windlass.core.state import WAITING
from windlass.core.units import duration
from windlass.errors import ConfigError, StoreNotFound
from windlass.insight.json_forms import queue_settings
from windlass.options.queues import SETTINGS
from windlass.queue import Queue
from windlass.retention import Retention
from windlass.store.operations.queues import ALL

_name = click.argument("name", metavar="QUEUE")
_name_or_all = click.argument("name", metavar="QUEUE", required=False)
_setting = click.Choice([name.replace("_", "-") for name in SETTINGS])
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
@_name
@with_output
@with_app
@watching
def show(app: Windlass, *, out: Output, name: str) -> None:
    """Show one queue: its counts, its settings, and who has set each of them."""
    found = {queue.name: queue for queue in app.overview().queues}
    require_known("queue", name, list(found))
    out.show(QueueDetail(found[name]))


@queues.command()
@_name_or_all
@_all
@click.option("--reason", help="Why; shown wherever the queue is shown.")
@with_output
@with_app
@audited
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
@audited
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
@click.option("--attempts", type=int, help="How often its jobs run, where neither job nor task says it.")
@click.option("--retry-base", metavar="TIME", help="The wait after a first failed attempt: 1s.")
@click.option(
    "--retry-backoff", type=click.Choice(get_args(Backoff)), help="How waits grow from one attempt to the next."
)
@click.option("--retry-factor", type=float, help="By how much exponential waits grow: 2 doubles them each time.")
@click.option("--retry-floor", metavar="TIME", help="The shortest wait between two attempts: 100ms.")
@click.option("--retry-cap", metavar="TIME", help="The longest wait between two attempts: 5m.")
@click.option("--retry-jitter", type=float, help="By which part waits vary at random: 0.1 is 10 %.")
@click.option("--rate", metavar="RATE", help="How many jobs may be claimed in which time: 30/min, 10/s.")
@click.option("--burst", type=int, help="How many of them at once; goes with --rate.")
@click.option("--cooldown", metavar="BASE..MAX", help="How long it rests after Throttled: 60s..30m, or 'off' for 60 s.")
@click.option("--clear", multiple=True, type=_setting, help="No value, whatever the code says: the default holds.")
@click.option("--reset", multiple=True, type=_setting, help="Take the change back: what the code says holds again.")
@with_output
@with_app
@audited
def change(app: Windlass, *, out: Output, name: str | None, everything: bool, **given: Any) -> None:
    """Change a queue's settings, for all workers and while they run; the queue need not exist yet.

    With --all: how many jobs of all queues together may run at once.
    """
    if (name is None) is not everything:
        raise click.UsageError("name one queue, or say --all")
    queue = Queue(app, ALL) if name is None else app.queue(name)
    changes, resets = _changes(queue, given), [setting.replace("-", "_") for setting in given["reset"]]
    named = changes.keys() | set(resets)
    if not named:
        raise click.UsageError(
            "nothing to change: say --weight, --max-length, --max-running, --keep-..., --attempts, --retry-..., "
            "--rate, --cooldown, --clear or --reset"
        )
    if everything and named != {"max_running"}:
        raise click.UsageError("--all goes with --max-running or --reset max-running; other settings are a queue's own")
    if resets and changes:
        raise click.UsageError("--reset takes changes back; leave the other options out")
    if resets:
        queue.reset(*resets, by=actor())
    else:
        queue.configure(**changes, by=actor())
    said = ", ".join(setting.replace("_", " ") for setting in [*changes, *resets])
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
@audited
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
@audited
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
    plain = ("weight", "max_length", "max_running", "rate", "burst")
    changes: dict[str, Any] = {name: given[name] for name in plain if given[name] is not None}
    if given["cooldown"] is not None:
        changes["cooldown"] = _cooldown(given["cooldown"])
    waits = {name.removeprefix("retry_"): value for name, value in given.items() if name.startswith("retry_")}
    waits["attempts"] = given["attempts"]
    if said := {name: value for name, value in waits.items() if value is not None}:
        changes["retry"] = replace(_now_set(queue, "retry") or Retry(), **said)
    kept = {
        name.removeprefix("keep_"): value
        for name, value in given.items()
        if name.startswith("keep_") and value is not None
    }
    if kept:
        changes["retention"] = replace(
            _now_set(queue, "retention") or Retention(), **{n: _kept(n, v) for n, v in kept.items()}
        )
    cleared = {setting.replace("-", "_"): None for setting in given["clear"]}
    if both := sorted(changes.keys() & cleared):
        raise click.UsageError(f"--clear {both[0].replace('_', '-')} and a value for it do not go together")
    return changes | cleared


def _cooldown(text: str) -> Cooldown:
    if text == "off":
        return Cooldown(enabled=False)
    base, dots, most = text.partition("..")
    if not dots:
        raise ConfigError(f"--cooldown must look like 60s..30m, or be 'off'; got {text!r}")
    return Cooldown(base=base, max=most)


def _now_set(queue: Queue, setting: str) -> Any:
    """What is set so far; a queue may be configured before its store exists."""
    try:
        return getattr(queue.settings(), setting)
    except StoreNotFound:
        return None


def _kept(name: str, value: str | int) -> Any:
    if name == "at_most":
        return value
    if value == "forever":
        return None
    try:
        return duration(value, f"--keep-{name}")
    except ConfigError as error:
        raise ConfigError(f"{error}, or 'forever'") from None
