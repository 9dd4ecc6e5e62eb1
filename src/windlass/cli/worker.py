"""``windlass worker``: run jobs until stopped."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from windlass.app import Windlass
from windlass.cli.logs import logging_jobs
from windlass.cli.managing import working
from windlass.cli.output import Output, printing
from windlass.cli.screen import Screen, Styled
from windlass.cli.supervising import reporting, serving_health, supervising
from windlass.cli.unnamed_queues import warn_of_unnamed_queues
from windlass.cli.views.said import Said, counted
from windlass.core.memory import memory
from windlass.errors import ConfigError, StartRefused
from windlass.settings import setting
from windlass.thread_start import start_thread
from windlass.version import VERSION
from windlass.worker.supervisor.again import AFRESH, START_AGAIN

if TYPE_CHECKING:
    from windlass.worker.signals import Start
    from windlass.worker.wear import Limits
    from windlass.worker.worker import Worker

_CLOSING = 0.5
"""Seconds that a worker which never ran may take to let go of its store."""


@click.command()
@click.option(
    "-q", "--queues", multiple=True, metavar="NAME[:WEIGHT],...", help="Queues to serve (or $WINDLASS_QUEUES)."
)
@click.option("-c", "--concurrency", metavar="N", help="Jobs at once (or $WINDLASS_CONCURRENCY); 10 by default.")
@click.option("--burst", is_flag=True, help="Stop when nothing is ready any more.")
@click.option(
    "--lease", metavar="TIME", help="After this long without a heartbeat its jobs are rescued; 30s by default."
)
@click.option(
    "--heartbeat", metavar="TIME", help="Time between heartbeats, at most half the lease; a third by default."
)
@click.option(
    "--heartbeat-failures",
    type=click.IntRange(1),
    metavar="N",
    help="After so many missed heartbeats in a row it stops its jobs; 3 by default.",
)
@click.option(
    "--stop-patience", metavar="TIME", help="How long a run may take to stop when it is asked to; 5s by default."
)
@click.option("--grace", metavar="TIME", help="How long running jobs may go on after a signal; 30s by default.")
@click.option("--name", help="First part of its name (or $WINDLASS_WORKER_NAME); the host by default.")
@click.option("--version", help="Of your program, part of its name (or $WINDLASS_WORKER_VERSION).")
@click.option("--id", help="Last part of its name (or $WINDLASS_WORKER_ID); the process by default.")
@click.option("--no-duties", is_flag=True, help="Leave promote, rescue and clean to others.")
@click.option(
    "--max-jobs",
    type=click.IntRange(1),
    metavar="N",
    help="Go on in a fresh process after so many jobs; what runs ends first.",
)
@click.option("--max-memory", metavar="SIZE", help="The same above so much memory, as in 512MB.")
@click.option(
    "--children",
    type=click.IntRange(1),
    metavar="N",
    help="Child processes for tasks with isolation='process'; as many as processors by default.",
)
@click.option(
    "--child-max-jobs", type=click.IntRange(1), metavar="N", help="Replace a child process after so many jobs."
)
@click.option("--child-max-memory", metavar="SIZE", help="The same above so much memory, as in 512MB.")
@click.option("--allow-commands", is_flag=True, help="Also run jobs that are commands: any program they name.")
@click.option("--commands-folder", metavar="FOLDER", help="Start commands there or below, nowhere else.")
@click.option("--health-port", type=click.IntRange(0, 65535), metavar="PORT", help="Serve /healthz and /readyz there.")
@click.option("--health-host", default="127.0.0.1", metavar="HOST", help="For that; 127.0.0.1 by default.")
@logging_jobs
@click.option("--supervised", hidden=True)
@click.option(AFRESH, is_flag=True, hidden=True)
@printing
@supervising
@working
def worker(
    app: Windlass,
    *,
    out: Output,
    queues: tuple[str, ...],
    concurrency: str | None,
    burst: bool,
    no_duties: bool,
    max_jobs: int | None,
    max_memory: str | None,
    allow_commands: bool,
    health_port: int | None,
    health_host: str,
    supervised: str | None,
    afresh: bool,
    **given: str | int | None,
) -> None:
    """Run jobs until SIGTERM or Ctrl-C; a second signal stops now. SIGHUP asks for a fresh process.

    Without --queues it serves those that the app's tasks name.
    """
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    many = _concurrency(setting("concurrency", concurrency))
    if many is not None:
        options["concurrency"] = many
    chosen = setting("queues", ",".join(queues) if queues else None)
    limits = _limits(max_jobs, max_memory, burst=burst)
    weights = None if chosen is None else parse_queues(chosen)
    built = app.worker(weights, duties=not no_duties, allow_commands=allow_commands, **options)
    with (
        reporting(supervised, built),
        serving_health(
            {"health_port": health_port, "health_host": health_host},
            death=built.vitals.death,
            unreadiness=built.vitals.unreadiness,
        ) as health,
    ):
        started = Started(built, app.store, len(app.tasks), health)
        start = _start(is_on_its_own=supervised is None and not afresh)

        def say_so() -> None:
            out.show(started)
            if weights is not None and not afresh:
                warn_of_unnamed_queues(app, weights)

        try:
            _run(built, limits, say_so, start, out=out, burst=burst)
        finally:
            if built.state == "starting":
                _let_go(app)


def _start(*, is_on_its_own: bool) -> Start:
    """How to begin: whoever started one that is on its own wants to know that the store is away; others wait for it."""
    from windlass.worker.signals import start_at_once
    from windlass.worker.starting import start_when_store_answers

    return start_at_once if is_on_its_own else start_when_store_answers


def _let_go(app: Windlass) -> None:
    """Close the app of a worker that never ran, on a thread of its own: a call that still waits for the store may hold
    that up, but not the process.
    """
    with suppress(StartRefused):  # the process ends, and with it whatever is open
        start_thread(app.close, name="windlass-close").join(_CLOSING)


def _run(worker: Worker, limits: Limits, say_so: Callable[[], None], start: Start, *, out: Output, burst: bool) -> None:
    from windlass.worker.signals import run_burst, run_until_signalled

    if burst:
        ended = run_burst(worker, start=start, on_started=say_so)
        if worker.wants_restart and not worker.is_asked_to_stop:
            raise click.exceptions.Exit(START_AGAIN)
        why = "asked to stop" if worker.is_asked_to_stop else "nothing is ready any more"
        out.show(Said(f"{why}; {counted(ended, 'run')} ended", {"ended": ended}))
    elif run_until_signalled(worker, start=start, on_started=say_so, is_worn=lambda: limits.are_reached(worker)):
        raise click.exceptions.Exit(START_AGAIN)


def _limits(max_jobs: int | None, max_memory: str | None, *, burst: bool) -> Limits:
    from windlass.worker.wear import Limits

    if burst and (max_jobs is not None or max_memory is not None):
        raise ConfigError("--burst ends by itself; leave --max-jobs and --max-memory out")
    return Limits(max_jobs=max_jobs, max_memory=None if max_memory is None else memory(max_memory, "--max-memory"))


@dataclass(frozen=True, slots=True)
class Started:
    """What a worker serves."""

    worker: Worker
    store: str
    tasks: int
    health: str | None = None

    def data(self) -> object:
        return {
            "worker": self.worker.name,
            "version": VERSION,
            "store": self.store,
            "queues": self.worker.queues,
            "concurrency": self.worker.concurrency,
            "tasks": self.tasks,
            "health": self.health,
        }

    def draw(self, screen: Screen) -> None:
        queues = ", ".join(f"{name}:{weight}" for name, weight in self.worker.queues.items())
        screen.line(Styled(f"Windlass {VERSION}", "bold"), f" worker {self.worker.name}")
        screen.fields(
            [
                ("store", self.store),
                ("queues", queues),
                ("concurrency", str(self.worker.concurrency)),
                ("tasks", str(self.tasks)),
                *([("health", self.health)] if self.health is not None else []),
            ]
        )


def parse_queues(text: str) -> dict[str, int]:
    """Queues and weights from ``mail:3,default``.

    >>> parse_queues("mail:3,default,mail:3")
    {'mail': 3, 'default': 1}
    """
    parts = [part.strip() for part in text.split(",")]
    if not any(parts):
        raise ConfigError("queues are given but empty; name at least one, as in -q mail:3,default:1, or leave it out")
    weights: dict[str, int] = {}
    for name, weight in map(_weighted, parts):
        if weights.setdefault(name, weight) != weight:
            raise ConfigError(f"queue {name!r} is given twice, with different weights; give it once")
    return weights


def _weighted(part: str) -> tuple[str, int]:
    name, colon, weight = part.partition(":")
    if colon and not (weight.isascii() and weight.isdigit()):
        raise ConfigError(f"queue {name!r}: its weight must be a whole number, as in {name}:3; got {weight!r}")
    return name, int(weight) if colon else 1


def _concurrency(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit()):
        raise ConfigError(f"concurrency must be a whole number, got {text!r}")
    return int(text)
