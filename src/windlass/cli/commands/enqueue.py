"""``windlass enqueue``: makes a job."""

from __future__ import annotations

import json
from typing import Any

import click

from windlass.admin.requests import outside_request
from windlass.app import Windlass
from windlass.cli.app_option import with_app
from windlass.cli.output import Output, with_output
from windlass.cli.views.message import Message
from windlass.core.units import read_instant
from windlass.errors import ConfigError
from windlass.job import Job


@click.command()
@click.argument("task")
@click.argument("args", default="[]")
@click.argument("kwargs", default="{}")
@click.option("--queue", help="In place of the task's own.")
@click.option("--priority", type=int, help="-100 to 100; higher runs first.")
@click.option("--delay", metavar="TIME", help="Run it later: 90s, 10m, 2h.")
@click.option("--at", metavar="INSTANT", help="Run it at 2026-11-15T09:30Z.")
@click.option("--id", help="An id of your own: the same id twice is one job.")
@click.option("--unique", metavar="KEY", help="Only one unfinished job may hold this key.")
@click.option("--attempts", type=int, help="How many runs it may take.")
@click.option("--timeout", metavar="TIME", help="How long one run may take.")
@click.option("--expires", metavar="TIME", help="Cancel it if it has not started so long after it is due.")
@click.option("--meta", metavar="JSON", help="An object that travels with the job.")
@click.option("--tag", "tags", multiple=True, help="vip, or plan=pro; may be given more than once.")
@with_output
@with_app
def enqueue(app: Windlass, *, out: Output, task: str, args: str, kwargs: str, **options: Any) -> None:
    """Make a job: TASK, its ARGS (a JSON list), its KWARGS (an object).

    An app rejects a task that it does not have. With --url alone there is no app, and any name is accepted.

    \b
      windlass enqueue -A jobs mail.welcome '[42]' '{"lang": "en"}' --delay 10m
    """
    call = json_value(args, list, "ARGS"), json_value(kwargs, dict, "KWARGS")
    request = outside_request(app, task, *call, _options(options))
    [job] = app.enqueue_many([request])
    out.show(Message(_sentence(job), _values(job)))


def _options(given: dict[str, Any]) -> dict[str, Any]:
    options = {name: value for name, value in given.items() if value not in (None, ())}
    if "at" in options:
        options["at"] = read_instant(options["at"], "--at")
    if "meta" in options:
        options["meta"] = json_value(options["meta"], dict, "--meta")
    return options


def json_value(text: str, kind: type, name: str) -> Any:
    """What a person wrote as JSON, if it is of this kind."""
    wanted = "list, as in '[42]'" if kind is list else "object, as in '{\"user_id\": 42}'"
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, kind):
        raise ConfigError(f"{name} must be a JSON {wanted}; got {text!r}")
    return value


def _sentence(job: Job[Any]) -> str:
    verb = "replaced the arguments of" if job.replaced else "exists already:" if job.duplicate else "enqueued"
    return f"{verb} {job.id} ({job.task}, queue {job.queue}, {job.state})"


def _values(job: Job[Any]) -> dict[str, object]:
    return {
        "id": job.id,
        "task": job.task,
        "queue": job.queue,
        "state": str(job.state),
        "duplicate": job.duplicate,
        "replaced": job.replaced,
    }
