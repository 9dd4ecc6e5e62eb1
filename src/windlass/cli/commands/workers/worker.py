"""``windlass worker``: runs jobs until stopped."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from windlass.app import Windlass
from windlass.cli.app_option import with_tasks
from windlass.cli.commands.workers.unnamed_queues import warn_of_unnamed_queues
from windlass.cli.commands.workers.worker_processes import reporting, serving_health, supervising
from windlass.cli.logs import with_log_options
from windlass.cli.output import Output, with_output
from windlass.cli.terminal.screen import Cell, Screen, Styled
from windlass.cli.views.message import Message, counted
from windlass.cli.web.command import serving_api
from windlass.client.config import setting
from windlass.core.units import memory
from windlass.errors import ConfigError, StartRefused
from windlass.integrations.prometheus import StoreMetrics, render_worker
from windlass.options import QueueShare
from windlass.threads.process_end import CLOSING_THREAD
from windlass.threads.start import start_thread
from windlass.version import VERSION
from windlass.worker.supervisor.reexec import EXIT_RESTART, RESTARTED

if TYPE_CHECKING:
    from windlass.worker.process.recycling import ProcessLimits
    from windlass.worker.process.signals import Start
    from windlass.worker.worker import Worker

_CLOSING = 0.5
"""Seconds that a worker which never ran may take to close its store."""


@click.command()
@click.option(
    "-q",
    "--queues",
    multiple=True,
    metavar="NAME[:WEIGHT[:CAP[:RESERVE]]],...",
    help="Queues to serve (or $WINDLASS_QUEUES): each with its share, how many of its jobs run here at once at the "
    "most, and how many slots are kept for it.",
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
@click.option(
    "--health-port", type=click.IntRange(0, 65535), metavar="PORT", help="Serve /healthz, /readyz and /metrics there."
)
@click.option("--health-host", default="127.0.0.1", metavar="HOST", help="For that; 127.0.0.1 by default.")
@with_log_options
@click.option("--web-port", type=int, hidden=True)
@click.option("--supervised", hidden=True)
@click.option(RESTARTED, "is_restarted", is_flag=True, hidden=True)
@with_output
@supervising
@with_tasks
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
    web_port: int | None,
    supervised: str | None,
    is_restarted: bool,
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
    shares = None if chosen is None else parse_queues(chosen)
    built = app.worker(shares, duties=not no_duties, allow_commands=allow_commands, **options)
    with (
        reporting(supervised, built),
        serving_health(
            {"health_port": health_port, "health_host": health_host},
            liveness_problem=built.liveness.liveness_problem,
            readiness_problem=built.liveness.readiness_problem,
            metrics=partial(render_worker, StoreMetrics(app), built),
        ) as health,
        serving_api(app, web_port) as web,
    ):
        started = Started(built, app.store, len(app.tasks), health, web)
        start = _start(is_on_its_own=supervised is None and not is_restarted)

        def say_so() -> None:
            out.show(started)
            if shares is not None and not is_restarted:
                warn_of_unnamed_queues(app, shares)

        try:
            _run(built, limits, say_so, start, out=out, burst=burst)
        finally:
            if built.state == "starting":
                _let_go(app)


def _start(*, is_on_its_own: bool) -> Start:
    """A worker started by hand fails when the store is away; supervised and restarted ones wait for it."""
    from windlass.worker.process.signals import start_at_once
    from windlass.worker.process.startup import start_when_store_answers

    return start_at_once if is_on_its_own else start_when_store_answers


def _let_go(app: Windlass) -> None:
    """Close the app of a worker that never ran, on a thread of its own: a call that still waits for the store may hold
    that up, but not the process.
    """
    with suppress(StartRefused):  # the process ends, and with it whatever is open
        start_thread(app.close, name=CLOSING_THREAD).join(_CLOSING)


def _run(
    worker: Worker, limits: ProcessLimits, say_so: Callable[[], None], start: Start, *, out: Output, burst: bool
) -> None:
    from windlass.worker.process.signals import run_burst, run_until_signalled

    if burst:
        ended = run_burst(worker, start=start, on_started=say_so)
        if worker.wants_restart and not worker.is_asked_to_stop:
            raise click.exceptions.Exit(EXIT_RESTART)
        why = "asked to stop" if worker.is_asked_to_stop else "nothing is ready any more"
        out.show(Message(f"{why}; {counted(ended, 'run')} ended", {"ended": ended}))
    elif run_until_signalled(worker, start=start, on_started=say_so, is_at_limit=lambda: limits.are_reached(worker)):
        raise click.exceptions.Exit(EXIT_RESTART)


def _limits(max_jobs: int | None, max_memory: str | None, *, burst: bool) -> ProcessLimits:
    from windlass.worker.process.recycling import ProcessLimits

    if burst and (max_jobs is not None or max_memory is not None):
        raise ConfigError("--burst ends by itself; leave --max-jobs and --max-memory out")
    return ProcessLimits(
        max_jobs=max_jobs, max_memory=None if max_memory is None else memory(max_memory, "--max-memory")
    )


@dataclass(frozen=True, slots=True)
class Started:
    """What a worker serves."""

    worker: Worker
    store: str
    tasks: int
    health: str | None = None
    web: str | None = None

    def data(self) -> object:
        return {
            "worker": self.worker.name,
            "version": VERSION,
            "store": self.store,
            "queues": self.worker.queues,
            "caps": {name: share.cap for name, share in self.worker.shares.items() if share.cap is not None},
            "reserves": {name: share.reserve for name, share in self.worker.shares.items() if share.reserve},
            "concurrency": self.worker.concurrency,
            "tasks": self.tasks,
            "health": self.health,
            **({"dashboard": self.web, "api": f"{self.web}/api/v1"} if self.web is not None else {}),
        }

    def draw(self, screen: Screen) -> None:
        queues = ", ".join(f"{name}:{share}" for name, share in self.worker.shares.items())
        # In one piece: the worker has begun, and its runs log to the same terminal.
        heading: list[Cell] = [Styled(f"Windlass {VERSION}", "bold"), f" worker {self.worker.name}"]
        screen.fields(
            [
                ("store", self.store),
                ("queues", queues),
                ("concurrency", str(self.worker.concurrency)),
                ("tasks", str(self.tasks)),
                *([("health", self.health)] if self.health is not None else []),
                *([("dashboard", self.web)] if self.web is not None else []),
            ],
            heading=heading,
        )


def parse_queues(text: str) -> dict[str, QueueShare]:
    """Queues and their shares from ``mail:3,default``; what is left out between colons has its default.

    >>> [f"{name}:{share}" for name, share in parse_queues("mail:3,default,bulk:2:4,vip:::1,mail:3").items()]
    ['mail:3', 'default:1', 'bulk:2:4', 'vip:1::1']
    """
    parts = [part.strip() for part in text.split(",")]
    if not any(parts):
        raise ConfigError("queues are given but empty; name at least one, as in -q mail:3,default:1, or leave it out")
    shares: dict[str, QueueShare] = {}
    for name, share in map(_share, parts):
        if shares.setdefault(name, share) != share:
            raise ConfigError(f"queue {name!r} is given twice, with different shares; give it once")
    return shares


def _share(part: str) -> tuple[str, QueueShare]:
    name, *numbers = part.split(":")
    if len(numbers) > 3:
        raise ConfigError(f"queue {name!r}: at most its weight, cap and reserve follow its name; got {part!r}")
    given = {
        what: _number(name, what, text)
        for what, text in zip(("weight", "cap", "reserve"), numbers, strict=False)
        if text or len(numbers) == 1
    }
    try:
        return name, QueueShare(**given)
    except ConfigError as error:
        raise ConfigError(f"queue {name!r}: {error}") from None


def _number(queue: str, what: str, text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ConfigError(f"queue {queue!r}: its {what} must be a whole number, as in {queue}:3; got {text!r}")
    return int(text)


def _concurrency(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit()):
        raise ConfigError(f"concurrency must be a whole number, got {text!r}")
    return int(text)
